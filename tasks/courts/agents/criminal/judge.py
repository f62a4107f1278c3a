"""The judge of a criminal court by rules: keeps the procedure of 刑事诉讼法, hears everybody, weighs, gives judgment with
reasons.

Holds what its view grants and the record, nothing else: charge, plea and evidence are what was said in court. It
knows no case; the hearing is data (hearing.toml), what is disputed is for an expert to decide.
"""

from __future__ import annotations

import re

from store.search.law_search import LawSearch
from tasks.courts.agents.criminal import announcing
from tasks.courts.agents.criminal.agenda import (
    Next,
    collegial,
    findings,
    following,
    hearing,
    procedure_of,
)
from tasks.courts.agents.criminal.asking import filled
from tasks.courts.agents.criminal.heard import Heard
from tasks.courts.agents.criminal.judgment import Decide, judgment, undisputed
from tasks.courts.casefile.material import presiding_title
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say

_LATE = ("recusal_defence", "indictment", "plea", "fast", "statement", "opinion")
"""Steps before which names and rights are announced if nobody has announced them."""
_APPLIES = re.compile(r"(?<!不)申请(?:.{0,12})回避|要求(?:.{0,12})回避")
_NOT = re.compile(r"不(?:申请|要求)|没有")


class CriminalJudge:
    """审判长, or 独任审判员."""

    def __init__(self, search: LawSearch | None = None, decide: Decide = undisputed) -> None:
        del search
        self._decide = decide

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        heard = Heard(view)
        due = following(heard)
        if due.step is None:
            return Say(*_last(heard, self._decide))
        text = _preface(heard, due) + _words(heard, due)
        if view.profile == "j1":
            text = _tagged(heard, due.step.id, text)
        return Say(_unlike(heard, text), (_addressee(due),))


def _addressee(due: Next) -> str:
    """Evidence of one side is put to the others."""
    assert due.step is not None
    base = due.form.removesuffix("_again")
    return {"views": "defendant", "cross": "defence_lawyer", "views_pros": "procurator"}.get(base, due.step.to)


def _words(heard: Heard, due: Next) -> str:
    """The words of a step in its form."""
    assert due.step is not None
    words, form = due.step.words, due.form
    if form.removesuffix("_again") in ("views", "cross", "views_pros"):
        return filled(hearing()["other"][form], {"which": due.about})
    if form == "say":
        form = _variant(heard, due)
    court = heard.view.held.get("court", {})
    title = presiding_title(court)
    values = {"name": heard.name, "title": "审判员" if title == "独任审判员" else title, "findings": findings(heard)}
    return filled(words.get(form, words["say"]), values)


def _variant(heard: Heard, due: Next) -> str:
    """Which of the wordings of a step fits."""
    assert due.step is not None
    step, j1 = due.step, heard.view.profile == "j1"
    if step.id == "examine_court":
        return "j1" if j1 else "say"
    if step.id == "indictment":
        return {"简易": "brief", "速裁": "fast"}.get(procedure_of(heard), "say")
    if step.id == "last" and procedure_of(heard) == "速裁":
        return "fast"
    return "say"


def _preface(heard: Heard, due: Next) -> str:
    """What is announced before a question: names and rights, and what becomes of a challenge that was made."""
    assert due.step is not None
    said = ""
    if due.step.announces or due.step.id in _LATE:
        said = announcing.announcements(heard)
    if due.step.id in ("notice", "consent", "indictment") and _challenged(heard):
        said = hearing()["other"]["refused"] + said
    return said


def _challenged(heard: Heard) -> bool:
    """Whether somebody asked for a judge to step down and has had no answer yet."""
    if any("当庭驳回" in one.turn.text for one in heard.exchanges):
        return False
    told = [heard.answers(role, "recusal") for role in ("defendant", "defence_lawyer")]
    return any(_APPLIES.search(one) and not _NOT.search(one) for one in told)


def _tagged(heard: Heard, step: str, text: str) -> str:
    """The text with the tag of the stage that it opens."""
    tag = hearing()["stages"].get(step, "")
    opened = any(f"<{tag}>" in one.turn.text for one in heard.exchanges)
    return f"<{tag}>{text}" if tag and not opened else text


def _unlike(heard: Heard, text: str) -> str:
    """Nothing is said twice in a row: who hears the same twice has not been heard."""
    last = next((one.turn.text for one in reversed(heard.exchanges)), "")
    return f"法庭再次询问。{text}" if text.strip() == last.strip() else text


def _last(heard: Heard, decide: Decide) -> tuple[str, tuple[str, ...]]:
    """Retirement of a panel, then the judgment."""
    other = hearing()["other"]
    turns = heard.view.limit - heard.view.turn
    if collegial(heard) and turns > 0 and "deliberate" not in heard.announced:
        return str(other["retire"]), ()
    opening = other["back"] if collegial(heard) else other["sole"]
    closing = other["close"] + (f"<{hearing()['stages']['end']}>" if heard.view.profile == "j1" else "")
    return f"{opening}\n{judgment(heard, decide)}\n{closing}", ()
