"""One article through the versions of its law: when it came, changed its words or its number, and where versions are
missing.

Runs of versions without the article are one line. A version can be taken to be read, or as one side of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from app.cli.law_words import change_word
from app.desk.episode.renderers import Line, Piece, one
from app.desk.law.bar import HOLE, TICK, law_bar, period_bar, pointer, with_years, years_width
from app.desk.law.events import STATES, days_words
from app.desk.law.shelf import Hole, Reading
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import Row, wrapped
from app.strings import t
from app.terminal import truncate, width
from store.statutes.model import LawVersion
from store.statutes.names import short_name
from store.statutes.timeline import Entry

TONES = {"changed": "mark", "first": "good", "untold": "warn", "same": "dim", "absent": "rule", "listed": "warn"}
"""Change -> role."""
INDENT = 3
LONGEST_BAR = 30


@dataclass(frozen=True, slots=True)
class Step:
    """One thing of a timeline: versions (more than one: a run without the article), or a hole between versions."""

    first: date | None
    last: date | None
    entries: tuple[tuple[int, Entry], ...] = ()

    @property
    def entry(self) -> Entry | None:
        """The one version that has the article."""
        return self.entries[0][1] if len(self.entries) == 1 and self.entries[0][1].article is not None else None

    @property
    def index(self) -> int:
        """Place of the first version among the entries; -1 for a hole."""
        return self.entries[0][0] if self.entries else -1

    def covers(self, day: date) -> bool:
        """Whether the day lies in it."""
        return self.first is not None and self.first <= day and (self.last is None or day <= self.last)


def steps_of(reading: Reading) -> list[Step]:
    """The steps, oldest first."""
    steps: list[Step] = []
    numbered = list(enumerate(reading.entries))
    for missing, run in groupby(numbered, lambda pair: pair[1].article is None):
        pairs = list(run)
        for part in [pairs] if missing and not _broken(pairs, reading) else [[pair] for pair in pairs]:
            versions = [entry.version for _, entry in part]
            steps.append(Step(versions[0].valid_from, versions[-1].valid_to, tuple(part)))
    holes = [Step(*hole) for hole in (reading.life.holes if reading.life else ())]
    return sorted([*steps, *holes], key=lambda step: (step.first or date.min, not step.entries))


def _broken(pairs: list[tuple[int, Entry]], reading: Reading) -> bool:
    """Whether a hole lies within this run of versions."""
    begins, ends = pairs[0][1].version.valid_from, pairs[-1][1].version.valid_from
    holes: tuple[Hole, ...] = reading.life.holes if reading.life else ()
    return begins is not None and ends is not None and any(begins < first < ends for first, _ in holes)


class TimelineView(Choice):
    """Steps under each other, oldest first."""

    help_id = "law_timeline"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.reading: Reading | None = None
        self.steps: list[Step] = []
        self.sides: tuple[int, int] = (-1, -1)
        self._said: tuple[Line, ...] = ()

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self.steps)

    @property
    def chosen(self) -> Step | None:
        """The step at the cursor."""
        return self.steps[self.cursor] if 0 <= self.cursor < self.count else None

    def show(self, reading: Reading | None, said: tuple[Line, ...] = ()) -> None:
        """Show a timeline; the cursor goes to what is being read."""
        self.reading, self._said = reading, said
        self.steps = steps_of(reading) if reading is not None else []
        self.cursor = self._start()
        self.rebuild()

    def _start(self) -> int:
        reading = self.reading
        if reading is None:
            return -1
        at = next(
            (
                n
                for n, step in enumerate(self.steps)
                if reading.answer.kind == "gap" and not step.entries and step.covers(reading.day or reading.today)
            ),
            -1,
        )
        if at < 0:
            at = next(
                (n for n, step in enumerate(self.steps) if any(index == reading.place for index, _ in step.entries)),
                -1,
            )
        return at if at >= 0 else self.count - 1

    def mark_sides(self, old: int, new: int) -> None:
        """Which entries are the two sides of the comparison."""
        if (old, new) != self.sides:
            self.sides = (old, new)
            self.rebuild()

    def build(self, width_: int) -> Iterable[Row]:
        """The life of the law, then two rows a step."""
        reading = self.reading
        if reading is None or not self.steps:
            said = self._said if reading is None else (((t("law_screen.no_timeline"), "dim"),),)
            for line in said:
                yield from (Row(tuple(row)) for row in wrapped(line, width_))
            return
        law = one(short_name(reading.law.name))
        counts = t(
            "law_screen.timeline_head",
            versions=len(reading.versions),
            holes=len(reading.life.holes) if reading.life else 0,
        )
        yield from _rows(((f"{law}{reading.number.chinese}", "question"), (f"　{counts}", "dim")), width_)
        if reading.life is not None:
            cells = min(40, max(8, width_ - years_width(reading.life)))
            yield Row(tuple(with_years(law_bar(reading.life, cells), reading.life)))
            if reading.day is not None:
                yield Row(pointer(reading.life, cells, reading.day))
        yield Row((("─" * width_, "rule"),))
        for place, step in enumerate(self.steps):
            for line in self._lines(step, reading, width_):
                yield from _rows(line, width_, place, INDENT)

    def _lines(self, step: Step, reading: Reading, room: int) -> Iterator[Line]:
        here: tuple[Piece, ...] = ()
        if reading.day is not None and step.covers(reading.day):
            here = ((f"　{TICK} {reading.day.isoformat()}", "mark"),)
        if not step.entries:
            assert step.first is not None and step.last is not None
            days = days_words(step.first, step.last)
            count = (step.last - step.first).days + 1
            yield (
                (f" {HOLE} ", "bad"),
                (days, "text"),
                (f"　{t('law.kind.gap')}", "bad"),
                (t("law_screen.hole_days", n=count), "dim"),
                *here,
            )
            return
        entry = step.entry
        if entry is None:
            word = t(f"law.change.{step.entries[0][1].change}")
            many_ = t("law_screen.of_versions", n=len(step.entries)) if len(step.entries) > 1 else ""
            yield ((" ○ ", "rule"), (days_words(step.first, step.last), "dim"), (f"　{word}{many_}", "dim"), *here)
            return
        assert entry.article is not None
        pieces: list[Piece] = [
            (" ● ", TONES[entry.change]),
            (days_words(step.first, step.last), "text"),
            (f"　{change_word(entry)}", TONES[entry.change]),
        ]
        if entry.article.number != reading.number:
            pieces.append((f"　{entry.article.number.chinese}", "label"))
        for side, word in zip(self.sides, ("old", "new"), strict=True):
            if side == step.index:
                pieces.append((f"　〔{t(f'law_screen.side.{word}')}〕", "answer"))
        yield (*pieces, *here)
        yield self._second(entry.version, reading, room - INDENT)

    def _second(self, version: LawVersion, reading: Reading, room: int) -> Line:
        """Bar, label, state."""
        margin: Piece = (" " * INDENT, "dim")
        state = reading.states.get(version.label, "unknown")
        word = t(f"law.state.{state}")
        said: list[Piece] = [(word, STATES.get(state, "dim"))]
        label = one(version.label)
        if reading.life is None:
            return (margin, (f"{label}  ", "dim"), *said)
        cells = min(LONGEST_BAR, max(8, room - width(label) - width(word) - 4))
        bar = period_bar((version.valid_from, version.valid_to), reading.life, cells)
        return (
            margin,
            *bar,
            ("  ", "dim"),
            (truncate(label, room - cells - width(word) - 4), "dim"),
            ("  ", "dim"),
            *said,
        )


def _rows(line: Line, room: int, owner: int = -1, hang: int = 0) -> Iterator[Row]:
    return (Row(tuple(row), owner) for row in wrapped(line, room, hang))
