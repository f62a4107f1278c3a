"""A civil judgment as the fields of a CI case."""

from __future__ import annotations

import re
from typing import Any

from store.text.ideographs import HAN
from store.text.normalise import fold_width
from tasks.courts.casefile.material import Claim
from tasks.courts.from_judgment.citing import laws_of
from tasks.courts.from_judgment.exhibits import exhibits, named_exhibits
from tasks.courts.from_judgment.figures import days, one_sum, sums
from tasks.courts.from_judgment.heading import Heading
from tasks.courts.from_judgment.parties import bench, judged, parties
from tasks.courts.from_judgment.sections import Paper, items, lead_of, sentences
from tasks.courts.from_judgment.stories import clipped, facts_of, ruled_lines
from tasks.courts.scores.claims import read_claims
from tasks.courts.scores.rulings import read_judgment

_CAUSE = re.compile(rf"(?P<cause>[{HAN}、]{{2,60}}?(?:纠纷|争议|之诉|离婚|继承|确认|监护))(?:一案|案)")
_ASKED = re.compile(
    r"(?:故|为此|现|综上|遂|特|因此)?[^。\n,]{0,20}?(?:请求|要求|诉请|诉求)(?:贵院|法院|人民法院|本院)?(?:依法)?"
    r"(?:判令|判决|确认|判准|依法)?[:,]?"
)
_CHANGED = re.compile(
    r"(?:^|(?<=[。;\n]))[^。;\n]{0,12}?(?:审理|诉讼|庭审)(?:过程)?中[^。]{0,30}?(?:变更|撤回|放弃|增加|减少|明确)"
)
_COSTS = re.compile(r"诉讼费|受理费")
_ACT = re.compile(r"出具|办理|协助|交付|腾退|搬离|停止|赔礼|消除|恢复|拆除|配合|继续履行")
_PAYS = re.compile(r"支付|返还|退还|退回|归还|偿还|给付|赔偿|清偿|(?<!所)承担(?!保证)|补偿|补足|付清|交纳")
_DECLARE = re.compile(r"确认|解除|撤销|离婚|无效|终止|变更")
_ONLY = re.compile(
    r"[^,。;]{0,30}?(?:本案)?(?:的)?(?:全部|一切)?(?:案件)?(?:诉讼费|受理费)[^,。;]{0,4}"
    r"(?:、[^,。;]{1,20})?[^,。;]{0,10}(?:承担|负担)?[。;]?"
)
_FILED = re.compile(r"(?:立案|受理|诉至本院|向本院(?:提起|起诉))")
_HEARD = re.compile(r"(?:公开|不公开|开庭|独任|进行了?)[^。]{0,10}审理|开庭")
_STAYED_AWAY = re.compile(r"被告[^。]*?(?:未到庭|拒不到庭|未(?:作|提交|提供)[^。]{0,10}答辩)")
_OFFERED = re.compile(
    r"(?P<side>原告|被告)[^,、;。]{0,16}?(?:提供|提交|出示)的(?P<list>[^,;。]{2,200}?)(?=等|,|;|。|及当事人|$|予以)"
)
_OFFERS = re.compile(
    r"(?:^|(?<=[。;\n]))[^。;\n]{0,40}?(?P<side>原告|被告)[^。;:\n]{0,40}?(?:提交|提供|举示|出示)[^。:\n]{0,30}?证据"
    r"(?:[:,]|如下)?"
)
_FEE = re.compile(r"(?:本案)?(?:一审)?案件受理费[^。\n]{0,300}")
_BEARS = re.compile(
    r"(?:由)?(?P<who>(?:原告|被告|原、被告|双方)[^,;。]{0,30}?)(?:共同|各)?(?:负担|承担)(?P<sum>[^,;。]{0,20})"
)
_HALF = re.compile(r"(?:减半收取|减半)[^,;。0-9]{0,8}")
_SPLIT = re.compile(r"[;；]|(?<=[,，])(?=(?:并|本案|案件)?(?:诉讼费|受理费))")


def civil_case(paper: Paper, heading: Heading, notes: list[str]) -> dict[str, object]:
    """All fields that the judgment gives; `notes` gathers what a reader has to know."""
    told, asked = _told_and_asked(paper, notes)
    claims = claims_of(asked, notes)
    people = list(parties(heading, "CI", notes))
    evidence = _evidence(paper, notes)
    names = [name for party in heading.entries if party.is_party for name in (party.name, *party.aliases)]
    return {
        "cause": _cause(paper.course or paper.text[:400], names),
        "dates": _dates(paper),
        "parties": people,
        "facts": facts_of(paper.part("found"), notes),
        "claims": claims,
        "amount": _amount(claims),
        "complaint": clipped(told, "complaint", notes),
        "answer": clipped(_answer(paper, notes), "answer", notes),
        "evidence": evidence,
        "court": bench(paper, heading),
        "gold": civil_gold(paper, claims, names, notes),
    }


