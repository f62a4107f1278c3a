"""Opens the desk."""

from __future__ import annotations

import sys
from pathlib import Path


def open_desk(run: Path | None = None, demo: bool = False) -> int:
    """Open the desk, on a run or on the ready episode; gives the exit code.

    Raises:
        UsageError: there is no terminal to draw on.
    """
    from app.desk.shell import Desk
    from tasks.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the desk needs a terminal", "Use `moot demo --plain`, `moot run` or `moot show` here.")
    desk = Desk(run, demo=demo)
    desk.run()
    return desk.return_code or 0
