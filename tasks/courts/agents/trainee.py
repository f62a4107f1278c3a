"""The trainee who answers questions of law (KQ, LC) by rules: from statutes that can be looked up, or not at
all."""

from __future__ import annotations

import re

from store.errors import Damaged, StoreError
from store.search.law_search import LawSearch, Settings
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say

QUOTED = 120
"""Characters of an article that are quoted."""
_ASKED = re.compile(r"[?？]|吗|呢|怎么|如何|什么|哪|多少|多久|是否|能否|请问")
_BACK = "您好，请把事情的经过或者想了解的情况说一说，您最想解决的是哪个问题？"
_NOTHING = (
    "这个问题我手头没有查到可以直接引用的条文，说错了会误导您，我向带教律师请示后再答复您。"
    "您也可以拨打12348公共法律服务热线。"
)
_FOUND = (
    "我查到的规定是《{law}》{article}：“{text}”。这一条是否适用于您的情况，要由律师结合具体事实判断，"
    "我不能随口下结论。"
)


class Trainee:
    """Answers what was asked last."""

    def __init__(self, search: LawSearch | None = None) -> None:
        self._search = search

    def move(self, view: CourtView) -> Move:
        """One answer."""
        yield from ()
        heard = [turn.text for turn in view.record if turn.speaker == "client"]
        asked = bool(heard) and bool(_ASKED.search(heard[-1]))
        if not asked and not any(turn.text == _BACK for turn in view.own):
            return Say(_BACK)
        return Say((self._found(heard[-1], view) if asked else "") or _NOTHING)

    def _found(self, question: str, view: CourtView) -> str:
        """The first article that the statutes give; '' for none."""
        if self._search is None:
            return ""
        try:
            hits = self._search.search(question, Settings(k=1, at=view.day)).hits
        except Damaged:
            raise
        except StoreError:
            return ""
        told = [hit for hit in hits if hit.article.text]
        if not told:
            return ""
        text = (told[0].article.text or "").translate(str.maketrans("“”\n", "‘’ "))
        return _FOUND.format(law=told[0].version.law, article=told[0].article.number.chinese, text=text[:QUOTED])
