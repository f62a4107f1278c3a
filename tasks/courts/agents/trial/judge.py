"""The judge of a court of first instance by rules: keeps the procedure, asks everybody, takes the evidence, and
decides what was admitted or is undisputed (`judgment`).

Nothing is remembered between turns: where the trial stands is read from the record, so that a person or a model may
have sat on the bench before. The judge holds names, bench and cause alone; claims, charges and exhibits are known
once they were said. 民事诉讼法第一百四十条; 刑事诉讼法第一百九十条; 刑诉法解释第二百三十六条至第二百三十八条.

The agenda is the first step of hearing_civil.toml or hearing_criminal.toml that is open, as far as the turns that are
left allow. A step has its place by procedure and profile, is open as long as its condition holds and it was not
answered, and is put twice at most. Where turns run out, steps that the law only allows are left out first, then those
of practice, then all that is not the core of a trial.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from store.text.ideographs import HAN
from store.text.numerals import int_to_chinese
from tasks.agents.degenerate import stated
from tasks.courts.agents.own_words import quotable
from tasks.courts.agents.trial.judgment import judgment
from tasks.courts.agents.trial.record import (
    IDLE,
    NAME,
    OFFERING,
    VIEWING,
    CourtCase,
    TakenExhibit,
    filled,
    hearing,
    numbered,
)
from tasks.courts.casefile.material import presiding_title
from tasks.courts.casefile.people import divorce
from tasks.courts.play.record import RETIRE, NextDuty, shown
from tasks.courts.play.view import CourtRules, CourtView
from tasks.courts.procedure.acts import answer_for_other, closes, parse
from tasks.courts.procedure.hearing import mediable
from tasks.courts.procedure.model import SIDES, Duty, ProfileName, profile, speaker_of
from tasks.episode.seats import Say

MOST_ISSUES = 8
_LATE = frozenset(
    ("claim", "answer", "debate", "recusal_defence", "indictment", "plea", "fast", "statement", "opinion")
)
"""Steps before which names and rights are announced if nobody has announced them."""
_AFTER_CHALLENGE = frozenset(("claim", "notice", "consent", "indictment"))
_TAKEN_UP = frozenset(("claim", "answer", "exhibit_plaintiff", "exhibit_defendant", "question"))
_APPLIES = re.compile(r"(?<!不)(?:申请|要求)(?:.{0,12})回避")
_NOT = re.compile(r"不(?:申请|要求)|没有")
_OFFICE = re.compile(
    rf"(?:公诉人)?(?:系)?(?P<office>[{HAN}]{{2,24}}?人民检察院)(?P<title>检察员|检察官|副检察长"
    rf"|检察长)(?P<name>[{HAN}·]{{1,6}}?)(?=[，。；,、]|已到庭|$)"
)
ANNOUNCED = frozenset(("cause", "public", "panel", "procedure", "rights", "small_notice"))
"""Acts that are said to all in one turn."""
_IDLE_ACTS = frozenset(("rights", "cause", "admission", "law", "question"))
"""Acts that words of the parties may seem to do without harm when they are quoted."""


class Judge(CourtRules):
    """审判长, or the one who sits alone; civil and criminal."""

    def _speak(self, view: CourtView) -> Say:
        case = CourtCase(view)
        if any("判决如下" in text for text in case.said):
            return Say(_ending(case))
        due = following(case)
        return Say(_last(case)) if due is None else _BenchTurn(case, due).say()


def words_for(view: CourtView, owed: NextDuty) -> str:
    """What a judge says to do what comes next, in the words of the tables, or the names of acts where they have none;
    never what he said last."""
    case = CourtCase(view)
    words = _words_for(case, owed.duty, owed.exhibits) if owed.duty else "、".join(owed.parts)
    words = words or _ending(case).replace("\n", "")
    if not case.said or shown(words) != shown(case.said[-1]):
        return words
    who = called((owed.duty.side,)) if owed.duty and owed.duty.side else ""
    return filled(hearing(case.env)["other"]["again"], {"who": who}) + words


def _words_for(case: CourtCase, duty: Duty, exhibits: Sequence[str]) -> str:
    table, act, side = hearing(case.env), duty.spec.id, duty.side or ""
    if act in ANNOUNCED:
        return _announcements(case, table) or duty.spec.name
    if act == VIEWING:
        titles = "证据" + "、".join(f"“{quotable(title, 60)}”" for title in exhibits)
        return filled(table["views"][side], {"names": titles, "which": titles})
    for procedure in (case.procedure[:2], ""):
        step = next((one for one in steps(case.env, procedure, case.view.profile) if one.asks(act, side)), None)
        if step:
            begun = step.exhibits and case.evidence.of(side)
            grouped = step.exhibits and "group" in step.words and case.procedure.startswith("简易")
            return _BenchTurn(
                case, NextUtterance(step, (side,), "next" if begun else "group" if grouped else "say")
            ).text()
    return filled(table["other"]["retire"], {"unsettled": ""}) if act == RETIRE else duty.spec.name


class _BenchTurn:
    """One turn of the bench that asks something."""

    def __init__(self, case: CourtCase, due: NextUtterance) -> None:
        self.case, self.due, self.step, self.view = case, due, due.step, case.view
        self.table = hearing(case.env)

    def say(self) -> Say:
        """What is said, to whom, and which stage it opens; nothing is said twice in a row."""
        tag, text = self._tag(), self.text()
        if self.case.said and shown(text) == shown(self.case.said[-1]):
            text = self._other("again") + text
        text = f"<{tag}>\n{text}" if tag and self.view.profile == "j1" else text
        roles = tuple(speaker_of(self.case.env, side) for side in self.due.to)
        return Say(text, roles, stage=tag if self.case.env == "CI" else "")

    def text(self) -> str:
        """What is said."""
        return self._preface() + self._words()

    def _other(self, key: str, **values: str) -> str:
        return filled(self.table["other"].get(key, ""), {"who": called(self.due.to), **values})

    def _words(self) -> str:
        """The words of the step in its form; under a profile or procedure they may be others."""
        words = self.step.words
        names = named_exhibits(self.due)
        values = {
            "who": called(self.due.to), "name": self.case.names.get("accused", ""), "issues": self._issues(),
            "findings": quotable(self.case.findings, 2000), **names,
        }  # fmt: skip
        if self.due.form.startswith("views."):
            side = self.due.form.removeprefix("views.")
            form = self.table["views"].get(side) or self.table["views"][side.removesuffix("_again")]
            text = filled(form, values)
            return text if self._harmless(text, {"cross"}) else filled(form, {**values, "names": names["plain"]})
        short = {"简易": "brief", "速裁": "fast"}.get(self.case.procedure[:2], "")
        forms = [f"{self.due.form}_{self.view.profile}", self.due.form]
        if self.due.form not in words or self.due.form == "say":
            forms = [f"say_{self.view.profile}", short, "say"]
        return filled(next(words[form] for form in forms if form in words), values)

    def _harmless(self, text: str, asks: set[str]) -> bool:
        """Whether words of the parties in a text ask for nothing else, and do not end the trial."""
        acts = {act.act for act in parse(text, self.case.env)} - _IDLE_ACTS
        return not (acts - asks or closes(text) or answer_for_other(text))

    def _issues(self) -> str:
        """The 争议焦点: the claims that are not admitted, told once (民诉法解释第二百二十六条)."""
        if self.step.id != "issues" or self.case.asked("plaintiff", "issues"):
            return ""
        open_claims = [
            f"原告关于{quotable(one.brief, 90)}的请求应否支持" for one in self.case.claims if not one.admitted
        ]
        told = [one for one in open_claims if self._harmless(one, set())][:MOST_ISSUES]
        listed = "；".join(f"{int_to_chinese(place)}、{one}" for place, one in enumerate(told, 1))
        said = self._other("issues", listed=listed or "原告的诉讼请求有无事实和法律依据")
        plain = self._other("issues", listed="原告的诉讼请求能否成立")
        return said if self._harmless(said, {"issues", "debate"}) else plain

    # --- what comes before the question -----------------------------------------------------------------------------

    def _preface(self) -> str:
        """What is said before a question: waivers, a stage taken up again or opened, a challenge refused, names and
        rights."""
        case, said = self.case, ""
        for owner, hearers in case.hearers.items():
            if silent := [f"证据{int_to_chinese(one.offer.number)}" for one in case.evidence.of(owner) if one.silent]:
                said += self._other("waived", who=NAME[hearers[0]], other=NAME[owner], names="、".join(silent))
        if case.reached >= 2 and self.step.id in _TAKEN_UP:
            said += self._other("resume")
        if self.step.id in _AFTER_CHALLENGE and self._challenged():
            said += self._other("refused")
        if not any(case.asked(side, *self.step.kinds) for side in case.parties):
            said += self.step.words.get(f"first_{self.view.profile}", self.step.words.get("first", ""))
        if self.step.announces or self.step.id in _LATE:
            said += _announcements(case, self.table)
        return said

    def _challenged(self) -> bool:
        """Whether somebody asked for a judge to step down and has had no answer yet; who only asks whether others do
        has not."""
        if any("当庭驳回" in text for text in self.case.said):
            return False
        told = [stated(self.case.answers(side, "recusal")) for side in NAME]
        return any(_APPLIES.search(one) and not _NOT.search(one) for one in told)

    def _tag(self) -> str:
        """The stage that a turn opens, as the profile calls it; '' where it goes on."""
        stages = profile(self.view.profile, self.case.env).stages
        name = next((one.name for one in stages if one.id == self.step.stage), self.step.stage)
        told = any(f"<{name}>" in turn.text or turn.stage == name for turn in self.view.own)
        return "" if told else name


# --- announcements --------------------------------------------------------------------------------------------------


def _announcements(case: CourtCase, table: Mapping[str, Any]) -> str:
    """What has not been announced yet, each thing in a sentence; '' when all has."""
    done, words, other = case.announced, table["announce"], table["other"]
    court = case.court
    said = []
    civil = case.env == "CI"
    office, prosecutor = ("", "") if civil else _prosecution(case)
    if not {"public", "cause"} <= done:
        reason = quotable(court.get("closed_reason", ""), 60)
        form = "public" if court.get("public", True) else "closed" if reason else "closed_bare"
        charges = "、".join(name.removesuffix("罪") for name in case.charges) or "被指控犯罪"
        values = {
            "court": court.get("name") or "本院", "reason": reason, "cause": case.cause, "charge": charges,
            "parties": "诉".join(f"{NAME[side]}{case.names.get(side, '')}" for side in ("plaintiff", "defendant")),
            "office": office or "人民检察院", "name": case.names.get("accused", ""),
        }  # fmt: skip
        said.append(filled(words[form], values))
        if case.charges and not civil:
            said.append(filled(words["charge"], {"charges": "、".join(case.charges)}))
    if "procedure" not in done:
        said.append(filled(words["procedure"], {"procedure": case.procedure}))
    if "panel" not in done:
        said.append(_sitting(case, words))
        counsel = case.parties.get("accused", {}).get("counsel", {})
        if prosecutor:
            said.append(filled(words["prosecutor"], {"who": prosecutor}))
        if counsel.get("name"):
            said.append(filled(words["counsel"], {"firm": counsel.get("firm", ""), "counsel": counsel["name"]}))
    if "rights" not in done:
        small = case.procedure == "小额诉讼程序"
        rights = words.get("rights") or filled(other["rights"], {"appeal": "" if small else "提起上诉，"})
        said.append(rights + (other["small"] if small else ""))
    return "".join(said)


def _sitting(case: CourtCase, words: Mapping[str, str]) -> str:
    """Who sits: a panel by name, a panel, or a judge alone; and who takes the record."""
    members = "、".join(f"{one.get('title', '审判员')}{one.get('name', '')}" for one in case.court.get("panel", ()))
    form = "presides" if members else "panel" if case.collegial else "sole"
    judge = case.court.get("presiding", {}).get("name", "")
    clerk = filled(words["clerk"], {"clerk": case.court.get("clerk", "")})
    return filled(words[form], {"judge": judge, "members": members, "clerk": clerk})


def _prosecution(case: CourtCase) -> tuple[str, str]:
    """The prosecuting office, and office with prosecutor, as said in court; '' where nobody said."""
    for turn in case.record:
        if turn.speaker in ("clerk", "procurator") and (match := _OFFICE.search(turn.text)):
            return match["office"], f"{match['office']}指派{match['title']}{match['name']}"
    return "", ""


# --- the end --------------------------------------------------------------------------------------------------------


def _last(case: CourtCase) -> str:
    other = hearing(case.env)["other"]
    tried = any(case.asked(side, "mediate") for side in ("plaintiff", "defendant"))
    unsettled = other.get("no_agreement", "") if tried else ""
    if case.collegial and case.view.limit > case.view.turn and "deliberate" not in case.announced:
        return filled(other["retire"], {"unsettled": unsettled})
    lead = filled(other["back" if case.collegial else "sole"], {"unsettled": unsettled})
    return f"{lead}\n{judgment(case)}\n{_ending(case)}"


def _ending(case: CourtCase) -> str:
    other = hearing(case.env)["other"]
    return str(other["close"]) + (f"\n{other['end']}" if case.view.profile == "j1" else "")


# --- the clerk ------------------------------------------------------------------------------------------------------

_ORDER = (
    "现在宣布法庭规则：全体人员应当服从法庭指挥，遵守法庭礼仪；未经许可不得录音、录像、摄影或者传播庭审活动；"
    "不得鼓掌、喧哗，不得随意走动；发言应当经{title}许可；请将通讯工具关闭或者调至静音。"
)


class Clerk(CourtRules):
    """书记员: before the hearing finds who is present, reads the order of the court, reports that all is ready
    (民事诉讼法第一百四十条第一款; 刑诉法解释第二百三十四条). What the clerk does is not credited to the judge."""

    def _speak(self, view: CourtView) -> Say:
        held = view.held
        present = _criminal_attendance(held) if view.env == "CR" else _civil_attendance(held)
        title = presiding_title(held.get("court", {}))
        return Say(
            f"现在查明到庭情况。{present}{_ORDER.format(title=title)}报告{title}，庭前准备工作就绪，可以开庭。"
        )


def _civil_attendance(held: Mapping[str, Any]) -> str:
    parts = []
    for party in held.get("parties", ()):
        side = "原告" if party["side"] == "plaintiff" else "被告"
        counsel, name = party.get("counsel"), party.get("name", "")
        link = "及其" if divorce(str(held.get("cause", ""))) else "的"
        who = f"{side}{name}{link}委托诉讼代理人{counsel.get('name', '')}" if counsel else f"{side}{name}"
        parts.append(f"{who}已到庭")
    return "，".join(parts) + "。"


def _criminal_attendance(held: Mapping[str, Any]) -> str:
    prosecution = held.get("criminal", {}).get("prosecution", {})
    who = f"公诉人{prosecution.get('name', '')}{prosecution.get('title', '')}{prosecution.get('prosecutor', '')}"
    accused = [party for party in held.get("parties", ()) if party["side"] == "defendant"]
    counsel = [f"辩护人{party['counsel'].get('name', '')}" for party in accused if party.get("counsel")]
    waiting = [f"被告人{party.get('name', '')}在庭外候审" for party in accused]
    present = "，".join(["、".join([who, *counsel]) + "已到庭", *waiting]) + "。"
    names = "、".join(party.get("name", "") for party in accused)
    cause = f"本案系被告人{names}涉嫌{held['cause']}一案。" if held.get("cause") else ""
    return present + cause


# --- the agenda -----------------------------------------------------------------------------------------------------

_LAST = {"may": 0, "practice": 1, "must": 2}
"""In the order in which steps are left out; an essential one never is."""
_PROPERTY = re.compile(r"扣押|查封|冻结|追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_FIELDS = ("id", "to", "kinds", "need", "procedure", "profile", "when", "once", "announces", "stage")


@dataclass(frozen=True, slots=True)
class HearingStep:
    """One question of the hearing. to: the side that it is put to, each or both; kinds: acts by which it is known;
    words: form -> words of it; need: how badly it is needed; procedure, profile: where it has a place, everywhere
    without; when: name of a condition; once: put once; announces: what was not announced is announced before it;
    stage: that it opens."""

    id: str
    to: str
    kinds: tuple[str, ...]
    words: Mapping[str, str]
    need: str
    procedure: str = ""
    profile: str = ""
    when: str = ""
    once: bool = False
    announces: bool = False
    stage: str = ""

    @property
    def exhibits(self) -> bool:
        """Whether it calls for evidence."""
        return bool(set(OFFERING) & set(self.kinds))

    def asks(self, act: str, side: str) -> bool:
        """Whether it puts an act to a side."""
        return act in self.kinds and self.to in (side, "each", "both")


@dataclass(frozen=True, slots=True)
class NextUtterance:
    """What is said next: a step, to whom, in which form of its words, on which exhibits."""

    step: HearingStep
    to: tuple[str, ...]
    form: str = "say"
    about: tuple[TakenExhibit, ...] = ()


@cache
def steps(env: Literal["CI", "CR"], procedure: str, profile: ProfileName) -> tuple[HearingStep, ...]:
    """The steps that have a place in a hearing, in their order; procedure: 普通, 简易 or 速裁, '' for all."""
    made = (
        HearingStep(
            **{key: value for key, value in entry.items() if key in _FIELDS and key != "kinds"},
            kinds=tuple(entry.get("kinds", [entry["id"]])),
            words={key: text for key, text in entry.items() if key not in _FIELDS},
        )
        for entry in hearing(env)["steps"]
    )
    return tuple(
        step for step in made if (not step.procedure or procedure in step.procedure) and step.profile in ("", profile)
    )


def following(case: CourtCase) -> NextUtterance | None:
    """The next turn; None, so the judgment, where nothing is left, or no turn for it."""
    left = case.view.limit - case.view.turn + 1 - (1 + case.collegial)
    dues = [due for step in steps(case.env, case.procedure[:2], case.view.profile) for due in _open(case, step)]
    kept = _spared(case, dues, left)
    kept = kept[-left:] if left > 0 else []
    for due in kept:
        if not due.step.exhibits:
            return due
        after = sum(one is not due and not one.step.exhibits for one in kept)
        if (offered := _evidence(case, due.step, left - after)) is not None:
            return offered
    return None


def _spared(case: CourtCase, dues: list[NextUtterance], left: int) -> list[NextUtterance]:
    """The turns without those for which there is no room: the least needed first, the dearest and latest of these."""
    kept = list(dues)
    ranked = [(_LAST[due.step.need], _cost(case, due.step), due) for due in reversed(kept) if due.step.need in _LAST]
    for _, _, due in sorted(ranked, key=lambda one: (one[0], -one[1])):
        if sum(_cost(case, one.step) for one in kept) <= left:
            break
        kept.remove(due)
    return kept


def _open(case: CourtCase, step: HearingStep) -> list[NextUtterance]:
    if step.exhibits:
        return [NextUtterance(step, (step.to,))] if _cost(case, step) else []
    sides = SIDES["CI"] if step.to in ("each", "both") else (step.to,)
    owing = [side for side in sides if _WHEN[step.when](case, side) and not _done(case, step, side)]
    together = step.to == "both" and case.view.profile == "law"
    groups = [tuple(owing)] if together and owing else [(side,) for side in owing]
    return [NextUtterance(step, group, "again" if case.asked(group[0], *step.kinds) else "say") for group in groups]


def _done(case: CourtCase, step: HearingStep, side: str) -> bool:
    """Whether nothing more is to be asked: answered, or asked as often as it makes sense."""
    most = 1 if step.once else IDLE
    if not step.kinds:
        return sum(_fixed(step.words["say"]) in text for text in case.said) >= most
    return any(case.answered(side, kind) for kind in step.kinds) or case.asked(side, *step.kinds) >= most


@cache
def _fixed(words: str) -> str:
    """The longest run of a question's words that is always said."""
    return max(re.split(r"\{[a-z_]+\}", words), key=len)


