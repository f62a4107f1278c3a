"""Reads the replies of a model: actions, plans, choices of tables, answers. Total: every text has a reading.

A structured reply is checked against the schema it was asked under. One that is no JSON of that shape is tried once
more with the forgiving parser (a fence around it, text before it) and then counts as repaired. Free text is read as
upstream reads it, and more forgivingly unless `strict`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any

from models.engine import ToolInfo
from store.schema import TABLES
from tasks.agents.native import turn_of
from tasks.agents.reading import CLOSED, LONGEST_REPAIR, ParsedReply, Reader, decoded
from tasks.legalagentbench.parser import compat_input, parse_action
from tasks.legalagentbench.schemas import FINAL, trimmed
from tasks.legalagentbench.tools import FINISH_NAMES, spoken

STEP_MARK = re.compile(r"第\s*([0-9]{1,3}|[一二三四五六七八九十]{1,3})\s*步\s*[：:]")
"""Where a step of a plan begins; upstream cuts plans at these marks."""
_PLAN_END = re.compile(r"\s*计划结束\s*[。.]?\s*$")
_BEFORE_ACTION = re.compile(r"```|行动\s*[0-9]*\s*[：:]|[{｛]")
_ANSWER = re.compile(r"答案\s*[：:]")
_DETAILS = re.compile(r"\n\s*详情\s*[：:]")


def action_loosely(text: str) -> ParsedReply:
    """An action with what stands before it, as the object of a structured reply; see `action` for free text."""
    read = action(text)
    if read.result == "rejected":
        return read
    value, _ = _first_object(text)
    before = (
        {name: value[name] for name in ("thought", "plan") if name in value} if isinstance(value, Mapping) else {}
    )
    made = {"thought": read.value["thought"], "plan": read.value["plan"], **before}
    given = trimmed(read.value["action"], read.value["action_input"])
    return ParsedReply("repaired", {**made, "action": read.value["action"], "action_input": given}, read.note)


def action(text: str) -> ParsedReply:
    """An action in free text, with the thought and the plan before it. The input is as upstream's parser hands it
    on."""
    parsed = parse_action(text)
    before = _BEFORE_ACTION.split(text, maxsplit=1)[0]
    if parsed.tool is None:
        return ParsedReply("rejected", None, parsed.note)
    final = parsed.tool in FINISH_NAMES
    given = spoken(parsed.input) if final else compat_input(parsed.tool, parsed.input)
    value = {
        "thought": _without_label(before),
        "plan": steps_of(before),
        "action": FINAL if final else parsed.tool,
        "action_input": given,
    }
    return ParsedReply(parsed.result, value, parsed.note)


def action_strictly(text: str) -> ParsedReply:
    """An action as the published parser takes it: what would have to be repaired is an illegal format there."""
    read = action(text)
    return ParsedReply("rejected", None, read.note) if read.result == "repaired" else read


def native(tools: Sequence[ToolInfo]) -> Reader:
    """A reader of turns with a call of one of these tools in it, or with the answer where nothing is called."""

    def read(text: str) -> ParsedReply:
        turn = turn_of(text, tools)
        if turn.rejected:
            return ParsedReply("rejected", None, turn.rejected)
        said = turn.said.strip()
        value: dict[str, Any] = {"thought": "", "action": FINAL, "action_input": said}
        if turn.tool in FINISH_NAMES:
            value |= {"thought": said, "action_input": spoken(turn.arguments)}
        elif turn.tool is not None:
            value = {"thought": said, "action": turn.tool, "action_input": turn.arguments}
        return ParsedReply("repaired" if turn.note else "ok", value, turn.note)

    return read


def thought_before(text: str) -> str:
    """What a model wrote before its action."""
    return _without_label(_BEFORE_ACTION.split(text, maxsplit=1)[0])


def _without_label(text: str) -> str:
    return re.sub(r"^\s*思考\s*[0-9]*\s*[：:]\s*", "", text).strip()


def steps_of(text: str) -> list[str]:
    """The steps of a plan in free text, cut at 第n步：; line breaks and the closing words are dropped."""
    parts = STEP_MARK.split(text)[2::2]
    steps = (_PLAN_END.sub("", " ".join(part.split())).strip() for part in parts)
    return [step for step in steps if step]


def plan(text: str) -> ParsedReply:
    """A plan in free text."""
    steps = steps_of(text)
    if not steps:
        return ParsedReply("rejected", None, "计划里没有“第n步：”")
    return ParsedReply("ok", {"plan": steps})


def plan_loosely(text: str) -> ParsedReply:
    """A plan under a schema that was written otherwise: an object in a fence, a list, or 第n步 lines. Of a plan that
    stops in the middle, at a limit or in a loop, the steps that are whole count, each once."""
    value, note = _first_object(text)
    if value is None:
        value, note = _first_object(text[: text.rfind('",') + 1])[0], "计划没有写完，取已写完的各步，重复的只取一次"
        cut = value.get("plan") if isinstance(value, Mapping) else value
        value = (
            list(dict.fromkeys(cut)) if isinstance(cut, list) and all(isinstance(one, str) for one in cut) else None
        )
    steps = value.get("plan") if isinstance(value, Mapping) else value
    if isinstance(steps, list) and steps:
        return ParsedReply("repaired", {"plan": [step.strip() for step in map(str, steps) if step.strip()]}, note)
    read = plan(text)
    return ParsedReply("repaired", read.value, "计划不是 JSON 对象") if read.value else read


def tables(text: str) -> ParsedReply:
    """The table names in free text: the first list of texts, fenced or bare.

    A name that no table has is left out with a note; upstream's run of the task crashes there.
    """
    value, note = _first_object(text)
    names = value.get("tables") if isinstance(value, Mapping) else value
    if not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        return ParsedReply("rejected", None, "没有表名的列表")
    known = [name for name in dict.fromkeys(names) if name in TABLES]
    unknown = "、".join(name[:40] for name in names if name not in TABLES)
    notes = "；".join(filter(None, (note, f"没有这些表，已忽略：{unknown[:200]}" if unknown else "")))
    if not known:
        return ParsedReply("rejected", None, notes or "没有选表")
    return ParsedReply("repaired" if notes else "ok", {"tables": known}, notes)


def answer(text: str) -> ParsedReply:
    """Answer and details in free text; without the two labels the whole text is both."""
    written = answer_loosely(text)
    if written.value is not None:
        return ParsedReply("repaired", written.value, "写成了 JSON")
    label = _ANSWER.search(text)
    body = text[label.end() :] if label else text
    res, *details = _DETAILS.split(body, maxsplit=1)
    if not res.strip():
        return ParsedReply("rejected", None, "没有写答案")
    return ParsedReply("ok", {"answer": res.strip(), "summary": (details[0] if details else res).strip()})


def answer_loosely(text: str) -> ParsedReply:
    """An answer under a schema that stands in a fence, carries other fields as well, or came as a final action once
    more."""
    value, note = _first_object(text)
    if isinstance(value, Mapping) and value.get("action") in FINISH_NAMES:
        return ParsedReply("repaired", {"answer": spoken(value.get("action_input")), "summary": ""}, "又写成了行动")
    if not isinstance(value, Mapping) or not isinstance(value.get("answer"), str):
        return ParsedReply("rejected", None, CLOSED)
    summary = value.get("summary")
    return ParsedReply(
        "repaired", {"answer": value["answer"], "summary": summary if isinstance(summary, str) else ""}, note
    )


def _first_object(text: str) -> tuple[Any, str]:
    """The first object or list in a text and what was repaired to read it; (None, reason) when there is none."""
    start = text.find("```json")
    body = text[start + len("```json") :] if start >= 0 else text
    body = body[:LONGEST_REPAIR]
    opened = min((at for at in (body.find("{"), body.find("[")) if at >= 0), default=-1)
    if opened < 0:
        return None, "没有 JSON"
    value, end, note = decoded(body, opened)
    if end and not note and start < 0 and body[:opened].strip():
        note = "JSON 之前有多余文字"
    return value, note
