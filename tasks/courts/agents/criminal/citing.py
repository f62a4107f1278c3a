"""Articles as a criminal judgment cites them, and those on which the prosecution has relied.

An article is cited only where the index of laws that comes with Moot knows it on the day of the hearing.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from store.text.citation import citations, nested_titles
from store.text.normalise import fold_width
from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.scores.laws import Article, unknown

CRIMINAL_LAW = "中华人民共和国刑法"
PROCEDURE_LAW = "中华人民共和国刑事诉讼法"


@dataclass(frozen=True, slots=True, order=True)
class Cited:
    """An article as a judgment cites it."""

    law: str
    number: int
    sub: int = 0
    paragraph: int = 0
    item: int = 0

    @property
    def chinese(self) -> str:
        """第二百三十四条第一款, without the law."""
        tail = f"第{int_to_chinese(self.paragraph)}款" if self.paragraph else ""
        tail += f"第（{int_to_chinese(self.item)}）项" if self.item else ""
        return f"{ArticleNumber(self.number, self.sub).chinese}{tail}"

    def exists(self, day: date | None) -> bool:
        """Whether the index of laws knows the article on a day; None: on any."""
        return unknown(Article(self.law, self.number, self.sub), CaseDates(day, None, day, day)) is None


def cite(place: str, law: str = CRIMINAL_LAW) -> Cited:
    """The article of a place as tables write it: 234.1, 133-1, 200.2.3 (article, 款, 项)."""
    number, *rest = place.split(".")
    article, _, sub = number.partition("-")
    paragraph, item = (*map(int, rest), 0, 0)[:2]
    return Cited(law, int(article), int(sub or 0), paragraph, item)


def listed(articles: Iterable[Cited], day: date | None) -> str:
    """《刑法》第一条、第二条第一款、第三款，《刑事诉讼法》第十五条: those that exist on the day, laws as they come first."""
    grouped: dict[str, list[str]] = {}
    last: Cited | None = None
    for article in dict.fromkeys(articles):
        if not article.exists(day):
            continue
        same = last is not None and (last.law, last.number, last.sub) == (article.law, article.number, article.sub)
        words = (
            article.chinese.removeprefix(ArticleNumber(article.number, article.sub).chinese)
            if same
            else article.chinese
        )
        grouped.setdefault(article.law, []).append(words or article.chinese)
        last = article
    return "，".join(f"{nested_titles(f'《{law}》')}{'、'.join(found)}" for law, found in grouped.items())


def cited_by_prosecution(heard: Heard) -> list[Cited]:
    """Articles of the Criminal Law that the prosecution has cited."""
    found: list[Cited] = []
    for turn in heard.record:
        if turn.speaker == "procurator" and "刑法" in turn.text:
            for one in citations(fold_width(turn.text)):
                if one.law and one.law.endswith("刑法"):
                    found.append(
                        Cited(CRIMINAL_LAW, one.number.number, one.number.sub, one.paragraph or 0, one.item or 0)
                    )
    return list(dict.fromkeys(found))
