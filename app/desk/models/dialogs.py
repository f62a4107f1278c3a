"""Dialogs over the library of models: taking a file in, and checking one. Both read whole files, so both show how far
they are and can be stopped at any block.
"""

from __future__ import annotations

import os
import threading
from functools import partial
from pathlib import Path

from textual import on
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.message import Message
from textual.widgets import Button, Checkbox, Input, ProgressBar, Static

from app.desk.dialogs import SHEET, Dialog, buttons
from app.desk.episode.renderers import Line, one
from app.desk.models import listing as model_list
from app.desk.models.listing import LABEL, ModelLine, fact_lines, header_lines
from app.desk.widgets.field import Field, PathCompletion, line
from app.desk.widgets.lines import LinesPane
from app.strings import billions, size_words, t
from app.strings.sentences import translated
from models.errors import BadEngine
from models.llama.header import GgufHeader, read_header
from models.llama.library import LibraryEntry, name_for


class ReadProgress(Message):
    """So many bytes of so many have been read."""

    def __init__(self, done: int, total: int) -> None:
        super().__init__()
        self.done = done
        self.total = total

    def can_replace(self, message: Message) -> bool:
        return isinstance(message, ReadProgress)


class _FileDialog(Dialog[str | None]):
    """A dialog whose work reads a whole file: told how far it is, stopped when the dialog goes."""

    CSS_PATH = [SHEET, "dialogs.tcss"]

    def __init__(self) -> None:
        super().__init__()
        self._stop = threading.Event()

    def progress(self, done: int, total: int) -> None:
        if self._stop.is_set():
            raise model_list.ReadCancelled
        self.post_message(ReadProgress(done, total))

    def on_read_progress(self, event: ReadProgress) -> None:
        bar = self.query_one(ProgressBar)
        bar.display = True
        bar.update(total=event.total, progress=event.done)

    def on_unmount(self) -> None:
        self._stop.set()


class Tick(Checkbox):
    """A box that is empty, or ticked."""

    @property
    def BUTTON_INNER(self) -> str:  # type: ignore[override]  # noqa: N802, D102
        return "✔" if self.value else " "


class AddModelScreen(_FileDialog):
    """Asks for a file, looks at its header at once, and takes it in. Gives the model's name, or None."""

    help_id = "add_model"

    def compose(self) -> ComposeResult:
        path = line("path", placeholder=t("models.add.path.empty"))
        path.suggester = PathCompletion(".gguf")
        with Vertical(classes="dialog") as box:
            box.border_title = t("models.add.title")
            yield Static(t("models.add.text"), classes="dialog--text", markup=False)
            with Vertical(id="form"):
                yield Field(t("models.add.path"), path, id="path-field")
                yield Static("", id="peek", markup=False)
                yield Field(t("models.add.name"), line("name"), id="name-field")
                yield Tick(t("models.add.copy"), id="copy", compact=True)
            yield ProgressBar(show_eta=False)
            yield buttons(t("models.add.yes"), "add")

    def on_mount(self) -> None:
        self.query_one(ProgressBar).display = False
        self.query_one("#path").focus()

    # the header, while one types

    @on(Input.Changed, "#path")
    def _path_changed(self, event: Input.Changed) -> None:
        self._sound("")
        self.query_one("#name", Input).placeholder = ""
        if event.value.strip().lower().endswith(".gguf"):
            path = event.value.strip()
            self.job("peek", partial(_peek, path), partial(self._peeked, path), lambda error: True)

    def _peeked(self, path: str, header: GgufHeader | str) -> None:
        if path != self._path:
            return
        if isinstance(header, str):
            self.query_one("#path-field", Field).fault(one(header))
        else:
            words = f"{one(header.architecture)} · {billions(header.parameters)} · {one(header.quantisation)}"
            self._sound(
                t("models.add.sound", model=words, context=f"{header.context:,}", size=size_words(header.size))
            )
            self.query_one("#name", Input).placeholder = name_for(Path(path))

    def _sound(self, sentence: str) -> None:
        self.query_one("#peek", Static).update(sentence)
        self.query_one("#peek").display = bool(sentence)

    @property
    def _path(self) -> str:
        return self.query_one("#path", Input).value.strip()

    # taking it in

    @property
    def _busy(self) -> bool:
        return any(w.node is self and w.name == "add" and not w.is_finished for w in self.workers)

    def action_confirm(self) -> None:
        if self._busy:
            return
        if not self._path:
            self.query_one("#path-field", Field).fault(t("models.add.path.none"))
            self.query_one("#path").focus()
            return
        name, copy = self.query_one("#name", Input).value.strip(), self.query_one("#copy", Tick).value
        self.query_one("#form").disabled = True
        self.query_one("#add").disabled = True
        self.job("add", partial(model_list.add, self._path, name, copy, self.progress), self._added, self._failed)

    def _added(self, entry: LibraryEntry) -> None:
        if self.is_current:
            self.dismiss(entry.name)

    def _failed(self, error: BaseException) -> bool:
        self.query_one("#form").disabled = False
        self.query_one("#add").disabled = False
        self.query_one(ProgressBar).display = False
        if isinstance(error, OSError) and error.strerror:
            sentence = error.strerror
        else:
            sentence = str(getattr(error, "title", "") or error)
        self.query_one("#path-field", Field).fault(one(sentence))
        self.query_one("#path").focus()
        return True

    def on_input_submitted(self) -> None:
        self.action_confirm()


def _peek(path: str) -> GgufHeader | str | None:
    """The header of a file, or what is wrong with it; None while there is none of that name. Called from workers."""
    file = Path(os.path.expanduser(path))
    if not file.exists():
        return None
    try:
        return read_header(file)
    except BadEngine as error:
        return error.title


class CheckModelScreen(_FileDialog):
    """Reads a file of the library to its end and says all that is known of it."""

    help_id = "check_model"

    def __init__(self, model: ModelLine, free: int) -> None:
        super().__init__()
        self._model = model
        self._free = free

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog -tall") as box:
            box.border_title = t("models.check.title", name=one(self._model.name))
            yield Static(t("models.check.reading"), id="verdict", markup=False)
            yield ProgressBar(show_eta=False)
            yield LinesPane("check_model", id="known", hang=LABEL)
            yield Button(t("problem.close"), variant="primary", compact=True)

    def on_mount(self) -> None:
        self.query_one("#known").focus()
        self._show(self._model, [])
        self.job("verify", partial(model_list.verify, self._model, self.progress), self._verified, self._failed)

    def _failed(self, error: BaseException) -> bool:
        self.query_one(ProgressBar).display = False
        self._say(one(str(error)), "bad")
        return True

    def _verified(self, result: tuple[ModelLine, str]) -> None:
        self.query_one(ProgressBar).display = False
        model, found = result
        if model.fault:
            self._say(one(translated(model.fault)), "bad")
        elif found != model.entry.sha256:
            self._say(t("models.check.differs"), "bad")
        else:
            self._say(t("models.check.same"), "good")
        self._show(model, header_lines(model.header) if model.header is not None else [])

    def _say(self, sentence: str, role: str) -> None:
        verdict = self.query_one("#verdict", Static)
        verdict.update(sentence)
        verdict.set_class(role == "bad", "-bad")
        verdict.set_class(role == "good", "-good")

    def _show(self, model: ModelLine, more: list[Line]) -> None:
        self.query_one("#known", LinesPane).read([*fact_lines(model, self._free), *more])
