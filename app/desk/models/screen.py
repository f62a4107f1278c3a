"""Models: the library of GGUF files, what each needs against what is free, and what one can do with it."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import ClassVar

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical

from app import library
from app.desk.bindings import bindings
from app.desk.dialogs import ConfirmScreen
from app.desk.episode.renderers import one
from app.desk.home.new_run import NewRunScreen
from app.desk.models import listing as model_list
from app.desk.models.dialogs import AddModelScreen, CheckModelScreen
from app.desk.models.listing import LABEL, ModelLibrary, ModelLine, fact_lines
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import EmptyState
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import TextPane
from app.desk.widgets.tables import RowsTable
from app.library import PackLine, RunLine
from app.strings import billions, size_words, t
from app.strings.sentences import translated
from app.terminal import truncate
from models.llama.library import LibraryEntry
from tasks.run.spec import RunSpec

COLUMNS = ("model", "parameters", "quantisation", "context", "size", "memory")
NUMBERS = ("parameters", "context", "size", "memory")
OTHERS = 50
"""Cells that all columns but the name take, with the space between columns and the frame."""


class ModelsScreen(PanesScreen):
    """Models left, facts of the chosen one right; under each other on a narrow screen."""

    CSS_PATH = "models.tcss"
    area = "models"
    help_id = "models"
    BINDINGS: ClassVar[list[BindingType]] = bindings("models")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    FIRST = "#table"
    TITLES = {"#list": "models.list", "#facts": "models.facts"}

    def __init__(self) -> None:
        super().__init__()
        self.shelf = ModelLibrary()
        self._loaded = False

    def panes(self) -> ComposeResult:
        with Horizontal(id="panes"):
            with Vertical(id="list"):
                yield RowsTable("models")
                yield EmptyState(id="none")
            yield TextPane(id="facts")

    def reload(self) -> None:
        self.job("shelf", model_list.list_models, self._have)

    def _have(self, shelf: ModelLibrary) -> None:
        self.shelf, self._loaded = shelf, True
        self.show()

    # what is shown

    def show(self) -> None:
        free = size_words(self.shelf.free) if self.shelf.free else t("models.free.unknown")
        words = [t("models.title"), t("models.count", n=len(self.shelf.lines)), t("models.free", free=free)]
        self.show_title(*(words if self._loaded else words[:1]))
        self._show_table()
        self._show_facts()

    def _show_table(self) -> None:
        lines = self.shelf.lines
        table, empty = self.query_one(RowsTable), self.query_one(EmptyState)
        table.display, empty.display = bool(lines), not lines
        self.query_one("#facts").display = bool(lines)
        if self.shelf.fault:
            empty.say(one(translated(self.shelf.fault)), one(translated(self.shelf.hint)))
        elif self._loaded:
            empty.say(t("models.empty"), t("models.empty.hint"))
        else:
            empty.say(t("home.loading"), "")
        heads = [
            (name, Text(t(f"column.{name}"), justify="right" if name in NUMBERS else "left")) for name in COLUMNS
        ]
        room = max(12, self.query_one("#list").content_size.width - OTHERS)
        table.fill(heads, ((line.name, self._cells(line, room)) for line in lines))

    def _cells(self, line: ModelLine, room: int) -> list[Text]:
        entry = line.entry
        name = Text.assemble("✘ " if line.fault else "", truncate(one(line.name), room - 2 * bool(line.fault)))
        if line.fault:
            return [
                name,
                Text(""),
                Text(one(entry.quantisation)),
                Text(""),
                Text(size_words(entry.size), justify="right"),
                Text("—", justify="right"),
            ]
        return [
            name,
            Text(billions(entry.parameters), justify="right"),
            Text(truncate(one(entry.quantisation), 8)),
            Text(f"{entry.context:,}", justify="right"),
            Text(size_words(entry.size), justify="right"),
            Text(f"{size_words(line.needs[0][1].total)} {self._mark(line.needs[0][1].total)}", justify="right"),
        ]

    def _mark(self, need: int) -> str:
        return "" if not self.shelf.free else "✔" if need <= self.shelf.free else "✘"

    def _show_facts(self) -> None:
        line = self._current()
        self.query_one("#facts", TextPane).show(fact_lines(line, self.shelf.free) if line else [], hang=LABEL)

    # wishes

    def possible(self) -> dict[str, object]:
        line = self._current()
        plays = line is not None and not line.fault and not line.is_embedding
        removed = line is not None and not line.entry.shipped
        return {"try": plays, "run": plays, "check": line is not None, "remove": removed}

    def _current(self) -> ModelLine | None:
        row = self.query_one(RowsTable).cursor_row if self.is_mounted else -1
        return self.shelf.lines[row] if 0 <= row < len(self.shelf.lines) else None

    def on_data_table_row_highlighted(self) -> None:
        self._show_facts()
        self.query_one(KeyBar).refresh()

    async def on_data_table_row_selected(self) -> None:
        self.action_run()

    def action_run(self) -> None:
        if self.check_action("run", ()):
            self.job("before_run", lambda: (library.packs(), list(library.runs())), self._ask_run)

    def _ask_run(self, found: tuple[Sequence[PackLine], Sequence[RunLine]]) -> None:
        line, (packs, runs) = self._current(), found
        usable = [pack for pack in packs if pack.tasks and not pack.error]
        if line is None or not self.is_current:
            return
        if not usable:
            self.desk.problem(t("models.no_packs"), t("models.no_packs.hint"))
            return
        self.app.push_screen(NewRunScreen(usable, runs, f"llama:{line.name}"), self._start)

    async def _start(self, wanted: tuple[RunSpec, bool] | None) -> None:
        if wanted is not None:
            await self.desk.action_mode("home")
            spec, everything = wanted
            self.desk.run_worker(self.desk.start(spec, everything=everything), name="start", exit_on_error=False)

    def action_add(self) -> None:
        self.app.push_screen(AddModelScreen(), self._added)

    def _added(self, name: str | None) -> None:
        if name:
            self.desk.say(t("models.added", name=one(name)))
        self.reload()

    def action_check(self) -> None:
        line = self._current()
        if line is not None:
            self.app.push_screen(CheckModelScreen(line, self.shelf.free))

    def action_remove(self) -> None:
        line = self._current()
        if line is None or not self.check_action("remove", ()):
            return
        name = line.name
        lost = t("models.remove.deleted" if line.entry.copied else "models.remove.kept", path=one(str(line.file)))
        dialog = ConfirmScreen(
            t("models.remove.title"), t("models.remove.text", name=one(name)), lost, t("models.remove.yes")
        )

        def agreed(yes: bool | None) -> None:
            if yes:
                self.job("remove", partial(model_list.remove, name), self._removed)

        self.app.push_screen(dialog, agreed)

    def _removed(self, found: tuple[LibraryEntry, bool]) -> None:
        entry, deleted = found
        self.desk.say(t("models.removed.deleted" if deleted else "models.removed.kept", name=one(entry.name)))
        self.reload()

    def action_refresh(self) -> None:
        self.reload()
