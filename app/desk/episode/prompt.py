"""What the model really saw: one call with its settings, its prompt as the template wrote it, and what came back.

Special tokens of the template stand apart from contents: what looks like one inside a content was plain text to the
model.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Label

from app.desk.bindings import bindings
from app.desk.episode.renderers import (
    ENDS,
    EventBlock,
    Line,
    Piece,
    chance_lines,
    cost_line,
    engine_name,
    many,
    one,
    seat_name,
)
from app.desk.episode.transcript import FindingScreen, Transcript
from app.desk.jobs import OnDesk
from app.desk.messages import RunFacts
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import KeyBar
from app.strings import known, t
from app.strings.sentences import translated
from app.terminal import clean
from app.words import sizes
from models.engine import EngineError, Message, ToolCall, ToolInfo
from store.journal import Journal
from tasks.agents.native import words
from tasks.episode.events import ModelCalled, Record, Seated
from tasks.run.header import HeaderData, description_hash, is_fictional
from tasks.run.seat_prompt import SeatPrompt, would_read

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
class PromptMessage:
    """A message of the prompt in parts of (text, kind); `role` is '' for the opening of the model's own turn."""

    role: str
    parts: tuple[tuple[str, Kind], ...]

    @property
    def text(self) -> str:
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
    turns: tuple[PromptMessage, ...]
    why: str
    detail: str
    schema: str
    prompt_hash: str
    tools: str = ""

    @property
    def text(self) -> str:
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


def _tools(told: str) -> tuple[ToolInfo, ...]:
    try:
        return tuple(ToolInfo(**one["function"]) for one in json.loads(told)) if told else ()
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
    template: Mapping[str, Any], messages: Sequence[Message], thinking: bool, tools: Sequence[ToolInfo] = ()
) -> tuple[str, tuple[PromptMessage, ...]]:
    """Name of the template, and the prompt as it wrote it, a turn a message.

    Raises:
        EngineError: the template does not take this conversation.
    """
    from models.llama.template import ChatTemplate, with_special_tokens
    from models.llama.template import RenderedPiece as Part

    source = None if template.get("name") == "chatml" else template["text"]
    listed = template.get("specials")
    known = [str(special) for special in listed[:MOST_LISTED]] if isinstance(listed, list) else []
    bos, eos = (str(template.get(name) or "")[:LONGEST_TOKEN] for name in ("bos", "eos"))
    chat = ChatTemplate(source, bos or BOS, eos)
    pieces = chat.pieces(messages, thinking=thinking, tools=tools)
    frames = "".join(piece.text for piece in pieces if piece.kind == "frame")
    there = sorted(name for name in {*known, BOS, *SHAPES.findall(frames)} if name in frames)
    specials = set(there[:MOST_SPECIALS])
    turns: list[PromptMessage] = []
    waiting: list[Part] = []
    at: int | None = None
    for piece in pieces:
        if at is not None and piece.message not in (None, at):
            closing, opening = _split(waiting, specials)
            turns.append(PromptMessage(messages[at].role, tuple(with_special_tokens(closing, specials))))
            waiting = opening
        at = piece.message if piece.message is not None else at
        waiting.append(piece)
    closing, opening = _split(waiting, specials) if at is not None else (waiting, [])
    turns.append(
        PromptMessage(messages[at].role if at is not None else "", tuple(with_special_tokens(closing, specials)))
    )
    if opening:
        turns.append(PromptMessage("", tuple(with_special_tokens(opening, specials))))
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


def _by_role(messages: Sequence[Message]) -> tuple[PromptMessage, ...]:
    return tuple(PromptMessage(message.role, ((message.content, "content"),)) for message in messages)


def _pretty(schema: str) -> str:
    try:
        return json.dumps(json.loads(schema), ensure_ascii=False, indent=2) if schema else ""
    except (ValueError, RecursionError):
        return schema


SECTIONS = ("call", "prompt", "output", "tools", "schema", "chances")
"""Parts of the view, in order; a part without content is left out."""
ROLES = {"special": "mark", "frame": "dim", "content": "text"}


class PromptText(Transcript):
    """The parts of a call under each other, each under a rule with its name."""

    help_id = "prompt"

    def heading(self, step: int) -> str:
        return t(f"prompt.{SECTIONS[step]}")


