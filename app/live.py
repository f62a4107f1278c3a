"""A run in motion: one thread owns the scheduler and everything it touches; the desk sends it wishes and gets messages.

Wishes are callables on a queue; between two steps the thread takes the next one, so that pause, cancel and quit always
work. Notices of the scheduler (facts already on disk) become messages. Pace is in seconds a step.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from itertools import count
from pathlib import Path

from app.messages import (
    Closed,
    Ended,
    EpisodeLine,
    Failed,
    Happened,
    HumanAsked,
    LiveMessage,
    Moving,
    Progressed,
    RunFacts,
    RunOpened,
    Watched,
)
from tasks.driver import Driver
from tasks.events import Seated, Stopped
from tasks.runner import Run
from tasks.watcher import Committed, EpisodeEnded, Notice, Waiting

Wish = Callable[[Run], None]
PACES = (1.6, 0.8, 0.35, 0.1, 0.0)
"""Seconds between two steps that follow each other by themselves."""
POLL = 0.2
_numbers = count(1)


class LiveRun:
    """One run and its thread. `opener` makes the run inside the thread; `post` takes messages from any thread."""

    def __init__(
        self, opener: Callable[[], Run], post: Callable[[LiveMessage], object], *, episode: str | None = None,
        mode: str = "paused", then: Wish | None = None,
    ) -> None:  # fmt: skip
        self.number = next(_numbers)
        self.pace = 1
        self.path: Path | None = None
        self._opener = opener
        self._post = post
        self._watched = episode or ""
        self._mode = mode
        self._wishes: queue.SimpleQueue[Wish] = queue.SimpleQueue()
        self._closing = threading.Event()
        self.closed = threading.Event()
        self._done = 0
        self._told = 0.0
        if then is not None:
            self._wishes.put(then)

    # wishes, from the thread of the desk

    def step(self, episode: str) -> None:
        """One step of an episode."""
        self._wishes.put(lambda run: self._step(run, episode, "paused"))

    def auto(self, episode: str) -> None:
        """Go on with an episode until it ends, waits for a person, or another wish comes."""
        self._wishes.put(lambda run: self._step(run, episode, "auto"))

    def run_all(self) -> None:
        """Drive every episode to its end."""
        self._wishes.put(lambda run: self._move("all"))

    def pause(self) -> None:
        """Stop after the step that is being made."""
        self._wishes.put(lambda run: self._move("paused"))

    def say(self, episode: str, text: str) -> None:
        """What the person in the seat said."""
        self._wishes.put(lambda run: run.scheduler.answer(episode, text))

    def seat(self, episode: str, seated: Seated, *, ask: bool = False) -> None:
        """Somebody takes a seat; with `ask` the next step begins at once, so that a person gets the question."""

        def change(run: Run) -> None:
            self._move("paused")
            run.scheduler.seat(episode, seated)
            if ask:
                run.scheduler.step(episode)

        self._wishes.put(change)

    def cancel(self, episode: str) -> None:
        """End an episode where it stands."""
        self._wishes.put(lambda run: run.scheduler.cancel(episode))

    def watch(self, episode: str) -> None:
        """Send the messages of this episode from now on."""
        self._wishes.put(lambda run: self._watch(run, episode))

    def close(self) -> None:
        """Store the run and end the thread after the step that is being made."""
        self._closing.set()

    # the thread

    def work(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        """The body of the thread."""
        try:
            run = self._opener()
        except Exception as error:
            self._tell_failure(error, fatal=True)
            self.closed.set()
            self._post(Closed(self.number))
            return
        try:
            with run:
                self._begin(run)
                while not self._closing.is_set() and not cancelled():
                    self._turn(run)
                with suppress(Exception):
                    run.record_scores()
        except Exception as error:
            self._tell_failure(error, fatal=True)
        finally:
            self.closed.set()
            self._post(Closed(self.number))

    def notify(self, notice: Notice) -> None:
        """A notice of the scheduler, in its thread."""
        match notice:
            case Committed(episode, records, state):
                if episode == self._watched:
                    self._post(Happened(self.number, episode, records, state))
                self._done += sum(isinstance(record.event, Stopped) for record in records)
            case Waiting(episode, ask):
                if episode == self._watched:
                    self._post(HumanAsked(self.number, episode, ask))
                    self._move("paused")
            case EpisodeEnded(episode, stopped):
                if episode == self._watched:
                    self._post(Ended(self.number, episode, stopped))

    def _begin(self, run: Run) -> None:
        self.path = run.journal.path
        run.scheduler.watchers.append(self)
        episodes = run.scheduler.episodes
        if self._watched not in episodes:
            unfinished = (name for name, driver in episodes.items() if not driver.stopped)
            self._watched = next(unfinished, next(iter(episodes), ""))
        self._done = sum(driver.stopped for driver in episodes.values())
        facts = RunFacts(run.id, run.journal.path, run.journal.header)
        self._post(RunOpened(self.number, facts, tuple(_line(driver) for driver in episodes.values())))
        self._watch(run, self._watched)
        self._post(Moving(self.number, self._mode))

    def _turn(self, run: Run) -> None:
        try:
            wish = self._next()
            if wish is not None:
                wish(run)
            elif self._mode == "auto":
                self._step(run, self._watched, "auto")
            elif self._mode == "all":
                self._step_all(run)
        except Exception as error:
            self._move("paused")
            if getattr(error, "exit_code", None) is None:
                raise
            self._tell_failure(error, fatal=False)

    def _next(self) -> Wish | None:
        with suppress(queue.Empty):
            if self._mode == "all":
                return self._wishes.get_nowait()
            pace = PACES[self.pace] if self._mode == "auto" else POLL
            return self._wishes.get(timeout=pace) if pace else self._wishes.get_nowait()
        return None

    def _step(self, run: Run, episode: str, mode: str) -> None:
        driver = run.scheduler.episodes[episode]
        if driver.stopped:
            return self._move("paused")
        self._move(mode)
        goes_on = run.scheduler.step(episode)
        if driver.stopped:
            run.record_scores()
            self._tell_progress(run)
        if not goes_on:
            self._move("paused")
        return None

    def _step_all(self, run: Run) -> None:
        def go_on() -> bool:
            self._tell_progress(run, seldom=True)
            return self._wishes.empty() and not self._closing.is_set()

        run.scheduler.run(parallel=run.spec.parallel, go_on=go_on)
        left = [driver for driver in run.scheduler.episodes.values() if not driver.stopped and driver.ask is None]
        self._tell_progress(run)
        if not left:
            run.record_scores()
            self._move("paused")

    def _watch(self, run: Run, episode: str) -> None:
        driver = run.scheduler.episodes.get(episode)
        if driver is not None:
            self._watched = episode
            self._post(Watched(self.number, episode, driver.state, driver.ask))

    def _move(self, mode: str) -> None:
        if mode != self._mode:
            self._mode = mode
            self._post(Moving(self.number, mode))

    def _tell_progress(self, run: Run, *, seldom: bool = False) -> None:
        now = time.monotonic()
        if not seldom or now - self._told > 0.1:
            self._told = now
            self._post(Progressed(self.number, self._done, len(run.scheduler.episodes)))

    def _tell_failure(self, error: Exception, *, fatal: bool) -> None:
        title = getattr(error, "title", None) or f"{type(error).__name__}: {error}"
        self._post(Failed(self.number, str(title), str(getattr(error, "hint", "")), fatal))


def _line(driver: Driver) -> EpisodeLine:
    stopped = driver.state.stopped
    return EpisodeLine(driver.episode, driver.state.task_id, driver.state.steps, stopped.outcome if stopped else "")
