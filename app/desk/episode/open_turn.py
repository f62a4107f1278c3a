"""How the open turn looks: a line that says what the model is doing, then what it thinks and what it says, apart.

Rows for the end of the record, and words for the title bar. Text of a model is cleaned as a whole, after its pieces
were joined: a control sequence that came in two pieces is still one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Literal

from app.desk.episode.renderers import Line, Piece
from app.desk.widgets.lines import wrapped
from app.strings import t
from app.terminal import clean
from models.engine import Delta, Phase

TurnPhase = Literal["asked", "stopped"] | Phase
"""The phases of a call; before them `asked` (nothing has been heard of it), and `stopped` once it has been broken
off."""
SETTLED = 0.5
"""Seconds of text after which a speed says something."""
TAIL = 4000
"""Characters kept of a text that grows: more than any screen shows."""


@dataclass(frozen=True, slots=True)
class OpenTurn:
    """One call in flight. `thought` and `spoken` are raw tails of what came; `thoughts` and `words` their whole
    lengths.

    `done` of `total` as the engine counts them in this phase: percent while loading, prompt tokens while reading, and
    generated tokens afterwards, 0 where an engine does not count them.
    """

    episode: str
    step: int = 0
    began: float = 0.0
    phase: TurnPhase = "asked"
    done: int = 0
    total: int = 0
    prompt: int = 0
    """Prompt tokens read, as last heard."""
    thought: str = ""
    spoken: str = ""
    thoughts: int = 0
    words: int = 0
    first: tuple[float, int, int] | None = None
    """When the first text came, and how many tokens and characters there were then."""
    last: tuple[float, int, int] | None = None

    @property
    def under_way(self) -> bool:
        return self.phase != "stopped"

    @property
    def characters(self) -> int:
        """Characters that came, reasoning included."""
        return self.thoughts + self.words

    def after(self, delta: Delta, now: float) -> OpenTurn:
        """The turn after one more piece of news."""
        turn = replace(self, phase=delta.phase, done=delta.done, total=delta.total)
        if delta.phase == "reading":  # the prompt is read anew where a call is tried again: what it said is gone
            fresh = replace(turn, thought="", spoken="", thoughts=0, words=0, first=None, last=None)
            return replace(fresh, prompt=delta.total or delta.done)
        if delta.phase == "thinking":
            turn = replace(turn, thought=_tail(turn.thought, delta.text), thoughts=turn.thoughts + len(delta.text))
        elif delta.phase == "speaking":
            turn = replace(turn, spoken=_tail(turn.spoken, delta.text), words=turn.words + len(delta.text))
        if not delta.text:
            return turn
        seen = (now, delta.done, turn.characters)
        return replace(turn, first=turn.first or seen, last=seen)

    def stopped(self) -> OpenTurn:
        """The turn after it was broken off: its words are gone, how many there were stays."""
        return replace(self, phase="stopped", thought="", spoken="")

    def speed(self) -> tuple[float, bool] | None:
        """How much comes a second since the first text, and whether that counts tokens (else characters)."""
        if self.first is None or self.last is None or self.last[0] - self.first[0] < SETTLED:
            return None
        seconds = self.last[0] - self.first[0]
        tokens = self.last[1] - self.first[1]
        return (tokens / seconds, True) if tokens > 0 else ((self.last[2] - self.first[2]) / seconds, False)


def _tail(text: str, more: str) -> str:
    return (text + more)[-TAIL:]


BAR = 12
"""Cells of a bar."""
STROKE = "┊ "
"""Stands at the left of reasoning."""
SLOW = 1.0
"""Seconds after which the time a call takes is shown."""


def phase_word(turn: OpenTurn, pausing: bool = False, stopping: bool = False) -> str:
    """What the title bar says while a call is in flight, or has been stopped."""
    word = t(f"turn.{turn.phase}")
    if not turn.under_way:
        return f"■ {word}"
    return "● " + (t("turn.stopping") if stopping else t("turn.pausing", phase=word) if pausing else word)


def phase_line(turn: OpenTurn, now: float) -> Line:
    """How far the call is: a share while loading and reading, tokens and their speed afterwards, and the time it
    takes."""
    if turn.phase == "stopped":
        lost = t("turn.lost", n=f"{turn.characters:,}") if turn.characters else ""
        return ((t("turn.stopped.line", lost=lost), "warn"),)
    pieces: list[Piece] = []
    if turn.phase == "loading" and turn.done:
        pieces += [(_bar(turn.done / 100), "label"), (f" {min(turn.done, 100)}%", "text")]
    elif turn.phase == "reading" and turn.total:
        share = turn.done / turn.total
        pieces += [(_bar(share), "label"), (f" {t('turn.tokens', n=f'{turn.done:,}/{turn.total:,}')}", "text")]
    elif turn.phase in ("thinking", "speaking"):
        pieces += _generated(turn)
    seconds = now - turn.began
    if seconds >= SLOW:
        pieces += [*_dot(pieces), (t("event.seconds", n=f"{seconds:.0f}"), "dim")]
    if turn.phase in ("thinking", "speaking") and turn.prompt:
        pieces += [(" · ", "dim"), (t("turn.read", n=f"{turn.prompt:,}"), "dim")]
    return tuple(pieces) or ((t("turn.silent"), "dim"),)


def turn_rows(turn: OpenTurn, width: int, now: float) -> Iterator[list[Piece]]:
    """The rows of the open turn, each at most `width` cells: what it does, reasoning, speech."""
    yield from wrapped(phase_line(turn, now), width)
    for text, length, role, stroke in (
        (turn.thought, turn.thoughts, "thought", STROKE),
        (turn.spoken, turn.words, "dim", ""),
    ):
        if length > TAIL:
            yield [(stroke, "rule"), (t("turn.earlier", n=f"{length - len(text):,}"), "dim")]
        for line in clean(text).strip("\n").split("\n") if text else ():
            for row in _wrapped(line, role, max(4, width - len(stroke))):
                yield [(stroke, "rule"), *row] if stroke else list(row)


@lru_cache(maxsize=256)
def _wrapped(line: str, role: str, width: int) -> tuple[Line, ...]:
    """The rows of a line. Kept: of a text that grows, only the last line is a new one."""
    return tuple(tuple(row) for row in wrapped(((line, role),), width))


def _generated(turn: OpenTurn) -> list[Piece]:
    tokens = turn.last[1] if turn.last else 0
    count = t("turn.tokens", n=f"{tokens:,}") if tokens else t("turn.characters", n=f"{turn.characters:,}")
    pieces: list[Piece] = [(count, "text")]
    speed = turn.speed()
    if speed is not None:
        rate, counts_tokens = speed
        shown = f"{rate:.0f}" if rate >= 10 else f"{rate:.1f}"
        pieces += [(" · ", "dim"), (t("turn.speed" if counts_tokens else "turn.speed.characters", n=shown), "text")]
    return pieces


def _dot(pieces: list[Piece]) -> list[Piece]:
    return [(" · ", "dim")] if pieces else []


def _bar(share: float) -> str:
    full = min(max(round(share * BAR), 0), BAR)
    return "▮" * full + "▯" * (BAR - full)
