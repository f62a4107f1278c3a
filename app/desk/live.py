"""A run in motion: one thread owns the scheduler and everything it touches; the controller sends it wishes and gets
notices.

Wishes are callables on a queue; between two steps the thread takes the next one, so that pause and cancel always
work. Only `stop` and `close` reach into a call: they interrupt it from the thread of the desk. Notices of the
scheduler (facts already on disk) are passed on. What streams is not: the controller is told once that there is more,
fetches the newest state when it has time, and is told again only after that.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import count, takewhile
from pathlib import Path

from app.desk.episode.open_turn import OpenTurn
from app.desk.messages import (
    EngineRetry,
    EpisodeLine,
    EpisodesFinished,
    EpisodeWatched,
    Fact,
    OpenTurnChanged,
    PlayMode,
    Post,
    RunClosed,
    RunFacts,
    RunFailed,
    RunOpened,
)
from app.library import read_records
from app.strings import t
from app.strings.sentences import error_text
from app.words import away_text
from models.engine import Ask, Delta, EngineError
from store.writer import on_stop_requested, writer_of
from tasks.episode.driver import Driver
from tasks.episode.events import Record, Said, Seated, StepEnded, Stopped
from tasks.episode.scheduler import (
    HUMAN,
    EngineUnavailable,
    EpisodeEnded,
    Notice,
    RecordsCommitted,
    ReplyStream,
    SeatWaiting,
)
from tasks.episode.state import State, fold
from tasks.run.following import Follower
from tasks.run.header import header_of
from tasks.run.opened import Run
from tasks.run.reading import read_episode


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast steps follow each other by themselves: the least time between two, and a reader's characters a
    second."""

    seconds: float
    reads: float

    def pause(self, records: Iterable[Record], spent: float = 0.0) -> float:
        """Seconds to wait after a step with these records; `spent` went by while it was being made, before
        everybody's eyes."""
        said = sum(len(record.event.text) for record in records if isinstance(record.event, Said))
        reading = min(said / self.reads, LONGEST) if self.reads else 0.0
        return max(self.seconds, reading - spent)


PACES = (Pace(1.6, 6.0), Pace(0.8, 12.0), Pace(0.35, 30.0), Pace(0.1, 120.0), Pace(0.0, 0.0))
"""From reading aloud to as fast as it goes; a speed of 0 waits for no reader."""
LONGEST = 45.0
"""Seconds that an utterance stays at most: a judgment is longer than anybody watches a still screen."""


@dataclass(frozen=True, slots=True)
class LastStep:
    """The last step that was made: what it brought, how long it took, and when it was over."""

    records: tuple[Record, ...] = ()
    spent: float = 0.0
    ended: float = 0.0

    @classmethod
    def of(cls, records: Sequence[Record], began: float, ended: float) -> LastStep:
        """The last step of an episode with these records."""
        step = records[-1].step if records else 0
        return cls(tuple(takewhile(lambda record: record.step == step, reversed(records))), ended - began, ended)

    def rest(self, pace: int, now: float) -> float:
        return self.ended + PACES[pace].pause(self.records, self.spent) - now


Wish = Callable[[Run], None]
clock = time.monotonic
"""Seconds; what the speed of a model and the time it takes are measured with."""

POLL = 0.2
_numbers = count(1)


class RunThread:
    """What is known in a thread of one run; `post` takes what becomes known there."""

    def __init__(self, post: Post) -> None:
        self.number = next(_numbers)
        self.closed = threading.Event()
        self._post = post

    def _tell(self, notice: Notice | Fact) -> None:
        self._post(self.number, notice)

    def _tell_failure(self, error: Exception) -> None:
        title = getattr(error, "title", None) or f"{type(error).__name__}: {error}"
        self._tell(RunFailed(str(title), str(getattr(error, "hint", ""))))


