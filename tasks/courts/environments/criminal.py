"""CR: the first hearing of a criminal case with one accused, from the opening of the court to the judgment."""

from __future__ import annotations

from tasks.courts.casefile.case import CriminalCase
from tasks.courts.environment import Environment, Seat
from tasks.courts.environments.grants import BENCH, HEARD_ON, OWN, PERSONA, exhibits, fields_of, objections

_PROCEDURE = ("PFS", "STA", "ACT", "UNI")
_CUSTODY = fields_of("criminal.custody[]", "measure since until place")

CR = Environment(
    "CR", ("刑事一审庭审", "criminal court"), "trial", CriminalCase,
    {
        "judge": Seat(
            "审判长",
            frozenset((
                *fields_of("parties[defendant]", OWN), "criminal.record", *_CUSTODY, *HEARD_ON,
                *fields_of("court", BENCH), "court.third_party_findings",
            )),
            ("一轮只向一方发问", "不得偏袒一方", "不得替控辩双方发言"),
            "tasks.courts.agents.trial.judge:Judge", "court-judge-criminal/1", at=("审判长", "审判员"),
        ),
        "clerk": Seat(
            "书记员",
            frozenset((
                *fields_of("parties[defendant]", "kind name counsel.name counsel.profession"), "cause",
                "dates.proceeding",
                *fields_of("court", BENCH), *fields_of("criminal.prosecution", "name prosecutor title"),
            )),
            rules="tasks.courts.agents.trial.judge:Clerk",
        ),
        "procurator": Seat(
            "公诉人",
            frozenset((
                *fields_of("parties[defendant]", OWN),
                *fields_of("criminal.prosecution", "name prosecutor title indictment_no"),
                "criminal.charges[].name", *fields_of("criminal.charges[].laws[]", "law article sub paragraph item"),
                "criminal.indictment", "criminal.opinion", "criminal.plea.signed",
                *fields_of("criminal.request", "text kind months probation fine"),
                *fields_of("criminal.victims[]", "name loss settled"),
                # The defence hands in what it will offer before the hearing, and both sides see it there
                # (刑诉解释第二百二十一条、第二百二十八条).
                *HEARD_ON, *exhibits("prosecution"), "evidence[defendant].title",
                *objections("defendant", "prosecution"),
            )),
            ("不得代行审判人员的职责", "不得说出判决结果"),
            "tasks.courts.agents.trial.criminal:Procurator", "court-procurator/1", asks=True, marker="对公诉机关说",
            at=("公诉人",),
        ),
        "defendant": Seat(
            "被告人",
            frozenset((
                *fields_of("parties[defendant]", f"{OWN} {PERSONA}"), "facts[defendant].text",
                *fields_of("criminal.plea", "stance facts charge signed text"), "criminal.record", "criminal.served",
                *_CUSTODY, "statements[defendant]", "dates.proceeding", *exhibits("defendant"),
                # His defender goes through the evidence with him before the trial (刑诉法第三十九条第四款).
                "evidence[prosecution].title", *objections("prosecution", "defendant"),
            )),
            ("不得说出判决结果", "不得谈论没有向其出示的证据"),
            "tasks.courts.agents.trial.criminal:Accused", "court-accused/1", marker="对被告当事人说",
            at=("被告人", "被告"),
        ),
        "defence_lawyer": Seat(
            "辩护人",
            frozenset((
                *fields_of("parties[defendant]", OWN), "criminal.defence_opinion", "criminal.plea.stance",
                "criminal.plea.signed",
                "dates.proceeding",
                # The defender has read the file and its list of evidence (刑诉法第四十条).
                *exhibits("defendant"), "evidence[prosecution].title", *objections("prosecution", "counsel"),
            )),
            ("不得陈述材料以外的事实", "不得说出判决结果"),
            "tasks.courts.agents.trial.criminal:DefenceLawyer", "court-defender/1", asks=True,
            marker="对被告辩护人说",
            at=("辩护人",),
        ),
    },
    opening="现在开庭。", turns=35,
    metrics={
        "compat": (*_PROCEDURE, "CRI", "VER", "SEN", "FINE", "REA", "LAW"),
        "strict": (
            *_PROCEDURE, "ORD", "CRI", "VER", "SEN", "FINE", "SEN_d", "FINE_d", "PROB", "LIFE", "REA", "REA_points",
            "LAW", "LAW_P", "LAW_F1", "LAW_FAKE",
            "LAW_OLD", "LAW_UNK",
        ),
    },
    reported=("PFS", "CRI", "VER", "REA", "LAW"),
    gold="tasks.courts.agents.references:GoldJudge",
    # 判决主文 has a fixed form, with the names and sums of the case: who rules as the gold does has judged, not
    # leaked.
    finds=frozenset(("gold.judgment",)),
    both=("procurator", "defence_lawyer"), all_at=("控辩双方",),
)  # fmt: skip
