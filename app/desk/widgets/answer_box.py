"""Where a person in a seat types. F5 or Ctrl+Enter sends; Enter begins a new line, always.

What is said goes into the record for ever, and some terminals pass the Enter that picks a candidate of an input
method on to the program: so Enter alone never sends. A draft belongs to its episode and waits there while another is
looked at.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.events import Key
from textual.geometry import Size
from textual.message import Message
from textual.widgets import Label

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line
from app.desk.widgets.field import LongText
from app.desk.widgets.lines import TextPane
from app.strings import t


class AnswerText(LongText):
    """A plain text box. A slash at its beginning asks for the tools, where there are some."""

    class SlashTyped(Message):
        """A slash was typed first."""

    slashes = False

    async def _on_key(self, event: Key) -> None:
        if self.slashes and event.character == "/" and not self.text:
            event.stop()
            event.prevent_default()
            self.post_message(self.SlashTyped())
            return
        await super()._on_key(event)


class QuestionPane(TextPane):
    """What stands above the box; as high as its lines."""

    def get_content_height(self, container: Size, viewport: Size, width: int) -> int:
        return sum(1 for _ in self.build(width))


class AnswerBox(Vertical):
    """Posts what was said."""

    help_id = "answer"
    BINDINGS: ClassVar[list[BindingType]] = bindings("answer")
    DEFAULT_CSS = """
    AnswerBox {
        height: auto;
        max-height: 50%;
        display: none;
        border: round $foreground 25%;
        border-title-color: $text-muted;
        background: $surface;
        &:focus-within { border: round $accent; border-title-color: $text-accent; }
        & Label { width: 1fr; color: $text-muted; padding: 0 1; }
        & TextArea { height: auto; min-height: 3; max-height: 10; border: none; padding: 0 1; background: $surface; }
        & TextArea:focus { border: none; }
        & QuestionPane {
            height: auto; max-height: 8; padding: 0 1; display: none; overflow-y: hidden; scrollbar-gutter: auto;
        }
        &.-briefed { max-height: 65%; & QuestionPane { display: block; } }
        &.-open { display: block; }
    }
    """

    class AnswerSubmitted(Message):
        """The person said this."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    class ToolsRequested(Message):
        """The person wants to choose a tool."""

    class DraftRequested(Message):
        """The person wants to see what the rules would do."""

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.tools = False
        """Whether tools can be called from here."""
        self._key = ""
        self._drafts: dict[str, str] = {}
        self._sent = ""
        self._hint = "answer.hint"
        self.about = ""

    def compose(self) -> ComposeResult:
        yield QuestionPane()
        yield AnswerText(soft_wrap=True, show_line_numbers=False, tab_behavior="focus", highlight_cursor_line=False)
        yield Label("", markup=False)

    def open(
        self, seat: str, key: str = "", *, focus: bool = True, brief: Sequence[Line] = (), words: str = "answer",
        tools: bool = False,
    ) -> None:  # fmt: skip
        """Show the box for a seat of the episode with this key, with what was typed there before.

        `focus` puts the cursor in it; a person who is typing elsewhere is left there. `brief` stands above it: what
        was asked, and what one may do; `words` begins the keys of its title and of the line that says how to use it.
        `tools`: a slash opens their list.
        """
        self.tools = self.query_one(AnswerText).slashes = tools
        self._hint = f"{words}.hint"
        self.set_class(bool(brief), "-briefed")
        self.query_one(QuestionPane).show(brief)
        self.border_title = t(f"{words}.title", seat=seat)
        if not self.is_open or key != self._key:
            self._keep()
            self._key = key
            self._fill(self._drafts.pop(key, ""))
        self.add_class("-open")
        self.explain()
        if focus:
            self.query_one(AnswerText).focus()

    def begin(self, text: str) -> None:
        """Somebody began to type elsewhere: go on here."""
        box = self.query_one(AnswerText)
        box.focus()
        box.insert(text, box.document.end)
        box.move_cursor(box.document.end)

    def close(self) -> None:
        """Put the box away; what is typed waits until it is opened for this episode again."""
        self._keep()
        self.remove_class("-open")

    @property
    def is_open(self) -> bool:
        return self.has_class("-open")

    def give_back(self) -> None:
        """What was said last could not be taken: it is a draft again."""
        if self._sent and not self.is_open and not self._drafts.get(self._key):
            self._drafts[self._key], self._sent = self._sent, ""

    def explain(self) -> None:
        """Say how to use it, in the current language; or how to come back to it."""
        inside = self.has_focus_within
        hint = t(self._hint if inside else "answer.away")
        label = self.query_one(Label)
        if str(label.content) != hint:
            label.update(hint)

    def on_descendant_focus(self) -> None:
        self.explain()

    def on_descendant_blur(self) -> None:
        self.call_later(self.explain)

    def action_send(self) -> None:
        text = self.query_one(AnswerText).text.strip()
        if text:
            self._fill("")
            self._sent = text
            self.post_message(self.AnswerSubmitted(text))

    def fill(self, text: str) -> None:
        self._fill(text)
        self.query_one(AnswerText).focus()

    @property
    def text(self) -> str:
        return self.query_one(AnswerText).text

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.tools if action in ("tools", "draft") else True

    def on_answer_text_slash_typed(self) -> None:
        self.action_tools()

    def action_tools(self) -> None:
        self.post_message(self.ToolsRequested())

    def action_draft(self) -> None:
        self.post_message(self.DraftRequested())

    def action_leave(self) -> None:
        self.screen.focus_previous()

    def _keep(self) -> None:
        text = self.query_one(AnswerText).text
        if self.is_open:
            self._drafts.pop(self._key, None)
            if text.strip():
                self._drafts[self._key] = text
        self._fill("")

    def _fill(self, text: str) -> None:
        box = self.query_one(AnswerText)
        if box.text != text:
            box.text = text
            box.move_cursor(box.document.end)
