"""The line of the Law screen where one asks: words, the day, the pack. Enter asks; a day that does not exist is said
below."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal
from textual.message import Message
from textual.widgets import Input, Label, Select

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.widgets.field import LineInput, choice
from app.law_reading import StatutePack
from app.strings import t
from store.text.dates import parse_date

LONGEST = 500
"""Characters of a question."""


class LawForm(Horizontal):
    """Posts what is asked, and on which day."""

    help_id = "law_box"
    BINDINGS: ClassVar[list[BindingType]] = bindings("law_box")
    DEFAULT_CSS = """
    LawForm {
        height: 1;
        padding: 0 1;
        background: $surface;
        & Label { width: auto; color: $text-muted; padding: 0 1 0 0; }
        & .law-form--next { padding: 0 1 0 2; }
        & Input { height: 1; padding: 0 1; background: $panel; color: $foreground; }
        & Input:focus, & Select:focus SelectCurrent { background: $accent 25%; background-tint: $background 0%; }
        & #words { width: 1fr; }
        & #day { width: 14; }
        & #shelf { width: 20; height: 1; }
        & Select { width: 1fr; }
        & SelectCurrent { background: $panel; }
        & SelectOverlay:focus > .option-list--option-highlighted {
            background: $accent; color: $background; text-style: bold;
        }
        & .-bad { color: $text-error; }
        & Input.-bad { background: $error 25%; }
    }
    """

    class SearchRequested(Message):
        """Search for these words; `day` None: as the words say."""

        def __init__(self, words: str, day: date | None) -> None:
            super().__init__()
            self.words, self.day = words, day

    class DayInvalid(Message):
        """The day does not exist, or '' when it was changed."""

        def __init__(self, sentence: str) -> None:
            super().__init__()
            self.sentence = sentence

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._options: tuple[tuple[str, str], ...] = ()

    def compose(self) -> ComposeResult:
        yield Label("", id="words-label", markup=False)
        yield LineInput(id="words", select_on_focus=False, max_length=LONGEST)
        yield Label("", id="day-label", classes="law-form--next", markup=False)
        yield LineInput(id="day", select_on_focus=False, max_length=20)
        yield Label("", id="shelf-label", classes="law-form--next", markup=False)
        yield Horizontal(id="shelf")

    def relabel(self, example: str) -> None:
        """All words in the current language; `example` is a question that the pack can answer."""
        for name in ("words", "day", "shelf"):
            self.query_one(f"#{name}-label", Label).update(t(f"law_screen.{name}"))
        self.query_one("#words", Input).placeholder = (
            t("law_screen.words.hint", example=one(example)) if example else ""
        )
        self.query_one("#day", Input).placeholder = t("law_screen.day.hint")

    def offer(self, packs: Sequence[StatutePack], chosen: str | None) -> None:
        options = tuple((one(pack.name), pack.name) for pack in packs if not pack.error)
        box, known = self.query_one("#shelf"), self.select
        if options == self._options and known is not None:
            if chosen is not None and known.value != chosen:
                with known.prevent(Select.Changed):
                    known.value = chosen
            return
        self._options = options
        box.remove_children()
        if options:
            select = choice(list(options), None, chosen)
            box.mount(select)

    @property
    def select(self) -> Select[str] | None:
        found = self.query(Select)
        return found.last() if found else None

    def focus_on(self, name: str) -> None:
        target = self.select if name == "shelf" else self.query_one(f"#{name}", Input)
        if target is not None:
            target.focus()

    def action_ask(self) -> None:
        box = self.query_one("#day", Input)
        said = box.value.strip()
        day = parse_date(said) if said else None
        wrong = bool(said) and day is None
        self._mark(wrong)
        if wrong:
            box.focus()
            self.post_message(self.DayInvalid(t("law_screen.no_day", text=one(said))))
            return
        self.post_message(self.SearchRequested(self.query_one("#words", Input).value.strip(), day))

    def on_input_submitted(self, event: Input.Submitted) -> None:
        event.stop()
        self.action_ask()

    def on_input_changed(self, event: Input.Changed) -> None:
        event.stop()
        if (plain := one(event.value)) != event.value:
            event.input.value = plain
            return
        if event.input.id == "day" and event.input.has_class("-bad"):
            self._mark(False)
            self.post_message(self.DayInvalid(""))

    def _mark(self, wrong: bool) -> None:
        for name in ("day", "day-label"):
            self.query_one(f"#{name}").set_class(wrong, "-bad")
