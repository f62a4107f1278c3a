"""What a model really saw in one call, read back from the journal: the prompt as its template wrote it, and what it
said.

The messages of a call are kept once each, by hash; the chat template of a local model is in the header of its run.
Where something is not on record, the messages stand by role and `why` says what is missing. Slow; called from
workers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from app.desk.messages import RunFacts
from models.engine import EngineError, Message, Tool, ToolCall
from store.journal import Journal
from tasks.episode.events import ModelCalled, Record, Seated
from tasks.run.header import HeaderData, description_hash

Kind = Literal["special", "frame", "content"]
SHAPES = re.compile(
    r"<\|[^|<>\s]{1,40}\|>|<｜[^<>]{1,40}｜>|</?s>|<(?:bos|eos|start_of_turn|end_of_turn)>|\[/?(?:INST"
    r"|SYSTEM_PROMPT)\]"
)
"""How special tokens look, for headers that do not list them. Looked for in what the template wrote, never in
contents."""
LONGEST_TOKEN = 200
MOST_LISTED = 1000
MOST_SPECIALS = 128
"""Different special tokens that are marked in one prompt; headers and templates come from strangers, honest ones use
a dozen."""
BOS = "⟨BOS⟩"
"""Stands for the first token where the header does not tell its text."""


@dataclass(frozen=True, slots=True)
class Turn:
    """A message of the prompt in parts of (text, kind); `role` is '' for the opening of the model's own turn."""

    role: str
    parts: tuple[tuple[str, Kind], ...]

    @property
    def text(self) -> str:
        """The turn as one text."""
        return "".join(text for text, _ in self.parts)


@dataclass(frozen=True, slots=True)
class SeenCall:
    """One call. `why` is the reason, as a key of the words, for which the prompt stands by role ('' when it does
    not).

    `detail` goes with the reason. `schema` is the JSON schema as indented text, `tools` the tools told; or ''.
    """

    record: Record
    event: ModelCalled
    engine: str
    template: str
    turns: tuple[Turn, ...]
    why: str
    detail: str
    schema: str
    prompt_hash: str
    tools: str = ""

    @property
    def text(self) -> str:
        """The whole prompt."""
        return (
            "".join(turn.text for turn in self.turns)
            if not self.why
            else "\n\n".join(turn.text for turn in self.turns)
        )


def read_call(facts: RunFacts, records: Sequence[Record], seq: int) -> SeenCall:
    """The call with this sequence number.

    Raises:
        StoreError: the run file cannot be read.
    """
    record = next(record for record in records if record.seq == seq)
    event = record.event
    assert isinstance(event, ModelCalled)
    with Journal.open(facts.path) as journal:
        contents = [journal.text(name) for _, name in event.messages]
        schema = (journal.text(event.schema_name) or "") if event.schema_name else ""
        told = (journal.text(event.tools_name) or "") if event.tools_name else ""
        carried = {at: journal.text(name) or "" for at, name in event.carried}
    seated = _seated(records, record)
    engine = seated.engine if seated else ""
    messages = [
        _message(role, content or "", carried.get(at, ""))
        for at, ((role, _), content) in enumerate(zip(event.messages, contents, strict=True))
    ]
    template, turns, why, detail = "", _by_role(messages), "", ""
    if any(content is None for content in contents):
        why = "texts"
    else:
        described = _described(facts.header, seated)
        why = _missing(described)
        if why:
            detail = str(described.get("kind", "")) if described else ""
        else:
            assert described is not None
            try:
                template, turns = _rendered(
                    described["template"], messages, bool(event.settings.get("thinking", True)), _tools(told)
                )
            except EngineError as error:
                why, detail = "refused", error.title
    prompt_hash = str(facts.header.get("prompts", {}).get(event.prompt, ""))
    return SeenCall(record, event, engine, template, turns, why, detail, _pretty(schema), prompt_hash, _pretty(told))


def _message(role: str, content: str, carried: str) -> Message:
    """A message with the calls that it carries, as far as a record of strangers says any."""
    try:
        calls, answers = json.loads(carried) if carried else ([], "")
        return Message(role, content, tuple(ToolCall(*map(str, call)) for call in calls), str(answers))  # type: ignore[arg-type]
    except (ValueError, TypeError, RecursionError):
        return Message(role, content)  # type: ignore[arg-type]


