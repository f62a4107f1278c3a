"""Opens the desk."""

from __future__ import annotations

import sys
from pathlib import Path


def open_desk(run: Path | None = None, demo: bool = False, question: str = "", log_file: str | None = None) -> int:
    """Open the desk, on a run, or on the ready episode or a question instead of it; gives the exit code.

    Raises:
        UsageError: there is no terminal to draw on, or no file for what is to be logged.
        StoreError: that file cannot be written.
    """
    from app import log
    from app.desk.shell import Desk
    from tasks.errors import UsageError

    if not (sys.stdin.isatty() and sys.stdout.isatty()):
        raise UsageError("the desk needs a terminal", "Use `moot demo`, `moot run` or `moot show` here.")
    end = log.start(Path(log_file) if log_file else None)
    try:
        desk = Desk(run, demo=demo, question=question)
        desk.run()
    finally:
        end()
    return desk.return_code or 0