# --- exhibits -------------------------------------------------------------------------------------------------------


def _owes(case: CourtCase, owner: str) -> bool:
    taken = case.evidence
    if owner in taken.closed or taken.idle[owner] >= IDLE:
        return False
    return case.reached < 2 or not taken.shown


def _cost(case: CourtCase, step: HearingStep) -> int:
    if not step.exhibits:
        return 1
    hearers = case.hearers[step.to]
    waiting = sum(bool(case.evidence.waiting(side)) for side in hearers)
    first = step.to == next(iter(case.hearers))
    return waiting + _owes(case, step.to) * (1 + len(hearers) - waiting if first else 1)


def _evidence(case: CourtCase, step: HearingStep, room: int) -> NextUtterance | None:
    """The next turn of the taking of evidence of a side; None where it is done."""
    for side in case.hearers[step.to]:
        if waiting := case.evidence.waiting(side):
            again = "_again" if any(exhibit.tried[side] for exhibit in waiting) else ""
            return NextUtterance(step, (side,), f"views.{side}{again}", tuple(waiting))
    if not _owes(case, step.to):
        return None
    if case.evidence.idle[step.to]:
        return NextUtterance(step, (step.to,), "again")
    begun, grouped = bool(case.evidence.of(step.to)), "group" in step.words
    form = "next" if begun else "group" if grouped and case.procedure.startswith("简易") else "say"
    if grouped and (room < 12 or case.view.profile == "j1"):
        form = "rest" if begun else "group"
    elif not grouped and room <= 3 and begun:
        form = "rest"
    return NextUtterance(step, (step.to,), form)


