"""General legal knowledge as tables of rows of law (`data/advice*.toml`), written from the law, not from any case.

A row says what an article says in one sentence, on which words it comes to mind, how it answers a yes-no question,
and what there is to do. Read once and kept.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from typing import Any

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.scores.bigrams import bigrams
from tasks.courts.scores.laws import Article, unknown
from tasks.experts.advice.polarity import Asked, Verdict, by_signs, by_words
from tasks.tables import beside

TABLES = (
    "labour", "housing", "consumer", "credit", "family", "tort", "civil", "procedure", "criminal", "public", "business",
)  # fmt: skip
"""Fields of law with a table of their own: data/advice_<name>.toml."""
_KEY = re.compile(r"(?P<number>\d{1,4})(?:-(?P<sub>\d{1,2}))?[a-z]?")
_AT = re.compile(r"(?P<law>[^\d]+?)(?P<number>\d{1,4})?(?:-(?P<sub>\d{1,2}))?")
_LETTERS = re.compile("[\u4e00-\u9fff]{2,}")


@dataclass(frozen=True, slots=True)
class Place:
    """An article by its law; number: None where the law is named without an article."""

    law: str
    number: ArticleNumber | None

    @property
    def named(self) -> str:
        """《中华人民共和国民法典》第六百七十五条."""
        return f"《{self.law}》{self.number.chinese if self.number else ''}"


@dataclass(frozen=True, slots=True)
class Rule:
    """One row.

    keys: patterns, the first names the matter; signs: kind of predicate -> whether yes; yes, no: words that settle a
    yes-no question before; todo: what to do; also: a second article that the answer needs; near: words of which the
    matter must have one; own: whether it comes from a table of a field of law.
    """

    place: Place
    keys: tuple[re.Pattern[str], ...]
    text: str
    signs: Mapping[str, bool]
    yes: re.Pattern[str] | None
    no: re.Pattern[str] | None
    near: re.Pattern[str] | None
    since: date | None
    until: date | None
    grams: frozenset[str]
    todo: tuple[str, ...] = ()
    also: tuple[Place, ...] = ()
    own: bool = False

    @property
    def law(self) -> str:
        """Official title of its law."""
        return self.place.law

    @property
    def number(self) -> ArticleNumber | None:
        """Its article."""
        return self.place.number

    @property
    def named(self) -> str:
        """Its article by name."""
        return self.place.named

    def says(self, asked: Asked) -> Verdict:
        """The answer by words of the question that are the rule's own; none without them."""
        return by_words(asked, self.yes, self.no)

    def weighed(self, asked: Asked) -> Verdict:
        """The verdict; none where the rule leaves it open."""
        said = self.says(asked)
        return said if said != "none" else by_signs(asked, self.signs)


def in_force(law: str, number: ArticleNumber, day: date | None) -> bool:
    """Whether the shipped index knows the article on a day."""
    dates = CaseDates(day, None, day, day)
    return unknown(Article(law, number.number, number.sub), dates) is None


@lru_cache(maxsize=64)
def rules_of(day: date | None) -> tuple[Rule, ...]:
    """The rules whose article stands in force on a day, by the shipped index of laws."""
    return tuple(rule for rule in table() if _stands(rule, day))


def stands(place: Place, day: date | None) -> bool:
    """Whether a place may be named on a day."""
    return place.number is None or in_force(place.law, place.number, day)


def _stands(rule: Rule, day: date | None) -> bool:
    if day is not None and ((rule.since and day < rule.since) or (rule.until and day > rule.until)):
        return False
    return not (day is None and rule.until is not None) and stands(rule.place, day)


@cache
def table() -> tuple[Rule, ...]:
    """All rows, those of the fields first."""
    return (*_rows_of_fields(), *_rows_by_law())


def _rows_of_fields() -> Iterator[Rule]:
    for name in TABLES:
        for row in beside(__package__, f"data/advice_{name}")["rows"]:
            yield replace(_rule(place_of(str(row["at"])), row, {}, f"advice_{name}.toml {row['at']}"), own=True)


def _rows_by_law() -> Iterator[Rule]:
    for law in beside(__package__, "data/advice")["law"]:
        for key, row in law["rules"].items():
            found = _KEY.fullmatch(key) if law.get("numbers", True) else None
            number = ArticleNumber(int(found["number"]), int(found["sub"] or 0)) if found else None
            yield _rule(Place(str(law["name"]), number), row, law, f"advice.toml {law['name']} {key}")


@cache
def place_of(text: str) -> Place:
    """An article as the tables name it: 民法典713, 刑法291-2, 行政复议法; any name of a law will do."""
    match = _AT.fullmatch(text.replace(" ", ""))
    if match is None:
        raise ValueError(f"no article: {text}")
    law = shipped_laws().official(match["law"])
    if law is None:  # laws that the shipped index does not hold are named without an article
        return Place(
            match["law"] if re.search("条例|规定|办法|解释", match["law"]) else f"中华人民共和国{match['law']}", None
        )
    return Place(law, ArticleNumber(int(match["number"]), int(match["sub"] or 0)) if match["number"] else None)


def _rule(place: Place, row: Mapping[str, Any], law: Mapping[str, Any], where: str) -> Rule:
    keys, text = row["keys"], str(row["rule"])
    if not isinstance(keys, list):
        raise ValueError(f"{where} has no list of keys")
    return Rule(
        place=place,
        keys=tuple(pattern(str(one)) for one in keys),
        text=text,
        signs={sign[:-1]: sign.endswith("+") for sign in str(row.get("says", "")).split()},
        yes=pattern(str(row["yes"])) if "yes" in row else None,
        no=pattern(str(row["no"])) if "no" in row else None,
        near=pattern(str(law["field"])) if "field" in law else None,
        since=_day(row.get("since", law.get("since"))),
        until=_day(row.get("until", law.get("until"))),
        grams=bigrams(text)
        | frozenset().union(*(bigrams(word) for key in keys for word in _LETTERS.findall(str(key)))),
        todo=tuple(str(one) for one in row.get("do", ())),
        also=tuple(place_of(str(one)) for one in row.get("also", ())),
    )


def _day(value: object) -> date | None:
    return value if isinstance(value, date) else None


def pattern(words: str) -> re.Pattern[str]:
    """Gaps are bounded, so that a search stays linear."""
    return re.compile(words.replace(".*", ".{0,40}"))
