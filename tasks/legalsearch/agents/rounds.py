"""What has happened so far, read from the records of a View: one `Past` a completed step of the seat, whoever sat in
it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tasks.episode.events import ActionParsed, ModelCalled, Planned, Record, Seated, Thought, ToolCalled, ToolReturned
from tasks.episode.observations import shortened
from tasks.episode.seats import View
from tasks.legalsearch.agents.phrases import phrase
from tasks.legalsearch.agents.reading import defused

OPENING, CLOSING = "<tool_response>\n", "\n</tool_response>"


@dataclass
class Past:
    """One completed step. `policy` is the name of the policy that made it, `calls` its model calls in order.

    tool is None when no tool was called; rejected then says why, if the round could not be read.
    """

    policy: str
    calls: list[ModelCalled] = field(default_factory=list)
    thought: str = ""
    plan: tuple[str, ...] = ()
    tool: str | None = None
    input: Any = None
    observation: str = ""
    status: str = "ok"
    rejected: str | None = None


def pasts(view: View) -> list[Past]:
    """The completed steps in order; steps in which nothing was said, planned, done or refused are left out."""
    return [past for past in by_step(view.history, view.seat) if past.calls or past.plan or past.tool is not None]


def by_step(records: Sequence[Record], seat: str) -> list[Past]:
    """All steps after the setting up."""
    made: list[Past] = []
    policy = ""
    for step, group in groupby(records, key=lambda record: record.step):
        past = Past(policy)
        for record in group:
            event = record.event
            if isinstance(event, Seated) and event.seat == seat:
                policy = event.policy
                past.policy = past.policy or policy
            elif step and getattr(event, "seat", None) == seat:
                _add(past, record)
        if step:
            made.append(past)
    return made


def _add(past: Past, record: Record) -> None:
    match record.event:
        case ModelCalled(human=False) as event:
            past.calls.append(event)
        case Thought() as event:
            past.thought = f"{past.thought}\n{event.text}" if past.thought else event.text
        case Planned() as event:
            past.plan = event.steps
        case ToolCalled() as event:
            past.tool, past.input = event.tool, event.input
        case ToolReturned() as event:
            past.observation, past.status = event.observation, event.status
        case ActionParsed(result="rejected") as event:
            past.rejected = event.note


def response(observation: str, status: str, *, paper: bool = False) -> str:
    """What a model reads of a tool's answer.

    A very long one is shortened. Outside the published form a hint follows where a tool gave nothing, and nothing in
    the answer can pass for a tag.
    """
    shown = shortened(observation)
    text = shown if paper else defused(shown) + phrase("hint", status)
    return f"{OPENING}{text}{CLOSING}"