def _told_and_asked(paper: Paper, notes: list[str]) -> tuple[str, str]:
    """事实和理由, and the claims. The older form (诉称 … 请求判令 …) tells both in one."""
    claims, story, told = paper.part("claims"), paper.part("complaint"), paper.part("told")
    claims = claims[lead_of(claims, "CI", "claims") :] if claims else ""
    story = story[lead_of(story, "CI", "complaint") :] if story else ""
    told = told[lead_of(told, "CI", "told") :] if told else ""
    told, claims = _before_changes(told, notes), _before_changes(claims, notes)
    if told and not claims:
        asked = list(_ASKED.finditer(fold_width(told)))
        if asked:
            told, claims = told[: asked[-1].start()], told[asked[-1].end() :]
    return (story or told).strip(" ，,；;"), claims


def _before_changes(text: str, notes: list[str]) -> str:
    """What was claimed at first."""
    changed = _CHANGED.search(fold_width(text))
    if changed is None:
        return text
    notes.append("claims: the plaintiff changed them during the trial; those of the complaint stand there")
    return text[: changed.start()]


def claims_of(text: str, notes: list[str]) -> list[dict[str, object]]:
    """诉讼请求, one by one."""
    lead, listed = items(text)
    if not listed:
        listed = [part for part in _SPLIT.split(lead.split("。")[0] if "。" in lead else lead) if part.strip()]
    return [claim_of(number, item, notes) for number, item in enumerate(filter(None, map(_clean, listed)), 1)]


def _clean(text: str) -> str:
    return text.strip(" ，,。；;：:\n")[:20_000]


def claim_of(number: int, text: str, notes: list[str]) -> dict[str, Any]:
    """One 诉讼请求: its kind, and the sum where the text names one."""
    folded = fold_width(text)
    named = sums(text)
    kind = (
        "costs" if _COSTS.search(folded) and _ONLY.fullmatch(folded)
        else "perform" if _ACT.search(folded) and not (named and _PAYS.search(folded))
        else "pay" if named else "declare" if _DECLARE.search(folded) else "perform"
    )  # fmt: skip
    claim: dict[str, Any] = {"id": f"C{number}", "text": text, "kind": kind}
    if kind == "pay":
        amount = one_sum(text)
        if amount is None:
            notes.append(f"claims.C{number}.amount: the text names several sums")
        else:
            claim["amount"] = amount
    return claim


def _amount(claims: list[dict[str, Any]]) -> float | None:
    paid = [claim for claim in claims if claim["kind"] == "pay"]
    if not paid or any("amount" not in claim for claim in paid):
        return None
    return round(sum(float(claim["amount"]) for claim in paid), 2)


def _answer(paper: Paper, notes: list[str]) -> str:
    answer = paper.part("answer")
    if answer:
        told = re.match(r"[^。]{0,50}?辩称|[^。]{0,50}?答辩", fold_width(answer))
        cut = answer[lead_of(answer, "CI", "answer") :] if told else answer
        return cut if cut.strip("。 \n") else answer
    away = _STAYED_AWAY.search(fold_width(paper.course))
    if away:
        notes.append("answer: the defendant did not answer; the words of the judgment on that stand there")
        return paper.course[away.start() : away.end()] + "。"
    return ""


def _cause(course: str, names: list[str]) -> str:
    """案由: what stands between the last party and 一案."""
    match = _CAUSE.search(fold_width(course.split("\n")[0]))
    if match is None:
        return ""
    cause = match["cause"]
    for word in (*names, "被告"):
        cause = cause.rpartition(word)[2] or cause
    return cause.lstrip("、诉与")


def _dates(paper: Paper) -> dict[str, str]:
    """Filing and hearing from the course of the case, the judgment from below."""
    found: dict[str, str] = {}
    course = fold_width(paper.course)
    for day in days(paper.course):
        behind = re.split(r"[。;]", course[day.end :])[0][:60]
        behind = re.split(r"[0-9]{4}年", behind)[0]
        if "filed" not in found and _FILED.search(behind):
            found["filed"] = day.day.isoformat()
        elif _HEARD.search(behind):
            found["proceeding"] = day.day.isoformat()
    if last := judged(paper):
        found["judged"] = last
    return found


