"""The judgment in what a judge says: where the reasons begin, where the rulings stand, and when there is no judgment
at all.

A judgment reads 本院认为 … 判决如下 … 一、… 二、…; models add headings, lists of digits and markdown. What follows
the rulings (notice of appeal, court fee, closing) is no ruling. The rules of task failure are those of the published
code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.normalise import fold_width

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
