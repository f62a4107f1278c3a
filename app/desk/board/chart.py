"""What a board shows above its rows on request: score against size (J1-Eval, Figure 4), how far trials went (Figure
5), what repeats say."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import ClassVar

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, one
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import language, t
from app.terminal import pad, truncate
from tasks.reports.dots import Dot
from tasks.reports.scatter import legend, scatter
from tasks.reports.strip import Strip, scale, strip
from tasks.run.board import Entry

LABEL, FIGURE, LEAST, WIDEST = 34, 7, 21, 61
NAMES = {"sizes": "board.sizes", "stages": "board.stages", "repeats": "board.repeats"}
"""View -> key of its title."""
Called = Callable[[Entry], str]
"""What a row is called."""


def views_of(entries: Sequence[Entry]) -> list[str]:
    """The views that these rows have something to show in."""
    found = [entry.figures for entry in entries if entry.figures is not None]
    there = {
        "sizes": any(_dot(entry) is not None for entry in entries),
        "stages": any(row.section == "stages" for figures in found for row in figures.rows),
        "repeats": any(figures.repeats for figures in found),
    }
    return [name for name in NAMES if there[name]]


def _dot(entry: Entry) -> tuple[float, float] | None:
    """Size and score of a row where both are known; papers know the published rule alone."""
    size = entry.paper.size if entry.paper is not None else entry.figures.size if entry.figures else None
    strict, compat = entry.value
    value = strict if compat is None else compat
    return None if size is None or value is None else (size, value)


class Chart(LineView):
    """Shows one of the views over the rows that the board shows."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    help_id = "board_chart"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._view = ""
        self._entries: Sequence[Entry] = ()
        self._called: Called = lambda entry: ""

    def show(self, view: str, entries: Sequence[Entry], called: Called) -> None:
        """Show a view of these rows."""
        self._view, self._entries, self._called = view, entries, called
        self.rebuild()

    def build(self, width: int) -> Iterable[Row]:
        """The lines of the view."""
        views: Mapping[str, Callable[[int], list[Line]]] = {
            "sizes": self._sizes, "stages": self._stages, "repeats": self._repeats,
        }  # fmt: skip
        lines = views[self._view](width) if self._view in views else []
        return (Row(tuple(row)) for line in lines for row in wrapped(line, width, 2))

    def _sizes(self, width: int) -> list[Line]:
        found = [(entry, _dot(entry)) for entry in self._entries]
        dots = [Dot(one(self._called(entry)), *dot, entry.paper is None) for entry, dot in found if dot is not None]
        unknown = len(found) - len(dots)
        height = max(8, self.size.height - 3)
        lines: list[Line] = [tuple(line) for line in scatter(dots, width, height)]
        said = f"  {t('board.unknown_sizes', n=unknown)}" if unknown else ""
        return [*lines, (*legend(dots), (said, "dim"))]

    def _stages(self, width: int) -> list[Line]:
        room = min(WIDEST, max(LEAST, width - LABEL - 2 * FIGURE - 2))
        lines: list[Line] = []
        for entry in self._entries:
            rows = [row for row in entry.figures.rows if row.section == "stages"] if entry.figures else []
            for rule in ("strict", "compat"):
                own = [row for row in rows if row.rule == rule]
                for place, row in enumerate(own):
                    if place == 0 or own[place - 1].group != row.group:
                        head = (
                            f"{one(self._called(entry))} · {one(row.label[language() == 'en'])} · "
                            f"{t(f'plots.{rule}')}"
                        )
                        lines.append(((head, "question"),))
                    figure = "–" if row.value is None else f"{row.value:.1f}"
                    cells = [(f"  {pad(truncate(one(row.name), LABEL - 4), LABEL - 2)}", "text")]
                    cells += [(pad(str(row.n), FIGURE, "right"), "dim"), (pad(figure, FIGURE, "right"), "value")]
                    lines.append((*cells, ("  ", "text"), *strip(Strip(row.value), room)))
        head = " " * (LABEL + 2 * FIGURE + 2) + scale(room)
        return [((head, "dim"),), *lines]

    def _repeats(self, width: int) -> list[Line]:
        lines: list[Line] = []
        for entry in self._entries:
            for again in entry.figures.repeats if entry.figures else ():
                lines.append((
                    (f"{pad(truncate(one(self._called(entry)), LABEL - 2), LABEL)}", "question"),
                    (t(
                        "plots.repeats", rule=t(f"plots.{again.rule}"), k=again.k, spread=f"{again.spread:.1f}",
                        all=f"{again.all_solved:.1f}", flips=f"{again.flips:.1f}",
                    ), "text"),
                ))  # fmt: skip
        return lines
