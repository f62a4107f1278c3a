"""What a lawyer's question to a client asks for, read by words: whose identity, facts, claims, defences, evidence.

Used by the client who answers, and by the check whether a simulated client does. What cannot be read asks for nothing
in particular.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from store.tables import beside
from store.text.normalise import fold_width

Owner = Literal["own", "other"]
Client = Literal["plaintiff", "defendant"]
LONGEST = 2000
"""Characters of an utterance that are read."""
IDENTITY = (
    "name", "gender", "ethnicity", "birth_date", "address", "contact", "occupation", "workplace", "representative",
    "representative_title", "education", "birthplace",
)  # fmt: skip
WHOLE = "identity"
"""身份信息: all of it, without a field."""


@dataclass(frozen=True, slots=True)
class Wanted:
    """One thing that is asked for. owner: whose identity, '' for all else; more: whether there is anything
    further."""

    slot: str
    owner: Owner | Literal[""] = ""
    more: bool = False


_SLOT = re.compile("|".join(f"(?P<{slot}>{words})" for slot, words in beside(__package__, "asking")["slots"].items()))
_MORE = re.compile(
    r"还有(?:没有|什么|哪些|其他|其它|别的|要|需要|无)?|补充|遗漏|除此(?:之外|以外)|另外有|接着说|继续(?:说|讲)"
    r"|然后呢|后来呢|后来|别的|其余|其他|剩下"
)
_ASKS = re.compile(
    r"[?？]|请(?!假|求|您?稍)|告诉|说(?:说|一下|明|清|准)|讲(?:讲|一下|清)|提供|介绍|吗|呢|什么|哪|多少|是否|有没有"
    r"|怎么|如何|谁|几"
)
_PLACES: Mapping[Client, Mapping[Owner, str]] = {
    "plaintiff": {
        "own": r"您|你(?!们双方)|本人|自己|原告|我方|贵(?:公司|方|单位)",
        "other": r"对方|被告|他们?|她们?|欠款人|借款人|侵权人",
    },
    "defendant": {
        "own": r"您|你(?!们双方)|本人|自己|被告|答辩人|我方|贵(?:公司|方|单位)",
        "other": r"对方|原告|他们?|她们?|起诉(?:您|你)的",
    },
}  # fmt: skip
_BOTH = re.compile(
    r"双方(?:当事人)?的?|(?:您|你|原告)(?:和|与|以及|跟)(?:对方|被告)|(?:您|你|被告)(?:和|与|以及|跟)(?:对方|原告)"
    r"|原被告|原、被告"
)


@lru_cache(maxsize=1024)
def wanted(utterance: str, client: Client) -> tuple[Wanted, ...]:
    """What an utterance of the lawyer asks for, in the order in which it asks; () where it asks for nothing known.

    Args:
        utterance: whole; sentences that ask nothing are passed over unless none asks.
        client: whom it is said to.
    """
    found: dict[Wanted, None] = {}
    last: Owner = "own"
    for sentence in asking(utterance):
        for one in _of(sentence, client, last):
            found.setdefault(one)
            last = one.owner or last
    return tuple(found)


@lru_cache(maxsize=1024)
def asking(utterance: str) -> tuple[str, ...]:
    """The sentences of an utterance that ask for something; all of them where none does."""
    text = fold_width(utterance[:LONGEST])
    parts = [part.strip() for part in re.findall(r"[^。！!?;\n]*[。！!?;\n]?", text) if part.strip()]
    asked = [part for part in parts if _ASKS.search(part)]
    return tuple(asked)


def _of(sentence: str, client: Client, last: Owner) -> Iterator[Wanted]:
    matches = [(match.start(), match.lastgroup or "") for match in _SLOT.finditer(sentence)]
    if any(slot == "representative" for _, slot in matches):
        # 法定代表人的姓名 is no name of the party.
        at = _at(matches, "representative")
        matches = [(place, slot) for place, slot in matches if slot != "name" or not 0 < place - at < 8]
    more = bool(_MORE.search(sentence))
    slots = {slot for _, slot in matches}
    fields = slots & set(IDENTITY)
    if "witness" in slots:
        # 证人的姓名和住址 is the witness's, whatever stands before or behind.
        matches = [(at, slot) for at, slot in matches if slot not in IDENTITY or at < _at(matches, "witness")]
    for at, slot in matches:
        if slot in IDENTITY or slot == WHOLE:
            if slot == WHOLE and (fields or slots & {"facts", "claims", "evidence", "defences"}):
                continue
            for owner in _owners(sentence, at, client, last):
                yield Wanted(slot, owner)
        elif slot == "facts" and slots & {"claims", "evidence", "defences", "purpose", "sums", "witness", "source"}:
            continue  # 证明什么事实, 对哪些事实有异议
        elif slot not in ("evidence", "sums") or slot in _listed(sentence, slots):
            yield Wanted(slot, "", more)
    if not matches and more:
        yield Wanted("more", "", True)


_LISTS = re.compile(
    r"(?:有|是)?(?:哪些|什么|没有|哪几)(?:证据|诉讼请求|请求|要求|证明材料|材料|凭证)|证据(?:有|吗|都有)"
    r"|诉讼请求(?:有|是|都有)|提供[^，。]{0,6}证据"
)


def _listed(sentence: str, slots: set[str]) -> set[str]:
    """Of evidence and sums, what is asked for in its own right: 这些证据从哪里来 asks for sources alone."""
    lists = bool(_LISTS.search(sentence))
    evidence = lists or not slots & {"source", "purpose"}
    sums = not (lists and "claims" in slots)
    return {slot for slot, asked in (("evidence", evidence), ("sums", sums)) if asked}


def _at(matches: list[tuple[int, str]], slot: str) -> int:
    return next(at for at, found in matches if found == slot)


def _owners(sentence: str, at: int, client: Client, last: Owner) -> tuple[Owner, ...]:
    """Whose it is: who was named last before it, else in the sentence, else in the sentence before."""
    if _BOTH.search(sentence):
        return ("own", "other")
    named: list[tuple[int, Owner]] = [
        (match.start(), owner) for owner, words in _PLACES[client].items() for match in re.finditer(words, sentence)
    ]
    before = [pair for pair in named if pair[0] < at]
    if before:
        return (max(before)[1],)
    behind = {owner for _, owner in named}
    return (behind.pop() if len(behind) == 1 else last,)
