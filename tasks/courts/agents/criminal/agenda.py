"""What the court does next: the first step of the hearing that is open, as far as the turns that are left allow.

Steps and words: data/criminal_hearing.toml. Where it stands is read from the record each time; a question is put
twice at most. Where turns run out, steps that the law only allows are left out first, then those of practice, then
all that is not the core of a trial: indictment, prosecution, defence, last word.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

from store.text.numerals import int_to_chinese
from tasks.courts.agents.criminal.asking import NO_OBJECTION, contested
from tasks.courts.agents.criminal.charges import charged
from tasks.courts.agents.criminal.heard import Exhibit, Heard
from tasks.courts.casefile.material import collegial as panel_sits
from tasks.courts.environment import Role
from tasks.courts.procedure.hearing import holds_property
from tasks.tables import beside

NEEDS = ("may", "practice", "must", "essential")
"""In the order in which steps are left out."""
PROPERTY = re.compile(r"扣押|查封|冻结|追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_MARKS = {
    "findings": "法庭宣读有关单位", "mutual_again": "补充的辩论意见有无回应",
}  # fmt: skip
"""Words by which a step that is put once is known."""
_REPLIED = re.compile(r"答辩如下|补充如下|不能同意|不能成立|公诉人认为|辩护人认为")
"""Words of a debate in which something was answered."""
_NO_PROPERTY = re.compile(r"(?:没有|无)[^。；]{0,16}(?:涉案)?财物")
_EVIDENCE = ("evidence", "defence_evidence")
MOST_OFFERS = 60
"""Calls for evidence of one side after which the court goes on."""


@dataclass(frozen=True, slots=True)
class Step:
    """One question of the hearing."""

    id: str
    to: Role
    kinds: tuple[str, ...]
    need: Literal["essential", "must", "practice", "may"]
    words: Mapping[str, str]
    procedure: str = ""
    profile: str = ""
    when: str = ""
    once: bool = False
    announces: bool = False
    stage: str = ""


@dataclass(frozen=True, slots=True)
class Next:
    """What is said next: the step, the form of its words, what fills them. No step: the judgment is due."""

    step: Step | None
    form: str = "say"
    about: str = ""


def hearing() -> Mapping[str, Any]:
    """The table of the hearing."""
    return beside(__package__, "hearing")


@cache
def steps() -> tuple[Step, ...]:
    """All steps in their order."""
    fields = set(Step.__dataclass_fields__) - {"words", "kinds"}
    made = []
    for entry in hearing()["steps"]:
        words = {key: text for key, text in entry.items() if key not in fields and key != "kinds"}
        made.append(
            Step(**{key: entry[key] for key in fields if key in entry}, kinds=tuple(entry["kinds"]), words=words)
        )
    return tuple(made)


def denies(heard: Heard) -> bool:
    """Whether the accused contests the charge, in whole or in part."""
    return contested(heard.answers("defendant", "plea", "fast") or heard.answers("defendant", "statement"))


def admits(heard: Heard) -> bool:
    """Whether the accused has pleaded guilty without reserve."""
    return heard.answered("defendant", "plea") or heard.answered("defendant", "fast") if not denies(heard) else False


def procedure_of(heard: Heard) -> str:
    """普通, 简易 or 速裁; 普通 where the court knows of none."""
    return str(heard.view.held.get("court", {}).get("procedure", "普通程序"))[:2]


def collegial(heard: Heard) -> bool:
    """Whether a panel sits."""
    return panel_sits(heard.view.held.get("court", {}))


def _property(heard: Heard) -> bool:
    told = heard.all_of("procurator") + " ".join(exhibit.name for exhibit in heard.exhibits)
    return procedure_of(heard) == "普通" or bool(PROPERTY.search(told))


_WHEN: Mapping[str, Callable[[Heard], bool]] = {
    "admits": admits,
    "uncalled": lambda heard: not charged(heard),
    "examines": lambda heard: heard.view.profile == "j1" or procedure_of(heard) != "速裁",
    "property": _property,
    "property_told": lambda heard: property_told(heard),
    "replied": lambda heard: (
        bool(_REPLIED.search(heard.answers("procurator", "mutual"))) or procedure_of(heard) == "普通"
    ),
    "new_plea": lambda heard: bool(_REPLIED.search(heard.answers("defence_lawyer", "mutual"))),
    "findings": lambda heard: bool(findings(heard)),
}


def property_told(heard: Heard) -> bool:
    """Whether the prosecution has told of property or losses on which the others are to be heard (刑诉法解释第二百七十九条)."""
    told = heard.answers("procurator", "property")
    return bool(told) and not (_NO_PROPERTY.search(told) and len(told) < 40)


def property_due(heard: Heard) -> bool:
    """Whether what the prosecution has charged, asked for, shown or told leaves property to be disposed of."""
    kinds = ("indictment", "opinion", *(("property",) if property_told(heard) else ()))
    told = (*(heard.answers("procurator", kind) for kind in kinds), *(exhibit.name for exhibit in heard.exhibits))
    return holds_property(" ".join(told))


def findings(heard: Heard) -> str:
    """What others reported to the court; '' where it is nothing."""
    told = str(heard.view.held.get("court", {}).get("third_party_findings", "")).strip()
    return "" if told in ("无", "没有", "暂无") else told


def contests(view: str) -> bool:
    """Whether an opinion on an exhibit contests anything."""
    return bool(
        re.search(r"有异议|有意见|不认可|不属实|不予认可|不真实|不合法|不能证明|无关", NO_OBJECTION.sub("", view))
    )


def following(heard: Heard) -> Next:
    """The next step; the judgment where none is left, or no turn for one."""
    left = heard.view.limit - heard.view.turn + 1 - (1 + collegial(heard))
    open_steps = [step for step in _placed(heard) if _open(heard, step)]
    cost = _cost(heard)
    spare = [
        step
        for need in NEEDS[:-1]
        for step in sorted(reversed(open_steps), key=cost, reverse=True)
        if step.need == need
    ]
    for step in spare:
        if sum(map(cost, open_steps)) <= left:
            break
        open_steps.remove(step)
    if not open_steps or left < 1:
        return Next(None)
    open_steps = open_steps[-left:]
    for step in open_steps:
        after = [one for one in open_steps if one is not step and one.id not in _EVIDENCE]
        if (found := _form(heard, step, left - len(after))) is not None:
            return found
    return Next(None)


def _placed(heard: Heard) -> Iterator[Step]:
    """The steps that have a place in this hearing."""
    for step in steps():
        fits = not step.procedure or procedure_of(heard) in step.procedure
        if fits and step.profile in ("", heard.view.profile):
            yield step


def _open(heard: Heard, step: Step) -> bool:
    if step.id in _EVIDENCE:
        return _owes(heard, step) or any(heard.evidence.waiting[role] for role in _hearers(step.to))
    if step.when and not _WHEN[step.when](heard):
        return False
    if step.id in _MARKS:
        return not any(_MARKS[step.id] in one.turn.text for one in heard.exchanges)
    return _again(heard, step)


def _again(heard: Heard, step: Step) -> bool:
    """Whether a question is still to be put: never answered, and asked less than twice (once where it is
    optional)."""
    asked = max(_put(heard, step.words["say"]), *(heard.asked(step.to, kind) for kind in step.kinds))
    if any(heard.answered(step.to, kind) for kind in step.kinds):
        return False
    return asked < (1 if step.once else 2)


def _put(heard: Heard, words: str) -> int:
    """How often these words were said."""
    return sum(_fixed(words) in one.turn.text for one in heard.exchanges)


@cache
def _fixed(words: str) -> str:
    """The longest run of a question's words that is always said."""
    return max(re.split(r"\{[a-z_]+\}", words), key=len)


