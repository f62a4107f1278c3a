"""What the Episode screen shows differently for a benchmark. A face fills the panes; the screen knows when.

The one here is that of most benchmarks: plan and hops left, evidence and scores right.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, ClassVar

from rich.text import Text
from textual.binding import BindingType
from textual.widget import Widget

from app.desk.bindings import bindings
from app.desk.episode.controller import Controller
from app.desk.episode.plan_pane import PlanPane, fact_lines, plan_items
from app.desk.episode.renderers import (
    TONES,
    EventBlock,
    Line,
    compact,
    duration,
    each,
    many,
    one,
    policy_name,
    provenance_marks,
    seat_name,
    size_of,
)
from app.desk.law.events import IN_WORDS, Item, tool_name
from app.desk.law.evidence import law_rows
from app.desk.widgets.lines import DisplayRow, LineView, ink, rows_of, wrapped
from app.strings import known, t
from app.terminal import pad, truncate, width
from tasks.episode.events import Record, Seated, ToolReturned


@dataclass(frozen=True)
class Heading:
    """What the bar says. `state` is auto, paused, back, ended, waiting, stored or all; `of` the last step there is.

    Or speaking or stopped: then `said` is what the model is doing, in words. A benchmark may say in its own words
    what it is (`title`), who sits where (`cast`: name, who, how long it stays when room gets scarce) and how far it
    is (`progress`).
    """

    benchmark: str = ""
    task: str = ""
    group: str = ""
    seats: tuple[Seated, ...] = ()
    step: int = 0
    of: int = 0
    state: str = "stored"
    fictional: bool = False
    said: str = ""
    title: str = ""
    cast: tuple[tuple[str, str, int], ...] = ()
    progress: str = ""


Part = tuple[str, str, int]
"""Text, role, and how long it stays when room gets scarce."""
STATES = {
    "auto": "good", "all": "good", "speaking": "good", "back": "warn", "waiting": "warn", "replay": "warn",
    "stopped": "warn",
}  # fmt: skip


class SeatBar(Widget):
    """One line; what matters least goes first when the window is narrow."""

    COMPONENT_CLASSES = {f"seat-bar--{name}" for name in ("name", "dim", "seat", "good", "warn", "plain", "mark")}
    DEFAULT_CSS = """
    SeatBar {
        height: 1;
        background: $panel;
        color: $foreground;
        padding: 0 1;
        & > .seat-bar--name { color: $text-accent; text-style: bold; }
        & > .seat-bar--dim { color: $foreground 65%; }
        & > .seat-bar--seat { color: $text-secondary; }
        & > .seat-bar--good { color: $text-success; text-style: bold; }
        & > .seat-bar--warn { color: $text-warning; text-style: bold; }
        & > .seat-bar--mark { color: $text-warning; }
    }
    """

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.heading = Heading()

    def show(self, heading: Heading) -> None:
        self.heading = heading
        self.refresh()

    def render(self) -> Text:
        room = self.content_size.width
        right = self._right()
        space = room - width(right.plain) - 2
        parts = self._left()
        if _cells(parts) > space:
            parts = self._left(short=True)
        while len(parts) > 1 and _cells(parts) > space:
            parts.remove(min(reversed(parts), key=lambda part: part[2]))
        left = Text(no_wrap=True, end="")
        for index, (text, role, _) in enumerate(parts):
            if index:
                left.append(" · ", self._style("dim"))
            left.append(truncate(text, max(1, space)) if len(parts) == 1 else text, self._style(role))
        gap = room - width(left.plain) - width(right.plain)
        return Text.assemble(left, " " * max(1, gap), right, no_wrap=True, end="")

    def _left(self, short: bool = False) -> list[Part]:
        """What it is; `short` leaves out the name of the seat where there is only one."""
        heading = self.heading
        if not heading.benchmark:
            return [(t("app.title"), "name", 9)]
        name = f"benchmark.{heading.benchmark}"
        if heading.title:
            parts = [(one(heading.title), "name", 9)]
        else:
            parts = [(t(name) if known(name) else one(heading.benchmark), "name", 3)]
            parts.append((t("episode.task", task=one(heading.task)), "plain", 9))
        if heading.group:
            parts.append(
                (t(f"group.{heading.group}") if known(f"group.{heading.group}") else one(heading.group), "plain", 4)
            )
        for seat, who, keep in heading.cast:
            parts.append((t("episode.seat", seat=one(seat), policy=one(who)), "seat", keep))
        for seated in () if heading.cast else heading.seats:
            policy = policy_name(seated.policy, seated.engine)
            named = t("episode.seat", seat=seat_name(seated.seat), policy=policy)
            parts.append((policy if short and len(heading.seats) == 1 else named, "seat", 6))
        if heading.fictional:
            parts.append((t("mark.fictional"), "mark", 7))
        return parts

    def _right(self) -> Text:
        heading = self.heading
        if not heading.benchmark:
            return Text()
        back = heading.state in ("back", "replay")
        progress = heading.progress or t("event.step", step=heading.step)
        step = t("episode.back", step=heading.step, of=heading.of) if back else progress
        right = Text(end="", no_wrap=True)
        right.append(step, self._style("warn" if back else "plain"))
        word = heading.said or t(f"state.{heading.state}")
        right.append(f"  {word}" if word else "", self._style(STATES.get(heading.state, "dim")))
        return right

    def _style(self, role: str):  # type: ignore[no-untyped-def]
        return ink(self, f"seat-bar--{role}")


def _cells(parts: list[Part]) -> int:
    return sum(width(text) for text, _, _ in parts) + 3 * (len(parts) - 1)


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
        return self._event

    def show(self, event: ToolReturned | None) -> None:
        changed = event is not self._event
        self._event = event
        self.rebuild()
        if changed:
            self.scroll_home(animate=False, immediate=True)

    def look(self, records: Sequence[Record], seq: int) -> None:
        """Show what the call with this number returned, else the last result up to it."""
        results = [(r, r.event) for r in records if isinstance(r.event, ToolReturned)]
        own = (event for record, event in results if record.parent == seq)
        before = (event for record, event in reversed(results) if record.seq <= seq)
        self.show(next(own, None) or next(before, None))

    def build(self, width_: int) -> Iterable[DisplayRow]:
        event = self._event
        if event is None:
            yield from rows_of(((t(self.nothing), "dim"),), width_)
            return
        yield from rows_of(((tool_name(event.tool), "tool"),), width_)
        status = t(f"status.{event.status}") if known(f"status.{event.status}") else one(event.status)
        head: list[tuple[str, str]] = [(status, TONES.get(event.status, "bad"))]
        for piece in ((size_of(event.value), "dim"), (duration(event.milliseconds), "dim")):
            head += [(" · ", "dim"), piece] if piece[0] else []
        yield from rows_of(tuple(head), width_)
        for mark in provenance_marks(event):
            yield from rows_of((("● ", mark[1]), mark), width_)
        yield DisplayRow((("─" * width_, "rule"),))
        yield from self._value(event, width_)

    def _value(self, event: ToolReturned, width_: int) -> Iterator[DisplayRow]:
        value = event.value
        if (rows := law_rows(event, width_)) is not None:
            yield from rows
        elif event.tool in IN_WORDS:
            for line in many(event.observation):
                yield from rows_of(line, width_)
        elif isinstance(value, dict):
            yield from _record(value, width_)
        elif isinstance(value, list) and value and all(isinstance(item, dict) and item for item in value):
            yield from _list(value, width_)
        elif isinstance(value, list):
            for number, item in enumerate(value[:MOST], 1):
                lines = many(item if isinstance(item, str) else compact(item))
                yield from rows_of(((f"{number}. ", "dim"), *lines[0]), width_)
                for line in lines[1:]:
                    yield from rows_of(line, width_)
            yield from _rest(value, width_)
        else:
            for line in many(event.observation if value is None else str(value)):
                yield from rows_of(line, width_)


def _role(value: object) -> str:
    return "warn" if value == UNKNOWN else "dim" if value is None else "value"


def _record(record: Mapping[str, object], room: int) -> Iterator[DisplayRow]:
    names = [one(str(name)) for name in record]
    column = max(map(width, names), default=0) + 2
    beside = column <= room * 0.5
    for name, value in zip(names, record.values(), strict=True):
        if beside:
            for number, row in enumerate(wrapped(((cell(value), _role(value)),), room - column)):
                yield DisplayRow(((pad(name if number == 0 else "", column), "label"), *row))
        else:
            yield from rows_of(((name, "label"),), room)
            for row in wrapped(((cell(value), _role(value)),), room - 2):
                yield DisplayRow((("  ", "text"), *row))


def _list(items: Sequence[Item], room: int) -> Iterator[DisplayRow]:
    shown = items[:MOST]
    widths = table_widths(shown, room)
    if widths is None:
        for number, item in enumerate(shown, 1):
            title = f"{number}/{len(items)} "
            yield DisplayRow(((title, "dim"), ("─" * max(0, room - width(title)), "rule")))
            yield from _record(item, room)
    else:
        names = list(shown[0])
        yield DisplayRow(tuple((pad(one(name), size + 2), "label") for name, size in zip(names, widths, strict=True)))
        for item in shown:
            cells = zip(item.values(), widths, strict=True)
            yield DisplayRow(tuple((pad(cell(value), size + 2), _role(value)) for value, size in cells))
    yield from _rest(items, room)


def _rest(items: Sequence[Any], room: int) -> Iterator[DisplayRow]:
    if len(items) > MOST:
        yield from rows_of(((t("evidence.more", n=len(items) - MOST), "dim"),), room)


ASIDE = ("file", "exhibits", "document", "evidence", "scores")
"""Ids of all panes that a face may put on the right."""


class PaneRenderer:
    """Fills the panes of an `EpisodeScreen`, which imports this; one is made for every run that is opened."""

    style: ClassVar[str] = ""
    """Class of the screen while this face is shown."""
    gutter: ClassVar[int | None] = None
    """Cells of the column of labels in the record; None for the usual ones."""
    ruled: ClassVar[bool] = True
    """Whether the record has a line above each step."""
    about: ClassVar[tuple[str, str]] = ("", "")
    """What F1 explains for the record and for the box of a person; '' for the usual words."""
    answering: ClassVar[str] = "answer"
    """What the keys of the words of the box of a person begin with."""
    tabs: tuple[str, ...] = ()
    """Panes on the right of which one is shown at a time."""

    def __init__(self, screen: Any) -> None:
        self.screen = screen
        self.at: Controller = screen.controller

    @property
    def prefix(self) -> str:
        return ""

    @property
    def panes(self) -> tuple[str, str, str]:
        """Ids of what has the focus in the views record, plan and evidence."""
        return "record", "plan", "evidence"

    def make(self, records: Sequence[Record]) -> Mapping[int, EventBlock | None]:
        return each(records)

    def forget(self) -> None:
        """Another episode, or more is known of it: make everything anew."""

    def heading(self, heading: Heading) -> Heading:
        return heading

    def paint(self) -> None:
        visible = self.at.shown.visible()
        gold = any(isinstance(r.event, Seated) and r.event.policy.startswith("gold/") for r in visible)
        hidden = t("plan.hidden") if self.at.human and gold else ""
        self.screen.query_one(PlanPane).show(plan_items(visible), self.facts(), hidden)

    def facts(self) -> list[tuple[str, str]]:
        """What is known in figures of the state that is looked at."""
        return fact_lines(self.screen.looked_at(), self.at.facts, self.seat) if self.at.facts is not None else []

    def seat(self, seat: str) -> str:
        return seat_name(seat)

    @property
    def following(self) -> str:
        """The seat that speaks next, '' where that goes without saying."""
        return ""

    def brief(self, seat: str) -> Sequence[Line]:
        """What stands above the box of a person who is asked in this seat."""
        return ()

    def toggle_everything(self) -> str:
        """Show all material, or only what a seat may see; what to say about it."""
        return ""

    def copied(self) -> str:
        """What is copied while one of the panes on the right has the focus, '' for the record."""
        evidence = self.screen.query_one(EvidencePane)
        return evidence.event.observation if evidence.has_focus and evidence.event else ""
