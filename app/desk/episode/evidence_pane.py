"""What a tool returned, as data: a record as key and value, a list as a table where it fits, else as cards.

Provenance is always shown: 虚构数据 where rows are authored, 数据包未收录 where the pack does not hold what was
asked.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, ClassVar

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.renderers import TONES, Line, compact, duration, many, one, provenance_marks, size_of
from app.desk.law.events import IN_WORDS, Item, tool_name
from app.desk.law.evidence import law_rows
from app.desk.widgets.lines import LineView, Row, wrapped
from app.strings import known, t
from app.terminal import pad, width
from tasks.episode.events import ToolReturned

MOST = 200
"""Items shown of a list."""
UNKNOWN = "〔未收录〕"
"""How a tool writes a cell that the pack does not hold."""


def table_widths(rows: Sequence[Mapping[str, object]], room: int) -> list[int] | None:
    """Cells of each column if the rows fit beside each other, else None."""
    names = list(rows[0])
    if len(rows) < 2 or any(list(row) != names for row in rows):
        return None
    widths = [max(width(cell(value)) for value in (name, *(row[name] for row in rows))) for name in names]
    return widths if sum(widths) + 2 * (len(names) - 1) <= room else None


def cell(value: object) -> str:
    """One cell as text."""
    if value is None:
        return "—"
    return one(value) if isinstance(value, str) else compact(value)


class EvidencePane(LineView):
    """Shows the result of a tool call."""

    help_id = "evidence"
    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._event: ToolReturned | None = None
        self.nothing = "evidence.empty"

    @property
    def event(self) -> ToolReturned | None:
        """The result shown."""
        return self._event

    def show(self, event: ToolReturned | None) -> None:
        """Show a result, or that there is none yet."""
        changed = event is not self._event
        self._event = event
        self.rebuild()
        if changed:
            self.scroll_home(animate=False, immediate=True)

    def build(self, width_: int) -> Iterable[Row]:
        """Head, marks, then the value."""
        event = self._event
        if event is None:
            yield from _text(((t(self.nothing), "dim"),), width_)
            return
        yield from _text(((tool_name(event.tool), "tool"),), width_)
        status = t(f"status.{event.status}") if known(f"status.{event.status}") else one(event.status)
        head: list[tuple[str, str]] = [(status, TONES.get(event.status, "bad"))]
        for piece in ((size_of(event.value), "dim"), (duration(event.milliseconds), "dim")):
            head += [(" · ", "dim"), piece] if piece[0] else []
        yield from _text(tuple(head), width_)
        for mark in provenance_marks(event):
            yield from _text((("● ", mark[1]), mark), width_)
        yield Row((("─" * width_, "rule"),))
        yield from self._value(event, width_)

    def _value(self, event: ToolReturned, width_: int) -> Iterator[Row]:
        value = event.value
        if (rows := law_rows(event, width_)) is not None:
            yield from rows
        elif event.tool in IN_WORDS:
            for line in many(event.observation):
                yield from _text(line, width_)
        elif isinstance(value, dict):
            yield from _record(value, width_)
        elif isinstance(value, list) and value and all(isinstance(item, dict) and item for item in value):
            yield from _list(value, width_)
        elif isinstance(value, list):
            for number, item in enumerate(value[:MOST], 1):
                lines = many(item if isinstance(item, str) else compact(item))
                yield from _text(((f"{number}. ", "dim"), *lines[0]), width_)
                for line in lines[1:]:
                    yield from _text(line, width_)
            yield from _rest(value, width_)
        else:
            for line in many(event.observation if value is None else str(value)):
                yield from _text(line, width_)


def _text(line: Line, room: int) -> Iterator[Row]:
    for row in wrapped(line, room):
        yield Row(tuple(row))


def _role(value: object) -> str:
    return "warn" if value == UNKNOWN else "dim" if value is None else "value"


def _record(record: Mapping[str, object], room: int) -> Iterator[Row]:
    names = [one(str(name)) for name in record]
    column = max(map(width, names), default=0) + 2
    beside = column <= room * 0.5
    for name, value in zip(names, record.values(), strict=True):
        if beside:
            for number, row in enumerate(wrapped(((cell(value), _role(value)),), room - column)):
                yield Row(((pad(name if number == 0 else "", column), "label"), *row))
        else:
            yield from _text(((name, "label"),), room)
            for row in wrapped(((cell(value), _role(value)),), room - 2):
                yield Row((("  ", "text"), *row))


def _list(items: Sequence[Item], room: int) -> Iterator[Row]:
    shown = items[:MOST]
    widths = table_widths(shown, room)
    if widths is None:
        for number, item in enumerate(shown, 1):
            title = f"{number}/{len(items)} "
            yield Row(((title, "dim"), ("─" * max(0, room - width(title)), "rule")))
            yield from _record(item, room)
    else:
        names = list(shown[0])
        yield Row(tuple((pad(one(name), size + 2), "label") for name, size in zip(names, widths, strict=True)))
        for item in shown:
            cells = zip(item.values(), widths, strict=True)
            yield Row(tuple((pad(cell(value), size + 2), _role(value)) for value, size in cells))
    yield from _rest(items, room)


def _rest(items: Sequence[Any], room: int) -> Iterator[Row]:
    if len(items) > MOST:
        yield from _text(((t("evidence.more", n=len(items) - MOST), "dim"),), room)
