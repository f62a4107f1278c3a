"""What the search understood of a question, in one line, and what it has to say about it."""

from __future__ import annotations

from datetime import date
from typing import TYPE_CHECKING

from app.desk.episode.renderers import one
from app.desk.law.events import days_words
from app.strings import known, t
from store.statutes.names import short_name
from store.text.citation import parse_number

if TYPE_CHECKING:
    from store.search.query import LawQuery


def query_words(query: LawQuery) -> str:
    """The question as understood: 时间, 法律, 条号, 章节, 关键词, and who understood it."""
    days = [span_words(span.first, span.last) for span in query.spans]
    parts = {
        "time": days,
        "law": [short_name(law) for law in query.laws],
        "number": [number.chinese for number in query.numbers],
        "heading": query.headings,
        "keyword": query.keywords,
    }
    shown = [
        f"{t(f'law_screen.understood.{name}')} {'、'.join(map(one, said))}" for name, said in parts.items() if said
    ]
    return " · ".join([*shown, t(f"law_screen.made_by.{query.made_by}")])


FIELDS: dict[str, tuple[str, ...]] = {
    "gap": ("law", "day"), "not_yet": ("law", "day"), "repealed": ("law", "day"), "succeeded": ("law", "to"),
    "no_article": ("law", "number", "kind"), "unknown_law": ("law",), "unknown_version": ("law",),
    "dropped": ("what",),
    "no_such_date": ("said",), "reversed_range": ("said",), "relative_date": ("said",), "no_dense": (),
    "unclear_time": ("said",), "unclear_version": ("said",),
    "later": ("law", "article", "day", "first"), "later_near": ("law", "article", "day", "first", "near"),
    "ended": ("law", "article", "day", "last"),
    "counterpart": ("law", "article", "to", "number", "sure"),
    "before_all": ("day", "first"), "as_of": ("day",), "doubtful": ("law", "to", "day"),
}  # fmt: skip
"""Word of a note -> what stands after it, between colons."""


def note_words(code: str) -> str:
    """A note of the search in a sentence; one that is not known here as it is."""
    word, *values = code.split(":")
    names = FIELDS.get(word)
    if names is None or len(values) < len(names):
        return one(code)
    said = (
        dict(zip(names, [*values[: len(names) - 1], ":".join(values[len(names) - 1 :])], strict=True))
        if names
        else {}
    )
    return t(f"law_screen.note.{word}", **{name: _value(name, value) for name, value in said.items()})


def _value(name: str, value: str) -> str:
    """A value of a note as people write it."""
    if name in ("law", "to"):
        return one(short_name(value))
    if name == "number":
        number = parse_number(value)
        return number.chinese if number else one(value)
    key = {
        "sure": f"law.sure.{value}",
        "kind": f"law_screen.head.{value}",
        "what": f"law_screen.understood.{value.removesuffix('s')}",
    }.get(name, "")
    return t(key) if known(key) else one(value)


def span_words(first: date, last: date) -> str:
    """The days that a text names; an open end as such."""
    if first == date.min:
        return t("law_screen.until", day=last.isoformat())
    return t("law_screen.since", day=first.isoformat()) if last == date.max else days_words(first, last)
