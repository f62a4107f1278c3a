"""The form of a tool: a box a parameter, with names and columns offered below while one types. F5 calls the tool.

What cannot succeed is refused under the boxes, and nothing is called.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Any, ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.message import Message
from textual.screen import ModalScreen
from textual.widgets import Input, Label, OptionList, Static
from textual.widgets.option_list import Option

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.jobs import OnDesk
from app.desk.widgets.field import LineInput
from app.strings import t
from app.terminal import pad
from store.browsing import suggested
from store.pack import Pack
from store.schema import LOOKUPS
from tasks.legalagentbench import schemas as forms
from tasks.legalagentbench.schemas import ParameterField, callable_tools, typed_call
from tasks.legalagentbench.tools import ToolSpec

JOINT = "、"


class FieldBox(Input):
    """Where one parameter is typed."""

    def __init__(self, field: ParameterField, value: str) -> None:
        super().__init__(value or field.first, compact=True, select_on_focus=False)
        self.field = field

    @property
    def last(self) -> str:
        """What is being typed: of a list its last part."""
        if self.field.kind != "list":
            return self.value
        return "" if self.value != self.value.rstrip(" 、；;，,") else (forms.parts(self.value) or [""])[-1]

    def take(self, value: str) -> None:
        if self.field.kind == "list":
            self.value = self.value[: len(self.value) - len(self.last)] + value + JOINT
        else:
            self.value = value
        self.cursor_position = len(self.value)


class ToolForm(OnDesk, Vertical):
    """Posts the input once it holds."""

    help_id = "tool_form"
    BINDINGS: ClassVar[list[BindingType]] = bindings("tool_form")
    DEFAULT_CSS = """
    ToolForm {
        height: auto;
        & .name { color: $text-primary; text-style: bold; width: 1fr; }
        & .about { color: $text-muted; width: 1fr; height: auto; }
        & .parameter { color: $text-accent; width: 1fr; height: auto; }
        & Input { width: 1fr; height: 1; padding: 0 1; background: $panel; }
        & #offers { height: auto; max-height: 7; border: none; padding: 0 2; background: transparent; }
        & #refusal { width: 1fr; height: auto; color: $text-error; }
        & #form-hint { width: 1fr; height: auto; color: $text-muted; }
    }
    """

    class CallRequested(Message):
        """Call this tool with this input."""

        def __init__(self, tool: ToolSpec, given: dict[str, Any]) -> None:
            super().__init__()
            self.tool, self.given = tool, given

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tool: ToolSpec | None = None
        self.pack: Pack | None = None
        self._box: FieldBox | None = None

    def compose(self) -> ComposeResult:
        yield Label("", classes="name", markup=False)
        yield Label("", classes="about", markup=False)
        yield Vertical(id="boxes")
        yield OptionList(id="offers", markup=False, compact=True)
        yield Static("", id="refusal", markup=False)
        yield Label("", id="form-hint", markup=False)

    def on_mount(self) -> None:
        self.query_one("#boxes").styles.height = "auto"

    async def show(self, tool: ToolSpec, typed: Mapping[str, str] | None = None) -> None:
        self.tool, self._box = tool, None
        self.query_one(".name", Label).update(tool.name)
        self.query_one(".about", Label).update(tool.description)
        self.query_one("#refusal", Static).update("")
        self.query_one("#form-hint", Label).update(t("tool_form.hint"))
        self.query_one("#offers", OptionList).clear_options()
        boxes = self.query_one("#boxes", Vertical)
        await boxes.remove_children()
        for field in forms.fields(tool):
            await boxes.mount(Label(f"{field.name}  {field.description}", classes="parameter", markup=False))
            await boxes.mount(FieldBox(field, (typed or {}).get(field.name, "")))

    def begin(self) -> None:
        """The cursor in the first box that is still empty."""
        boxes = list(self.query(FieldBox))
        if boxes:
            next((box for box in boxes if not box.value), boxes[0]).focus()

    # what is offered

    def on_descendant_focus(self) -> None:
        if isinstance(self.screen.focused, FieldBox) and self.screen.focused is not self._box:
            self._box = self.screen.focused
            self._offer()

    @on(Input.Changed)
    def _typed(self, event: Input.Changed) -> None:
        event.stop()
        self.query_one("#refusal", Static).update("")
        if event.input is self._box:
            self._offer()

    def _offer(self) -> None:
        box, tool, pack = self._box, self.tool, self.pack
        if box is None or tool is None:
            return
        field, typed = box.field, box.last
        if field.choices:
            there = forms.parts(box.value[: len(box.value) - len(typed)]) if field.kind == "list" else []
            fits = [name for name in field.choices if typed.lower() in name.lower() and name not in there]
            self._show([] if fits == [typed] else fits if field.kind == "list" else list(field.choices))
        elif pack is not None and tool.name in LOOKUPS:
            self.job(
                "suggest", partial(suggested, pack, tool.name, field.name, typed), self._suggest, lambda error: True
            )
        else:
            self._show([])

    def _suggest(self, names: Sequence[str]) -> None:
        if self._box is not None and self.screen.focused is not self.query_one("#offers"):
            self._show([name for name in names if name != self._box.value])

    def _show(self, offers: list[str]) -> None:
        offered = self.query_one("#offers", OptionList)
        offered.set_options([Option(Content(one(offer)), id=str(at)) for at, offer in enumerate(offers)])
        self._offers = offers
        offered.display = bool(offers)

    @on(OptionList.OptionSelected, "#offers")
    def _taken(self, event: OptionList.OptionSelected) -> None:
        event.stop()
        if self._box is not None:
            self._box.take(self._offers[event.option_index])
            self._box.focus()

    def action_offers(self) -> None:
        """Into the list of what is offered, or on to the next box."""
        offered = self.query_one("#offers", OptionList)
        if self.screen.focused is self._box and offered.display:
            offered.highlighted = 0
            offered.focus()
        else:
            offered.action_cursor_down()

    # calling

    @on(Input.Submitted)
    def _entered(self, event: Input.Submitted) -> None:
        event.stop()
        boxes = list(self.query(FieldBox))
        at = next((place for place, box in enumerate(boxes) if box is event.input), -1)
        if at + 1 < len(boxes):
            boxes[at + 1].focus()
        else:
            self.action_run()

    def action_run(self) -> None:
        if self.tool is None:
            return
        given, refusal = forms.read(self.tool, {box.field.name: box.value for box in self.query(FieldBox)})
        if refusal:
            self.query_one("#refusal", Static).update(f"✘ {one(refusal)}")
        else:
            self.post_message(self.CallRequested(self.tool, given))


class CallScreen(OnDesk, ModalScreen[str]):
    """Gives the call as the person would type it; "/" when there is none, so that one can go on by hand."""

    CSS_PATH = "../dialog.tcss"
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
        self.job("open", partial(Pack.open, self._path), self._opened, lambda error: True)

    def _opened(self, pack: Pack) -> None:
        self._pack = self.query_one(ToolForm).pack = pack

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

    @on(ToolForm.CallRequested)
    def _called(self, event: ToolForm.CallRequested) -> None:
        self.dismiss(typed_call(event.tool.name, event.given))

    def action_cursor(self, by: int) -> None:
        tools = self.query_one("#tools", OptionList)
        if not self.has_class("-form"):
            (tools.action_cursor_down if by > 0 else tools.action_cursor_up)()

    def action_cancel(self) -> None:
        if self.has_class("-form"):
            self.remove_class("-form")
            self.query_one("#filter").focus()
        else:
            self.dismiss("")
