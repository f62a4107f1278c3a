"""From the file of a judgment to the draft of a case file: read, refuse, mask, take apart, say what is missing.

Nothing is invented: a field that the judgment does not give is left out and named. All is marked as derived and
unreviewed.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.case import SCHEMA
from tasks.courts.casefile.judgment import JudgmentText, accused_in
from tasks.courts.casefile.loading import CaseFault, read_case
from tasks.courts.casefile.names import LATIN, around, is_masked, is_word, people_in, surname_of, suspects
from tasks.courts.casefile.people import REFUSED_ROLES
from tasks.courts.casefile.sense import CaseFinding, age_on, wrong
from tasks.courts.from_judgment.fields import civil_case, criminal_case, signed_by
from tasks.courts.from_judgment.masking import MaskedItem, mask, stand_ins, without_names
from tasks.courts.from_judgment.reading import read_text
from tasks.courts.from_judgment.structure import (
    PARTY,
    JudgmentHeading,
    heading_of,
    judgment_alone,
    kind_of,
    refuse,
    taken_apart,
)

_ADULT = 18
_PERSON = "gender ethnicity birth_date occupation address"
_EXPECTED = {
    "CI": """
        cause dates.acted dates.filed dates.proceeding dates.judged facts evidence statements court.name court.docket
        court.procedure court.presiding court.clerk parties.P1 parties.D1 claims amount complaint answer defences
        gold.rulings gold.judgment gold.fee gold.issues gold.reason gold.reason_points gold.laws""",
    "CR": """
        cause dates.acted dates.filed dates.proceeding dates.judged facts evidence statements court.name court.docket
        court.procedure court.presiding court.clerk parties.A1 criminal.prosecution.name
        criminal.prosecution.prosecutor criminal.prosecution.indictment_no criminal.charges criminal.indictment
        criminal.opinion criminal.request criminal.plea.stance criminal.plea.text criminal.record criminal.custody
        criminal.served criminal.victims criminal.defence_opinion gold.charges gold.sentence gold.sentence.ranges
        gold.judgment gold.reason gold.reason_points gold.laws""",
}
"""What a complete case has, in the order of the report."""
_OPTIONAL = re.compile(
    r"dates\.\w+|criminal\.(?:custody|served|request|victims|record|opinion|defence_opinion|prosecution\.\w+)"
    r"|evidence\.\w+\.witness|evidence(?:\.\w+|\[\d+\])"
    r"|parties\.\w+\.(?!id|name|side|kind)\w+|facts(?:\.\w+|\[\d+\])|court\.\w+|claims\.\w+\.amount|amount"
    r"|gold\.(?:fee|issues|rulings|as_cited|laws\[\d+\]|sentence\.(?:since|until|counts|property"
    r"|political_rights_months))"
)
"""Parts that a draft can lose: what contradicts the rest or does not fit is left out and noted."""
_ON_PURPOSE = ("charges", "signed", "title")
"""What may be empty and says so: an acquittal, a plea and a prosecutor's office of which nothing more is known."""
_STRUCTURE = re.compile(
    r"判决|裁定|本院|诉讼|原告|被告|人民|法院|公诉|检察|证据|事实|理由|认为|查明|依照|第三人|到庭|答辩|辩称|诉称"
)
"""Words of the form of a judgment: what holds one is no name."""
_PERSONAL = re.compile(r"[,(][男女][,)。]|出生|律师|族[,。]|身份")
"""Who is told so much of is a person, whatever the name looks like."""
_HAN = re.compile(rf"[{HAN}·.〇 ]+")
_YOUNG = re.compile(
    r"被告人[^。;]{0,24}?(?:犯罪|作案|案发)时(?:系|属|尚|是|未满|不满|均)[^。;]{0,8}?(?:未成年|(?:十八|18)周岁)"
)


@dataclass(frozen=True, slots=True)
class Draft:
    """A case file as far as a judgment gives it.

    case_fields: a record of schema j1case/1; masked: what was masked; missing: paths of fields that were not found;
    notes: what a reader has to look at, in sentences; needed: faults for which the file does not load yet, none where
    it does; unsure: how many words and places the notes show that may be names, or may be none.
    """

    case_fields: dict[str, Any]
    masked: tuple[MaskedItem, ...]
    missing: tuple[str, ...]
    notes: tuple[str, ...]
    needed: tuple[CaseFinding, ...] = ()
    unsure: int = 0


