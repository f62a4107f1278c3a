"""Lawyers under test by rules: the trainee who answers questions of law (KQ, LC) from statutes that can be looked up,
or not at all, and who interviews a party for a document (CD, DD).

Rules draft nothing: the interviewer asks for everything that a document needs and hands in the empty form, which is
the floor of the scores.
"""

from __future__ import annotations

import re

from store.errors import Damaged, StoreError
from store.search.law_search import Settings
from tasks.courts.play.view import CourtView, RulesPolicy
from tasks.courts.scores.drafted import Kind
from tasks.courts.scores.drafts import floor_document, with_end_mark
from tasks.episode.actions import Say

QUOTED = 120
"""Characters of an article that are quoted."""
_ASKED = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|是否|能否|请问")
_BACK = "您好，请把事情的经过或者想了解的情况说一说，您最想解决的是哪个问题？"
_NOTHING = (
    "这个问题我手头没有查到可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您。"
    "您也可以拨打12348公共法律服务热线。"
)
_NOTHING_EITHER = "这个问题也没有查到可以引用的条文，不能答复您。"
_FOUND = (
    "我查到的规定是《{law}》{article}：“{text}”。这一条是否适用于您的情况，要由律师结合具体事实判断，"
    "我不能随口下结论。"
)
QUESTIONS: dict[Kind, tuple[str, ...]] = {
    "CD": ("请您介绍一下双方的基本情况。", "您有什么诉讼请求？", "请把事情的经过说一说。", "您手里有哪些证据？"),
    "DD": ("请您介绍一下双方的基本情况。", "对方的请求您怎么看？", "请把事情的经过说一说。", "您手里有哪些证据？"),
}
"""What a document needs, asked openly."""


class Trainee(RulesPolicy):
    """Answers what was asked last."""

    def _speak(self, view: CourtView) -> Say:
        questions = [turn.text for turn in view.record if turn.speaker == "client"]
        asked = bool(questions) and bool(_ASKED.search(questions[-1]))
        if not asked and not any(turn.text == _BACK for turn in view.own):
            return Say(_BACK)
        nothing = _NOTHING_EITHER if any(turn.text == _NOTHING for turn in view.own) else _NOTHING
        return Say((self._found(questions[-1], view) if asked else "") or nothing)

    def _found(self, question: str, view: CourtView) -> str:
        """The first article that the statutes give; '' for none."""
        if self.search is None:
            return ""
        try:
            hits = self.search.search(question, Settings(k=1, at=view.day)).hits
        except Damaged:
            raise
        except StoreError:
            return ""
        first = next((hit for hit in hits if hit.article.text), None)
        if first is None:
            return ""
        text = (first.article.text or "").translate(str.maketrans("“”\n", "‘’ "))
        return _FOUND.format(law=first.version.law, article=first.article.number.chinese, text=text[:QUOTED])


class Interviewer(RulesPolicy):
    """Asks what a document needs, one thing a turn, then hands in the empty form."""

    def _speak(self, view: CourtView) -> Say:
        kind: Kind = "DD" if view.role == "defendant_lawyer" else "CD"
        questions = QUESTIONS[kind]
        if view.turn > len(questions) or view.turn >= view.limit:
            return Say(with_end_mark(floor_document(kind)), view.there)
        return Say(questions[view.turn - 1], view.there)
