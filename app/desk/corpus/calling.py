"""A call from a seat without typing JSON: a tool from a list that is filtered while one types, then its form."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Input, OptionList, Static
from textual.widgets.option_list import Option
from textual.worker import Worker, WorkerState

from app.desk.bindings import bindings
from app.desk.corpus.form import ToolForm
from app.desk.plain import LineInput
from app.strings import t
from app.terminal import pad
from store.pack import Pack
from tasks.legalagentbench.forms import callable_tools, typed_call


class CallScreen(ModalScreen[str]):
    """Gives the call as the person would type it; "/" when there is none, so that one can go on by hand."""

    CSS_PATH = "../dialogs/dialog.tcss"
    CSS = """
    CallScreen {
        align: center middle;
        background: $background 60%;
        .dialog { width: 96; padding: 0 1; }
        #filter { height: 1; width: 1fr; padding: 0 1; background: $panel; }
        #tools { max-height: 20; }
        ToolForm { display: none; max-height: 100%; overflow-y: auto; }
        &.-form { ToolForm { display: block; } #filter, #tools { display: none; } }
    }
    """
    help_id = "call"
    BINDINGS: ClassVar[list[BindingType]] = bindings("call")

    def __init__(self, pack: str | Path) -> None:
        super().__init__()
        self._path = pack
        self._tools = callable_tools()
        self._pack: Pack | None = None

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("call_dialog.title")
            yield LineInput(placeholder=t("call_dialog.filter"), id="filter")
            yield OptionList(id="tools", markup=False, compact=True)
            yield ToolForm()
            yield Static(t("call_dialog.hint"), classes="dialog--hint", markup=False)

    def on_mount(self) -> None:
        self._list("")
        self.query_one("#filter").focus()
        self.run_worker(lambda: Pack.open(self._path), name="open", thread=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        event.stop()
        if event.worker.name == "open" and event.state == WorkerState.SUCCESS:
            self._pack = self.query_one(ToolForm).pack = event.worker.result

    def on_unmount(self) -> None:
        if self._pack is not None:
            self._pack.close()

    def _list(self, words: str) -> None:
        fits = [
            tool
            for tool in self._tools
            if all(
                word.lower() in f"{tool.name} {tool.description} {''.join(tool.columns)}".lower()
                for word in words.split()
            )
        ]
        offered = self.query_one("#tools", OptionList)
        offered.set_options(
            Option(Content(f"{pad(tool.name, 42)} {tool.description}"), id=tool.name) for tool in fits
        )
        offered.highlighted = 0 if fits else None

    @on(Input.Changed, "#filter")
    def _filtered(self, event: Input.Changed) -> None:
        self._list(event.value)

    @on(Input.Submitted, "#filter")
    def _entered(self) -> None:
        self.query_one("#tools", OptionList).action_select()

    @on(OptionList.OptionSelected, "#tools")
    async def _chosen(self, event: OptionList.OptionSelected) -> None:
        tool = next(tool for tool in self._tools if tool.name == event.option.id)
        form = self.query_one(ToolForm)
        await form.show(tool)
        self.add_class("-form")
        form.begin()

    @on(ToolForm.Called)
    def _called(self, event: ToolForm.Called) -> None:
        self.dismiss(typed_call(event.tool.name, event.given))

    def action_cursor(self, by: int) -> None:
        tools = self.query_one("#tools", OptionList)
        if not self.has_class("-form"):
            (tools.action_cursor_down if by > 0 else tools.action_cursor_up)()

    def action_cancel(self) -> None:
        """From the form back to the list, from there back to the box."""
        if self.has_class("-form"):
            self.remove_class("-form")
            self.query_one("#filter").focus()
        else:
            self.dismiss("")
