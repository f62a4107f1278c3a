"""The trainee who answers questions of law (KQ, LC) by rules: one question, one answer with its article, nothing made
up.

What comes to mind is looked up in tables of general knowledge; with real statutes at hand the words of the article
are quoted, and where nothing comes to mind the statutes are searched. Only articles that stand in force on the day
are named. Where neither helps, the trainee says so. The record is all that is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import date

from store.errors import Damaged, StoreError
from store.search.law_search import Hit, LawSearch, Settings
from store.statutes.book import Found as FoundArticle
from store.statutes.model import ArticleNumber
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say
from tasks.experts.advice.answering import NOTHING, Basis, answer
from tasks.experts.advice.knowledge import in_force, stands
from tasks.experts.advice.polarity import Asked, question_of, read_question
from tasks.experts.advice.weighing import STRONG, Found, named_laws, recalled
from tasks.legalsearch.rules.likeness import contained

HITS = 8
MOST = 3
"""Articles that one answer explains."""
NEAR = 0.9
FAR = 0.96
"""A further rule needs this share of the score of the first; one of another law more."""
_ALSO = (3, 1)
"""Articles that a row names besides its own, in an answer in points and in one of yes or no."""
FRESH = 3
"""So many characters of the question a further rule speaks of that the first does not."""
ALIKE = 0.3
"""An article that was searched for has to share so much with the question."""
LITTLE = 0.8
"""A rule whose score is below shares too little with the question to be named."""
QUOTED = 90
"""Characters of a quotation."""
_STEPS = 0.04
"""What each thing to do adds to a rule that answers an open question."""
_ASKED = re.compile(r"[?？]|吗(?:[。！\s]|$)")
_ANYTHING = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|几|是否|能否|想问|请问")


class Trainee:
    """Answers what was asked last."""

    def __init__(self, search: LawSearch | None = None) -> None:
        self._search = search

    def move(self, view: CourtView) -> Move:
        """One answer."""
        yield from ()
        heard = [turn.text for turn in view.record if turn.speaker == "client"]
        last = heard[-1] if heard else ""
        asked = read_question(question_of(last))
        if not (_ASKED if len(heard) < 2 else _ANYTHING).search(last):
            return Say(_asks_back(view, last))
        # Questions of knowledge have nothing to do with one another but their theme; a consultation is one story.
        told = heard if view.env == "LC" else [*heard[:1], last]
        before = "\n".join(dict.fromkeys(told)).replace(asked.text, "")
        found: Sequence[Found] = recalled(asked.text, before, view.day)
        bases = self._bases(asked, found, view.day)
        return Say(answer(asked, bases) if bases else NOTHING)

    def _bases(self, asked: Asked, found: Sequence[Found], day: date | None) -> list[Basis]:
        """What to rest the answer on, best first."""
        searched = self._searched(asked, day)
        known = chosen(asked, found) if found and found[0].score >= LITTLE else []
        if searched and (not known or known[0].score < STRONG):
            return searched[:1] + [self._of_rule(asked, one, day) for one in known[:1]]
        return [self._of_rule(asked, one, day) for one in known]

    def _of_rule(self, asked: Asked, found: Found, day: date | None) -> Basis:
        rule = found.rule
        words = self._words(rule.law, rule.number, day, f"{asked.text}{rule.text}") if rule.number else ""
        also = tuple(place.named for place in rule.also if stands(place, day))
        verdict = rule.weighed(asked)[0] if asked.binary else "none"
        return Basis(rule.named, rule.text, words, verdict, rule.todo, also[: _ALSO[asked.binary]])

    def _searched(self, asked: Asked, day: date | None) -> list[Basis]:
        """The articles that the statutes give, of those that share enough with the question."""
        if self._search is None:
            return []
        try:
            hits = self._search.search(asked.text, Settings(k=HITS, at=day)).hits
        except Damaged:
            raise
        except StoreError:
            return []
        likely = [(contained(asked.text, hit.article.text or ""), hit) for hit in hits if _citable(hit, day)]
        ranked = sorted(likely, key=lambda pair: -pair[0])
        return [_of_hit(asked, hit) for share, hit in ranked[:MOST] if share >= max(ALIKE, NEAR * ranked[0][0])]

    def _words(self, law: str, number: ArticleNumber, day: date | None, matter: str) -> str:
        """The sentence of the article that is nearest to the matter, as the statutes have it on the day."""
        if self._search is None or day is None:
            return ""
        found = self._search.book.on(law, number, day)
        return _nearest(found.article.text or "", matter) if isinstance(found, FoundArticle) else ""


def chosen(asked: Asked, found: Sequence[Found]) -> list[Found]:
    """The rules that an answer names, the one that decides first: a further one only where it speaks of something
    else."""
    first = found[0]
    if asked.binary:
        near = [one for one in found if one.score >= NEAR * first.score]
        # A quantity counts for the matter at hand alone; words that settle a question are written for it.
        decisive = [one for one in near if one.rule.place == first.rule.place and one.rule.settles(asked)]
        decisive += [one for one in near if one.score >= FAR * first.score and one.rule.says(asked) != "none"]
        decisive += [one for one in near if one.rule.weighed(asked)[1]]
        return [decisive[0] if decisive else first]
    laws = named_laws(asked.text)
    # Of rules that fit alike, the one that tells what to do.
    near = [one for one in found if one.score >= NEAR * first.score]
    first = max(near, key=lambda one: one.score * (1 + _STEPS * min(3, len(one.rule.todo))))
    further = []
    for one in found:
        bar = NEAR if one.rule.law == first.rule.law else FAR
        if one.rule.place == first.rule.place or one.score < max(STRONG, bar * first.score):
            continue
        if not (laws and one.rule.law not in laws) and len(one.places - first.places) >= FRESH:
            further.append(one)
    most = 1 if len(first.rule.todo) > 1 else MOST - 1
    return [first, *{one.rule.place: one for one in reversed(further)}.values()][: 1 + most]


def _citable(hit: Hit, day: date | None) -> bool:
    """An article with words whose number the index of laws confirms for the day."""
    return bool(hit.article.text) and in_force(hit.version.law, hit.article.number, day)


def _of_hit(asked: Asked, hit: Hit) -> Basis:
    words = _nearest(hit.article.text or "", asked.text)
    return Basis(f"《{hit.version.law}》{hit.article.number.chinese}", words.rstrip("。；"))


def _nearest(text: str, question: str) -> str:
    """The sentence of an article that shares most with the question, cut to a quotation."""
    parts = [part.strip() for part in re.split(r"(?<=[。；])|\n", text) if part.strip()]
    best = max(parts, key=lambda part: contained(question, part), default="")
    return best if len(best) <= QUOTED else best[: QUOTED - 1] + "…"


def _asks_back(view: CourtView, last: str) -> str:
    """To somebody who has told nothing yet: what is needed to advise."""
    if view.env == "LC" and len(view.own) < 1:
        return "您先别急，请把事情的经过说一说：双方是什么关系，什么时候发生了什么，您最想解决的是哪个问题？"
    found = recalled(last, "", view.day, k=1)
    named = f"这方面主要看《{found[0].rule.law}》。" if found and found[0].score >= STRONG else ""
    return f"可以的。{named}请您把想了解的具体问题一个一个说给我，我逐一答复。"
