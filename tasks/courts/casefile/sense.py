"""What a case file contradicts in itself: references that lead nowhere, days in the wrong order, who may take part.

These make a case unusable. Whether the law is right is the matter of `checking`. One plaintiff sues one defendant,
and one natural person is accused: other constellations are refused by name.
"""

from __future__ import annotations

from calendar import monthrange
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Literal

from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CivilGold, CriminalCase, Dispute
from tasks.courts.casefile.material import TIMED, Dates, Exhibit, Fact
from tasks.courts.casefile.people import COUNSEL, PROCURATORATE, Party

GOLD_MISSING = "Write the judgment under [gold]: without it nothing can be scored."


Level = Literal["error", "warning"]


@dataclass(frozen=True, slots=True)
class CaseFinding:
    """What is wrong with a field and what to do about it; the field is a path such as parties.P1.birth_date. error:
    the case is legally wrong or contradicts itself; warning: somebody has to look at it."""

    level: Level
    field: str
    what: str
    todo: str

    def __str__(self) -> str:
        return f"{self.level}: {self.text}"

    @property
    def text(self) -> str:
        """The finding without its level."""
        return f"{self.field}: {self.what}. {self.todo}"


def wrong(field: str, what: str, todo: str) -> CaseFinding:
    """An error."""
    return CaseFinding("error", field, what, todo)


def doubtful(field: str, what: str, todo: str) -> CaseFinding:
    """A warning."""
    return CaseFinding("warning", field, what, todo)


def contradictions(case: Case | Dispute) -> list[CaseFinding]:
    """All contradictions of a case in the order of its fields; [] when it is sound."""
    if isinstance(case, AdviceCase):
        return [*_twice("topics", [topic.id for topic in case.topics]), *_topics(case), *_days(case.dates)]
    if not isinstance(case, CivilCase | CriminalCase | Dispute):
        return list(_days(case.dates))
    found = list(_parties(case))
    found += _days(case.dates)
    found += _born(case.parties, case.dates)
    found += _material(case.facts, case.evidence, case)
    found += _civil(case) if not isinstance(case, CriminalCase) else _criminal(case)
    return found


def age_on(born: date, day: date) -> int:
    """Full years: of an age only from the day after the birthday on (法释〔2006〕1号第二条)."""
    return day.year - born.year - ((day.month, day.day) <= (born.month, born.day))


def months_after(start: date, months: int) -> date:
    """The last day of a term that begins on `start`: 2024-05-20 and 8 months end on 2025-01-19."""
    year, month = divmod(start.month - 1 + months, 12)
    year, month = start.year + year, month + 1
    if start.day == 1 and year <= date.max.year:
        return date(year, month, 1) - timedelta(days=1)
    if year > date.max.year:
        return date.max
    return date(year, month, min(start.day - 1, monthrange(year, month)[1]))


def days_in_custody(case: CriminalCase) -> int:
    """Days that count against the term (刑法第四十四条、第四十七条; 刑事诉讼法第七十六条: two days of a designated
    residence make one); a day that ends one measure and begins the next counts once.
    """
    ends = {custody: custody.until or case.dates.judged or custody.since for custody in case.criminal.custody}
    held = _covered((one.since, end) for one, end in ends.items() if one.measure in ("拘留", "逮捕"))
    both = _covered(
        (one.since, end) for one, end in ends.items() if one.measure in ("拘留", "逮捕", "指定居所监视居住")
    )
    return held + (both - held) // 2


def _covered(spans: Iterable[tuple[date, date]]) -> int:
    days, reached = 0, 0
    for first, last in sorted(spans):
        days += max(0, last.toordinal() - max(first.toordinal() - 1, reached))
        reached = max(reached, last.toordinal())
    return days


def _parties(case: CivilCase | CriminalCase | Dispute) -> Iterator[CaseFinding]:
    yield from _twice("parties", [party.id for party in case.parties])
    yield from _twice("parties", [party.name for party in case.parties], "name")
    sides: Counter[str] = Counter(party.side for party in case.parties)
    criminal = isinstance(case, CriminalCase)
    if criminal and sides["plaintiff"]:
        yield wrong("parties", "a criminal case has no plaintiff", "Name victims under criminal.victims.")
    yield from too_many(criminal, sides["plaintiff"], sides["defendant"])
    if not criminal:
        for side in ("plaintiff", "defendant"):
            if not sides[side]:
                yield wrong("parties", f"no {side}", f'Add one [[parties]] with side = "{side}".')
        return
    if not sides["defendant"]:
        yield wrong("parties", "nobody is accused", 'Add one [[parties]] with side = "defendant".')
    for party in case.parties:
        if party.kind == "company":
            todo = "Only natural persons can be tried here."
            yield wrong(f"parties.{party.id}", "a company is accused (单位犯罪)", todo)


