"""A virtual line view: any number of wrapped, styled lines, painted only where they are seen.

Lines come as pieces (text, role); roles get colours from component classes, that is from the theme. Wrapping keeps to
the rules of Chinese typesetting and happens again when the width changes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import ClassVar

from rich.cells import cell_len
from rich.style import Style
from rich.text import Text
from textual.binding import BindingType
from textual.cache import LRUCache
from textual.css.styles import RenderStyles
from textual.dom import DOMNode
from textual.events import Resize
from textual.geometry import Size
from textual.scroll_view import ScrollView
from textual.selection import Selection
from textual.strip import Strip
from textual.widget import Widget

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, Piece
from app.terminal import width
from app.terminal import width as cells
from app.wrapping import wrap
from store.text.difference import MARKS
from store.text.difference import DiffPiece as Run


def ink(widget: Widget, name: str) -> Style:
    """Foreground and text style of a component class."""
    style = widget.get_component_rich_style(name)
    return Style(color=style.color, bold=style.bold, italic=style.italic, underline=style.underline)


FILLED = ("match", "removed", "added")
"""Roles with a background of their own."""


@dataclass(frozen=True, slots=True)
class DisplayRow:
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


def rows_of(line: Line, room: int, hang: int = 0, owner: int = -1) -> Iterator[DisplayRow]:
    """A line as rows."""
    return (DisplayRow(tuple(row), owner) for row in wrapped(line, room, hang))


Make = Callable[[int], Iterable[DisplayRow]]
"""Width in cells -> rows."""


class LineView(ScrollView, can_focus=True):
    """Shows the rows that `draw` was given, made for its width; or those of `build`, of a subclass with a state."""

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
        self.rows: list[DisplayRow] = []
        self._drawn: Make = lambda width: ()
        self._stale = True
        self._strips: LRUCache[tuple[int, bool], Strip] = LRUCache(2048)

    def draw(self, make: Make, *, top: bool = False) -> None:
        """Show the rows that `make` gives; `top`: from the first one on."""
        self._drawn = make
        self.rebuild()
        if top:
            self.scroll_home(animate=False, immediate=True)

    def build(self, width: int) -> Iterable[DisplayRow]:
        return self._drawn(width)

    @property
    def room(self) -> int:
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
        return True

    def get_selection(self, selection: Selection) -> tuple[str, str] | None:
        return selection.extract("\n".join(row_text(row).rstrip() for row in self.rows)), "\n"

    def selection_updated(self, selection: Selection | None) -> None:
        self._strips.clear()
        self.refresh()

    def marked(self, y: int) -> bool:
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


def row_text(row: DisplayRow) -> str:
    """A row as plain text."""
    return "".join(text for text, _ in row.pieces)


def rows_for(lines: Iterable[Line], hang: int = 0) -> Make:
    """How lines become rows; continuations are moved in by `hang` cells."""
    return lambda width: (row for line in lines for row in rows_of(line, width, hang))


class TextPane(LineView, can_focus=False):
    """Lines; nothing to choose."""

    def show(self, lines: Sequence[Line], hang: int = 0, *, top: bool = False) -> None:
        """Show these lines; continuations are moved in by `hang` cells."""
        self.draw(rows_for(lines, hang), top=top)


class LinesPane(TextPane, can_focus=True):
    """A pane to scroll through: a case file, a document, figures. help_id: what F1 explains."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, help_id: str, *, id: str, hang: int = 0) -> None:
        super().__init__(id=id)
        self.help_id = help_id
        self._hang = hang
        self._read: tuple[Sequence[Line], str] = ((), "")

    @property
    def text(self) -> str:
        return "\n".join("".join(text for text, _ in line).rstrip() for line in self._read[0])

    def show(self, lines: Sequence[Line], hang: int = 0, *, top: bool = True) -> None:
        super().show(lines, hang or self._hang, top=top)

    def read(self, lines: Sequence[Line], key: str = "") -> None:
        """Show lines that may be the same as before; another `key` begins at the top again."""
        before, self._read = self._read, (lines, key)
        if before != self._read:
            self.show(lines, top=before[1] != key)


def rule(title: str, width: int) -> DisplayRow:
    """A heading with a line across."""
    head = f"── {title} "
    return DisplayRow(((head, "label"), ("─" * max(0, width - cells(head)), "rule")))


ROLES = {"removed": "removed", "added": "added", "same": "text"}
_END = re.compile(r"(?<=[。；])(?!$)|\n")
"""Where both sides begin a new line together."""


def aligned(runs: Sequence[Run]) -> Iterator[tuple[list[Line], list[Line]]]:
    """Lines of both sides that belong together."""
    sides: tuple[list[list[Piece]], list[list[Piece]]] = ([[]], [[]])
    for run in runs:
        if run.kind == "same":
            for number, part in enumerate(_END.split(run.text)):
                if number:
                    yield _taken(sides)
                    sides = ([[]], [[]])
                for side in sides:
                    side[-1].append((part, "text"))
            continue
        side = sides[run.kind == "added"]
        begin, end = MARKS[run.kind]
        for number, part in enumerate(run.text.split("\n")):
            if number:
                side.append([])
            if part:
                side[-1].append((f"{begin}{part}{end}", ROLES[run.kind]))
    yield _taken(sides)


def _taken(sides: tuple[list[list[Piece]], list[list[Piece]]]) -> tuple[list[Line], list[Line]]:
    left, right = ([tuple(p for p in pieces if p[0]) for pieces in side] for side in sides)
    return left, right


def beside(left: Sequence[Line], right: Sequence[Line], column: int) -> Iterator[DisplayRow]:
    """Lines of both sides as rows, each side `column` cells wide."""
    rows = [[tuple(row) for line in side for row in wrapped(line, column)] for side in (left, right)]
    for one_, other in zip_longest(*rows, fillvalue=()):
        blank = " " * (column - sum(width(text) for text, _ in one_))
        yield DisplayRow((*one_, (f"{blank} ", "text"), ("│", "rule"), (" ", "text"), *other))
