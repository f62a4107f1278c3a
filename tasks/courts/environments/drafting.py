"""CD and DD: a party of a civil dispute tells its lawyer of it, who writes the complaint, or the defence."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.courts.casefile.case import CivilCase
from tasks.courts.environment import Environment, Seat
from tasks.courts.environments.grants import CLAIMS, DEFENCES, client_of
from tasks.courts.scores.documents import PARTS
from tasks.courts.scores.drafted import Kind
from tasks.scoring.metrics import Rule

_NEVER = (
    "不得编造材料以外的事实", "不得整段照念材料，只答所问", "不得指导文书怎样写",
    "问到自己的而材料没有的，说不方便透露；问到对方的而材料没有的，说不清楚",
)  # fmt: skip
_LAWYER_NEVER = ("一轮只问一个问题", "文书写好后才结束询问")
_CLIENT, _LAWYER = "tasks.courts.agents.clients:InformingClient", "tasks.courts.agents.clients:Interviewer"
_GOLD = "tasks.courts.agents.references:GoldDrafter"
_REPORTED = ("FOR", "DOC")


def _metrics(kind: Kind) -> Mapping[Rule, tuple[str, ...]]:
    parts = tuple(part.name for part in PARTS[kind])
    proxies = ("DOC_proxy", *(f"{part.name}_proxy" for part in PARTS[kind] if part.slots))
    compat = ("FOR", "Label", "Seq", "DOC", *parts)
    return {"compat": compat, "strict": (*compat, *proxies)}


CD = Environment(
    "CD", ("起诉状撰写", "complaint drafting"), "draft", CivilCase,
    {
        "plaintiff_lawyer": Seat("原告律师", frozenset(("dates.filed",)), _LAWYER_NEVER, _LAWYER, "court-drafter/1"),
        "plaintiff": Seat(
            "原告", frozenset((*client_of("plaintiff", "defendant"), *CLAIMS, "complaint")), _NEVER, _CLIENT,
            "court-party/1"
        ),
    },
    opening="律师您好，我想起诉，麻烦您帮我写一份民事起诉状。", turns=20, metrics=_metrics("CD"), reported=_REPORTED,
    family="civil", gold=_GOLD, retold=("原告", "被告"),
)  # fmt: skip
DD = Environment(
    "DD", ("答辩状撰写", "defence drafting"), "draft", CivilCase,
    {
        "defendant_lawyer": Seat(
            "被告律师", frozenset(("cause", "court.name", "court.docket", "dates.filed", "complaint", *CLAIMS)),
            _LAWYER_NEVER, _LAWYER,
            "court-drafter/1",
        ),
        "defendant": Seat(
            "被告", frozenset((*client_of("defendant", "plaintiff"), *DEFENCES, "answer")), _NEVER, _CLIENT,
            "court-party/1"
        ),
    },
    opening="律师您好，我被人起诉了，麻烦您帮我写一份民事答辩状。", turns=15, metrics=_metrics("DD"),
    reported=_REPORTED,
    family="civil", gold=_GOLD, retold=("被告", "原告"),
)  # fmt: skip
