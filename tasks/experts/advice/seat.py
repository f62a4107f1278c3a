"""The trainee who answers questions of law (KQ, LC) by rules: one question, one answer with its article, nothing made
up.

What comes to mind is looked up in tables of general knowledge; with real statutes at hand the words of the article
are quoted. Only articles that stand in force on the day are named. Where nothing comes to mind he does what a trainee
without an expert does. The record is all that is remembered. Sentences are short enough to be read aloud; a second
article is named only where the answer needs it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date

from store.statutes.book import Found as FoundArticle
from tasks.courts.agents import trainee
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say
from tasks.experts.advice.knowledge import STRONG, Found, Place, named_laws, recalled, stands
from tasks.experts.advice.polarity import Asked, Verdict, question_of, read_question
from tasks.legalsearch.rules.likeness import contained

MOST = 3
"""Articles that one answer explains."""
NEAR = 0.9
FAR = 0.96
"""A further rule needs this share of the score of the first; one of another law more."""
_ALSO = (3, 1)
"""Articles that a row names besides its own, in an answer in points and in one of yes or no."""
FRESH = 3
"""So many characters of the question a further rule speaks of that the first does not."""
LITTLE = 0.8
"""A rule whose score is below shares too little with the question to be named."""
QUOTED = 90
"""Characters of a quotation."""
_STEPS = 0.04
"""What each thing to do adds to a rule that answers an open question."""
_ASKED = re.compile(r"[?？]|吗(?:[。！\s]|$)")
_ANYTHING = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|几|是否|能否|想问|请问")
SAME = 0.8
"""Words of an article are not quoted when so much of them was just said."""
_INNER = str.maketrans("“”", "‘’")
_NTH = ("第一", "第二", "第三", "第四", "第五", "第六", "第七")
POINTS = 6
"""Points of one answer at most."""
NOTHING = (
    "这个问题我手头没有可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您具体的条文。"
    "您也可以拨打12348公共法律服务热线。"
)
_HEADS = {
    "can": ("可以", "不可以"), "must": ("需要", "不需要"), "liable": ("需要", "不需要"), "will": ("会", "不会"),
    "has": ("有", "没有"),
}  # fmt: skip
"""What a question turns on -> yes and no in its own words."""


class Trainee(trainee.Trainee):
    """Answers what was asked last."""

    def move(self, view: CourtView) -> Move:
        """One answer."""
        yield from ()
        heard = [turn.text for turn in view.record if turn.speaker == "client"]
        last = heard[-1] if heard else ""
        asked = read_question(question_of(last))
        if not (_ASKED if len(heard) < 2 else _ANYTHING).search(last):
            return (yield from super().move(view))
        # Questions of knowledge have nothing to do with one another but their theme; a consultation is one story.
        told = heard if view.env == "LC" else [*heard[:1], last]
        before = "\n".join(dict.fromkeys(told)).replace(asked.text, "")
        found: Sequence[Found] = recalled(asked.text, before, view.day)
        if not found or found[0].score < LITTLE:
            return Say(self._found(asked.text, view) or NOTHING)
        return Say(answer(asked, [self._of_rule(asked, one, view.day) for one in chosen(asked, found)]))

    def _of_rule(self, asked: Asked, found: Found, day: date | None) -> Basis:
        rule = found.rule
        words = self._words(rule.place, day, f"{asked.text}{rule.text}")
        also = tuple(place.named for place in rule.also if stands(place, day))
        verdict = rule.weighed(asked) if asked.binary else "none"
        return Basis(rule.place.named, rule.text, words, verdict, rule.todo, also[: _ALSO[asked.binary]])

    def _words(self, place: Place, day: date | None, matter: str) -> str:
        """The sentence of the article that is nearest to the matter, as the statutes have it on the day."""
        if self._search is None or day is None or place.number is None:
            return ""
        found = self._search.book.on(place.law, place.number, day)
        return _nearest(found.article.text or "", matter) if isinstance(found, FoundArticle) else ""


def chosen(asked: Asked, found: Sequence[Found]) -> list[Found]:
    """The rules that an answer names, the one that decides first: a further one only where it speaks of something
    else."""
    first = found[0]
    if asked.binary:
        near = [one for one in found if one.score >= NEAR * first.score]
        # Words that settle a question are written for it.
        decisive = [one for one in near if one.score >= FAR * first.score and one.rule.says(asked) != "none"]
        return [next((one for one in [*decisive, *near] if one.rule.weighed(asked) != "none"), first)]
    laws = named_laws(asked.text)
    # Of rules that fit alike, the one that tells what to do.
    near = [one for one in found if one.score >= NEAR * first.score]
    first = max(near, key=lambda one: one.score * (1 + _STEPS * min(3, len(one.rule.todo))))
    further = []
    for one in found:
        bar = NEAR if one.rule.place.law == first.rule.place.law else FAR
        if one.rule.place == first.rule.place or one.score < max(STRONG, bar * first.score):
            continue
        if not (laws and one.rule.place.law not in laws) and len(one.places - first.places) >= FRESH:
            further.append(one)
    most = 1 if len(first.rule.todo) > 1 else MOST - 1
    return [first, *{one.rule.place: one for one in reversed(further)}.values()][: 1 + most]


def _nearest(text: str, question: str) -> str:
    """The sentence of an article that shares most with the question, cut to a quotation."""
    parts = [part.strip() for part in re.split(r"(?<=[。；])|\n", text) if part.strip()]
    best = max(parts, key=lambda part: contained(question, part), default="")
    return best if len(best) <= QUOTED else best[: QUOTED - 1] + "…"


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on: an article by name, what it says in short, its own words, the verdict it gives.

    todo: what to do; also: further articles by name.
    """

    named: str
    says: str
    words: str = ""
    verdict: Verdict = "none"
    todo: tuple[str, ...] = ()
    also: tuple[str, ...] = ()


