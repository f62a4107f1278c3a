"""The judgment in what a judge says: where the reasons begin, where the rulings stand, and when there is no judgment
at all.

A judgment reads 本院认为 … 判决如下 … 一、… 二、…; models add headings, lists of digits and markdown. What follows
the rulings (notice of appeal, court fee, closing) is no ruling. The rules of task failure are those of the published
code.

JUD without a grader is read from the words of the rulings. A claim is granted, granted in part, rejected, or
forgotten (漏判: neither ruled on nor rejected). A sum that is awarded belongs to the claim whose words stand before
it; one award answers one claim. A claim counts when its outcome is the gold's and the sum, where there is one, lies
within 1 %. A proxy: it does not read conditions, dates of interest, or who pays whom.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import islice
from typing import Literal

from store.text.dates import days
from store.text.money import named_sums
from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase
from tasks.courts.casefile.material import Claim
from tasks.courts.scores.bigrams import bigrams, recall

Failure = Literal["no_judgment", "too_short", "role_confusion", "runaway_citations", "empty_turn", "template"]
"""Why an episode has no score: no utterance with 本院认为 and 判决; fewer than four turns; a prosecutor in a civil
judgment; more than 20 第; a judge who says nothing; a form that was not filled in."""
LEAST_TURNS = 4
MOST_ORDINALS = 20
REASON = "本院认为"
RULES = "判决如下"

_INTRODUCTIONS = tuple(
    re.compile(pattern)
    for pattern in (
        r"判决如下",
        r"(?:作出|宣告|宣布)(?:如下|以下)判决",
        r"(?:判决|裁判|宣判)(?:结果|主文|内容|事项)(?:如下)?",
        r"(?:判决|宣判)\s*[】\]]?\s*:",
    )
)
_TAIL = re.compile(
    r"如不服本|如对本判决不服|不服本判决|如有不服|可(?:以)?在(?:接到|收到)?[^。]{0,20}判决书[^。]{0,20}上诉"
    r"|审\s*判\s*(?:长|员)\s*:"
    r"|独任审判员\s*:|书\s*记\s*员\s*:|现在(?:宣布)?(?:闭庭|休庭)|宣布闭庭|本案(?:现已)?审理终结"
    r"|<[^>]{0,8}结束[^>]{0,8}>"
)
_MARKER = re.compile(
    r"(?:(?<=[。;；\s])|^)\s*(?:第?[一二三四五六七八九十]{1,3}[、.:]|第[一二三四五六七八九十]{1,3}项?[,:、]"
    r"|\d{1,2}\s*[、.)](?!\d)"
    r"|\([一二三四五六七八九十\d]{1,3}\)[、.]?)\s*"
)
_MARKDOWN = re.compile(r"[*#`>|]+|^[ \t]*[-•·][ \t]+", re.MULTILINE)
_BLANKS = re.compile(r"[^\S\n]+")
_LINES = re.compile(r" ?\n[ \n]*")
_FEE = re.compile(
    r"^\s*(?:本案)?(?:如果?未(?:能)?按|如逾期|逾期(?:不|未)履行|(?:本案)?(?:案件)?(?:受理费|诉讼费|保全费|公告费)"
    r"|当事人在本判决发生法律效力前)"
)
_LABEL = "罪名|刑期|刑种|刑罚|期限|年限|金额|数额|姓名|填写|此处|具体|待定"
_SLOT = re.compile(
    # A place that every criminal judgment fills: of whom, which crime, what term, which sum.
    r"(?:被告人|犯|判处|有期徒刑|拘役|管制|缓刑|考验期限?|罚金|人民币)[\s*:：]{0,4}(?:"
    rf"[\[【〔<{{＜｛][^\]】〕>}}＞｝\n]{{0,12}}?(?:{_LABEL})[^\]】〕>}}＞｝\n]{{0,12}}[\]】〕>}}＞｝]"
    r"|[（(](?:此处|请?填写|待定)[^）)\n]{0,20}[）)]"
    r"|[（(\[【]\s{0,8}[）)\]】]"
    r"|[_＿]{2,}|…{2,}|\.{4,}"
    r"|[xXｘＸ×○□某]{1,8}\s?(?:[年月日元万罪]|个月)"
    r")"
)


@dataclass(frozen=True, slots=True)
class Judgment:
    """A judgment in its parts.

    text: the whole utterance; reason: from 本院认为 to the rulings; rulings: the items without their numbers, notice
    of appeal and fee aside; ordered: the rulings as one text, with their numbers.
    """

    text: str
    reason: str
    ordered: str
    rulings: tuple[str, ...]


def judgment_of(said: Sequence[str]) -> Judgment | None:
    """The judgment among the utterances of a judge: the last that has reasons and rulings; None where none has.

    Where no single one has both, the reasons may stand up to three turns before the rulings; last come rulings alone.
    """
    for length in (1, 2, 3):
        for end in range(len(said), length - 1, -1):
            text = "\n".join(said[end - length : end])
            if REASON in text and (made := read_judgment(text)).ordered:
                return made
    return next((made for text in reversed(said) if RULES in text and (made := read_judgment(text)).ordered), None)


def read_judgment(text: str) -> Judgment:
    """An utterance in its parts; parts that it lacks are empty."""
    folded = _LINES.sub("\n", _BLANKS.sub(" ", _MARKDOWN.sub("", fold_width(text))))
    start = folded.find(REASON)
    body = folded[start + len(REASON) :] if start >= 0 else folded[folded.find(RULES) :] if RULES in folded else ""
    begin, end = _introduction(body)
    reason, ordered = body[:begin], body[end:]
    if tail := _TAIL.search(ordered):
        ordered = ordered[: tail.start()]
    items = (item.strip(" \n\t:") for line in ordered.splitlines() for item in _MARKER.split(line))
    rulings = tuple(item for item in items if item and not _FEE.match(item))
    return Judgment(text, reason.lstrip(",:;、 \n").strip(), ordered.strip(" \n:"), rulings)


def _introduction(body: str) -> tuple[int, int]:
    """Where the words that introduce the rulings begin and end; the end of the text twice where there are none."""
    for pattern in _INTRODUCTIONS:
        found = list(pattern.finditer(body))
        if found:
            return found[-1].span()
    listed = re.search(r"(?:^|[。\n])\s*(?=一、)", body)
    return (listed.start(), listed.end()) if listed else (len(body), len(body))


def published_judgment(said: Sequence[str]) -> str | None:
    """The utterance that the published code takes: the last one with both 本院认为 and 判决."""
    return next((text for text in reversed(said) if REASON in text and "判决" in text), None)


def published_reason(text: str) -> str:
    """All that follows the first 本院认为."""
    return text.partition(REASON)[2]


def published_rulings(text: str) -> str:
    """All that follows 判决如下, or the last 判决 where these words are missing; the notice of appeal is cut off."""
    _, found, rest = text.partition(RULES)
    rest = rest if found else text.rpartition("判决")[2]
    return re.split("如不服本判决", rest, maxsplit=1)[0].strip("：: \n")


def failure(env: Literal["CI", "CR"], said: Sequence[str], turns: int) -> Failure | None:
    """Why the published code gives an episode 0 for everything; None where it is scored.

    Args:
        env: CI or CR.
        said: all utterances of the judge.
        turns: number of the last turn of the record.
    """
    if turns < LEAST_TURNS:
        return "too_short"
    text = published_judgment(said)
    if text is None:
        return "no_judgment"
    if env == "CI":
        if "公诉人" in text or "模拟被告回应" in text:
            return "role_confusion"
        return "runaway_citations" if text.count("第") > MOST_ORDINALS else None
    if any(not utterance.strip() for utterance in said):
        return "empty_turn"
    return "template" if unfilled(text) else None


def unfilled(text: str) -> bool:
    """Whether a judgment is a form whose own places were left open: 犯[罪名]罪, 有期徒刑XX年, 罚金____元.

    Only the rulings are read, and in them only the places of a form: what courts mask (张××, 某公司) and what
    exhibits are called stands elsewhere.
    """
    return _SLOT.search(published_rulings(text)) is not None


# --- what rulings make of each claim (JUD without a grader) ---------------------------------------------------------

Outcome = Literal["granted", "partly", "rejected", "omitted"]
TOLERANCE = 0.01
_MOST_AWARDS = 100
"""No judgment orders more sums; bounds the work on hostile text."""
_HELD = 0.5
"""Share of a claim's character pairs that a ruling on it repeats."""

