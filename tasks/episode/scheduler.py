"""One scheduler drives one or many episodes in one thread and keeps every engine full: a reply is committed and
published as it comes, and its episode goes on while the others are in flight. No rounds, no barrier.

Step, auto, pause and parallel episodes are the same code. Commits happen after every reply of an engine (the only
thing that cannot be computed again) and at the end of each step; watchers are told afterwards.

Watchers are whoever wants to see a run: the desk, the plain-text player and the JSON log. They are told after the
facts are on disk, never before.
"""

from __future__ import annotations

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Protocol

from models.engine import Ask, Delta, Engine, EngineError, Reply
from store.journal import Journal
from tasks.episode.driver import Driver
from tasks.episode.events import EngineFailed, ModelCalled, Record, Seated, Stopped, entry_of, record_of
from tasks.episode.exchange import CallResult, Exchange, ReplyCache
from tasks.episode.state import State
from tasks.errors import TaskError


@dataclass(frozen=True, slots=True)
class RecordsCommitted:
    """Records of an episode that are now durable, and the state after them."""

    episode: str
    records: tuple[Record, ...]
    state: State


@dataclass(frozen=True, slots=True)
class SeatWaiting:
    """A human holds the seat; the episode goes on when the scheduler is given an answer."""

    episode: str
    ask: Ask


@dataclass(frozen=True, slots=True)
class EpisodeEnded:
    """An episode is over."""

    episode: str
    stopped: Stopped


@dataclass(frozen=True, slots=True)
class ReplyStream:
    """News of a call in flight: the open turn, not on disk and soon replaced by the committed one."""

    delta: Delta


@dataclass(frozen=True, slots=True)
class EngineUnavailable:
    """Nobody answers at an engine. seconds: until it is tried again; None: it was given up, and its episodes stand
    still."""

    spec: str
    error: EngineError
    seconds: float | None


Notice = RecordsCommitted | SeatWaiting | EpisodeEnded | ReplyStream | EngineUnavailable


class Watcher(Protocol):
    """Receives notices in the thread of the scheduler; it must not block for long."""

    def notify(self, notice: Notice) -> None:
        """Take note."""
        ...


UNFINISHED = "unfinished"
"""What lists say of an episode that has not ended."""

Maker = Callable[[str], Driver]
"""Makes an episode by its id."""


class Episodes(Mapping[str, Driver]):
    """The episodes of a run, id -> episode, in order. In memory are those in motion alone: `begin` makes one that has
    not begun when its turn comes, `read` one that is over, as its record has it, for whoever looks at it."""

    def __init__(self, read: Maker) -> None:
        self.read = read
        self.begin: Maker = read
        self.moving: dict[str, Driver] = {}
        self.errors: Counter[str] = Counter()
        """Reason -> episodes that ended in an error for it."""
        self.unscored: list[str] = []
        """Those that are over and that nobody has taken from here to score them."""
        self._outcomes: dict[str, str] = {}

    def expect(self, ids: Iterable[str]) -> None:
        """Episodes that will be made when their turn comes."""
        for name in ids:
            self._outcomes[name] = ""

    def over(self, name: str, outcome: str, reason: str) -> None:
        """An episode has ended, and all of it is on disk."""
        self.moving.pop(name, None)
        self._outcomes[name] = outcome
        self.unscored.append(name)
        if outcome == "error":
            self.errors[reason] += 1

    def __setitem__(self, name: str, driver: Driver) -> None:
        """An episode is in motion."""
        self._outcomes.setdefault(name, "")
        self.moving[name] = driver

    def __getitem__(self, name: str) -> Driver:
        """The episode itself while it is in motion; one that is over anew at each look."""
        driver = self.moving.get(name)
        if driver is None:
            if self._outcomes[name]:
                return self.read(name)
            driver = self.moving[name] = self.begin(name)
        return driver

    def __iter__(self) -> Iterator[str]:
        return iter(self._outcomes)

    def __len__(self) -> int:
        return len(self._outcomes)

    def __contains__(self, name: object) -> bool:
        return name in self._outcomes

    def outcome(self, name: str) -> str:
        """How an episode ended, '' while it has not; no episode is made or read for it."""
        return self._outcomes[name]

    @property
    def outcomes(self) -> Counter[str]:
        """How many ended how; those that have not are `unfinished`."""
        return Counter(outcome or UNFINISHED for outcome in self._outcomes.values())

    @property
    def open(self) -> int:
        """How many are not over."""
        return sum(not outcome for outcome in self._outcomes.values())

    def to_play(self) -> Iterator[Driver]:
        """Those that are not over, in order, each made when it is asked for."""
        open_now = [name for name, outcome in self._outcomes.items() if not outcome]
        return (self[name] for name in open_now if not self._outcomes[name])


HUMAN = "human"
"""The SPEC of a seat that a person holds."""


