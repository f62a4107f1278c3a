"""General legal knowledge as a table (`data/advice.toml`), and what of it comes to mind at a question.

The table is written from the law, not from any case. Days decide which of its laws may be named. Scores are without unit.
"""

from __future__ import annotations

import math
import re
import tomllib
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from functools import cache, lru_cache
from importlib.resources import files

from store.statutes.applicable import CaseDates
from store.statutes.model import ArticleNumber
from tasks.courts.lawcheck import shipped_laws
from tasks.courts.scores.bigrams import bigrams
from tasks.courts.scores.laws import Article, unknown
from tasks.policies.court.polarity import (
    Asked,
    Verdict,
    by_bound,
    by_sentence,
    by_signs,
    by_words,
    first_of,
    read_question,
)

STRONG = 1.0
"""From this score on a rule is taken to be about the question."""
WEAK = 0.55
"""Below it a rule does not come to mind."""
_HERE = 1.0
_BEFORE = 0.4
"""What a key is worth in the question, and in what was told before it."""
_LONGER = 0.04
_SETTLES = 0.15
"""What a rule gains that speaks of a word or a quantity of the question."""
_NAMED = 0.5
"""What a rule gains whose law the question names."""
_LIKE = 2.0
"""The weight of shared words beside the keys."""
_READ = 800
"""Characters of what was told before that are looked through."""
_KEY = re.compile(r"(?P<number>\d{1,4})(?:-(?P<sub>\d{1,2}))?[a-z]?")


@dataclass(frozen=True, slots=True)
class Rule:
    """One row. number: None where the law is named without an article; signs: kind of predicate -> whether yes.

    field: words of which the matter must have one.
    """

    law: str
    number: ArticleNumber | None
    keys: tuple[re.Pattern[str], ...]
    text: str
    signs: Mapping[str, bool]
    yes: re.Pattern[str] | None
    no: re.Pattern[str] | None
    bound: tuple[str, float, Verdict] | None
    field: re.Pattern[str] | None
    since: date | None
    until: date | None
    grams: frozenset[str]

    @property
    def named(self) -> str:
        """《中华人民共和国民法典》第六百七十五条."""
        return f"《{self.law}》{self.number.chinese if self.number else ''}"

    def settles(self, asked: Asked) -> bool:
        """Whether words or a quantity of the question are those that the rule speaks of."""
        said = by_words(asked, self.yes, self.no)
        return said != "none" or (self.bound is not None and by_bound(asked, *self.bound) != "none")

    def verdict(self, asked: Asked) -> Verdict:
        """How the rule answers a yes-no question."""
        bound = by_bound(asked, *self.bound) if self.bound else "none"
        return first_of(
            (by_words(asked, self.yes, self.no), bound, by_signs(asked, self.signs), by_sentence(asked, self.text))
        )


@dataclass(frozen=True, slots=True)
class Found:
    """A rule and how well it fits."""

    rule: Rule
    score: float


def recalled(question: str, before: str, day: date | None, k: int = 5) -> list[Found]:
    """The rules that come to mind at a question, best first.

    Args:
        question: the sentence that asks.
        before: what the client told before it.
        day: whose law is to be named; None: today's.
        k: at most so many.
    """
    before = before[-_READ:]
    told = f"{before}\n{question}"
    asked, grams, laws = read_question(question), bigrams(question), named_laws(question)
    weights = _weights()
    length = math.sqrt(sum(weights.get(gram, _rare()) ** 2 for gram in grams)) or 1.0
    found = []
    for rule in rules_of(day):
        matter = _worth(rule.keys[0], question, before)
        if not matter or (rule.field and not rule.field.search(told)):
            continue
        keys = [matter, *(_worth(key, question, before) for key in rule.keys[1:])]
        if max(keys) < _HERE:
            continue
        # A rule with one key has a word of its own; with several, all of them together tell more.
        share = sum(keys) / len(keys) * (1 + 0.1 * max(1, len(keys) - 1))
        alike = sum(weights.get(gram, 0.0) ** 2 for gram in grams & rule.grams) / length / _length(rule)
        score = share + _LIKE * alike + _SETTLES * rule.settles(asked) + _NAMED * (rule.law in laws)
        found.append(Found(rule, score))
    return sorted((one for one in found if one.score >= WEAK), key=lambda one: -one.score)[:k]


