"""Calls of tools as models write them: one table of forms, read and written side by side.

Every family marks its calls in its own way; a chat template writes history in that way, and the model goes on in it.
`form_of` tells the form of a template from what it writes. Reading is total and linear in the text: what is marked as
a call and cannot be read stays text. Lengths in characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from models.engine import ToolCall, ToolInfo

PROBE = ToolInfo(
    "look_up",
    "Looks something up.",
    {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]},
)
"""A tool to try engines with."""
MOST_CALLS = 64
"""Calls of one reply that are read, and marks that are looked behind: what follows stays text."""
_JSON = json.JSONDecoder(strict=False)
_BLANKS = re.compile(r"\s*")
_NAME = re.compile(r"[\w.\-]{1,200}")
_ARGUMENTS = ("arguments", "parameters")
Found = tuple[list[ToolCall], int]
"""The calls that begin at a place, and where the text goes on behind them; no calls: nothing readable stands
there."""


@dataclass(frozen=True, slots=True)
class CallFormat:
    """How calls are marked. `mark` stands before them, '' where a bare JSON object is a call.

    read: of a text, the place behind a mark, and tools. write: all calls of a turn.
    """

    mark: str
    read: Callable[[str, int, Sequence[ToolInfo]], Found]
    write: Callable[[Sequence[ToolCall]], str]


def read(text: str, tools: Sequence[ToolInfo] = (), forms: Sequence[str] = ()) -> tuple[str, tuple[ToolCall, ...]]:
    """What is said beside the calls, and the calls.

    Args:
        text: speech of a model, reasoning left out.
        tools: what was offered: they tell a text from a number where a form does not, and a bare object from an
            answer.
        forms: names of `FORMS` that may occur; any of them where nothing is said.
    """
    chosen = [FORMS[name] for name in forms or FORMS]
    marks = {form.mark for form in chosen if form.mark}
    calls: list[ToolCall] = []
    said: list[str] = []
    at = 0
    for found in islice(re.finditer("|".join(map(re.escape, marks)), text), MOST_CALLS) if marks else ():
        if found.start() < at:  # inside the arguments of a call
            continue
        tried = (form.read(text, found.end(), tools) for form in chosen if form.mark == found[0])
        made, end = next((one for one in tried if one[0]), ([], found.end()))
        said.append(text[at : found.start() if made else end])
        calls += made
        at = end
    said.append(text[at:])
    bare = next((form for form in chosen if not form.mark), None)
    if bare and not calls:
        start = _past_blanks(text, 0)
        made, end = bare.read(text, start, tools)
        if made and (not tools or made[0].name in {tool.name for tool in tools}):
            return text[end:].strip(), tuple(made[:MOST_CALLS])
    content = "".join(said)
    return (content.strip() if calls else content), tuple(calls[:MOST_CALLS])


def written(text: str, calls: Sequence[ToolCall], form: str = "hermes") -> str:
    """A turn as a model of this form would write it: what is said, then the calls."""
    return "\n".join(filter(None, (text, FORMS[form].write(calls)))) if calls else text


def find_call(text: str) -> int:
    """Where something in a text is marked as a call, readable or not; -1 where nothing is."""
    return min((at for form in FORMS.values() if form.mark and (at := text.find(form.mark)) >= 0), default=-1)


def arguments_of(call: ToolCall) -> Any:
    """The arguments as data; None where they are no JSON."""
    try:
        return json.loads(call.arguments)
    except (ValueError, RecursionError):
        return None


def form_of(turn: str, call: ToolCall, opening: str) -> str:
    """The name of the form in which a template wrote this call; '' where it is none of the table.

    Args:
        turn: what the template wrote for the turn of a model that made just this call, its opening included.
        call: its arguments are an object.
        opening: what it writes for a model to go on from; behind some of it stands a call that nothing marks.
    """
    at = turn.find("{")
    bare = turn[at:] if at >= 0 and opening.startswith(turn[:at]) else ""
    for name in FORMS:
        _, found = read(turn if FORMS[name].mark else bare, (), (name,))
        if any(one.name == call.name and arguments_of(one) == arguments_of(call) for one in found):
            return name
    return ""


@dataclass
class _PartialCall:
    """A call as far as it has come."""

    name: str = ""
    arguments: list[str] = field(default_factory=list)
    id: str = ""


class CallAssembler:
    """Calls that a server tells apart from the text, put together from the pieces in which they come."""

    def __init__(self) -> None:
        self._calls: dict[int, _PartialCall] = {}

    def take(self, pieces: object) -> int:
        """Put pieces, as data of strangers, to those that came before; returns how many characters are new."""
        size = 0
        for place, piece in enumerate(pieces if isinstance(pieces, list) else ()):
            told = piece.get("function") if isinstance(piece, Mapping) else None
            if not isinstance(told, Mapping):
                continue
            number, key = piece.get("index"), piece.get("id")
            number = number if isinstance(number, int) and number >= 0 else place
            key = key if isinstance(key, str) else ""
            if key and number in self._calls and self._calls[number].id not in ("", key):
                self._calls[~len(self._calls)] = self._calls.pop(number)  # whole calls, all under one number
            if number not in self._calls and len(self._calls) >= MOST_CALLS:
                continue
            known = self._calls.setdefault(number, _PartialCall())
            name, given = told.get("name"), told.get("arguments")
            fresh = name if isinstance(name, str) and not known.name else ""
            text = given if isinstance(given, str) else "" if given is None else _text(given)
            known.name, known.id = known.name or fresh, known.id or key
            known.arguments.append(text)
            size += len(fresh) + len(text)
        return size

    def whole(self) -> tuple[ToolCall, ...]:
        """The calls as they stand; those without a name are none."""
        return tuple(ToolCall(c.name, "".join(c.arguments) or "{}", c.id) for c in self._calls.values() if c.name)


# --- JSON behind a mark ---------------------------------------------------------------------------------------------


def _past_blanks(text: str, at: int) -> int:
    found = _BLANKS.match(text, at)
    return found.end() if found else at


def _value(text: str, at: int) -> tuple[Any, int]:
    """The JSON value at a place and its end; (None, at) where there is none."""
    try:
        return _JSON.raw_decode(text, _past_blanks(text, at))
    except (ValueError, RecursionError):
        return None, at


def _call(value: Any) -> ToolCall | None:
    """A call of an object with a name and arguments, whichever of the usual two keys it has them under."""
    inner = value.get("function") if isinstance(value, Mapping) else None
    made = inner if isinstance(inner, Mapping) else value
    if not isinstance(made, Mapping) or not isinstance(made.get("name"), str) or not made["name"].strip():
        return None
    given = next((made[key] for key in _ARGUMENTS if key in made), None)
    if given is None and not any(key in made for key in _ARGUMENTS):
        return None
    text = given if isinstance(given, str) else _text({} if given is None else given)
    return ToolCall(made["name"].strip(), text, str(value.get("id") or made.get("id") or ""))


def _text(value: object) -> str:
    return json.dumps(value, ensure_ascii=False)


def _data(call: ToolCall) -> Any:
    """Arguments for writing: as data where they are JSON."""
    value = arguments_of(call)
    return call.arguments if value is None and call.arguments != "null" else value


def _closed(text: str, at: int, closer: str) -> int:
    """Behind a closing mark, if it stands here; a turn that was cut short has none."""
    end = _past_blanks(text, at)
    return end + len(closer) if text.startswith(closer, end) else at


def _hermes(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    value, end = _value(text, at)
    call = _call(value)
    return ([call], _closed(text, end, "</tool_call>")) if call else ([], at)


def _hermes_written(calls: Sequence[ToolCall]) -> str:
    objects = (_text({"name": call.name, "arguments": _data(call)}) for call in calls)
    return "\n".join(f"<tool_call>\n{one}\n</tool_call>" for one in objects)


def _objects(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    """Objects one after the other, with or without a semicolon between."""
    calls: list[ToolCall] = []
    end = at
    while len(calls) < MOST_CALLS:
        start = _past_blanks(text, end)
        start += calls != [] and text.startswith(";", start)
        value, behind = _value(text, start)
        call = _call(value)
        if call is None:
            break
        calls.append(call)
        end = behind
    return calls, end


def _objects_written(calls: Sequence[ToolCall]) -> str:
    return "; ".join(_text({"name": call.name, "parameters": _data(call)}) for call in calls)


def _mistral(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    """A list of objects; in newer files a name, maybe an id, and the arguments, each call behind a mark of its
    own."""
    value, end = _value(text, at)
    if isinstance(value, list):
        return [call for call in map(_call, value[:MOST_CALLS]) if call], end
    name = _NAME.match(text, _past_blanks(text, at))
    if name is None:
        return [], at
    behind, number = name.end(), ""
    if text.startswith("[CALL_ID]", behind) and (found := _NAME.match(text, behind + 9)):
        behind, number = found.end(), found[0]
    behind += 6 * text.startswith("[ARGS]", behind)
    given, end = _value(text, behind)
    return ([ToolCall(name[0], _text(given), number)], end) if isinstance(given, dict) else ([], at)


def _mistral_written(calls: Sequence[ToolCall]) -> str:
    made = [{"name": c.name, "arguments": _data(c), **({"id": c.id} if c.id else {})} for c in calls]
    return f"[TOOL_CALLS]{_text(made)}"


# --- keys and values under tags -------------------------------------------------------------------------------------

_GLM_NAME = re.compile(r"\s*([^\s<{\[]{1,200})\s*")


def _glm(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    """The name, then keys and values; a value is JSON unless the tool says that it is text, or it is no JSON."""
    name = _GLM_NAME.match(text, at)
    if name is None:
        return [], at
    given: dict[str, Any] = {}
    end = name.end()
    for key, raw, behind in _pairs(text, end):
        given[key.strip()] = _typed(raw, name[1], key.strip(), tools)
        end = behind
    closed = _closed(text, end, "</tool_call>")
    return ([ToolCall(name[1], _text(given))], closed) if given or closed > end else ([], at)


def _typed(raw: str, tool: str, key: str, tools: Sequence[ToolInfo]) -> Any:
    """A value under a tag: JSON unless the tool says that it is text, or it is no JSON."""
    told = next((one.parameters for one in tools if one.name == tool), {})
    kinds = told.get("properties", {})
    kind = kinds.get(key) if isinstance(kinds, Mapping) else None
    said = isinstance(kind, Mapping) and kind.get("type") == "string"
    value, read_to = (None, 0) if said else _value(raw, 0)
    return value if read_to and not raw[read_to:].strip() else raw


def _pairs(text: str, at: int) -> Iterator[tuple[str, str, int]]:
    """Keys with their values, in linear time: a mark that is missing ends the search."""
    while True:
        at = _past_blanks(text, at)
        places = [at]
        for mark in ("<arg_key>", "</arg_key>", "<arg_value>", "</arg_value>"):
            found = text.find(mark, places[-1])
            if found < 0 or (mark == "<arg_key>" and found != at):
                return
            places += [found, found + len(mark)]
        yield text[places[2] : places[3]], text[places[6] : places[7]], places[8]
        at = places[8]


def _glm_written(calls: Sequence[ToolCall]) -> str:
    made = []
    for call in calls:
        given = _data(call)
        pairs = [
            f"<arg_key>{key}</arg_key>\n<arg_value>{value if isinstance(value, str) else _text(value)}</arg_value>"
            for key, value in (given.items() if isinstance(given, Mapping) else ())
        ]
        made.append("\n".join([f"<tool_call>{call.name}", *pairs, "</tool_call>"]))
    return "\n".join(made)


_FUNCTION_NAME = re.compile(r"\s*([\w.\-]{1,200})\s*>")
_PARAMETER = re.compile(r"\s*<parameter=\s*([\w.\-]{1,200})\s*>\n?")


def _coder(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    start = _past_blanks(text, at)
    if not text.startswith("<function=", start):
        return [], at
    calls, end = _function(text, start + len("<function="), tools)
    return (calls, _closed(text, end, "</tool_call>")) if calls else ([], at)


def _function(text: str, at: int, tools: Sequence[ToolInfo]) -> Found:
    """The name, then each parameter under a tag of its own; the last closing tag may be missing."""
    name = _FUNCTION_NAME.match(text, at)
    if name is None:
        return [], at
    given: dict[str, Any] = {}
    end = name.end()
    while parameter := _PARAMETER.match(text, end):
        close = text.find("</parameter>", parameter.end())
        if close < 0:
            return [], at
        raw = text[parameter.end() : close].removesuffix("\n")
        given[parameter[1]] = _typed(raw, name[1], parameter[1], tools)
        end = close + len("</parameter>")
    return [ToolCall(name[1], _text(given))], _closed(text, end, "</function>")


def _function_written(calls: Sequence[ToolCall]) -> str:
    made = []
    for call in calls:
        given = _data(call)
        pairs = [
            f"<parameter={key}>\n{value if isinstance(value, str) else _text(value)}\n</parameter>"
            for key, value in (given.items() if isinstance(given, Mapping) else ())
        ]
        made.append("\n".join([f"<function={call.name}>", *pairs, "</function>"]))
    return "\n".join(made)


def _coder_written(calls: Sequence[ToolCall]) -> str:
    return "\n".join(f"<tool_call>\n{_function_written([call])}\n</tool_call>" for call in calls)


FORMS: Mapping[str, CallFormat] = {
    "hermes": CallFormat("<tool_call>", _hermes, _hermes_written),
    "glm": CallFormat("<tool_call>", _glm, _glm_written),
    "coder": CallFormat("<tool_call>", _coder, _coder_written),
    "function": CallFormat("<function=", _function, _function_written),
    "mistral": CallFormat("[TOOL_CALLS]", _mistral, _mistral_written),
    "llama-tag": CallFormat("<|python_tag|>", _objects, lambda calls: f"<|python_tag|>{_objects_written(calls)}"),
    "llama": CallFormat("", _objects, _objects_written),
}
"""Form -> how it is read and written: hermes (Qwen and many others), glm (GLM 4), coder (Qwen3-Coder) and the same
without its outer tag, mistral, and the two of Llama 3."""
