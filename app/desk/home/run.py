"""The episodes of one run: task, steps, outcome, both scores. Enter opens one."""

from __future__ import annotations

import time
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Label
from textual.worker import Worker, WorkerState

from app.desk.bindings import bindings
from app.desk.episode.renderers import one, policy_name
from app.desk.home.played import counted, played
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.rows import RowsTable
from app.desk.widgets.score_strip import rate
from app.library import RunLine, StoredRun, read_stored
from app.ports import OnDesk
from app.strings import known, t
from app.terminal import truncate, width
from tasks.episode.episodes import UNFINISHED

FIXED = 47
"""Cells that all columns but task and question take, with frames and the space between columns."""
COLUMNS = ("task", "steps", "outcome", "compat", "strict", "question")
LOOK = 2.0
"""Seconds between two looks at a run that another process plays."""


def _read(line: RunLine) -> tuple[StoredRun, RunLine, float]:
    """The run as it is now, its line, and the seconds that this took."""
    began = time.monotonic()
    stored = read_stored(line.path)
    now = counted(line, played().get(line.path.name))
    return stored, now, time.monotonic() - began


class RunScreen(OnDesk, Screen[None]):
    """A table over one run file."""

    CSS_PATH = "home.tcss"
    area = "run"
    help_id = "episodes"
    BINDINGS: ClassVar[list[BindingType]] = bindings("run")

    def __init__(self, line: RunLine) -> None:
        super().__init__(classes="-run")
        self.line = line
        self.stored: StoredRun | None = None
        self.unreadable = False
        self._rest = 0.0

    def compose(self) -> ComposeResult:
        """Title, table, keys."""
        yield Label("", id="title", markup=False)
        yield RowsTable(cursor_type="row", id="table")
        yield KeyBar(("run", "app"), id="keys")

    def on_mount(self) -> None:
        """Read the run."""
        self.retranslate()
        self.query_one(RowsTable).focus()
        self.set_interval(LOOK, self._look)

    def _look(self) -> None:
        """Read on while another process plays the run; a large one at most half of the time."""
        busy = any(worker.group == "stored" and not worker.is_finished for worker in self.workers)
        if self.is_current and self.line.process is not None and not busy and time.monotonic() > self._rest:
            self.reload()

    def on_resize(self) -> None:
        """Other widths fit."""
        self.call_after_refresh(self.retranslate)

    def on_screen_resume(self) -> None:
        """Back from an episode: things have changed. What could not be read is not tried again by itself."""
        if not self.unreadable:
            self.reload()

    def reload(self) -> None:
        """Read the run again."""
        job = partial(_read, self.line)
        self.run_worker(job, name="stored", group="stored", thread=True, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """The episodes, or why they cannot be read."""
        self.unreadable = event.state == WorkerState.ERROR
        if not self.desk.worker_failed(event) and event.worker.name == "stored" and event.worker.result is not None:
            self.stored, self.line, seconds = event.worker.result
            self._rest = time.monotonic() + seconds
            self.retranslate()

    def retranslate(self) -> None:
        """All words in the current language."""
        line = self.line
        name = f"benchmark.{line.benchmark}"
        words = [t(name) if known(name) else one(line.benchmark), policy_name(line.agent, line.model)]
        words += [one(line.pack)] if line.pack else []
        if line.fictional:
            words.append(t("mark.fictional"))
        if line.process is not None:
            pace = [t("home.pace", rate=f"{line.pace:.0f}")] if line.pace else []
            words = [f"{t('list.playing')} {line.finished}/{line.n}", *pace, *words]
        if self.stored is not None and self.stored.uncovered:
            words.append(t("mark.uncovered"))
        if self.stored is not None and self.stored.n > len(self.stored.episodes):
            words.append(t("run.first", n=len(self.stored.episodes), of=self.stored.n))
        self.query_one(KeyBar).refresh()
        self.query_one("#title", Label).update(
            truncate(" · ".join([*words, one(line.id)]), max(20, self.size.width - 2))
        )
        table = self.query_one(RowsTable)
        at = table.cursor_row
        table.clear(columns=True)
        for column in COLUMNS:
            numeric = column in ("steps", "compat", "strict")
            table.add_column(Text(t(f"column.{column}"), justify="right" if numeric else "left"), key=column)
        if self.stored is None:
            return
        names = max((width(one(episode.id)) for episode in self.stored.episodes), default=0)
        room = max(20, self.size.width - FIXED - max(names, 4))
        for episode in self.stored.episodes:
            scored = self.stored.scores.get(episode.id)
            rates = (
                (t("scores.unscored") if value is None else rate(value) for value in scored) if scored else ("—", "—")
            )
            outcome = episode.outcome or UNFINISHED
            table.add_row(
                Text(one(episode.id)),
                Text(str(episode.steps), justify="right"),
                Text(t(f"outcome.{outcome}")),
                *(Text(figure, justify="right") for figure in rates),
                Text(truncate(one(self.stored.questions.get(episode.id, "")), room)),
                key=episode.id,
            )
        if self.stored.episodes:
            table.move_cursor(row=min(at, len(self.stored.episodes) - 1), animate=False)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """An ended run cannot go on, nor one that goes on elsewhere."""
        if action == "resume":
            return True if self.line.finished < self.line.n and self.line.process is None else None
        if action == "pause":
            return self.line.process is not None
        if action == "review":
            return True if self.line.finished else None
        return True

    def on_data_table_row_selected(self) -> None:
        """Enter or a click."""
        self.action_open()

    def action_open(self) -> None:
        """Show the episode."""
        row = self.query_one(RowsTable).cursor_row
        if self.stored is not None and 0 <= row < len(self.stored.episodes):
            self.desk.open_episode(self.line.path, self.stored.episodes[row].id)

    async def action_review(self) -> None:
        """Score the episode at the cursor by hand; one that is not over: the run."""
        row, episodes = self.query_one(RowsTable).cursor_row, self.stored.episodes if self.stored is not None else ()
        if self.line.finished:
            ended = 0 <= row < len(episodes) and bool(episodes[row].outcome)
            await self.desk.review(self.line.path, episodes[row].id if ended else "")

    def action_resume(self) -> None:
        """Go on with the run."""
        self.desk.run_worker(self.desk.resume(self.line.path), name="resume", exit_on_error=False)
        self.dismiss()

    def action_pause(self) -> None:
        """Ask the process that plays the run to stop it."""
        self.desk.ask_to_stop(self.line.path)

    def action_close(self) -> None:
        """Back to the list of runs."""
        self.dismiss()
