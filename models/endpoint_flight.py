"""Calls under way to a server, and what ends them from outside: a person, the end of their time, or no news for too
long.

A connection is read by a thread that may sit in one read for as long as a server drips bytes, and neither comments
nor headers without end are news. So every request is watched by a thread of its own, which shuts the connection when
the time comes: whatever the server does, the reader wakes up. Units: seconds of a clock that only goes forward.
"""

from __future__ import annotations

import math
import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

Clock = Callable[[], float]


class Watch:
    """One request. It is cut when nothing new is heard for `silence` seconds, and at the time `until` in any case."""

    def __init__(self, silence: float, until: float = math.inf, clock: Clock = time.monotonic) -> None:
        self.silence = silence
        self.until = until
        self.ran_out = False
        """Whether the server was cut off because it took too long."""
        self._clock = clock
        self._began = self._heard = clock()
        self._cut = False
        self._over = False
        self._woken = threading.Event()
        self._lock = threading.Lock()
        self._sockets: list[socket.socket] = []

    def hear(self, silence: float = math.inf) -> None:
        """The server said something new; from now on it may be silent for so long at most."""
        self._heard = self._clock()
        if silence < self.silence:
            self.silence = silence
            self._woken.set()

    def left(self) -> float:
        """Seconds until the request is cut, as it looks now."""
        return min(self._heard + self.silence, self.until) - self._clock()

    def __str__(self) -> str:
        """What a server that ran out of time did wrong."""
        if self._clock() >= self.until:
            return f"was not done within {round(self.until - self._began, 2):g} seconds"
        return f"said nothing new for {self.silence:g} seconds"

    def cut(self) -> None:
        """End the request: its connection is shut, which wakes whoever reads from it or writes to it."""
        with self._lock:
            self._cut = True
            for sock in self._sockets:
                _shut(sock)

    def trace(self, event: str, info: Mapping[str, Any]) -> None:
        """Told by httpx of every connection that is made."""
        if event.endswith(("connect_tcp.complete", "start_tls.complete")):
            sock = info["return_value"].get_extra_info("socket")
            with self._lock:
                self._sockets.append(sock)
                if self._cut:
                    _shut(sock)

    def __enter__(self) -> Watch:
        threading.Thread(target=self._watch, daemon=True, name="endpoint-watch").start()
        return self

    def __exit__(self, *_: object) -> None:
        self._over = True
        self._woken.set()

    def _watch(self) -> None:
        while not self._over:
            left = self.left()
            if left <= 0:
                self.ran_out = True
                return self.cut()
            self._woken.wait(min(left, threading.TIMEOUT_MAX))
            self._woken.clear()


class Flight:
    """Calls in flight together. `stop` ends them from any thread, also while the server is silent."""

    def __init__(self, clock: Clock = time.monotonic) -> None:
        self.clock = clock
        self._began = clock()
        self._stopped = threading.Event()
        self._lock = threading.Lock()
        self._watches: set[Watch] = set()

    @property
    def stopped(self) -> bool:
        """Whether the calls are to end."""
        return self._stopped.is_set()

    def until(self, seconds: float | None) -> float:
        """The time that comes so many seconds after the flight began."""
        return math.inf if seconds is None else self._began + seconds

    def wait(self, seconds: float) -> bool:
        """Wait so long; True at once when the calls are to end."""
        return self._stopped.wait(seconds)

    def stop(self) -> None:
        """End the calls."""
        self._stopped.set()
        with self._lock:
            for watch in self._watches:
                watch.cut()

    @contextmanager
    def watch(self, silence: float, until: float = math.inf) -> Iterator[Watch]:
        """A request of this flight."""
        watch = Watch(silence, until, self.clock)
        with self._lock:
            self._watches.add(watch)
            if self.stopped:
                watch.cut()
        try:
            with watch:
                yield watch
        finally:
            with self._lock:
                self._watches.discard(watch)


def _shut(sock: socket.socket) -> None:
    with suppress(OSError):  # closed by now
        socket.socket.shutdown(sock, socket.SHUT_RDWR)  # of a TLS socket too: without a farewell, which might block
    if sys.platform == "win32":
        sock.close()  # only this wakes a reader there