class LiveRun(RunThread):
    """One run and the thread that plays it. `opener` makes the run inside the thread."""

    def __init__(
        self, opener: Callable[[], Run], post: Post, *, episode: str | None = None, mode: str = "paused"
    ) -> None:
        super().__init__(post)
        self.pace = 1
        self.path: Path | None = None
        self._opener = opener
        self._watched = episode or ""
        self._facts: RunFacts | None = None
        self._mode = mode
        self._wishes: queue.SimpleQueue[Wish] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._done = 0
        self._told = 0.0
        self._troubles: set[str] = set()
        self._run: Run | None = None
        self._watching = threading.RLock()
        self._states: dict[str, State] = {}
        self._asks: dict[str, Ask] = {}
        self._turns: dict[str, OpenTurn] = {}
        self._news = False
        self._stopping = threading.Event()
        self._idle = False
        self._made = LastStep()

    # wishes, from the thread of the desk

    def step(self, episode: str) -> None:
        self._wishes.put(lambda run: self._step(run, episode, "paused"))

    def auto(self, episode: str) -> None:
        """Go on with an episode until it ends, waits for a person, or another wish comes."""
        self._wishes.put(lambda run: self._step(run, episode, "auto"))

    def pause(self) -> None:
        self._wishes.put(lambda run: self._move("paused"))

    def say(self, episode: str, text: str) -> None:
        """What the person in the seat said; the others go on by themselves until a person is asked again."""

        def speak(run: Run) -> None:
            driver = run.scheduler.episodes[episode]
            began = clock()
            run.scheduler.answer(episode, text)
            self._made = LastStep.of(driver.state.records, began, clock())
            if episode not in self._asks and not driver.stopped and not run.scheduler.lost:
                self._move("auto")

        self._wishes.put(speak)

    def seat(self, episode: str, seated: Seated, *, ask: bool = False) -> None:
        """Somebody takes a seat; with `ask` the next step begins at once, so that a person gets the question."""

        def change(run: Run) -> None:
            self._move("paused")
            run.seat(episode, seated)
            if ask:
                run.scheduler.step(episode)

        self._wishes.put(change)

    def watch(self, episode: str) -> None:
        """Send the messages of this episode from now on, '' is the one that was watched: at once, even in the middle
        of a call. Who has looked at another run meanwhile hears first which one this is."""
        with self._watching:
            run, episode = self._run, episode or self._watched
            if run is None or not self._states:
                self._watched = episode
            elif episode in run.scheduler.episodes and not self.closed.is_set():
                self._tell_run(run)
                if episode not in self._states:
                    if run.scheduler.episodes.outcome(episode):
                        self._states[episode] = fold(read_episode(run.journal, episode))
                    elif (driver := run.scheduler.episodes.moving.get(episode)) is not None:
                        # in its first step, nothing of which is on disk: it is shown as it began
                        begun = (record for record in driver.state.records if record.step == 0)
                        self._states[episode] = fold(begun)
                if episode in self._states:
                    self._watch(episode)
                else:  # it has not begun: the thread makes it between two steps
                    self._wishes.put(lambda run: self._prepare(run, episode))

    def _prepare(self, run: Run, episode: str) -> None:
        with self._watching:
            self._states[episode] = run.scheduler.episodes[episode].state
            self._watch(episode)

    def _watch(self, episode: str) -> None:
        """Of those that are over only the one that is watched stays in memory."""
        self._watched = episode
        self._news = False
        self._tell(EpisodeWatched(episode, self._states[episode], self._asks.get(episode)))
        for name in [name for name, state in self._states.items() if state.stopped and name != episode]:
            del self._states[name]

    def stop(self) -> None:
        """Break off the turn that is being made, at once: nothing of it is recorded, its question stays open."""
        self._stopping.set()
        self._interrupt()
        self._wishes.put(self._stopped)

    def close(self) -> None:
        """Store the run and end the thread; a call in flight is broken off. Calling it again does no harm."""
        self._closing.set()
        self._interrupt()

    def abandon(self) -> None:
        """Close the engines under a call that does not end although it was told to. May take a second."""
        self.close()
        run = self._run
        for engine in list(run.scheduler.engines.values()) if run is not None and not self.closed.is_set() else ():
            with suppress(OSError, ValueError, EngineError):
                engine.close()

    def turn(self, episode: str) -> OpenTurn | None:
        """The open turn of an episode as it now stands; `OpenTurnChanged` comes again only after this was read."""
        self._news = False
        return self._turns.get(episode)

    def _interrupt(self) -> None:
        """Reach into the call in flight. What an engine cannot be told any more, it has ended by itself."""
        if self._run is not None and not self.closed.is_set():
            with suppress(OSError, ValueError, EngineError):
                self._run.scheduler.interrupt()

    @property
    def moves(self) -> bool:
        """Whether it goes on by itself, and is not at its end."""
        run = self._run
        left = run is not None and run.scheduler.episodes.open > 0
        return left and self._mode != "paused" and not self.closed.is_set()

    @property
    def has_people(self) -> bool:
        with self._watching:
            left = [state for state in self._states.values() if state.stopped is None]
        if self._run is not None and HUMAN in (self._run.spec.agent, *self._run.spec.seats.values()):
            return True
        return any(sits.engine == HUMAN for state in left for sits in state.seats.values())

    # the thread

    def work(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        try:
            run = self._opener()
        except Exception as error:
            self._tell_failure(error)
            self.closed.set()
            self._tell(RunClosed())
            return
        self._run = run
        try:
            with run, on_stop_requested(run.journal.path, self._wished):
                self._begin(run)
                while not self._closing.is_set() and not cancelled():
                    self._go_on(run)
                with suppress(Exception):
                    run.record_scores()
        except Exception as error:
            self._tell_failure(error)
        finally:
            self.closed.set()
            self._tell(RunClosed())

    def _wished(self) -> None:
        """Another process asked that the run stops."""
        self._tell(EngineRetry(t("played.wished")))
        self.close()

    def notify(self, notice: Notice) -> None:
        match notice:
            case ReplyStream(delta):
                self._stream(delta)
            case RecordsCommitted(episode, records, state):
                self._close_turn(episode, records)
                with self._watching:
                    self._states[episode] = state
                    if state.stopped is not None and episode != self._watched:
                        del self._states[episode]
                    self._asks.pop(episode, None)
                    self._pass_on(notice)
                self._done += sum(isinstance(record.event, Stopped) for record in records)
            case SeatWaiting(episode, ask):
                self._turns.pop(episode, None)
                with self._watching:
                    self._asks[episode] = ask
                    self._pass_on(notice)
                if episode == self._watched and self._mode == "auto":
                    self._move("paused")
            case EpisodeEnded():
                self._pass_on(notice)
            case EngineUnavailable(_, error, None):
                self._tell(RunFailed(away_text(notice), error.hint))
            case EngineUnavailable():
                self._tell(EngineRetry(away_text(notice)))

    def _pass_on(self, notice: RecordsCommitted | SeatWaiting | EpisodeEnded) -> None:
        """News of an episode, if it is the one that is watched."""
        if notice.episode == self._watched:
            self._tell(notice)

    def _tell_run(self, run: Run) -> None:
        """Which run this is, and whether it goes on by itself."""
        assert self._facts is not None
        of = run.scheduler.episodes
        lines = tuple(EpisodeLine(row.id, row.task_id, 0, of.outcome(row.id)) for row in run.rows.values())
        self._tell(RunOpened(self._facts, lines))
        self._tell(PlayMode(self._mode))

    def _begin(self, run: Run) -> None:
        self.path = run.journal.path
        run.scheduler.watchers.append(self)
        episodes = run.scheduler.episodes
        if self._watched not in episodes:
            self._watched = next((name for name in episodes if not episodes.outcome(name)), next(iter(episodes), ""))
        self._done = len(episodes) - episodes.open
        self._facts = RunFacts(run.id, run.journal.path, header_of(run.journal))
        self._tell_run(run)
        if self._watched:
            self._prepare(run, self._watched)
        self._tell_troubles(run)

    # the open turn

    def _stream(self, delta: Delta) -> None:
        """News of a call in flight. Who wanted it stopped before it could be told so is heard now."""
        run = self._run
        driver = None if run is None else run.scheduler.episodes.moving.get(delta.episode)
        if driver is None:
            return
        if self._stopping.is_set() or self._closing.is_set():
            return self._interrupt()
        turn = self._turns.get(delta.episode) or self._asked(driver)
        self._set_turn(delta.episode, turn.after(delta, clock()))
        return None

    def _asked(self, driver: Driver) -> OpenTurn:
        return OpenTurn(driver.episode, driver.step_number, clock())

    def _set_turn(self, episode: str, turn: OpenTurn | None) -> None:
        if turn is not None:
            self._turns[episode] = turn
        else:
            self._turns.pop(episode, None)
        if episode == self._watched and not self._news:
            self._news = True
            self._tell(OpenTurnChanged(episode))

    def _open_turn(self, driver: Driver) -> None:
        """A step begins: where a model holds a seat it will be asked, and may say nothing for a while."""
        if any(seated.engine not in ("", HUMAN) for seated in driver.state.seats.values()):
            self._set_turn(driver.episode, self._asked(driver))

    def _close_turn(self, episode: str, records: tuple[Record, ...]) -> None:
        """The turn is on disk; where the step goes on, the next one is expected."""
        known = self._turns.pop(episode, None)
        ended = any(isinstance(record.event, StepEnded | Stopped) for record in records)
        if known is not None and known.under_way and self._run is not None and not ended:
            self._open_turn(self._run.scheduler.episodes[episode])

    def _after_calls(self, run: Run) -> None:
        """No call is in flight: a question that is still open to a model was broken off."""
        for episode, turn in list(self._turns.items()):
            driver = run.scheduler.episodes.moving.get(episode)
            if driver is None or driver.ask is None or episode in self._asks:
                self._set_turn(episode, None)
            elif turn.under_way:
                self._set_turn(episode, turn.stopped())

    def _stopped(self, run: Run) -> None:
        self._stopping.clear()
        self._move("paused")

    # steps

    def _go_on(self, run: Run) -> None:
        try:
            wish = self._next()
            if wish is not None:
                self._idle = False
                wish(run)
            elif self._mode == "auto":
                self._step(run, self._watched, "auto")
            elif self._mode == "all" and not self._idle:
                self._step_all(run)
        except Exception as error:
            self._move("paused")
            if getattr(error, "exit_code", None) is None:
                raise
            self._tell_failure(error)
            self._ask_again()
        finally:
            self._after_calls(run)

    def _ask_again(self) -> None:
        """What a person said could not be taken: the question stands."""
        with self._watching:
            ask = self._asks.get(self._watched)
            if ask is not None:
                self._tell(SeatWaiting(self._watched, ask))

    def _next(self) -> Wish | None:
        """The next wish; None when it is time for another step, or nobody wished for anything."""
        with suppress(queue.Empty):
            if self._mode == "all" and not self._idle:
                return self._wishes.get_nowait()
            while self._mode == "auto" and (rest := self._made.rest(self.pace, clock())) > 0:
                # A moment at a time: another pace counts at once.
                with suppress(queue.Empty):
                    return self._wishes.get(timeout=min(rest, POLL))
                if self._closing.is_set():
                    return None
            return self._wishes.get_nowait() if self._mode == "auto" else self._wishes.get(timeout=POLL)
        return None

    def _step(self, run: Run, episode: str, mode: str) -> None:
        driver = run.scheduler.episodes[episode]
        if driver.stopped or self._stopping.is_set():
            return self._move("paused")
        self._move(mode)
        self._open_turn(driver)
        began = clock()
        goes_on = run.scheduler.step(episode)
        self._made = LastStep.of(driver.state.records, began, clock())
        if driver.stopped:
            run.record_scores()
            self._tell_progress(run)
        if not goes_on:
            self._move("paused")
        return None

    def _step_all(self, run: Run) -> None:
        def go_on() -> bool:
            self._tell_progress(run, seldom=True)
            return self._wishes.empty() and not self._closing.is_set() and not self._stopping.is_set()

        run.go(go_on)
        self._tell_progress(run)
        over = not run.scheduler.episodes.open
        if spent := None if over else run.budget.spent():
            self._tell_failure(spent)
        if run.scheduler.lost or over or spent:
            run.record_scores()
            self._move("paused")
        elif go_on():
            self._idle = True
            run.record_scores()

    def _move(self, mode: str) -> None:
        if mode != self._mode:
            self._mode = mode
            self._tell(PlayMode(mode))

    def _tell_progress(self, run: Run, *, seldom: bool = False) -> None:
        now = time.monotonic()
        if not seldom or now - self._told > 0.1:
            self._told = now
            self._tell(EpisodesFinished(self._done, len(run.scheduler.episodes)))
            self._tell_troubles(run)

    def _tell_troubles(self, run: Run) -> None:
        """What troubles the run and was not said before."""
        for trouble in map(error_text, run.troubles()):
            if trouble not in self._troubles:
                self._troubles.add(trouble)
                self._tell(EngineRetry(trouble))


LOOK = 0.3
"""Seconds between two looks."""


class FollowedRun(RunThread):
    """One run that another process plays, and the thread that reads it."""

    def __init__(self, path: Path, post: Post, *, episode: str = "") -> None:
        super().__init__(post)
        self.path = path
        self._wanted: queue.SimpleQueue[str | None] = queue.SimpleQueue()
        self._watched = ""
        self._wanted.put(episode)

    def watch(self, episode: str) -> None:
        self._wanted.put(episode)

    def close(self) -> None:
        """End the thread; the run goes on. Calling it again does no harm."""
        self.closed.set()
        self._wanted.put(None)

    def work(self, cancelled: Callable[[], bool] = lambda: False) -> None:
        try:
            follower = Follower(self.path, [self])
            follower.look()
            while not self.closed.is_set() and not cancelled():
                playing = writer_of(self.path) is not None
                with suppress(queue.Empty):
                    if (episode := self._wanted.get(timeout=LOOK)) is not None:
                        self._show(episode)
                if follower.look():
                    self._tell(EpisodesFinished(len(follower.outcomes), follower.n))
                if not playing:
                    break
        except Exception as error:
            self._tell_failure(error)
        finally:
            self.closed.set()
            self._tell(RunClosed())

    def notify(self, notice: Notice) -> None:
        if isinstance(notice, RecordsCommitted | EpisodeEnded) and notice.episode == self._watched:
            self._tell(notice)

    def _show(self, episode: str) -> None:
        facts, episodes, self._watched, records = read_records(self.path, episode)
        self._tell(RunOpened(facts, episodes))
        self._tell(PlayMode("followed"))
        self._tell(EpisodeWatched(self._watched, fold(records), None))