def _tools(told: str) -> tuple[Tool, ...]:
    try:
        return tuple(Tool(**one["function"]) for one in json.loads(told)) if told else ()
    except (ValueError, TypeError, KeyError, RecursionError):
        return ()


def _seated(records: Sequence[Record], call: Record) -> Seated | None:
    """Who sat in the seat of a call when it was made."""
    assert isinstance(call.event, ModelCalled)
    before = (r.event for r in reversed(records) if r.seq < call.seq)
    return next((e for e in before if isinstance(e, Seated) and e.seat == call.event.seat), None)


def _described(header: HeaderData, seated: Seated | None) -> Mapping[str, Any] | None:
    """What the engine of a seat said of itself, if the header of the run holds it."""
    described = header.get("engines", {}).get(seated.engine) if seated else None
    if not isinstance(described, Mapping) or seated is None:
        return None
    return described if not seated.described or description_hash(described) == seated.described else None


def _missing(described: Mapping[str, Any] | None) -> str:
    """Why a prompt cannot be shown as the template wrote it, '' if it can."""
    if described is None:
        return "engine"
    if described.get("kind") != "llama":
        return "kind"
    template = described.get("template")
    return "" if isinstance(template, Mapping) and isinstance(template.get("text"), str) else "template"


def _rendered(
    template: Mapping[str, Any], messages: Sequence[Message], thinking: bool, tools: Sequence[Tool] = ()
) -> tuple[str, tuple[Turn, ...]]:
    """Name of the template, and the prompt as it wrote it, a turn a message.

    Raises:
        EngineError: the template does not take this conversation.
    """
    from models.llama.template import ChatTemplate, Piece, marked

    source = None if template.get("name") == "chatml" else template["text"]
    listed = template.get("specials")
    known = [str(special) for special in listed[:MOST_LISTED]] if isinstance(listed, list) else []
    bos, eos = (str(template.get(name) or "")[:LONGEST_TOKEN] for name in ("bos", "eos"))
    chat = ChatTemplate(source, bos or BOS, eos)
    pieces = chat.pieces(messages, thinking=thinking, tools=tools)
    frames = "".join(piece.text for piece in pieces if piece.kind == "frame")
    there = sorted(name for name in {*known, BOS, *SHAPES.findall(frames)} if name in frames)
    specials = set(there[:MOST_SPECIALS])
    turns: list[Turn] = []
    waiting: list[Piece] = []
    at: int | None = None
    for piece in pieces:
        if at is not None and piece.message not in (None, at):
            closing, opening = _split(waiting, specials)
            turns.append(Turn(messages[at].role, tuple(marked(closing, specials))))
            waiting = opening
        at = piece.message if piece.message is not None else at
        waiting.append(piece)
    closing, opening = _split(waiting, specials) if at is not None else (waiting, [])
    turns.append(Turn(messages[at].role if at is not None else "", tuple(marked(closing, specials))))
    if opening:
        turns.append(Turn("", tuple(marked(opening, specials))))
    return f"{chat.name} · {chat.digest[:12]}", tuple(turns)


def _split(pieces: Sequence[Any], specials: set[str]) -> tuple[list[Any], list[Any]]:
    """The end of one message and the beginning of the next: cut after the first special token of the frame between.

    A frame that begins with no special token stays with the message before it up to its first line end.
    """
    last = max((index for index, piece in enumerate(pieces) if piece.kind == "content"), default=-1)
    closing, opening = list(pieces[: last + 1]), list(pieces[last + 1 :])
    if not opening or last < 0:
        return list(pieces), []
    frame = opening[0]
    special = next(
        (name for name in sorted(specials, key=len, reverse=True) if name and frame.text.startswith(name)), ""
    )
    cut = len(special)
    if frame.text[cut : cut + 1] == "\n":
        cut += 1
    if cut:
        closing.append(type(frame)(frame.text[:cut], "frame", None))
        rest = frame.text[cut:]
        opening = ([type(frame)(rest, "frame", None)] if rest else []) + opening[1:]
    return closing, opening


def _by_role(messages: Sequence[Message]) -> tuple[Turn, ...]:
    return tuple(Turn(message.role, ((message.content, "content"),)) for message in messages)


def _pretty(schema: str) -> str:
    try:
        return json.dumps(json.loads(schema), ensure_ascii=False, indent=2) if schema else ""
    except (ValueError, RecursionError):
        return schema
