"""LAR tasks: recite an article as it stood on a day, for articles that an amendment changed (Appendix G of the
paper).

Both sides of a change are asked about, each at a day drawn inside the window of its version. Gold is 【title】text.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import date
from random import Random

from store.statutes.model import Article, LawVersion
from tasks.legalsearch.construct.book import Book, draw_day, whole_month, written
from tasks.legalsearch.construct.changes import Change
from tasks.legalsearch.construct.prompts import record

_ASKS = (
    "以{day}为准，请逐字写出当时施行的《{law}》{number}。",
    "{day}施行的《{law}》{number}是怎样规定的？请写出条文全文。",
    "假设今天是{day}。请默写现行《{law}》{number}的全部内容。",
    "案件应当适用{day}有效的法律，请抄录《{law}》{number}的原文。",
)
_MONTHS = 0.3
"""Share of questions that name a month only, where one version covers the month."""
LONGEST = 1200
"""Longer articles are not asked for."""


def gold(article: Article) -> str:
    """The answer to recite: the title in 【】 where the article has one, then its text."""
    title = f"【{article.title}】" if article.title else ""
    return f"{title}{article.text}"


def recitals(
    book: Book, found: Sequence[Change], rng: Random, as_of: date, prefix: str, law: str
) -> Iterator[dict[str, object]]:
    """LAR tasks for the changes, in their order; an article of a version is asked for once."""
    seen: set[tuple[str, str, str]] = set()
    for change in found:
        for article, version in ((change.before, change.old), (change.after, change.new)):
            key = (article.law, article.label, article.number.key)
            answer = gold(article)
            if key in seen or len(answer) > LONGEST:
                continue
            day = draw_day(book, version, rng, as_of)
            if day is None:
                continue
            seen.add(key)
            yield record(
                "lar", f"{prefix}lar-{len(seen):03d}", _question(book, article, version, day, rng), answer, law=law,
                cluster=change.rule, why=list(change.why), changed=round(change.share, 3), day=day.isoformat(),
                version=version.label,
            )  # fmt: skip


def _question(book: Book, article: Article, version: LawVersion, day: date, rng: Random) -> str:
    month_only = rng.random() < _MONTHS and whole_month(book, version, day)
    asked = rng.choice(_ASKS)
    return asked.format(day=written(day, month_only=month_only), law=article.law, number=article.number.chinese)
