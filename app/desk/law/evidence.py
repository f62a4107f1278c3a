"""What the tools of the law search returned, for the evidence pane: articles with window and mark, pages, windows of
a page.

Every retrieved article says whether its version is the one the case calls for (适用, 可能适用, 不适用), by which
rule, and what that rule rests on; where the record has no mark nothing is said.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import date
from typing import Any

from app import law_reading
from app.desk.episode.renderers import Line, many, one
from app.desk.law.events import (
    BROWSE,
    COURT,
    MARKS,
    RAG,
    STATES,
    WEB,
    Item,
    article_name,
    day_of,
    days_words,
    items_of,
    rule_of,
    window_of,
)
from app.desk.widgets.lines import DisplayRow, rows_of
from app.law_lines import period_bar
from app.law_reading import LawTimespan
from app.law_words import note_words, span_words, understood
from app.strings import known, t
from app.terminal import width
from store.statutes.names import short_name
from store.text.citation import parse_number
from tasks.episode.events import ToolReturned

INDENT = 2
EXTRACT = 3
"""Lines of an article that are shown."""
LONGEST_BAR = 24
BESIDE = 64
"""Cells of a pane in which bar and days stand on one line."""


def law_rows(event: ToolReturned, room: int) -> Iterator[DisplayRow] | None:
    """The rows of a result, or None where it is none of these tools' own."""
    items = items_of(event)
    return _ROWS[event.tool](items, room) if items is not None else None


def _articles(items: Sequence[Item], room: int) -> Iterator[DisplayRow]:
    life = _life(items)
    for place, item in enumerate(items):
        if place:
            yield DisplayRow(())
        if item.get("query"):
            yield from rows_of(((_text(item, "query"), "question"),), room)
        for line in _read(item):
            yield from rows_of(line, room)
        asked = _day(item)
        for number, hit in enumerate(item["hits"], 1):
            yield DisplayRow((("─" * room, "rule"),))
            yield from _hit(number, hit, life, asked, room)
        if not item["hits"]:
            yield from rows_of(((t("law_screen.none"), "warn"),), room)


def _read(item: Item) -> Iterator[Line]:
    """How the question was understood, what the filters left, and notes."""
    analysis = item.get("analysis")
    analysis = analysis if isinstance(analysis, Mapping) else {}
    spans = [
        (day_of(span[0]), day_of(span[1]))
        for span in _list(analysis, "spans")
        if isinstance(span, list) and len(span) > 1
    ]
    numbers = [parse_number(str(key)) for key in _list(analysis, "numbers")]
    parts = {
        "time": [span_words(first, last) for first, last in spans if first and last],
        "law": [short_name(str(law)) for law in _list(analysis, "laws")],
        "number": [number.chinese for number in numbers if number],
        "heading": [str(heading) for heading in _list(analysis, "headings")],
        "keyword": [str(word) for word in _list(analysis, "keywords")],
    }
    if any(parts.values()):
        yield ((understood(parts, analysis.get("made_by", "")), "dim"),)
    if isinstance(item.get("allowed"), int) and isinstance(item.get("of"), int):
        yield ((t("law_events.allowed", allowed=f"{item['allowed']:,}", of=f"{item['of']:,}"), "dim"),)
    for note in _list(item, "notes"):
        yield ((note_words(str(note)), "warn"),)


