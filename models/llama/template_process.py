"""The process in which chat templates are rendered, both of its ends: orders in, answers out, and an end to what
hangs.

A template may hang inside one step of the interpreter, where no thread runs and no signal is heard. So this process
has at most one child that does nothing but render (`rendering`). An order has `LIMIT` seconds of the child's
processor time: a timer of the operating system ends the child then, whatever it is doing, and a busy machine does not
count against an honest template; another ends it after `PATIENCE` seconds in any case. Where there are no such timers
(Windows) it is `LIMIT_WALL` seconds by the clock. Memory is limited to `MEMORY`
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
import signal
import struct
import subprocess
import sys
import threading
from collections.abc import Mapping
from typing import Any, BinaryIO

from models.engine import EngineError
from models.llama.process import command

LIMIT = 2.4
"""Seconds of the child's processor time for an order. Honest templates take milliseconds: 43 ms for four million
characters."""
LIMIT_WALL = 5.0
"""Seconds for an order where processor time cannot be limited."""
PATIENCE = 60.0
"""Seconds for an order in any case."""
MEMORY = 1 << 30
"""Bytes of addresses; a rendering of four million characters takes 150 MB."""
_HEAD = struct.Struct(">Q")


def _put(stream: BinaryIO, data: Mapping[str, Any]) -> None:
    """Send a message. Raises OSError when nobody takes it."""
    body = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode("utf-8", "surrogatepass")
    stream.write(_HEAD.pack(len(body)) + body)
    stream.flush()


def _get(stream: BinaryIO) -> dict[str, Any]:
    """The next message. Raises EOFError when there is none."""
    head = stream.read(_HEAD.size)
    body = stream.read(_HEAD.unpack(head)[0]) if len(head) == _HEAD.size else b""
    if not body:
        raise EOFError
    found: dict[str, Any] = json.loads(body.decode("utf-8", "surrogatepass"))
    return found


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
                child = self._running()
                _put(child.stdin, order)  # type: ignore[arg-type]
                return _get(child.stdout)  # type: ignore[arg-type]
            except (OSError, EOFError, ValueError) as error:
                raise EngineError(f"the chat template was stopped: {self._reason(error)}") from None
            except BaseException:  # half a message would be read as the answer to the next order
                self._end()
                raise

    def close(self) -> None:
        """End the child."""
        with self._lock:
            self._end()

    def _running(self) -> subprocess.Popen[bytes]:
        if self._child is None or self._child.poll() is not None:
            self._end()
            pipe, nothing = subprocess.PIPE, subprocess.DEVNULL
            self._child = subprocess.Popen(command("_template"), stdin=pipe, stdout=pipe, stderr=nothing)
        return self._child

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
        code = self._end(5.0)
        if code is None:
            return f"its process cannot be started ({error})"
        if code < 0 and -code == getattr(signal, "SIGALRM", None):
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
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # whatever prints must not be read as an answer
    from models.llama.rendering import answer  # here alone: the parent needs no jinja

    _limit()
    while True:
        try:
            order = _get(orders)
        except EOFError:
            return 0
        _limit_time(on=True)
        found = answer(order)
        _limit_time(on=False)
        _put(answers, found)


def _limit_time(*, on: bool) -> None:
    """Let the operating system end this process after `LIMIT` more seconds of work, without asking it."""
    if hasattr(signal, "setitimer"):
        signal.setitimer(signal.ITIMER_PROF, LIMIT if on else 0)
        signal.setitimer(signal.ITIMER_REAL, PATIENCE if on else 0)
    elif on:
        faulthandler.dump_traceback_later(LIMIT_WALL, exit=True, file=sys.stderr)
    else:
        faulthandler.cancel_dump_traceback_later()


def _limit() -> None:
    """What holds for the whole life of this process: the timer ends it, no core is left, memory is bounded."""
    if hasattr(signal, "SIGPROF"):  # a parent may have turned them off
        for kind in (signal.SIGPROF, signal.SIGALRM):
            signal.signal(kind, signal.SIG_DFL)
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGPROF, signal.SIGALRM})
    try:
        import resource
    except ImportError:  # Windows
        return
    for limit, most in ((resource.RLIMIT_CORE, 0), (resource.RLIMIT_AS, MEMORY)):
        with contextlib.suppress(ValueError, OSError):  # a system that does not know the limit, or a lower one
            resource.setrlimit(limit, (most, most))
