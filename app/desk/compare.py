"""Two runs of the same tasks: figures with intervals above, the tasks that differ below. Enter shows both ways
through a task."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from pathlib import Path
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.worker import get_current_worker

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, Piece, one, render
from app.desk.scaffold import PanesScreen
from app.desk.widgets.lines import DisplayRow, LinesPane, aligned, beside, rows_of
from app.desk.widgets.tables import RowsTable
from app.library import RunLine
from app.strings import language, t, term
from app.terminal import pad, truncate
from store.text.difference import difference
from tasks.episode.events import Record, ToolReturned
from tasks.reports.comparison import bar, chance, clear, dropped_line, fact, value_of, verdict, who
from tasks.reports.model import measure
from tasks.reports.plots import bar_text, reach
from tasks.reports.words import SCALE
from tasks.run.comparing import (
    ComparedRun,
    Comparison,
    MeasureComparison,
    RecordPair,
    StepPair,
    TaskLine,
    growing,
    parting,
    steps_of,
)
from tasks.run.header import is_fictional
from tasks.scoring.metrics import RULES


def step_rows(steps: Sequence[StepPair], width: int) -> Iterator[DisplayRow]:
    """Both records in two columns."""
    apart, column = parting(steps), (width - 3) // 2
    for step in steps:
        mark = ((f" ≠ {t('compare.here')}", "warn"),) if step.number == apart else ()
        named = zip((t("compare.first"), t("compare.second")), step.people, strict=True)
        people = tuple((f" · {t('compare.person', side=side)}", "seat") for side, person in named if person)
        title = f"── {t('event.step', step=step.number)}"
        yield DisplayRow(((title, "label" if step.same else "mark"), *mark, *people))
        for beside_each_other, members in groupby(step.pairs, key=lambda pair: None not in (pair.first, pair.second)):
            pairs = list(members)
            yield from _rows(pairs, column) if beside_each_other else _alone(pairs, column)


def _rows(pairs: Sequence[RecordPair], column: int) -> Iterator[DisplayRow]:
    for pair in pairs:
        (label, first), (_, second) = _said(pair.first), _said(pair.second)
        if not label:
            continue
        yield from beside([((label, "dim"),)], [((label, "dim"),)], column)
        for left, right in aligned(difference(first, first if pair.same else second)):
            yield from beside(left, right, column)


def _alone(pairs: Sequence[RecordPair], column: int) -> Iterator[DisplayRow]:
    """What either side did that the other has nothing for."""
    sides: tuple[list[Line], list[Line]] = ([], [])
    for pair in pairs:
        for side, record in zip(sides, (pair.first, pair.second), strict=True):
            label, said = _said(record)
            if label:
                side += [((label, "dim"),), *(((text, "text"),) for text in said.split("\n"))]
    return beside(*sides, column)


def _said(record: Record | None) -> tuple[str, str]:
    """The label and text of a record, as the transcript shows it unfolded, without the time that it took."""
    if record is None:
        return "", ""
    if isinstance(record.event, ToolReturned):
        record = replace(record, event=record.event.model_copy(update={"milliseconds": 0.0}))
    block = render(record)
    if block is None:
        return "", ""
    return block.label, "\n".join("".join(text for text, _ in line) for line in block.whole)


class StepsScreen(PanesScreen):
    """A task of two runs."""

    CSS_PATH = "compare.tcss"
    area = "compare_steps"
    help_id = "compared_steps"
    BINDINGS: ClassVar[list[BindingType]] = bindings("compare_steps")
    FIRST = "#steps"
    TITLES = {"#steps": "compare.sides"}

    def __init__(self, comparison: Comparison, line: TaskLine) -> None:
        super().__init__()
        self.comparison, self.line = comparison, line
        self.steps: list[StepPair] | None = None

    def panes(self) -> ComposeResult:
        yield LinesPane("compared_steps", id="steps")

    def on_mount(self) -> None:
        self.job("steps", partial(steps_of, self.comparison, self.line), self._have)

    def _have(self, steps: list[StepPair]) -> None:
        self.steps = steps
        self.show()

    def show(self) -> None:
        words = [t("compare.title"), one(self.line.task)]
        if self.steps is not None:
            at = parting(self.steps)
            words.append(t("compare.alike") if at is None else t("compare.parting", step=at))
        self.show_title(*words)
        view = self.query_one("#steps", LinesPane)
        view.draw(partial(step_rows, self.steps or ()))
        here = (y for y, row in enumerate(view.rows) if row.pieces[1:] and row.pieces[1][0].startswith(" ≠ "))
        view.scroll_to(y=max(0, next(here, 0) - 1), animate=False, immediate=True)

    def action_side(self, number: int) -> None:
        side = (self.comparison.first, self.comparison.second)[number]
        self.desk.open_episode(side.path, self.line.episodes[number])

    def action_close(self) -> None:
        self.dismiss()


COLUMNS = ("task", "group", "ended_first", "ended_second", "first", "second", "strict_first", "strict_second")
TEXTS = 4
"""Columns of the table that are no figures."""
HEADS, SIZES = ("n", "first", "second", "difference", "interval", "p"), (6, 7, 7, 9, 15, 8)
"""Figures of a row, and their cells."""
FIGURES = sum(SIZES)
LABEL, WIDE_LABEL = 20, 30
"""Cells of what is measured, on narrow and on wide screens."""
LEAST_BAR, WIDEST_BAR = 11, 51


def side_words(side: ComparedRun) -> str:
    """A run in words: who was tested, with what, on what."""
    words = [one(who(side, language()))]
    words += [t("mark.fictional")] if is_fictional(side.header) else []
    return " · ".join([*words, one(side.run)])


def figure_rows(found: Comparison | None, width: int) -> Iterator[DisplayRow]:
    """All measures: both means, the difference with its interval as figures and as a bar, p."""
    if found is None:
        yield DisplayRow(((t("compare.reading"), "dim"),))
        return
    heads: list[Line] = [
        ((f"{t('compare.first')} ", "label"), (side_words(found.first), "text")),
        ((f"{t('compare.second')} ", "label"), (side_words(found.second), "text")),
        ((one(verdict(found, language())), "question"),),
    ]
    if left := dropped_line(found, language()):
        heads.append(((left, "warn"),))
    for line in heads:
        yield from rows_of(line, width, 3)
    bars = [bar(row) for row in found.rows]
    label = WIDE_LABEL if width >= WIDE_LABEL + FIGURES + LEAST_BAR else LABEL
    most, room = reach(bars), min(WIDEST_BAR, width - label - FIGURES - 2)
    ends = f"{-most:+g}", "0", f"{most:+g}"
    gap = (room - sum(map(len, ends))) // 2
    yield DisplayRow(())
    scale = "  " + (" " * gap).join(ends) if room >= LEAST_BAR else ""
    yield DisplayRow(((f"{_row('', (t(f'compare.{name}') for name in HEADS), label)}{scale}", "dim"),))
    for row, one_bar in zip(found.rows, bars, strict=True):
        plot: list[Piece] = [("  " + bar_text(one_bar, most, room), "bar")] if room >= LEAST_BAR else []
        yield DisplayRow((*_figures(row, label), *plot))
    yield DisplayRow(())
    for told in found.differences:
        said = (
            (f"{fact(told[0], language())}：", "dim"),
            (" → ".join(one(value_of(told[0], value, language())) for value in told[1:]), "text"),
        )
        yield from rows_of(said, width, 3)


def _row(label: str, figures: Iterable[str], room: int) -> str:
    cells = (pad(text, size, "right") for text, size in zip(figures, SIZES, strict=True))
    return pad(truncate(label, room), room) + "".join(cells)


def _figures(row: MeasureComparison, room: int) -> list[Piece]:
    found, whole = row.found, row.group.name == "all"
    figures = (
        str(found.n), f"{SCALE * found.first:.1f}", f"{SCALE * found.second:.1f}", f"{SCALE * found.difference:+.1f}",
        f"[{SCALE * found.interval.low:+.0f}, {SCALE * found.interval.high:+.0f}]", chance(row.holm),
    )  # fmt: skip
    label = measure(row.measure, language()) if whole else f"  {row.group.label[language() == 'en']}"
    text = _row(label, figures, room)
    head = truncate(label, room)
    tone = "value" if clear(row) else "dim"
    return [(head, "question" if whole else "text"), (text[len(head) :], tone)]


class CompareScreen(PanesScreen):
    """Figures above, tasks below."""

    CSS_PATH = "compare.tcss"
    area = "compare"
    help_id = "compared"
    BINDINGS: ClassVar[list[BindingType]] = bindings("compare")
    FIRST = "#table"

    def __init__(self, first: Path, second: Path) -> None:
        super().__init__()
        self.paths = (first, second)
        self.comparison: Comparison | None = None
        self.everything = False

    def panes(self) -> ComposeResult:
        yield LinesPane("compared", id="figures")
        yield RowsTable()

    def on_mount(self) -> None:
        self.job("compare", self._read, failed=lambda error: self.dismiss())

    def _read(self) -> None:
        """In a worker: what the first episodes came to, then more and more of them."""
        worker = get_current_worker()
        for comparison in growing(*self.paths):
            if worker.is_cancelled:
                return
            self.app.call_from_thread(self._got, comparison)

    def _got(self, comparison: Comparison) -> None:
        if self.is_mounted:
            self.comparison = comparison
            self.show()

    def show(self) -> None:
        self.show_title(t("compare.title"))
        figures, table = self.query_one("#figures", LinesPane), self.query_one(RowsTable)
        figures.draw(partial(figure_rows, self.comparison))
        read = self.comparison.read if self.comparison is not None else 0
        figures.border_title = t("compare.growing", n=f"{read:,}") if read else t("compare.figures")
        heads = [
            (name, Text(t(f"compare.column.{name}"), justify="left" if place < TEXTS else "right"))
            for place, name in enumerate(COLUMNS)
        ]
        table.fill(heads, ((line.task, _cells(self.comparison, line)) for line in self.lines if self.comparison))
        if self.comparison is None:
            return
        n = sum(line.differs for line in self.comparison.tasks)
        table.border_title = t("compare.tasks", n=n, of=sum(line.ended for line in self.comparison.tasks))

    @property
    def lines(self) -> list[TaskLine]:
        tasks = self.comparison.tasks if self.comparison is not None else ()
        return [line for line in tasks if self.everything or line.differs]

    def possible(self) -> dict[str, object]:
        return {"open": self.lines}

    def on_data_table_row_selected(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        row = self.query_one(RowsTable).cursor_row
        if self.comparison is not None and 0 <= row < len(self.lines):
            self.app.push_screen(StepsScreen(self.comparison, self.lines[row]))

    def action_everything(self) -> None:
        self.everything = not self.everything
        self.show()

    def action_close(self) -> None:
        self.dismiss()


def _cells(found: Comparison, line: TaskLine) -> list[Text]:
    values = [value for rule in RULES for value in line.values[rule]]
    return [
        Text(one(line.task)),
        Text(one(line.label[language() == "en"])),
        *(
            Text(_ended(outcomes, person=any(one.people for one in side.tasks[line.task])))
            for side, outcomes in zip((found.first, found.second), line.outcomes, strict=True)
        ),
        *(Text("–" if value is None else f"{SCALE * value:.1f}", justify="right") for value in values),
    ]


def _ended(outcomes: str, *, person: bool) -> str:
    mark = t("event.mark", words=t("event.person")) if person else ""
    return " ".join(term("outcome", name) for name in outcomes.split()) + mark


def compare_next(screen: PanesScreen, base: RunLine | None, line: RunLine) -> RunLine | None:
    """Compare a run with the one that was chosen first; where none was, that is this one from now on."""
    if base is None:
        screen.desk.say(t("home.compare.base", run=one(line.id)))
        return line
    if base.path == line.path:
        screen.desk.say(t("home.compare.none"))
    else:
        screen.app.push_screen(CompareScreen(base.path, line.path))
    return None
