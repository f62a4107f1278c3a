"""Charges, sentence and days of a criminal case. Terms are in months; articles are those of the law of today."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.casefile.case import CriminalCase
from tasks.courts.casefile.law import Finding, Level, doubtful, wrong
from tasks.courts.casefile.prosecution import TIMED, Count, Range, Sentence
from tasks.courts.casefile.sense import months_after

_LIMITS: dict[str, tuple[int, int, int]] = {"有期徒刑": (6, 180, 300), "拘役": (1, 6, 12), "管制": (3, 24, 36)}
"""Kind -> least, most, most over several charges (刑法第三十八条、第四十二条、第四十五条、第六十九条)."""
_CRIMINAL_LAW = "中华人民共和国刑法"
_WORDS = "Figures and 判决主文 belong together."


def criminal(case: CriminalCase) -> Iterator[Finding]:
    """What is to be said about a criminal case."""
    yield from _counts(case)
    yield from _sentence(case)
    yield from _said(case)
    yield from _request(case)
    yield from _custody(case)


def term(months: int) -> str:
    """八个月, 一年, 一年六个月: as judgments write a term."""
    years, rest = divmod(months, 12)
    return (f"{int_to_chinese(years)}年" if years else "") + (f"{int_to_chinese(rest)}个月" if rest else "")


def _counts(case: CriminalCase) -> Iterator[Finding]:
    sentence, counts = case.gold.sentence, case.gold.sentence.counts
    if len(set(case.gold.charges)) < len(case.gold.charges):
        yield wrong("gold.charges", "a charge stands there twice", "Name it once.")
    if len(case.gold.charges) > 1:
        if {count.charge for count in counts} != set(case.gold.charges):
            todo = "Give the sentence of each (刑法第六十九条)."
            yield wrong("gold.sentence.counts", "do not name every charge", todo)
        terms = [count.months for count in counts if count.kind == sentence.kind]
        if terms and not max(terms) <= sentence.months <= sum(terms):
            told = f"{sentence.months} does not lie between {max(terms)} and {sum(terms)} (刑法第六十九条)"
            yield wrong("gold.sentence.months", told, "Combine the terms again.")
        if counts and round(sum(count.fine for count in counts)) != round(sentence.fine):
            todo = "Fines are added up (刑法第六十九条第三款)."
            yield wrong("gold.sentence.fine", "is not the sum of the fines", todo)
    for name in set(case.gold.charges) - {charge.name for charge in case.criminal.charges}:
        todo = "The reason must say why the court changes the charge (刑诉法解释第二百九十五条)."
        yield doubtful("gold.charges", f"{name} was not charged", todo)


def _sentence(case: CriminalCase) -> Iterator[Finding]:
    sentence = case.gold.sentence
    if sentence.kind in _LIMITS:
        least, most, combined = _LIMITS[sentence.kind]
        most = combined if len(case.gold.charges) > 1 else most
        if not least <= sentence.months <= most:
            told = f"{sentence.kind} of {sentence.months} months does not exist"
            yield wrong("gold.sentence.months", told, f"From {least} to {most}.")
    if sentence.probation_months:
        yield from _probation(case, sentence)
    ranges = {span.charge: span for span in sentence.ranges}
    counts = {count.charge: count for count in sentence.counts}
    for charge in case.gold.charges:
        only = Count.model_construct(charge=charge, kind=sentence.kind, months=sentence.months, fine=sentence.fine)
        if charge in ranges:
            yield from _within(ranges[charge], counts.get(charge, only))
        elif case.provenance.source == "authored":
            yield wrong("gold.sentence.ranges", f"none for {charge}", "Say what the law provides (法定刑).")


def _probation(case: CriminalCase, sentence: Sentence) -> Iterator[Finding]:
    field, months = "gold.sentence.probation_months", sentence.probation_months
    if sentence.kind not in ("有期徒刑", "拘役") or sentence.months > 36:
        told = f"no probation with {sentence.kind} of {sentence.months} months (刑法第七十二条)"
        yield wrong(field, told, "Leave it out, or correct the term.")
        return
    least, most = (max(12, sentence.months), 60) if sentence.kind == "有期徒刑" else (max(2, sentence.months), 12)
    if not least <= months <= most:
        yield wrong(field, f"{months} months; from {least} to {most} (刑法第七十三条)", "Correct it.")
    cited = {ref.article for ref in case.gold.laws if ref.law == _CRIMINAL_LAW}
    if 65 in cited:
        yield wrong(field, "no probation for a 累犯 (刑法第七十四条)", "Leave it out.")
    if 72 not in cited:
        yield wrong("gold.laws", "probation without 刑法第七十二条", "Add it.")
    if sentence.since:
        yield doubtful("gold.sentence.since", "a term on probation is not served", "Leave since and until out.")


def _within(span: Range, count: Count) -> Iterator[Finding]:
    field, correct = f"gold.sentence.ranges.{span.charge}", "Correct the sentence or the range."
    if count.kind in ("免予刑事处罚", "无罪"):
        return
    if count.kind not in span.kinds and not span.mitigated:
        yield wrong(field, f"{count.kind} is not among {'、'.join(span.kinds)}", correct)
    if count.kind == "有期徒刑":
        if span.most_months is not None and count.months > span.most_months:
            yield wrong(field, f"{count.months} months are more than {span.most_months}", correct)
        if count.months < span.least_months and not span.mitigated:
            told = f"{count.months} months are less than {span.least_months}"
            yield wrong(field, told, "Name the provision for 减轻处罚 in `mitigated`.")
    if span.fine == "must" and not count.fine:
        yield wrong(field, "a fine is provided and none imposed", "并处罚金 is no option.")
    if span.fine == "none" and count.fine:
        yield wrong(field, "a fine is imposed and none provided", "Leave it out, or correct the range.")


def _said(case: CriminalCase) -> Iterator[Finding]:
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


def _request(case: CriminalCase) -> Iterator[Finding]:
    """The sentence against the 量刑建议."""
    request, sentence, field = case.criminal.request, case.gold.sentence, "gold.sentence.request_adopted"
    if request is None:
        if sentence.request_adopted is not None:
            yield wrong(field, "there is no 量刑建议", "Leave it out.")
        return
    if sentence.request_adopted is None:
        level: Level = "error" if case.provenance.source == "authored" else "warning"
        yield Finding(level, field, "is missing", "Say whether the 量刑建议 is adopted (刑事诉讼法第二百零一条).")
    if sentence.request_adopted and request.months and not request.months[0] <= sentence.months <= request.months[1]:
        told = f"{sentence.months} months lie outside the 量刑建议 {request.months}"
        yield wrong(field, told, "It is not adopted, or the term is wrong.")
    if sentence.request_adopted and request.fine and not request.fine[0] <= sentence.fine <= request.fine[1]:
        told = f"a fine of {sentence.fine:g} lies outside the 量刑建议 {request.fine}"
        yield wrong(field, told, "It is not adopted, or the fine is wrong.")
    if request.months and request.months[0] > request.months[1]:
        yield wrong("criminal.request.months", "the least is more than the most", "Swap them.")


def _custody(case: CriminalCase) -> Iterator[Finding]:
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
