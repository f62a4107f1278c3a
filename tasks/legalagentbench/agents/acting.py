"""From a read reply to what the environment is told: events first, then the action."""

from __future__ import annotations

from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass
from typing import Any

from models.engine import Settings
from tasks.agents.conversation import Call
from tasks.agents.modes import Mode
from tasks.agents.native import STOP
from tasks.episode.actions import CallTool, Nothing, Sent, Yield, emit
from tasks.episode.events import ActionParsed, Planned, Thought
from tasks.legalagentbench import schemas
from tasks.legalagentbench.agents import reading
from tasks.legalagentbench.agents.reading import Read
from tasks.legalagentbench.parser import compat_input
from tasks.legalagentbench.tools import TOOLS, ToolSpec

REPLY = Settings(max_tokens=2048)
"""Lean calls: lengths are bounded by the schema, the rest is room for a model that reasons first."""
TEXT = Settings(max_tokens=2048, stop=("观察：", "\n观察"))
"""Free actions: a model that goes on to invent the observation is stopped there."""
NATIVE = Settings(max_tokens=2048, stop=STOP)
PAPER = Settings(max_tokens=2000)
"""Paper calls: temperature 0 and at most 2,000 tokens, as published for two of the models; no stop string."""


@dataclass(frozen=True, slots=True)
class Final:
    """The model wants to answer; `text` is what it gave as its final answer."""

    text: str


Act = CallTool | Nothing | Final


def action_call(prompt: str, mode: Mode, tools: tuple[ToolSpec, ...], before: dict[str, Any] | None = None) -> Call:
    """The call for an action; `before` are the schemas of what stands before it in a lean reply."""
    if mode == "native":
        return Call(prompt, reading.native, NATIVE, tries=2)
    if mode != "lean":
        return Call(prompt, reading.action, TEXT)
    schema = schemas.action_schema(tools, before)
    return Call(prompt, reading.structured(schema, reading.action_loosely), REPLY, schema, tries=2)


def plan_call(prompt: str, mode: Mode, most: int) -> Call:
    """The call for a plan."""
    if mode != "lean":
        return Call(prompt, reading.plan, REPLY)
    schema = schemas.plan_schema(most)
    return Call(prompt, reading.structured(schema, reading.plan_loosely), REPLY, schema, tries=2)


def act(seat: str, read: Read, before: Collection[str] = ()) -> Generator[Yield, Sent, Act]:
    """Record how the reply was read, and what stands before the action (thought, plan); say what the action wants
    done."""
    value = read.value or {}
    if "thought" in before and value.get("thought"):
        yield from emit(Thought(seat=seat, text=value["thought"]))
    if "plan" in before and value.get("plan"):
        yield from emit(planned(seat, value["plan"]))
    yield from emit(ActionParsed(seat=seat, result=read.result, note=read.note))
    if not value:
        return Nothing()
    if value["action"] == schemas.FINAL:
        return Final(value["action_input"])
    return CallTool(value["action"], compat_input(value["action"], value["action_input"]))


def planned(seat: str, steps: Sequence[str]) -> Planned:
    """A plan with the tool that each step names, if it names one."""
    tools = tuple(next((name for name in _BY_LENGTH if name in step), "") for step in steps)
    return Planned(seat=seat, steps=tuple(steps), tools=tools)


_BY_LENGTH = sorted(TOOLS, key=len, reverse=True)
"""Longest first: get_court_info_list is not get_court_info."""
