"""The Board: every run of the same tasks, a row each with its score on one scale, and what the paper printed below.

Figures are read run by run in a worker and shown as they come; until then a row has those of the list of runs.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable
from textual.worker import get_current_worker

from app import library
from app.desk.bindings import bindings
from app.desk.compare import compare_next
from app.desk.episode.renderers import one
from app.desk.home.run import RunScreen
from app.desk.home.screen import called
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.tables import RowsTable, SortedScreen
from app.figures import points, spread
from app.library import RunLine
from app.strings import counted, language, t, term
from app.terminal import truncate, width
from models.llama.shipped import is_shipped
from store.errors import StoreError
from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import codes
from tasks.errors import TaskError
from tasks.reports.model import replies_line
from tasks.reports.strip import Strip, scale, strip
from tasks.reports.words import word
from tasks.run.board import BoardRow, TaskFileRuns, entries, fields, places, printed
from tasks.run.figures import Figure, Figures, figures_of
from tasks.scoring.names import Names, measure_name
from tasks.scoring.published import Place, PublishedRow

WIDTHS = {"n": 7, "strict": 8, "interval": 10, "compat": 8, "degenerate": 4, "tokens_each": 12, "seconds_each": 10}
"""Columns of figures, and their cells."""
ROLES = {"value": "accent", "bar": "secondary", "label": "warning"}
"""Role of a piece of a plot -> colour of the theme; others are dim, or plain."""
DEGENERATE = 0.3
"""Of the replies of the seat measured, above which share those in which nothing is said are a warning."""
WORDY = 42
"""Cells of a name that leave room for words before it."""
UNREAD = "…"
"""A figure that is still being read."""


def named(entry: BoardRow) -> str:
    """What a row is called."""
    if entry.paper is not None:
        return f"{one(entry.paper.model)} · {term('agent', entry.paper.way)}"
    assert entry.line is not None
    return called(entry.line)


def measured(place: Place) -> str:
    """What is looked at, without its group: a score, the turns, how far a simulated role was kept."""
    section, _, name = place[0].rpartition(".")
    if not section:
        return measure_name(name, language())
    env = place[1]
    who = role_name(name, env) if language() == "zh" and env in codes() else t(f"seat.{name}")
    return t(f"board.measure.{section}", who=one(who) if section == "graded" else "")


def cells(
    entry: BoardRow, names: int, room: int, colours: Mapping[str, str], mark: str = "", why: str = ""
) -> dict[str, Text]:
    """The cells of a row by column.

    Args:
        entry: the row.
        names: cells for its name.
        room: cells for its plot.
        colours: of the theme.
        mark: stands before its name.
        why: why its figures cannot be read, if so.
    """
    strict, compat = entry.value
    tokens, seconds = tokens_each(entry), seconds_each(entry)
    unknown = UNREAD if entry.reading and not why else "–"
    about = "~" if entry.figures is not None and entry.figures.estimated else ""
    figures = {
        "n": behind(entry), "strict": _points(entry.strict, strict, unknown),
        "compat": _points(entry.compat, compat, unknown),
        "interval": _interval(entry) or (unknown if unknown == UNREAD else ""),
        "tokens_each": unknown if tokens is None else f"{about}{tokens:,.0f}",
        "seconds_each": unknown if seconds is None else f"{seconds:,.1f}",
    }  # fmt: skip
    tone = "dim" if entry.paper is not None or entry.reading else ""
    plot = Text(truncate(one(why), room), style="dim") if why else _plot(entry, room, colours)
    shown = {key: Text(text, tone, justify="right") for key, text in figures.items()}
    share = entry.figures.degenerate if entry.figures is not None else 0.0
    style = colours.get("warning", "") if share > DEGENERATE else tone
    shown["degenerate"] = Text(f"{share:.0%}" if share else "", style, justify="right")
    return {"name": _name(entry, names, mark, tone, colours), "plot": plot, **shown}


def _name(entry: BoardRow, room: int, mark: str, tone: str, colours: Mapping[str, str]) -> Text:
    head: list[tuple[str, str]] = [(f" {mark} ", "reverse"), (" ", "")] if mark else []
    if entry.line is not None and entry.line.fictional:
        head.append((f"{fiction(room)} ", colours.get("warning", "")))
    left = max(4, room - sum(width(text) for text, _ in head))
    return Text.assemble(*head, (truncate(named(entry), left), tone))


def fiction(room: int) -> str:
    """The mark of fictional data, with its words where there is room for them; the title has them in any case."""
    return f"● {t('mark.fictional')}" if room >= WORDY else "●"


def behind(entry: BoardRow) -> str:
    """How many tasks stand behind a figure, and of how many where that is fewer: 148/150."""
    return str(entry.n or "–") + (f"/{entry.of}" if entry.of else "")


def _points(row: Figure | None, value: float | None, unknown: str) -> str:
    return points(row) if row is not None else unknown if value is None else f"{value:.1f}"


def _interval(entry: BoardRow) -> str:
    shown = entry.strict if entry.strict is not None and entry.strict.value is not None else entry.compat
    return "" if shown is None else spread(shown)


def _plot(entry: BoardRow, room: int, colours: Mapping[str, str]) -> Text:
    strict, compat = entry.value
    shown = entry.strict if entry.strict is not None and entry.strict.value is not None else entry.compat
    value = compat if strict is None else strict
    other = compat if strict is not None else None
    of = Strip(value, other=other, printed=entry.paper is not None)
    if shown is not None:
        of = replace(of, low=shown.low, high=shown.high, floor=shown.floor, ceiling=shown.ceiling)
    return Text.assemble(
        *(
            (text, "dim" if entry.reading else colours.get(ROLES.get(role, ""), "dim"))
            for text, role in strip(of, room)
        )
    )


def tokens_each(entry: BoardRow) -> float | None:
    """Tokens a success."""
    if entry.paper is not None:
        whole = entry.compat is not None and (entry.compat.name, entry.compat.group) == ("success", "all")
        value = entry.compat.value if entry.compat is not None and whole else None
        solved = value / 100 * entry.paper.tasks if value and entry.paper.tasks else 0.0
        return entry.paper.tokens / solved if solved and entry.paper.tokens else None
    return entry.figures.tokens / entry.solved if entry.figures and entry.figures.tokens and entry.solved else None


def seconds_each(entry: BoardRow) -> float | None:
    """Seconds a success."""
    return entry.figures.seconds / entry.solved if entry.figures and entry.figures.seconds and entry.solved else None


OFTEN = 1.0
"""Seconds between two looks at what has been read."""
LEAST, WIDEST = 16, 61
"""The least and the most cells of a plot."""
NARROW, WIDE = 100, 140
"""Widths from which intervals, and costs, have columns of their own."""
NAMES_WIDTH = ((WIDE, 42), (NARROW, 30), (0, 20))
"""From which width on names have how many cells."""


class BoardScreen(SortedScreen):
    """A table with a plot as one of its columns."""

    CSS_PATH = "board.tcss"
    area = "board"
    help_id = "board"
    BINDINGS: ClassVar[list[BindingType]] = bindings("board")
    ABSENT = frozenset({"shipped"})
    ORDERS = ("name", "strict", "compat", "n", "tokens_each", "seconds_each")
    LARGEST_FIRST = frozenset({"strict", "compat", "n"})

    def __init__(self) -> None:
        super().__init__()
        self.fields: list[TaskFileRuns] = []
        self.wanted: Path | None = None
        """A run whose tasks are to be shown."""
        self.at = 0
        self.figures: dict[Path, Figures] = {}
        self.failed: dict[Path, str] = {}
        self.place: Place | None = None
        self.papers = True
        self.shipped = False
        """Whether the model that comes with Moot stands among the others."""
        self.base: RunLine | None = None
        self._paper: Sequence[PublishedRow] = ()
        self._loaded = False
        self._room = 0

    def panes(self) -> ComposeResult:
        yield RowsTable()
        yield FindBar("find.filter")

    def reload(self) -> None:
        self.job("runs", lambda: fields(library.runs()), self._have)

    def take(self, path: Path) -> None:
        self.wanted = path
        self._choose()

    def _have(self, found: list[TaskFileRuns]) -> None:
        shown = self.field
        self.fields, self._loaded = found, True
        there = [at for at, field in enumerate(found) if shown and field.tasks == shown.tasks]
        self.at = there[0] if there else 0
        self._choose()

    def _have_paper(self, found: Sequence[PublishedRow]) -> None:
        self._paper = found
        self.show()

    @property
    def field(self) -> TaskFileRuns | None:
        found = self.fields[self.at] if self.at < len(self.fields) else None
        return found.compared if found is not None and not self.shipped else found

    @property
    def left_out(self) -> int:
        """Runs of these tasks that the model that comes with Moot has played."""
        return len(self.fields[self.at].lines) - len(self.fields[self.at].compared.lines) if self.fields else 0

    def _choose(self) -> None:
        """Go to the tasks that are wanted, and read what is not known of them."""
        if self.wanted is not None and self._loaded:
            has = ((at, line) for at, own in enumerate(self.fields) for line in own.lines if line.path == self.wanted)
            for self.at, line in has:
                self.shipped |= is_shipped(line.model)
            self.wanted = None
        field = self.field
        if field is not None:
            self._paper = ()
            self.job("paper", partial(printed, field.benchmark), self._have_paper)
            missing = [line.path for line in field.lines if line.path not in self.figures]
            self.job("figures", partial(self._read, missing))
        self.show()

    def _read(self, paths: Sequence[Path]) -> None:
        """In a worker: the figures of these runs, shown every now and then while more are read."""
        worker, told = get_current_worker(), time.monotonic()
        found: dict[Path, Figures] = {}
        failed: dict[Path, str] = {}
        for path in paths:
            if worker.is_cancelled:
                return
            try:
                found[path] = figures_of(path)
            except (StoreError, TaskError, OSError) as error:
                failed[path] = str(getattr(error, "title", None) or error)
            if time.monotonic() - told >= OFTEN:
                self.app.call_from_thread(self._got, dict(found), dict(failed))
                told = time.monotonic()
        self.app.call_from_thread(self._got, found, failed)

    def _got(self, found: Mapping[Path, Figures], failed: Mapping[Path, str]) -> None:
        self.figures.update(found)
        self.failed.update(failed)
        if self.is_mounted and (found or failed):
            self.show()

    # what is shown

    @property
    def places(self) -> dict[Place, Names]:
        field = self.field
        return places(self.figures[line.path] for line in field.lines if line.path in self.figures) if field else {}

    @property
    def rows(self) -> list[BoardRow]:
        if self.field is None:
            return []
        found = entries(self.field, self.figures, self._paper if self.papers else (), self._place)
        found = [entry for entry in found if self.matches(self._said(entry))]
        if not self.order:
            return found
        values: Mapping[str, Callable[[BoardRow], Any]] = {
            "name": named, "n": lambda entry: entry.n, "strict": lambda entry: entry.value[0],
            "compat": lambda entry: entry.value[1], "tokens_each": tokens_each, "seconds_each": seconds_each,
        }  # fmt: skip
        return sorted(self.sorted(found, values[self.order]), key=lambda entry: entry.paper is not None)

    @property
    def _place(self) -> Place | None:
        known_places = self.places
        return self.place if self.place in known_places else next(iter(known_places), None)

    def _said(self, entry: BoardRow) -> str:
        line = entry.line
        return f"{named(entry)} {line.id} {line.agent} {line.model} {line.pack}" if line else named(entry)

    def show(self) -> None:
        field, place, en = self.field, self._place, language() == "en"
        rows, words = self.rows, [t("board.title")]
        if field is not None:
            if self.left_out:  # first: without these rows the board may look empty
                words.append(counted("board.shipped" if self.shipped else "board.left_out", self.left_out))
            words.append(term("benchmark", field.benchmark))
            words.append(counted("board.runs", len(field.lines)))
            files = {figures.file for figures in self.figures.values() if figures.tasks == field.tasks}
            words += [one(Path(file).name) for file in sorted(files)[:1]]
            words += [fiction(WORDY)] if any(line.fictional for line in field.lines) else []
            if len(self.fields) > 1:
                words.append(t("board.of", at=self.at + 1, of=len(self.fields)))
            left = sum(entry.reading and entry.line.path not in self.failed for entry in rows if entry.line)
            words += [t("board.reading", n=left)] if left else []
        elif not self._loaded:
            words.append(t("home.loading"))
        table = self.query_one(RowsTable)
        self.show_title(*words)
        label = self.places.get(place, ("", ""))[en] if place is not None else ""
        what = f"{measured(place)} · {one(label)}" if place is not None else ""
        table.border_title = (
            f"{what}　{t('board.legend')}"
            if what
            else t("board.none" if self._loaded and not rows else "home.loading")
        )
        self._fill(table, rows)
        self._foot()

    def _foot(self) -> None:
        """The filter, and in how many replies the seat measured says nothing, of the run at the cursor."""
        words = [t("board.filtered", words=one(self.words), n=len(self.rows))] if self.words else []
        found = self.figures.get(self.line.path) if self.line is not None else None
        if found is not None and found.degenerate:
            told = replies_line(found.measured, found.replies[found.measured], language())
            words.append(f"{word('replies', language())}  {told}")
        self.query_one(RowsTable).border_subtitle = " · ".join(words)

    def _fill(self, table: RowsTable, rows: Sequence[BoardRow]) -> None:
        columns = ["name", "n", "strict", *(["interval"] if self.size.width >= NARROW else []), "compat"]
        columns += ["degenerate"] if any(one.figures.degenerate for one in rows if one.figures) else []
        columns += ["plot", *(["tokens_each", "seconds_each"] if self.size.width >= WIDE else [])]
        self._room = next(cells for least, cells in NAMES_WIDTH if self.size.width >= least)
        room = self.size.width - self._room - sum(WIDTHS.get(name, 0) + 2 for name in columns) - 7
        room = min(WIDEST, max(LEAST, room))
        heads = [
            self.head(
                name,
                scale(room) if name == "plot" else t(f"board.column.{name}"),
                "right" if name in WIDTHS else "left",
            )
            for name in columns
        ]
        shown: list[tuple[str, Sequence[Text]]] = []
        before = False
        for place, entry in enumerate(rows):
            if entry.paper is not None and not before:
                before = True
                shown.append(("paper", self._heading(entry.paper, columns, room)))
            mark = t("home.compare.mark") if entry.line is not None and entry.line == self.base else ""
            why = self.failed.get(entry.line.path, "") if entry.line is not None else ""
            row = cells(entry, self._room, room, self.app.theme_variables, mark, why)
            key = str(entry.line.path) if entry.line is not None else f"paper {place}"
            shown.append((key, [row[name] for name in columns]))
        table.fill(heads, shown)

    def _heading(self, paper: PublishedRow, columns: Sequence[str], plot: int) -> list[Text]:
        told = t("board.printed", paper=one(paper.paper))
        n = t("board.printed.n", n=paper.tasks) if paper.tasks else ""
        shown = [Text(truncate(f"◇ {told}", self._room), style="italic")] + [Text("")] * (len(columns) - 1)
        why = t("board.printed.why", n=n)
        why = why if width(why) <= plot else truncate(t("board.printed.short"), plot)
        shown[columns.index("plot")] = Text(why, style="italic dim")
        return shown

    # wishes

    @property
    def line(self) -> RunLine | None:
        chosen = self.query_one(RowsTable).chosen
        lines = self.field.lines if self.field is not None else ()
        return next((line for line in lines if str(line.path) == chosen), None)

    def possible(self) -> dict[str, object]:
        return {
            "open": self.line is not None,
            "compare": self.line is not None,
            "place": len(self.places) > 1,
            "measure": len({name for name, _ in self.places}) > 1,
            "field": len(self.fields) > 1,
            "papers": self._paper,
            "shipped": self.left_out,
        }

    @on(DataTable.RowSelected)
    def _selected(self) -> None:
        self.action_open()

    @on(DataTable.RowHighlighted)
    def _highlighted(self) -> None:
        self.query_one(KeyBar).refresh()
        self._foot()

    def action_open(self) -> None:
        if (line := self.line) is not None:
            self.app.push_screen(RunScreen(line))

    def action_place(self, by: int) -> None:
        known_places = list(self.places)
        if known_places and self._place is not None:
            self.place = known_places[(known_places.index(self._place) + by) % len(known_places)]
            self.show()

    def action_measure(self, by: int) -> None:
        known_places, at = list(self.places), self._place
        if at is not None:
            names = list(dict.fromkeys(name for name, _ in known_places))
            name = names[(names.index(at[0]) + by) % len(names)]
            groups = [group for own, group in known_places if own == name]
            self.place = name, at[1] if at[1] in groups else groups[0]
            self.show()

    def action_field(self) -> None:
        if self.fields:
            self.at = (self.at + 1) % len(self.fields)
            self.place = self.base = None
            self._choose()

    def action_papers(self) -> None:
        self.papers = not self.papers
        self.show()

    def action_shipped(self) -> None:
        self.shipped = not self.shipped
        self._choose()

    def action_compare(self) -> None:
        if self.line is not None:
            self.base = compare_next(self, self.base, self.line)
            self.show()

    async def leave(self) -> None:
        await self.desk.action_mode("home")
