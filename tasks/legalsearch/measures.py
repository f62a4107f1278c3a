"""What is measured on one answer: the compat and the strict score of its form, and the finer measures beside them.

All numbers are shares from 0 to 1, except `log_distance`; None where there is nothing to measure.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass

from store.text.charges import charge_f1, charges, same_charges
from store.text.citation import citations
from tasks.legalsearch import published
from tasks.legalsearch.answers import letters, strict_answer, term
from tasks.legalsearch.questions import LawQuestion

_BRACKET = re.compile(r"[(（][^()（）]*[)）]$")
_SELF = re.compile("本(?:法典?|条例|规定|解释|办法|细则|规则|决定)")
_LONGEST = 20_000


def cited(text: str) -> frozenset[tuple[str, str]]:
    """The articles that a text cites, as (law, number); the law is '' where none was named before."""
    text, law, found = text[:_LONGEST], "", set()
    for one in citations(text):
        if one.law is not None:
            law = _BRACKET.sub("", one.law).removeprefix("中华人民共和国").strip()
        elif _SELF.match(text, one.start):
            continue
        found.add((law, one.number.key))
    return frozenset(found)


def citation_f1(given: str, gold: str) -> float | None:
    """F1 of the cited articles as sets; None when the gold cites none."""
    wanted, said = cited(gold), cited(given)
    return 2 * len(wanted & said) / (len(wanted) + len(said)) if wanted else None


Measures = dict[str, float | None]


@dataclass(frozen=True, slots=True)
class Verdict:
    """What the grader says of a consultation: is the advice right, is its legal basis right."""

    answer: bool
    basis: bool

    @property
    def score(self) -> float:
        """Half a point each."""
        return 0.5 * self.answer + 0.5 * self.basis


def compat_score(question: LawQuestion, text: str, verdict: Verdict | None = None) -> float | None:
    """The published score of a bare answer or a whole trajectory with answer tags; None for what no grader has
    seen."""
    if question.kind.form == "consultation":
        return verdict.score if verdict else None
    return published.answer_score(question.kind.id, published.metrics_answer(text), question.gold.answer)


def strict_score(question: LawQuestion, text: str, verdict: Verdict | None = None) -> float | None:
    """The strict score of the same; for a consultation 1 when advice and legal basis are both right."""
    if question.kind.form == "consultation":
        return float(verdict.answer and verdict.basis) if verdict else None
    return STRICT[question.kind.form](question, strict_answer(text), question.gold.answer)


def compat_details(question: LawQuestion, text: str) -> Measures:
    """Further published measures."""
    given, gold = published.metrics_answer(text), question.gold.answer
    return {name: rule(given, gold) for name, rule in COMPAT_DETAILS[question.kind.form].items()}


def strict_details(question: LawQuestion, text: str) -> Measures:
    """Finer measures beside the strict score."""
    return STRICT_DETAILS[question.kind.form](question, strict_answer(text), question.gold.answer)


COMPAT_DETAILS: dict[str, dict[str, Callable[[str, str], float]]] = {
    "article": {
        "f1": published.character_f1,
        "jaccard": published.character_jaccard,
        "bleu_4": published.bleu_4,
        "passed": lambda given, gold: float(published.rouge_l(given, gold) >= published.LAR_PASS),
    },
    "consultation": {},
    "letters": {},
    "charges": {},
    "months": {},
}
"""Form of the answer -> further published measures."""


def _same_letters(question: LawQuestion, read: str, gold: str) -> float:
    return float(letters(read, question.options) == frozenset(gold))


def _same_term(_: LawQuestion, read: str, gold: str) -> float:
    given = term(read)
    return float(given is not None and given == term(gold))


STRICT: dict[str, Callable[[LawQuestion, str, str], float]] = {
    "article": lambda _, read, gold: published.rouge_l(read, gold, 1.0),
    "letters": _same_letters,
    "charges": lambda _, read, gold: float(same_charges(charges(read), charges(gold))),
    "months": _same_term,
}
"""Form of the answer -> strict score: plain ROUGE-L F1, the same set of letters or charges, the same term in any
unit."""

BANDS: tuple[tuple[str, float], ...] = (("within_10", 0.10), ("within_25", 0.25))
"""Tolerance bands of a term: off by at most this share of the gold, or by one month."""
CAIL: tuple[tuple[float, float], ...] = ((0.2, 1.0), (0.4, 0.8), (0.6, 0.6), (0.8, 0.4), (1.0, 0.2))
"""Log distance up to -> points: the scale of the prison term track of CAIL 2018."""


def log_distance(given: float, gold: float) -> float:
    """|ln(1 + given) - ln(1 + gold)|, in months; symmetric."""
    return abs(math.log1p(given) - math.log1p(gold))


def _article_details(_: LawQuestion, read: str, gold: str) -> Measures:
    return {"exact": float(published.recital(read) == published.recital(gold))}


def _letter_details(question: LawQuestion, read: str, _: str) -> Measures:
    return {"readable": float(letters(read, question.options) is not None)}


def _term_details(_: LawQuestion, read: str, gold: str) -> Measures:
    """Bands, points by log distance, and the distance itself, which only a term that can be read has."""
    given, wanted = term(read), term(gold)
    if given is None or wanted is None or given.months is None or wanted.months is None:
        same = float(given is not None and given == wanted)
        return {
            **{name: same for name, _share in BANDS},
            "points": same,
            "readable": float(given is not None),
            "log_distance": None,
        }
    distance = log_distance(given.months, wanted.months)
    off = abs(given.months - wanted.months)
    return {
        **{name: float(off <= max(1.0, share * wanted.months)) for name, share in BANDS},
        "points": next((points for limit, points in CAIL if distance <= limit), 0.0),
        "readable": 1.0,
        "log_distance": distance,
    }


STRICT_DETAILS: dict[str, Callable[[LawQuestion, str, str], Measures]] = {
    "article": _article_details,
    "consultation": lambda _, read, gold: {"citation_overlap": citation_f1(read, gold)},
    "letters": _letter_details,
    "charges": lambda _, read, gold: {"f1": charge_f1(charges(read), charges(gold))},
    "months": _term_details,
}
"""Form of the answer -> measures beside the strict score."""