class PromptPage(OnDesk, FindingScreen):
    """A prompt and what belongs to it, part by part. `read` runs in a thread."""

    CSS_PATH = "prompt.tcss"
    area = "prompt"
    help_id = "prompt"
    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")

    def __init__(self, facts: RunFacts, episode: str) -> None:
        super().__init__()
        self.facts, self.episode = facts, episode
        self.seen: Any = None
        """What was read; None while nothing is."""

    def read(self) -> object:
        raise NotImplementedError

    def told(self) -> tuple[str, str, list[EventBlock]]:
        """Title, name of the box, and the parts of what was read."""
        raise NotImplementedError

    def whole(self) -> str:
        """All that was read, as one text."""
        raise NotImplementedError

    def compose(self) -> ComposeResult:
        yield Label("", id="title", markup=False)
        yield PromptText(id="prompt")
        yield FindBar(id="find")
        yield KeyBar(("prompt", "app"), id="keys")

    def on_mount(self) -> None:
        self.query_one(PromptText).focus()
        self._read()

    def on_descendant_focus(self) -> None:
        around = self.focused.ancestors_with_self if self.focused else []
        finding = any(isinstance(node, FindBar) for node in around)
        self.query_one(KeyBar).areas("find" if finding else "prompt", "app")

    def retranslate(self) -> None:
        self._show(keep=True)

    def action_copy(self) -> None:
        block = self.query_one(PromptText).current
        self._copy(block.raw if block else "")

    def action_copy_all(self) -> None:
        self._copy(self.whole() if self.seen is not None else "")

    def action_leave(self) -> None:
        self.dismiss()

    def _have(self, found: object) -> None:
        self.seen = found
        self._show()

    def _read(self) -> None:
        self.job("seen", self.read, self._have)

    def _copy(self, text: str) -> None:
        if text:
            self.desk.copy_to_clipboard(clean(text))
            self.desk.say(t("episode.copied", n=len(text)))

    def _show(self, *, keep: bool = False) -> None:
        if self.seen is None:
            return
        view = self.query_one(PromptText)
        title, view.border_title, blocks = self.told()
        self.query_one("#title", Label).update(title)
        if keep:
            view.relabel(blocks)
        else:
            view.show(blocks, at=blocks[0].seq)
            view.scroll_home(animate=False, immediate=True)
        self.query_one(KeyBar).refresh()


class PromptScreen(PromptPage):
    """Shows one call of an episode; goes to the next and the one before."""

    def __init__(self, facts: RunFacts, episode: str, records: Sequence[Record], seq: int) -> None:
        super().__init__(facts, episode)
        self.records = records
        self.calls = [r.seq for r in records if isinstance(r.event, ModelCalled) and not r.event.human]
        self.at = self.calls.index(seq)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if action == "call" and len(self.calls) < 2 else True

    def action_call(self, by: int) -> None:
        if 0 <= self.at + by < len(self.calls):
            self.at += by
            self._read()

    def whole(self) -> str:
        return str(self.seen.text)

    def read(self) -> SeenCall:
        return read_call(self.facts, self.records, self.calls[self.at])

    def told(self) -> tuple[str, str, list[EventBlock]]:
        of = t("prompt.of", at=self.at + 1, of=len(self.calls))
        step, prompt = t("event.step", step=self.seen.record.step), one(self.seen.event.prompt)
        parts = (t("prompt.title"), step, of, prompt, engine_name(self.seen.engine))
        return " · ".join(filter(None, parts)), t("prompt.legend"), call_blocks(self.seen)


def call_blocks(seen: SeenCall) -> list[EventBlock]:
    """A call as blocks: facts, prompt, output, schema, chances. Sequence numbers are places in this list."""
    event = seen.event
    found: list[tuple[str, str, str, tuple[Line, ...], str, int]] = []

    def add(section: str, label: str, tone: str, lines: tuple[Line, ...], raw: str, fold: int = 10_000) -> None:
        found.append((section, label, tone, lines, raw, fold))

    for name, line in _facts(seen):
        add("call", t(f"prompt.fact.{name}"), "dim", (line,), "".join(text for text, _ in line))
    if seen.why:
        add("prompt", t("prompt.note"), "warn", (((_why(seen), "warn"),),), "")
    for turn in seen.turns:
        role = f"role.{turn.role or 'open'}"
        label = t(role) if known(role) else one(turn.role)
        add("prompt", label, "seat" if turn.role else "answer", tuple(_lines(turn)), turn.text)
    if event.reasoning:
        add("output", t("event.thought"), "thought", many(event.reasoning, "thought"), event.reasoning)
    said = words(event)
    add("output", t("event.said"), "answer", many(said, "text"), said)
    if event.tokens:
        ids = " ".join(map(str, event.tokens))
        add(
            "output",
            t("prompt.tokens"),
            "dim",
            (((t("turn.tokens", n=f"{len(event.tokens):,}"), "text"), ("  ", "dim"), (ids, "dim")),),
            ids,
            3,
        )
    if seen.tools:
        add("tools", "JSON", "dim", many(seen.tools, "value"), seen.tools, 12)
    if seen.schema:
        add("schema", "JSON", "dim", many(seen.schema, "value"), seen.schema, 12)
    if event.logprobs:
        raw = "\n".join(f"{token!r}\t{logprob:.6f}" for token, logprob, _ in event.logprobs)
        add("chances", "", "dim", tuple(chance_lines(event.logprobs)), raw)
    return [
        EventBlock(seq, SECTIONS.index(section), label, tone, lines, raw, fold)
        for seq, (section, label, tone, lines, raw, fold) in enumerate(found)
    ]


