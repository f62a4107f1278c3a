"""Questions to the accused: what prosecution and defence ask him, each topic once.

刑事诉讼法第一百九十一条; 刑诉法解释第二百四十二条, 第二百六十二条 (no leading questions). What somebody has asked before is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Sequence

from tasks.courts.agents.criminal.asking import DENIES, NO_OBJECTION, Floor, filled, speech
from tasks.courts.agents.own_words import parts_of
from tasks.courts.procedure.turns import Turn

MOST = 3
"""Questions in one utterance."""
_MONEY = re.compile(r"\d元|万元|钱款|货款|财物|手机")
_CALLED_FOR = (
    ("part", r"从犯|次要作用"),
    ("arrest", r"自首|自动投案|到案|报警|坦白"),
    ("victims", r"赔偿|退赔|退缴|谅解|收条|收据"),
)
"""Topic of the defence -> words of its papers that call for it."""


def topic_asked(record: Sequence[Turn], topic: str) -> bool:
    """Whether anybody has asked the accused about a topic of the table before."""
    cue = re.compile(speech()["topics"][topic])
    return any("defendant" in turn.to and turn.speaker != "defendant" and cue.search(turn.text) for turn in record)


def by_prosecution(floor: Floor) -> list[str]:
    """Questions of the prosecutor: what he denies or what happened, how he came before the police, then money or
    loss."""
    asked = speech()["say"]["procurator"]["questions"]
    heard = " ".join(turn.text for turn in floor.view.record if turn.speaker == "defendant")
    first = "deny" if DENIES.search(NO_OBJECTION.sub("", heard)) else "story"
    last = (
        "victims"
        if floor.matter.get("victims")
        else "money"
        if _MONEY.search(str(floor.matter.get("indictment", "")))
        else "why"
    )
    fresh = [
        topic for topic in (first, "arrest", last) if topic == "deny" or not topic_asked(floor.view.record, topic)
    ]
    return [asked[topic] for topic in fresh or ["why"]][:MOST]


def by_defence(floor: Floor, *, denies: bool) -> list[str]:
    """Questions of the defence lawyer: what bears out his account, his part, his conduct since; his attitude where
    nothing else."""
    asked, record = speech()["say"]["defence_lawyer"]["questions"], floor.view.record
    told = str(floor.matter.get("defence_opinion", "")) + " ".join(item["title"] for item in floor.own_exhibits)
    heard = parts_of(turn.text for turn in record if turn.speaker == "defendant")
    account = next((part for part in heard if DENIES.search(NO_OBJECTION.sub("", part))), "")
    chosen = [filled(asked["deny"], {"account": account})] if denies and account else []
    chosen += [asked[topic] for topic, cue in _CALLED_FOR if re.search(cue, told) and not topic_asked(record, topic)]
    return (chosen or ([] if denies else [asked["attitude"]]))[: MOST - 1]
