"""What a reply of a model says: an utterance with its addressees, or a call of a tool. Total: every text has a
reading.

lean: an object under a schema, mended with some patience. free: the text is the utterance; whom a judge reaches is
read from its markers (`j1`) or words. Lengths in characters.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

from models.llama.reasoning import split as part_reasoning
from models.schema import violation
from tasks.agents.reading import ParsedReply, call_of, first_object
from tasks.agents.tags import tagged
from tasks.courts.agents.model.card import ALL, Form, addressees, counsel, stages
from tasks.courts.agents.model.conversation import ToolLookup
from tasks.courts.environment import Role
from tasks.courts.play.record import by_words, strict
from tasks.courts.play.tools import ARGUMENTS
from tasks.courts.play.view import CourtView, is_document
from tasks.courts.procedure.acts import sentences
from tasks.courts.procedure.model import Turn
from tasks.episode.seats import CallTool, Say

Schema = dict[str, Any]
LENGTHS = {"query": 100, "law": 60, "article": 24}
"""Of the arguments of a lookup. What ends an utterance is its budget of tokens alone."""
SPOKEN = 200_000
"""Of what is said aloud; no model speaks so long under a limit of tokens."""
SHORTEST_OVERLAP, LONGEST_OVERLAP = 6, 200
"""Of what the rest of an utterance may repeat of its beginning."""
_STAGE = re.compile(r"\s*<(?P<stage>[^<>\n]{2,12})>\s*")
_TO = re.compile(r"\s*[（(]对(?P<names>[^（）()\n]{1,60})说[）)][：:，,]?\s*")
_QUESTION = ("？", "?")
_LETS_ASK = re.compile("讯问|发问")
"""How a judge lets a party ask another (刑事诉讼法第一百九十一条)."""
SAY = "say"
SILENT = "……"
"""Own turn in which nothing was said: some templates refuse an empty message."""
_THOUGHT = re.compile(r"<(think|thinking|reasoning)>.*?(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
_CLOSED = re.compile(r"</(?:think|thinking|reasoning)>", re.IGNORECASE)
_HALF_ESCAPE = re.compile(r"(?<!\\)((?:\\\\)*)\\(?:u[0-9a-fA-F]{0,3})?\Z")
"""An escape that is cut off, behind backslashes in pairs, which are whole."""
_UNPRINTABLE = re.compile(r"[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff]")


def cleaned(text: str) -> str:
    """Speech alone: what is left of reasoning, however it is marked, is taken off."""
    _, speech = part_reasoning(text)
    speech = _THOUGHT.sub("", speech)
    closers = list(_CLOSED.finditer(speech))
    return speech[closers[-1].end() if closers else 0 :].strip()[:SPOKEN]


# --- lean -----------------------------------------------------------------------------------------------------------


def schema_of(view: CourtView) -> Schema:
    """What a lean reply has to satisfy: an utterance, or one call of a tool that is still open."""
    spoken = _object({**({"action": {"enum": [SAY]}} if view.offered else {}), **_speech(view)})
    groups: dict[tuple[str, ...], list[str]] = {}
    for tool in view.tools:
        groups.setdefault(ARGUMENTS[tool], []).append(tool)
    calls = [
        _object({"action": {"enum": tools}, **{name: _text(LENGTHS[name]) for name in names}})
        for names, tools in groups.items()
    ]
    return {"anyOf": [spoken, *calls]} if calls else spoken


def _speech(view: CourtView) -> dict[str, Schema]:
    most = view.budget.spoken
    names = list(addressees(view)) if view.role == "judge" else []
    if names:
        to: Schema = {"type": "array", "items": {"enum": [*names, ALL]}, "minItems": 1, "maxItems": len(names)}
        return {"to": to, "stage": {"enum": [*stages(view), ""]}, "say": _text(most)}
    return {"say": _text(most)}


def _object(properties: Mapping[str, Schema]) -> Schema:
    required = list(properties)
    return {"type": "object", "properties": dict(properties), "required": required, "additionalProperties": False}


def _text(most: int) -> Schema:
    return {"type": "string", "minLength": 1, "maxLength": most}


def read_lean(text: str, view: CourtView, schema: Schema) -> ParsedReply:
    """A reply under the schema, or one that means the same."""
    value, note = _object_in(text)
    if not isinstance(value, dict):
        return ParsedReply("rejected", None, note)
    reason = violation(schema, value)
    if not reason:
        return ParsedReply("repaired" if note else "ok", value, note)
    mended = _mended(value, view)
    if violation(schema, mended):
        return ParsedReply("rejected", None, reason)
    return ParsedReply("repaired", mended, note or "字段已改正")


def closed(text: str) -> str:
    """A reply under a schema that a limit of tokens ended, with what is open in it closed, as far as that can be
    read."""
    body = _HALF_ESCAPE.sub(r"\1", text)
    for tail in ('"}', '"]}', "}", "]}"):
        try:
            json.JSONDecoder(strict=False).decode((body + tail)[max(0, body.find("{")) :])
        except (ValueError, RecursionError):
            continue
        return body + tail
    return text


def continuing(view: CourtView) -> Schema:
    """What the rest of an utterance has to satisfy."""
    return _object({"say": _text(view.budget.spoken)})


def rest_of(text: str, form: Form) -> str:
    """The words with which an utterance goes on."""
    if form == "free":
        return cleaned(text)
    value, _ = _object_in(text)
    said = value.get("say") if isinstance(value, Mapping) else None
    return cleaned(said if isinstance(said, str) else "" if isinstance(value, Mapping) else text)


def joined(before: str, rest: str) -> str:
    """An utterance and its rest; words that the rest repeats at its beginning stand once."""
    for size in range(min(len(before), len(rest), LONGEST_OVERLAP), SHORTEST_OVERLAP - 1, -1):
        if before.endswith(rest[:size]):
            return before + rest[size:]
    return before + rest


def _object_in(text: str) -> tuple[Any, str]:
    """The object of a reply. Marks of reasoning inside its texts are left to what becomes of them."""
    _, speech = part_reasoning(text)
    return first_object(speech)


def _mended(value: Mapping[str, Any], view: CourtView) -> dict[str, Any]:
    """The fields that the schema knows, from a reply that names them otherwise, leaves some out or says more."""
    tool = value.get("action", value.get("name"))
    if isinstance(tool, str) and tool in view.tools:
        inner = value.get("arguments")
        given = inner if isinstance(inner, Mapping) else value
        return {"action": tool, **{name: _short(given.get(name), LENGTHS[name]) for name in ARGUMENTS[tool]}}
    said = next((value[key] for key in ("say", "text", "content", "发言") if isinstance(value.get(key), str)), "")
    made: dict[str, Any] = {"action": SAY} if view.offered else {}
    for name in _speech(view):
        if name == "to":
            made["to"] = _named(value.get("to"), view)
        elif name == "stage":
            made["stage"] = value.get("stage") if value.get("stage") in stages(view) else ""
        else:
            made["say"] = _short(said, view.budget.spoken)
    return made


def _short(value: Any, most: int) -> str:
    text = str(value) if isinstance(value, str | int) and not isinstance(value, bool) else ""
    return _UNPRINTABLE.sub("", text).strip()[:most]


def _named(given: Any, view: CourtView) -> list[str]:
    """Names as the schema has them: 原告 means 原告委托诉讼代理人; without any the judge speaks to all."""
    wanted = [one for one in (given if isinstance(given, list) else [given]) if isinstance(one, str) and one.strip()]
    names = [*addressees(view), ALL]
    found = [next((name for name in names if one.strip() in (name, name[: len(one.strip())])), "") for one in wanted]
    return [name for name in dict.fromkeys(found) if name][: len(names) - 1] or [ALL]


def lean_action(value: Mapping[str, Any], view: CourtView) -> Say | CallTool:
    """What a lean reply wants done."""
    tool = value.get("action", SAY)
    if tool != SAY:
        return CallTool(tool, {name: value[name] for name in ARGUMENTS[tool]})
    roles = addressees(view)
    said = cleaned(value["say"])
    named = tuple(roles[name] for name in value.get("to", ()) if name in roles)
    if not named and view.role == "judge" and view.profile != "j1" and not is_document(view, said):
        # To all, and yet it ends with 请原告方说明…: who is asked answers. A judgment asks nobody.
        last = [sentence for _, sentence in sentences(said)][-1:]
        found = by_words("".join(last), view.here)
        return Say(said, found, value.get("stage", ""), "words" if found else "")
    return Say(said, named, value.get("stage", ""))


# --- free -----------------------------------------------------------------------------------------------------------


def free_action(text: str, view: CourtView) -> Say | CallTool:
    """What free text says: a tagged call of a tool that is open, else an utterance."""
    speech = cleaned(text)
    if view.tools and (call := _tagged_call(speech, view)):
        return call
    said = _without_name(speech, view)
    if view.role != "judge":
        put = _put(said, view)
        return Say(said, put, routed="words" if put else "")
    if view.profile == "j1":
        reached, dropped = strict(said, view.here)
        return Say(said, (*reached, *dropped), routed="marker" if reached else "")
    stage, to, said = _headed(said, view)
    if to is not None:
        return Say(said, to, stage, "marker")
    found = by_words(said, view.here)
    return Say(said, found, stage, "words" if found else "")


def _put(said: str, view: CourtView) -> tuple[Role, ...]:
    """Whom a lawyer or procurator asks, where the judge has just let him."""
    last = next((turn for turn in reversed(view.record) if turn.speaker == "judge"), None)
    may = counsel(view) and last is not None and view.role in last.to and _LETS_ASK.search(last.text)
    if not may or not said.endswith(_QUESTION):
        return ()
    others = set(addressees(view).values()) - {"judge"}
    return tuple(role for role in by_words(said, view.here) if role in others)[:1]


def _headed(text: str, view: CourtView) -> tuple[str, tuple[Role, ...] | None, str]:
    """The stage and the addressees that a judge writes before his words ("<法庭调查>（对原告说）"), and the words;
    None for addressees where none are written, or not such as are there."""
    stage = ""
    if (tag := _STAGE.match(text)) and tag["stage"] in stages(view):
        stage, text = tag["stage"], text[tag.end() :]
    head = _TO.match(text)
    if head is None:
        return stage, None, text
    names = addressees(view)
    said = [name.strip() for name in head["names"].split("、")]
    if said == [ALL]:
        return stage, (), text[head.end() :]
    known = [next((role for name, role in names.items() if name.startswith(one)), "") for one in said if one]
    return (stage, tuple(known), text[head.end() :]) if known and all(known) else (stage, None, text)


def _tagged_call(text: str, view: CourtView) -> CallTool | None:
    for block in tagged(text).blocks:
        call = call_of(block.text) if block.tag == "tool_call" else None
        if call is not None and call[0] in view.tools:
            return CallTool(call[0], call[1])
    return None


def _without_name(text: str, view: CourtView) -> str:
    """The words without the speaker's own name before them."""
    name = re.escape(view.called(view.role))
    return re.sub(rf"\A[【\[*]{{0,3}}{name}[】\]*]{{0,3}}\s*[：:]\s*", "", text)


