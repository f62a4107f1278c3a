"""What the search understood of a question, in one line, and what it has to say about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from app.renderers import one
from app.strings import known, t
from app.widgets.law_hits import days_words
from store.statutes.names import short_name

if TYPE_CHECKING:
    from store.search.query import LawQuery


def query_words(query: LawQuery) -> str:
    """The question as understood: 时间, 法律, 条号, 章节, 关键词, and who understood it."""
    days = [days_words(span.first, span.last) for span in query.spans]
    parts = {
        "time": days,
        "law": [short_name(law) for law in query.laws],
        "number": [number.chinese for number in query.numbers],
        "heading": query.headings,
        "keyword": query.keywords,
    }
    shown = [f"{t(f'law_screen.understood.{name}')} {'、'.join(map(one, said))}" for name, said in parts.items() if said]
    return " · ".join([*shown, t(f"law_screen.made_by.{query.made_by}")])


def note_words(code: str) -> str:
    """A note of the search: a word, and after colons what it is about."""
    word, _, about = code.partition(":")
    key = f"law_screen.note.{word}"
    if not known(key):
        return one(code)
    law, _, day = about.rpartition(":") if word == "gap" else (about, "", "")
    return t(key, law=one(short_name(law)), day=one(day))
