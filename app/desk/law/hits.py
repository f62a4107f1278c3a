"""The articles that a search found: what each is, when it applied, which channel put it where, and why it was
kept."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from datetime import date

from app.desk.episode.renderers import Line, Piece, one
from app.desk.law.events import STATES, days_words
from app.desk.widgets.lines import DisplayRow, wrapped
from app.law_lines import period_bar
from app.law_reading import HitLine
from app.strings import t, term
from app.terminal import width
from store.statutes.model import LawVersion
from store.statutes.names import short_name

CHANNELS = ("exact", "keyword", "dense", "bm25")
EXTRACT = 2
"""Lines of an extract."""
INDENT = 4
SHORTEST_BAR, LONGEST_BAR = 8, 18


Words = re.Pattern[str] | None
"""The words of a question, which are marked."""


def hit_rows(hits: Sequence[HitLine], day: date | None, words: Sequence[str], width: int) -> Iterator[DisplayRow]:
    """Hits under each other, with the words of the question marked."""
    longest = sorted({one(word) for word in words if word}, key=lambda word: (-len(word), word))
    marked = re.compile("|".join(map(re.escape, longest)), re.IGNORECASE) if longest else None
    for index, line in enumerate(hits):
        if index:
            yield DisplayRow(())
        yield from (DisplayRow(tuple(row), index) for row in _hit(index, line, day, marked, width))


def _hit(index: int, line: HitLine, day: date | None, words: Words, room: int) -> Iterable[Sequence[Piece]]:
    hit = line.hit
    head = (
        (f" {index + 1:<{INDENT - 1}}", "dim"),
        (f"{one(short_name(hit.version.law))}{hit.article.number.chinese}", "question"),
        *(((f" ● {t('mark.fictional')}", "mark"),) if hit.provenance == "authored" else ()),
    )
    title = ((f"　{one(hit.article.title)}", "label"),) if hit.article.title else ()
    yield from wrapped((*head, *title), room, INDENT)
    margin: Piece = (" " * INDENT, "dim")
    for row in _extract(hit.article.text, words, room - INDENT, hit.worded_by):
        yield (margin, *row)
    for row in wrapped(_window(line, day, room - INDENT), room - INDENT):
        yield (margin, *row)
    for row in wrapped(_reasons(line), room - INDENT):
        yield (margin, *row)


def _extract(text: str | None, words: Words, room: int, worded_by: str = "") -> list[list[Piece]]:
    """The beginning of the text, or the part where the first word of the question stands."""
    if text is None:
        by = t("law.search.worded_by", label=one(worded_by)) if worded_by else ""
        return wrapped(((t("law.no_words") + by, "warn"),), room)
    flat = one(re.sub(r"\s+", "", text))
    fits = EXTRACT * room // 2
    found = words.search(flat) if words else None
    start = _clause(flat, found.start(), room // 2) if found and found.end() > fits - 4 else 0
    shown = ("…" if start else "") + flat[start : start + fits + 2]
    rows = wrapped(_marked(shown, words), room)
    if len(rows) > EXTRACT or start + len(shown) < len(flat):
        rows = rows[:EXTRACT]
        rows[-1] = _ellipsis(rows[-1], room)
    return rows


def _marked(text: str, words: Words) -> Line:
    pieces: list[Piece] = []
    at = 0
    for match in words.finditer(text) if words else ():
        pieces += [(text[at : match.start()], "text"), (match.group(), "mark")]
        at = match.end()
    return tuple(piece for piece in (*pieces, (text[at:], "text")) if piece[0])


def _window(line: HitLine, day: date | None, room: int) -> Line:
    version = line.hit.version
    said = window_words(version, line.state)
    if line.life is None:
        return said
    used = sum(width(text) for text, _ in said) + 1
    cells = min(LONGEST_BAR, max(SHORTEST_BAR, room - used))
    return (
        *period_bar((version.valid_from, version.valid_to), line.life, cells, day),
        (" ", "dim"),
        *said,
    )


def window_words(version: LawVersion, state: str) -> Line:
    """The days of a version in short, and its state: 2015-11-01—2017-11-03 已修改."""
    days = days_words(version.valid_from, version.valid_to)
    return ((days, "text"), (" ", "dim"), (t(f"law.state.{state}"), STATES.get(state, "dim")))


def _reasons(line: HitLine) -> Line:
    hit = line.hit
    pieces: list[Piece] = []
    for channel in (*CHANNELS, *(name for name in hit.ranks if name not in CHANNELS)):
        name = term("law_screen.channel", channel)
        rank = hit.ranks.get(channel)
        pieces += [
            (f"{name}{rank if rank is not None else '–'}", "text" if rank is not None else "rule"),
            (" ", "dim"),
        ]
    kept = [term("law_screen.kept", code) for code in hit.kept]
    reasons = t("law_screen.kept.join").join(word for word in kept if word)
    return (*pieces, (f"· {reasons}", "dim")) if reasons else tuple(pieces)


def _clause(text: str, at: int, reach: int) -> int:
    """Where the clause with this place begins, not further away than `reach`."""
    begins = (place + 1 for place in range(at - 1, max(-1, at - reach), -1) if text[place] in "。；，：、")
    return next(begins, max(0, at - reach // 2))


def _ellipsis(row: Sequence[Piece], room: int) -> list[Piece]:
    """The row with … at its end, within the room."""
    pieces = list(row)
    while pieces and sum(width(text) for text, _ in pieces) > room - 1:
        text, role = pieces.pop()
        if len(text) > 1:
            pieces.append((text[:-1], role))
    return [*pieces, ("…", "dim")]
