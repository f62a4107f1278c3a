"""The judge of a criminal court by rules: keeps the procedure of 刑事诉讼法, hears everybody, weighs, gives judgment
with reasons.

Holds what its view grants and the record, nothing else: charge, plea and evidence are what was said in court. It
knows no case; the hearing is data (hearing.toml), what is disputed is for an expert to decide. Before it hears the
case it announces cause, publicity, bench, procedure, those who appear, rights: 刑事诉讼法第一百九十条;
刑诉法解释第二百三十六条至第二百三十八条.
"""

from __future__ import annotations

import re

from store.search.law_search import LawSearch
from tasks.courts.agents.criminal.agenda import following, which
from tasks.courts.agents.criminal.case import Case, charged, hearing
from tasks.courts.agents.criminal.judgment import Decide, judgment, undisputed
from tasks.courts.agents.trial.agenda import Due, Step, filled, opening, sitting
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say

_LATE = ("recusal_defence", "indictment", "plea", "fast", "statement", "opinion")
"""Steps before which names and rights are announced if nobody has announced them."""
_APPLIES = re.compile(r"(?<!不)申请(?:.{0,12})回避|要求(?:.{0,12})回避")
_NOT = re.compile(r"不(?:申请|要求)|没有")
_OFFICE = re.compile(
    r"(?:公诉人)?(?:系)?(?P<office>[\u4e00-\u9fff]{2,24}?人民检察院)(?P<title>检察员|检察官|副检察长"
    r"|检察长)(?P<name>[\u4e00-\u9fff·]{1,6}?)(?=[，。；,、]|已到庭|$)"
)


class CriminalJudge:
    """审判长, or 独任审判员."""

    def __init__(self, search: LawSearch | None = None, decide: Decide = undisputed) -> None:
        del search
        self._decide = decide

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        case = Case(view)
        due = following(case)
        if due is None:
            return Say(_last(case, self._decide))
        text, tag = _preface(case, due.step) + _words(case, due), f"<{due.step.stage}>"
        if view.profile == "j1" and due.step.stage and not any(tag in said for said in case.court):
            text = tag + text
        last = case.court[-1].strip() if case.court else ""
        # Nothing is said twice in a row: who hears the same twice has not been heard.
        return Say(f"法庭再次询问。{text}" if text.strip() == last else text, due.to)


def _words(case: Case, due: Due) -> str:
    """The words of a step in its form; indictment and last word have one for each procedure."""
    words, values = due.step.words, {"name": case.name, "findings": case.findings, "which": which(due)}
    if due.form != "say":
        return filled(words.get(due.form, hearing()["other"].get(due.form, words["say"])), values)
    forms = (case.view.profile, {"简易": "brief", "速裁": "fast"}.get(case.procedure, ""), "say")
    return filled(next(words[form] for form in forms if form in words), values)


def _preface(case: Case, step: Step) -> str:
    """What is announced before a question: names and rights, and what becomes of a challenge that was made."""
    said = _announcements(case) if step.announces or step.id in _LATE else ""
    if step.id in ("notice", "consent", "indictment") and _challenged(case):
        said = hearing()["other"]["refused"] + said
    return said


def _challenged(case: Case) -> bool:
    """Whether somebody asked for a judge to step down and has had no answer yet."""
    if any("当庭驳回" in text for text in case.court):
        return False
    told = [case.answers(role, "recusal") for role in ("defendant", "defence_lawyer")]
    return any(_APPLIES.search(one) and not _NOT.search(one) for one in told)


def _last(case: Case, decide: Decide) -> str:
    """Retirement of a panel, then the judgment."""
    other, several = hearing()["other"], case.collegial
    if several and case.view.limit > case.view.turn and "deliberate" not in case.announced:
        return str(other["retire"])
    closing = other["close"] + (other["end"] if case.view.profile == "j1" else "")
    return f"{other['back' if several else 'sole']}\n{judgment(case, decide)}\n{closing}"


# --- announcements --------------------------------------------------------------------------------------------------


def _announcements(case: Case) -> str:
    """What has not been announced yet, each thing in a sentence; '' when all has."""
    done, words = case.announced, hearing()["announce"]
    office, who = _prosecution(case)
    parts = []
    if "public" not in done or "cause" not in done:
        charges = charged(case)
        charge = "、".join(name.removesuffix("罪") for name in charges) or "被指控犯罪"
        parts.append(opening(case, words, office=office or "人民检察院", name=case.name, charge=charge))
        parts.append(filled(words["charge"], {"charges": "、".join(charges)}) if charges else "")
    if "procedure" not in done:
        parts.append(filled(words["procedure"], {"procedure": case.bench.get("procedure", "普通程序")}))
    if "panel" not in done:
        counsel = case.party.get("counsel", {})
        firm, name = counsel.get("firm", ""), counsel.get("name")
        parts += [sitting(case, words), filled(words["prosecutor"], {"who": who}) if who else ""]
        parts.append(filled(words["counsel"], {"firm": firm, "counsel": name}) if name else "")
    if "rights" not in done:
        parts.append(words["rights"])
    return "".join(parts)


def _prosecution(case: Case) -> tuple[str, str]:
    """The prosecuting office, and office with prosecutor, as said in court; '' where nobody said."""
    for turn in case.record:
        if turn.speaker in ("clerk", "procurator") and (match := _OFFICE.search(turn.text)):
            return match["office"], f"{match['office']}指派{match['title']}{match['name']}"
    return "", ""
