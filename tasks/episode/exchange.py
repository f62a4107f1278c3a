"""Calls in flight: questions go to their engines as they arise, replies come back as they are ready, all to one
thread.

An engine that says how many calls it takes at a time (`models.engine.ConcurrentEngine`) is put each call by a thread
of its own; any other is given all that wait in one batch whenever it is free. While nobody answers at an engine
(`Unavailable`) its calls are held back and tried again after ever longer waits, one question at a time where it takes
single ones; they are given back to nobody as errors, so that no episode ends because a server was started anew. One
that asks to be left alone for a time (`Busy`) is, whoever else it answers. A question that finds nobody while others
are answered is at fault itself, and is given back, the later where it was turned away from a busy engine. Waits are
in seconds, what a call took in milliseconds.
"""

from __future__ import annotations

import queue
import random
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Protocol

from models.engine import Ask, Busy, ConcurrentEngine, Delta, Engine, EngineError, Reply, Unavailable

WAITS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds, at most, before an engine where nobody answered is tried again; after the last it is given up."""
ALONE = 3
"""How often a question may find nobody where others have been answered since it last did."""
THROTTLED = 10
"""The same where it was told that the engine is busy: who asks too often is turned away by lot."""
MORE = 1.0
"""Seconds more to wait that are worth a word."""
POLL = 0.5
"""Seconds after which a wait looks up: some systems deliver Ctrl-C only in between."""
THREADS = 1024
"""Calls in flight at most, over all engines."""
NEWS = 1000
"""News that are told before replies that have come are handed on."""


@dataclass(slots=True)
class _Call:
    who: str
    spec: str
    ask: Ask
    answered: int
    """Calls that its engine had answered when it was put, or last found nobody."""
    alone: int = 0


@dataclass(frozen=True, slots=True)
class CallResult:
    """A reply, with who asked what and how long it took."""

    who: str
    ask: Ask
    reply: Reply | EngineError
    elapsed: float


@dataclass(slots=True)
class _EngineQueue:
    """The calls of one engine. many: the engine, where it says how many it takes at a time; None: batches."""

    engine: Engine
    many: ConcurrentEngine | None
    waiting: deque[_Call] = field(default_factory=deque)
    out: int = 0
    trying: bool = False
    """Whether somebody is looking if it answers again."""
    failed: int = 0
    """Tries in a row that found nobody."""
    rests_until: float = 0.0
    shut_until: float = 0.0
    """It asked to be left alone until then, also by calls that others answer in the meantime."""
    answered: int = 0
    lost: EngineError | None = None

    def free(self) -> int:
        """How many calls it may be sent now, rest aside; an engine may take fewer than before."""
        if self.many is None:
            return 0 if self.out else len(self.waiting)
        return int(not self.trying) if self.failed else max(0, max(1, self.many.at_once()) - self.out)


@dataclass(frozen=True, slots=True)
class _CallReturn:
    line: _EngineQueue
    calls: Sequence[_Call]
    replies: Sequence[Reply | EngineError]
    elapsed: float
    tried: bool


class ReplyCache(Protocol):
    """Replies that are known from before."""

    def found(self, spec: str, ask: Ask) -> Reply | None:
        """What the engine of a SPEC answered to this question; None where that is not known."""
        ...

    def keep(self, spec: str, ask: Ask, reply: Reply) -> None:
        """Hear what it answered."""
        ...


class Exchange:
    """Belongs to the thread that made it; only `wake` may be called from others. To be closed: then nothing is in
    flight.

    Args:
        engines: by SPEC; two may share one engine.
        listen: told of calls in flight, in the thread of the owner.
        away: told when nobody answers at an engine: its SPEC, why, and the seconds until the next try (None: given
            up).
        stopwatch: seconds.
        known: asked before an engine is.
    """

    def __init__(
        self,
        engines: Mapping[str, Engine],
        listen: Callable[[Delta], None],
        away: Callable[[str, EngineError, float | None], None],
        stopwatch: Callable[[], float],
        known: ReplyCache | None = None,
    ) -> None:
        self._engines, self._known = engines, known
        self._listen, self._away, self._stopwatch = listen, away, stopwatch
        self._lines: dict[int, _EngineQueue] = {}
        self._news: queue.SimpleQueue[Delta | _CallReturn | BaseException | None] = queue.SimpleQueue()
        self._threads: ThreadPoolExecutor | None = None
        self._came: list[CallResult] = []
        self._broken: BaseException | None = None
        self._stopping = False
        self.lost: dict[str, EngineError] = {}
        """SPECs whose engine was given up; what was asked there is asked no more."""
        self.asking: set[str] = set()
        """Who waits for a reply."""

    def put(self, who: str, spec: str, ask: Ask) -> None:
        """Ask; at most one question of each at a time."""
        engine = self._engines.get(spec)
        if engine is None:
            self.asking.add(who)
            self._came.append(CallResult(who, ask, EngineError(f"no engine for '{spec}'"), 0.0))
            return
        if self._known is not None and (reply := self._known.found(spec, ask)) is not None:
            self.asking.add(who)
            self._came.append(CallResult(who, ask, reply, 0.0))
            return
        if id(engine) not in self._lines:
            self._lines[id(engine)] = _EngineQueue(engine, engine if isinstance(engine, ConcurrentEngine) else None)
        line = self._lines[id(engine)]
        if line.lost is not None:
            self.lost[spec] = line.lost
            return
        self.asking.add(who)
        line.waiting.append(_Call(who, spec, ask, line.answered))

    def send(self) -> None:
        """Hand over what engines have room for."""
        for line in self._lines.values():
            if time.monotonic() < line.rests_until:
                continue
            if line.many is None:
                self._submit(line, line.free())
            else:
                for _ in range(min(line.free(), len(line.waiting))):
                    self._submit(line, 1)

    def take(self, *, wait: bool) -> list[CallResult]:
        """What has come; with `wait` it lasts until something has, or a moment."""
        if self._broken is not None:
            raise self._broken
        for _ in range(NEWS):
            news = self._next(wait=wait and not self._came and bool(self.asking))
            if isinstance(news, BaseException):
                self._broken = news
                if not self._came:
                    raise news
            if news is None or isinstance(news, BaseException):
                break
            self._hear(news)
        return self.left()

    def left(self) -> list[CallResult]:
        """What has come and was not taken."""
        came, self._came = self._came, []
        self.asking -= {one.who for one in came}
        return came

    def wake(self) -> None:
        """Let `take` return."""
        self._news.put(None)

    def withdraw(self, *, resting: bool = False) -> None:
        """Take back what is not in flight. resting: only where nobody answers."""
        for line in self._lines.values():
            if line.failed or not resting:
                self._forget(line)

    def stop(self) -> None:
        """Take back what is not in flight and cancel what is, until it has heard."""
        self._stopping = True
        self.withdraw()
        self._cancel()

    def close(self, *, wait: bool = True) -> None:
        """Nothing is in flight afterwards; without `wait` calls are cancelled and left to themselves."""
        self._stopping = True
        while any(line.out for line in self._lines.values()):
            self._cancel()  # again with all news: it may have come before the call was in flight
            if not wait:
                break
            with suppress(queue.Empty):
                if isinstance(news := self._news.get(timeout=POLL), _CallReturn):
                    self._sort_out(news)
        if self._threads is not None:
            self._threads.shutdown(wait=wait)

    def _next(self, *, wait: bool) -> Delta | _CallReturn | BaseException | None:
        """The next news; None when there is none, when somebody wakes us, or after a while: calls that were held
        back may go then, or the owner may have something else in mind."""
        try:
            return self._news.get(wait, self._patience() if wait else None)
        except queue.Empty:
            if self._stopping:
                self._cancel()
            return None

    def _patience(self) -> float:
        now = time.monotonic()
        resting = (line.rests_until - now for line in self._lines.values() if line.waiting and line.free() > 0)
        return min([POLL, *(max(0.0, seconds) for seconds in resting)])

    def _cancel(self) -> None:
        for line in self._lines.values():
            with suppress(OSError, ValueError, EngineError):  # what cannot be told any more has ended by itself
                line.engine.cancel()

    def _forget(self, line: _EngineQueue) -> None:
        self.asking -= {call.who for call in line.waiting}
        line.waiting.clear()

    def _submit(self, line: _EngineQueue, count: int) -> None:
        calls = [line.waiting.popleft() for _ in range(count)]
        if not calls:
            return
        tried = line.trying = line.failed > 0
        line.out += count
        if self._threads is None:
            self._threads = ThreadPoolExecutor(THREADS, thread_name_prefix="call")
        self._threads.submit(self._answer, line, calls, tried)

    def _answer(self, line: _EngineQueue, calls: Sequence[_Call], tried: bool) -> None:
        """In a thread of its own."""
        started = self._stopwatch()
        replies: Sequence[Reply | EngineError] = ()
        try:
            replies = line.engine.answer([call.ask for call in calls], self._news.put)
        except EngineError as error:
            replies = [error] * len(calls)
        except BaseException as error:  # a defect belongs to whoever waits
            self._news.put(error)
        self._news.put(_CallReturn(line, calls, replies, (self._stopwatch() - started) * 1000, tried))

    def _hear(self, news: Delta | _CallReturn) -> None:
        if isinstance(news, Delta):
            self._listen(news)
        else:
            self._sort_out(news)

    def _sort_out(self, back: _CallReturn) -> None:
        """Replies have come; calls that found nobody go back into their line."""
        line = back.line
        line.out -= len(back.calls)
        line.trying = line.trying and not back.tried
        for call, reply in zip(back.calls, back.replies):  # noqa: B905 none came of a defect
            if isinstance(reply, Unavailable) and not self._at_fault(call, line, reply):
                line.waiting.append(call)
                self._found_nobody(line, call.spec, reply)
                continue
            if not isinstance(reply, Unavailable):
                line.failed, line.answered, line.rests_until = 0, line.answered + 1, line.shut_until
            if self._known is not None and isinstance(reply, Reply):
                self._known.keep(call.spec, call.ask, reply)
            self._came.append(CallResult(call.who, call.ask, reply, back.elapsed))
        if line.lost is not None:
            self.lost |= {call.spec: line.lost for call in line.waiting}
            self._forget(line)

    @staticmethod
    def _at_fault(call: _Call, line: _EngineQueue, reply: Unavailable) -> bool:
        """Whether others have been answered again and again while this one found nobody."""
        call.alone += line.answered > call.answered
        call.answered = line.answered
        return call.alone >= (THROTTLED if isinstance(reply, Busy) else ALONE)

    def _found_nobody(self, line: _EngineQueue, spec: str, error: Unavailable) -> None:
        """Rest a while, the longer the oftener, and at least as long as it asks; what fails in the meantime was asked
        before and is nothing new, unless it asks for more."""
        now = time.monotonic()
        asked = error.wait or 0.0 if isinstance(error, Busy) else 0.0
        line.shut_until = max(line.shut_until, now + asked)
        if self._stopping or line.lost is not None:
            return
        if line.failed and now < line.rests_until:
            if line.shut_until <= line.rests_until + MORE:
                return
        elif line.failed >= len(WAITS):
            line.lost = error
            return self._away(spec, error, None)
        else:
            line.failed += 1
        rest = max(WAITS[line.failed - 1] * random.uniform(0.5, 1.0), line.shut_until - now)
        line.rests_until = now + rest
        self._away(spec, error, rest)
