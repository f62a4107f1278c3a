"""One run: how it stands and what it came to above, its episodes below, failures first. Enter opens one."""

from __future__ import annotations

import os
import re
import time
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import DataTable, Label
from textual.worker import Worker, WorkerState

from app.desk.bindings import bindings
from app.desk.episode.renderers import one, player_name
from app.desk.home.plots import RunPlots, Standing
from app.desk.messages import EpisodeLine
from app.desk.widgets.choice import RowsTable
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import KeyBar
from app.library import Rates, RunLine, StoredRun, read_groups, read_stored
from app.ports import OnDesk
from app.strings import known, language, t
from app.strings.sentences import said
from app.terminal import truncate, width
from store import places
from store.errors import StoreError
from store.writer import Writer, writer_of, writers
from tasks.episode.episodes import UNFINISHED
from tasks.run.failing import EpisodeFailure, failures_of
from tasks.run.figures import Figures, figures_of
from tasks.run.following import standing
from tasks.scoring.failures import CLASSES
from tasks.scoring.names import Names
from tasks.scoring.result import INFRASTRUCTURE


def is_played(path: Path) -> bool:
    """Whether another process plays a run at this moment."""
    writer = writer_of(path)
    return writer is not None and writer.process != os.getpid()


def played() -> dict[str, Writer]:
    """The runs of the list that other processes play, by file name."""
    return {name: one for name, one in writers(places.runs()).items() if one.process != os.getpid()}


def with_play(lines: Iterable[RunLine], found: dict[str, Writer]) -> list[RunLine]:
    """The lines, those that are played with how far they are now."""
    return [_now(line, found.get(line.path.name)) for line in lines]


def _now(line: RunLine, writer: Writer | None) -> RunLine:
    if writer is None or line.error:
        return replace(line, process=None, pace=None) if line.process is not None else line
    with suppress(StoreError):  # it has gone meanwhile: the next look finds that
        return counted(line, writer)
    return line


def counted(line: RunLine, writer: Writer | None) -> RunLine:
    """A line with how far its run is on disk at this moment, and who plays it.

    Raises:
        StoreError: the file cannot be read.
    """
    far = standing(line.path, writer)
    outcomes = {**far.outcomes, UNFINISHED: max(0, far.n - far.ended)}  # a damaged run may have ends without episodes
    return replace(line, outcomes=outcomes, process=writer.process if writer else None, pace=far.rate)


FIXED = 84
"""Cells that all columns but task and question take, with frames and the space between columns."""
NARROW = 100
"""Below this width there are fewer columns."""
LESS = {"compat": 10, "tokens": 8, "seconds": 7}
"""What a narrow window does without, and the cells that this spares."""
COLUMNS = ("task", "group", "outcome", "strict", "compat", "steps", "tokens", "seconds", "reason", "question")
NUMERIC = frozenset({"strict", "compat", "steps", "tokens", "seconds"})
WORST = ""
"""The order that is there first: failures before all else, the worst score first."""
LOOK = 2.0
"""Seconds between two looks at a run that is played."""
POINTS = 100.0
LABELS = {one_class.name: one_class.label for one_class in CLASSES}
"""Why an episode failed -> Chinese, English."""


def _read(line: RunLine, known: dict[int, Rates] | None) -> tuple[StoredRun, RunLine, float]:
    """The run as it is now, its line, and the seconds that this took."""
    began = time.monotonic()
    stored = read_stored(line.path, known)
    now = counted(line, played().get(line.path.name))
    return stored, now, time.monotonic() - began