_NOTE = re.compile(r"\([^()]{0,300}\)")
_REJECTED = re.compile(r"驳回|不予支持|不予准许|不准(?:予|许)?")
_REST = re.compile(
    r"(?:其他|其它|其余|全部|所有|本案)的?(?:全部)?(?:诉讼)?(?:请求|诉请)"
    r"|驳回原告[^,。;、要求请关就主对]{0,12}的?(?:诉讼请求|起诉|诉请)"
)
_IDLE = re.compile(
    r"判令|判决|请求|依法|确认|原告|被告|双方|向|于本判决(?:生效|发生法律效力)之日起[^,。;]{1,6}日内|立即|支付|给付"
    r"|偿还|归还|返还|退还|赔偿|人民币|¥|共计|合计"
    r"|[0-9,.]+ ?万?元|[0-9]{4} ?年[0-9]{1,2} ?月(?:[0-9]{1,2} ?日)?|截至|自|至|起|止|期间|\s|[,。;:、()《》“”\"]"
)
_GOES_ON = re.compile(r",?(?:并支付|以及自|并按|及自|和自)[^,。;]*?(?:自|起|实际|清偿)")


@dataclass(frozen=True, slots=True)
class ClaimReading:
    """What rulings make of one claim: the outcome, the sum awarded, and the words it was read from."""

    claim: str
    outcome: Outcome
    amount: float | None = None
    words: str = ""