def _hearers(owner: Role) -> tuple[Role, ...]:
    return ("defendant", "defence_lawyer") if owner == "procurator" else ("procurator",)


def _owes(heard: Heard, step: Step) -> bool:
    """Whether a side has still to be called upon for evidence."""
    taken, owner = heard.evidence, step.to
    if owner in taken.closed or heard.asked(owner, "evidence") >= MOST_OFFERS:
        return False
    return not taken.idle[owner] or (taken.idle[owner] < 2 and _put(heard, step.words["again"]) < 2)


def _cost(heard: Heard) -> Callable[[Step], int]:
    """Turns that a step takes at least."""

    def cost(step: Step) -> int:
        if step.id not in _EVIDENCE:
            return 1
        waiting = sum(bool(heard.evidence.waiting[role]) for role in _hearers(step.to))
        return waiting + _owes(heard, step) * (1 if step.id == "defence_evidence" else 3 - waiting)

    return cost


def _form(heard: Heard, step: Step, room: int) -> Next | None:
    """How a step is worded now; None where the evidence of a side is done."""
    if step.id not in _EVIDENCE:
        return Next(step, "again" if max(heard.asked(step.to, kind) for kind in step.kinds) else "say")
    taken = heard.evidence
    for role, form in (("defendant", "views"), ("defence_lawyer", "cross"), ("procurator", "views_pros")):
        if role in _hearers(step.to) and (places := taken.waiting[role]):
            which = named([taken.shown[place] for place in places])
            return Next(step, form + ("_again" if taken.tries[role] else ""), which)
    if not _owes(heard, step):
        return None
    if taken.idle[step.to]:
        return Next(step, "again")
    begun = heard.asked(step.to, "evidence") > 0
    if room < (12 if step.id == "evidence" else 6) or heard.view.profile == "j1":
        return Next(step, "rest" if begun else "group")
    if procedure_of(heard) == "简易" and not begun:
        return Next(step, "group")
    return Next(step, "next" if begun else "say")


def named(exhibits: list[Exhibit]) -> str:
    """证据三; 全部证据 where there are several."""
    if len(exhibits) == 1:
        return f"证据{int_to_chinese(exhibits[0].offer.number)}"
    return "全部证据"
