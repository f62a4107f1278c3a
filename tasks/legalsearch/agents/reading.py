"""Reads tagged text: think, plan, tool_call, tool_response, answer. Total: every text has a reading, in time linear
in it.

Two readings of one round. Forgiving: tags in any case and width, blocks that are never closed or enclose one another,
JSON that needs repair, a call without tags; what had to be mended makes it "repaired". Strict: what the published
loop runs and when it stops. Notes are short sentences for a person.
"""

from __future__ import annotations

import json
import re
from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from tasks.episode.plain import plain
from tasks.legalagentbench.lenient import Unreadable
from tasks.legalagentbench.lenient import read as read_leniently
from tasks.legalsearch.published import TAGS

LONGEST_REPAIR = 1 << 18
"""Characters of a call up to which a repair is tried; no honest call is longer."""
MOST_STEPS = 40
"""Steps of a plan that are kept."""
ANSWERED = "已作答"
"""Why the published loop stops where all is well."""

_NAMES = "|".join(TAGS)
_TAG = re.compile(rf"[<＜]\s{{0,3}}+([/／]?)\s{{0,3}}+({_NAMES})\s{{0,3}}+[>＞]", re.IGNORECASE)
_EXACT = re.compile(rf"</?(?:{_NAMES})>")
_ANSWER_OPENS = re.compile("<answer>", re.IGNORECASE)
_ANSWER_CLOSES = re.compile("</answer>", re.IGNORECASE)
_NUMBER = (
    r"(?:第\s?[0-9一二三四五六七八九十]{1,3}\s?步\s?[:：、.]?|步骤\s?[0-9一二三四五六七八九十]{1,3}\s?[:：、.]?"
    r"|[0-9]{1,2}\s?[.．、:：)）](?![0-9]))"
)
_BEGINS = re.compile(rf"^(?:{_NUMBER}|[-*•·]|[(（]?[一二三四五六七八九十]{{1,3}}[)）、.])\s{{0,4}}")
_INSIDE = re.compile(rf"(?:^|(?<=[\s;；。,，])){_NUMBER}")
_NAME_KEYS = ("name", "action", "tool", "function", "tool_name")
_GIVEN_KEYS = ("arguments", "parameters", "action_input", "input", "args")
_FENCE = re.compile(r"^\s*```[a-z]{0,10}\s*|\s*```\s*$")


@dataclass(frozen=True, slots=True)
class Block:
    """A stretch of tagged text, its tags left out. `closed` says whether its own closing tag ends it."""

    tag: str
    text: str
    closed: bool = True


@dataclass(frozen=True, slots=True)
class Tagged:
    """The blocks of a text in order, what stands outside them, and what is wrong with its tags."""

    blocks: tuple[Block, ...]
    outside: tuple[str, ...]
    faults: tuple[str, ...]

    def texts(self, tag: str) -> list[str]:
        """What the blocks of a tag hold, blanks at their ends left out; empty ones are left out."""
        found = (block.text.strip() for block in self.blocks if block.tag == tag)
        return [text for text in found if text]


def tagged(text: str) -> Tagged:
    """The blocks of a text, read forgivingly.

    A tag inside a block ends that block if it begins a block of its own that is closed first, or if the outer one is
    never closed; otherwise it is a word of the outer block. Inside call, response and answer everything up to their
    end is theirs.
    """
    marks = list(_TAG.finditer(text))
    closers = {tag: [mark.start() for mark in marks if mark[1] and mark[2].lower() == tag] for tag in TAGS}

    def closes(tag: str, at: int) -> int | None:
        """Where the next closing tag of this name stands."""
        places = closers[tag]
        index = bisect_left(places, at)
        return places[index] if index < len(places) else None

    blocks: list[Block] = []
    outside: list[str] = []
    faults: list[str] = []
    opened, start = "", 0
    for mark in marks:
        tag, closing = mark[2].lower(), bool(mark[1])
        if mark[0] not in _STANDARD:
            faults.append(f"标签写成了{mark[0][:20]}")
        if opened:
            if closing and tag == opened:
                blocks.append(Block(opened, text[start : mark.start()]))
                opened, start = "", mark.end()
                continue
            if closing:
                if tag not in ("tool_call", "tool_response") and opened in ("think", "plan"):
                    faults.append(f"<{opened}>里有</{tag}>")
                continue
            end = closes(opened, mark.end())
            inner = closes(tag, mark.end())
            whole = opened in ("tool_call", "tool_response", "answer") and end is not None and tag != opened
            if whole or (end is not None and tag != opened and (inner is None or end < inner)):
                continue
            faults.append(f"<{opened}>没有结束")
            blocks.append(Block(opened, text[start : mark.start()], closed=False))
            opened, start = tag, mark.end()
        elif closing:
            faults.append(f"多出</{tag}>")
            outside.append(text[start : mark.start()])
            start = mark.end()
        else:
            outside.append(text[start : mark.start()])
            opened, start = tag, mark.end()
    if opened:
        faults.append(f"<{opened}>没有结束")
        blocks.append(Block(opened, text[start:], closed=False))
    else:
        outside.append(text[start:])
    return Tagged(tuple(blocks), tuple(part for part in outside if part.strip()), tuple(dict.fromkeys(faults)))