def too_many(criminal: bool, plaintiffs: int, defendants: int) -> Iterator[CaseFinding]:
    """One natural person is accused, or one plaintiff sues one defendant."""
    if criminal and defendants > 1:
        what = f"{defendants} accused; one is tried at a time"
        yield wrong("parties", what, "Try the others in cases of their own (另案处理).")
    sides = () if criminal else ((plaintiffs, "plaintiffs (原告)"), (defendants, "defendants (被告)"))
    for count, word in sides:
        if count > 1:
            what = f"{count} {word}; one plaintiff sues one defendant here"
            yield wrong("parties", what, "Split the dispute or keep one of them.")


def _days(dates: Dates) -> Iterator[CaseFinding]:
    order = ("acted", "acted_until", "filed", "proceeding", "judged")
    known = [(name, day) for name in order if (day := getattr(dates, name)) is not None]
    for (earlier, _), (later, day) in zip(known, known[1:], strict=False):
        if (earlier, later) != ("acted_until", "filed"):
            yield from _misplaced(f"dates.{later}", day, dates, since=earlier)
    yield from _misplaced("dates.acted_until", dates.acted_until, dates, until="judged")
    if dates.acted_until and not dates.acted:
        yield wrong("dates.acted", "is missing although acted_until is given", "Give the first day of the conduct.")
    yield from _misplaced("dates.asked", dates.asked, dates, since="acted")


def _misplaced(field: str, day: date | None, dates: Dates, since: str = "", until: str = "") -> Iterator[CaseFinding]:
    """A day lies between two days of the case, as far as these are known."""
    first, last = (getattr(dates, name) if name else None for name in (since, until))
    if day and first and day < first:
        yield wrong(field, f"{day} lies before dates.{since} ({first})", "Put the days of the case in order.")
    if day and last and day > last:
        yield wrong(field, f"{day} lies after dates.{until} ({last})", "Put the days of the case in order.")


def _born(parties: Iterable[Party], dates: Dates) -> Iterator[CaseFinding]:
    act = dates.acted or dates.filed or dates.judged
    for party in parties:
        if party.birth_date and act and party.birth_date >= act:
            what = f"{party.birth_date} is not before the facts of the case ({act})"
            yield wrong(f"parties.{party.id}.birth_date", what, "Correct either day.")


def _material(
    facts: Iterable[Fact], evidence: Iterable[Exhibit], case: CivilCase | CriminalCase | Dispute
) -> Iterator[CaseFinding]:
    parties = {party.id: party for party in case.parties}
    criminal = isinstance(case, CriminalCase)
    known = {fact.id for fact in facts}
    yield from _twice("facts", [fact.id for fact in facts])
    yield from _twice("evidence", [exhibit.id for exhibit in evidence])
    for fact in facts:
        yield from _lead(f"facts.{fact.id}.known_by", fact.known_by, parties, "party")
    owners = {**parties, PROCURATORATE: None} if criminal else parties
    for exhibit in evidence:
        where = f"evidence.{exhibit.id}"
        yield from _lead(f"{where}.owner", [exhibit.owner], owners, "owner")
        yield from _lead(f"{where}.proves", exhibit.proves, known, "fact")
        for objection in exhibit.objections:
            speakers = {**owners, COUNSEL: None} if criminal else parties
            yield from _lead(f"{where}.objections", [objection.by], speakers, "party")
            own = {exhibit.owner, COUNSEL} if criminal and exhibit.owner != PROCURATORATE else {exhibit.owner}
            if objection.by in own:
                what = f"{objection.by} objects to an exhibit of its own side"
                yield wrong(f"{where}.objections", what, "Name the other side in `by`.")
        if exhibit.witness and exhibit.witness.name in {party.name for party in case.parties}:
            yield wrong(
                f"{where}.witness", "the witness is a party", "The words of a party are 当事人的陈述 or 供述."
            )
    yield from _lead("statements", case.statements, parties, "party")


_NEEDED: dict[str, dict[str, str]] = {
    "complaint": {"CD": "事实和理由", "CI": "事实和理由"},
    "answer": {"DD": "答辩意见", "CI": "答辩意见"},
}
"""Field -> environments that cannot do without it, and what it is."""


