"""Articles as judgments cite them, those of procedure that every judgment needs, in the version of the day, and the
court of appeal.

An article is cited only where the index of laws that comes with Moot knows it on the day of the hearing. The order of
laws is that of 裁判文书引用规范 (2009) 第二条. The court of appeal is named as far as the name of the court of first
instance tells it, else 上一级人民法院, never an invented court; 人民法院组织法 (2018) 第十三、二十二、二十四条: a
basic court stands in a district, county or county-level city, an intermediate court in a city with districts, a
prefecture, league or autonomous prefecture; the direct municipalities have several, so none is named.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from datetime import date

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from store.text.citation import nested_titles
from store.text.numerals import int_to_chinese
from tasks.courts.scores.laws import Article, unknown

CRIMINAL_LAW = "中华人民共和国刑法"
CRIMINAL_PROCEDURE = "中华人民共和国刑事诉讼法"
CIVIL_PROCEDURE = "中华人民共和国民事诉讼法"
Versions = Sequence[tuple[date, int]]
"""First day of a version -> the number that an article has in it, the newest first."""
_PROOF: Versions = ((date(2022, 1, 1), 67), (date.min, 64))
_LATE_INTEREST: Versions = (
    (date(2024, 1, 1), 264),
    (date(2022, 1, 1), 260),
    (date(2013, 1, 1), 253),
    (date.min, 229),
)
ABOVE = "上一级人民法院"
_PROVINCE = r".{2,8}?(?:省|自治区)"
_DIRECT = re.compile(r"(?:北京|天津|上海|重庆)市")
_MIDDLE = re.compile(rf"^(?P<province>{_PROVINCE}|(?:北京|天津|上海|重庆)市).{{0,20}}中级人民法院$")
_BASIC = re.compile(
    rf"^(?P<seat>(?:{_PROVINCE})?[\u4e00-\u9fff]{{1,12}}?(?:市|自治州|盟|地区))[\u4e00-\u9fff]{{1,12}}(?:区|县|市"
    rf"|旗)人民法院$"
)


@dataclass(frozen=True, slots=True, order=True)
class Cited:
    """An article as a judgment cites it, with 款 and 项 where it has them (0: none)."""

    law: str
    number: int
    sub: int = 0
    paragraph: int = 0
    item: int = 0

    @property
    def article(self) -> str:
        """第五百零九条."""
        return ArticleNumber(self.number, self.sub).chinese

    @property
    def part(self) -> str:
        """第一款第（二）项; '' for the whole article."""
        part = f"第{int_to_chinese(self.paragraph)}款" if self.paragraph else ""
        return part + (f"第（{int_to_chinese(self.item)}）项" if self.item else "")

    def known(self, dates: CaseDates) -> bool:
        """Whether the index of laws knows the article in a case of these days."""
        return unknown(Article(self.law, self.number, self.sub), dates) is None

    def exists(self, day: date | None) -> bool:
        """Whether it knows it on a day; None: on any."""
        return self.known(CaseDates(day, None, day, day))


def cite(place: str, law: str = CRIMINAL_LAW) -> Cited:
    """The article of a place as tables write it: 234.1, 133-1, 200.2.3 (article, 款, 项)."""
    number, *rest = place.split(".")
    article, _, sub = number.partition("-")
    paragraph, item = (*map(int, rest), 0, 0)[:2]
    return Cited(law, int(article), int(sub or 0), paragraph, item)


def numbered_on(versions: Versions, day: date | None) -> int:
    """The number of an article on a day; None: today's."""
    return next(number for since, number in versions if day is None or day >= since)


def proof(hearing: date | None) -> Cited:
    """当事人对自己提出的主张，有责任提供证据, in the version of the day."""
    return Cited(CIVIL_PROCEDURE, numbered_on(_PROOF, hearing), paragraph=1)


def late_interest(hearing: date | None) -> str:
    """The sentence on late performance (民事诉讼法第二百六十四条, by its number of the day)."""
    article = Cited(CIVIL_PROCEDURE, numbered_on(_LATE_INTEREST, hearing)).article
    return (
        f"如果未按本判决指定的期间履行给付金钱义务，应当依照《{CIVIL_PROCEDURE}》{article}"
        "的规定，加倍支付迟延履行期间的债务利息。"
    )


def within(found: Iterable[Cited], most: int, always: Cited) -> list[Cited]:
    """Articles with at most so many signs 第, statutes before interpretations.

    `always` is kept in any case; where 款 do not fit, articles stand without them.
    """
    kept = [*[one for one in dict.fromkeys(found) if one != always][: most - 1], always]
    if sum(f"{one.article}{one.part}".count("第") for one in kept) > most:
        kept = list(dict.fromkeys(replace(one, paragraph=0, item=0) for one in kept))
    laws = list(dict.fromkeys(one.law for one in kept))
    return sorted(kept, key=lambda one: (_rank(one.law), laws.index(one.law), one.number))


def _rank(law: str) -> int:
    """Statutes (substance, then procedure), regulations, interpretations."""
    procedure = "民事诉讼" in law
    if law.startswith("最高"):
        return 4 + procedure
    return 2 if law.endswith("条例") else int(procedure)


def listed(articles: Iterable[Cited]) -> str:
    """《刑法》第一条、第二条第一款、第三款、《刑事诉讼法》第十五条: laws as they come first, an article named
    once."""
    grouped: dict[str, list[str]] = {}
    last = ""
    for one in dict.fromkeys(articles):
        same = last == f"{one.law}{one.article}" and one.part
        grouped.setdefault(one.law, []).append(one.part if same else f"{one.article}{one.part}")
        last = f"{one.law}{one.article}"
    return "、".join(f"{nested_titles(f'《{law}》')}{'、'.join(found)}" for law, found in grouped.items())


def court_above(name: str) -> str:
    """浙江省杭州市中级人民法院 for 浙江省杭州市西湖区人民法院; 上一级人民法院 where no city with districts is
    named."""
    name = name.strip()[:60]
    if match := _MIDDLE.match(name):
        return f"{match['province']}高级人民法院"
    match = None if _DIRECT.match(name) else _BASIC.match(name)
    return f"{match['seat']}中级人民法院" if match else ABOVE