@dataclass(frozen=True, slots=True)
class ClaimMatch:
    """One claim against the gold."""

    read: ClaimReading
    gold: Literal["granted", "partly", "rejected"]
    gold_amount: float | None
    outcome: bool
    amount: bool | None
    """None: no sum to compare."""

    @property
    def holds(self) -> bool:
        """Outcome and sum are the gold's."""
        return self.outcome and self.amount is not False


@dataclass(frozen=True, slots=True)
class _Award:
    label: str
    amount: float
    item: int


def score_claims(case: CivilCase, rulings: Sequence[str]) -> tuple[float | None, tuple[ClaimMatch, ...]]:
    """Share of the claims whose ruling is the gold's, with each of them; None where the gold rules on no claim by
    itself."""
    gold = {ruling.claim: ruling for ruling in case.gold.rulings}
    claims = [claim for claim in case.claims if claim.id in gold]
    names = [party.name for party in case.parties]
    found = []
    for read in read_claims(claims, rulings, names):
        ruling = gold[read.claim]
        same = read.outcome == ruling.outcome
        sum_matters = ruling.amount is not None and ruling.outcome != "rejected"
        near = within(read.amount, ruling.amount) if sum_matters else None
        found.append(ClaimMatch(read, ruling.outcome, ruling.amount, same, near))
    return (sum(match.holds for match in found) / len(found) if found else None), tuple(found)


def within(said: float | None, gold: float | None) -> bool:
    """Whether two sums in yuan lie within 1 % of the gold."""
    return said is not None and gold is not None and abs(said - gold) <= TOLERANCE * gold


def read_claims(claims: Sequence[Claim], rulings: Sequence[str], names: Sequence[str] = ()) -> list[ClaimReading]:
    """What rulings make of each claim, in the order of the claims.

    Args:
        claims: those the court has to rule on.
        rulings: the items of the judgment, as `rulings.Judgment.rulings` has them.
        names: of the parties, which say nothing about what a ruling is about.
    """
    plain = [_without(names, fold_width(ruling)) for ruling in rulings]
    granted = {place: _NOTE.sub("", text) for place, text in enumerate(plain) if not _REJECTED.search(text)}
    refusals = [text for place, text in enumerate(plain) if place not in granted]
    awards = list(islice((award for place, text in granted.items() for award in _awards(text, place)), _MOST_AWARDS))
    taken = _assigned([claim for claim in claims if claim.kind == "pay"], awards, granted)
    found = []
    for claim in claims:
        award = taken.get(claim.id)
        if award is not None:
            outcome: Outcome = "granted" if award.amount >= (claim.amount or 0) * (1 - TOLERANCE) else "partly"
            found.append(ClaimReading(claim.id, outcome, award.amount, granted[award.item]))
        elif claim.kind == "pay" and (claim.amount or awards):
            found.append(_refused(claim, refusals, names))
        else:
            found.append(_ordered(claim, granted, refusals, names))
    return found


