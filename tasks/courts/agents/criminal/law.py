"""The criminal law that a judgment needs, as data: ranges of punishment by charge, and articles that exist on a day.

Table: data/criminal_law.toml. Terms are in months, sums in yuan, weights in grams. An article is cited only where the index of
laws that comes with Moot knows it on the day of the hearing.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from store.text.numerals import int_to_chinese
from tasks.courts.scores.laws import Article, unknown
from tasks.legalsearch.charges import canonical

CRIMINAL_LAW = "中华人民共和国刑法"
PROCEDURE_LAW = "中华人民共和国刑事诉讼法"


@dataclass(frozen=True, slots=True)
class Tier:
    """One range of punishment (量刑幅度). least, most: months of 有期徒刑; most 0: the charge knows 拘役 alone."""

    grade: str
    most: int
    start: int
    fine: str
    least: int = 0
    light: str = ""
    life: bool = False
    forfeit: bool = False
    law: str = ""
    cue: str = ""
    from_: tuple[float, float] | None = None

    @property
    def short(self) -> bool:
        """Whether 拘役 is open."""
        return "拘役" in self.light

    @property
    def fine_alone(self) -> bool:
        """Whether a fine may be the only punishment."""
        return "罚金" in self.light


@dataclass(frozen=True, slots=True)
class Crime:
    """A charge. name: official name without 罪; before: ranges of conduct that ended earlier than a day."""

    name: str
    law: tuple[str, ...]
    does: str
    tiers: tuple[Tier, ...]
    acts: tuple[str, ...] = ()
    """Acts of a charge that is named after those of the case; {acts} of `does`."""
    before: tuple[tuple[date, tuple[Tier, ...]], ...] = ()
    unit: str = ""
    more: tuple[tuple[re.Pattern[str], int], ...] = ()
    month: int = 600
    floor: int = 1000
    times: int = 0
    """A fine may not be more than so many times the sum; 0: no such rule."""
    scale: tuple[tuple[re.Pattern[str], float], ...] = ()
    """Kinds of drug -> what a gram of them weighs against the thresholds, which are those of 海洛因 and 甲基苯丙胺."""
    remarks: tuple[tuple[re.Pattern[str], str], ...] = ()
    """Words of the facts -> what the law says of them."""
    see: tuple[str, ...] = ()
    also: tuple[tuple[re.Pattern[str], str], ...] = ()
    """Words of the facts -> a place to cite too; an item (234.1.1) takes the place of its paragraph (234.1)."""

    def narrowed(self, places: Iterable[str], facts: str) -> list[str]:
        """The places to cite, with those that the facts call for."""
        more = [place for cue, place in self.also if cue.search(facts)]
        return [*(place for place in places if not any(one.startswith(f"{place}.") for one in more)), *more]


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


@cache
def _table() -> Mapping[str, Any]:
    return tomllib.loads(files(__package__).joinpath("law.toml").read_text(encoding="utf-8"))


@cache
def crimes() -> Mapping[str, Crime]:
    """Official name -> charge."""
    rows = {name: row for name, row in _table().items() if name != "interpretations"}
    return {named: _crime(named, row) for name, row in rows.items() for named in (name, *row.get("names", ()))}


def crime(name: str) -> Crime | None:
    """The charge of a name as it is written in court; None where the table does not know it."""
    return crimes().get(canonical(name))


def conduct(charge: str) -> str:
    """What who commits a crime does, in the words of the table, with the acts that the charge names; '' where unknown."""
    known = crime(charge)
    if known is None:
        return ""
    named = [act for act in known.acts if act in charge] or known.acts
    return known.does.replace("{acts}", "、".join(named))


def cite(place: str, law: str = CRIMINAL_LAW) -> Cited:
    """The article of a place as tables write it: 234.1, 133-1, 200.2.3 (article, 款, 项)."""
    number, *rest = place.split(".")
    article, _, sub = number.partition("-")
    paragraph, item = (*map(int, rest), 0, 0)[:2]
    return Cited(law, int(article), int(sub or 0), paragraph, item)


def interpretation(entry: str) -> tuple[Cited, str]:
    """An interpretation of the table and the condition on which it is cited: 盗窃 14 fine."""
    key, place, condition = (*entry.split(), "base")[:3]
    return cite(place, _table()["interpretations"][key]), condition


def listed(articles: Iterable[Cited], day: date | None) -> str:
    """《刑法》第一条、第二条第一款、第三款，《刑事诉讼法》第十五条: those that exist on the day, laws as they come first."""
    grouped: dict[str, list[str]] = {}
    last: Cited | None = None
    for article in dict.fromkeys(articles):
        if not article.exists(day):
            continue
        same = last is not None and (last.law, last.number, last.sub) == (article.law, article.number, article.sub)
        words = article.chinese.removeprefix(ArticleNumber(article.number, article.sub).chinese) if same else article.chinese
        grouped.setdefault(article.law, []).append(words or article.chinese)
        last = article
    return "，".join(f"《{_inner(law)}》{'、'.join(found)}" for law, found in grouped.items())


def _inner(law: str) -> str:
    """A title within a title stands in single brackets."""
    return law.replace("《", "〈").replace("》", "〉")


def _crime(name: str, row: Mapping[str, Any]) -> Crime:
    before = tuple((one["day"], tuple(map(_tier, one["tiers"]))) for one in row.get("before", ()))
    scale = tuple((re.compile(cue), share) for cue, share in row.get("scale", ()))
    remarks = tuple((re.compile(cue), text) for cue, text in row.get("remarks", ()))
    also = tuple((re.compile(cue), place) for cue, place in row.get("also", ()))
    more = tuple((re.compile(cue), months) for cue, months in row.get("more", ()))
    rest = {key: row[key] for key in ("does", "unit", "month", "floor", "times") if key in row}
    return Crime(name, tuple(row["law"]), tiers=tuple(map(_tier, row["tiers"])), before=before, more=more,
                 acts=tuple(row.get("acts", "").split()), scale=scale, remarks=remarks, also=also, see=tuple(row.get("see", ())), **rest)  # fmt: skip


def _tier(row: Mapping[str, Any]) -> Tier:
    given = dict(row)
    span = given.pop("from", None)
    return Tier(**given, from_=(float(span[0]), float(span[1])) if span else None)


@dataclass(frozen=True, slots=True)
class Applied:
    """The ranges that apply to conduct of a day, and whether the later law was taken because it is milder."""

    tiers: tuple[Tier, ...]
    milder: bool = field(default=False)
    former: tuple[Tier, ...] = ()
    """The harder ranges of the time of the conduct, where the later ones are milder."""


def applicable(charge: Crime, until: date | None) -> Applied:
    """从旧兼从轻 (刑法第十二条): the law of the conduct, unless the law of today is milder in the range that is reached first."""
    for day, tiers in sorted(charge.before, key=lambda pair: pair[0]):
        if until is not None and until < day:
            old, new = tiers[0], charge.tiers[0]
            milder = (new.most, new.least) < (old.most, old.least)
            return Applied(charge.tiers, True, tiers) if milder else Applied(tiers)
    return Applied(charge.tiers)
