"""Opens the desk."""

from __future__ import annotations

import sys
from pathlib import Path


def open_desk(run: Path | None = None, demo: bool = False, question: str = "") -> int:
    """Open the desk, on a run, or on the ready episode or a question instead of it; gives the exit code.

    Raises:
        UsageError: there is no terminal to draw on.
    """
    from app.desk.shell import Desk
    from tasks.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the desk needs a terminal", "Use `moot demo`, `moot run` or `moot show` here.")
    desk = Desk(run, demo=demo, question=question)
    desk.run()
    return desk.return_code or 0