# --- the same, repeated in a prompt ---------------------------------------------------------------------------------


def repeated(said: Say, view: CourtView, form: Form) -> str:
    """What was just said, as a prompt repeats it."""
    return own_words(Turn(0, view.role, said.to, said.text, said.stage), "", view, form)


def own_words(turn: Turn, reply: str, view: CourtView, form: Form) -> str:
    """An own turn as the prompt repeats it: the very reply that said it, else the words in the form that is asked
    for."""
    if form == "free":
        if reply.strip() and _same(free_action(reply, view), turn):
            return reply
        return written(turn, view) or SILENT
    value, _ = _object_in(reply)
    if isinstance(value, dict) and cleaned(str(value.get("say", ""))) == turn.text:
        return reply
    told = {
        "action": SAY, "to": [view.called(role) for role in turn.to] or [ALL], "stage": turn.stage, "say": turn.text,
    }  # fmt: skip
    return json.dumps({name: told[name] for name in _keys(view)}, ensure_ascii=False)


def _same(action: Say | CallTool, turn: Turn) -> bool:
    return isinstance(action, Say) and (action.text, action.stage) == (turn.text, turn.stage)


def written(turn: Turn, view: CourtView) -> str:
    """A turn as free text: before a judge's words what is needed so that they reach the same people in the same
    stage."""
    if view.role != "judge" or view.profile == "j1":
        return turn.text.strip()
    stage = f"<{turn.stage}>" if turn.stage in stages(view) else ""
    to = () if by_words(turn.text, view.here) == turn.to else turn.to or (ALL,)
    names = "、".join(view.called(role) if role != ALL else ALL for role in to)
    return f"{stage}（对{names}说）{turn.text.strip()}" if names else f"{stage}{turn.text.strip()}"


def _keys(view: CourtView) -> list[str]:
    return [*(["action"] if view.offered else []), *_speech(view)]


def own_call(lookup: ToolLookup, view: CourtView, form: Form) -> str:
    """A call as the prompt repeats it."""
    if form == "free":
        made = _tagged_call(cleaned(lookup.reply), view)
        if lookup.reply and made is not None:
            return lookup.reply
        called = {"name": lookup.tool, "arguments": lookup.input}
        return f"<tool_call>{json.dumps(called, ensure_ascii=False)}</tool_call>"
    value, _ = _object_in(lookup.reply)
    if isinstance(value, dict) and value.get("action") == lookup.tool:
        return lookup.reply
    given = lookup.input if isinstance(lookup.input, Mapping) else {}
    return json.dumps({"action": lookup.tool, **given}, ensure_ascii=False)
