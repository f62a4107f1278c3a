"""What the procedure needs to know of a case file. The judgment that scorers hold is not among it."""

from __future__ import annotations

import re
from collections import Counter

from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.people import COUNSEL, PROCURATORATE, Party, divorce
from tasks.courts.procedure.quoting import texts_of
from tasks.courts.procedure.turns import Hearing, Item, Side
from tasks.courts.simulated.trials import holdings

_PROPERTY = re.compile(r"追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_SEIZED = re.compile(r"扣押|查封|冻结")
_RETURNED = re.compile(r"发还|返还")
"""What was seized and given back before the trial leaves nothing to rule on."""
_NOT_MEDIABLE = re.compile(r"婚姻无效|确认婚姻|特别程序|督促程序|公示催告|亲子关系")


def hearing_of(case: CivilCase | CriminalCase) -> Hearing:
    """The hearing of a CI or CR case: procedure, names, exhibits, and the conditions that duties depend on."""
    return _criminal(case) if isinstance(case, CriminalCase) else _civil(case)


def _civil(case: CivilCase) -> Hearing:
    side_of: dict[str, Side] = {party.id: party.side for party in case.parties}
    names: dict[str, tuple[str, ...]] = {}
    for party in case.parties:
        names[party.side] = (*names.get(party.side, ()), *_names(party))
    conditions = {
        "represented": bool(case.parties) and all(party.counsel for party in case.parties),
        "collegial": case.court.collegial,
        "mediable": mediable(case.cause),
        "divorce": divorce(case.cause),
    }
    return Hearing(
        "CI",
        case.court.procedure,
        names,
        _items(case, side_of),
        frozenset(n for n, holds in conditions.items() if holds),
        texts_of(case),
        holdings(case),
    )


def mediable(cause: str) -> bool:
    """Whether a dispute of this cause may be settled by mediation (民诉法解释第一百四十三条)."""
    return not _NOT_MEDIABLE.search(cause)


def holds_property(told: str) -> bool:
    """Whether words of the prosecution, titles of its exhibits among them, leave property to be disposed of."""
    return bool(_PROPERTY.search(told) or (_SEIZED.search(told) and not _RETURNED.search(told)))


def _criminal(case: CriminalCase) -> Hearing:
    side_of: dict[str, Side] = {PROCURATORATE: "procurator", COUNSEL: "defence"}
    side_of |= {party.id: "defence" for party in case.parties}
    matter = case.criminal
    names: dict[str, tuple[str, ...]] = {
        "procurator": (matter.prosecution.prosecutor,),
        "accused": tuple(party.name for party in case.parties),
        "defence": tuple(party.counsel.name for party in case.parties if party.counsel),
    }
    told = " ".join((matter.indictment, matter.opinion, *(item.title for item in case.evidence)))
    conditions = {
        "collegial": case.court.collegial,
        "guilty_plea": matter.plea.stance == "guilty" and matter.plea.signed,
        "request": matter.request is not None,
        "property": holds_property(told),
    }
    return Hearing(
        "CR",
        case.court.procedure,
        names,
        _items(case, side_of),
        frozenset(n for n, holds in conditions.items() if holds),
        texts_of(case),
        holdings(case),
    )


def _names(party: Party) -> tuple[str, ...]:
    return tuple(filter(None, (party.name, party.representative, party.counsel.name if party.counsel else "")))


def _items(case: CivilCase | CriminalCase, side_of: dict[str, Side]) -> tuple[Item, ...]:
    """Exhibits numbered as their side offers them; one is disputed where an objection is raised against it."""
    count: Counter[Side] = Counter()
    items = []
    for exhibit in case.evidence:
        side = side_of[exhibit.owner]
        count[side] += 1
        disputed = any(objection.raised for objection in exhibit.objections)
        items.append(Item(exhibit.id, side, exhibit.title, count[side], disputed))
    return tuple(items)