def _facts(seen: SeenCall) -> list[tuple[str, Line]]:
    event = seen.event
    settings = dict(event.settings)
    seed = settings.pop("seed", None)
    shown = " · ".join(f"{one(str(name))}={one(_value(value))}" for name, value in settings.items())
    prompt: list[Piece] = [(one(event.prompt), "text")]
    if seen.prompt_hash:
        prompt.append((f"  sha256 {one(seen.prompt_hash)[:12]}", "dim"))
    facts: list[tuple[str, Line]] = [
        ("seat", ((seat_name(event.seat), "seat"), (" ← ", "dim"), (one(seen.engine) or "—", "text"))),
        ("prompt", tuple(prompt)),
        ("settings", ((shown or "—", "text"),)),
        ("seed", ((str(seed) if seed is not None else "—", "text"),)),
        ("usage", cost_line(event)),
        (
            "finish",
            (
                (
                    t(f"finish.{event.finish}") if known(f"finish.{event.finish}") else one(event.finish),
                    ENDS.get(event.finish, "text"),
                ),
            ),
        ),
    ]
    if seen.template:
        facts.append(("template", ((one(seen.template), "text"),)))
    if event.note:
        facts.append(("note", ((one(translated(event.note)), "warn"),)))
    return [*facts, ("digest", ((one(event.asked)[:12], "dim"),))]


def _value(value: object) -> str:
    return "、".join(map(repr, value)) or "—" if isinstance(value, list | tuple) else str(value)


def _why(seen: SeenCall) -> str:
    return t(f"prompt.why.{seen.why}", detail=one(seen.detail))


def _lines(turn: PromptMessage) -> list[Line]:
    """A turn as lines of parts; every part is cleaned on its own, so that none can hide another."""
    lines: list[list[Piece]] = [[]]
    for text, kind in turn.parts:
        for number, part in enumerate(clean(text).split("\n")):
            if number:
                lines.append([])
            if part:
                lines[-1].append((part, ROLES[kind]))
    if len(lines) > 1 and not lines[-1]:
        lines.pop()
    return [tuple(line) or (("", "text"),) for line in lines]


class WouldReadScreen(PromptPage):
    """The prompt of a seat at a step; `name` is what the seat is called."""

    def __init__(self, facts: RunFacts, episode: str, seat: str, name: str, step: int) -> None:
        super().__init__(facts, episode)
        self.seat, self.called, self.step = seat, name, step

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return action != "call"

    def whole(self) -> str:
        return "\n\n".join(message.content for message in self.seen.ask.messages)

    def read(self) -> SeatPrompt:
        return would_read(self.facts.path, self.episode, self.seat, step=self.step)

    def told(self) -> tuple[str, str, list[EventBlock]]:
        fiction = (t("mark.fictional"),) if is_fictional(self.facts.header) else ()
        step, prompt = t("event.step", step=self.seen.step), one(self.seen.ask.prompt)
        title = " · ".join((t("prompt.would.title"), *fiction, step, self.called, prompt))
        return title, t("prompt.would.legend"), _blocks(self.seen)


def _blocks(reading: SeatPrompt) -> list[EventBlock]:
    line = t("prompt.would.size", **sizes(reading))
    found = [EventBlock(0, SECTIONS.index("call"), t("prompt.fact.usage"), "dim", (((line, "text"),),), line)]
    for seq, message in enumerate(reading.ask.messages, 1):
        role = f"role.{message.role}"
        label = t(role) if known(role) else one(message.role)
        lines = tuple(many(message.content, "text"))
        found.append(EventBlock(seq, SECTIONS.index("prompt"), label, "seat", lines, message.content, 10_000))
    return found
