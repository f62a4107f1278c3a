"""What screens may ask of the desk that they stand on. Screens know this, never the app that composes them."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Protocol, cast, runtime_checkable

from textual.worker import Worker

from app.desk.messages import RunFacts

if TYPE_CHECKING:
    from app.desk.live import LiveRun
    from tasks.run.spec import RunSpec

Door = Literal["trial", "law", "hops"]
"""What a newcomer can do at once: watch a trial, ask for the law of a day, watch a search of several hops."""


class OfRun(Protocol):
    """A screen that shows an episode of a run; `facts` is None before there is one."""

    facts: RunFacts | None
    episode: str


@runtime_checkable
class Translated(Protocol):
    """A screen that can say all its words again in another language."""

    is_mounted: bool

    def retranslate(self) -> None:
        """All words in the current language."""


class Desk(Protocol):
    """The desk: the run in motion (`live`), its reading pace, dialogs, modes, and runs that are opened or begun."""

    live: LiveRun | None
    pace: int

    def say(self, text: str, severity: Literal["information", "warning", "error"] = "information") -> None:
        """A short message that goes away by itself."""

    def prefer(self, **chosen: str) -> None:
        """Use a language (`language`) or colours (`theme`) from now on, and remember it."""

    def problem(self, title: str, hint: str = "") -> None:
        """A dialog that says what went wrong and what helps."""

    def worker_failed(self, event: Worker.StateChanged) -> bool:
        """Turn the failure of a worker into a dialog; whether the event is of no further interest."""
        ...

    def push_screen(self, screen: Any, callback: Any = None) -> Any:
        """Show a screen over this one."""

    def copy_to_clipboard(self, text: str) -> None:
        """Hand a text to the terminal's clipboard."""

    def run_worker(self, work: Any, name: str = "", **options: Any) -> Any:
        """Do something that outlives the screen."""

    async def action_mode(self, mode: str) -> None:
        """Go to another mode."""

    def open_episode(self, path: Path, episode: str, step: int = 0, hint: str = "") -> None:
        """Show an episode: of the run in motion, or from disk, there at a step where one is named, with words on
        why."""

    def present(self, source: Any) -> None:
        """Show the episode of a screen to an audience."""

    async def review(self, path: Path, episode: str = "") -> None:
        """Score a run, or one of its episodes."""

    async def board(self, path: Path) -> None:
        """Show the tasks of a run on the Board."""

    def ask_to_stop(self, path: Path) -> None:
        """Ask the process that plays a run to stop it between two turns."""

    def with_live(self, screen: OfRun, wish: Callable[[LiveRun], None]) -> bool:
        """Send a wish to the run on a screen; a stored one is taken up first."""
        ...

    def fork(self, path: Path, episode: str, step: int) -> None:
        """A new run that shares the first steps with this one."""

    async def start(self, spec: RunSpec, *, everything: bool) -> None:
        """A new run: step by step on the Episode screen, or all of it while Home counts."""

    async def resume(self, path: Path) -> None:
        """Go on with an unfinished run."""

    async def start_demo(self, door: Door = "hops", question: str = "") -> None:
        """What stands behind a door of Home: a ready episode or a question that a person asks, or one of law in
        time."""

    def build_sample(self) -> None:
        """Build the fictional pack, with a progress bar."""


class OnDesk:
    """A screen or pane that stands on the desk."""

    app: Any

    @property
    def desk(self) -> Desk:
        """What it may ask for."""
        return cast(Desk, self.app)
