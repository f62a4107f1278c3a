"""The legal coherence of a case: what an author checks before a lawyer reads it.

Every cited article exists and is the law of the case's days; sums add up; rulings answer all claims and the text of
the judgment says what the figures say; the sentence lies within what the law provides. Money is in yuan, terms in
months. `moot`'s own cases must come out without errors and with warnings that somebody has looked at.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from pathlib import Path

from store.errors import BadInput, StoreError
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase
from tasks.courts.casefile.law import (
    Finding,
    Laws,
    check_index,
    check_law,
    check_text,
    doubtful,
    shipped_laws,
    wrong,
)
from tasks.courts.casefile.loading import CaseFault, case_records
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


def check_case(case: Case, book: Laws | None = None) -> list[Finding]:
    """Everything a lawyer might stumble over; `book`: a StatuteBook, or None for the shipped index of laws."""
    found = [*_laws(case, book or shipped_laws()), *_privacy(case)]
    if isinstance(case, AdviceCase):
        found += _advice(case)
    if isinstance(case, CivilCase | CriminalCase):
        found += _days(case)
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
    cited = [("gold.laws", ref) for ref in case.gold.laws]
    texts = [("gold.reason", case.gold.reason), *(("gold.judgment", text) for text in case.gold.judgment)]
    if isinstance(case, CriminalCase):
        cited += [("criminal.charges", ref) for charge in case.criminal.charges for ref in charge.laws]
        spans = case.gold.sentence.ranges
        cited += [("gold.sentence.ranges", ref) for span in spans for ref in (span.law, *span.mitigated)]
        spoken = ("opinion", "defence_opinion", "indictment")
        texts += [(f"criminal.{field}", getattr(case.criminal, field)) for field in spoken]
    for field, ref in cited:
        yield from check_law(field, ref, dates, laws)
    for field, text in texts:
        yield from check_text(field, text, dates, laws)
    for ref, count in Counter(case.gold.laws).items():
        if count > 1:
            yield wrong("gold.laws", f"{ref.chinese} stands there twice", "Name it once.")


def _privacy(case: Case) -> Iterator[Finding]:
    """Numbers of real people nowhere; a masked name only where the case comes from a judgment or another
    benchmark."""
    text, authored = case.model_dump_json(), case.provenance.source == "authored"
    for pattern, what in _PERSONAL:
        if (match := pattern.search(text)) and (authored or what != _MASKED):
            told = f"{match.group()} looks like {what}"
            yield wrong("case", told, "People are fictional: invent a name, leave numbers out.")


def _advice(case: AdviceCase) -> Iterator[Finding]:
    authored = case.provenance.source == "authored"
    if authored and case.dates.asked is None:
        yield wrong("dates.asked", "is missing", "The law of that day is the answer.")
    for topic in case.topics:
        where = f"topics.{topic.id}"
        if authored and not topic.laws:
            yield wrong(f"{where}.laws", "is missing", "Every answer rests on an article.")
        if topic.type == "open" and not topic.points:
            yield Finding(
                "error" if authored else "warning", f"{where}.points", "is missing", "Say what a full answer holds."
            )
        numbers = [ref.number.chinese for ref in topic.laws]
        if authored and topic.type == "law" and not any(number in topic.answer for number in numbers):
            yield doubtful(f"{where}.answer", "names none of its articles", "Write 《…法》第…条.")
    questions = Counter(text for topic in case.topics for text in (topic.question, *topic.aliases))
    for text, count in questions.items():
        if count > 1:
            yield wrong("topics", f"{text[:30]} is asked twice", "Make the topics differ.")


def _days(case: CivilCase | CriminalCase) -> Iterator[Finding]:
    if case.provenance.source == "authored":
        for name in ("acted", "filed", "proceeding", "judged"):
            if getattr(case.dates, name) is None:
                yield wrong(f"dates.{name}", "is missing", "It decides which law applies.")
    day = case.dates.acted if isinstance(case, CriminalCase) else case.dates.filed
    for party in case.parties:
        years = age_on(party.birth_date, day) if party.birth_date and day else _ADULT
        where = f"parties.{party.id}.birth_date"
        if years < _ADULT:
            told = f"{party.name} is {years}: a 法定代理人 would have to sit in court"
            yield wrong(where, told, "Make the party an adult.")
        elif years > 95:
            yield doubtful(where, f"{party.name} is {years} years old", "Is the year right?")


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
