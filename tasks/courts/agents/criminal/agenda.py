"""What the court does next: the first step of the hearing that is open, as far as the turns that are left allow.

Steps and words: hearing.toml. Where turns run out, steps that the law only allows are left out first, then those of
practice, then all that is not the core of a trial: indictment, prosecution, defence, last word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.case import Case, charged
from tasks.courts.agents.trial.agenda import Due, Step, placed, spared
from tasks.courts.agents.trial.heard import IDLE

_LAST = {"may": 0, "practice": 1, "must": 2}
"""In the order in which steps are left out; an essential one never is."""
_PROPERTY = re.compile(r"扣押|查封|冻结|追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_REPLIED = re.compile(r"答辩如下|补充如下|不能同意|不能成立|公诉人认为|辩护人认为")
"""Words of a debate in which something was answered."""
_EVIDENCE = ("evidence", "defence_evidence")
_VIEWS = {"defendant": "views", "defence_lawyer": "cross", "procurator": "views_pros"}
"""Who is heard on an exhibit -> the words that ask for the view."""
MOST_OFFERS = 60
"""Calls for evidence of one side after which the court goes on."""


def _property(case: Case) -> bool:
    told = case.all_of("procurator") + " ".join(exhibit.offer.title for exhibit in case.exhibits)
    return case.procedure == "普通" or bool(_PROPERTY.search(told))


_WHEN: Mapping[str, Callable[[Case], bool]] = {
    "admits": lambda case: case.admits,
    "uncalled": lambda case: not charged(case),
    "examines": lambda case: case.view.profile == "j1" or case.procedure != "速裁",
    "property": _property,
    "property_told": lambda case: case.property_told,
    "replied": lambda case: bool(_REPLIED.search(case.answers("procurator", "mutual"))) or case.procedure == "普通",
    "new_plea": lambda case: bool(_REPLIED.search(case.answers("defence_lawyer", "mutual"))),
    "findings": lambda case: bool(case.findings),
}


def following(case: Case) -> Due | None:
    """The next step; None, so the judgment, where none is left, or no turn for one."""
    left = case.view.limit - case.view.turn + 1 - (1 + case.collegial)
    open_steps = [step for step in placed(__package__, case.procedure, case.view.profile) if _open(case, step)]
    kept = spared(open_steps, left, lambda step: _LAST.get(step.need), lambda step: _cost(case, step))
    kept = kept[-left:] if left > 0 else []
    for step in kept:
        after = [one for one in kept if one is not step and one.id not in _EVIDENCE]
        if (due := _due(case, step, left - len(after))) is not None:
            return due
    return None


def _open(case: Case, step: Step) -> bool:
    if step.id in _EVIDENCE:
        return _cost(case, step) > 0
    if step.when and not _WHEN[step.when](case):
        return False
    if any(case.answered(step.to, kind) for kind in step.kinds):
        return False
    return max(_put(case, step.words["say"]), _asked(case, step)) < (1 if step.once else IDLE)


def _asked(case: Case, step: Step) -> int:
    return max((case.asked(step.to, kind) for kind in step.kinds), default=0)


def _put(case: Case, words: str) -> int:
    """How often these words were said."""
    return sum(_fixed(words) in text for text in case.court)


@cache
def _fixed(words: str) -> str:
    """The longest run of a question's words that is always said."""
    return max(re.split(r"\{[a-z_]+\}", words), key=len)


def _owes(case: Case, step: Step) -> bool:
    """Whether a side has still to be called upon for evidence."""
    taken, owner = case.evidence, step.to
    if owner in taken.closed or case.asked(owner, "evidence") >= MOST_OFFERS:
        return False
    return not taken.idle[owner] or (taken.idle[owner] < IDLE and _put(case, step.words["again"]) < 2)


def _cost(case: Case, step: Step) -> int:
    """Turns that a step takes at least."""
    if step.id not in _EVIDENCE:
        return 1
    waiting = sum(bool(case.evidence.waiting(role)) for role in case.hears[step.to])
    return waiting + _owes(case, step) * (1 if step.id == "defence_evidence" else 3 - waiting)


def _due(case: Case, step: Step, room: int) -> Due | None:
    """How a step is worded now; None where the evidence of a side is done."""
    if step.id not in _EVIDENCE:
        return Due(step, (step.to,), "again" if _asked(case, step) else "say")
    for role in case.hears[step.to]:
        if waiting := case.evidence.waiting(role):
            again = "_again" if any(exhibit.tried[role] for exhibit in waiting) else ""
            return Due(step, (role,), _VIEWS[role] + again, tuple(waiting))
    if not _owes(case, step):
        return None
    begun = case.asked(step.to, "evidence") > 0
    form = "next" if begun else "group" if case.procedure == "简易" else "say"
    if room < (12 if step.id == "evidence" else 6) or case.view.profile == "j1":
        form = "rest" if begun else "group"
    return Due(step, (step.to,), "again" if case.evidence.idle[step.to] else form)


def which(due: Due) -> str:
    """证据三; 全部证据 where there are several."""
    several = len(due.about) > 1
    return "全部证据" if several else "".join(f"证据{int_to_chinese(one.offer.number)}" for one in due.about)
