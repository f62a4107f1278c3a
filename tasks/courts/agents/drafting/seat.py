"""The lawyer who drafts (CD, DD), by rules: asks for every element of the document, one thing a turn, then writes it.

What to ask next is worked out anew from the record: what was asked, what was learnt, what was answered roughly or not at all.
There is always a document before the last turn is over.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from store.search.law_search import LawSearch
from tasks.courts.agents.clients.asking import Client
from tasks.courts.agents.drafting.dossier import Dossier, learnt
from tasks.courts.agents.drafting.writing import RESPONDENT, complaint, defence
from tasks.courts.play.views import CourtView
from tasks.courts.scores.drafted import END_MARK
from tasks.courts.scores.drafts import with_end_mark
from tasks.episode.actions import Move, Say

MOST = 5
"""So many times at most is one list asked for."""


@dataclass(frozen=True, slots=True)
class Step:
    """A question that may be put now. essential: put even when turns run short."""

    question: str
    essential: bool = False


class Drafter:
    """Interviews a client and hands in the document."""

    def __init__(self, search: LawSearch | None = None) -> None:
        del search

    def move(self, view: CourtView) -> Move:
        """The next question, or the document with the end mark."""
        yield from ()
        client: Client = "plaintiff" if view.env == "CD" else "defendant"
        known = learnt(view.record, client, RESPONDENT if client == "defendant" else "")
        left = view.limit - view.turn
        steps = list(_steps(known))
        essential = [step for step in steps if step.essential]
        for step in steps:
            if left > 0 and (step.essential or left > len(essential)):
                return Say(step.question, view.there)
        text = complaint(known, view.day) if client == "plaintiff" else defence(known, view.held)
        # A client who says the mark would end the document in its middle.
        return Say(with_end_mark(text.replace(END_MARK, "")), view.there)


def _steps(known: Dossier) -> Iterator[Step]:
    """All questions that are open, in the order of the document."""
    suing = known.client == "plaintiff"
    yield from _identity(known, suing)
    if suing:
        yield from _list(known, "claims", _CLAIMS)
        yield from _list(known, "facts", _FACTS)
    else:
        yield from _list(known, "defences", _DEFENCES)
    yield from _list(known, "evidence", _EVIDENCE)
    if known.evidence and not known.finished("purpose") and known.asked["purpose"] < 3:
        open_ones = [proof.title for proof in known.evidence if not proof.purpose]
        if open_ones:
            yield Step("这些证据分别能证明什么？" if not known.asked["purpose"] else "其余的证据分别能证明什么？")
    if not known.asked["witness"]:
        yield Step("有没有证人？证人的姓名和住址是什么？")


_CLAIMS = (
    "您希望法院支持哪些诉讼请求？请一项一项说，涉及钱的说清数额。", "还有别的诉讼请求吗？", "诉讼请求里的具体金额和日期，请您再说准确一点。",
    "我还没有听明白：您的诉讼请求是什么？",
)  # fmt: skip
_FACTS = (
    "请把事情的经过从头讲一遍，时间、地点和金额尽量说清楚。", "后来呢？事情的经过还有要补充的吗？", "事情经过里的具体日期和金额，请您再说准确一点。",
    "请您再说说事情的经过，双方是怎么起的纠纷？",
)  # fmt: skip
_DEFENCES = (
    "对原告的起诉，您逐项的答辩意见是什么？哪些同意，哪些不同意，理由是什么？", "还有别的答辩意见吗？", "答辩意见里的具体日期和金额，请您再说准确一点。",
    "请您再说明白一点：您的答辩意见是什么？",
)  # fmt: skip
_EVIDENCE = (
    "您手里有哪些证据，分别是从哪里来的？",
    "还有别的证据吗？",
    "",
    "书证、聊天记录、转账记录、证人证言这一类的证据，您有哪些？",
)


def _identity(known: Dossier, suing: bool) -> Iterator[Step]:
    if not known.asked["own"]:
        yield Step(
            "请问您的姓名、性别、民族、出生日期和住址是什么？如果您代表单位，请说单位的全称、住所地和法定代表人的姓名、职务。",
            True,
        )
        return
    if (
        "出生" not in "".join(known.exact)
        and known.own.get("birth_date", "日")[-1] != "日"
        and "own.birth_date" not in known.exact
    ):
        yield Step("您的出生日期具体是哪一天？")
    if not known.own.get("name") and known.asked["own"] < 2:
        yield Step("请您再说一遍您的姓名或者单位的全称，以及住址。", True)
    if not known.own.get("contact") and known.asked["own"] < 4 and "own.contact" not in known.exact:
        company = bool(known.own.get("representative"))
        if known.asked["own"] < 2 or (known.own.get("birth_date") and known.asked["own"] < 3):
            yield Step("您的联系方式是什么？" if company else "您的职业、工作单位和联系方式是什么？")
    if not known.asked["other"]:
        side = "被告" if suing else "原告"
        yield Step(
            f"对方（{side}）的姓名、性别、民族、出生日期和住址您知道多少？对方如果是单位，请说单位的全称、住所地和法定代表人的姓名、职务。",
            True,
        )
    elif known.other.get("birth_date", "日")[-1] != "日" and "other.birth_date" not in known.exact:
        yield Step("对方的出生日期具体是哪一天？")


def _list(known: Dossier, slot: str, words: Sequence[str]) -> Iterator[Step]:
    """First the question, then what is missing of the list, then exact figures; once more where nothing was said."""
    first, more, exactly, again = words
    told = bool(getattr(known, slot))
    times = known.asked[slot]
    if not times:
        yield Step(first, True)
    elif not told:
        if times < 2:
            yield Step(again, True)
    elif not known.finished(slot):
        if times < MOST:
            yield Step(more)
    elif exactly and known.rough(slot) and slot not in known.exact:
        yield Step(exactly)
