"""Reads a round of tagged text. Total: every text has a reading, in time linear in it.

Two readings of one round. Forgiving: tags in any case and width, blocks that are never closed or enclose one another,
JSON that needs repair, a call without tags; what had to be mended makes it "repaired". Strict: what the published
loop runs and when it stops. Notes are short sentences for a person.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tasks.agents.reading import call_of
from tasks.agents.tags import TAGS, Block, tagged, within
from tasks.episode.plain import plain

MOST_STEPS = 40
"""Steps of a plan that are kept."""
ANSWERED = "已作答"
"""Why the published loop stops where all is well."""

_EXACT = re.compile(rf"</?(?:{'|'.join(TAGS)})>")
_ANSWER_OPENS = re.compile("<answer>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile("</answer>", re.IGNORECASE)
_NUMBER = (
    r"(?:第\s?[0-9一二三四五六七八九十]{1,3}\s?步\s?[:：、.]?|步骤\s?[0-9一二三四五六七八九十]{1,3}\s?[:：、.]?"
    r"|[0-9]{1,2}\s?[.．、:：)）](?![0-9]))"
)
_BEGINS = re.compile(rf"^(?:{_NUMBER}|[-*•·]|[(（]?[一二三四五六七八九十]{{1,3}}[)）、.])\s{{0,4}}")
_INSIDE = re.compile(rf"(?:^|(?<=[\s;；。,，])){_NUMBER}")


@dataclass(frozen=True, slots=True)
class Round:
    """What a round says. `tool` is None without a call, `answer` None without an answer.

    `stop` (strict reading) says why the published loop ends here; '' when it goes on.
    """

    think: str = ""
    plan: tuple[str, ...] = ()
    tool: str | None = None
    arguments: Any = None
    answer: str | None = None
    result: Literal["ok", "repaired", "rejected"] = "ok"
    note: str = ""
    stop: str = ""


def read_freely(text: str) -> Round:
    """A round as an obliging reader takes it: the first act counts, a call that can be read or an answer."""
    found = tagged(text)
    notes = list(found.faults)
    plan = next(iter(found.texts("plan")), "")
    at, call, answer = _first_act(found.blocks, notes)
    if call is None and answer is None and not plan:
        call = _bare_call("\n".join(found.outside) if found.blocks else text)
        notes.append("没有计划、工具调用或回答" if call is None else "工具调用没有写在标签里")
    thoughts = (block.text.strip() for block in found.blocks[:at] if block.tag == "think")
    think = "\n".join(filter(None, thoughts))
    if call is None and answer is None and not plan:
        return Round(think, result="rejected", note=_joined(notes))
    if not think and found.outside and not notes:
        think = found.outside[0].strip()
        notes.append("思考没有写在标签里")
    tool, arguments = call or (None, None)
    return Round(think, steps_of(plan), tool, arguments, answer, "repaired" if notes else "ok", _joined(notes))


def _first_act(blocks: Sequence[Block], notes: list[str]) -> tuple[int, tuple[str, object] | None, str | None]:
    """Where it stands, and the call or the answer; later acts of the round are left out."""
    last = max((at for at, block in enumerate(blocks) if block.tag in ("tool_call", "answer")), default=-1)
    for at, block in enumerate(blocks):
        if block.tag == "answer" and block.text.strip():
            notes += ["作答之后的内容未采用"] if at < last else []
            return at, None, block.text.strip()
        if block.tag == "tool_call":
            call = call_of(block.text)
            if call is None:
                notes.append("工具调用不是可读的 JSON")
                continue
            notes += [call[2]] if call[2] else []
            notes += ["一轮只执行一个工具调用"] if at < last else []
            return at, call[:2], None
    return len(blocks), None, None


def read_strictly(text: str, *, first: bool) -> Round:
    """A round as the published loop takes it (its code; paper §3.1). `first` says whether it is the first of the
    task.

    The loop stops when tags do not balance, when plan and call share a round, when the first round has no plan, and
    when there is no call to run, unless the round ends with a plan. The first call that is valid JSON is run.
    """
    think = "\n".join(part.strip() for part in within(text, "think") if part.strip())
    plan = steps_of(next(iter(within(text, "plan")), ""))
    answer = first_answer(text)
    call = _strict_call(text)
    stop = _why_stop(text, first=first, calls=call is not None)
    if stop or call is None:
        result: Literal["ok", "rejected"] = "ok" if not stop or answer is not None else "rejected"
        return Round(think, plan, None, None, answer, result, "" if stop == ANSWERED else stop, stop)
    return Round(think, plan, call[0], call[1], None)


def first_answer(text: str) -> str | None:
    """The first tagged answer, in either case of letters: what `published.tagged_answer` finds, in linear time."""
    opened = _ANSWER_OPENS.search(text)
    closed = _ANSWER_CLOSES.search(text, opened.end()) if opened else None
    return text[opened.end() : closed.start()].strip() if opened and closed else None


def _why_stop(text: str, *, first: bool, calls: bool) -> str:
    marks = _EXACT.findall(text)
    for tag in TAGS:
        opened, closed = marks.count(f"<{tag}>"), marks.count(f"</{tag}>")
        if opened != closed:
            return f"标签不成对：<{tag}>{opened}个，</{tag}>{closed}个"
    planned = "<plan>" in marks
    if planned and "<tool_call>" in marks:
        return "计划与工具调用写在同一轮"
    if first and not planned:
        return "第一轮没有计划"
    if calls or text.rstrip().endswith("</plan>"):
        return ""
    return ANSWERED if "<answer>" in marks else "没有可执行的工具调用"


def _strict_call(text: str) -> tuple[str, object] | None:
    for body in within(text, "tool_call"):
        try:
            value = plain(json.loads(body))
        except (ValueError, RecursionError):
            continue
        if isinstance(value, dict) and isinstance(value.get("name"), str) and "arguments" in value:
            return value["name"], value["arguments"]
    return None


def _bare_call(text: str) -> tuple[str, object] | None:
    at = text.find("{")
    call = call_of(text[at:]) if at >= 0 else None
    return (call[0], call[1]) if call else None


def steps_of(text: str) -> tuple[str, ...]:
    """The steps of a plan in text: one a line, or parted by their numbers; the numbers are left out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part.strip(" ;；") for part in _INSIDE.split(lines[0])]
    steps = (_BEGINS.sub("", line).strip() for line in lines)
    return tuple(step for step in steps if step)[:MOST_STEPS]


def _joined(notes: Sequence[str]) -> str:
    return "；".join(dict.fromkeys(notes))[:300]
