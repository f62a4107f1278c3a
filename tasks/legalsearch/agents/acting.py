"""From a round that was read to what the environment is told: events first, then the action."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any, Literal

from models.engine import ToolInfo
from models.schema import Schema, violation
from tasks.agents.native import turn_of
from tasks.agents.reading import ParsedReply, Reader, first_object
from tasks.episode.events import ActionParsed, Planned, Thought
from tasks.episode.seats import Answer, CallTool, Move, Nothing, Steps, emit
from tasks.legalsearch.agents.briefing import ARGUMENT, TOOLS, answer_text
from tasks.legalsearch.agents.reading import Round, read_freely
from tasks.legalsearch.agents.schemas import ANSWER, LONGEST, MOST_TEXTS
from tasks.legalsearch.settings import Form

_OTHER_NAMES = ("query", "url_list", "queries", "urls", "url", "q")
"""What models call the one argument of a tool, too."""


def act(seat: str, read: ParsedReply) -> Move:
    """Record what the round says and how it was read; say what it wants done."""
    said = read.value
    if not isinstance(said, Round):
        yield from emit(ActionParsed(seat=seat, result="rejected", note=read.note))
        return Nothing()
    yield from tell(seat, said, read.result, read.note)
    if said.answer is not None:
        return Answer(said.answer)
    return Nothing() if said.tool is None else CallTool(said.tool, said.arguments)


def tell(seat: str, said: Round, result: Literal["ok", "repaired", "rejected"], note: str) -> Steps:
    """Record thought, plan and reading of a round."""
    if said.think:
        yield from emit(Thought(seat=seat, text=said.think))
    if said.plan:
        yield from emit(planned(seat, said.plan))
    yield from emit(ActionParsed(seat=seat, result=result, note=note))


def planned(seat: str, steps: Sequence[str]) -> Planned:
    """A plan with the tool that each step names, if it names one."""
    tools = tuple(next((tool for tool in TOOLS if tool in step), "") for step in steps)
    return Planned(seat=seat, steps=tuple(steps), tools=tools)


def lean_reader(schema: Schema, form: Form) -> Callable[[str], ParsedReply]:
    """A reader of rounds under a schema; what is no JSON of that shape is tried once more with some patience."""

    def read(text: str) -> ParsedReply:
        value, note = first_object(text)
        if not isinstance(value, dict):
            return ParsedReply("rejected", None, note)
        reason = violation(schema, value)
        if not reason and not note:
            return ParsedReply("ok", _round(value, form))
        if not reason:
            return ParsedReply("repaired", _round(value, form), note)
        mended = _mended(value)
        if violation(schema, mended):
            return ParsedReply("rejected", None, reason)
        return ParsedReply("repaired", _round(mended, form), note or "字段已改正")

    return read


def _round(value: Mapping[str, Any], form: Form) -> Round:
    tool = value.get("action")
    if "plan" in value:
        return Round(value["think"], tuple(value["plan"]))
    if tool in ARGUMENT:
        given = value[ARGUMENT[tool]]
        texts = [given] if isinstance(given, str) else list(dict.fromkeys(given))
        return Round(value["think"], tool=tool, arguments={ARGUMENT[tool]: texts})
    return Round(value.get("think", ""), answer=answer_text(form, value["answer"]))


def _mended(value: Mapping[str, Any]) -> dict[str, Any]:
    """The fields that a round has, from one that names them otherwise, gives one query as text, or says more."""
    tool = value.get("action", value.get("name"))
    think = value.get("think", value.get("thought", ""))
    if tool in ARGUMENT:
        arguments, _ = normalized_input(tool, value.get("arguments", {**value}))
        texts = arguments.get(ARGUMENT[tool]) if isinstance(arguments, Mapping) else None
        if isinstance(texts, list):
            one = ARGUMENT[tool] == "query"
            texts = "；".join(map(str, texts))[: LONGEST["query"]] if one else texts[:MOST_TEXTS]
        return {"think": think, "action": tool, ARGUMENT[tool]: texts}
    if "plan" in value and ANSWER not in value:
        return {"think": think, "plan": value["plan"]}
    kept = {"action": ANSWER} if tool == ANSWER else {}
    return {"think": think, **kept, "answer": value.get("answer")}


def free_reader(tools: Collection[str], *, first: bool) -> Callable[[str], ParsedReply]:
    """A reader of rounds in tagged text. A tool that is not offered is refused."""

    def read(text: str) -> ParsedReply:
        said = read_freely(text)
        if said.result == "rejected":
            return ParsedReply("rejected", None, said.note)
        notes = [said.note] if said.note else []
        arguments = said.arguments
        if said.tool is not None:
            if said.tool not in tools:
                return ParsedReply("rejected", None, f"没有工具 {said.tool[:40]}")
            arguments, note = normalized_input(said.tool, arguments)
            notes += [note] if note else []
            notes += ["计划与工具调用写在同一轮"] if said.plan else ["第一轮没有计划"] if first else []
        result: Literal["ok", "repaired"] = "repaired" if notes else "ok"
        whole = Round(said.think, said.plan, said.tool, arguments, said.answer)
        return ParsedReply(result, whole, "；".join(notes)[:300])

    return read


def native_reader(tools: Sequence[ToolInfo]) -> Reader:
    """A reader of rounds with a call of one of these tools; without one it says what the model would answer, and
    nothing is done."""

    def read(text: str) -> ParsedReply:
        turn = turn_of(text, tools)
        if turn.rejected:
            return ParsedReply("rejected", None, turn.rejected)
        arguments, note = (
            normalized_input(turn.tool, turn.arguments) if turn.tool in ARGUMENT else (turn.arguments, "")
        )
        notes = "；".join(filter(None, (turn.note, note)))
        return ParsedReply("repaired" if notes else "ok", Round(turn.said.strip(), (), turn.tool, arguments), notes)

    return read


def normalized_input(tool: str, given: Any) -> tuple[Any, str]:
    """The input of a tool as an object with its one list of texts, and what was repaired for it.

    What cannot be understood is handed on as it is: the tool says what it misses.
    """
    name = ARGUMENT[tool]
    value, note = given, ""
    if isinstance(given, Mapping):
        key = next((key for key in (name, *_OTHER_NAMES) if key in given), "")
        if not key:
            return given, ""
        value, note = given[key], "" if key == name and len(given) == 1 else "参数名已改正"
    if isinstance(value, str):
        value, note = [value], "查询应为列表"
    if not isinstance(value, list) or not all(isinstance(item, str | int) for item in value):
        return given, ""
    texts = list(dict.fromkeys(str(item).strip() for item in value))
    return {name: [text for text in texts if text]}, note if isinstance(given, Mapping) else "参数应为对象"
