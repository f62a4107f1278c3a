"""The open turn: what has come of a model call that is still in flight. For the eye alone, never part of a record.

A value a delta: the thread of the run replaces it, the desk reads whichever is newest. Lengths are in characters,
times in seconds of a clock that only ever goes forward.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

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
        """Whether the call is still in flight."""
        return self.phase != "stopped"

    @property
    def characters(self) -> int:
        """Characters that came, reasoning included."""
        return self.thoughts + self.words

    def after(self, delta: Delta, now: float) -> OpenTurn:
        """The turn after one more piece of news."""
        turn = replace(self, phase=delta.phase, done=delta.done, total=delta.total)
        if delta.phase == "reading":
            return replace(turn, prompt=delta.total or delta.done)
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
