"""Calls in the form that a model was trained with, for the methods of all benchmarks: `--calls native`.

A method goes on thinking in texts: what a model said stands as one text with its calls in it (the `hermes` form of
`models.calls`, whatever the model's own is), in its history as in what a reader reads. `structured` turns such a
conversation into messages that carry calls and results, which the template or the server writes in the form of the
model. One call a turn is run; further ones are noted.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from models.calls import FORMS, arguments_of, find_call, read, written
from models.engine import Message, Reply, ToolCall, ToolInfo, tools_data
from tasks.agents.modes import Calls
from tasks.agents.reading import call_of
from tasks.episode.events import ModelCalled
from tasks.errors import UsageError

STOP = ("<tool_response>",)
"""A model that goes on to invent the response of its tool is stopped there."""
SEVERAL = "一步只执行一个工具调用"
UNREAD = "工具调用不是可读的 JSON"
NOTHING = "没有工具调用，也没有作答"
ANOTHER = "工具调用的写法已改正"
_MARKED = tuple(name for name, form in FORMS.items() if form.mark)
_OBJECT = re.compile(r"\{\s*\"(?:name|function|action|tool|tool_name)\"\s*:\s*\"([\w.\-]{1,200})\"")
"""Where an object begins that may be a call; of two braces, which models copy from some templates, the inner one."""
_WRAPPER = re.compile(r"(?:<[a-z_]{1,20}>|```[a-z]{0,10})\Z")
"""What stands between prose and a call, and is neither."""
MOST_WRAPPERS, LONGEST_WRAPPER = 4, 22
"""How many of them are taken off, and the characters of one."""


def check_tools(calls: Calls, offered: Sequence[object]) -> None:
    """Refuse native calls where the tested seat has nothing to call."""
    if calls == "native" and not offered:
        raise UsageError(
            "--calls native: the tested seat has no tools here",
            "Give it some (--tools, --law-pack), or leave it out.",
        )


def tools_size(tools: Sequence[ToolInfo]) -> int:
    """Characters that tools take in a prompt, as most templates write them."""
    return len(json.dumps(tools_data(tools), ensure_ascii=False)) if tools else 0


def words(said: Reply | ModelCalled) -> str:
    """What a model said, its calls in it."""
    calls = (call if isinstance(call, ToolCall) else ToolCall(*call) for call in said.calls)
    return written(said.text, tuple(calls))


@dataclass(frozen=True, slots=True)
class NativeTurn:
    """A turn in its parts: what was said beside the call, the tool and its arguments (None: no call), what was
    mended."""

    said: str
    tool: str | None = None
    arguments: Any = None
    note: str = ""
    rejected: str = ""
    """Why nothing can be made of it."""


def turn_of(text: str, tools: Sequence[ToolInfo] = ()) -> NativeTurn:
    """A turn from what `words` gives; `tools` are those on offer.

    Total: a call in the wrapper of another family, in a fence, behind prose or as no good JSON is read with some
    patience, as llama.cpp reads them; what is marked as a call and cannot be read is rejected.
    """
    said, calls = read(text, tools, ("hermes",))
    notes = [SEVERAL] if len(calls) > 1 else []
    if not calls:
        other, found = read(text, tools, _MARKED)
        if found and found[0].name in {tool.name for tool in tools}:
            said, calls, notes = other, found, [ANOTHER]
    if calls:
        given = arguments_of(calls[0])
        if isinstance(given, dict):
            return NativeTurn(said, calls[0].name, given, "；".join(notes))
        body = json.dumps({"name": calls[0].name, "arguments": calls[0].arguments})
    else:
        at = _begins(text, tools)
        if at < 0:
            return NativeTurn(said, rejected="" if text.strip() else NOTHING)
        said, body = _before(text[:at]), text[at:]
    mended = call_of(body)
    if mended is None or not isinstance(mended[1], Mapping):
        return NativeTurn(said, rejected=UNREAD)
    tool, arguments, note = mended
    return NativeTurn(said, tool, arguments, "；".join([*notes, note or ANOTHER]))


def _before(text: str) -> str:
    """The prose before a call, without the marks around the call; linear in the text."""
    for _ in range(MOST_WRAPPERS):
        text = text.rstrip().rstrip("{").rstrip()
        found = _WRAPPER.search(text[-LONGEST_WRAPPER:])
        if found is None:
            break
        text = text[: len(text) - len(found[0])]
    return text.strip()


def _begins(text: str, tools: Sequence[ToolInfo]) -> int:
    """Where something looks like a call: at a mark, or at an object with the name of a tool on offer; -1: nowhere."""
    at = find_call(text)
    offered = {tool.name for tool in tools}
    return at if at >= 0 else next((one.start() for one in _OBJECT.finditer(text) if one[1] in offered), -1)


def structured(messages: Sequence[Message], tools: Sequence[ToolInfo] = ()) -> tuple[Message, ...]:
    """A conversation with every call of an assistant as a call, and the message behind it as its result; `tools` are
    those on offer."""
    made: list[Message] = []
    waiting = ""
    for message in messages:
        turn = turn_of(message.content, tools) if message.role == "assistant" else None
        if turn is not None and turn.tool is not None:
            waiting = f"call{len(made):05d}"  # nine characters: the least that any template wants
            given = json.dumps(turn.arguments, ensure_ascii=False)
            made.append(Message("assistant", turn.said, (ToolCall(turn.tool, given, waiting),)))
            continue
        answers = waiting and message.role == "user"
        made.append(Message("tool", message.content, answers=waiting) if answers else message)
        waiting = ""
    return tuple(made)