def answer(asked: Asked, bases: Sequence[Basis]) -> str:
    """The answer by one basis or more, the best first: to a yes-no question that of the first, else all in points."""
    first, *rest = bases
    told = () if asked.binary else rest
    if asked.binary:
        steps = first.todo[:1] if first.verdict != "no" else ()
    else:
        steps = tuple(dict.fromkeys(step for basis in bases for step in basis.todo))[:POINTS]
    parts = [
        head(asked, first.verdict) if asked.binary else "",
        f"根据{first.named}，{first.says}。",
        _words(first),
        _others([*first.also, *(one.named for one in rest)], {first.named, *(one.named for one in told)}),
        *(f"另外，根据{one.named}，{one.says}。" for one in told),
        numbered(steps),
    ]
    return "".join(parts)


def numbered(steps: Sequence[str]) -> str:
    """您可以按下面几点来办：第一，…；第二，…."""
    if len(steps) < 2:
        return "".join(f"建议：{step.rstrip('。')}。" for step in steps)
    listed = "；".join(f"{nth}，{step.rstrip('。')}" for nth, step in zip(_NTH, steps, strict=False))
    return f"您可以按下面几点来办：{listed}。"


def _words(basis: Basis) -> str:
    if not basis.words or contained(basis.words, basis.says) >= SAME:
        return ""
    return f"条文原话是：“{basis.words.rstrip('。；').translate(_INNER)}”。"


def _others(named: Sequence[str], told: set[str]) -> str:
    """Further articles by name, but those that are told in full."""
    names = [name for name in dict.fromkeys(named) if name not in told]
    return f"相关的规定还有{'、'.join(names)}。" if names else ""


def head(asked: Asked, verdict: Verdict) -> str:
    """Yes or no in the words of the question; where the law leaves it open, that."""
    if verdict == "none":
        return "这要看具体情况，不能一概而论。"
    kind = next((one.kind for one in asked.predicates[:1] if not one.denied), "")
    return f"{_HEADS.get(kind, ('是的', '不是'))[verdict == 'no']}。"
