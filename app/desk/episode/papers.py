"""What `e` offers of a court episode: the record as Markdown, and every court paper that the episode holds, in each
form."""

from __future__ import annotations

import re
from collections.abc import Mapping
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.strings import t
from store import places
from store.errors import StoreError
from tasks.courts.papers.forms import WRITERS
from tasks.courts.papers.paper import Paper
from tasks.courts.papers.stored import papers_of, write_paper
from tasks.errors import TaskError

Wish = tuple[Paper, str, str] | None
"""A paper, its name and its form; None: the record as Markdown."""


class PapersScreen(ModalScreen[tuple[Wish] | None]):
    """Gives what is to be written, in a tuple of one; None where nothing is."""

    CSS_PATH = "../dialogs/dialog.tcss"
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self, papers: Mapping[str, Paper]) -> None:
        super().__init__()
        self._wishes: list[Wish] = [(paper, name, form) for name, paper in papers.items() for form in WRITERS]
        self._wishes.append(None)

    def compose(self) -> ComposeResult:
        told = [
            t("export.record") if wish is None else f"{wish[0].titles[-1]} · {wish[2].upper()}"
            for wish in self._wishes
        ]
        with Vertical(classes="dialog") as box:
            box.border_title = t("export.title")
            yield OptionList(*map(one, told), markup=False, compact=True)
            yield Static(t("export.hint"), classes="dialog--hint", markup=False)

    @on(OptionList.OptionSelected)
    def _chosen(self, event: OptionList.OptionSelected) -> None:
        self.dismiss((self._wishes[event.option_index],))

    def action_confirm(self) -> None:
        self.query_one(OptionList).action_select()

    def action_cancel(self) -> None:
        self.dismiss(None)


def offered(path: Path, episode: str) -> Mapping[str, Paper]:
    """The papers of an episode; none where its task file cannot be read, so that the record can still be written."""
    try:
        return papers_of(path, episode)
    except (StoreError, TaskError):
        return {}


def export_paper(run: str, episode: str, paper: Paper, name: str, form: str) -> Path:
    """Write a paper beside the other exports, under a name that is free; gives the path."""
    folder = places.home() / "exports"
    stem = re.sub(r"[^\w.-]+", "_", f"{run}-{episode}")[:100] + f"-{name}"
    number, path = 1, folder / f"{stem}.{form}"
    while path.exists():
        number += 1
        path = folder / f"{stem}-{number}.{form}"
    write_paper(paper, form, path, parents=True)
    return path
