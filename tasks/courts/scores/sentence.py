"""VER and CRI: what a judgment imposes and for which crimes, and how far it lies from the gold. Terms in months,
fines in yuan.

Read from the rulings only: earlier sentences stand in the reasons. Where several crimes are punished together the
term that is to be served counts (决定执行, 刑法第六十九条), a suspension (缓刑) never counts as the term, and clauses
that undo an earlier judgment (撤销 …) are left out. Distances are |ln(1+x) − ln(1+gold)|; the compat scores scale
them over a run, as the published code does, the strict ones by a fixed scale.

Prison and probation are not the same sentence (刑法第七十二条): whose probation ends well never serves the term
(第七十六条). Where one side suspends it and the other does not, the strict distance is the greater of two, between
the terms that are pronounced and between the months that are served, which are 0 on probation: seven months in prison
for seven months on probation lie ln(8) apart.

CRI: of which crimes a judgment convicts. Compat looks for the words of the gold charge anywhere in reasons or
rulings, as published. Strict reads the charges of the rulings and compares them as a set, each under its official
name; charges beyond the gold's are named, and cost the score.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from store.text.charges import canonical, charges, same_charges
from store.text.dates import LONGEST, TERM, months_of
from store.text.normalise import fold_width
from store.text.numerals import to_decimal
from tasks.courts.casefile.material import TIMED, Sentence, SentenceKind

MONTHS_SCALE = math.log(241)
"""Twenty years of 有期徒刑, the most for one crime."""
FINE_SCALE = math.log(1e6 + 1)
SUPREME: tuple[SentenceKind, ...] = ("无期徒刑", "死刑", "死刑缓期执行")
"""Kinds without a term: a class of their own, right or wrong."""
SUSPENDABLE: Mapping[SentenceKind, int] = {"有期徒刑": 36, "拘役": 12}
"""What 缓刑 can be given for, up to how many months (刑法第七十二条第一款; 拘役 of several crimes: 第六十九条)."""

_HAN = "零〇一二三四五六七八九十两壹贰叁肆伍陆柒捌玖拾"
_AMOUNT = (
    rf"(?P<amount>(?<![0-9])[0-9][0-9,]{{0,18}}(?:\.[0-9]+)? ?[千万百亿]?(?:[0-9]{{1,4}}|[0-9][千百])?"
    rf"|[{_HAN}百千万亿佰仟萬点]{{1,20}})"
    r" ?(?:余)?[元圆]"
)
_FINES = (
    re.compile(rf"罚金(?:人民币|共计|合计|总计|金额|数额|RMB|¥|为|计|共|:|,| )*{_AMOUNT}"),
    re.compile(rf"处(?:以|罚)?(?:人民币|¥| )*{_AMOUNT}(?:整)?(?:人民币)?的?罚金"),
)
_KINDS: tuple[tuple[SentenceKind, re.Pattern[str]], ...] = (
    ("死刑缓期执行", re.compile(r"死刑[,、 ]*(?:宣告|并)?缓期|死缓")),
    ("死刑", re.compile(r"(?<!不)判处(?:被告人[^,。;]{1,20})?死刑|执行死刑|决定执行死刑")),
    ("无期徒刑", re.compile(r"无期徒刑")),
    ("有期徒刑", re.compile(r"有期徒刑")),
    ("拘役", re.compile(r"拘役")),
    ("管制", re.compile(r"(?:判处|处以|执行)[^,。;]{0,20}管制(?![刀物药器品])")),
    ("单处罚金", re.compile(r"罚金")),
    ("免予刑事处罚", re.compile(r"免予刑事处罚|免除(?:刑事)?处罚|免于刑事处罚|免除刑罚")),
    ("无罪", re.compile(r"(?:宣告|宣布|判决|判处)?[^,。;]{0,24}无罪(?!的?(?:辩护|意见|辩解))")),
)
"""From the heaviest down: one that is heavier takes up the lighter ones (刑法第六十九条)."""
_EXECUTED = re.compile(r"决定(?:合并|对[^,。;]{1,14})?执行|合并执行|数罪并罚[,、]?(?:执行|判处)")
_UNDONE = re.compile(r"撤销[^;。\n]*?(?:[;。\n]|,(?=(?:与|并|决定|数罪|被告人))|$)")
_CONVICTED = re.compile(r"(?<!侵)犯(?!罪)")
_NOTE = re.compile(r"\((?![^()]*缓刑[^()]*(?:年|月))[^()]{0,400}\)")
_FORMAL = str.maketrans("壹贰叁肆伍陆柒捌玖拾佰仟萬", "一二三四五六七八九十百千万")
_RANGE = re.compile(r"以[上下]")


@dataclass(frozen=True, slots=True)
class SentenceMatch:
    """How one judgment compares with the gold.

    sen, fine: distances on the fixed scale, 0 best, 1 worst; None: nothing to compare. sen_d, fine_d: raw distances.
    kind: whether the kind of punishment is the gold's; suspended: whether 缓刑 is given or not as in the gold.
    probation: the same where it was a question at all, of a gold that could be suspended or a judgment that suspends;
    else None. supreme: of a gold of life or death, whether it was met; None for other golds.
    """

    said: Sentence | None
    sen: float | None
    fine: float | None
    sen_d: float | None
    fine_d: float | None
    kind: bool
    suspended: bool
    probation: bool | None
    supreme: bool | None

    @property
    def ver(self) -> float | None:
        """Mean of the parts that can be compared."""
        return _mean([self.sen, self.fine])


def read_sentence(rulings: Sequence[str]) -> Sentence | None:
    """The sentence that rulings pronounce; None where they pronounce none."""
    text = _plain("\n".join(rulings))
    executed = list(_EXECUTED.finditer(text))
    whole = text[executed[-1].end() :].split("\n")[0] if executed else text
    kind = next((name for name, pattern in _KINDS if pattern.search(whole)), None)
    if kind in (None, "单处罚金") and executed:
        kind = next((name for name, pattern in _KINDS if pattern.search(text)), None)
    if kind is None:
        return None
    timed = kind in TIMED
    months = (_term(whole, kind) if timed else 0) or (_term(text, kind) if timed else 0)
    fine = _first_fine(whole) if executed else None
    if fine is None:
        fine = sum(_first_fine(count) or 0.0 for count in _counts(text))
    return Sentence(kind=kind, months=months, probation_months=_probation(whole) if timed else 0, fine=round(fine, 2))


def compare(gold: Sentence, said: Sentence | None) -> SentenceMatch:
    """A sentence against the gold on the fixed scale; a judgment without one is a failure, 1 in both parts.

    No fine on either side leaves the fine out. Life and death compare as classes: 0 when met, else 1.
    """
    open_to = gold.months <= SUSPENDABLE.get(gold.kind, -1)
    if said is None:
        fine = 1.0 if gold.fine else None
        lost = False if open_to else None
        return SentenceMatch(None, 1.0, fine, None, None, False, False, lost, False if gold.kind in SUPREME else None)
    suspended = bool(said.probation_months) == bool(gold.probation_months)
    months = None if gold.kind in SUPREME or said.kind in SUPREME else _distance(said.months, gold.months)
    if months is not None and not suspended:
        months = max(months, _distance(_served(said), _served(gold)))
    sen = float(gold.kind != said.kind) if months is None else min(months / MONTHS_SCALE, 1.0)
    fine_d = _distance(said.fine, gold.fine) if gold.fine or said.fine else None
    return SentenceMatch(
        said,
        sen,
        None if fine_d is None else min(fine_d / FINE_SCALE, 1.0),
        months,
        fine_d,
        said.kind == gold.kind,
        suspended,
        suspended if open_to or said.probation_months else None,
        said.kind == gold.kind if gold.kind in SUPREME else None,
    )


@dataclass(frozen=True, slots=True)
class PublishedDistances:
    """Raw distances as the published code computes them; None: the gold has no term, which it cannot compute."""

    sen_d: float | None
    fine_d: float


def published_distances(rulings: str, gold: str) -> PublishedDistances:
    """Distances between the first 有期徒刑 or 拘役 of two texts, and between their first fines; nothing found counts
    as 0."""
    term = _published_term(gold)
    given = _published_term(rulings) or 0
    fines = [_first_fine(fold_width(text)) or 0.0 for text in (rulings, gold)]
    return PublishedDistances(None if term is None else _distance(given, term), _distance(fines[0], fines[1]))


def _plain(text: str) -> str:
    folded = _NOTE.sub("", fold_width(text)).replace("(", "").replace(")", "")
    return _UNDONE.sub("", re.sub(r"[ \t]+", " ", folded))


def _counts(text: str) -> list[str]:
    """The text from one conviction to the next; what stands before the first belongs to it."""
    starts = [match.start() for match in _CONVICTED.finditer(text)]
    if len(starts) < 2:
        return [text]
    return [text[start:end] for start, end in zip([0, *starts[1:]], [*starts[1:], len(text)], strict=True)]


def _term(text: str, kind: str) -> int:
    """Months of the longest term of a kind; 有期徒刑一年六个月, and 一年六个月有期徒刑 where the first form is
    missing."""
    for pattern in (rf"{kind}(?:的?刑期)?(?:为|:| )*{TERM}", rf"(?:判处|处以|执行){TERM}的? ?{kind}"):
        found = [
            _months(match)
            for match in re.finditer(pattern, text)
            if not _RANGE.match(text[match.end() : match.end() + 2])
        ]
        if any(found):
            return max(found)
    return 0


def _probation(text: str) -> int:
    for match in re.finditer(rf"缓刑(?:的?考验期(?:限)?)?(?:为|:| )*{TERM}", text):
        if months := _months(match):
            return months
    return 0


def _published_term(text: str) -> int | None:
    match = re.search(rf"(?:有期徒刑|拘役) ?{TERM}", fold_width(text))
    return (_months(match) or None) if match else None


def _months(match: re.Match[str]) -> int:
    return min(months_of(match), LONGEST)


def _first_fine(text: str) -> float | None:
    found = [match for pattern in _FINES if (match := pattern.search(text))]
    written = min(found, key=lambda match: match.start())["amount"] if found else ""
    amount = to_decimal(written.replace(" ", "").translate(_FORMAL)) if written else None
    return None if amount is None else min(float(amount), 1e13)


def _served(sentence: Sentence) -> int:
    """The months in custody; none of 管制, none on probation that ends well."""
    return 0 if sentence.probation_months or sentence.kind not in SUSPENDABLE else sentence.months


def _distance(first: float, second: float) -> float:
    return abs(math.log1p(first) - math.log1p(second))


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if known else None


# --- charges (CRI) --------------------------------------------------------------------------------------------------

_FIRST_CRIME = re.compile("犯(.*?)罪")
_VERB = re.compile(
    r"(?P<no>不)?(?:构成(?:犯(?!罪))?|(?<!侵)(?<!罪)犯(?!罪)[有了]?|以(?=[^,。;]{2,40}罪(?:判处|定罪|追究|处)))"
)
_NOT_PROVEN = re.compile(r"(?:不能|不足以|没有|并非|尚不|未)(?:认定|证明)?(?:被告人[^,。;]{0,8})?$")
_FAILS = re.compile(r"[\"”'》」]*(?:的)?(?:指控|罪名|事实|证据|,)*(?:证据不足|不能|不成立|不予)")
_CRIME_CLAUSE = re.compile(r"[^,。;:\n]*")
_NAME_ENDS = re.compile(
    r"(?<=罪)[\"“”'》」]*(?:判处|处以|处(?=[有拘管罚死无])|免予|免除|免于|定罪|追究|并处|单处|不能|不成立|一案|的|$)"
)
_EARLIER = re.compile(r"(?:撤销|曾因|前因|此前)[^;。\n]*?(?:[;。\n]|,(?=被告人)|$)")
_ACQUITTED = re.compile(r"无罪(?!的?(?:辩护|意见|辩解))")
_ASIDE = re.compile(r"\((?!边\))[^()]{0,400}\)")
_QUOTES = re.compile(r"[\"“”'‘’「」《》]")


@dataclass(frozen=True, slots=True)
class ChargeScore:
    """said: official names without 罪; extra, missing: against the gold; value: 1 for the same set, else 0."""

    value: float
    said: tuple[str, ...]
    extra: tuple[str, ...]
    missing: tuple[str, ...]
    acquitted: bool


def published_charge(reason: str, rulings: str, gold: Sequence[str]) -> float:
    """The published CRI: 1 where what stands between the first 犯 and the next 罪 of the gold occurs in the judgment.

    Args:
        reason, rulings: of the judgment, as said.
        gold: the gold rulings; only the first is read.
    """
    match = _FIRST_CRIME.search(gold[0]) if gold else None
    name = match[1] if match else ""
    return float(bool(name) and (name in reason or name in rulings))


def convictions(rulings: Sequence[str]) -> tuple[str, ...]:
    """The charges of which rulings convict, as they write them: 盗窃罪, 掩饰、隐瞒犯罪所得罪.

    Earlier convictions (撤销 …, 曾因犯 …) and charges that are said not to hold do not count.
    """
    found: list[str] = []
    for ruling in rulings:
        text = _QUOTES.sub("", _EARLIER.sub("", _ASIDE.sub("", fold_width(ruling).replace("国(边)境", "国边境"))))
        place = 0
        while match := _VERB.search(text, place):
            clause = _CRIME_CLAUSE.match(text, match.end())
            assert clause is not None
            place = max(match.end(), clause.end())
            if match["no"] or _NOT_PROVEN.search(text[max(0, match.start() - 24) : match.start()]):
                continue
            stop = _NAME_ENDS.search(clause[0])
            head = clause[0][: stop.start()] if stop else clause[0]
            name = head[: head.rfind("罪") + 1].strip()
            if len(name) > 2 and not _FAILS.match(clause[0].strip()[len(name) :]):
                found += [part for part in re.split(r"(?<=罪)(?:、|和|与|及|以及|并)", name) if len(part) > 2]
    return tuple(dict.fromkeys(found))


def score_charges(rulings: Sequence[str], gold: Sequence[str]) -> ChargeScore:
    """The strict CRI. A gold without charges is an acquittal, earned by 无罪 and no conviction."""
    said = frozenset(name for text in convictions(rulings) for name in charges(text))
    wanted = frozenset(canonical(name) for name in gold)
    acquitted = not said and any(_ACQUITTED.search(ruling) for ruling in rulings)
    same = same_charges(said, wanted) if wanted else acquitted
    extra, missing = (said - wanted, wanted - said) if not same else (frozenset(), frozenset())
    return ChargeScore(float(same), tuple(sorted(said)), tuple(sorted(extra)), tuple(sorted(missing)), acquitted)
