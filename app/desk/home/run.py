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
from typing import Any, ClassVar

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.widgets import DataTable

from app.desk.bindings import bindings
from app.desk.episode.renderers import one, player_name, step_list
from app.desk.home.plots import ProgressFigures, plot_rows
from app.desk.messages import EpisodeLine
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.lines import LinesPane
from app.desk.widgets.tables import RowsTable, SortedScreen
from app.library import RunContents, RunLine, read_groups, read_stored
from app.strings import language, t, term
from app.strings.sentences import translated
from app.terminal import truncate, width
from app.words import failure_name
from store import places
from store.errors import StoreError
from store.writer import Writer, writers
from tasks.episode.scheduler import UNFINISHED
from tasks.run.failing import EpisodeFailure, RunFailures, failures_of
from tasks.run.figures import Figures, figures_of
from tasks.run.following import standing
from tasks.scoring.names import Names
from tasks.scoring.result import INFRASTRUCTURE


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
LOOK = 2.0
"""Seconds between two looks at a run that is played."""
POINTS = 100.0


def _read(line: RunLine) -> tuple[RunContents, RunLine, float]:
    """The run as it is now, its line, and the seconds that this took."""
    began = time.monotonic()
    stored = read_stored(line.path)
    now = counted(line, played().get(line.path.name))
    return stored, now, time.monotonic() - began