class Scheduler:
    """Drives episodes. `engines` maps the SPEC of a seat ("scripted:FILE") to its engine."""

    def __init__(
        self,
        journal: Journal,
        engines: Mapping[str, Engine],
        watchers: Sequence[Watcher] = (),
        *,
        clock: Callable[[], float] = time.time,
        stopwatch: Callable[[], float] = time.perf_counter,
        known: ReplyCache | None = None,
    ) -> None:
        self.journal = journal
        self.engines = dict(engines)
        self.watchers = list(watchers)
        self.clock = clock
        self.stopwatch = stopwatch
        self.known = known
        self.episodes = Episodes(self._recorded)
        self.lost: dict[str, EngineError] = {}
        """Engines that the last run or step gave up; episodes that asked them stand where they stood."""
        self._calls: Exchange | None = None
        self._active: list[Driver] = []
        self._announced: set[str] = set()
        self._like: Driver | None = None
        self._interrupted = threading.Event()

    def add(self, driver: Driver) -> None:
        """Take charge of an episode; its setting up is committed and published."""
        self.episodes[driver.episode] = driver
        self._commit([driver])

    def step(self, episode: str) -> bool:
        """Drive one episode to the end of its step. False when it is over or waits for a human."""
        self._interrupted.clear()
        self._catch_up()
        driver = self.episodes[episode]
        if driver.stopped:
            return False
        self._drive(iter((driver,)), 1, _once(), patient=True)
        return not driver.stopped and driver.ask is None

    def run(self, *, parallel: int = 1, go_on: Callable[[], bool] = lambda: True) -> None:
        """Drive all episodes to their ends, up to `parallel` at a time, begun in order; stops early between two
        steps."""
        self._interrupted.clear()
        self._catch_up()
        self._drive(self.episodes.to_play(), parallel, go_on)

    def answer(self, episode: str, text: str) -> None:
        """A human's answer to the open question; the time it took is not counted."""
        driver = self.episodes[episode]
        if driver.ask is None or not self.asks_human(driver):
            raise TaskError(f"episode {episode} is not waiting for a human", "Press n to make the next step.")
        self._interrupted.clear()
        driver.reply(Reply(text), human=True)
        self._announced.discard(episode)
        self._commit([driver])
        driver.resume()
        if driver.ask is None:
            self._commit([driver])
        self._drive(iter((driver,)), 1, _once(), patient=True)

    def seat(self, episode: str, seated: Seated) -> None:
        """Somebody takes or leaves a seat. An open question, to a human or of a stopped call, is put to the
        newcomer."""
        driver = self.episodes[episode]
        if driver.ask is not None:
            driver.withdraw()
            self._announced.discard(episode)
        driver.seat(seated)
        self._commit([driver])

    def interrupt(self) -> None:
        """Stop the calls in flight, from any thread: their questions stay open, nothing of them is recorded."""
        self._interrupted.set()
        self._cancel_all()
        if (calls := self._calls) is not None:
            calls.wake()

    def _cancel_all(self) -> None:
        for engine in list(self.engines.values()):
            with suppress(OSError, ValueError, EngineError):  # what cannot be told any more has ended by itself
                engine.cancel()

    def cancel(self, episode: str, reason: str = "cancelled by the user") -> None:
        """End an episode where it stands."""
        driver = self.episodes[episode]
        if not driver.stopped:
            driver.stop(Stopped(outcome="cancelled", reason=reason))
            self._commit([driver])

    def _catch_up(self) -> None:
        """Commit what an earlier attempt to commit left behind (a full disk, since freed).

        Not the beginning of a step whose first question stands open: somebody else may still be seated there.
        """
        called = (ModelCalled, EngineFailed)
        self._commit(
            [
                d
                for d in self.episodes.moving.values()
                if any(record.step > 0 for record in d.fresh)
                and (d.ask is None or any(isinstance(record.event, called) for record in d.fresh))
            ]
        )

    def _drive(
        self, waiting: Iterator[Driver], parallel: int, go_on: Callable[[], bool], *, patient: bool = False
    ) -> None:
        """Keep up to `parallel` episodes going, each at its own pace, until all are over or stand at a question for a
        human.

        Where `go_on` says no, no step begins any more; those that have begun are brought to their ends, also by
        waiting for an engine that is away if `patient`.
        """
        calls = Exchange(self.engines, self._listen, self._away, self.stopwatch, self.known)
        self._calls, self._active, wait = calls, [], True
        try:
            while self._move(calls, waiting, parallel, go_on, patient):
                pass
        except BaseException as error:
            wait = isinstance(error, Exception)  # not Ctrl-C: no engine has to be waited for that does not hear
            raise
        finally:
            self._calls, self.lost = None, calls.lost
            calls.close(wait=wait)
            self._note(calls.left())  # a commit of the next run or step takes it along

    def _move(
        self, calls: Exchange, waiting: Iterator[Driver], parallel: int, go_on: Callable[[], bool], patient: bool
    ) -> bool:
        """Begin, ask and hear what can be now. False when nothing is left to be done."""
        goes_on = go_on() and not self._interrupted.is_set()
        active = self._active = [driver for driver in self._active if not driver.stopped]
        places = max(1, parallel) - sum(not self._stands(driver, calls) for driver in active)
        while goes_on and places > 0 and (driver := self._next(waiting, calls)) is not None:
            active.append(driver)
            places -= 1
        here = [driver for driver in active if driver.episode not in calls.asking]
        begun = [driver for driver in here if driver.ask is None and (goes_on or driver.in_step)]
        for driver in begun:
            driver.advance()
        self._commit([driver for driver in begun if driver.ask is None])
        for driver in here:
            if driver.ask is not None and not driver.stopped:
                self._put(calls, driver)
        if self._interrupted.is_set():
            calls.stop()
        elif not goes_on and not patient:
            calls.withdraw(resting=True)
        calls.send()
        if not calls.asking:
            return bool(begun)
        self._hear(calls.take(wait=not any(driver.ask is None and not driver.stopped for driver in begun)))
        return True

    def _next(self, waiting: Iterator[Driver], calls: Exchange) -> Driver | None:
        """The next episode that would not come to a stand at once, because no model that sits there answers any
        more."""
        if self.engines and not self.engines.keys() - calls.lost.keys():
            return None
        for driver in waiting:
            models = {seated.engine for seated in driver.state.seats.values() if seated.engine}
            if not driver.stopped and (not models or models - calls.lost.keys()):
                return driver
        return None

    def _stands(self, driver: Driver, calls: Exchange) -> bool:
        """Whether an episode waits for an engine that was given up: others may have its place."""
        return driver.ask is not None and self._engine_of(driver) in calls.lost

    def _put(self, calls: Exchange, driver: Driver) -> None:
        """Put the open question of an episode to who sits there; a human is told of it once."""
        assert driver.ask is not None
        if self.asks_human(driver):
            if driver.episode not in self._announced:
                self._announced.add(driver.episode)
                self._publish(SeatWaiting(driver.episode, driver.ask))
        elif not self._interrupted.is_set() and (spec := self._engine_of(driver)) not in calls.lost:
            calls.put(driver.episode, spec, driver.ask)

    def _hear(self, came: Sequence[CallResult]) -> None:
        """Replies are on disk before anything is made of them."""
        heard = self._note(came)
        self._commit(heard)
        for driver in heard:
            driver.resume()
        self._commit([driver for driver in heard if driver.ask is None])

    def _note(self, came: Sequence[CallResult]) -> list[Driver]:
        """Who has heard; what came too late for a question, or of a call that was stopped, is nothing."""
        heard = []
        for one in came:
            driver = self.episodes.moving.get(one.who)
            if driver is not None and driver.ask is one.ask:
                heard.append(driver)
                if not (isinstance(one.reply, Reply) and one.reply.finish == "cancelled"):
                    driver.reply(one.reply, elapsed=one.elapsed)
        return heard

    def _listen(self, delta: Delta) -> None:
        if self._interrupted.is_set():
            self._cancel_all()  # again: the first word may have come before the call was in flight
        self._publish(ReplyStream(delta))

    def _away(self, spec: str, error: EngineError, seconds: float | None) -> None:
        self._publish(EngineUnavailable(spec, error, seconds))

    def _engine_of(self, driver: Driver) -> str:
        ask = driver.ask
        assert ask is not None
        seated = driver.state.seats.get(ask.seat)
        return seated.engine if seated else ""

    def asks_human(self, driver: Driver) -> bool:
        """Whether an episode stands at a question for a person."""
        return driver.ask is not None and self._engine_of(driver) == HUMAN

    def _commit(self, drivers: Sequence[Driver]) -> None:
        """Write what is fresh in one transaction, then tell the watchers."""
        fresh: list[tuple[Driver, tuple[Record, ...]]] = [(d, tuple(d.fresh)) for d in drivers if d.fresh]
        if not fresh:
            return
        entries = [entry_of(driver.attempt, record) for driver, records in fresh for record in records]
        texts = [text for driver, _ in fresh for text in driver.texts.values()]
        self.journal.append(entries, texts)
        for driver, records in fresh:
            driver.fresh.clear()
            driver.texts.clear()
            self._publish(RecordsCommitted(driver.episode, records, driver.state))
            if driver.state.stopped is not None and any(isinstance(r.event, Stopped) for r in records):
                self._like = driver
                self.episodes.over(driver.episode, driver.state.stopped.outcome, driver.state.stopped.reason)
                self._publish(EpisodeEnded(driver.episode, driver.state.stopped))

    def _recorded(self, episode: str) -> Driver:
        """An episode as its record has it, with the rules of the others of the run."""
        like = self._like
        assert like is not None
        attempt = self.journal.attempts(episode)[-1].id
        driver = Driver(episode, attempt, like.program, self.clock, self.stopwatch, like.limits)
        driver.load([record_of(entry) for entry in self.journal.entries(attempt)])
        return driver

    def _publish(self, notice: Notice) -> None:
        for watcher in self.watchers:
            watcher.notify(notice)


def _once() -> Callable[[], bool]:
    """Yes, and no ever after."""
    said = iter((True,))
    return lambda: next(said, False)
