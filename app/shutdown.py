"""Leaving because another program asks for it (SIGTERM, SIGHUP, a SIGINT from elsewhere): in order, and with the
terminal as it was.

A command ends as with Ctrl-C, so that whatever it has open is closed. The desk closes the run in motion first; a
second signal, or `LAST` seconds, end it at once. Exit codes are 128 and the number of the signal, as shells have it;
a run that could end between two steps is unfinished as after Ctrl-C, which is 1.
"""

from __future__ import annotations

import os
import signal
import stat
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

LAST = 40.0
"""Seconds after which a desk that was asked to leave is gone, whatever still holds it. Longer than it waits for its
run."""
ASKED = ("SIGTERM", "SIGHUP")
RESTORED = (
    "\x1b[?2004l\x1b[?7h\x1b[?2048l"  # paste in brackets, wrapping, reports of sizes
    "\x1b[?1000l\x1b[?1002l\x1b[?1003l\x1b[?1015l\x1b[?1006l\x1b[?1016l"  # the mouse
    "\x1b[<u\x1b[?1049l\x1b[?25h\x1b[?1004l"  # keyboard, alternate screen, cursor, focus
)
"""Everything that the desk may have switched on, off again."""
Handler = Callable[[int, object], None]


@contextmanager
def signal_handlers(handler: Handler, *names: str) -> Iterator[None]:
    """Have the signals of these names handled; those that this system lacks, or that are to be ignored (nohup), are
    left."""
    before = {}
    with suppress(ValueError):  # not in the main thread: nobody else may set handlers
        for name in names:
            number = getattr(signal, name, None)
            if number is not None and signal.getsignal(number) not in (signal.SIG_IGN, None):
                before[number] = signal.signal(number, handler)
    try:
        yield
    finally:
        for number, old in before.items():
            signal.signal(number, old)


def end(number: int, _: object = None) -> None:
    """End a command where it stands; all that is open is closed on the way."""
    without_terminal(number)
    raise SystemExit(128 + number)


def without_terminal(number: int) -> None:
    """A terminal that hung up takes no words any more: they would fail in the middle of whatever is to be closed."""
    if number == getattr(signal, "SIGHUP", None):
        with suppress(OSError), open(os.devnull, "wb") as nothing:
            for stream in (1, 2):
                if _speaks_to_terminal(stream):
                    os.dup2(nothing.fileno(), stream)


def _speaks_to_terminal(stream: int) -> bool:
    """Whether this is a terminal, or was one: a device of characters other than the null device."""
    try:
        return stat.S_ISCHR(os.fstat(stream).st_mode)
    except OSError:
        return False


class ShutdownHandler:
    """Asks once, then insists. leave: begins to leave with an exit code; False where nothing has begun yet that could
    be left in order."""

    def __init__(self, leave: Callable[[int], bool]) -> None:
        self._leave = leave
        self._asked = False
        self._modes = _input_modes()

    def __call__(self, number: int, _: object) -> None:
        without_terminal(number)
        code = 128 + number
        if self._asked or not self._leave(code):
            self.at_once(code)
        self._asked = True
        timer = threading.Timer(LAST, self.at_once, (code,))
        timer.daemon = True
        timer.start()

    def at_once(self, code: int) -> None:
        """End this process without waiting for anything. What was committed is on disk; children end with their
        pipes."""
        with suppress(OSError, ValueError, AttributeError):
            if sys.__stderr__ is not None and sys.__stderr__.isatty():
                os.write(sys.__stderr__.fileno(), RESTORED.encode())
        if self._modes is not None:
            import termios

            with suppress(OSError, termios.error):
                termios.tcsetattr(0, termios.TCSANOW, self._modes)
        os._exit(code)


def _input_modes() -> list[Any] | None:
    """How the terminal takes its input before the desk changes that; None where there is none to ask."""
    if sys.platform == "win32" or not os.isatty(0):
        return None
    import termios

    return termios.tcgetattr(0)
