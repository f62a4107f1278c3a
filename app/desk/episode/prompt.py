"""What the model really saw: one call with its settings, its prompt as the template wrote it, and what came back.

Special tokens of the template stand apart from contents: what looks like one inside a content was plain text to the
model.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import Label
from textual.worker import Worker

from app.desk.bindings import bindings
from app.desk.episode.calls import ENDS, chance_lines, cost_line, lines_of
from app.desk.episode.finding import FindingScreen
from app.desk.episode.renderers import Block, Line, Piece, engine_name, one, seat_name
from app.desk.episode.seen import SeenCall, Turn, read_call
from app.desk.episode.transcript import Transcript
from app.desk.messages import RunFacts
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import KeyBar
from app.ports import OnDesk
from app.strings import known, t
from app.strings.sentences import said
from app.terminal import clean
from tasks.agents.native import words
from tasks.episode.events import ModelCalled, Record

SECTIONS = ("call", "prompt", "output", "tools", "schema", "chances")
"""Parts of the view, in order; a part without content is left out."""
ROLES = {"special": "mark", "frame": "dim", "content": "text"}


class PromptText(Transcript):
    """The parts of a call under each other, each under a rule with its name."""

    help_id = "prompt"

    def heading(self, step: int) -> str:
        """Name of a part."""
        return t(f"prompt.{SECTIONS[step]}")


class PromptPage(OnDesk, FindingScreen):
    """A prompt and what belongs to it, part by part. It is read in a worker: `read` in a thread, then `take`."""

    CSS_PATH = "prompt.tcss"
    area = "prompt"
    help_id = "prompt"
    BINDINGS: ClassVar[list[BindingType]] = bindings("prompt")

    def __init__(self, facts: RunFacts, episode: str) -> None:
        super().__init__()
        self.facts, self.episode = facts, episode

    def read(self) -> object:
        """What is shown, from the record."""
        raise NotImplementedError

    def take(self, found: Any) -> None:
        """Keep what was read."""
        raise NotImplementedError

    def told(self) -> tuple[str, str, list[Block]] | None:
        """Title, name of the box, and the parts; None while nothing is read."""
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

    def action_leave(self) -> None:
        self.dismiss()

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if not self.desk.worker_failed(event) and event.worker.result is not None:
            self.take(event.worker.result)
            self._show()

    def _read(self) -> None:
        self.run_worker(self.read, name="seen", group="seen", thread=True, exclusive=True, exit_on_error=False)

    def _copy(self, text: str) -> None:
        if text:
            self.desk.copy_to_clipboard(clean(text))
            self.desk.say(t("episode.copied", n=len(text)))

    def _show(self, *, keep: bool = False) -> None:
        told = self.told()
        if told is None:
            return
        view = self.query_one(PromptText)
        title, view.border_title, blocks = told
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
        self.seen: SeenCall | None = None

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return None if action == "call" and len(self.calls) < 2 else True

    def action_call(self, by: int) -> None:
        if 0 <= self.at + by < len(self.calls):
            self.at += by
            self._read()

    def action_copy_all(self) -> None:
        self._copy(self.seen.text if self.seen else "")

    def read(self) -> SeenCall:
        """The call."""
        return read_call(self.facts, self.records, self.calls[self.at])

    def take(self, found: SeenCall) -> None:
        """Keep it."""
        self.seen = found

    def told(self) -> tuple[str, str, list[Block]] | None:
        """Step, number of the call, prompt and engine; then the parts of the call."""
        if self.seen is None:
            return None
        of = t("prompt.of", at=self.at + 1, of=len(self.calls))
        step, prompt = t("event.step", step=self.seen.record.step), one(self.seen.event.prompt)
        parts = (t("prompt.title"), step, of, prompt, engine_name(self.seen.engine))
        return " · ".join(filter(None, parts)), t("prompt.legend"), call_blocks(self.seen)


def call_blocks(seen: SeenCall) -> list[Block]:
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
        add("output", t("event.thought"), "thought", lines_of(event.reasoning, "thought"), event.reasoning)
    said = words(event)
    add("output", t("event.said"), "answer", lines_of(said, "text"), said)
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
        add("tools", "JSON", "dim", lines_of(seen.tools, "value"), seen.tools, 12)
    if seen.schema:
        add("schema", "JSON", "dim", lines_of(seen.schema, "value"), seen.schema, 12)
    if event.logprobs:
        raw = "\n".join(f"{token!r}\t{logprob:.6f}" for token, logprob, _ in event.logprobs)
        add("chances", "", "dim", tuple(chance_lines(event.logprobs)), raw)
    return [
        Block(seq, SECTIONS.index(section), label, tone, lines, raw, fold)
        for seq, (section, label, tone, lines, raw, fold) in enumerate(found)
    ]


def _facts(seen: SeenCall) -> list[tuple[str, Line]]:
    """What was set and what it cost: name and line."""
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
        facts.append(("note", ((one(said(event.note)), "warn"),)))
    return [*facts, ("digest", ((one(event.asked)[:12], "dim"),))]


def _value(value: object) -> str:
    return "、".join(map(repr, value)) or "—" if isinstance(value, list | tuple) else str(value)


def _why(seen: SeenCall) -> str:
    return t(f"prompt.why.{seen.why}", detail=one(seen.detail))


def _lines(turn: Turn) -> list[Line]:
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