def _worth(key: re.Pattern[str], question: str, before: str) -> float:
    """A longer word tells more: 人身安全保护令 against 暴力."""
    longest = max((len(match.group()) for match in key.finditer(question)), default=0)
    if longest:
        return _HERE + _LONGER * min(longest, 6)
    return _BEFORE if key.search(before) else 0.0


def named_laws(question: str) -> frozenset[str]:
    """Official titles of the laws that a question names in 《》."""
    titles = (shipped_laws().official(title) for title in re.findall(r"《([^《》]{2,40})》", question))
    return frozenset(title for title in titles if title)


@lru_cache(maxsize=64)
def rules_of(day: date | None) -> tuple[Rule, ...]:
    """The rules whose article stands in force on a day, by the shipped index of laws."""
    return tuple(rule for rule in _table() if _in_force(rule, day))


def in_force(law: str, number: ArticleNumber, day: date | None) -> bool:
    """Whether the shipped index knows the article on a day."""
    dates = CaseDates(day, None, day, day)
    return unknown(Article(law, number.number, number.sub), dates) is None


def _in_force(rule: Rule, day: date | None) -> bool:
    if day is not None and ((rule.since and day < rule.since) or (rule.until and day > rule.until)):
        return False
    if day is None and rule.until is not None:
        return False
    return rule.number is None or in_force(rule.law, rule.number, day)


@cache
def _table() -> tuple[Rule, ...]:
    text = files("tasks.policies.court").joinpath("data/advice.toml").read_text(encoding="utf-8")
    return tuple(
        _rule(law, key, row) for law in tomllib.loads(text)["law"] for key, row in law["rules"].items()
    )


def _rule(law: Mapping[str, object], key: str, row: Mapping[str, object]) -> Rule:
    number = _KEY.fullmatch(key) if law.get("numbers", True) else None
    bound = row.get("bound")
    keys, text, since, until = row["keys"], str(row["rule"]), law.get("since"), law.get("until")
    if not isinstance(keys, list):
        raise ValueError(f"advice.toml: {law['name']} {key} has no list of keys")
    return Rule(
        law=str(law["name"]),
        number=ArticleNumber(int(number["number"]), int(number["sub"] or 0)) if number else None,
        keys=tuple(_pattern(str(one)) for one in keys),
        text=text,
        signs={sign[:-1]: sign.endswith("+") for sign in str(row.get("says", "")).split()},
        yes=_pattern(str(row["yes"])) if "yes" in row else None,
        no=_pattern(str(row["no"])) if "no" in row else None,
        bound=(bound["unit"], float(bound["limit"]), bound["say"]) if isinstance(bound, dict) else None,
        field=_pattern(str(law["field"])) if "field" in law else None,
        since=since if isinstance(since, date) else None,
        until=until if isinstance(until, date) else None,
        grams=bigrams(text),
    )


def _pattern(words: str) -> re.Pattern[str]:
    """Gaps are bounded, so that a search stays linear."""
    return re.compile(words.replace(".*", ".{0,40}"))


@cache
def _weights() -> Mapping[str, float]:
    """Pairs of characters -> how much they tell: rare in the table tells more."""
    table = _table()
    seen: Counter[str] = Counter(gram for rule in table for gram in rule.grams)
    return {gram: math.log(len(table) / count) for gram, count in seen.items()}


@cache
def _rare() -> float:
    return math.log(len(_table()))


@lru_cache(maxsize=4096)
def _length_of(grams: frozenset[str]) -> float:
    return math.sqrt(sum(_weights()[gram] ** 2 for gram in grams)) or 1.0


def _length(rule: Rule) -> float:
    return _length_of(rule.grams)


def laws_named(rules: Sequence[Rule]) -> str:
    """《…》第…条、《…》第…条, each once."""
    return "、".join(dict.fromkeys(rule.named for rule in rules))
