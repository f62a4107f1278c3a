"""Leaving the desk: a run that goes on by itself is handed to the background or stopped, as the person says.

Times are in seconds.
"""

from __future__ import annotations

import asyncio
import threading
import time
from pathlib import Path
from typing import Any

from rich.text import Text
from textual.app import App

from app import background
from app.desk.dialogs.problem import ProblemScreen
from app.desk.dialogs.quit import QuitScreen
from app.desk.live import LiveRun
from app.leaving import ASKED, Leave, when_asked
from app.strings import t
from app.strings.sentences import said
from app.terminal import clean, sentence
from store.files import real_path

PATIENCE = 30.0
"""To wait for a step of a run that is to end."""
HURRY = 1.5
"""What a call may take to hear that the desk is left, before its engine is closed."""
PAUSE = 0.05
"""Between two words to a run that is to end."""


class Quitting(App[int]):
    """What the desk does when it is left."""

    live: LiveRun | None
    _before: LiveRun | None
    _leaving: threading.Event
    _code: int

    async def action_quit(self) -> None:
        """Leave; where a run goes on by itself, the person says what becomes of it."""
        live = self.live
        if live is None or not live.moves:
            await self.depart()
        elif not isinstance(self.screen, QuitScreen):
            self.push_screen(QuitScreen(person=live.has_people), self._said)

    def _said(self, answer: str | None) -> None:
        path = self.live.path if self.live is not None and answer == "background" else None
        if answer:
            self.run_worker(self.depart(path), name="leave", exit_on_error=False)

    async def depart(self, path: Path | None = None) -> None:
        """Store the run in motion, and leave; with a path that run goes on in the background."""
        if not await self._stored() and path is not None:
            return self._stay(t("quit.busy"))
        words = None
        if path is not None:
            self.notify(t("quit.handing"), markup=False)
            try:
                begun = await asyncio.to_thread(background.begin, ["resume", str(real_path(path)), "--background"])
            except (background.NotBegun, OSError) as error:
                return self._stay(str(getattr(error, "title", error)))
            words = Text(clean(t("run.background", run=begun.run, pid=begun.pid, log=begun.log), multiline=False))
        self.exit(0, return_code=self._code, message=words)
        return None

    async def _stored(self) -> bool:
        """Let go of every run; whether all have. A call in flight is broken off: it is told so until it has heard."""
        self._leaving.set()
        threads = [worker for worker in self.workers if worker.group == "live"]
        runs = [live for live in (self.live, self._before) if live is not None]
        began = time.monotonic()
        hurry, end = began + HURRY, began + HURRY + PATIENCE
        while not all(worker.is_finished for worker in threads) and time.monotonic() < end:
            for live in runs:
                live.close()
            await asyncio.sleep(PAUSE)
            if time.monotonic() > hurry:
                hurry = end
                self.notify(t("app.leaving"), markup=False)
                for live in runs:
                    await asyncio.to_thread(live.abandon)
        return all(worker.is_finished for worker in threads)

    def _stay(self, title: str) -> None:
        """The run could not be handed over: it is stored, and the desk is there to go on with it."""
        self._leaving.clear()
        self.problem(title, t("quit.stored"))

    def problem(self, title: str, hint: str = "") -> None:
        """A dialog that says what went wrong and what helps."""
        self.push_screen(ProblemScreen(sentence(said(title)), sentence(said(hint))))

    def run(self, *arguments: Any, **options: Any) -> int | None:
        """Run until it is left; another program may ask for that by a signal."""
        with when_asked(Leave(self), *ASKED, "SIGINT"):
            return super().run(*arguments, **options)

    def leave(self, code: int) -> bool:
        """Leave and stop what runs, with an exit code; False before there is anything on the screen."""
        if self._loop is None or not self.is_running:
            return False
        self._code = code
        self._loop.call_soon_threadsafe(lambda: self.run_worker(self.depart(), name="leave", exit_on_error=False))
        return True