def _assigned(claims: Sequence[Claim], awards: Sequence[_Award], items: dict[int, str]) -> dict[str, _Award]:
    """The award that answers each claim: the best pairs first, then what is left where only the verb agrees."""
    pairs = sorted(
        (
            (-_likeness(claim, award, items[award.item]), place, number)
            for place, claim in enumerate(claims)
            for number, award in enumerate(awards)
            if not claim.amount or award.amount <= claim.amount * (1 + TOLERANCE)
        )
    )
    # A court that awards more than was asked is read too, behind all pairs that fit.
    over = sorted(
        (-_likeness(claim, award, items[award.item]), place, number)
        for place, claim in enumerate(claims)
        for number, award in enumerate(awards)
        if claim.amount and award.amount > claim.amount * (1 + TOLERANCE)
    )
    found: dict[str, _Award] = {}
    used: set[int] = set()
    for least, ranked in ((0.35, pairs), (0.6, over), (0.05, pairs)):
        for likeness, place, number in ranked:
            if -likeness >= least and claims[place].id not in found and number not in used:
                found[claims[place].id] = awards[number]
                used.add(number)
    return found


def _likeness(claim: Claim, award: _Award, item: str) -> float:
    """How much the words before a sum, and the item around it, are those of a claim."""
    topic, label = _topic(claim.text), _IDLE.sub("", award.label)
    tail = _common_tail(topic, label)
    verb = any(word in claim.text and word in award.label for word in ("赔偿", "返还", "退还", "归还", "偿还"))
    return _held(topic, label) + 0.5 * (tail >= 2) + 0.3 * _held(topic, _IDLE.sub("", item)) + 0.06 * verb


def _refused(claim: Claim, refusals: Sequence[str], names: Sequence[str]) -> ClaimReading:
    topic = _IDLE.sub("", _without(names, _topic(claim.text)))
    for text in refusals:
        if _REST.search(text) or _held(topic, _IDLE.sub("", text)) >= _HELD:
            return ClaimReading(claim.id, "rejected", 0.0, text)
    return ClaimReading(claim.id, "omitted")


def _ordered(claim: Claim, granted: dict[int, str], refusals: Sequence[str], names: Sequence[str]) -> ClaimReading:
    """A claim for an act or a declaration: granted where a ruling repeats it, in part where it names another day."""
    topic = _without(names, _topic(claim.text))
    best = max(granted.values(), key=lambda text: _held(topic, _IDLE.sub("", text)), default="")
    if _held(topic, _IDLE.sub("", best)) >= _HELD:
        asked, given = ({one.day for one in days(text)} for text in (claim.text, best))
        return ClaimReading(claim.id, "partly" if asked and given and not asked <= given else "granted", None, best)
    return _refused(claim, refusals, names)


def _awards(text: str, item: int) -> Iterator[_Award]:
    """Sums that an item orders to be paid; bases of interest, deductions and totals of what was named are none."""
    found = False
    for named in named_sums(text):
        if not (found and named.total):
            yield _Award(named.label, named.amount, item)
        found = True


def _topic(text: str) -> str:
    """What a claim is about: its words up to the interest that runs on, without sums, days and verbs of paying."""
    folded = _NOTE.sub("", fold_width(text))
    if match := _GOES_ON.search(folded):
        folded = folded[: match.start()] or folded
    return _IDLE.sub("", folded)


def _held(topic: str, text: str) -> float:
    """Share of the pairs of characters of a topic that a text holds."""
    return recall(bigrams(topic), bigrams(text)) if topic else 0.0


def _common_tail(first: str, second: str) -> int:
    length = 0
    while length < min(len(first), len(second)) and first[-1 - length] == second[-1 - length]:
        length += 1
    return length


def _without(names: Sequence[str], text: str) -> str:
    for name in names:
        text = text.replace(fold_width(name), "")
    return text