class RunScreen(SortedScreen):
    """Plots over the table of one run file."""

    CSS_PATH = "home.tcss"
    area = "run"
    help_id = "episodes"
    BINDINGS: ClassVar[list[BindingType]] = bindings("run")
    TITLES = {"#plots": "plots.title"}
    ABSENT = frozenset({"pause"})
    ORDERS = COLUMNS
    LARGEST_FIRST = NUMERIC

    def __init__(self, line: RunLine) -> None:
        super().__init__(classes="-run")
        self.line = line
        self.stored: RunContents | None = None
        self.figures: Figures | None = None
        self.groups: Mapping[str, Names] = {}
        self.failed: Mapping[str, EpisodeFailure] = {}
        """Why episodes failed."""
        self.unreadable = False
        self._why = ""
        self._rest = 0.0
        self._first: tuple[float, int] | None = None
        self._rate: float | None = None

    def panes(self) -> ComposeResult:
        yield LinesPane("plots", id="plots")
        yield RowsTable()
        yield FindBar("find.filter")

    def on_mount(self) -> None:
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
            self.read()

    def reload(self) -> None:
        if not self.unreadable:
            self.read()

    def read(self) -> None:
        self.job("stored", partial(_read, self.line), self._have, self._cannot_read)

    def _cannot_read(self, error: BaseException) -> None:
        self.unreadable = True

    def _have(self, found: tuple[RunContents, RunLine, float]) -> None:
        first, self.unreadable = self.stored is None, False
        self.stored, self.line, seconds = found
        self._rest = time.monotonic() + seconds
        self._measure()
        path = self.line.path
        if first:
            self.job("groups", partial(read_groups, path), self._have_groups, self._lacks)
        if self.line.finished and not self.moves:
            self.job("figures", partial(figures_of, path), self._have_figures, self._lacks)
            if self.stored.n <= len(self.stored.episodes):
                self.job("failures", partial(failures_of, path), self._have_failures, self._lacks)
        self.show()

    def _have_groups(self, found: Mapping[str, Names]) -> None:
        self.groups = found
        self.show()

    def _have_figures(self, found: Figures) -> None:
        self.figures, self._why = found, ""
        self.show()

    def _have_failures(self, found: RunFailures) -> None:
        self.failed = {failed.episode: failed for failed in found.episodes}
        self.show()

    def _lacks(self, error: BaseException) -> bool:
        """What cannot be read of the run is said above its plots."""
        self._why = translated(str(getattr(error, "title", None) or error))
        self.show()
        return True

    def _measure(self) -> None:
        """The pace since the screen was opened, where nobody else knows it."""
        now = time.monotonic()
        if self._first is None or not self.moves:
            self._first = now, self.line.finished
        began, there = self._first
        fresh, minutes = self.line.finished - there, (now - began) / 60
        self._rate = self.line.pace or (fresh / minutes if fresh > 0 and minutes > 0 else None)

    def show(self) -> None:
        line = self.line
        words = [term("benchmark", line.benchmark), player_name(line)]
        words += [one(line.pack)] if line.pack else []
        if line.fictional:
            words.append(t("mark.fictional"))
        if line.process is not None:
            words = [f"{t('list.playing')} {line.finished}/{line.n}", *words]
        if self.stored is not None and self.stored.n > len(self.stored.episodes):
            words.append(t("run.first", n=len(self.stored.episodes), of=self.stored.n))
        self.show_title(*words, one(line.id))
        why = self._why or (t("plots.reading") if self.stored is None or not self.moves else "")
        counts = Counter(failed.verdict.main.failure for failed in self.failed.values() if failed.verdict.main)
        reasons = tuple((failure_name(name), count) for name, count in counts.most_common())
        self.query_one("#plots", LinesPane).draw(partial(plot_rows, self._standing(), self.figures, why, reasons))
        self._show_rows()

    def _standing(self) -> ProgressFigures | None:
        if self.stored is None:
            return None
        found = [strict for _, strict in self.stored.scores.values() if strict is not None]
        mean = POINTS * sum(found) / len(found) if found else None
        return ProgressFigures(self.line.outcomes, self._rate, mean, self.moves)

    # the table

    def _show_rows(self) -> None:
        table, rows = self.query_one(RowsTable), self.rows
        columns = [name for name in COLUMNS if self.size.width >= NARROW or name not in LESS]
        names = max((width(one(episode.id)) for episode in rows), default=0)
        spared = sum(cells for name, cells in LESS.items() if name not in columns)
        marks = max((width(_by_people(episode)) for episode in rows), default=0)
        room = max(20, self.size.width - FIXED + spared - max(names, 4) - marks)
        heads = [self.head(name, t(f"column.{name}"), "right" if name in NUMERIC else "left") for name in columns]
        table.fill(heads, ((episode.id, self._cells(episode, room, columns)) for episode in rows))
        if self.stored is not None:
            of = f" · {t('run.filtered', n=len(rows), of=len(self.stored.episodes))}" if self.words else ""
            table.border_title = f"{t('run.episodes')}{of}"

    def _cells(self, episode: EpisodeLine, room: int, columns: Sequence[str]) -> list[Text]:
        strict, compat = (self._value(episode, rule) for rule in ("strict", "compat"))
        scored = self.stored is not None and episode.id in self.stored.scores
        outcome = episode.outcome or UNFINISHED
        values = {
            "task": one(episode.id),
            "group": self._group(episode),
            "outcome": term("outcome", outcome) + _by_people(episode),
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
            return failure_name(failed.verdict.main.failure)
        return translated(episode.reason) if episode.outcome not in ("finished", "") else ""

    @property
    def rows(self) -> list[EpisodeLine]:
        if self.stored is None:
            return []
        found = [episode for episode in self.stored.episodes if self._fits(episode)]
        values: Mapping[str, Callable[[EpisodeLine], Any]] = {
            "": self._badness,
            "task": lambda episode: _natural(episode.id), "group": self._group,
            "outcome": lambda episode: episode.outcome, "strict": lambda episode: self._value(episode, "strict"),
            "compat": lambda episode: self._value(episode, "compat"), "steps": lambda episode: episode.steps,
            "tokens": lambda episode: episode.tokens, "seconds": lambda episode: episode.seconds,
            "reason": self._reason,
            "question": lambda episode: self.stored.questions.get(episode.id, "") if self.stored else "",
        }  # fmt: skip
        return self.sorted(found, values[self.order])

    def _badness(self, episode: EpisodeLine) -> tuple[int, float]:
        """What could not go on, then the worst scores, then what is not scored, then what is still open."""
        value = self._value(episode, "strict")
        value = self._value(episode, "compat") if value is None else value
        if not episode.outcome:
            return 3, 0.0
        if episode.outcome != "finished":
            return 0, value or 0.0
        return (2, 0.0) if value is None else (1, value)

    def _fits(self, episode: EpisodeLine) -> bool:
        outcome = episode.outcome or UNFINISHED
        said = [episode.id, self._group(episode), outcome, t(f"outcome.{outcome}"), self._reason(episode)]
        said += [self.stored.questions.get(episode.id, "")] if self.stored is not None else []
        return self.matches(" ".join(said))

    @property
    def chosen(self) -> str:
        return self.query_one(RowsTable).chosen

    # wishes

    def possible(self) -> dict[str, object]:
        played = self.line.process is not None
        return {"resume": not played, "pause": played, "review": self.line.finished}

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        complete = action == "resume" and self.line.finished == self.line.n
        return False if complete else super().check_action(action, parameters)

    @on(DataTable.RowSelected)
    def _selected(self) -> None:
        self.action_open()

    def action_turn(self) -> None:
        self.reverse = not self.reverse
        self.show()

    def action_open(self) -> None:
        if self.chosen:
            failed = self.failed.get(self.chosen)
            step = failed.verdict.main.step if failed is not None and failed.verdict.main is not None else 0
            self.desk.open_episode(self.line.path, self.chosen, step)

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

    async def leave(self) -> None:
        self.dismiss()


def _figure(value: float | None, scored: bool) -> str:
    if value is None:
        return t("scores.unscored") if scored else "—"
    return f"{POINTS * value:.1f}"


def _by_people(episode: EpisodeLine) -> str:
    return t("run.people", steps=step_list(episode.people)) if episode.people else ""


def _natural(text: str) -> tuple[tuple[int, int, str], ...]:
    """Ids in the order in which a person counts: 2 before 10."""
    parts = re.findall(r"\d+|\D+", text)
    return tuple((0, len(part.lstrip("0")), part.lstrip("0")) if part.isdecimal() else (1, 0, part) for part in parts)
