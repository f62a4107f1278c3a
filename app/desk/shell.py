"""The app: modes, the one run in motion, and everything that all screens share. Screens compose and route, this
decides."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Callable
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, ClassVar, Literal, TypeVar

from rich.text import Text
from textual.app import App
from textual.binding import BindingType
from textual.command import CommandPalette
from textual.dom import DOMNode
from textual.screen import Screen
from textual.theme import Theme
from textual.worker import Worker, WorkerState

from app import background, library
from app.desk.bindings import bindings
from app.desk.board import BoardScreen
from app.desk.corpus.screen import CorpusScreen
from app.desk.dialogs import HelpScreen, HostScreen, ProblemScreen, ProgressScreen, QuitScreen
from app.desk.episode.controller import PATIENCE, PAUSE, Controller, Opener
from app.desk.episode.renderers import one
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.screen import Door, HomeScreen
from app.desk.law.screen import LawScreen
from app.desk.live import LiveRun
from app.desk.models.screen import ModelsScreen
from app.desk.palette import MootCommands
from app.desk.review.screen import ReviewScreen
from app.desk.settings import SettingsScreen
from app.desk.widgets.field import read_no_markup
from app.hosts import consent, with_origin
from app.preferences import prefer, preferences, speak_as_preferred
from app.shutdown import ASKED, ShutdownHandler, signal_handlers
from app.strings import language, set_language, t
from app.strings.sentences import of_system, translated
from app.terminal import clean, sentence
from models.llama.engine import end_kept, keep_last
from store.errors import StoreError
from store.files import real_path
from store.writer import request_stop
from tasks.run.opened import Run
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.spec import RunSpec

DARK = Theme(
    name="moot-dark",
    dark=True,
    primary="#7aa7dd",
    secondary="#8fc1b5",
    accent="#dcb26b",
    warning="#e3a857",
    error="#e5737c",
    success="#92c47c",
    foreground="#d9dee4",
    background="#13171c",
    surface="#1a2027",
    panel="#232b34",
)
LIGHT = Theme(
    name="moot-light",
    dark=False,
    primary="#2c5c97",
    secondary="#2f6f62",
    accent="#8f5410",
    warning="#9a5b00",
    error="#b0261e",
    success="#2b7033",
    foreground="#1d2126",
    background="#fbfaf6",
    surface="#f2f0ea",
    panel="#e6e2d8",
)


Shown = TypeVar("Shown", bound=Screen[Any])
HURRY = 1.5
"""What a call may take to hear that the desk is left, before its engine is closed."""


class Desk(App[int]):
    """The desk of Moot."""

    TITLE = "Moot"
    CSS = """
    ToastRack { layer: default; margin: 0; max-height: 4; }
    Toast { width: 1fr; max-width: 100%; padding: 0 1; margin: 0; }
    Tooltip { max-width: 60; }
    """
    MODES: ClassVar[dict[str, Callable[[], Screen[None]]]] = {
        "home": HomeScreen,
        "episode": EpisodeScreen,
        "models": ModelsScreen,
        "law": LawScreen,
        "board": BoardScreen,
        "review": ReviewScreen,
        "corpus": CorpusScreen,
        "settings": SettingsScreen,
    }  # type: ignore[assignment]
    DEFAULT_MODE = "home"
    COMMANDS = {MootCommands}
    BINDINGS: ClassVar[list[BindingType]] = bindings("app")
    ENABLE_COMMAND_PALETTE = True
    NOTIFICATION_TIMEOUT = 4

    def __init__(self, run: Path | None = None, *, demo: bool = False, question: str = "") -> None:
        read_no_markup()
        super().__init__()
        self.register_theme(DARK)
        self.register_theme(LIGHT)
        speak_as_preferred()
        self.theme = preferences().theme
        self.controller = Controller(self)
        self._leaving = threading.Event()
        self._first_run = run
        self._wanted: Door | None = "hops" if demo else None
        self._question = question
        """What is asked behind the door of several hops; '' is the ready task."""
        self._failed: dict[tuple[DOMNode, str], tuple[str, str]] = {}
        """What was told last of each job that fails, until it succeeds or another mode is shown."""
        self._code = 0

    async def on_mount(self) -> None:
        keep_last()
        consent(ask=self.ask_host)
        if self._wanted is not None:
            await self.start_demo(self._wanted, self._question)
        elif self._first_run is not None:
            self.open_episode(self._first_run, "")

    # modes and screens

    def _in(self, mode: str, kind: type[Shown]) -> Shown | None:
        return next((screen for screen in self._screen_stacks.get(mode, []) if isinstance(screen, kind)), None)

    @property
    def episode_screen(self) -> EpisodeScreen | None:
        return self._in("episode", EpisodeScreen)

    @property
    def home_screen(self) -> HomeScreen | None:
        return self._in("home", HomeScreen)

    @property
    def review_screen(self) -> ReviewScreen | None:
        return self._in("review", ReviewScreen)

    async def look_up(self, tool: str, value: str) -> None:
        await self.action_mode("corpus")
        if isinstance(self.screen, CorpusScreen):
            self.screen.look_up(tool, value)

    async def ask_law(self, words: str) -> None:
        await self.action_mode("law")
        if isinstance(self.screen, LawScreen):
            self.screen.ask(words, None)

    async def review(self, path: Path, episode: str = "") -> None:
        await self.action_mode("review")
        if self.review_screen is not None:
            self.review_screen.take(path, episode)

    async def board(self, path: Path) -> None:
        await self.action_mode("board")
        if isinstance(self.screen, BoardScreen):
            self.screen.take(path)

    async def action_mode(self, mode: str) -> None:
        if len(self.screen_stack) > 1 and isinstance(self.screen, ProgressScreen):
            return
        self._failed.clear()
        await self.switch_mode(mode)
        if mode == "home" and self.home_screen is not None:
            self.home_screen.reload()

    def action_help(self) -> None:
        if not isinstance(self.screen, HelpScreen):
            self.push_screen(HelpScreen(self.screen, self.focused))

    def action_language(self) -> None:
        self.prefer(language="en" if language() == "zh" else "zh")
        self.say(t("app.switched"))

    def action_theme(self) -> None:
        self.prefer(theme=LIGHT.name if self.theme == DARK.name else DARK.name)

    def prefer(self, **chosen: str) -> None:
        """Use a language (`language`; '' as the system says) or colours (`theme`) from now on, and remember it."""
        if "theme" in chosen:
            self.theme = chosen["theme"]
        if "language" in chosen:
            set_language(chosen["language"] or None)
            self._say_again()
        try:
            prefer(**chosen)
        except StoreError as error:
            self.say(t("settings.not_kept", reason=one(translated(error.title))), "warning")

    def _say_again(self) -> None:
        for stack in self._screen_stacks.values():
            for screen in stack:
                if screen.is_mounted and (retranslate := getattr(screen, "retranslate", None)) is not None:
                    retranslate()

    def action_command_palette(self) -> None:
        if not any(isinstance(screen, CommandPalette) for screen in self.screen_stack):
            self.push_screen(CommandPalette(placeholder=t("palette.placeholder"), id="--command-palette"))

    def say(self, text: str, severity: Literal["information", "warning", "error"] = "information") -> None:
        self.notify(text, severity=severity, markup=False)

    def problem(self, title: str, hint: str = "") -> None:
        self.push_screen(ProblemScreen(sentence(translated(title)), sentence(translated(hint))))

    def ask_host(self, host: str, run: str) -> bool:
        """Whether an engine may lead to a host beyond this machine; called by the thread that opens it, which
        waits."""
        answer: Future[bool | None] = Future()

        def show() -> None:
            self.push_screen(HostScreen(host, run), answer.set_result)

        self.call_from_thread(show)
        while not self._leaving.is_set():
            with suppress(TimeoutError):
                return bool(answer.result(PAUSE))
        return False

    def worker_failed(self, event: Worker.StateChanged) -> bool:
        """Turn the failure of a worker into a dialog; whether the event is of no further interest."""
        event.stop()
        job = (event.worker.node, event.worker.name)
        if event.state == WorkerState.ERROR:
            error = event.worker.error
            other = of_system(error) if isinstance(error, OSError) else f"{type(error).__name__}: {error}"
            words = str(getattr(error, "title", None) or other), str(getattr(error, "hint", ""))
            # A screen that comes back reads anew: what fails again as it did is no dialog again, which would lock it.
            if self._failed.get(job) == words:
                self.say(sentence(translated(words[0])), "error")
            else:
                self._failed[job] = words
                self.problem(*words)
        elif event.state == WorkerState.SUCCESS:
            self._failed.pop(job, None)
        return event.state != WorkerState.SUCCESS

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if not self.worker_failed(event) and event.worker.name == "build":
            self.call_later(self._built)

    # runs

    @property
    def live(self) -> LiveRun | None:
        """The run in motion."""
        return self.controller.live

    def open_episode(self, path: Path, episode: str, step: int = 0) -> None:
        """Show an episode, at a step where one is named: of the run in motion, or from disk."""
        self.run_worker(self._open_episode(path, episode, step), name="open", exit_on_error=False)

    async def _open_episode(self, path: Path, episode: str, step: int) -> None:
        await self.switch_mode("episode")
        screen = self.episode_screen
        assert screen is not None
        screen.goal = {episode: step}
        if not await self.controller.open(path, episode):
            self.controller.hint = ""
            screen.open_stored(path, episode)

    def ask_to_stop(self, path: Path) -> None:
        def ask() -> None:
            found = request_stop(path)
            self.call_from_thread(self.say, t("played.asked" if found else "played.nobody"))

        self.run_worker(ask, name="ask_to_stop", thread=True, exit_on_error=False)

    async def begin(
        self, opener: Opener, *, mode: str = "paused", hint: str = "", show: bool = True, episode: str = ""
    ) -> LiveRun:
        if show:
            await self.switch_mode("episode")
            self.controller.hint = hint
        return self.controller.begin(opener, mode=mode, episode=episode)

    def fork(self, path: Path, episode: str, step: int) -> None:
        """A new run that shares the first steps with this one."""

        async def go() -> None:
            self.say(t("episode.forked", step=step))
            await self.begin(partial(with_origin, fork_run, path, episode, step))

        self.run_worker(go(), name="fork", exit_on_error=False)

    async def start(self, spec: RunSpec, *, everything: bool) -> None:
        """A new run: step by step on the Episode screen, or all of it while Home counts."""
        opener = partial(start_run, spec, argv=("desk",))
        await self.begin(opener, mode="all" if everything else "paused", show=not everything)

    async def resume(self, path: Path) -> None:
        await self.begin(partial(with_origin, resume_run, path), mode="all", show=False)

    async def start_demo(self, door: Door = "hops", question: str = "") -> None:
        """What stands behind a door of Home, or a question instead of the task of several hops, which then goes on by
        itself; the sample pack is built first where it is missing."""
        self._wanted, self._question = None, question
        if not library.has_sample():
            self._wanted = door
            self.build_sample()
        elif door == "law":
            await self.ask_law(t("door.law.question"))
        else:
            from app.ready_episodes import trial_run

            opener = trial_run if door == "trial" else partial(self._demo_run, question)
            await self.begin(opener, mode="auto" if question else "paused", hint="demo.hint")

    def _demo_run(self, question: str) -> Run:
        from app.ready_episodes import demo_run

        run, why = demo_run(question)
        if why:
            self.call_from_thread(self.say, why, "warning")
        return run

    def build_sample(self) -> None:
        screen = ProgressScreen(t("progress.sample"), t("progress.sample.text"))
        self.push_screen(screen)

        def build() -> None:
            from tasks.sample.build import build_sample

            build_sample(progress=screen.tell)

        self.run_worker(build, name="build", thread=True, exit_on_error=False)

    async def _built(self) -> None:
        if isinstance(self.screen, ProgressScreen):
            self.pop_screen()
        self.say(t("home.built"))
        if self._wanted is not None:
            await self.start_demo(self._wanted, self._question)
            return
        if self.home_screen is not None:
            self.home_screen.reload()

    # leaving

    async def action_quit(self) -> None:
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
            words = Text(
                clean(t("run.background", run=begun.run, pid=begun.pid, output=begun.output), multiline=False)
            )
        self.exit(0, return_code=self._code, message=words)
        return None

    async def _stored(self) -> bool:
        """Let go of every run; whether all have. A call in flight is broken off: it is told so until it has heard."""
        self._leaving.set()
        threads = [worker for worker in self.workers if worker.group == "live"]
        runs = self.controller.runs
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

    def run(self, *arguments: Any, **options: Any) -> int | None:
        with signal_handlers(ShutdownHandler(self.leave), *ASKED, "SIGINT"):
            return super().run(*arguments, **options)

    def leave(self, code: int) -> bool:
        """Leave and stop what runs, with an exit code; False before there is anything on the screen."""
        if self._loop is None or not self.is_running:
            return False
        self._code = code
        self._loop.call_soon_threadsafe(lambda: self.run_worker(self.depart(), name="leave", exit_on_error=False))
        return True

    def on_unmount(self) -> None:
        self._leaving.set()
        consent()
        self.controller.leave()
        end_kept()