def named_exhibits(due: NextUtterance) -> dict[str, str]:
    """names: 证据一借条一张、证据二…; which: 证据三, 全部证据 where there are several."""
    offers = [one.offer for one in due.about]
    plain = [f"证据{int_to_chinese(one.number)}" for one in offers]
    return {
        "names": "、".join(numbered(one.number, quotable(one.title, 60)) for one in offers),
        "plain": "、".join(plain),
        "which": "全部证据" if len(offers) > 1 else "".join(plain),
    }


# --- conditions -----------------------------------------------------------------------------------------------------


_WHEN: Mapping[str, Callable[[CourtCase, str], bool]] = {
    "": lambda case, side: True,
    "opening": lambda case, side: case.reached < 2,
    "investigation": lambda case, side: case.reached < 2,
    "findings": lambda case, side: bool(case.findings) and case.reached < 2,
    "issues": lambda case, side: case.view.profile == "law" or case.asked(side, "issues") > 0,
    "mediable": lambda case, side: mediable(case.cause),
    "uncalled": lambda case, side: not case.charges,
    "admits": lambda case, side: case.admits,
    "examines": lambda case, side: case.view.profile == "j1" or not case.procedure.startswith("速裁"),
    "property": lambda case, side: (
        case.procedure.startswith("普通")
        or bool(_PROPERTY.search(case.all_of("procurator") + "".join(x.offer.title for x in case.evidence.shown)))
    ),
    "property_told": lambda case, side: bool(case.answers("procurator", "property")),
}
"""Name of a condition in the tables -> whether it holds, for a side."""


# --- words ----------------------------------------------------------------------------------------------------------


def called(sides: tuple[str, ...]) -> str:
    """原告、被告."""
    return "、".join(NAME[side] for side in sides)
