"""The legal coherence of a case: what an author checks before a lawyer reads it.

Every cited article exists and is the law of the case's days; sums add up; rulings answer all claims and the text of
the judgment says what the figures say; the sentence lies within what the law provides; procedure and bench fit the
case. Money is in yuan, terms in months. `moot`'s own cases must come out without errors and with warnings that
somebody has looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.errors import BadInput, StoreError
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.law import Finding, Laws, check_index, check_law, check_text, shipped_laws
from tasks.courts.casefile.loading import CaseFault, case_records
from tasks.courts.casefile.material import CIVIL_KINDS, CRIMINAL_KINDS
from tasks.courts.casefile.questions import read_questions
from tasks.courts.casefile.sense import age_on
from tasks.courts.checking.civil import civil
from tasks.courts.checking.criminal import criminal

_MASKED = "a masked name"
_PERSONAL = (
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), "a telephone number"),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"), "an identity number"),
    (re.compile(r"某某|张某|李某|王某|×{2,}|[Xx]{3,}"), _MASKED),
)
_ADULT = 18
_HALVES = ("视听资料", "电子数据")
"""One item of 刑事诉讼法第五十条, two of 民事诉讼法第六十六条: each stands for itself in both."""
_NOT_SO = re.compile(r"没有|没能|不曾|不存在|从不|从没|并无|均无|未(?![成来婚必遂经])")
_WHEN = re.compile(
    r"^(?:自|从|截至|截止|直至|直到|至|到|在|\d)[^没未无]{0,30}(?:[日月年起止前后时间]|以来)$|^[^没未无]{1,10}(?:前"
    r"|后|时|期间|以来)$"
)
"""A clause that says only when."""
_DOCKET = re.compile(r"[（(](?P<year>\d{4})[）)].{1,12}?(?P<type>民初|刑初)\d+号")


def check_case(case: Case, book: Laws | None = None) -> list[Finding]:
    """Everything a lawyer might stumble over; `book`: a StatuteBook, or None for the shipped index of laws."""
    laws = book or shipped_laws()
    found = list(_laws(case, laws))
    found += _privacy(case)
    if isinstance(case, AdviceCase):
        return [*found, *_advice(case)]
    if not isinstance(case, CivilCase | CriminalCase):
        return found
    found += _complete(case)
    found += _people(case)
    found += _exhibits(case)
    found += _docket(case)
    found += civil(case) if isinstance(case, CivilCase) else criminal(case)
    return found


def _laws(case: Case, laws: Laws) -> Iterator[Finding]:
    dates = case.dates.for_law
    yield from check_index(dates)
    if isinstance(case, AdviceCase):
        for topic in case.topics:
            for ref in topic.laws:
                yield from check_law(f"topics.{topic.id}.laws", ref, dates, laws)
            yield from check_text(f"topics.{topic.id}.answer", topic.answer, dates, laws)
    if not isinstance(case, CivilCase | CriminalCase):
        return
    for ref in case.gold.laws:
        yield from check_law("gold.laws", ref, dates, laws)
    for ref, count in Counter(case.gold.laws).items():
        if count > 1:
            yield Finding("error", "gold.laws", f"{ref.chinese} stands there twice", "Name it once.")
    for field, text in (("gold.reason", case.gold.reason), *(("gold.judgment", text) for text in case.gold.judgment)):
        yield from check_text(field, text, dates, laws)
    if isinstance(case, CriminalCase):
        for charge in case.criminal.charges:
            for ref in charge.laws:
                yield from check_law("criminal.charges", ref, dates, laws)
        for span in case.gold.sentence.ranges:
            for ref in (span.law, *span.mitigated):
                yield from check_law("gold.sentence.ranges", ref, dates, laws)
        for field in ("opinion", "defence_opinion", "indictment"):
            yield from check_text(f"criminal.{field}", getattr(case.criminal, field), dates, laws)


def _privacy(case: Case) -> Iterator[Finding]:
    """Numbers of real people nowhere; a masked name only where the case comes from a judgment or another
    benchmark."""
    text, authored = case.model_dump_json(), case.provenance.source == "authored"
    for pattern, what in _PERSONAL:
        if (match := pattern.search(text)) and (authored or what != _MASKED):
            yield Finding(
                "error",
                "case",
                f"{match.group()} looks like {what}",
                "People are fictional: invent a name, leave numbers out.",
            )


def _advice(case: AdviceCase) -> Iterator[Finding]:
    authored = case.provenance.source == "authored"
    if authored and case.dates.asked is None:
        yield Finding("error", "dates.asked", "is missing", "The law of that day is the answer.")
    if case.env == "KQ" and authored and not (case.theme and case.client.occupation):
        yield Finding("error", "theme", "theme or client.occupation is missing", "A KQ case has both.")
    if case.env == "LC" and authored and not (case.client.role and case.client.background):
        yield Finding("error", "client", "role or background is missing", "An LC case has both.")
    for topic in case.topics:
        where = f"topics.{topic.id}"
        if authored and not topic.laws:
            yield Finding("error", f"{where}.laws", "is missing", "Every answer rests on an article.")
        if topic.type == "open" and not topic.points:
            yield Finding(
                "error" if authored else "warning", f"{where}.points", "is missing", "Say what a full answer holds."
            )
        if topic.type == "law":
            cited = {(ref.law, ref.number) for ref in topic.laws}
            if authored and not any(number.chinese in topic.answer for _, number in cited):
                yield Finding("warning", f"{where}.answer", "names none of its articles", "Write 《…法》第…条.")
    questions = Counter(text for topic in case.topics for text in (topic.question, *topic.aliases))
    for text, count in questions.items():
        if count > 1:
            yield Finding("error", "topics", f"{text[:30]} is asked twice", "Make the topics differ.")


def _complete(case: CivilCase | CriminalCase) -> Iterator[Finding]:
    """What an authored case must have; an imported one may lack it."""
    if case.provenance.source != "authored":
        return
    if not case.cause:
        yield Finding("error", "cause", "is missing", "It is named when the hearing opens.")
    for name in ("acted", "filed", "proceeding", "judged"):
        if getattr(case.dates, name) is None:
            yield Finding("error", f"dates.{name}", "is missing", "It decides which law applies.")
    for party in case.parties:
        where = f"parties.{party.id}"
        needed = (
            ("gender", "ethnicity", "birth_date", "address")
            if party.kind == "person"
            else ("representative", "address")
        )
        for name in needed:
            if not getattr(party, name):
                yield Finding("error", f"{where}.{name}", "is missing", "The court checks it at the opening.")
    if not case.facts:
        yield Finding("error", "facts", "are missing", "Write what happened, one [[facts]] each.")
    if not case.evidence:
        yield Finding("error", "evidence", "is missing", "Write the exhibits, one [[evidence]] each.")
    for name in ("name", "docket"):
        if not getattr(case.court, name):
            yield Finding("error", f"court.{name}", "is missing", "Name court and docket number.")
    if isinstance(case, CriminalCase):
        yield from _prosecuted(case)
    if case.court.presiding is None or not case.court.clerk:
        yield Finding("error", "court", "presiding or clerk is missing", "The bench is announced at the opening.")
    if not case.gold.reason_points:
        yield Finding("error", "gold.reason_points", "are missing", "Say what the reason must hold, one thing each.")
    for party_id in {party.id for party in case.parties} - set(case.statements):
        yield Finding(
            "warning",
            f"statements.{party_id}",
            "is missing",
            "Say what the party answers to a question of the court.",
        )


def _prosecuted(case: CriminalCase) -> Iterator[Finding]:
    criminal = case.criminal
    needed = {
        "criminal.prosecution": criminal.prosecution.name and criminal.prosecution.prosecutor,
        "criminal.opinion": criminal.opinion,
        "criminal.plea.text": criminal.plea.text,
        "criminal.record": criminal.record,
        "criminal.served": criminal.served,
        "criminal.defence_opinion": criminal.defence_opinion,
        "criminal.charges": all(charge.laws for charge in criminal.charges),
    }
    for field, value in needed.items():
        if not value:
            yield Finding("error", field, "is missing or incomplete", "An authored trial needs it.")


def _people(case: CivilCase | CriminalCase) -> Iterator[Finding]:
    names: Counter[str] = Counter(party.name for party in case.parties)
    names.update(party.counsel.name for party in case.parties if party.counsel)
    names.update(party.representative for party in case.parties if party.representative)
    names.update(member.name for member in case.court.panel)
    names.update(
        name for name in (case.court.presiding.name if case.court.presiding else "", case.court.clerk) if name
    )
    speakers = {exhibit.witness.name for exhibit in case.evidence if exhibit.witness}
    names.update(speakers)
    if isinstance(case, CriminalCase):
        # A 被害人陈述 names the victim as its speaker; a 证人证言 names somebody else.
        victims = {victim.name for victim in case.criminal.victims}
        testified = {ex.witness.name for ex in case.evidence if ex.witness and ex.kind == "证人证言"}
        names.update(victims - (speakers - testified))
        names.update([case.criminal.prosecution.prosecutor])
    for name, count in names.items():
        if name and count > 1:
            yield Finding("error", "parties", f"{name} is {count} people", "Give each a name of their own.")
    firms = Counter(party.counsel.firm for party in case.parties if party.counsel and party.counsel.firm)
    for firm, count in firms.items():
        if count > 1:
            yield Finding(
                "error", "parties", f"{firm} represents both sides", "Name different law firms (律师法第三十九条)."
            )
    day = case.dates.acted if isinstance(case, CriminalCase) else case.dates.filed
    for party in case.parties:
        if party.birth_date and day:
            years = age_on(party.birth_date, day)
            where = f"parties.{party.id}.birth_date"
            if years < _ADULT:
                yield Finding(
                    "error",
                    where,
                    f"{party.name} is {years}: a 法定代理人 would have to sit in court",
                    "Make the party an adult.",
                )
            elif years > 95:
                yield Finding("warning", where, f"{party.name} is {years} years old", "Is the year right?")


def _exhibits(case: CivilCase | CriminalCase) -> Iterator[Finding]:
    criminal_case = isinstance(case, CriminalCase)
    kinds = CRIMINAL_KINDS if criminal_case else CIVIL_KINDS
    basis = "刑事诉讼法第五十条" if criminal_case else "民事诉讼法第六十六条"
    authored = case.provenance.source == "authored"
    for exhibit in case.evidence:
        where = f"evidence.{exhibit.id}"
        for name in ("kind", "purpose"):
            if authored and not getattr(exhibit, name):
                yield Finding("error", f"{where}.{name}", "is missing", "The court asks for it.")
        if exhibit.kind and exhibit.kind not in (*kinds, *_HALVES):
            yield Finding(
                "error" if authored else "warning",
                f"{where}.kind",
                f"{exhibit.kind} is no kind of evidence",
                f"{basis}: {'；'.join(kinds)}.",
            )
        if exhibit.kind == "证人证言" and authored and exhibit.witness is None:
            yield Finding("error", f"{where}.witness", "is missing", "Name the witness: witness = { name = '…' }.")
        if authored and exhibit.gold is None:
            yield Finding("error", f"{where}.gold", "is missing", "Say whether the court relies on it and why.")
        if authored and not (exhibit.excerpt and exhibit.source):
            yield Finding("warning", where, "excerpt or source is missing", "Both are read out.")
        if exhibit.gold and exhibit.gold.result == "不采信" and not any(o.raised for o in exhibit.objections):
            yield Finding(
                "warning",
                f"{where}.gold",
                "is not relied on although nobody objects",
                "Write the objection, or say why in the reason.",
            )
    proven = {fact for exhibit in case.evidence for fact in exhibit.proves}
    for fact in case.facts:
        borne = not criminal_case and _negative(fact.text)
        if authored and fact.disputed and fact.gold and fact.id not in proven and not borne:
            yield Finding(
                "warning",
                f"facts.{fact.id}",
                "is disputed and found, but no exhibit proves it",
                "Name it in `proves` of an exhibit.",
            )


def _negative(text: str) -> bool:
    """Whether a civil fact says of each thing that it did not happen: who says that it did bears the burden
    (民诉法解释第九十一条)."""
    clauses = [clause for clause in re.split(r"[，；。]", text) if clause.strip() and not _WHEN.search(clause)]
    return bool(clauses) and all(_NOT_SO.search(clause) for clause in clauses)


def _docket(case: CivilCase | CriminalCase) -> Iterator[Finding]:
    if case.provenance.source != "authored":
        return
    match = _DOCKET.search(case.court.docket)
    wanted = "刑初" if isinstance(case, CriminalCase) else "民初"
    if not match or match["type"] != wanted:
        yield Finding(
            "error",
            "court.docket",
            f"{case.court.docket} is no docket number of this kind",
            f"Write （2024）望0102{wanted}123号.",
        )
    elif case.dates.filed and int(match["year"]) not in (case.dates.filed.year, case.dates.filed.year + 1):
        yield Finding(
            "error",
            "court.docket",
            f"the year differs from the day of filing ({case.dates.filed})",
            "Correct either.",
        )


def check_files(paths: Iterable[Path]) -> Iterator[tuple[list[str], int]]:
    """Record by record what is found, a line each, and how many cases it holds; what cannot be read is an error of no
    case."""
    for path in paths:
        held = False
        try:
            for where, fields in case_records(path):
                held = True
                yield _checked(where, fields)
        except StoreError as error:
            held = True
            yield [f"{path}: error: {str(error).removeprefix(str(path)).lstrip(', :')}"], 0
        if not held:
            yield [f"{path}: error: no cases in it. A case file is TOML, or JSON with one case a line."], 0


def _checked(where: str, fields: dict[str, object]) -> tuple[list[str], int]:
    try:
        cases = [question.case for question in read_questions(where, fields)]
    except CaseFault as fault:
        return [f"{fault.where}: error: {one}" for one in fault.faults], 0
    except BadInput as error:
        return [f"{where}: error: {str(error).removeprefix(where).lstrip(', :')}"], 0
    # The three cases of a dispute hold the same.
    return [f"{where}: {finding}" for finding in check_case(cases[-1])], len(cases)


if __name__ == "__main__":  # it would end without a word
    raise SystemExit("Case files are checked by: moot tasks check FILE…")
