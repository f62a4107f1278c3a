"""What the procedure needs to know of a case file: who is there, what the case needs, what each side has to say. The
judgment that scorers hold is not among it."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from functools import lru_cache

from store.text.money import sums_in
from tasks.courts.casefile.case import CivilCase, CriminalCase
from tasks.courts.casefile.people import COUNSEL, PROCURATORATE, Party, divorce
from tasks.courts.casefile.visibility import CaseKey, leaves
from tasks.courts.environment import environment
from tasks.courts.procedure.acts import texts_of
from tasks.courts.procedure.answers import FEWEST
from tasks.courts.procedure.model import CasePoint, Hearing, ProcedureExhibit, Side, SideMaterial, side_of
from tasks.courts.scores.bigrams import bigrams, sentences

_PROPERTY = re.compile(r"追缴|退赔|违法所得|没收|赃款|赃物|作案工具")
_SEIZED = re.compile(r"扣押|查封|冻结")
_RETURNED = re.compile(r"发还|返还")
"""What was seized and given back before the trial leaves nothing to rule on."""
_NOT_MEDIABLE = re.compile(r"婚姻无效|确认婚姻|特别程序|督促程序|公示催告|亲子关系")


def hearing_of(case: CivilCase | CriminalCase) -> Hearing:
    """The hearing of a CI or CR case: procedure, names, exhibits, and the conditions that duties depend on. One
    object for one case."""
    return _hearing(CaseKey(case))


@lru_cache(maxsize=256)
def _hearing(same: CaseKey) -> Hearing:
    case = same.case
    assert isinstance(case, CivilCase | CriminalCase)
    return _criminal(case) if isinstance(case, CriminalCase) else _civil(case)


def _civil(case: CivilCase) -> Hearing:
    owners: dict[str, Side] = {party.id: party.side for party in case.parties}
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
        _items(case, owners),
        frozenset(n for n, holds in conditions.items() if holds),
        texts_of(case),
        _holdings(case),
    )


def mediable(cause: str) -> bool:
    """Whether a dispute of this cause may be settled by mediation (民诉法解释第一百四十三条)."""
    return not _NOT_MEDIABLE.search(cause)


def holds_property(told: str) -> bool:
    """Whether words of the prosecution, titles of its exhibits among them, leave property to be disposed of."""
    return bool(_PROPERTY.search(told) or (_SEIZED.search(told) and not _RETURNED.search(told)))


def _criminal(case: CriminalCase) -> Hearing:
    owners: dict[str, Side] = {PROCURATORATE: "procurator", COUNSEL: "defence"}
    owners |= {party.id: "defence" for party in case.parties}
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
        _items(case, owners),
        frozenset(n for n, holds in conditions.items() if holds),
        texts_of(case),
        _holdings(case),
    )


def _names(party: Party) -> tuple[str, ...]:
    return tuple(filter(None, (party.name, party.representative, party.counsel.name if party.counsel else "")))


def _items(case: CivilCase | CriminalCase, owners: dict[str, Side]) -> tuple[ProcedureExhibit, ...]:
    """Exhibits numbered as their side offers them; one is disputed where an objection is raised against it."""
    count: Counter[Side] = Counter()
    items = []
    for exhibit in case.evidence:
        side = owners[exhibit.owner]
        count[side] += 1
        disputed = any(objection.raised for objection in exhibit.objections)
        items.append(ProcedureExhibit(exhibit.id, side, exhibit.title, count[side], disputed))
    return tuple(items)


# --- what each side has to say --------------------------------------------------------------------------------------


def _holdings(case: CivilCase | CriminalCase) -> Mapping[Side, SideMaterial]:
    civil = isinstance(case, CivilCase)
    points = _civil_points(case) if isinstance(case, CivilCase) else _criminal_points(case)
    fields = [(path, bigrams(str(value))) for path, value in leaves(case)]
    made: dict[Side, SideMaterial] = {}
    for role, seat in environment(case.env).seats.items():
        if side := side_of("CI" if civil else "CR", role):
            words = frozenset[str]().union(*(pairs for path, pairs in fields if path in seat.holds))
            made[side] = SideMaterial(words, points.get(side, {}), _contests(case, side))
    return made


def _civil_points(case: CivilCase) -> Mapping[Side, Mapping[str, tuple[CasePoint, ...]]]:
    claims = tuple(
        CasePoint(claim.text, sums_in(claim.text), frozenset({claim.id}))
        for claim in case.claims
        if claim.kind != "costs"
    )
    every = frozenset[str]().union(*(claim.of for claim in claims))
    defences = tuple(
        CasePoint(one.text, sums_in(one.text), frozenset(one.answers) & every or every) for one in case.defences
    )
    return {"plaintiff": {"claim": claims}, "defendant": {"answer": defences}}


def _criminal_points(case: CriminalCase) -> Mapping[Side, Mapping[str, tuple[CasePoint, ...]]]:
    matter = case.criminal
    opinion = _sentences(matter.defence_opinion)
    return {
        "procurator": {"indictment": _sentences(matter.indictment), "prosecution": _sentences(matter.opinion)},
        "defence": {"defence": opinion, "fast_defence": opinion},
    }


def _sentences(text: str) -> tuple[CasePoint, ...]:
    return tuple(CasePoint(part, sums_in(part)) for part in sentences(text) if len(bigrams(part)) >= FEWEST)


def _contests(case: CivilCase | CriminalCase, side: Side) -> Mapping[str, tuple[str, ...]]:
    """Exhibit -> what a side has against it."""
    known: dict[str, str] = {party.id: "accused" if case.env == "CR" else party.side for party in case.parties}
    known[COUNSEL] = "defence"
    return {
        exhibit.id: texts
        for exhibit in case.evidence
        for one in exhibit.objections
        if known.get(one.by) == side
        and (texts := tuple(filter(None, (one.truth, one.legality, one.relevance, one.weight))))
    }
