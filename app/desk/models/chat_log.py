"""The conversation of a trial chat: what was said by whom, what it cost, and the answer that is being made.

Finished turns are wrapped once a width; only the open one is made again while it streams. The end is followed as long
as the reader is there.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from app.desk.episode.open import OpenTurn
from app.desk.episode.open_turn import STROKE, turn_rows
from app.desk.episode.renderers import Line, Piece
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import t
from app.terminal import pad

LABEL = 6
"""Cells of who speaks."""


@dataclass(frozen=True)
class Spoken:
    """One turn of the conversation: who (`person`, `model` or `note`), its lines, and what it thought before;
    cleaned."""

    who: str
    lines: tuple[Line, ...]
    thought: tuple[Line, ...] = ()

    def rows(self, width: int) -> Iterator[list[Piece]]:
        """The turn, wrapped; reasoning has a stroke at its left."""
        for line in self.thought:
            for row in wrapped(line, max(4, width - len(STROKE))):
                yield [(STROKE, "rule"), *row]
        for line in self.lines:
            yield from wrapped(line, width)


class ChatLog(LineView):
    """Turns, and the open one below them."""

    help_id = "trial"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.turns: list[Spoken] = []
        self._open: tuple[OpenTurn, float] | None = None
        self._kept: tuple[int, int, list[Row]] = (0, 0, [])

    def say(self, spoken: Spoken) -> None:
        """One more turn; the end is shown."""
        self.turns.append(spoken)
        self._open = None
        self._rebuilt(follow=True)

    def fresh(self) -> None:
        """Nothing has been said."""
        self.turns.clear()
        self._open = None
        self._kept = (0, 0, [])
        self._rebuilt(follow=True)

    def stream(self, turn: OpenTurn | None, now: float) -> None:
        """The answer that is being made, as it now stands."""
        self._open = (turn, now) if turn is not None else None
        self._rebuilt(follow=self.scroll_offset.y >= self.max_scroll_y - 1)

    def relabel(self) -> None:
        """The words of another language."""
        self._kept = (0, 0, [])
        self.rebuild()

    def _rebuilt(self, *, follow: bool) -> None:
        self.rebuild()
        if follow:
            self.scroll_end(animate=False, force=True)

    def build(self, width: int) -> Iterable[Row]:
        """Every turn with its label, a blank line between two."""
        room = max(8, width - LABEL)
        kept_width, kept_turns, rows = self._kept
        if kept_width != width:
            kept_turns, rows = 0, []
        for spoken in self.turns[kept_turns:]:
            rows = [*rows, *_labelled(spoken.who, spoken.rows(room)), Row(())]
        self._kept = (width, len(self.turns), rows)
        if self._open is None:
            return rows
        turn, now = self._open
        return [*rows, *_labelled("model", turn_rows(turn, room, now))]


def _labelled(who: str, rows: Iterable[list[Piece]]) -> list[Row]:
    tone = "seat" if who == "person" else "label" if who == "model" else "warn"
    name = pad(t(f"trial.who.{who}"), LABEL)
    return [Row(((name if number == 0 else " " * LABEL, tone), *row)) for number, row in enumerate(rows)]
