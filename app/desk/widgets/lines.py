"""A virtual line view: any number of wrapped, styled lines, painted only where they are seen.

Lines come as pieces (text, role); roles get colours from component classes, that is from the theme. Wrapping keeps to
the rules of Chinese typesetting and happens again when the width changes.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.text import Text
from textual.cache import LRUCache
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip

from app.desk.episode.renderers import Line, Piece
from app.desk.widgets.ink import ink
from app.wrapping import wrap

FILLED = ("match", "removed", "added")
"""Roles with a background of their own."""


@dataclass(frozen=True, slots=True)
class Row:
    """One line on the screen. `owner` is the index of what it belongs to, or -1."""

    pieces: Line
    owner: int = -1


def slice_pieces(line: Sequence[Piece], start: int, end: int) -> list[Piece]:
    """The pieces of a line between two character offsets."""
    found: list[Piece] = []
    at = 0
    for text, role in line:
        a, b = max(start - at, 0), min(end - at, len(text))
        if a < b:
            found.append((text[a:b], role))
        at += len(text)
    return found


def wrapped(line: Line, width: int, hang: int = 0) -> list[list[Piece]]:
    """A line as rows of pieces, each at most `width` cells; rows after the first are moved in by `hang` cells."""
    spans = wrap("".join(text for text, _ in line), width, hang)
    rows = [slice_pieces(line, start, end) for start, end in spans]
    return rows[:1] + [[(" " * hang, "text"), *row] if hang else row for row in rows[1:]]


class LineView(ScrollView, can_focus=True):
    """Shows rows; subclasses say in `build` what the rows are for a width in cells."""

    DEFAULT_CSS = """
    LineView {
        overflow-x: hidden;
        overflow-y: auto;
        scrollbar-gutter: stable;
        scrollbar-size-vertical: 1;
        scrollbar-color: $foreground 25%;
        scrollbar-background: $background;
        background: transparent;
        & > .lines--text { color: $foreground; }
        & > .lines--question { color: $foreground; text-style: bold; }
        & > .lines--label { color: $text-accent; }
        & > .lines--dim { color: $foreground 65%; }
        & > .lines--thought { color: $foreground 75%; text-style: italic; }
        & > .lines--tool { color: $text-primary; text-style: bold; }
        & > .lines--value { color: $foreground; }
        & > .lines--answer { color: $text-success; text-style: bold; }
        & > .lines--good { color: $text-success; }
        & > .lines--warn { color: $text-warning; }
        & > .lines--bad { color: $text-error; }
        & > .lines--seat { color: $text-secondary; text-style: bold; }
        & > .lines--mark { color: $text-warning; text-style: bold; }
        & > .lines--rule { color: $foreground 40%; }
        & > .lines--match { background: $warning; color: $background; }
        & > .lines--removed { color: $text-error; background: $error-muted; }
        & > .lines--added { color: $text-success; background: $success-muted; }
        & > .lines--cursor { background: $foreground 8%; }
        & > .lines--bar { color: $accent; }
    }
    """

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:
        super().__init__(id=id, classes=classes)
        self.rows: list[Row] = []
        self._stale = True
        self._strips: LRUCache[tuple[int, bool], Strip] = LRUCache(2048)

    def build(self, width: int) -> Iterable[Row]:
        """The rows for a width."""
        raise NotImplementedError

    @property
    def room(self) -> int:
        """Cells of a row."""
        return max(8, self.scrollable_content_region.width)

    def rebuild(self) -> None:
        """Make the rows again: the content or the width changed."""
        self._stale = not self.is_mounted or not self.size.width
        if self._stale:
            return
        self.rows = list(self.build(self.room))
        self._strips.clear()
        self.virtual_size = Size(self.room, len(self.rows))
        self.refresh()

    def on_resize(self, event: Resize) -> None:
        if self._stale or self.virtual_size.width != self.room:
            self.rebuild()

    def on_show(self) -> None:
        self.rebuild()

    def notify_style_update(self) -> None:
        """A new theme: paint again."""
        super().notify_style_update()
        self._component_styles.clear()
        self._strips.clear()

    def get_component_styles(self, *names: str) -> RenderStyles:
        """Styles of roles, made when they are first asked for.

        As COMPONENT_CLASSES, Textual would make all of them for each view on the screen whenever a class changes
        above it.
        """
        for name in names:
            if name not in self._component_styles:
                part = DOMNode(classes=name)
                part._attach(self)
                self.app.stylesheet.apply(part)
                self._component_styles[name] = part.styles
        return super().get_component_styles(*names)

    @property
    def allow_select(self) -> bool:
        """Text can be selected with the mouse."""
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        """The selected text, as shown."""
        return selection.extract("\n".join(row_text(row).rstrip() for row in self.rows)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        """Paint the selection."""
        self._strips.clear()
        self.refresh()

    def marked(self, y: int) -> bool:
        """Whether this row carries the cursor."""
        return False

    def render_line(self, y: int) -> Strip:
        y += self.scroll_offset.y
        width = self.scrollable_content_region.width
        if y >= len(self.rows):
            return Strip.blank(width, self.rich_style)
        marked = self.marked(y)
        key = (y, marked)
        strip = self._strips.get(key)
        if strip is None:
            strip = self._strips[key] = self._paint(y, marked, width)
        return strip.apply_offsets(0, y)

    def _paint(self, y: int, marked: bool, width: int) -> Strip:
        base = self.rich_style
        if marked:
            base += self.get_component_rich_style("lines--cursor")
        text = Text(style=base, end="", no_wrap=True)
        for part, role in self.rows[y].pieces:
            name = f"lines--{role}"
            text.append(part, self.get_component_rich_style(name) if role in FILLED else ink(self, name))
        if marked and text.plain[:1] == " ":
            text = Text.assemble(("▌", ink(self, "lines--bar")), text[1:], style=base, end="")
        selection = self.text_selection
        if selection is not None and (span := selection.get_span(y)) is not None:
            start, end = span
            style = self.screen.get_component_rich_style("screen--selection")
            text.stylize(style, start, len(text.plain) if end == -1 else end)
        strip = Strip(text.render(self.app.console), cell_len(text.plain))
        return strip.adjust_cell_length(width, base)


def row_text(row: Row) -> str:
    """A row as plain text."""
    return "".join(text for text, _ in row.pieces)
