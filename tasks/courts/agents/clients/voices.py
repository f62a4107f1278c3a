"""A story that a document tells (原告, 被告) as a client tells it (我, 对方), by plain substitutions; days and sums
made vague.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from store.text.numerals import to_decimal
from tasks.courts.simulated.asking import Client

_WORDS: Mapping[Client, tuple[str, str]] = {"plaintiff": ("原告", "被告"), "defendant": ("被告", "原告")}
"""Client -> what a document calls it, and the other side."""
_SAYS = re.compile(
    r"(?:，|^)?(?:故|为此|现|遂|特|为维护(?:原告|自身|自己)?的?合法权益)?，?(?:依法)?(?:诉至(?:贵院|法院|人民法院)"
    r"|(?:向(?:贵院|法院))?提起(?:民事)?诉讼)"
)


@dataclass(frozen=True, slots=True)
class Voice:
    """How a client speaks of itself and of the other side. me: 我 or 我们公司; own, other: the names of both."""

    client: Client
    me: str = "我"
    own: str = ""
    other: str = ""

    def spoken(self, text: str) -> str:
        """A passage of the case file in the words of the client."""
        mine, theirs = _WORDS[self.client]
        said = re.sub("原、被告|原被告|原告、?与?和?被告双方", f"{self.me}和对方", text)
        said = re.sub(rf"{mine}(?:本人|公司|方)?", self.me, said)
        said = re.sub(rf"{theirs}(?:公司|方)?", "对方", said)
        for name, word in ((self.own, self.me), (self.other, "对方")):
            if len(name) > 1:
                said = said.replace(name, word)
        return said.replace(f"{self.me}{self.me}", self.me).replace("对方对方", "对方")


def voice_of(client: Client, parties: list[Mapping[str, Any]]) -> Voice:
    """The voice of a client, from the parties as it holds them."""
    sides = {party.get("side"): party for party in parties}
    own, other = sides.get(client, {}), sides.get("defendant" if client == "plaintiff" else "plaintiff", {})
    me = "我们公司" if own.get("kind") == "company" else "我"
    return Voice(client, me, str(own.get("name", "")), str(other.get("name", "")))


def bare(text: str) -> str:
    """A text without blanks and punctuation, by which it is known again."""
    return re.sub(r"[\s，。；、！？,.;!?“”]", "", text)


def narrative(text: str) -> list[str]:
    """The sentences of a story without the formula that ends a complaint."""
    plain = _SAYS.sub("", text.strip())
    parts = [part.strip().lstrip("，,；") for part in re.findall(r"[^。！？\n]+[。！？]?", plain)]
    return [part for part in parts if len(part.strip("。，；")) > 3]


# A numeral is bounded and begins where none goes on: linear on any text.
_SUM = re.compile(r"(?:人民币)?(?<![\d,.])(?P<n>\d[\d,]{0,20}(?:\.\d{1,4})?)(?P<unit>[百千万亿]?)元")
_DAY = re.compile(r"(?P<month>\d{1,4}年\d{1,2}月)\d{1,2}日")
_SHORT_DAY = re.compile(r"(?P<month>(?<![\d年])\d{1,2}月)\d{1,2}日")
_ROUGH = (
    (100, "几十块"),
    (1_000, "几百块"),
    (10_000, "几千"),
    (100_000, "几万"),
    (1_000_000, "几十万"),
    (10_000_000, "几百万"),
)
_UNITS = {"": 1, "百": 100, "千": 1_000, "万": 10_000, "亿": 100_000_000}


def vague(text: str) -> str:
    """The same with days cut to months and sums to their size."""
    return _SHORT_DAY.sub(r"\g<month>份", _DAY.sub(r"\g<month>份", _SUM.sub(_size, text)))


def _size(match: re.Match[str]) -> str:
    amount = float(to_decimal(match["n"]) or 0) * _UNITS[match["unit"]]
    return next((word.removesuffix("块") for limit, word in _ROUGH if amount < limit), "一大笔")
