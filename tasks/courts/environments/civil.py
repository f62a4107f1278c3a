"""CI: the first hearing of a civil dispute, from the opening of the court to the judgment."""

from __future__ import annotations

from tasks.courts.casefile.case import CivilCase
from tasks.courts.environment import Environment, Seat
from tasks.courts.environments.grants import BENCH, CLAIMS, DEFENCES, HEARD_ON, OWN, fields_of, lawyer_of

_PROCEDURE = ("PFS", "STA", "ACT", "UNI")
_NEVER = (
    "不得替法庭作出认定或者判决",
    "法官没有问到不主动发言",
    "一轮只出示一份证据",
    "不得替对方当事人发言",
)
_LAWYER, _CARD = "tasks.courts.agents.trial.civil:CivilLawyer", "court-counsel/1"
_NAMED = "kind name representative counsel.name counsel.profession"

CI = Environment(
    "CI", ("民事一审庭审", "civil court"), "trial", CivilCase,
    {
        "judge": Seat(
            "审判长",
            frozenset((
                *fields_of("parties[plaintiff]", OWN), *fields_of("parties[defendant]", OWN), "cause", *HEARD_ON,
                *fields_of("court", BENCH), "court.third_party_findings",
            )),
            ("一轮只向一方发问", "不得偏袒一方", "不得替当事人发言"),
            "tasks.courts.agents.trial.judge:Judge", "court-judge-civil/1", at=("审判长", "审判员"),
        ),
        "clerk": Seat(
            "书记员",
            frozenset((
                *fields_of("parties[plaintiff]", _NAMED), *fields_of("parties[defendant]", _NAMED), "cause",
                "dates.proceeding", *fields_of("court", BENCH),
            )),
            rules="tasks.courts.agents.trial.judge:Clerk",
        ),
        "plaintiff_lawyer": Seat(
            "原告委托诉讼代理人", frozenset((*lawyer_of("plaintiff", "defendant"), *CLAIMS, "complaint")), _NEVER,
            _LAWYER,
            _CARD, asks=True, marker="对原告说", at=("原告",),
        ),
        "defendant_lawyer": Seat(
            "被告委托诉讼代理人", frozenset((*lawyer_of("defendant", "plaintiff"), *DEFENCES, "answer")), _NEVER,
            _LAWYER,
            _CARD, asks=True, marker="对被告说", at=("被告",),
        ),
    },
    opening="现在开庭。", turns=50,
    metrics={
        "compat": (*_PROCEDURE, "JUD", "REA", "LAW"),
        "strict": (
            *_PROCEDURE, "ORD", "JUD", "JUD_claims", "REA", "REA_points", "LAW", "LAW_P", "LAW_F1",
            "LAW_FAKE",
            "LAW_OLD", "LAW_UNK",
        ),
    },
    reported=("PFS", "JUD", "REA", "LAW"), family="civil",
    gold="tasks.courts.agents.references:GoldJudge",
    # 判决主文 has a fixed form, with the names and sums of the case: who rules as the gold does has judged, not
    # leaked.
    finds=frozenset(("gold.judgment",)),
    both=("plaintiff_lawyer", "defendant_lawyer"), all_at=("双方",),
)  # fmt: skip
