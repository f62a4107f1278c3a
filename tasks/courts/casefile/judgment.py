"""The text of a judgment in its parts, and what it decides as the gold of a case file: rulings on claims, fee,
issues; charges and 宣告刑. Sums in yuan, terms in months. What is decided is read by the readers of the scores."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from store.text.citation import citations
from store.text.dates import ANY_TERM, days, months_in
from store.text.money import named_sums, one_sum
from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int
from tasks.courts.casefile.material import Claim
from tasks.courts.casefile.people import LawRef
from tasks.courts.scores.laws import CitedArticle, cited_articles, official_title
from tasks.courts.scores.rulings import read_claims, read_judgment
from tasks.courts.scores.sentence import convictions, read_sentence

Env = Literal["CI", "CR"]
LONGEST = 20_000
"""Characters of one field of a case file."""
STARTS = r"(?:^|(?<=[。;:!?\n]))[ \t]*"


@dataclass(frozen=True, slots=True)
class JudgmentText:
    """A judgment in its parts; what was not found is empty.

    head: lines before the course of the case; course: how it came to trial; parts: claims, answer, charge, evidence
    and the like; reason: from 本院认为 to the laws; laws: the clause that names them; ruled: from 判决如下 on; tail:
    notice of appeal, bench, day.
    """

    env: Env
    text: str = ""
    head: tuple[str, ...] = ()
    course: str = ""
    parts: Mapping[str, str] = field(default_factory=dict)
    reason: str = ""
    laws: str = ""
    ruled: str = ""
    tail: str = ""

    def part(self, key: str) -> str:
        """The words of a part, or nothing."""
        return self.parts.get(key, "")

    def all_of(self, keys: str) -> str:
        """The words of several parts, those there are."""
        return "\n".join(filter(None, map(self.part, keys.split())))


def procedure_in(course: str) -> str:
    """The procedure under which a text says that the case was tried, "" where it says none."""
    course = fold_width(course)
    if re.search(r"转(?:为|换为)?(?:适用)?普通程序", course):
        return "普通程序"
    named = {"小额诉讼": "小额诉讼程序", **{name: name for name in ("速裁程序", "简易程序", "普通程序")}}
    return next((name for word, name in named.items() if word in course), "")


def clipped(text: str, name: str, notes: list[str]) -> str:
    """A text that fits into a field; a cut is noted."""
    text = text.strip()
    if len(text) > LONGEST:
        notes.append(f"{name}: cut at {LONGEST} characters")
    return text[:LONGEST].strip()


_RULING = re.compile(r"(?:^|(?<=[。;\n]))[ \t]*(?=[一二三四五六七八九十]{1,3}、)", re.MULTILINE)


def ruled_lines(ruled: str) -> list[str]:
    """判决主文, a paragraph or an item an entry, with their numbers."""
    cuts = [0, *(match.start() for match in _RULING.finditer(fold_width(ruled))), len(ruled)]
    parts = (ruled[start:end] for start, end in zip(cuts, cuts[1:], strict=False))
    return [line[:LONGEST] for part in parts for line in map(str.strip, part.split("\n")) if line]


_ROUND_DIGITS = "⓪①②③④⑤⑥⑦⑧⑨⑩"
_FAMILIES = (
    re.compile(rf"{STARTS}(?P<n>[一二三四五六七八九十]{{1,3}})、", re.MULTILINE),
    re.compile(
        rf"(?:{STARTS}|(?<=[有为下,]))(?P<n>[0-9]{{1,2}})[、.](?![0-9]+(?:[万亿]?元|%|[米克吨倍亩]))", re.MULTILINE
    ),
    re.compile(rf"{STARTS}\((?P<n>[0-9]{{1,2}}|[一二三四五六七八九十]{{1,3}})\)[、,.]?", re.MULTILINE),
    re.compile(r"(?P<n>[①②③④⑤⑥⑦⑧⑨⑩])"),
    re.compile(rf"{STARTS}证据(?P<n>[一二三四五六七八九十]{{1,3}}|[0-9]{{1,2}})[、,:.]?", re.MULTILINE),
    re.compile(rf"(?:{STARTS}|(?<=,))(?P<n>[一二三四五六七八九])是", re.MULTILINE),
)


def items(text: str, least: int = 2) -> tuple[str, list[str]]:
    """What stands before a numbered list, and its items without their numbers; no items where there is no list.

    Only numbers that count on from one belong to a list, whatever else looks like one. `least`: how many make a list.
    """
    folded = fold_width(text)
    for pattern in _FAMILIES:
        marks: list[re.Match[str]] = []
        for mark in pattern.finditer(folded):
            if _value(mark["n"]) == len(marks) + 1:
                marks.append(mark)
        if len(marks) < least:
            continue
        ends = [mark.start() for mark in marks[1:]] + [len(text)]
        found = [text[mark.end() : end].strip() for mark, end in zip(marks, ends, strict=True)]
        return text[: marks[0].start()].strip(), [item for item in found if item]
    return text, []


def _value(number: str) -> int:
    if number.isascii():
        return int(number)
    if number in _ROUND_DIGITS:
        return _ROUND_DIGITS.index(number)
    return chinese_to_int(number) or 0


_SENTENCE = re.compile(r"[^。！？\n]*[。！？]?[”』」]?")


def sentences(text: str) -> list[str]:
    """Sentences with the signs that end them."""
    return [found for match in _SENTENCE.finditer(text) if (found := match[0].strip())]


# --- what a judgment decides ----------------------------------------------------------------------------------------

_MORE = re.compile(r"[、,和及] ?第(?P<paragraph>[一二三四五六七八九十]{1,3})款")
_MOST = 80
"""Characters of a title in a case file."""


def laws_of(clause: str, notes: list[str]) -> dict[str, object]:
    """`laws` and `as_cited` of a clause 依照《…》第…条."""
    if not clause:
        return {}
    found, unnamed = cited_articles(clause)
    if unnamed:
        notes.append(f"gold.laws: no law is named for {'、'.join(unnamed[:6])}")
    laws: list[str | dict[str, Any]] = []
    for article, paragraph, item in _with_parts(clause, found):
        if len(article.law) > _MOST:
            notes.append(f"gold.laws: the title {article.law[:30]}… is too long for a case file")
            continue
        written = _written(
            LawRef(law=article.law, article=article.number, sub=article.sub, paragraph=paragraph, item=item)
        )
        if written not in laws:
            laws.append(written)
    titles = [part.strip(" ，,、；;和及与") for part in _split(clause)]
    return {"laws": laws, "as_cited": [part[:2000] for part in titles if part.startswith("《")]}


def _with_parts(clause: str, found: list[CitedArticle]) -> Iterator[tuple[CitedArticle, int | None, int | None]]:
    """The articles in the order of the clause with each 款 and 项 that is named.

    `found` has read titles that hold titles, `citations` the parts: both have the articles in one order.
    """
    folded = fold_width(clause)
    left = list(found)
    for cited in citations(clause):
        same = [
            article for article in found if (article.number, article.sub) == (cited.number.number, cited.number.sub)
        ]
        if not same:
            continue
        named = official_title(cited.law) if cited.law else ""
        waiting = [article for article in same if article in left]
        article = next((one for one in same if one.law == named), waiting[0] if waiting else same[-1])
        left = [one for one in left if one != article]
        yield article, cited.paragraph, cited.item
        place = cited.end
        while cited.paragraph and (more := _MORE.match(folded, place)):
            yield article, chinese_to_int(more["paragraph"]), None
            place = more.end()
    yield from ((article, None, None) for article in left)


def _written(ref: LawRef) -> str | dict[str, object]:
    """As a text where it reads back the same."""
    text = ref.chinese.replace("《", "", 1)
    place = text.rfind("》")
    text = text[:place] + text[place + 1 :]
    try:
        if LawRef.model_validate(text) == ref:
            return text
    except ValueError:
        pass
    return ref.model_dump(exclude_defaults=True)


def _split(clause: str) -> list[str]:
    """The clause before each title of its own; titles inside titles stay."""
    parts, depth, last = [], 0, 0
    for place, sign in enumerate(clause):
        if sign == "《":
            if not depth:
                parts.append(clause[last:place])
                last = place
            depth += 1
        elif sign == "》" and depth:
            depth -= 1
    tail = re.sub(r"(?:之|的)?规定[^《》]{0,12}$", "", fold_width(clause[last:]))
    return [*parts, clause[last : last + len(tail)]]


_COSTS = re.compile(r"诉讼费|受理费")
_ONLY_COSTS = re.compile(
    r"[^,。;]{0,30}?(?:本案)?(?:的)?(?:全部|一切)?(?:案件)?(?:诉讼费|受理费)[^,。;]{0,4}"
    r"(?:、[^,。;]{1,20})?[^,。;]{0,10}(?:承担|负担)?[。;]?"
)
_ACT = re.compile(r"出具|办理|协助|交付|腾退|搬离|停止|赔礼|消除|恢复|拆除|配合|继续履行")
_PAYS = re.compile(r"支付|返还|退还|退回|归还|偿还|给付|赔偿|清偿|(?<!所)承担(?!保证)|补偿|补足|付清|交纳")
_DECLARE = re.compile(r"确认|解除|撤销|离婚|无效|终止|变更")
_FEE = re.compile(r"(?:本案)?(?:一审)?案件受理费[^。\n]{0,300}")
_BEARS = re.compile(
    r"(?:由)?(?P<who>(?:原告|被告|原、被告|双方)[^,;。]{0,30}?)(?:共同|各)?(?:负担|承担)(?P<sum>[^,;。]{0,20})"
)
_HALF = re.compile(r"(?:减半收取|减半)[^,;。0-9]{0,8}")
_ISSUES = re.compile(r"争议(?:的)?焦点[^。\n]{0,12}?(?:为|是|在于|如下|:)[:,]?[^\n]{4,400}")
_ISSUE = re.compile(r"焦点[^。\n]{0,12}?(?:为|是|在于|如下|:)[:,]*")
_ACCUSED = re.compile(r"被告人(?P<name>[^,。;:、\s被告]{2,12}?)(?=犯|无罪|的行为(?:已)?构成)")
_FROM_TO = re.compile(r"(?:刑期|即)?自(?P<since>[^,。;()]{6,20}?日)起至(?P<until>[^,。;()]{6,20}?日)止")
_RIGHTS = re.compile(rf"剥夺政治权利(?P<term>{ANY_TERM})")
_THINGS = re.compile(r"追缴|退赔|没收|退出违法所得|发还|上缴")
_ADOPTED = re.compile(
    r"量刑(?:建议|意见)[^。;]{0,40}?(?P<no>不予采纳|不当|偏[轻重高低])|量刑(?:建议|意见)[^。;]{0,50}?(?P<yes>予以采纳"
    r"|应予采纳|予以支持|予以确认|可予采纳|采纳)"
)


# --- civil ----------------------------------------------------------------------------------------------------------


def claim_of(number: int, text: str, notes: list[str]) -> dict[str, Any]:
    """One 诉讼请求: its kind, and the sum where the text names one."""
    folded, named = fold_width(text), named_sums(text)
    pays = bool(named and _PAYS.search(folded))
    kind = "pay" if named else "declare" if _DECLARE.search(folded) else "perform"
    if _COSTS.search(folded) and _ONLY_COSTS.fullmatch(folded):
        kind = "costs"
    elif _ACT.search(folded) and not pays:
        kind = "perform"
    claim: dict[str, Any] = {"id": f"C{number}", "text": text, "kind": kind}
    if kind == "pay":
        amount = one_sum(text)
        if amount is None:
            notes.append(f"claims.C{number}.amount: the text names several sums")
        else:
            claim["amount"] = amount
    return claim


def civil_gold(
    paper: JudgmentText, claims: Sequence[dict[str, Any]], names: Sequence[str], notes: list[str]
) -> dict[str, Any]:
    """The fields of `CivilGold` that reasons, laws and rulings of a judgment give.

    Args:
        paper: the judgment.
        claims: as a case file writes them.
        names: of the parties.
        notes: gathers what a reader has to know.
    """
    made = {
        "rulings": _rulings(claims, names, paper.ruled, notes),
        "judgment": ruled_lines(paper.ruled),
        "fee": _fee(paper.ruled),
        "issues": _issues(paper),
        "reason": clipped(paper.reason, "gold.reason", notes),
        **laws_of(paper.laws, notes),
    }
    return {name: value for name, value in made.items() if value not in ("", [], None)}


def _ordered(ruled: str) -> tuple[str, ...]:
    return read_judgment(f"本院认为\n判决如下：\n{ruled}").rulings


def _rulings(
    claims: Sequence[dict[str, Any]], names: Sequence[str], ruled: str, notes: list[str]
) -> list[dict[str, object]]:
    asked = [Claim.model_validate(claim) for claim in claims if claim["kind"] != "costs"]
    asked_for = {claim.id: claim.amount for claim in asked}
    lines = {_compared(line, names): line for line in ruled_lines(ruled)}
    found = []
    for read in read_claims(asked, _ordered(ruled), names):
        if read.outcome == "omitted":
            notes.append(f"gold.rulings: no ruling on {read.claim} can be told from the words")
            continue
        words = _compared(read.words, names)
        text = next((line for compared, line in lines.items() if words and words in compared), read.words)
        ruling: dict[str, object] = {"claim": read.claim, "outcome": read.outcome, "text": text[:2000]}
        if read.amount or (read.amount is not None and asked_for[read.claim] is not None):
            ruling["amount"] = round(read.amount, 2)
        found.append(ruling)
    if found:
        notes.append("gold.rulings: read from the words of the rulings; compare each with its claim")
    return found


def _compared(text: str, names: Sequence[str]) -> str:
    """A ruling as the reader of the scores leaves it: folded, without names and notes."""
    for name in names:
        text = text.replace(name, "")
    return re.sub(r"\([^()]{0,300}\)", "", fold_width(text)).strip(" ;。")


def _issues(paper: JudgmentText) -> list[str]:
    text = paper.part("issues")
    if not text and (match := _ISSUES.search(fold_width(paper.reason))):
        text = paper.reason[match.start() : match.end()]
    listed = items(text)[1]
    if text and not listed:
        first = sentences(text)[0]
        listed = [first[match.end() :]] if (match := _ISSUE.search(fold_width(first))) else []
    first_sentences = (sentences(item)[0].strip(" ，,。；;：:\n") for item in listed if item.strip())
    return [clean[:400] for clean in first_sentences if clean]


def _fee(ruled: str) -> dict[str, float] | None:
    """案件受理费 and who bears it; fees for preservation aside."""
    match = _FEE.search(fold_width(ruled))
    if match is None:
        return None
    words = match.group()
    bears = list(_BEARS.finditer(words))
    head = words[: bears[0].start()] if bears else words
    half = _HALF.search(head)
    named = named_sums(head[half.start() :] if half else head) or named_sums(head)
    if not named:
        return None
    total = named[0].amount
    fee = {"total": total, "plaintiff": 0.0, "defendant": 0.0}
    for bearer in bears:
        side = "plaintiff" if bearer["who"].lstrip("由").startswith("原告") else "defendant"
        part = named_sums(bearer["sum"])
        fee[side] = part[0].amount if part else total if len(bears) == 1 else 0.0
    return fee if round(fee["plaintiff"] + fee["defendant"], 2) == total else {"total": total}


# --- criminal -------------------------------------------------------------------------------------------------------


def accused_in(ruled: str) -> list[str]:
    """Whom the rulings call 被告人, in order."""
    return list(dict.fromkeys(match["name"] for match in _ACCUSED.finditer(fold_width(ruled))))


def of_accused(text: str, name: str) -> str:
    """A text without what it says of other accused; the whole text where it names one only, or none by this name."""
    marks = list(_ACCUSED.finditer(fold_width(text)))
    names = {mark["name"] for mark in marks}
    if len(names) < 2 or name not in names:
        return text
    ends = [mark.start() for mark in marks[1:]] + [len(text)]
    own = (text[mark.start() : end] for mark, end in zip(marks, ends, strict=True) if mark["name"] == name)
    return text[: marks[0].start()] + "".join(own)


def criminal_gold(paper: JudgmentText, notes: list[str]) -> dict[str, Any]:
    """The fields of `CriminalGold` that reasons, laws and rulings of a judgment give. `notes` gathers what a reader
    has to know."""
    rulings = _ordered(paper.ruled)
    charges = list(convictions(rulings))
    sentence = _sentence(paper.reason, paper.ruled, rulings, charges)
    if sentence is None:
        notes.append("gold.sentence: the rulings pronounce no sentence that can be read")
    made = {
        "charges": charges,
        "sentence": sentence,
        "judgment": ruled_lines(paper.ruled),
        "reason": clipped(paper.reason, "gold.reason", notes),
        **laws_of(paper.laws, notes),
    }
    given = {key: value for key, value in made.items() if value not in ("", [], {}, None)}
    return given | ({"charges": []} if sentence and sentence["kind"] == "无罪" else {})


def _sentence(reason: str, ruled: str, rulings: tuple[str, ...], charges: list[str]) -> dict[str, Any] | None:
    """宣告刑, and what else the rulings say of it."""
    read = read_sentence(rulings)
    if read is None:
        return None
    folded = fold_width(ruled)
    found: dict[str, Any] = {
        "kind": read.kind,
        "months": read.months,
        "probation_months": read.probation_months,
        "fine": read.fine,
    }
    rights = _RIGHTS.search(folded)
    if rights and read.kind not in ("死刑", "无期徒刑"):
        found["political_rights_months"] = months_in(rights["term"])
    if not read.probation_months and (match := _FROM_TO.search(folded)):
        for key in ("since", "until"):
            found[key] = next((day.day.isoformat() for day in days(match[key])), None)
    found["property"] = "\n".join(line for line in ruled_lines(ruled) if _THINGS.search(line))[:20_000]
    if match := _ADOPTED.search(fold_width(reason)):
        found["request_adopted"] = match["no"] is None
    if len(charges) > 1:
        found["counts"] = _counts(folded, charges)
    return {key: value for key, value in found.items() if value is False or value not in ("", 0, [], None)}


def _counts(ruled: str, charges: list[str]) -> list[dict[str, object]]:
    found = []
    for charge in charges:
        start = ruled.find(charge)
        ends = [ruled.find(word, start + 1) for word in ("决定执行", "数罪并罚", *(set(charges) - {charge}))]
        stop = min((end for end in ends if end > start), default=len(ruled))
        read = read_sentence([ruled[start:stop]]) if start >= 0 else None
        if read is not None:
            fine = {"fine": read.fine} if read.fine else {}
            found.append({"charge": charge, "kind": read.kind, "months": read.months, **fine})
    return found
