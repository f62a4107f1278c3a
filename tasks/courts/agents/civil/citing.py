"""Articles as a civil judgment cites them, and those of procedure that every judgment needs, in the version of the
day."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import date

from store.statutes.model import ArticleNumber
from store.text.citation import nested_titles
from store.text.numerals import int_to_chinese

PROCEDURE_LAW = "中华人民共和国民事诉讼法"
_PROOF: tuple[tuple[date, int], ...] = ((date(2022, 1, 1), 67), (date(2013, 1, 1), 64))
"""The article on the burden of proof, by the first day of its version."""
_LATE_INTEREST: tuple[tuple[date, int], ...] = (
    (date(2024, 1, 1), 264),
    (date(2022, 1, 1), 260),
    (date(2013, 1, 1), 253),
)
"""The article on interest for late performance."""


@dataclass(frozen=True, slots=True)
class Reference:
    """An article to be cited, with 款 and 项 where it has them."""

    law: str
    article: int
    paragraph: int | None = None
    item: int | None = None

    @property
    def number(self) -> str:
        """第五百零九条第一款."""
        return self.bare + (f"第{int_to_chinese(self.paragraph)}款" if self.paragraph else "")

    @property
    def bare(self) -> str:
        """第五百零九条."""
        return ArticleNumber(self.article, 0).chinese


def proof(hearing: date | None) -> Reference:
    """当事人对自己提出的主张，有责任提供证据, in the version of the day."""
    article = next((number for since, number in _PROOF if hearing is None or hearing >= since), 64)
    return Reference(PROCEDURE_LAW, article, 1)


def late_interest(hearing: date | None) -> str:
    """The sentence on late performance (民事诉讼法第二百六十四条, by its number of the day)."""
    article = next((number for since, number in _LATE_INTEREST if hearing is None or hearing >= since), 229)
    return (
        f"如果未按本判决指定的期间履行给付金钱义务，应当依照《{PROCEDURE_LAW}》{ArticleNumber(article, 0).chinese}"
        "的规定，加倍支付迟延履行期间的债务利息。"
    )


def cited(found: Iterable[Reference], most: int, always: Reference) -> str:
    """A list of articles as judgments write it, statutes before interpretations, with at most so many signs 第.

    `always` is cited in any case; where 款 do not fit, articles stand without them.
    """
    kept = [*[one for one in dict.fromkeys(found) if one != always][: most - 1], always]
    short = sum(one.number.count("第") for one in kept) > most
    places: dict[str, int] = {}
    grouped: dict[str, list[str]] = {}
    for one in kept:
        places.setdefault(one.law, len(places))
    for one in sorted(kept, key=lambda one: (_rank(one), places[one.law], one.article)):
        grouped.setdefault(one.law, []).append(one.bare if short else one.number)
    return "、".join(f"{nested_titles(f'《{law}》')}{'、'.join(numbers)}" for law, numbers in grouped.items())


def _rank(one: Reference) -> int:
    """Statutes (substance, then procedure), regulations, interpretations: the order of 裁判文书引用规范第二条."""
    procedure = "民事诉讼" in one.law
    if one.law.startswith("最高"):
        return 4 + procedure
    return 2 if one.law.endswith("条例") else int(procedure)