def _evidence(paper: Paper, notes: list[str]) -> list[dict[str, Any]]:
    """Exhibits of both sides; a passage belongs to the side that its sentences name as offering it."""
    found: list[dict[str, object]] = []
    for owner, passage in _passages(paper.part("evidence")):
        found += exhibits(passage, "CI", owner, len(found) + 1)
    if not found:
        for match in _OFFERED.finditer(fold_width(paper.part("evidence"))):
            titles = paper.part("evidence")[match.start("list") : match.end("list")]
            found += named_exhibits(titles, "P1" if match["side"] == "原告" else "D1", len(found) + 1)
    if paper.part("evidence") and not found:
        notes.append("evidence: the judgment names no single exhibit")
    return found


def _passages(text: str) -> list[tuple[str, str]]:
    marks = list(_OFFERS.finditer(fold_width(text)))
    ends = [mark.start() for mark in marks[1:]] + [len(text)] * bool(marks)
    # What the court makes of the evidence is no list of it.
    return [
        (
            "P1" if mark["side"] == "原告" else "D1",
            re.split(r"\n(?=本院|经质证|对于?上述)", text[mark.end() : end])[0],
        )
        for mark, end in zip(marks, ends, strict=True)
    ]


def civil_gold(paper: Paper, claims: list[dict[str, Any]], names: list[str], notes: list[str]) -> dict[str, Any]:
    """The fields of `CivilGold` that reasons, laws and rulings of a judgment give.

    Args:
        paper: the judgment.
        claims: as a case file writes them.
        names: of the parties.
        notes: gathers what a reader has to know.
    """
    rulings = read_judgment(f"本院认为\n判决如下：\n{paper.ruled}").rulings
    made = {
        "rulings": _rulings(claims, rulings, names, paper.ruled, notes),
        "judgment": ruled_lines(paper.ruled),
        "fee": _fee(paper.ruled),
        "issues": _issues(paper),
        "reason": clipped(paper.reason, "gold.reason", notes),
        **laws_of(paper.laws, notes),
    }
    return {name: value for name, value in made.items() if value not in ("", [], None)}


def _rulings(
    claims: list[dict[str, Any]], rulings: tuple[str, ...], names: list[str], ruled: str, notes: list[str]
) -> list[dict[str, object]]:
    """What became of each claim, by the reader of the scores."""
    asked = [Claim.model_validate(claim) for claim in claims if claim["kind"] != "costs"]
    asked_for = {claim.id: claim.amount for claim in asked}
    lines = {_compared(line, names): line for line in ruled_lines(ruled)}
    found = []
    for read in read_claims(asked, rulings, names):
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


def _compared(text: str, names: list[str]) -> str:
    """A ruling as the reader of the scores leaves it: folded, without names and notes."""
    for name in names:
        text = text.replace(name, "")
    return re.sub(r"\([^()]{0,300}\)", "", fold_width(text)).strip(" ;。")


def _issues(paper: Paper) -> list[str]:
    text = paper.part("issues")
    if not text:
        match = re.search(
            r"争议(?:的)?焦点[^。\n]{0,12}?(?:为|是|在于|如下|:)[:,]?[^\n]{4,400}", fold_width(paper.reason)
        )
        text = paper.reason[match.start() : match.end()] if match else ""
    if not text:
        return []
    listed = items(text)[1]
    if not listed:
        first = sentences(text)[0]
        match = re.search(r"焦点[^。\n]{0,12}?(?:为|是|在于|如下|:)[:,]*", fold_width(first))
        listed = [first[match.end() :]] if match else []
    return [clean[:400] for item in listed if (clean := _clean(sentences(item)[0] if item.strip() else ""))]


def _fee(ruled: str) -> dict[str, float] | None:
    """案件受理费 and who bears it; fees for preservation aside."""
    match = _FEE.search(fold_width(ruled))
    if match is None:
        return None
    words = match.group()
    bears = list(_BEARS.finditer(words))
    head = words[: bears[0].start()] if bears else words
    half = _HALF.search(head)
    named = sums(head[half.start() :] if half else head) or sums(head)
    if not named:
        return None
    fee = {"total": named[0], "plaintiff": 0.0, "defendant": 0.0}
    for bearer in bears:
        side = "plaintiff" if bearer["who"].lstrip("由").startswith("原告") else "defendant"
        part = sums(bearer["sum"])
        fee[side] = part[0] if part else named[0] if len(bears) == 1 else 0.0
    return fee if round(fee["plaintiff"] + fee["defendant"], 2) == fee["total"] else {"total": named[0]}
