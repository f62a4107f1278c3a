"""One scheduler drives one or many episodes in one thread: it answers waiting Asks in one batch, commits, publishes.

Step, auto, pause and parallel episodes are the same code. Commits happen after every reply of an engine (the only thing
that cannot be computed again) and at the end of each step; watchers are told afterwards.
"""

from __future__ import annotations

import threading
import time
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence

from models.engine import Ask, Delta, Engine, EngineError, Reply
from store.journal import Journal
from tasks.episode.driver import Driver
from tasks.episode.events import Record, Seated, Stopped
from tasks.episode.records import entry_of
from tasks.episode.watcher import Committed, EpisodeEnded, Notice, Streaming, Waiting, Watcher
from tasks.errors import TaskError

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
    ) -> None:
        self.journal = journal
        self.engines = dict(engines)
        self.watchers = list(watchers)
        self.clock = clock
        self.stopwatch = stopwatch
        self.episodes: dict[str, Driver] = {}
        self._announced: set[str] = set()
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
        self._round([driver])
        return not driver.stopped and driver.ask is None

    def run(self, *, parallel: int = 1, go_on: Callable[[], bool] = lambda: True) -> None:
        """Drive all episodes to their ends, up to `parallel` at a time, in order; stops early between two rounds."""
        self._interrupted.clear()
        self._catch_up()
        waiting = [driver for driver in self.episodes.values() if not driver.stopped]
        active: list[Driver] = []
        while go_on() and not self._interrupted.is_set():
            active = [driver for driver in active if not driver.stopped]
            while waiting and len(active) < max(1, parallel):
                active.append(waiting.pop(0))
            ready = [driver for driver in active if not self._human(driver)]
            if not ready:
                return
            self._round(ready)

    def answer(self, episode: str, text: str) -> None:
        """A human's answer to the open question; the time it took is not counted."""
        driver = self.episodes[episode]
        if driver.ask is None or not self._human(driver):
            raise TaskError(f"episode {episode} is not waiting for a human", "Press n to make the next step.")
        self._interrupted.clear()
        driver.reply(Reply(text), human=True)
        self._announced.discard(episode)
        self._commit([driver])
        driver.resume()
        if driver.ask is None:
            self._commit([driver])
        self._round([driver])

    def seat(self, episode: str, seated: Seated) -> None:
        """Somebody takes or leaves a seat. An open question, to a human or of a stopped call, is put to the newcomer."""
        driver = self.episodes[episode]
        if driver.ask is not None:
            driver.withdraw()
            self._announced.discard(episode)
        driver.seat(seated)
        self._commit([driver])

    def interrupt(self) -> None:
        """Stop the calls in flight, from any thread: their questions stay open, nothing of them is recorded."""
        self._interrupted.set()
        for engine in self.engines.values():
            engine.cancel()

    def cancel(self, episode: str, reason: str = "cancelled by the user") -> None:
        """End an episode where it stands."""
        driver = self.episodes[episode]
        if not driver.stopped:
            driver.stop(Stopped(outcome="cancelled", reason=reason))
            self._commit([driver])

    def _catch_up(self) -> None:
        """Commit what an earlier attempt to commit left behind (a full disk, since freed)."""
        self._commit([d for d in self.episodes.values() if any(record.step > 0 for record in d.fresh)])

    def _round(self, drivers: list[Driver]) -> None:
        """Bring every driver to the end of its step, or to a question for a human."""
        for driver in drivers:
            if driver.ask is None and not driver.stopped:
                driver.advance()
        self._commit([driver for driver in drivers if driver.ask is None])
        while True:
            asking = [driver for driver in drivers if driver.ask is not None and not self._human(driver)]
            if not asking or self._interrupted.is_set():
                break
            self._answer_batch(asking)
            self._commit(asking)
            for driver in asking:
                driver.resume()
            self._commit([driver for driver in asking if driver.ask is None])
        for driver in drivers:
            if self._human(driver) and driver.ask is not None and driver.episode not in self._announced:
                self._announced.add(driver.episode)
                self._publish(Waiting(driver.episode, driver.ask))

    def _answer_batch(self, drivers: list[Driver]) -> None:
        groups: dict[str, list[Driver]] = defaultdict(list)
        for driver in drivers:
            groups[self._engine_of(driver)].append(driver)
        for spec, group in groups.items():
            if self._interrupted.is_set():
                return
            asks = [driver.ask for driver in group if driver.ask is not None]
            started = self.stopwatch()
            replies = self._call(spec, asks)
            elapsed = (self.stopwatch() - started) * 1000
            for driver, reply in zip(group, replies, strict=True):
                if not (isinstance(reply, Reply) and reply.finish == "cancelled"):
                    driver.reply(reply, elapsed=elapsed)

    def _call(self, spec: str, asks: list[Ask]) -> Sequence[Reply | EngineError]:
        engine = self.engines.get(spec)
        if engine is None:
            return [EngineError(f"no engine for '{spec}'")] * len(asks)
        try:
            return engine.answer(asks, self._listen)
        except EngineError as error:
            return [error] * len(asks)

    def _listen(self, delta: Delta) -> None:
        if self._interrupted.is_set():
            for engine in self.engines.values():
                engine.cancel()  # again: the first word may have come before the call was in flight
        self._publish(Streaming(delta))

    def _engine_of(self, driver: Driver) -> str:
        ask = driver.ask
        assert ask is not None
        seated = driver.state.seats.get(ask.seat)
        return seated.engine if seated else ""

    def _human(self, driver: Driver) -> bool:
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
            self._publish(Committed(driver.episode, records, driver.state))
            if driver.state.stopped is not None and any(isinstance(r.event, Stopped) for r in records):
                self._publish(EpisodeEnded(driver.episode, driver.state.stopped))

    def _publish(self, notice: Notice) -> None:
        for watcher in self.watchers:
            watcher.notify(notice)
