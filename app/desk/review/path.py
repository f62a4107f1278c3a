"""Two dialogs that ask for a path: what to review, and where to write a drafted case. Files are touched in workers
only."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import ClassVar, TypeVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Static
from textual.worker import Worker, WorkerState

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.review.sources import LONGEST_PATH, save_draft
from app.desk.widgets.field import Field, line
from app.desk.widgets.path_completion import PathCompletion
from app.strings import t

_T = TypeVar("_T")


class _AskPath(ModalScreen[_T | None]):
    """A line for a path, two buttons; `words` is the prefix of its texts."""

    CSS_PATH = ["../dialogs/dialog.tcss", "path.tcss"]
    help_id = "review_path"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")
    words = "review_screen.ask"

    def compose(self) -> ComposeResult:
        """What is asked, the path, the buttons."""
        box_of_path = line("path", placeholder=t("models.add.path.empty"))
        box_of_path.max_length = LONGEST_PATH
        box_of_path.suggester = PathCompletion("")
        with Vertical(classes="dialog") as box:
            box.border_title = t(f"{self.words}.title")
            yield Static(t(f"{self.words}.text"), classes="dialog--text", markup=False)
            yield Field(t("models.add.path"), box_of_path, id="path-field")
            with Horizontal(classes="buttons"):
                yield Button(t(f"{self.words}.yes"), variant="primary", id="yes", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """The path has the cursor."""
        self.query_one("#path").focus()

    @property
    def path(self) -> str:
        """What was typed."""
        return self.query_one("#path", Input).value.strip()

    def submit(self) -> None:
        """Take what was typed."""
        raise NotImplementedError

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Yes or no."""
        if event.button.id == "cancel":
            self.dismiss(None)
        else:
            self.submit()

    def on_input_submitted(self) -> None:
        """Enter in the path."""
        self.submit()

    def action_confirm(self) -> None:
        """F5."""
        self.submit()

    def action_cancel(self) -> None:
        """Nothing."""
        self.dismiss(None)


class PathScreen(_AskPath[str]):
    """Gives the path of what is to be reviewed; the Review screen reads it."""

    def submit(self) -> None:
        """Give the path back, if there is one."""
        if self.path:
            self.dismiss(self.path)
        else:
            self.query_one("#path-field", Field).fault(t("review_screen.no_path"))


class SaveScreen(_AskPath[Path]):
    """Writes a drafted case to a new file and gives its path; what is there already is never overwritten."""

    words = "review_screen.save"

    def __init__(self, fields: Mapping[str, object]) -> None:
        super().__init__()
        self._fields = fields

    def submit(self) -> None:
        """Write it, in a worker."""
        job = partial(save_draft, self._fields, self.path)
        self.run_worker(
            job, name="review_save", group="review_save", thread=True, exclusive=True, exit_on_error=False
        )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Written, or why not."""
        event.stop()
        if event.state == WorkerState.SUCCESS and isinstance(event.worker.result, Path):
            self.dismiss(event.worker.result)
        elif event.state == WorkerState.ERROR and self.is_current:
            self.query_one("#path-field", Field).fault(
                one(str(getattr(event.worker.error, "title", event.worker.error)))
            )
            self.query_one("#path").focus()
