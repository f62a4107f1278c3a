"""The trainee who answers questions of law (KQ, LC) by rules: one question, one answer with its article, nothing made up.

What comes to mind is looked up in a table of general knowledge; with real statutes at hand the words of the article are
quoted, and where nothing comes to mind the statutes are searched. Only articles that stand in force on the day are named.
Where neither helps, the trainee says so. The record is all that is remembered.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256

from store.errors import StoreError
from store.search.law_search import Hit, LawSearch, Settings
from store.statutes.book import Found as FoundArticle
from store.statutes.model import ArticleNumber
from tasks.actions import Move, Say
from tasks.courts.views import CourtView
from tasks.policies.court.advice import STRONG, Found, in_force, named_laws, recalled
from tasks.policies.court.polarity import Asked, Verdict, by_sentence, question_of, read_question
from tasks.policies.statutes.likeness import contained

HITS = 8
MOST = 3
"""Articles that one answer names."""
NEAR = 0.8
"""A further rule needs this share of the score of the first."""
FAR = 0.9
ALIKE = 0.3
"""An article that was searched for has to share so much with the question."""
SAME = 0.8
"""Words of an article are not quoted when so much of them was just said."""
LITTLE = 0.75
"""A rule whose score is below shares too little with the question to be named."""
QUOTED = 90
"""Characters of a quotation."""
_INNER = str.maketrans("“”", "‘’")
_ASKED = re.compile(r"[?？]|吗(?:[。！\s]|$)")
_QUESTIONS = re.compile(r"[^。！？?；\n]*[？?]")
_ANYTHING = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|几|是否|能否|想问|请问")


@dataclass(frozen=True, slots=True)
class Basis:
    """What an answer rests on: an article by name, what it says in short, its own words, the verdict it gives."""

    law: str
    named: str
    says: str
    words: str
    verdict: Verdict


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
        # Questions of knowledge have nothing to do with one another; a consultation is one story.
        told = heard if view.env == "LC" else heard[-1:]
        before = _QUESTIONS.sub("", "\n".join(told).replace(asked.text, ""))
        return Say(_answer(asked, self._bases(asked, before, view.day), view))

    def _bases(self, asked: Asked, before: str, day: date | None) -> list[Basis]:
        """What to rest the answer on, best first."""
        found = recalled(asked.text, before, day)
        searched = self._searched(asked, day)
        if found and found[0].score < LITTLE:
            found = []
        if searched and (not found or found[0].score < STRONG):
            return searched + [self._of_rule(asked, one, day) for one in found[:1]]
        known = [one for one in found[:MOST] if one is found[0] or one.score >= _bar(one, found[0])]
        bases = [self._of_rule(asked, one, day) for one in known]
        near = named_laws(asked.text) | {found[0].rule.law} if found else frozenset()
        also = [one for one in searched if one.law in near and one.named not in {basis.named for basis in bases}]
        return bases + also[:1]

    def _of_rule(self, asked: Asked, found: Found, day: date | None) -> Basis:
        rule = found.rule
        words = self._words(rule.law, rule.number, day, f"{asked.text}{rule.text}") if rule.number else ""
        return Basis(rule.law, rule.named, rule.text, words, rule.verdict(asked) if asked.binary else "none")

    def _searched(self, asked: Asked, day: date | None) -> list[Basis]:
        """The articles that the statutes give, of those that share enough with the question."""
        if self._search is None:
            return []
        try:
            hits = self._search.search(asked.text, Settings(k=HITS, at=day)).hits
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


def _bar(one: Found, first: Found) -> float:
    """What a further rule has to reach; one of another law comes less readily to mind."""
    return max(STRONG, (NEAR if one.rule.law == first.rule.law else FAR) * first.score)


def _citable(hit: Hit, day: date | None) -> bool:
    """An article with words whose number the index of laws confirms for the day."""
    return bool(hit.article.text) and in_force(hit.version.law, hit.article.number, day)


def _of_hit(asked: Asked, hit: Hit) -> Basis:
    words = _nearest(hit.article.text or "", asked.text)
    verdict = by_sentence(asked, words) if asked.binary else "none"
    return Basis(hit.version.law, f"《{hit.version.law}》{hit.article.number.chinese}", words.rstrip("。；"), "", verdict)


def _nearest(text: str, question: str) -> str:
    """The sentence of an article that shares most with the question, cut to a quotation."""
    parts = [part.strip() for part in re.split(r"(?<=[。；])|\n", text) if part.strip()]
    best = max(parts, key=lambda part: contained(question, part), default="")
    return best if len(best) <= QUOTED else best[: QUOTED - 1] + "…"


def _answer(asked: Asked, bases: Sequence[Basis], view: CourtView) -> str:
    if not bases:
        return _unknown(asked)
    if asked.binary:  # the rule that decides is named first
        bases = sorted(bases, key=lambda basis: basis.verdict == "none")
    first, others = bases[0], bases[1:]
    verdict = first.verdict if asked.binary else "none"
    parts = [_head(asked, verdict) if asked.binary else ""]
    parts.append(f"根据{first.named}的规定，{first.says}。" if first.named else "")
    if first.words and contained(first.words, first.says) < SAME:
        parts.append(f"条文原话是：“{first.words.rstrip('。；').translate(_INNER)}”。")
    if others and not asked.binary:
        parts += [f"另外，{other.named}规定，{other.says}。" for other in others]
    elif others:
        parts.append(f"相关的还有{'、'.join(dict.fromkeys(other.named for other in others))}。")
    parts.append(_pick(_ENDS, view))
    return "".join(parts)


_HEADS = {
    "can": ("可以", "不可以"), "must": ("需要", "不需要"), "liable": ("需要", "不需要"), "will": ("会", "不会"),
    "be": ("是的", "不是"), "has": ("有", "没有"), "apply": ("是的", "不是"),
}  # fmt: skip
_VALID = (
    ("有效", "是的，有效", "无效"), ("合法", "是的，合法", "不合法"), ("成立", "是的，成立", "不成立"),
    ("算数", "是的，算数", "不算"), ("", "是的", "不是"),
)  # fmt: skip


def _head(asked: Asked, verdict: Verdict) -> str:
    """Yes or no in the words of the question; where the law leaves it open, that."""
    if verdict == "none":
        return "这要看具体情况，不能一概而论。"
    place = 0 if verdict == "yes" else 1
    predicate = asked.predicates[0] if asked.predicates else None
    if predicate is None or predicate.denied:
        return f"{('是的', '不是')[place]}。"
    if predicate.kind == "valid":
        return f"{next(pair for word, *pair in _VALID if word in asked.plain)[place]}。"
    return f"{_HEADS.get(predicate.kind, ('是的', '不是'))[place]}。"


def _unknown(asked: Asked) -> str:
    opening = "这要看具体情况，我不能随口下结论。" if asked.binary else ""
    return (
        f"{opening}这个问题我没有找到可以直接引用的条文，说错了会误导您。"
        "建议您把有关的材料整理好，我向带教律师请示后再答复您，也可以拨打12348公共法律服务热线。"
    )


def _asks_back(view: CourtView, last: str) -> str:
    """To somebody who has told nothing yet: what is needed to advise."""
    if view.env == "LC" and len(view.own) < 1:
        return "您先别急，请把事情的经过说一说：双方是什么关系，什么时候发生了什么，您最想解决的是哪个问题？"
    found = recalled(last, "", view.day, k=1)
    named = f"这方面主要看《{found[0].rule.law}》。" if found and found[0].score >= STRONG else ""
    return f"可以的。{named}请您把想了解的具体问题一个一个说给我，我逐一答复。"


_ENDS = (
    "您手里有关的书面材料请保存好。", "还有不清楚的地方您接着问。", "以上是我查到的规定，供您参考。", "",
    "办理的时候带上有关的证明材料。",
)  # fmt: skip


def _pick(choices: Sequence[str], view: CourtView) -> str:
    """The same words for the same case and turn."""
    return choices[int(sha256(f"{view.case_id}/{view.turn}".encode()).hexdigest()[:8], 16) % len(choices)]
