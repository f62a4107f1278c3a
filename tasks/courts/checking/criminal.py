"""Sentence, plea, custody and procedure of a criminal case. Terms are in months; articles are those of the law of
today."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from store.text.dates import plain_date
from store.text.numerals import int_to_chinese
from tasks.courts.casefile.case import CriminalCase
from tasks.courts.casefile.law import Finding
from tasks.courts.casefile.prosecution import TIMED, Count, Range, Sentence
from tasks.courts.casefile.sense import months_after
from tasks.courts.checking.civil import bench

_LIMITS: dict[str, tuple[int, int, int]] = {"有期徒刑": (6, 180, 300), "拘役": (1, 6, 12), "管制": (3, 24, 36)}
"""Kind -> least, most, most over several charges (刑法第三十八条、第四十二条、第四十五条、第六十九条)."""
_CRIMINAL_LAW = "中华人民共和国刑法"
_PROCEDURE_LAW = "中华人民共和国刑事诉讼法"


def criminal(case: CriminalCase) -> Iterator[Finding]:
    """What is to be said about a criminal case."""
    yield from _counts(case)
    yield from _sentence(case)
    yield from _said(case)
    yield from _plea(case)
    yield from _procedure(case)
    yield from _custody(case)


def term(months: int) -> str:
    """八个月, 一年, 一年六个月: as judgments write a term."""
    years, rest = divmod(months, 12)
    return (f"{int_to_chinese(years)}年" if years else "") + (f"{int_to_chinese(rest)}个月" if rest else "")


def _counts(case: CriminalCase) -> Iterator[Finding]:
    sentence = case.gold.sentence
    if case.gold.charges != tuple(dict.fromkeys(case.gold.charges)):
        yield Finding("error", "gold.charges", "a charge stands there twice", "Name it once.")
    if len(case.gold.charges) > 1:
        if {count.charge for count in sentence.counts} != set(case.gold.charges):
            yield Finding(
                "error",
                "gold.sentence.counts",
                "do not name every charge",
                "Give the sentence of each (刑法第六十九条).",
            )
        terms = [count.months for count in sentence.counts if count.kind == sentence.kind]
        if terms and not max(terms) <= sentence.months <= sum(terms):
            yield Finding(
                "error",
                "gold.sentence.months",
                f"{sentence.months} does not lie between {max(terms)} and {sum(terms)} (刑法第六十九条)",
                "Combine the terms again.",
            )
        if sentence.counts and round(sum(count.fine for count in sentence.counts)) != round(sentence.fine):
            yield Finding(
                "error",
                "gold.sentence.fine",
                "is not the sum of the fines",
                "Fines are added up (刑法第六十九条第三款).",
            )
    for name in case.gold.charges:
        if name not in {charge.name for charge in case.criminal.charges}:
            yield Finding(
                "warning",
                "gold.charges",
                f"{name} was not charged",
                "The reason must say why the court changes the charge (刑诉法解释第二百九十五条).",
            )


def _sentence(case: CriminalCase) -> Iterator[Finding]:
    sentence = case.gold.sentence
    several = len(case.gold.charges) > 1
    if sentence.kind in _LIMITS:
        least, most, combined = _LIMITS[sentence.kind]
        if not least <= sentence.months <= (combined if several else most):
            yield Finding(
                "error",
                "gold.sentence.months",
                f"{sentence.kind} of {sentence.months} months does not exist",
                f"From {least} to {combined if several else most}.",
            )
    if sentence.probation_months:
        yield from _probation(case, sentence)
    ranges = {span.charge: span for span in sentence.ranges}
    counts = {count.charge: count for count in sentence.counts}
    for charge in case.gold.charges:
        span = ranges.get(charge)
        if span is None:
            if case.provenance.source == "authored":
                yield Finding(
                    "error", "gold.sentence.ranges", f"none for {charge}", "Say what the law provides (法定刑)."
                )
            continue
        only = Count.model_construct(charge=charge, kind=sentence.kind, months=sentence.months, fine=sentence.fine)
        yield from _within(span, counts.get(charge, only))


def _probation(case: CriminalCase, sentence: Sentence) -> Iterator[Finding]:
    field, months = "gold.sentence.probation_months", sentence.probation_months
    if sentence.kind not in ("有期徒刑", "拘役") or sentence.months > 36:
        yield Finding(
            "error",
            field,
            f"no probation with {sentence.kind} of {sentence.months} months (刑法第七十二条)",
            "Leave it out, or correct the term.",
        )
        return
    least, most = (max(12, sentence.months), 60) if sentence.kind == "有期徒刑" else (max(2, sentence.months), 12)
    if not least <= months <= most:
        yield Finding("error", field, f"{months} months; from {least} to {most} (刑法第七十三条)", "Correct it.")
    if any(ref.law == _CRIMINAL_LAW and ref.article == 65 for ref in case.gold.laws):
        yield Finding("error", field, "no probation for a 累犯 (刑法第七十四条)", "Leave it out.")
    if not any(ref.law == _CRIMINAL_LAW and ref.article == 72 for ref in case.gold.laws):
        yield Finding("error", "gold.laws", "probation without 刑法第七十二条", "Add it.")
    if sentence.since:
        yield Finding(
            "warning", "gold.sentence.since", "a term on probation is not served", "Leave since and until out."
        )


def _within(span: Range, count: Count) -> Iterator[Finding]:
    field = f"gold.sentence.ranges.{span.charge}"
    if count.kind in ("免予刑事处罚", "无罪"):
        return
    if count.kind not in span.kinds and not span.mitigated:
        yield Finding(
            "error", field, f"{count.kind} is not among {'、'.join(span.kinds)}", "Correct the sentence or the range."
        )
    if count.kind == "有期徒刑":
        if span.most_months is not None and count.months > span.most_months:
            yield Finding(
                "error",
                field,
                f"{count.months} months are more than {span.most_months}",
                "Correct the sentence or the range.",
            )
        if count.months < span.least_months and not span.mitigated:
            yield Finding(
                "error",
                field,
                f"{count.months} months are less than {span.least_months}",
                "Name the provision for 减轻处罚 in `mitigated`.",
            )
    if span.fine == "must" and not count.fine:
        yield Finding("error", field, "a fine is provided and none imposed", "并处罚金 is no option.")
    if span.fine == "none" and count.fine:
        yield Finding("error", field, "a fine is imposed and none provided", "Leave it out, or correct the range.")
    if span.mitigated and not span.least_months:
        yield Finding(
            "warning", field, "mitigated although there is no lower end", "Below the range there must be something."
        )


def _said(case: CriminalCase) -> Iterator[Finding]:
    """The words of the judgment against its figures."""
    sentence, text = case.gold.sentence, "".join(case.gold.judgment)
    wanted = [f"{sentence.kind}{term(sentence.months)}"] if sentence.kind in TIMED else []
    wanted += [f"{count.kind}{term(count.months)}" for count in sentence.counts if count.kind in TIMED]
    wanted += list(case.gold.charges)
    if sentence.probation_months:
        wanted.append(f"缓刑{term(sentence.probation_months)}")
    for words in wanted:
        if words not in text:
            yield Finding("error", "gold.judgment", f"does not say {words}", "Figures and 判决主文 belong together.")
    if sentence.fine and not any(way in text.replace(",", "") for way in _money(sentence.fine)):
        yield Finding(
            "error",
            "gold.judgment",
            f"does not say a fine of {sentence.fine:g} yuan",
            "Figures and 判决主文 belong together.",
        )
    if sentence.until:
        day = plain_date(sentence.until)
        if day not in text:
            yield Finding(
                "error",
                "gold.judgment",
                f"does not say that the term ends on {day}",
                "Figures and 判决主文 belong together.",
            )


def _money(yuan: float) -> tuple[str, ...]:
    whole = int(yuan)
    return (f"{whole}元", f"{int_to_chinese(whole)}元", f"{whole / 10_000:g}万元")


def _plea(case: CriminalCase) -> Iterator[Finding]:
    plea, request, sentence = case.criminal.plea, case.criminal.request, case.gold.sentence
    if plea.signed and plea.stance == "not_guilty":
        yield Finding(
            "error",
            "criminal.plea",
            "认罪认罚具结书 is signed, yet the plea is not guilty",
            "Correct either, or let the text say that it is withdrawn.",
        )
    if plea.signed and request is None:
        yield Finding(
            "error", "criminal.request", "认罪认罚 without a 量刑建议 (刑事诉讼法第一百七十六条)", "Write it."
        )
    if plea.signed and not any(ref.law == _PROCEDURE_LAW and ref.article == 15 for ref in case.gold.laws):
        yield Finding("warning", "gold.laws", "认罪认罚 without 刑事诉讼法第十五条", "Add it.")
    if plea.signed and not any(party.counsel for party in case.parties):
        yield Finding(
            "warning",
            "criminal.plea",
            "signed without a lawyer (刑事诉讼法第一百七十四条)",
            "Say that a 值班律师 was present.",
        )
    if request is None:
        if sentence.request_adopted is not None:
            yield Finding("error", "gold.sentence.request_adopted", "there is no 量刑建议", "Leave it out.")
        return
    if sentence.request_adopted is None:
        yield Finding(
            "error" if case.provenance.source == "authored" else "warning",
            "gold.sentence.request_adopted",
            "is missing",
            "Say whether the 量刑建议 is adopted (刑事诉讼法第二百零一条).",
        )
    if sentence.request_adopted is False and not sentence.request_reason:
        yield Finding("error", "gold.sentence.request_reason", "is missing", "Say why the 量刑建议 is not adopted.")
    if sentence.request_adopted and request.months and not request.months[0] <= sentence.months <= request.months[1]:
        yield Finding(
            "error",
            "gold.sentence.request_adopted",
            f"{sentence.months} months lie outside the 量刑建议 {request.months}",
            "It is not adopted, or the term is wrong.",
        )
    if sentence.request_adopted and request.fine and not request.fine[0] <= sentence.fine <= request.fine[1]:
        yield Finding(
            "error",
            "gold.sentence.request_adopted",
            f"a fine of {sentence.fine:g} lies outside the 量刑建议 {request.fine}",
            "It is not adopted, or the fine is wrong.",
        )
    if request.months and request.months[0] > request.months[1]:
        yield Finding("error", "criminal.request.months", "the least is more than the most", "Swap them.")


def _procedure(case: CriminalCase) -> Iterator[Finding]:
    court, plea = case.court, case.criminal.plea
    yield from bench(court)
    field, sole = "court.procedure", court.presiding is not None and court.presiding.title == "独任审判员"
    long = case.gold.sentence.months > 36 or case.gold.sentence.kind in ("无期徒刑", "死刑", "死刑缓期执行")
    if court.procedure == "小额诉讼程序":
        yield Finding("error", field, "小额诉讼程序 belongs to civil cases", "Write 普通程序, 简易程序 or 速裁程序.")
    if court.procedure == "普通程序" and sole:
        yield Finding(
            "error", field, "普通程序 before one judge (刑事诉讼法第一百八十三条)", "Name a 审判长 and a panel."
        )
    if court.procedure == "普通程序" and court.panel and 1 + len(court.panel) not in (3, 7):
        yield Finding(
            "error",
            "court.panel",
            f"a panel of {1 + len(court.panel)} (刑事诉讼法第一百八十三条)",
            "Three members, or seven with four 人民陪审员.",
        )
    if court.procedure == "简易程序":
        if plea.stance == "not_guilty":
            yield Finding(
                "error",
                field,
                "简易程序 although the accused denies the crime (刑事诉讼法第二百一十四条)",
                "Write 普通程序.",
            )
        if plea.stance == "partial":
            yield Finding(
                "warning", field, "简易程序 with a plea in part (刑事诉讼法第二百一十四条)", "Are the facts admitted?"
            )
        if long and sole:
            yield Finding(
                "error", field, "more than three years before one judge (刑事诉讼法第二百一十六条)", "Name a panel."
            )
    if court.procedure == "速裁程序":
        if plea.stance != "guilty" or not plea.signed:
            yield Finding(
                "error",
                field,
                "速裁程序 without 认罪认罚 (刑事诉讼法第二百二十二条)",
                "Write another procedure, or let the accused sign.",
            )
        if long:
            yield Finding(
                "error",
                field,
                "速裁程序 and more than three years (刑事诉讼法第二百二十二条)",
                "Write another procedure.",
            )
        if court.presiding is not None and not sole:
            yield Finding(
                "error", field, "速裁程序 is heard by one judge (刑事诉讼法第二百二十二条)", "Name a 独任审判员."
            )
        if any(victim.loss and not victim.settled for victim in case.criminal.victims):
            yield Finding(
                "warning",
                field,
                "速裁程序 while a victim is not compensated (刑事诉讼法第二百二十三条)",
                "No 附带民事诉讼 may be open.",
            )
        if case.dates.proceeding != case.dates.judged:
            yield Finding(
                "error",
                "dates.judged",
                "速裁程序 gives judgment at the hearing (刑事诉讼法第二百二十四条)",
                "Take the day of the hearing.",
            )
    if court.procedure == "普通程序" and case.criminal.served and case.dates.proceeding:
        days = (case.dates.proceeding - case.criminal.served).days
        if days < 10:
            yield Finding(
                "error",
                "criminal.served",
                f"{days} days before the hearing (刑事诉讼法第一百八十七条: ten)",
                "Serve it earlier.",
            )
    if case.criminal.request is not None and not court.public and not court.closed_reason:
        yield Finding(
            "error", "court.closed_reason", "is missing", "Say why the hearing is closed (刑事诉讼法第一百八十八条)."
        )


def _custody(case: CriminalCase) -> Iterator[Finding]:
    sentence, custody = case.gold.sentence, case.criminal.custody
    held = [one for one in custody if one.measure in ("拘留", "逮捕")]
    detained = [one for one in custody if one.measure == "拘留" and one.until]
    for one in detained:
        if one.until and one.until - one.since > timedelta(days=37):
            yield Finding(
                "error", "criminal.custody", "拘留 of more than 37 days (刑事诉讼法第九十一条)", "Correct the days."
            )
    if sentence.since and sentence.until and len(held) == len(custody) and held:
        begin = min(one.since for one in held)
        if sentence.since != begin or sentence.until != months_after(begin, sentence.months):
            yield Finding(
                "error", "gold.sentence.since",
                f"held since {begin}, so the term runs to {months_after(begin, sentence.months)}",
                "Each day in custody counts (刑法第四十七条).",
            )  # fmt: skip
    now_held = bool(custody) and custody[-1].measure in ("拘留", "逮捕") and custody[-1].until is None
    real = sentence.kind in ("有期徒刑", "拘役") and not sentence.probation_months
    if now_held and real and not sentence.until and case.provenance.source == "authored":
        yield Finding(
            "error", "gold.sentence.since", "is missing although the accused is held", "Say 刑期自…起至…止."
        )