def draft(path: Path, **options: Any) -> Draft:
    """The draft of the judgment in a file (txt, docx, html or pdf); options as of `draft_of`.

    Raises:
        NotFound: there is no such file.
        BadInput: it cannot be read, or is no first-instance judgment that a case file can hold (`CaseFault`).
    """
    return draft_of(read_text(path), path.name, **options)


def draft_of(text: str, label: str, *, keep_names: bool = False, out: str = "") -> Draft:
    """The draft of a judgment that is read already.

    Args:
        text: a paragraph a line.
        label: names it in errors.
        keep_names: leave names of natural persons as they are; numbers and addresses are masked all the same.
        out: the name of the file that is to hold the draft.

    Raises:
        BadInput: as `draft`, and where `out` names somebody.
    """
    text, more = judgment_alone(text)
    notes = [more] if more else []
    env = kind_of(text, label)
    unmasked = taken_apart(text, env)
    heading = heading_of(unmasked.head, env)
    refuse(heading, accused_in(unmasked.ruled), env, label)
    people = [] if keep_names else _named(unmasked, heading)
    if (other := without_names(out, stand_ins(people, text))[0]) != out:
        raise BadInput("The name of the file to write names somebody in the judgment", f"Write --out {other}.")
    seats = [entry.words for entry in heading.entries if entry.role in PARTY and entry.is_company]
    kept = [line for line in unmasked.head if any(words in line for words in seats)]
    clean, masked, guesses = mask(text, people, kept)
    paper = taken_apart(clean, env)
    heading = heading_of(paper.head, env)
    case = (civil_case if env == "CI" else criminal_case)(paper, heading, notes)
    _refuse_minors(case, paper, label)
    # CI-2024望0102民初1836 after the docket number; without one after the text.
    name = "".join(sign for sign in heading.docket if sign.isalnum() and sign not in "第号字")[:50]
    name = name or sha256(clean.encode("utf-8", "replace")).hexdigest()[:10]
    case = {"schema": SCHEMA, "id": f"{env}-{name}", "env": env, **_filled(case)}
    left = {} if keep_names else suspects(clean)
    if left:
        told = "、".join(
            f"{name} ×{clean.count(name)} {around(clean, at, at + len(name))}" for name, at in left.items()
        )
        notes.append(f"names: {len(left)} words of the story may be names of people and were left: {told}")
    if guesses:
        notes.append(
            f"names: {len(guesses)} places hold an ordinary word and were masked all the same: {'、'.join(guesses)}"
        )
    needed = _fitted(case, label, notes)
    missing = missing_of(case)
    case["provenance"] = _provenance(heading, masked, missing, keep_names)
    return Draft(case, masked, missing, tuple(notes), needed, len(left) + len(guesses))


def missing_of(case: Mapping[str, Any]) -> tuple[str, ...]:
    """Paths of the fields that a complete case of this kind has and this one has not."""
    wanted: list[str] = []
    for path in _EXPECTED[case["env"]].split():
        wanted.append(path)
        party = at(case, path) if path.startswith("parties.") else None
        if isinstance(party, dict):
            person = _PERSON if case["env"] == "CI" else f"{_PERSON} education birthplace"
            fields = "address representative" if party.get("kind") == "company" else person
            wanted += [f"{path}.{name}" for name in [*fields.split(), "counsel"]]
    # An acquittal has an empty list of charges.
    missing = [
        path
        for path in wanted
        if (value := at(case, path)) in (None, "", [], {}) and not (path == "gold.charges" and value == [])
    ]
    exhibits = case.get("evidence", [])
    for name in ("objections", "gold", "proves") if exhibits else ():
        if not any(one.get(name) for one in exhibits):
            missing.append(f"evidence[].{name}")
    return (*missing, *(("facts[].known_by", "facts[].disputed") if case.get("facts") else ()))


def _filled(case: dict[str, Any]) -> dict[str, Any]:
    """The case without fields that hold nothing, except those that are empty on purpose."""
    return {
        name: _filled(value) if isinstance(value, dict) else value
        for name, value in case.items()
        if value not in (None, "", {}, (), []) or name in _ON_PURPOSE
    }


# --- who is named ---------------------------------------------------------------------------------------------------