def _civil(case: CivilCase | Dispute) -> Iterator[CaseFinding]:
    env = "CI" if isinstance(case, Dispute) else case.env
    for name, envs in _NEEDED.items():
        if env in envs and not getattr(case, name):
            yield wrong(name, "is missing", f"Write the {envs[env]}.")
    if env == "CI":
        if case.gold == CivilGold():
            yield wrong("gold", "is missing", GOLD_MISSING)
        else:
            for name in ("judgment", "reason", "laws"):
                if not getattr(case.gold, name):
                    yield wrong(f"gold.{name}", "is missing", GOLD_MISSING)
    claims = {claim.id: claim for claim in case.claims}
    facts = {fact.id for fact in case.facts}
    parties = {party.id: party for party in case.parties}
    yield from _twice("claims", [claim.id for claim in case.claims])
    yield from _twice("defences", [defence.id for defence in case.defences])
    yield from _twice("gold.rulings", [ruling.claim for ruling in case.gold.rulings], "claim")
    for claim in case.claims:
        yield from _lead(f"claims.{claim.id}.facts", claim.facts, facts, "fact")
    for defence in case.defences:
        yield from _lead(f"defences.{defence.id}.answers", defence.answers, claims, "claim")
        yield from _lead(f"defences.{defence.id}.facts", defence.facts, facts, "fact")
    yield from _lead("mediation", case.mediation, parties, "party")
    yield from _lead("gold.rulings", [ruling.claim for ruling in case.gold.rulings], claims, "claim")
    for fact in case.facts:
        if not fact.gold and not fact.disputed:
            yield wrong(
                f"facts.{fact.id}", "is not found by the court and yet not disputed", "Write disputed = true."
            )


def _criminal(case: CriminalCase) -> Iterator[CaseFinding]:
    criminal, sentence, dates = case.criminal, case.gold.sentence, case.dates
    for index, custody in enumerate(criminal.custody):
        where = f"criminal.custody[{index}]"
        if custody.until and custody.until < custody.since:
            what = f"{custody.until} lies before {custody.since}"
            yield wrong(f"{where}.until", what, "Put the days of the case in order.")
        yield from _misplaced(f"{where}.since", custody.since, dates, since="acted")
        yield from _misplaced(
            f"{where}.until", max(custody.since, custody.until or custody.since), dates, until="judged"
        )
    yield from _misplaced("criminal.served", criminal.served, dates, since="filed", until="proceeding")
    if sentence.kind in TIMED and not sentence.months:
        yield wrong("gold.sentence.months", f"{sentence.kind} has no term", "Give it in months.")
    if sentence.kind not in TIMED and sentence.months:
        what = f"{sentence.kind} has a term of {sentence.months} months"
        yield wrong("gold.sentence.months", what, "Leave it out.")
    if (sentence.kind == "无罪") != (not case.gold.charges):
        what = "无罪 and the list of charges contradict each other"
        yield wrong("gold.charges", what, "无罪 has no charge, anything else has one.")
    if sentence.kind in ("有期徒刑", "拘役") and case.criminal.custody and dates.judged:
        begin = min(custody.since for custody in criminal.custody)
        term = (months_after(begin, sentence.months) - begin).days + 1
        if (held := days_in_custody(case)) > term:
            what = f"{held} days in custody are longer than the term ({sentence.months} months)"
            yield wrong("criminal.custody", what, "Correct the days or the term.")
    if sentence.since and sentence.until:
        end = months_after(sentence.since, sentence.months)
        if sentence.until > end:
            what = f"{sentence.until} is after the end of the term ({end})"
            yield wrong("gold.sentence.until", what, "Reckon the term again.")
        if sentence.until <= sentence.since:
            what = f"{sentence.until} is not after {sentence.since}"
            yield wrong("gold.sentence.until", what, "Reckon the term again.")


def _topics(case: AdviceCase) -> Iterator[CaseFinding]:
    for topic in case.topics:
        where = f"topics.{topic.id}"
        if topic.type == "binary" and topic.answer not in ("是", "否"):
            yield wrong(f"{where}.answer", f"{topic.answer[:30]!r} answers a binary topic", "Write 是 or 否.")
        if topic.type == "law" and not topic.laws:
            yield wrong(f"{where}.laws", "a topic that asks for the law names none", "List the articles.")


def _lead(field: str, ids: Iterable[str], known: Iterable[str], what: str) -> Iterator[CaseFinding]:
    names = list(known)
    for name in ids:
        if name not in names:
            yield wrong(field, f"{name} is no {what} of this case", f"Known: {', '.join(names) or 'none'}.")


def _twice(field: str, ids: Iterable[str], what: str = "id") -> Iterator[CaseFinding]:
    for name, count in Counter(ids).items():
        if count > 1:
            yield wrong(field, f"the {what} {name} stands there {count} times", "Make them differ.")
