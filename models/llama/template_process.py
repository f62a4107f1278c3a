"""The process in which chat templates are rendered, both of its ends: orders in, answers out, and an end to what
hangs.

A template may hang inside one step of the interpreter, where no thread runs and no signal is heard. So this process
has at most one child that does nothing but render (`rendering`). An order has `LIMIT` seconds of the child's
processor time: a timer of the operating system ends the child then, whatever it is doing, and a busy machine does not
count against an honest template. Where there is no such timer (Windows) it is `LIMIT_WALL` seconds by the clock. A
child that neither computes nor answers is ended by this end after `PATIENCE` seconds. Memory is limited to `MEMORY`
bytes of addresses where the system knows such limits (not on Windows). An ended child costs its order; the next order
starts another. It ends when its pipe does, so it outlives nobody. On the pipe: a length of eight bytes and so much
JSON.
"""

from __future__ import annotations

import atexit
import contextlib
import faulthandler
import json
import os
import select
import signal
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from typing import Any

from models.engine import EngineError
from models.llama.process import command

LIMIT = 2.4
"""Seconds of the child's processor time for an order. Honest templates take milliseconds: 43 ms for four million
characters."""
LIMIT_WALL = 5.0
"""Seconds for an order where processor time cannot be limited."""
PATIENCE = 60.0
"""Seconds for an order in any case: a child that was stopped or swapped out."""
MEMORY = 1 << 30
"""Bytes of addresses; a rendering of four million characters takes 150 MB."""
_HEAD = struct.Struct(">Q")
_CHUNK = 1 << 16


class _Pipes:
    """Both ways to the other process. `patience` is how many seconds a message and its answer may take in all.

    Without threads: an engine that is out of memory renders too, and a thread that finds none hangs whoever started
    it.
    """

    def __init__(self, news: int, orders: int) -> None:
        self._read, self._write = news, orders
        self._until: float | None = None

    def patience(self, seconds: float) -> None:
        """Wait no longer than this from now on; systems that cannot wait for pipes (Windows) wait as long as it
        takes."""
        if hasattr(select, "poll"):
            os.set_blocking(self._write, False)
            self._until = time.monotonic() + seconds

    def put(self, data: Mapping[str, Any]) -> None:
        """Send a message. Raises OSError when nobody takes it."""
        body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
        rest = memoryview(_HEAD.pack(len(body)) + body)
        while rest:
            self._wait(self._write, writing=True)
            rest = rest[os.write(self._write, rest[:_CHUNK]) :]

    def get(self) -> dict[str, Any]:
        """The next message. Raises EOFError when there is none, OSError when it does not come."""
        length = _HEAD.unpack(self._bytes(_HEAD.size))[0]
        found: dict[str, object] = json.loads(self._bytes(length).decode("utf-8", "surrogatepass"))
        return found

    def _bytes(self, length: int) -> bytes:
        parts = []
        while length:
            self._wait(self._read, writing=False)
            part = os.read(self._read, min(length, _CHUNK))
            if not part:
                raise EOFError
            parts.append(part)
            length -= len(part)
        return b"".join(parts)

    def _wait(self, pipe: int, *, writing: bool) -> None:
        if self._until is None:
            return
        poll = select.poll()
        poll.register(pipe, select.POLLOUT if writing else select.POLLIN)
        if not poll.poll(max(0.0, self._until - time.monotonic()) * 1000):
            raise TimeoutError


# --- this end -------------------------------------------------------------------------------------------------------


class TemplateProcess:
    """One child, started by the first order. Orders come from any thread and wait for each other."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._child: subprocess.Popen[bytes] | None = None

    @property
    def pid(self) -> int | None:
        """The child's process id, None when there is none."""
        child = self._child
        return child.pid if child is not None and child.poll() is None else None

    def ask(self, order: Mapping[str, Any]) -> dict[str, Any]:
        """The child's answer to an order.

        Raises:
            EngineError: the child was ended, or ended by itself.
        """
        with self._lock:
            try:
                pipes = self._running()
                pipes.patience(PATIENCE)
                pipes.put(order)
                return pipes.get()
            except (OSError, EOFError, ValueError) as error:
                raise EngineError(f"the chat template was stopped: {self._reason(error)}") from None
            except BaseException:  # half a message would be read as the answer to the next order
                self._end()
                raise

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _running(self) -> _Pipes:
        if self._child is None or self._child.poll() is not None:
            self._end()
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            self._child = subprocess.Popen(command("_template"), bufsize=0, stdin=pipe, stdout=pipe, stderr=nothing)
        assert self._child.stdin is not None and self._child.stdout is not None
        return _Pipes(self._child.stdout.fileno(), self._child.stdin.fileno())

    def _end(self, wait: float = 0.0) -> int | None:
        """Kill and reap the child; gives its exit code, None when there was none. One that ends by itself has a
        better code."""
        child, self._child = self._child, None
        if child is None:
            return None
        with contextlib.suppress(subprocess.TimeoutExpired):
            child.wait(timeout=wait)
        child.kill()
        child.wait()
        for pipe in (child.stdin, child.stdout):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()
        return child.returncode

    def _reason(self, error: Exception) -> str:
        code = self._end(0.0 if isinstance(error, TimeoutError) else 5.0)
        if code is None:
            return f"its process cannot be started ({error})"
        if isinstance(error, TimeoutError):
            return f"it takes more than {PATIENCE:g} seconds"
        if code < 0 and -code == getattr(signal, "SIGPROF", None):
            return f"it takes more than {LIMIT:g} seconds of processor time"
        return f"its process died ({f'signal {-code}' if code < 0 else f'exit code {code}'})"


_shared = TemplateProcess()
atexit.register(_shared.close)


def ask(order: Mapping[str, Any]) -> dict[str, Any]:
    """The answer of this process's own child (`TemplateProcess.ask`)."""
    return _shared.ask(order)


def close() -> None:
    """End this process's own child; the next order starts another."""
    _shared.close()


def pid() -> int | None:
    """Process id of this process's own child, for tests and figures."""
    return _shared.pid


# --- the child's end ------------------------------------------------------------------------------------------------


def main() -> int:
    """Render until the pipe ends. Ctrl-C at the terminal is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    pipes = _Pipes(os.dup(0), os.dup(1))
    os.dup2(2, 1)  # whatever prints must not be read as an answer
    from models.llama.rendering import answer  # here alone: the parent needs no jinja

    _limit()
    while True:
        try:
            order = pipes.get()
        except EOFError:
            return 0
        _limit_time(on=True)
        found = answer(order)
        _limit_time(on=False)
        pipes.put(found)


def _limit_time(*, on: bool) -> None:
    """Let the operating system end this process after `LIMIT` more seconds of work, without asking it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, LIMIT if on else 0)
    elif on:
        faulthandler.dump_traceback_later(LIMIT_WALL, exit=True, file=sys.stderr)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit() -> None:
    """What holds for the whole life of this process: the timer ends it, no core is left, memory is bounded."""
    if hasattr(signal, "SIGPROF"):  # a parent may have turned it off
        signal.signal(signal.SIGPROF, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF})
    try:
        import resource
    except ImportError:  # Windows
        return
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, MEMORY)):
        with contextlib.suppress(ValueError, OSError):  # a system that does not know the limit, or a lower one
            resource.setrlimit(limit, (most, most))