def _named(paper: JudgmentText, heading: JudgmentHeading) -> list[tuple[str, ...]]:
    """The names of each person, parties first."""
    folded = fold_width(paper.text)
    people: dict[str, tuple[str, ...]] = {}
    for entry in heading.entries:
        name = fold_width(entry.name)
        if entry.is_company or entry.role in ("公诉机关", "被害单位") or not _is_name(name):
            continue
        if surname_of(name) or not is_word(name) or _PERSONAL.search(fold_width(entry.words)):
            more = (other for other in entry.aliases_in(folded) if surname_of(other) or not is_word(other))
            people.setdefault(name, (name, *filter(_is_name, more)))
    known = {name for names in people.values() for name in names}
    for name in (*accused_in(paper.ruled), *signed_by(paper.tail), *people_in(folded)):
        if _is_name(name) and name not in known:
            people.setdefault(name, (name,))
    return list(people.values())


def _is_name(name: str) -> bool:
    if is_masked(name) or _STRUCTURE.search(name):
        return False
    long = 20 if re.search("[·.]", name) else 5
    return LATIN.fullmatch(name) is not None or (2 <= len(name) <= long and _HAN.fullmatch(name) is not None)


def _refuse_minors(case: Mapping[str, Any], paper: JudgmentText, label: str) -> None:
    """A party under eighteen needs a 法定代理人 in court (民法典第二十三条; 刑事诉讼法第二百八十一条)."""
    dates = case.get("dates", {})
    day = dates.get("acted") or dates.get("filed") if paper.env == "CR" else dates.get("filed")
    born = [(party["id"], party["birth_date"]) for party in case.get("parties", []) if party.get("birth_date")]
    young = next(
        (who for who, on in born if day and age_on(date.fromisoformat(on), date.fromisoformat(day)) < _ADULT),
        "A1" if paper.env == "CR" and _YOUNG.search(fold_width(paper.reason)) else "",
    )
    if young:
        what = f"is a minor (未成年人): a {REFUSED_ROLES['guardian']} would have to sit in court"
        raise CaseFault(label, [wrong(f"parties.{young}", what, "Choose a judgment between adults.")])


# --- what loads -----------------------------------------------------------------------------------------------------


def _fitted(case: dict[str, Any], label: str, notes: list[str]) -> tuple[CaseFinding, ...]:
    """Leave out what contradicts the rest; what still keeps the file from loading."""
    while True:
        try:
            read_case(label, case)
            return ()
        except CaseFault as error:
            if not any([_left_out(case, fault, notes) for fault in error.faults]):
                return error.faults


def _left_out(case: dict[str, Any], fault: CaseFinding, notes: list[str]) -> bool:
    match = _OPTIONAL.match(fault.field)
    if match is None:
        return False
    *way, last = re.findall(r"[^.\[\]]+", match[0])
    here = at(case, ".".join(way)) if way else case
    if (found := at(here, last)) is None:
        return False
    if isinstance(here, list):
        here.remove(found)
    else:
        del here[last]
    notes.append(f"{match[0]}: left out, {fault.what}")
    return True


# --- what is written of it ------------------------------------------------------------------------------------------


def at(here: Any, path: str) -> Any:
    """What stands at a path of names, of ids in a list, or of places in it; None where nothing does."""
    for part in path.split("."):
        if isinstance(here, list):
            named = [item for item in here if isinstance(item, dict) and item.get("id") == part]
            here = next(iter(named or (here[int(part) :] if part.isdigit() else ())), None)
        else:
            here = here.get(part) if isinstance(here, Mapping) else None
    return here


def _provenance(
    heading: JudgmentHeading, masked: Sequence[MaskedItem], missing: Sequence[str], keep_names: bool
) -> dict[str, Any]:
    kinds = Counter[str]()
    for one in masked:
        kinds[one.kind] += 1 if one.kind == "name" else one.count
    told = ", ".join(f"{kind} {count}" for kind, count in kinds.items()) or "nothing"
    kept = " Names of people were kept as asked." if keep_names else ""
    note = (
        f"Drafted by rules from a published judgment, not reviewed. Masked: {told}.{kept}"
        f" Not found: {', '.join(missing) or 'nothing'}."
    )
    based = f"{heading.docket}{'民事' if heading.of('原告') else '刑事'}{heading.title or '判决书'}"
    return {"source": "derived", "based_on": based, "reviewed": False, "note": note}
