"""Which articles a civil judgment of first instance cites: by cause, by what was claimed and pleaded, as of the day.

The table is data/civil_law.toml. Facts before the Civil Code (2021-01-01) are judged by the law of their time, those that
went on after it by the Code (《时间效力规定》第一条). An article that the index of laws does not know on the day is left out.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from store.text.numerals import int_to_chinese
from tasks.courts.agents.civil.sums import days
from tasks.courts.scores.laws import Article, unknown

CODE = date(2021, 1, 1)
"""From this day on the Civil Code applies."""
_PERIOD = re.compile(r"自?[^。；]{0,24}?日(?:起)?[^。；]{0,16}(?:至|到)(?P<end>[^。；]{4,20}?日)")
_LATE_INTEREST: tuple[tuple[date, int], ...] = (
    (date(2024, 1, 1), 264),
    (date(2022, 1, 1), 260),
    (date(2013, 1, 1), 253),
)
"""民事诉讼法: the article on interest for late performance by the version of the day."""
_PROOF: tuple[tuple[date, int], ...] = ((date(2022, 1, 1), 67), (date(2013, 1, 1), 64))
"""The article on the burden of proof."""


_INNER = str.maketrans("《》", "〈〉")
"""A title within a title stands in single marks (标点符号用法 GB/T 15834, 4.15.3.4)."""


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


@dataclass(frozen=True, slots=True)
class Cause:
    """The part of the table on one cause."""

    name: str
    basis: str
    principle: str
    group: str
    moment: str
    entries: tuple[Mapping[str, Any], ...]


@cache
def _table() -> Mapping[str, Any]:
    loaded: dict[str, Any] = tomllib.loads(
        files(__package__).joinpath("law.toml").read_text(encoding="utf-8")
    )
    return loaded


@cache
def cause_of(cause: str) -> Cause:
    """The first entry of the table that fits a cause of action."""
    entry = next(one for one in _table()["causes"] if re.search(one["match"], cause or "民事"))
    when = tuple(entry.get("when", ()))
    return Cause(
        entry["name"], entry["basis"], _table()["principles"].get(entry["group"], ""), entry["group"], entry.get("moment", "period"),
        ({"pattern": "", "laws": entry["laws"], "before": entry.get("before", ())}, *when),
    )  # fmt: skip


def causes() -> Sequence[str]:
    """Names of the causes the table knows."""
    return tuple(one["name"] for one in _table()["causes"])


def references() -> Iterator[Reference]:
    """Every article of the table."""
    for entry in [*_table()["common"], *_table()["causes"]]:
        for part in (entry, *entry.get("when", ())):
            for text in (*part["laws"], *part.get("before", ())):
                yield _reference(text)


def under_old_law(moment: str, story: str, hearing: date | None) -> bool:
    """Whether the facts lie before the Code: the end of the first period they name, of an event its day."""
    if moment == "hearing":
        return hearing is not None and hearing < CODE
    period = _PERIOD.search(story)
    ends = days(period["end"]) if period and moment != "event" else []
    first = days(story)[:1]
    told = ends or first
    return bool(told) and told[0] < CODE


def articles(
    cause: str,
    claims: str,
    answer: str,
    everything: str,
    acted: date | None,
    hearing: date | None,
    *,
    old: bool,
    granted: str = "",
) -> list[Reference]:
    """The articles for a case, those of substance first, in the order of the table, each once and known on the day.

    Args:
        cause: 案由.
        claims, answer, everything: what was claimed, pleaded, and said in all.
        acted, hearing: first day of the facts, day of the hearing.
        old: the law before the Code applies.
        granted: the claims that hold, whole or in part.
    """
    found = cause_of(cause)
    texts = {"claims": claims, "answer": answer, "all": everything, "granted": granted}
    general = [one for one in _table()["common"] if one["group"] in (found.group, "any")]
    named: list[Reference] = []
    for entry in (*found.entries, *general):
        if re.search(entry["pattern"], texts[entry.get("on", "all")]):
            named += [_reference(text) for text in entry.get("before" if old else "laws", ())]
    dates = CaseDates(acted, None, hearing, hearing)
    return [one for one in dict.fromkeys(named) if unknown(Article(one.law, one.article), dates) is None]


def proof(hearing: date | None) -> Reference:
    """当事人对自己提出的主张，有责任提供证据, in the version of the day."""
    article = next((number for since, number in _PROOF if hearing is None or hearing >= since), 64)
    return Reference(_table()["names"]["民诉法"], article, 1)


def burden() -> Reference:
    """民诉法解释第九十条: who has to prove what, and what follows if he does not."""
    return Reference(_table()["names"]["民诉解释"], 90)


def originals() -> Reference:
    """证据规定第九十条: copies that cannot be held against an original do not stand alone."""
    return Reference(_table()["names"]["证据规定"], 90)


def late_interest(hearing: date | None) -> str:
    """The sentence on late performance (民事诉讼法第二百六十四条, by its number of the day)."""
    article = next((number for since, number in _LATE_INTEREST if hearing is None or hearing >= since), 229)
    return (
        f"如果未按本判决指定的期间履行给付金钱义务，应当依照《中华人民共和国民事诉讼法》{ArticleNumber(article, 0).chinese}"
        "的规定，加倍支付迟延履行期间的债务利息。"
    )


def continued() -> Reference:
    """Facts that began before the Code and went on after it are judged by the Code (时间效力规定第一条第三款)."""
    return Reference(_table()["names"]["时间效力"], 1, 3)


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
    return "、".join(f"《{law.translate(_INNER)}》{'、'.join(numbers)}" for law, numbers in grouped.items())


def _rank(one: Reference) -> int:
    """Statutes (substance, then procedure), regulations, interpretations: the order of 裁判文书引用规范第二条."""
    procedure = "民事诉讼" in one.law
    if one.law.startswith("最高"):
        return 4 + procedure
    return 2 if one.law.endswith("条例") else int(procedure)


def _reference(text: str) -> Reference:
    name, _, number = text.partition(" ")
    parts = [int(part) for part in number.split(".")]
    return Reference(_table()["names"][name], *parts)
