"""General legal knowledge as tables of rows of law (`data/advice*.toml`), written from the law, not from any case;
and what of it comes to mind at a question, weighed by words and likeness.

A row says what an article says in one sentence, on which words it comes to mind, how it answers a yes-no question,
and what there is to do. Days decide which laws may be named. Scores are without unit; a rule that has all its words
in the question is near 1.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from functools import cache, lru_cache
from typing import Any

from store.statutes.model import ArticleNumber
from store.tables import beside
from tasks.courts.agents.citing import Cited
from tasks.courts.casefile.law import shipped_laws
from tasks.courts.scores.bigrams import bigrams
from tasks.experts.advice.polarity import Asked, Verdict, by_signs, by_words

TABLES = (
    "labour", "housing", "consumer", "credit", "family", "tort", "civil", "procedure", "criminal", "public",
    "business",
)  # fmt: skip
"""Fields of law with a table of their own: data/advice_<name>.toml."""
_KEY = re.compile(r"(?P<number>\d{1,4})(?:-(?P<sub>\d{1,2}))?[a-z]?")
_AT = re.compile(r"(?P<law>[^\d]+?)(?P<number>\d{1,4})?(?:-(?P<sub>\d{1,2}))?")
_LETTERS = re.compile("[\u4e00-\u9fff]{2,}")
STRONG = 1.0
"""From this score on a rule is taken to be about the question."""
WEAK = 0.6
"""Below it a rule does not come to mind."""
_HERE = 1.0
_BEFORE = 0.55
"""What a key is worth in the question, and in what was told before it."""
_LONGER = 0.05
_SINGLE = 0.85
"""A word of one character tells less than a longer one."""
_EXTRA = 0.12
"""What the further keys of a row of a field are worth: they only say how one asks."""
_NAMED = 0.5
"""What a rule gains whose law the question names, and what others lose."""
_LIKE = 1.6
"""The weight of shared words beside the keys."""
_ALIKE = 0.15
_UNNAMED = 0.5
"""A rule without its words comes to mind when it is so much like the question, and is worth so much besides."""
_READ = 1200
"""Characters of what was told before that are looked through."""


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

    def says(self, asked: Asked) -> Verdict:
        """The answer by words of the question that are the rule's own; none without them."""
        return by_words(asked, self.yes, self.no)

    def weighed(self, asked: Asked) -> Verdict:
        """The verdict; none where the rule leaves it open."""
        said = self.says(asked)
        return said if said != "none" else by_signs(asked, self.signs)


@lru_cache(maxsize=64)
def rules_of(day: date | None) -> tuple[Rule, ...]:
    """The rules whose article stands in force on a day, by the shipped index of laws."""
    return tuple(rule for rule in table() if _stands(rule, day))


def stands(place: Place, day: date | None) -> bool:
    """Whether a place may be named on a day."""
    number = place.number
    return number is None or Cited(place.law, number.number, number.sub).exists(day)


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


@dataclass(frozen=True, slots=True)
class Found:
    """A rule and how well it fits; places: where its keys stand in the question."""

    rule: Rule
    score: float
    places: frozenset[int] = frozenset()


def recalled(question: str, before: str, day: date | None, k: int = 5) -> list[Found]:
    """The rules that come to mind at a question, best first.

    Args:
        question: the sentence that asks.
        before: what the client told before it.
        day: whose law is to be named; None: today's.
        k: at most so many.
    """
    before = before[-_READ:]
    laws, grams = named_laws(question), bigrams(question)
    weights = _weights()
    length = math.sqrt(sum(weights.get(gram, _rare()) ** 2 for gram in grams)) or 1.0
    told = f"{before}\n{question}"
    likeness = _LIKE * (3 if laws else 1)  # who asks for an article says what stands in it
    found = []
    for rule in rules_of(day):
        first = _worth(rule.keys[0], question, before)
        share = 0.0
        if first and not (rule.near and not rule.near.search(told)):
            share = _share(rule, [first, *(_worth(key, question, before) for key in rule.keys[1:])])
        alike = sum(weights.get(gram, 0.0) ** 2 for gram in grams & rule.grams) / length / _length(rule)
        if not share:
            if alike < _ALIKE:
                continue
            share = _UNNAMED
        score = share + likeness * alike
        score += _NAMED * (1 if rule.place.law in laws else -1) if laws else 0
        if score >= WEAK:
            found.append(Found(rule, score, _places(rule, question)))
    return sorted(found, key=lambda one: -one.score)[:k]


def _share(rule: Rule, keys: Sequence[float]) -> float:
    """How many of its keys a rule finds; 0 where it does not come to mind.

    A rule with one key has a word of its own; with several, all of them together tell more. Rows of a field need both
    their matter and their point, one of them in the question.
    """
    if max(keys[:2]) < _SINGLE:
        return 0.0
    if rule.own and len(keys) > 1:
        if not keys[1]:
            return 0.0
        return sum(keys[:2]) / 2 * 1.1 + _EXTRA * sum(worth >= _SINGLE for worth in keys[2:])
    return sum(keys) / len(keys) * (1 + 0.1 * (len(keys) - 1))


def _worth(key: re.Pattern[str], question: str, before: str) -> float:
    """A longer word tells more: 人身安全保护令 against 暴力."""
    longest = max((len(match.group()) for match in key.finditer(question)), default=0)
    if longest:
        return _SINGLE if longest == 1 else _HERE + _LONGER * min(longest, 6)
    return _BEFORE if key.search(before) else 0.0


def _places(rule: Rule, question: str) -> frozenset[int]:
    """The characters of a question that the keys of a rule cover."""
    return frozenset(
        place for key in rule.keys for match in key.finditer(question) for place in range(match.start(), match.end())
    )


@lru_cache(maxsize=512)
def named_laws(question: str) -> frozenset[str]:
    """Official titles of the laws that a question names in 《》."""
    titles = (shipped_laws().official(title) for title in re.findall(r"《([^《》]{2,40})》", question))
    return frozenset(title for title in titles if title)


@cache
def _weights() -> Mapping[str, float]:
    """Pairs of characters -> how much they tell: rare in the table tells more."""
    rows = table()
    seen: Counter[str] = Counter(gram for rule in rows for gram in rule.grams)
    return {gram: math.log(len(rows) / count) for gram, count in seen.items()}


@cache
def _rare() -> float:
    return math.log(len(table()))


@lru_cache(maxsize=8192)
def _length_of(grams: frozenset[str]) -> float:
    return math.sqrt(sum(_weights()[gram] ** 2 for gram in grams)) or 1.0


def _length(rule: Rule) -> float:
    return _length_of(rule.grams)
