"""Questions to the accused: what prosecution and defence ask him, each once, each about something that is contested or open.

刑事诉讼法第一百九十一条; 刑诉法解释第二百四十二条, 第二百六十二条 (no leading questions). Who asks holds its own papers and has heard
what the accused said so far; what somebody has asked before is not asked again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence

from tasks.courts.agents.criminal.asking import DENIES, NO_OBJECTION, Floor, speech
from tasks.courts.agents.criminal.facts import days, sums
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams, recall

MOST = 3
"""Questions in one utterance."""
NEAR = 0.3
"""Share of the character pairs of what is denied that a clause of the indictment holds, where it alleges that."""
_DENIED = re.compile(r"(?:不承认|否认)(?P<what>[^，。；\n]{2,24})")
_LEGAL = re.compile(r"构成|罪名|犯罪|罪$|数额")
_ACCOUNT = re.compile(r"不是|没有?[卖打骗偷拿叫动说做]|借的|还我|欠我|赔我|愿意|自己")
_MONEY = re.compile(r"\d元|万元|钱款|货款|财物|手机")
_CAME = re.compile(r"抓获|查获|到案|归案|传唤|投案|自首|报警")


def topic_asked(record: Sequence[Turn], topic: str) -> bool:
    """Whether anybody has asked the accused about a topic of the table before."""
    cue = re.compile(speech()["topics"][topic])
    return any("defendant" in turn.to and turn.speaker != "defendant" and cue.search(turn.text) for turn in record)


def denied(record: Sequence[Turn]) -> list[str]:
    """What the accused has said that he does not admit, without what is law."""
    told = " ".join(turn.text for turn in record if turn.speaker == "defendant")
    found = (match["what"].strip() for match in _DENIED.finditer(NO_OBJECTION.sub("", told)))
    return list(dict.fromkeys(what for what in found if not _LEGAL.search(what)))


def alleged(indictment: str, what: str, name: str) -> str:
    """The clause of an indictment that alleges what is denied, without the name of the accused; '' where none is near."""
    clauses = [part.strip() for part in re.split(r"[，。；：\n]", indictment) if 5 < len(part.strip()) < 50]
    wanted, named, dated = bigrams(what), set(sums(what)), set(days(what))

    def near(clause: str) -> float:
        shared = bool(named & set(sums(clause))) + bool(dated & set(days(clause)))
        pairs = bigrams(re.sub(r"“[^”]*”", "，", clause))
        return max(recall(wanted, pairs), recall(pairs, wanted)) + shared

    best = max(clauses, key=near, default="")
    if not best or near(best) < NEAR:
        return ""
    return re.sub(rf"^(?:并|后|随后|遂)?(?:被告人)?(?:{re.escape(name) or '$^'})?", "", best).replace("“", "‘").replace("”", "’")


def by_prosecution(floor: Floor) -> list[str]:
    """Questions of the prosecutor: contested allegations first, then how he came before the police, then money or loss."""
    asked, record = speech()["say"]["procurator"]["questions"], floor.view.record
    indictment = str(floor.matter.get("indictment", ""))
    heard = " ".join(turn.text for turn in record if turn.speaker == "defendant")
    if DENIES.search(NO_OBJECTION.sub("", heard)):
        chosen = list(_contested(floor, indictment)) or [asked["deny"]]
    else:
        chosen = [asked["know"]] if "明知" in indictment else _open(floor, asked, "story")
    if _CAME.search(indictment) or not record:
        chosen += _open(floor, asked, "arrest")
    chosen += _open(floor, asked, "victims" if floor.matter.get("victims") else "money" if _MONEY.search(indictment) else "why")
    return (chosen if len(chosen) > 1 else [*chosen, *_open(floor, asked, "why")])[:MOST]


def _contested(floor: Floor, indictment: str) -> Iterator[str]:
    asked = speech()["say"]["procurator"]["questions"]
    quoted: set[str] = set()
    for what in denied(floor.view.record)[:2]:
        clause = alleged(indictment, what, floor.name)
        key = "alleged" if clause and clause not in quoted else "denied"
        quoted.add(clause)
        yield asked[key].replace("{what}", what).replace("{clause}", clause)


def by_defence(floor: Floor, *, denies: bool) -> list[str]:
    """Questions of the defence lawyer: what bears out his account, his part, and what nobody has asked of his conduct since."""
    asked, record = speech()["say"]["defence_lawyer"]["questions"], floor.view.record
    opinion = str(floor.matter.get("defence_opinion", ""))
    told = opinion + " ".join(item["title"] for item in floor.own_exhibits)
    chosen: list[str] = []
    if denies and not topic_asked(record, "proof"):
        account = _account(record)
        chosen.append(asked["proof"].replace("{account}", account) if account else asked["deny"])
    for topic, cue in (("part", r"从犯|次要作用"), ("arrest", r"自首|自动投案|到案|报警|坦白"), ("victims", r"赔偿|退赔|退缴|谅解|收条|收据")):
        if re.search(cue, told):
            chosen += _open(floor, asked, topic)
    if not chosen and not denies:
        chosen = _open(floor, asked, "attitude")
    return chosen[: MOST - 1]


def _account(record: Sequence[Turn]) -> str:
    """The first thing that the accused has said in his own defence, short."""
    for turn in record:
        if turn.speaker == "defendant":
            for part in re.split(r"[。；！？\n]", NO_OBJECTION.sub("", turn.text)):
                if _ACCOUNT.search(part) and not re.search(r"不承认|否认|不认$|具结|申请", part) and 4 < len(part) < 40:
                    return re.sub(r"^(?:呃|但是?|可是?|，|\s)+", "", part)
    return ""


def _open(floor: Floor, asked: dict[str, str], topic: str) -> list[str]:
    return [] if topic_asked(floor.view.record, topic) else [asked[topic]]
