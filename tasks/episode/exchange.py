"""Calls in flight: questions go to their engines as they arise, replies come back as they are ready, all to one thread.

An engine that says how many calls it takes at a time (`models.engine.ManyAtOnce`) is put each call by a thread of its own;
any other is given all that wait in one batch whenever it is free. While nobody answers at an engine (`Unavailable`) its
calls are held back, tried again after ever longer waits, one at a time, and given back to nobody as errors: an episode
does not end because a server was started anew. Waits are in seconds, what a call took in milliseconds.
"""

from __future__ import annotations

import queue
import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from models.engine import Ask, Delta, Engine, EngineError, ManyAtOnce, Reply, Unavailable

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds, at most, before an engine where nobody answered is tried again; after the last it is given up."""
POLL = 0.5
"""Seconds after which a wait looks up: some systems deliver Ctrl-C only in between."""

Call = tuple[str, Ask]
"""Who asks, and what."""


@dataclass(frozen=True, slots=True)
class Came:
    """A reply, with who asked and how long it took."""

    who: str
    reply: Reply | EngineError
    elapsed: float


@dataclass(slots=True)
class _Line:
    """The calls of one engine. width: how many at a time, 0: batches."""

    spec: str
    engine: Engine
    width: int
    waiting: deque[Call] = field(default_factory=deque)
    out: int = 0
    failed: int = 0
    """Tries in a row that found nobody."""
    rests_until: float = 0.0


@dataclass(frozen=True, slots=True)
class _Back:
    line: _Line
    calls: Sequence[Call]
    replies: Sequence[Reply | EngineError]
    elapsed: float


class Exchange:
    """Belongs to the thread that made it; only `wake` may be called from others. To be closed: then nothing is in flight.

    Args:
        engines: by SPEC.
        listen: told of calls in flight, in the thread of the owner.
        away: told when nobody answers at an engine: its SPEC, why, and the seconds until the next try (None: given up).
    """

    def __init__(
        self,
        engines: Mapping[str, Engine],
        listen: Callable[[Delta], None],
        away: Callable[[str, EngineError, float | None], None],
        stopwatch: Callable[[], float],
    ) -> None:
        self._engines = engines
        self._listen, self._away, self._stopwatch = listen, away, stopwatch
        self._lines: dict[str, _Line] = {}
        self._news: queue.SimpleQueue[Delta | _Back | BaseException | None] = queue.SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None
        self._came: list[Came] = []
        self.lost: dict[str, EngineError] = {}
        """Engines that were given up; their calls wait for nobody any more."""
        self.asking: set[str] = set()
        """Who waits for a reply."""

    def put(self, who: str, spec: str, ask: Ask) -> None:
        """Ask; at most one question of each at a time."""
        engine = self._engines.get(spec)
        self.asking.add(who)
        if engine is None:
            self._came.append(Came(who, EngineError(f"no engine for '{spec}'"), 0.0))
            return
        if spec not in self._lines:
            self._lines[spec] = _Line(spec, engine, engine.at_once() if isinstance(engine, ManyAtOnce) else 0)
        self._lines[spec].waiting.append((who, ask))

    def send(self) -> None:
        """Hand over what engines have room for."""
        for line in self._lines.values():
            if line.failed and time.monotonic() < line.rests_until:
                continue
            if not line.width:
                if line.waiting and not line.out:
                    self._submit(line, len(line.waiting))
                continue
            while line.waiting and line.out < (1 if line.failed else line.width):
                self._submit(line, 1)

    def take(self, *, wait: bool) -> list[Came]:
        """What has come; with `wait` at least one reply, if it is not woken before."""
        came, self._came = self._came, []
        self.asking -= {one.who for one in came}
        while True:
            news = self._next(wait=wait and not came and bool(self.asking))
            if news is None:
                return came
            if isinstance(news, BaseException):
                raise news
            if isinstance(news, Delta):
                self._listen(news)
            else:
                came += self._sorted_out(news)

    def wake(self) -> None:
        """Let `take` return."""
        self._news.put(None)

    def withdraw(self) -> None:
        """Take back what is not in flight."""
        for line in self._lines.values():
            self._forget(line)

    def _forget(self, line: _Line) -> None:
        self.asking -= {who for who, _ in line.waiting}
        line.waiting.clear()

    def close(self, *, stop: bool = False) -> None:
        """Wait until nothing is in flight. stop: calls in flight are cancelled."""
        for line in self._lines.values() if stop else ():
            line.engine.cancel()
        if self._threads is not None:
            self._threads.shutdown(wait=True)

    def _next(self, *, wait: bool) -> Delta | _Back | BaseException | None:
        """The next news; None when there is none, when somebody wakes us, or when calls that were held back may go."""
        while True:
            try:
                return self._news.get(wait, self._patience() if wait else None)
            except queue.Empty:
                if not wait or any(line.waiting and not line.out for line in self._lines.values()):
                    return None

    def _patience(self) -> float:
        resting = [line.rests_until for line in self._lines.values() if line.waiting and line.failed]
        return min([POLL, *(max(0.0, until - time.monotonic()) for until in resting)])

    def _submit(self, line: _Line, count: int) -> None:
        calls = [line.waiting.popleft() for _ in range(count)]
        line.out += count
        if self._threads is None:
            self._threads = ThreadPoolExecutor(1024, thread_name_prefix="call")
        self._threads.submit(self._answer, line, calls)

    def _answer(self, line: _Line, calls: Sequence[Call]) -> None:
        """In a thread of its own."""
        started = self._stopwatch()
        try:
            replies: Sequence[Reply | EngineError] = line.engine.answer([ask for _, ask in calls], self._news.put)
        except EngineError as error:
            replies = [error] * len(calls)
        except BaseException as error:  # a defect belongs to whoever waits
            self._news.put(error)
            return
        self._news.put(_Back(line, calls, replies, (self._stopwatch() - started) * 1000))

    def _sorted_out(self, back: _Back) -> list[Came]:
        """The replies; calls that found nobody go back into their line."""
        line, came = back.line, []
        line.out -= len(back.calls)
        for call, reply in zip(back.calls, back.replies, strict=True):
            if isinstance(reply, Unavailable):
                line.waiting.appendleft(call)
                self._found_nobody(line, reply)
            else:
                line.failed = 0
                came.append(Came(call[0], reply, back.elapsed))
        if line.spec in self.lost:
            self._forget(line)
        self.asking -= {one.who for one in came}
        return came

    def _found_nobody(self, line: _Line, error: EngineError) -> None:
        """Rest a while, the longer the oftener; what fails in the meantime was asked before and is nothing new."""
        now = time.monotonic()
        if line.spec in self.lost or (line.failed and now < line.rests_until):
            return
        if line.failed >= len(WAITS):
            self.lost[line.spec] = error
            return self._away(line.spec, error, None)
        rest = WAITS[line.failed] * random.uniform(0.5, 1.0)
        line.failed, line.rests_until = line.failed + 1, now + rest
        self._away(line.spec, error, rest)
