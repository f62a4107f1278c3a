"""Sums, rulings and costs of a civil case."""

from __future__ import annotations

import re
from collections.abc import Iterator

from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase, Ruling
from tasks.courts.casefile.law import Finding, Level, doubtful, wrong
from tasks.courts.casefile.material import Claim

_BANDS: tuple[tuple[float, float], ...] = (
    (10_000, 0), (100_000, 0.025), (200_000, 0.02), (500_000, 0.015), (1_000_000, 0.01), (2_000_000, 0.009),
    (5_000_000, 0.008), (10_000_000, 0.007), (20_000_000, 0.006), (float("inf"), 0.005),
)  # fmt: skip
_FLAT = 50.0
_PERSONAL_FEE = (100.0, 500.0)
_PERSONAL_BANDS: tuple[tuple[float, float], ...] = ((50_000, 0), (100_000, 0.01), (float("inf"), 0.005))
_NOT_PROPERTY = re.compile("离婚|婚姻|抚养|赡养|收养|继承|劳动|商标|专利|著作权")
"""Causes whose fee does not follow the sum in dispute, or not alone."""
_PERSONAL_RIGHT = re.compile("人格|生命权|身体权|健康权|姓名|名称权|肖像|名誉|荣誉|隐私|个人信息|人身自由")
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
    extra = _banded(damages, _PERSONAL_BANDS)
    return round(_PERSONAL_FEE[0] + extra, 2), round(_PERSONAL_FEE[1] + extra, 2)


def _banded(amount: float, bands: tuple[tuple[float, float], ...]) -> float:
    total = floor = 0.0
    for top, rate in bands:
        total += max(0.0, min(amount, top) - floor) * rate
        floor = top
    return total


def civil(case: CivilCase) -> Iterator[Finding]:
    """What is to be said about a civil case."""
    yield from _sums(case)
    yield from _rulings(case)
    yield from _fee(case)


def _sums(case: CivilCase) -> Iterator[Finding]:
    authored = case.provenance.source == "authored"
    for claim in case.claims:
        where, parts = f"claims.{claim.id}", sum(part.amount for part in claim.parts)
        if claim.parts and not _same(claim.amount, parts):
            told = f"add up to {_yuan(parts)}, the claim is {_yuan(claim.amount)}"
            yield wrong(f"{where}.parts", told, "Correct the sums.")
        if claim.kind == "pay" and claim.amount is None and authored:
            yield wrong(f"{where}.amount", "is missing", "Reckon it to the day of filing.")
        if claim.amount and not _said(claim.amount, claim.text):
            told = f"does not say {_yuan(claim.amount)} yuan"
            yield doubtful(f"{where}.text", told, "Amount and text belong together.")
    total = sum(claim.amount or 0 for claim in case.claims if claim.kind == "pay")
    if case.amount is None:
        if total and authored:
            yield wrong("amount", "is missing", f"The claims add up to {_yuan(total)}.")
    elif not _same(case.amount, total):
        told = f"{_yuan(case.amount)}, but the claims add up to {_yuan(total)}"
        yield wrong("amount", told, "Correct the sums.")


def _rulings(case: CivilCase) -> Iterator[Finding]:
    rulings = {ruling.claim: ruling for ruling in case.gold.rulings}
    level: Level = "error" if case.provenance.source == "authored" else "warning"
    judgment = "".join(case.gold.judgment)
    for claim in case.claims:
        if ruling := rulings.get(claim.id):
            yield from _ruling(claim, ruling, judgment)
        elif claim.kind != "costs":
            todo = "Every claim is granted, partly granted or rejected."
            yield Finding(level, "gold.rulings", f"no ruling on {claim.id}", todo)
    outcomes = {ruling.outcome for ruling in case.gold.rulings}
    if outcomes & {"partly", "rejected"} and "驳回" not in judgment:
        todo = "Add 驳回…其他诉讼请求 or 驳回…的诉讼请求."
        yield wrong("gold.judgment", "does not reject what is not granted", todo)
    if outcomes == {"granted"} and "驳回" in judgment:
        yield wrong("gold.judgment", "rejects something although every claim is granted", "Correct either.")


def _ruling(claim: Claim, ruling: Ruling, judgment: str) -> Iterator[Finding]:
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
    if ruling.outcome != "rejected" and amount and not _said(amount, judgment):
        yield wrong(where, f"the judgment does not say {given} yuan", "Figures and 判决主文 belong together.")


def _fee(case: CivilCase) -> Iterator[Finding]:
    fee, where = case.gold.fee, "gold.fee"
    if fee is None:
        if case.provenance.source == "authored":
            yield wrong(where, "is missing", "Say what the 案件受理费 is and who bears it.")
        return
    if not _same(fee.total, fee.plaintiff + fee.defendant):
        told = f"the shares add up to {_yuan(fee.plaintiff + fee.defendant)}, not {_yuan(fee.total)}"
        yield wrong(where, told, "Correct the shares.")
    if not _said(fee.total, "".join(case.gold.judgment)):
        told = f"the judgment does not say {_yuan(fee.total)} yuan"
        yield wrong(where, told, "Add the paragraph on the 案件受理费.")
    yield from _reckoned(case, fee.total)
    outcomes = {ruling.outcome for ruling in case.gold.rulings}
    loser_pays = "败诉方负担 (《诉讼费用交纳办法》第二十九条)."
    if outcomes == {"rejected"} and fee.defendant:
        yield doubtful(where, "the defendant wins and bears costs", loser_pays)
    if outcomes == {"granted"} and fee.plaintiff:
        yield doubtful(where, "the plaintiff wins and bears costs", loser_pays)


def _reckoned(case: CivilCase, total: float) -> Iterator[Finding]:
    """The fee by the scales that may hold; where a person was hurt courts take either that of property or that of the
    person."""
    amount = case.amount or 0.0
    claims = "".join(claim.text + "".join(part.text for part in claim.parts) for claim in case.claims)
    personal = _PERSONAL_RIGHT.search(case.cause) or (_TORT.search(case.cause) and _HURT.search(claims))
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


def _said(amount: float, text: str) -> bool:
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