_STANDARD = frozenset(f"<{slash}{tag}>" for slash in ("", "/") for tag in TAGS)


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


def within(text: str, tag: str) -> list[str]:
    """What stands between exact tags, as a shortest match from each opening tag finds it; in linear time."""
    opener, closer = f"<{tag}>", f"</{tag}>"
    found: list[str] = []
    at = text.find(opener)
    while at >= 0:
        start = at + len(opener)
        end = text.find(closer, start)
        if end < 0:
            break
        found.append(text[start:end])
        at = text.find(opener, end + len(closer))
    return found


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


def call_of(body: str) -> tuple[str, Any, str] | None:
    """Tool, arguments and what was repaired, of what stands inside call tags; None where nothing can be read."""
    value, note = first_object(_FENCE.sub("", body) if "```" in body[:40] else body)
    if not isinstance(value, Mapping):
        return None
    name_key = next((key for key in _NAME_KEYS if isinstance(value.get(key), str) and value[key].strip()), "")
    if not name_key:
        return None
    given_key = next((key for key in _GIVEN_KEYS if key in value), "")
    given = value[given_key] if given_key else {key: rest for key, rest in value.items() if key != name_key}
    if isinstance(given, str) and given.lstrip()[:1] == "{":
        given, inner = first_object(given)
        note = note or inner or "参数写成了文本"
    if not note and (name_key, given_key) != ("name", "arguments"):
        note = "工具调用的字段名已改正"
    return value[name_key].strip(), given, note


def _bare_call(text: str) -> tuple[str, object] | None:
    at = text.find("{")
    call = call_of(text[at:]) if at >= 0 else None
    return (call[0], call[1]) if call else None


def first_object(text: str) -> tuple[Any, str]:
    """The first JSON object in a text and what was repaired to read it; (None, reason) when there is none."""
    body = text[:LONGEST_REPAIR]
    opened = min((at for at in (body.find("{"), body.find("｛")) if at >= 0), default=-1)
    if opened < 0:
        return None, "没有 JSON 对象"
    try:
        value, end = json.JSONDecoder(strict=False).raw_decode(body, opened)
        around = body[:opened].strip() or body[end:].strip()
        return plain(value), "JSON 前后有多余文字" if around else ""
    except (ValueError, RecursionError):
        pass
    try:
        return plain(read_leniently(body, opened)), "不是合法的 JSON，已按引号和标点修复"
    except (Unreadable, ValueError, RecursionError):
        return None, "不是一个完整的 JSON 对象"


def steps_of(text: str) -> tuple[str, ...]:
    """The steps of a plan in text: one a line, or parted by their numbers; the numbers are left out."""
    lines = [line.strip() for line in text.splitlines() if line.strip()]
    if len(lines) == 1:
        lines = [part.strip(" ;；") for part in _INSIDE.split(lines[0])]
    steps = (_BEGINS.sub("", line).strip() for line in lines)
    return tuple(step for step in steps if step)[:MOST_STEPS]


def defused(text: str) -> str:
    """A text in which nothing can be taken for a tag of the protocol: what a tool or a web page says is no act."""
    return _TAG.sub(lambda mark: f"＜{mark[1]}{mark[2]}＞", text)


def _joined(notes: Sequence[str]) -> str:
    return "；".join(dict.fromkeys(notes))[:300]
