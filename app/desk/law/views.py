"""An article on a day; through the versions of its law: when it came, changed its words or its number, where versions
are missing; and two of its wordings side by side.

In the timeline runs of versions without the article are one line. A version can be taken to be read, or as one side
of a comparison.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import chain, groupby

from app.desk.episode.renderers import Line, Piece, one
from app.desk.law.events import STATES, days_words
from app.desk.widgets.lines import ROLES, DisplayRow, beside, rows_of
from app.law_lines import (
    HOLE,
    LABEL,
    TICK,
    around,
    law_bar,
    period_bar,
    pointer,
    reading_lines,
    with_years,
    years_width,
)
from app.law_reading import ArticleView, Hole, VersionComparison
from app.law_words import change_word, clause_sides
from app.strings import t
from app.terminal import truncate, width
from store.statutes.comparing import ArticleClause, ClauseComparison, articles_of
from store.statutes.model import LawVersion
from store.statutes.names import short_name
from store.statutes.timeline import TimelineEntry
from store.text.alignment import squeezed


def article_rows(reading: ArticleView, width: int) -> Iterator[DisplayRow]:
    """What an article said on a day, what the check of its law found, and the laws around it."""
    for line in chain(reading_lines(reading, width), around(reading)):
        hang = LABEL if line and line[0][1] == "dim" and len(line) == 2 else 0
        yield from rows_of(line, width, hang)


def comparable(entries: Sequence[TimelineEntry]) -> list[int]:
    """Places of the entries whose words are known."""
    return [
        place for place, entry in enumerate(entries) if entry.article is not None and entry.article.text is not None
    ]


def first_sides(entries: Sequence[TimelineEntry], place: int) -> tuple[int, int] | None:
    """The wording at a place against the one before it; where none is before, against the one after.

    A wording alone stands against the version after it, or before it, whose articles may have taken its words.
    """
    known = comparable(entries)
    if len(known) < 2:
        beside_it = [n for n in (known[0] + 1, known[0] - 1) if 0 <= n < len(entries)] if known else []
        near = next((n for n in beside_it if entries[n].change == "absent"), None)
        return None if near is None else (min(known[0], near), max(known[0], near))
    at = max((n for n in known if n <= place), default=known[0])

    def words(n: int) -> str:
        article = entries[n].article
        return article.text or "" if article else ""

    earlier = [n for n in known if n < at]
    later = [n for n in known if n > at]
    before = next((n for n in reversed(earlier) if words(n) != words(at)), None)
    after = next((n for n in later if words(n) != words(at)), None)
    if before is not None:
        return before, at
    if after is not None:
        return at, after
    return (earlier[-1], at) if earlier else (at, later[0])


def diff_rows(comparison: VersionComparison, width: int) -> Iterator[DisplayRow]:
    """Two wordings in two columns, clause by clause."""
    found, column = comparison.found, (width - 3) // 2
    heads = (_head("old", comparison.old, found.old), _head("new", comparison.new, found.new))
    yield from beside(*heads, column)
    yield DisplayRow((("─" * (column + 1) + "┼" + "─" * (width - column - 2), "rule"),))
    notes: list[Line] = [((t("law.uncertain"), "warn"),)] if comparison.uncertain else []
    notes.append(_summary(found))
    for note in notes:
        yield from rows_of(note, width)
    yield DisplayRow((("─" * (column + 1) + "┬" + "─" * (width - column - 2), "rule"),))
    shown = ["", ""]
    for row in found.rows:
        sides: list[list[Line]] = [[], []]
        for at, (parts, own) in enumerate(((found.old, row.old), (found.new, row.new))):
            number = parts[own[0]].article.number.chinese if own and len(articles_of(parts)) > 1 else shown[at]
            sides[at].append(((number if number != shown[at] else " ", "label"),))
            shown[at] = number
        if all(side == [((" ", "label"),)] for side in sides):
            sides = [[], []]
        for side, pieces in clause_sides(row).items():
            line = tuple((one(piece.text), ROLES[piece.kind]) for piece in pieces)
            sides[side == "new"].append(line)
        yield from beside(sides[0], sides[1], column)


def _head(side: str, entry: TimelineEntry, parts: tuple[ArticleClause, ...]) -> list[Line]:
    version = entry.version
    numbers: list[Line] = [
        ((article.number.chinese, "label"), (f"　{one(article.title)}".rstrip("　"), "text"))
        for article in articles_of(parts)
    ]
    days = days_words(version.valid_from, version.valid_to)
    return [
        ((f"{t(f'law_screen.side.{side}')}　", "removed" if side == "old" else "added"), (days, "question")),
        ((one(version.label), "dim"),),
        *numbers,
    ]


def _summary(found: ClauseComparison) -> Line:
    if found.same:
        return ((t("law.same"), "good"),)
    counts = {
        kind: sum(len(squeezed(piece.text)) for row in found.rows for piece in row.pieces if piece.kind == kind)
        for kind in ("removed", "added")
    }
    removed, added = (t(f"law_screen.{kind}", n=count) for kind, count in counts.items())
    return ((removed, "removed"), ("　", "dim"), (added, "added"))


TONES = {"changed": "mark", "first": "good", "untold": "warn", "same": "dim", "absent": "rule", "listed": "warn"}
"""Change -> role."""
INDENT = 3
LONGEST_BAR = 30


@dataclass(frozen=True, slots=True)
class TimelineStep:
    """One thing of a timeline: versions (more than one: a run without the article), or a hole between versions."""

    first: date | None
    last: date | None
    entries: tuple[tuple[int, TimelineEntry], ...] = ()

    @property
    def entry(self) -> TimelineEntry | None:
        return self.entries[0][1] if len(self.entries) == 1 and self.entries[0][1].article is not None else None

    @property
    def index(self) -> int:
        """Place of the first version among the entries; -1 for a hole."""
        return self.entries[0][0] if self.entries else -1

    def covers(self, day: date) -> bool:
        return self.first is not None and self.first <= day and (self.last is None or day <= self.last)


def steps_of(reading: ArticleView) -> list[TimelineStep]:
    """The steps, oldest first."""
    steps: list[TimelineStep] = []
    numbered = list(enumerate(reading.entries))
    for missing, run in groupby(numbered, lambda pair: pair[1].article is None):
        pairs = list(run)
        for part in [pairs] if missing and not _broken(pairs, reading) else [[pair] for pair in pairs]:
            versions = [entry.version for _, entry in part]
            steps.append(TimelineStep(versions[0].valid_from, versions[-1].valid_to, tuple(part)))
    holes = [TimelineStep(*hole) for hole in (reading.life.holes if reading.life else ())]
    return sorted([*steps, *holes], key=lambda step: (step.first or date.min, not step.entries))


def _broken(pairs: list[tuple[int, TimelineEntry]], reading: ArticleView) -> bool:
    """Whether a hole lies within this run of versions."""
    begins, ends = pairs[0][1].version.valid_from, pairs[-1][1].version.valid_from
    holes: tuple[Hole, ...] = reading.life.holes if reading.life else ()
    return begins is not None and ends is not None and any(begins < first < ends for first, _ in holes)


def first_step(reading: ArticleView, steps: Sequence[TimelineStep]) -> int:
    """Where the cursor stands at first: at the hole asked for, else at the version shown, else at the end."""
    if reading.answer.kind == "gap":
        day = reading.day or reading.today
        holes = (n for n, step in enumerate(steps) if not step.entries and step.covers(day))
        if (at := next(holes, None)) is not None:
            return at
    shown = (n for n, step in enumerate(steps) if any(index == reading.place for index, _ in step.entries))
    return next(shown, len(steps) - 1)


def timeline_rows(
    reading: ArticleView, steps: Sequence[TimelineStep], sides: tuple[int, int] | None, room: int
) -> Iterator[DisplayRow]:
    """Steps under each other, oldest first; `sides` are the entries that are compared."""
    if not steps:
        yield from rows_of(((t("law_screen.no_timeline"), "dim"),), room)
        return
    law = one(short_name(reading.law.name))
    counts = t(
        "law_screen.timeline_head",
        versions=len(reading.versions),
        holes=len(reading.life.holes) if reading.life else 0,
    )
    yield from rows_of(((f"{law}{reading.number.chinese}", "question"), (f"　{counts}", "dim")), room)
    if reading.life is not None:
        cells = min(40, max(8, room - years_width(reading.life)))
        yield DisplayRow(tuple(with_years(law_bar(reading.life, cells), reading.life)))
        if reading.day is not None:
            yield DisplayRow(pointer(reading.life, cells, reading.day))
    yield DisplayRow((("─" * room, "rule"),))
    for place, step in enumerate(steps):
        for line in _step_lines(step, reading, sides or (-1, -1), room):
            yield from rows_of(line, room, INDENT, place)


def _step_lines(step: TimelineStep, reading: ArticleView, sides: tuple[int, int], room: int) -> Iterator[Line]:
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
    for side, word in zip(sides, ("old", "new"), strict=True):
        if side == step.index:
            pieces.append((f"　〔{t(f'law_screen.side.{word}')}〕", "answer"))
    yield (*pieces, *here)
    yield _second(entry.version, reading, room - INDENT)


def _second(version: LawVersion, reading: ArticleView, room: int) -> Line:
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