class RunScreen(OnDesk, Screen[None]):
    """Plots over the table of one run file."""

    CSS_PATH = "home.tcss"
    area = "run"
    help_id = "episodes"
    BINDINGS: ClassVar[list[BindingType]] = bindings("run")

    def __init__(self, line: RunLine) -> None:
        super().__init__(classes="-run")
        self.line = line
        self.stored: StoredRun | None = None
        self.figures: Figures | None = None
        self.groups: Mapping[str, Names] = {}
        self.failed: Mapping[str, EpisodeFailure] = {}
        """Why episodes failed."""
        self.unreadable = False
        self.order = WORST
        self.reverse = False
        self.words = ""
        self._known: dict[int, Rates] = {}
        """Scores of attempts that ended while the run was played."""
        self._why = ""
        self._rest = 0.0
        self._first: tuple[float, int] | None = None
        self._rate: float | None = None

    def compose(self) -> ComposeResult:
        yield Label("", id="title", markup=False)
        yield RunPlots(id="plots")
        yield RowsTable(cursor_type="row", id="table")
        yield FindBar("find.filter")
        yield KeyBar(("run", "app"), id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        self.query_one(RowsTable).focus()
        self.set_interval(LOOK, self._look)

    @property
    def moves(self) -> bool:
        """Whether somebody plays the run at this moment."""
        live = self.desk.live
        return self.line.process is not None or (live is not None and live.path == self.line.path and live.moves)

    def _look(self) -> None:
        """Read on while the run is played; a large one at most half of the time."""
        busy = any(worker.group == "stored" and not worker.is_finished for worker in self.workers)
        if self.is_current and self.moves and not busy and time.monotonic() > self._rest:
            self.reload()

    def on_resize(self) -> None:
        self.call_after_refresh(self.retranslate)

    def on_screen_resume(self) -> None:
        if not self.unreadable:
            self.reload()

    def reload(self) -> None:
        self._work("stored", partial(_read, self.line, self._known if self.moves else None))

    def _work(self, name: str, job: Callable[[], object]) -> None:
        self.run_worker(job, name=name, group=name, thread=True, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if event.worker.name in ("figures", "groups", "failures"):
            event.stop()
            if event.state == WorkerState.ERROR:
                error = event.worker.error
                self._why = said(str(getattr(error, "title", None) or error))
            elif event.state == WorkerState.SUCCESS and event.worker.name == "figures":
                self.figures, self._why = event.worker.result, ""
            elif event.state == WorkerState.SUCCESS and event.worker.name == "groups":
                self.groups = event.worker.result or {}
            elif event.state == WorkerState.SUCCESS:
                found = event.worker.result
                self.failed = {failed.episode: failed for failed in found.episodes} if found else {}
            else:
                return
            self.retranslate()
            return
        self.unreadable = event.state == WorkerState.ERROR
        if not self.desk.worker_failed(event) and event.worker.name == "stored" and event.worker.result is not None:
            first = self.stored is None
            self.stored, self.line, seconds = event.worker.result
            self._rest = time.monotonic() + seconds
            self._measure()
            if first:
                self._work("groups", partial(read_groups, self.line.path))
            if self.line.finished and not self.moves:
                self._work("figures", partial(figures_of, self.line.path))
                if self.stored.n <= len(self.stored.episodes):
                    self._work("failures", partial(failures_of, self.line.path))
            self.retranslate()

    def _measure(self) -> None:
        """The pace since the screen was opened, where nobody else knows it."""
        now = time.monotonic()
        if self._first is None or not self.moves:
            self._first = now, self.line.finished
        began, there = self._first
        fresh, minutes = self.line.finished - there, (now - began) / 60
        self._rate = self.line.pace or (fresh / minutes if fresh > 0 and minutes > 0 else None)

    def retranslate(self) -> None:
        line = self.line
        name = f"benchmark.{line.benchmark}"
        who = player_name(line)
        words = [t(name) if known(name) else one(line.benchmark), who]
        words += [one(line.pack)] if line.pack else []
        if line.fictional:
            words.append(t("mark.fictional"))
        if line.process is not None:
            words = [f"{t('list.playing')} {line.finished}/{line.n}", *words]
        if self.stored is not None and self.stored.n > len(self.stored.episodes):
            words.append(t("run.first", n=len(self.stored.episodes), of=self.stored.n))
        self.query_one(KeyBar).refresh()
        self.query_one("#title", Label).update(
            truncate(" · ".join([*words, one(line.id)]), max(20, self.size.width - 2))
        )
        plots = self.query_one(RunPlots)
        plots.border_title = t("plots.title")
        why = self._why or (t("plots.reading") if self.stored is None or not self.moves else "")
        counts = Counter(failed.verdict.main.failure for failed in self.failed.values() if failed.verdict.main)
        reasons = tuple((LABELS[name][language() == "en"], count) for name, count in counts.most_common())
        plots.show(self._standing(), self.figures, why, reasons)
        self._show_rows()

    def _standing(self) -> Standing | None:
        if self.stored is None:
            return None
        found = [strict for _, strict in self.stored.scores.values() if strict is not None]
        mean = POINTS * sum(found) / len(found) if found else None
        return Standing(self.line.outcomes, self._rate, mean, self.moves)

    # the table

    def _show_rows(self) -> None:
        table = self.query_one(RowsTable)
        chosen = self.chosen
        at = table.cursor_row
        table.clear(columns=True)
        columns = [name for name in COLUMNS if self.size.width >= NARROW or name not in LESS]
        for column in columns:
            mark = ("▼" if self.reverse else "▲") if column == self.order else ""
            head = Text(f"{t(f'column.{column}')}{mark}", justify="right" if column in NUMERIC else "left")
            table.add_column(head, key=column)
        rows = self.rows
        if self.stored is None:
            return
        names = max((width(one(episode.id)) for episode in rows), default=0)
        spared = sum(cells for name, cells in LESS.items() if name not in columns)
        room = max(20, self.size.width - FIXED + spared - max(names, 4))
        for episode in rows:
            table.add_row(*self._cells(episode, room, columns), key=episode.id)
        of = f" · {t('run.filtered', n=len(rows), of=len(self.stored.episodes))}" if self.words else ""
        table.border_title = f"{t('run.episodes')}{of}"
        if rows:
            there = (place for place, episode in enumerate(rows) if episode.id == chosen)
            table.move_cursor(row=next(there, min(max(at, 0), len(rows) - 1)), animate=False)

    def _cells(self, episode: EpisodeLine, room: int, columns: Sequence[str]) -> list[Text]:
        strict, compat = (self._value(episode, rule) for rule in ("strict", "compat"))
        scored = self.stored is not None and episode.id in self.stored.scores
        outcome = episode.outcome or UNFINISHED
        values = {
            "task": one(episode.id),
            "group": self._group(episode),
            "outcome": t(f"outcome.{outcome}") if known(f"outcome.{outcome}") else one(outcome),
            "strict": _figure(strict, scored), "compat": _figure(compat, scored),
            "steps": str(episode.steps),
            "tokens": f"{episode.tokens:,}" if episode.tokens else "–",
            "seconds": f"{episode.seconds:.1f}" if episode.seconds else "–",
            "reason": truncate(one(self._reason(episode)), 20),
            "question": truncate(one(self.stored.questions.get(episode.id, "") if self.stored else ""), room),
        }  # fmt: skip
        tone = "" if outcome in ("finished", UNFINISHED) else "bold"
        return [
            Text(
                values[name], style=tone if name == "outcome" else "", justify="right" if name in NUMERIC else "left"
            )
            for name in columns
        ]

    def _value(self, episode: EpisodeLine, rule: str) -> float | None:
        scored = self.stored.scores.get(episode.id) if self.stored is not None else None
        if scored is None or (rule == "strict" and episode.outcome in INFRASTRUCTURE):
            return None
        return scored[rule == "strict"]

    def _group(self, episode: EpisodeLine) -> str:
        return one(self.groups.get(episode.task_id, ("", ""))[language() == "en"])

    def _reason(self, episode: EpisodeLine) -> str:
        failed = self.failed.get(episode.id)
        if failed is not None and failed.verdict.main is not None:
            return LABELS[failed.verdict.main.failure][language() == "en"]
        return said(episode.reason) if episode.outcome not in ("finished", "") else ""

    @property
    def rows(self) -> list[EpisodeLine]:
        """The episodes that the filter leaves, in the order that was chosen."""
        if self.stored is None:
            return []
        found = [episode for episode in self.stored.episodes if self._wanted(episode)]
        values: Mapping[str, Callable[[EpisodeLine], Any]] = {
            WORST: self._badness,
            "task": lambda episode: _natural(episode.id), "group": self._group,
            "outcome": lambda episode: episode.outcome, "strict": lambda episode: self._value(episode, "strict"),
            "compat": lambda episode: self._value(episode, "compat"), "steps": lambda episode: episode.steps,
            "tokens": lambda episode: episode.tokens, "seconds": lambda episode: episode.seconds,
            "reason": self._reason,
            "question": lambda episode: self.stored.questions.get(episode.id, "") if self.stored else "",
        }  # fmt: skip
        value = values[self.order]
        there = [episode for episode in found if value(episode) is not None]
        none = [episode for episode in found if value(episode) is None]
        return sorted(there, key=value, reverse=self.reverse) + none

    def _badness(self, episode: EpisodeLine) -> tuple[int, float]:
        """What could not go on, then the worst scores, then what is not scored, then what is still open."""
        value = self._value(episode, "strict")
        value = self._value(episode, "compat") if value is None else value
        if not episode.outcome:
            return 3, 0.0
        if episode.outcome != "finished":
            return 0, value or 0.0
        return (2, 0.0) if value is None else (1, value)

    def _wanted(self, episode: EpisodeLine) -> bool:
        """Whether every word of the filter stands in something that the row shows."""
        outcome = episode.outcome or UNFINISHED
        said = [episode.id, self._group(episode), outcome, t(f"outcome.{outcome}"), self._reason(episode)]
        said += [self.stored.questions.get(episode.id, "")] if self.stored is not None else []
        text = " ".join(said).lower()
        return all(word in text for word in self.words.lower().split())

    @property
    def chosen(self) -> str:
        """The id of the episode at the cursor, '' where there is none."""
        table = self.query_one(RowsTable)
        rows: Sequence[Any] = table.ordered_rows if table.row_count else ()
        return str(rows[table.cursor_row].key.value) if 0 <= table.cursor_row < len(rows) else ""

    # wishes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action == "resume":
            if self.line.finished == self.line.n:
                return False
            return True if self.line.process is None else None
        if action == "pause":
            return self.line.process is not None
        if action == "review":
            return True if self.line.finished else None
        return True

    @on(DataTable.RowSelected)
    def _selected(self) -> None:
        self.action_open()

    @on(DataTable.HeaderSelected)
    def _headed(self, event: DataTable.HeaderSelected) -> None:
        """A click on the head of a column sorts by it, another one the other way round."""
        self.sort_by(str(event.column_key.value))

    def sort_by(self, column: str) -> None:
        """Sort by a column; by the same again: the other way round. Figures come largest first."""
        self.reverse = not self.reverse if column == self.order else column in NUMERIC
        self.order = column
        self._show_rows()

    def action_sort(self) -> None:
        """By the next column; after the last one as at first."""
        orders = (WORST, *COLUMNS)
        self.order, self.reverse = orders[(orders.index(self.order) + 1) % len(orders)], False
        if self.order in NUMERIC:
            self.reverse = True
        self._show_rows()

    def action_turn(self) -> None:
        self.reverse = not self.reverse
        self._show_rows()

    def action_find(self) -> None:
        self.query_one(FindBar).open()

    @on(FindBar.Changed)
    def _filtered(self, event: FindBar.Changed) -> None:
        self.words = event.words
        self._show_rows()
        self.query_one(FindBar).count(1, len(self.rows))

    @on(FindBar.Went)
    @on(FindBar.Left)
    def _found(self) -> None:
        """Back to the rows that are left; an empty filter leaves all."""
        self.query_one(FindBar).remove_class("-open")
        self.query_one(RowsTable).focus()

    def action_open(self) -> None:
        if self.chosen:
            failed = self.failed.get(self.chosen)
            step = failed.verdict.main.step if failed is not None and failed.verdict.main is not None else 0
            why = ""
            if failed is not None and failed.verdict.main is not None:
                reason = LABELS[failed.verdict.main.failure][language() == "en"]
                played = step and not self.line.source
                at = t("event.step", step=step) if played else t("failures.imported")
                why = t("run.why", reason=reason, at=at)
            self.desk.open_episode(self.line.path, self.chosen, step, why)

    async def action_review(self) -> None:
        """Score the episode at the cursor by hand; one that is not over: the run."""
        chosen = next((episode for episode in self.rows if episode.id == self.chosen), None)
        if self.line.finished:
            await self.desk.review(self.line.path, chosen.id if chosen is not None and chosen.outcome else "")

    def action_resume(self) -> None:
        self.desk.run_worker(self.desk.resume(self.line.path), name="resume", exit_on_error=False)
        self.dismiss()

    def action_pause(self) -> None:
        self.desk.ask_to_stop(self.line.path)

    def action_close(self) -> None:
        """Back to the list of runs; where rows are filtered, to all of them first."""
        if self.words:
            self.words = ""
            self.query_one(FindBar).clear()
            self._show_rows()
        else:
            self.dismiss()


def _figure(value: float | None, scored: bool) -> str:
    """A score in points; a dash where nobody scored yet."""
    if value is None:
        return t("scores.unscored") if scored else "—"
    return f"{POINTS * value:.1f}"


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Ids in the order in which a person counts: 2 before 10."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part) for part in parts)