def _hit(number: int, hit: Item, life: LawTimespan | None, asked: date | None, room: int) -> Iterator[DisplayRow]:
    title = ((f"　{_text(hit, 'title')}", "label"),) if hit.get("title") else ()
    yield from rows_of(((f"{number} ", "dim"), (article_name(hit), "question"), *title), room, INDENT)
    margin = " " * INDENT
    first, last = window_of(hit)
    state = str(hit.get("state", ""))
    words: list[tuple[str, str]] = [(days_words(first, last), "text")]
    if state in STATES:
        words += [(" ", "dim"), (t(f"law.state.{state}"), STATES[state])]
    if life is not None:
        bar = period_bar((first, last), life, min(LONGEST_BAR, room - INDENT), asked)
        if room < BESIDE:
            yield DisplayRow(((margin, "dim"), *bar))
        else:
            words = [*bar, (" ", "dim"), *words]
    yield from rows_of(((margin, "dim"), *words), room, INDENT)
    verdict = str(hit.get("mark", ""))
    if verdict in MARKS:
        sign, role = MARKS[verdict]
        says, basis = rule_of(hit)
        name = t(f"law_events.mark.{verdict}")
        yield from rows_of(
            ((margin, "dim"), (f"{sign} {name}", role), (f"　{one(says)}" if says else "", "text")), room, INDENT + 2
        )
        if basis:
            yield from rows_of(((f"{margin}  {one(basis)}", "dim"),), room, INDENT + 2)
    now = hit.get("counterpart")
    if isinstance(now, Mapping) and known(f"law.sure.{now.get('sure')}"):
        said = t("law_events.counterpart", article=article_name(now), sure=t(f"law.sure.{now['sure']}"))
        yield from rows_of(((f"{margin}{said}", "text"),), room, INDENT)
    text = hit.get("text")
    if text is None:
        yield from rows_of(((f"{margin}{t('law.no_words')}", "warn"),), room, INDENT)
    else:
        rows = list(rows_of(((f"{margin}{one(''.join(str(text).split()))}", "dim"),), room, INDENT))
        yield from rows[:EXTRACT]
        if len(rows) > EXTRACT:
            yield DisplayRow(((f"{margin}…", "dim"),))


def _pages(items: Sequence[Item], room: int) -> Iterator[DisplayRow]:
    for place, item in enumerate(items):
        if place:
            yield DisplayRow(())
        yield from rows_of(((_text(item, "query"), "question"),), room)
        for number, page in enumerate(item["pages"], 1):
            yield DisplayRow((("─" * room, "rule"),))
            yield from rows_of(((f"{number} ", "dim"), (_text(page, "title") or "—", "label")), room, INDENT)
            yield from _where(page, room)
            for line in many(str(page.get("snippet") or "")):
                yield from rows_of(((" " * INDENT, "text"), *line), room, INDENT)
        if not item["pages"]:
            yield from rows_of(((t("law_screen.none"), "warn"),), room)


def _browsed(items: Sequence[Item], room: int) -> Iterator[DisplayRow]:
    for place, page in enumerate(items):
        if place:
            yield DisplayRow(())
        yield from rows_of(((_text(page, "title") or "—", "question"),), room)
        yield from _where(page, room)
        for window in page["windows"]:
            name = t("law_events.window", number=window.get("number", "?"), of=window.get("of", "?"))
            yield DisplayRow(((f"{name} ", "label"), ("─" * max(0, room - width(name) - 1), "rule")))
            for key, role in (("summary", "text"), ("extracted", "value"), ("text", "text")):
                if window.get(key):
                    if key != "text":
                        yield from rows_of(((t(f"law_events.{key}"), "dim"),), room)
                    for line in many(str(window[key]), role):
                        yield from rows_of(line, room)


def _where(page: Item, room: int) -> Iterator[DisplayRow]:
    margin = " " * INDENT
    day = _text(page, "day") or t("law_events.no_day")
    yield from rows_of(((margin, "dim"), (day, "text" if page.get("day") else "dim")), room, INDENT)
    yield from rows_of(((f"{margin}{_text(page, 'url')}", "dim"),), room, INDENT)


_ROWS = {RAG: _articles, COURT: _articles, WEB: _pages, BROWSE: _browsed}


def _life(items: Sequence[Item]) -> LawTimespan | None:
    """The days from the first to the last of all retrieved versions: what the bars of one result have in common."""
    windows = [window_of(hit) for item in items for hit in item["hits"]]
    begins = [first for first, _ in windows if first is not None]
    if not begins:
        return None
    now = law_reading.today()
    return LawTimespan(min(begins), max([now, *(last for _, last in windows if last), *begins]))


def _day(item: Item) -> date | None:
    analysis = item.get("analysis")
    spans = _list(analysis, "spans") if isinstance(analysis, Mapping) else []
    days = {day_of(end) for span in spans if isinstance(span, list) for end in span[:2]}
    return days.pop() if len(days) == 1 else None


def _list(value: Item, key: str) -> list[Any]:
    found = value.get(key)
    return found if isinstance(found, list) else []


def _text(value: Item, key: str) -> str:
    return one(str(value.get(key) or ""))
