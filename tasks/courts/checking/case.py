"""The legal coherence of a case: what an author checks before a lawyer reads it.

Every cited article exists and is the law of the case's days; sums add up; rulings answer all claims and the text of
the judgment says what the figures say. Whether a sentence is just, or lies within the law, is for the author. Money
is in yuan, terms in months. `moot`'s own cases must come out without errors, and somebody has looked at their
warnings.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Iterator
from datetime import timedelta
from pathlib import Path

from store.errors import BadInput, StoreError
from store.text.dates import plain_date
from store.text.normalise import fold_width
from store.text.numerals import int_to_chinese
from tasks.courts.casefile.case import AdviceCase, Case, CivilCase, CriminalCase, Ruling
from tasks.courts.casefile.law import Laws, check_index, check_law, check_text, shipped_laws
from tasks.courts.casefile.loading import CaseFault, case_records
from tasks.courts.casefile.material import TIMED, Claim
from tasks.courts.casefile.questions import read_questions
from tasks.courts.casefile.sense import CaseFinding, Level, age_on, doubtful, months_after, wrong

_MASKED = "a masked name"
_PERSONAL = (
    (re.compile(r"(?<!\d)1[3-9]\d{9}(?!\d)"), "a telephone number"),
    (re.compile(r"(?<!\d)\d{17}[\dXx](?!\d)"), "an identity number"),
    (re.compile(r"某某|张某|李某|王某|×{2,}|[Xx]{3,}"), _MASKED),
)
_ADULT = 18


def check_case(case: Case, book: Laws | None = None) -> list[CaseFinding]:
    """Everything a lawyer might stumble over; `book`: a StatuteBook, or None for the shipped index of laws."""
    found = [*_laws(case, book or shipped_laws()), *_privacy(case)]
    if isinstance(case, AdviceCase):
        found += _advice(case)
    if isinstance(case, CivilCase | CriminalCase):
        found += _days(case)
        found += _civil(case) if isinstance(case, CivilCase) else _criminal(case)
    return found


def _laws(case: Case, laws: Laws) -> Iterator[CaseFinding]:
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


def _privacy(case: Case) -> Iterator[CaseFinding]:
    """Numbers of real people nowhere; a masked name only where the case comes from a judgment or another
    benchmark."""
    text, authored = case.model_dump_json(), case.provenance.source == "authored"
    for pattern, what in _PERSONAL:
        if (match := pattern.search(text)) and (authored or what != _MASKED):
            told = f"{match.group()} looks like {what}"
            yield wrong("case", told, "People are fictional: invent a name, leave numbers out.")


def _advice(case: AdviceCase) -> Iterator[CaseFinding]:
    authored = case.provenance.source == "authored"
    if authored and case.dates.asked is None:
        yield wrong("dates.asked", "is missing", "The law of that day is the answer.")
    for topic in case.topics:
        where = f"topics.{topic.id}"
        if authored and not topic.laws:
            yield wrong(f"{where}.laws", "is missing", "Every answer rests on an article.")
        if topic.type == "open" and not topic.points:
            yield CaseFinding(
                "error" if authored else "warning", f"{where}.points", "is missing", "Say what a full answer holds."
            )
        numbers = [ref.number.chinese for ref in topic.laws]
        if authored and topic.type == "law" and not any(number in topic.answer for number in numbers):
            yield doubtful(f"{where}.answer", "names none of its articles", "Write 《…法》第…条.")
    questions = Counter(text for topic in case.topics for text in (topic.question, *topic.aliases))
    for text, count in questions.items():
        if count > 1:
            yield wrong("topics", f"{text[:30]} is asked twice", "Make the topics differ.")


def _days(case: CivilCase | CriminalCase) -> Iterator[CaseFinding]:
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


# --- files of cases -------------------------------------------------------------------------------------------------


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
        return [f"{fault.where}: {one}" for one in fault.faults], 0
    except BadInput as error:
        return [f"{where}: error: {str(error).removeprefix(where).lstrip(', :')}"], 0
    # The three cases of a dispute hold the same.
    return [f"{where}: {finding}" for finding in check_case(cases[-1])], len(cases)


# --- sums, rulings and costs of a civil case ------------------------------------------------------------------------

_BANDS: tuple[tuple[float, float], ...] = (
    (10_000, 0), (100_000, 0.025), (200_000, 0.02), (500_000, 0.015), (1_000_000, 0.01), (2_000_000, 0.009),
    (5_000_000, 0.008), (10_000_000, 0.007), (20_000_000, 0.006), (float("inf"), 0.005),
)  # fmt: skip
_FLAT = 50.0
_PERSON_FEE = (100.0, 500.0)
_PERSON_BANDS: tuple[tuple[float, float], ...] = ((50_000, 0), (100_000, 0.01), (float("inf"), 0.005))
_NOT_PROPERTY = re.compile("离婚|婚姻|抚养|赡养|收养|继承|劳动|商标|专利|著作权")
"""Causes whose fee does not follow the sum in dispute, or not alone."""
_PERSON_RIGHT = re.compile("人格|生命权|身体权|健康权|姓名|名称权|肖像|名誉|荣誉|隐私|个人信息|人身自由")
_TORT = re.compile("责任纠纷$|责任$")
_HURT = re.compile(
    "医疗费|护理费|误工费|营养费|伙食补助|残疾|死亡赔偿|丧葬费|精神损害|精神抚慰|赔礼道歉"
    "|恢复名誉|消除影响|名誉|肖像|隐私|个人信息"
)
"""What is asked for where a tort hurt a person."""


def court_fee(amount: float) -> float:
    """案件受理费 of a property case in yuan before any reduction (《诉讼费用交纳办法》第十三条第一款第一项)."""
    return round(_FLAT + _banded(amount, _BANDS), 2)


def personal_fee(damages: float) -> tuple[float, float]:
    """Least and most 案件受理费 in yuan of a case about rights of the person, before any reduction
    (第十三条第一款第二项)."""
    extra = _banded(damages, _PERSON_BANDS)
    return round(_PERSON_FEE[0] + extra, 2), round(_PERSON_FEE[1] + extra, 2)


def _banded(amount: float, bands: tuple[tuple[float, float], ...]) -> float:
    total = floor = 0.0
    for top, rate in bands:
        total += max(0.0, min(amount, top) - floor) * rate
        floor = top
    return total


def _civil(case: CivilCase) -> Iterator[CaseFinding]:
    yield from _sums(case)
    yield from _rulings(case)
    yield from _fee(case)


def _sums(case: CivilCase) -> Iterator[CaseFinding]:
    authored = case.provenance.source == "authored"
    for claim in case.claims:
        where, parts = f"claims.{claim.id}", sum(part.amount for part in claim.parts)
        if claim.parts and not _same(claim.amount, parts):
            told = f"add up to {_yuan(parts)}, the claim is {_yuan(claim.amount)}"
            yield wrong(f"{where}.parts", told, "Correct the sums.")
        if claim.kind == "pay" and claim.amount is None and authored:
            yield wrong(f"{where}.amount", "is missing", "Reckon it to the day of filing.")
        if claim.amount and not _says(claim.amount, claim.text):
            told = f"does not say {_yuan(claim.amount)} yuan"
            yield doubtful(f"{where}.text", told, "Amount and text belong together.")
    total = sum(claim.amount or 0 for claim in case.claims if claim.kind == "pay")
    if case.amount is None:
        if total and authored:
            yield wrong("amount", "is missing", f"The claims add up to {_yuan(total)}.")
    elif not _same(case.amount, total):
        told = f"{_yuan(case.amount)}, but the claims add up to {_yuan(total)}"
        yield wrong("amount", told, "Correct the sums.")


def _rulings(case: CivilCase) -> Iterator[CaseFinding]:
    rulings = {ruling.claim: ruling for ruling in case.gold.rulings}
    level: Level = "error" if case.provenance.source == "authored" else "warning"
    judgment = "".join(case.gold.judgment)
    for claim in case.claims:
        if ruling := rulings.get(claim.id):
            yield from _ruling(claim, ruling, judgment)
        elif claim.kind != "costs":
            todo = "Every claim is granted, partly granted or rejected."
            yield CaseFinding(level, "gold.rulings", f"no ruling on {claim.id}", todo)
    outcomes = {ruling.outcome for ruling in case.gold.rulings}
    if outcomes & {"partly", "rejected"} and "驳回" not in judgment:
        todo = "Add 驳回…其他诉讼请求 or 驳回…的诉讼请求."
        yield wrong("gold.judgment", "does not reject what is not granted", todo)
    if outcomes == {"granted"} and "驳回" in judgment:
        yield wrong("gold.judgment", "rejects something although every claim is granted", "Correct either.")


def _ruling(claim: Claim, ruling: Ruling, judgment: str) -> Iterator[CaseFinding]:
    where = f"gold.rulings.{claim.id}"
    amount, given, claimed = ruling.amount, _yuan(ruling.amount), _yuan(claim.amount)
    if ruling.outcome == "rejected" and amount:
        yield wrong(where, f"is rejected and yet {given} yuan", "A rejected claim has the amount 0.")
    if ruling.outcome == "granted" and claim.amount is not None and not _same(amount, claim.amount):
        told = f"is granted in full, but {given} is not {claimed}"
        yield wrong(where, told, "Write partly, or correct the amount.")
    if ruling.outcome == "partly" and claim.amount and not (amount and amount <= claim.amount):
        told = f"is granted in part, but {given} is not above 0 and up to {claimed}"
        yield wrong(where, told, "Correct the outcome or the amount.")
    if ruling.outcome != "rejected" and amount and not _says(amount, judgment):
        yield wrong(where, f"the judgment does not say {given} yuan", "Figures and 判决主文 belong together.")


def _fee(case: CivilCase) -> Iterator[CaseFinding]:
    fee, where = case.gold.fee, "gold.fee"
    if fee is None:
        if case.provenance.source == "authored":
            yield wrong(where, "is missing", "Say what the 案件受理费 is and who bears it.")
        return
    if not _same(fee.total, fee.plaintiff + fee.defendant):
        told = f"the shares add up to {_yuan(fee.plaintiff + fee.defendant)}, not {_yuan(fee.total)}"
        yield wrong(where, told, "Correct the shares.")
    if not _says(fee.total, "".join(case.gold.judgment)):
        told = f"the judgment does not say {_yuan(fee.total)} yuan"
        yield wrong(where, told, "Add the paragraph on the 案件受理费.")
    yield from _reckoned(case, fee.total)
    outcomes = {ruling.outcome for ruling in case.gold.rulings}
    loser_pays = "败诉方负担 (《诉讼费用交纳办法》第二十九条)."
    if outcomes == {"rejected"} and fee.defendant:
        yield doubtful(where, "the defendant wins and bears costs", loser_pays)
    if outcomes == {"granted"} and fee.plaintiff:
        yield doubtful(where, "the plaintiff wins and bears costs", loser_pays)


def _reckoned(case: CivilCase, total: float) -> Iterator[CaseFinding]:
    """The fee by the scales that may hold; where a person was hurt courts take either that of property or that of the
    person."""
    amount = case.amount or 0.0
    claims = "".join(claim.text + "".join(part.text for part in claim.parts) for claim in case.claims)
    personal = _PERSON_RIGHT.search(case.cause) or (_TORT.search(case.cause) and _HURT.search(claims))
    if _NOT_PROPERTY.search(case.cause) or not (amount or personal):
        return
    share = 1 if case.court.procedure == "普通程序" else 2
    scales = [(court_fee(amount),) * 2] if amount else []
    scales += [personal_fee(amount)] if personal else []
    if any(low / share - 1 <= total <= high / share + 1 for low, high in scales):
        return
    told = " or ".join("–".join(_yuan(fee / share) for fee in dict.fromkeys(scale)) for scale in scales)
    halved = " halved" if share == 2 else ""
    said = f"{_yuan(total)} yuan; 《诉讼费用交纳办法》 gives {told} for {_yuan(amount)} yuan{halved}"
    yield wrong("gold.fee", said, "Reckon it again.")


def _says(amount: float, text: str) -> bool:
    """Whether a text says the amount: 176000, 176,000 or 17.6万."""
    plain = fold_width(text).replace(",", "")
    ways = {_yuan(amount), f"{amount:.2f}"}
    if amount >= 10_000:
        ways.add(f"{_yuan(amount / 10_000)}万")
    return any(re.search(rf"(?<![\d.]){re.escape(way)}(?![\d.])", plain) for way in ways)


def _same(one: float | None, two: float | None) -> bool:
    return round((one or 0) * 100) == round((two or 0) * 100)


def _yuan(amount: float | None) -> str:
    text = f"{amount or 0:.6f}".rstrip("0").rstrip(".")
    return text or "0"


# --- words and days of a criminal judgment ------------------------------------------------------------------------

_WORDS = "Figures and 判决主文 belong together."


def _criminal(case: CriminalCase) -> Iterator[CaseFinding]:
    for name in set(case.gold.charges) - {charge.name for charge in case.criminal.charges}:
        todo = "The reason must say why the court changes the charge (刑诉法解释第二百九十五条)."
        yield doubtful("gold.charges", f"{name} was not charged", todo)
    yield from _said(case)
    yield from _custody(case)


def term(months: int) -> str:
    """八个月, 一年, 一年六个月: as judgments write a term."""
    years, rest = divmod(months, 12)
    return (f"{int_to_chinese(years)}年" if years else "") + (f"{int_to_chinese(rest)}个月" if rest else "")


def _said(case: CriminalCase) -> Iterator[CaseFinding]:
    """The words of the judgment against its figures."""
    sentence, text = case.gold.sentence, "".join(case.gold.judgment)
    timed = [(sentence.kind, sentence.months), *((count.kind, count.months) for count in sentence.counts)]
    wanted = [f"{kind}{term(months)}" for kind, months in timed if kind in TIMED] + list(case.gold.charges)
    if sentence.probation_months:
        wanted.append(f"缓刑{term(sentence.probation_months)}")
    for words in wanted:
        if words not in text:
            yield wrong("gold.judgment", f"does not say {words}", _WORDS)
    if sentence.fine and not any(way in text.replace(",", "") for way in _money(sentence.fine)):
        yield wrong("gold.judgment", f"does not say a fine of {sentence.fine:g} yuan", _WORDS)
    if sentence.until and (day := plain_date(sentence.until)) not in text:
        yield wrong("gold.judgment", f"does not say that the term ends on {day}", _WORDS)


def _money(yuan: float) -> tuple[str, ...]:
    whole = int(yuan)
    return (f"{whole}元", f"{int_to_chinese(whole)}元", f"{whole / 10_000:g}万元")


def _custody(case: CriminalCase) -> Iterator[CaseFinding]:
    sentence, custody = case.gold.sentence, case.criminal.custody
    held = [one for one in custody if one.measure in ("拘留", "逮捕")]
    for one in held:
        if one.measure == "拘留" and one.until and one.until - one.since > timedelta(days=37):
            told = "拘留 of more than 37 days (刑事诉讼法第九十一条)"
            yield wrong("criminal.custody", told, "Correct the days.")
    if sentence.since and sentence.until and len(held) == len(custody) and held:
        begin = min(one.since for one in held)
        end = months_after(begin, sentence.months)
        if (sentence.since, sentence.until) != (begin, end):
            told = f"held since {begin}, so the term runs to {end}"
            yield wrong("gold.sentence.since", told, "Each day in custody counts (刑法第四十七条).")
    now_held = bool(custody) and custody[-1].measure in ("拘留", "逮捕") and custody[-1].until is None
    real = sentence.kind in ("有期徒刑", "拘役") and not sentence.probation_months
    if now_held and real and not sentence.until and case.provenance.source == "authored":
        yield wrong("gold.sentence.since", "is missing although the accused is held", "Say 刑期自…起至…止.")
    served, hearing = case.criminal.served, case.dates.proceeding
    if case.court.procedure == "普通程序" and served and hearing and (days := (hearing - served).days) < 10:
        told = f"{days} days before the hearing (刑事诉讼法第一百八十七条: ten)"
        yield wrong("criminal.served", told, "Serve it earlier.")
