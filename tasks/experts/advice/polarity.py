"""What a yes-no question turns on, and which way a sentence of law answers it: by words, without a model.

A question is read as its predicates (may, must, valid, liable …), each plain or denied; a sentence of law in the same
way. All functions are total and bounded: they read at most a few hundred characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Literal

from store.tables import beside
from store.text.normalise import fold_width

Verdict = Literal["yes", "no", "none"]
LONGEST = 400
"""Characters of a question or of a sentence of law that are read."""

_TABLE = beside(__package__, "data/polarity")
_BINARY = re.compile(
    r"吗|是否|能否|可否|有无|(?P<a>是|能|会|要|该|算|行|用)不(?P=a)|可不可以|需不需要|有没有|应不应|合不合法"
    r"|属不属于|构不构成|受不受|承不承担|对吧"
)
_MARKED = re.compile(r"(?<!还是)(?:可以|能|要|算|就没)(?:(?!还是)[^，,；;。！？?谁啥咋呢几何]){1,30}[？?]$")
"""A question without 吗, put by its mark alone: 我就没权利说？法官可以自己…？"""
_OPEN = re.compile(
    r"怎么(?!能|可以)|如何|哪|什么(?!都)|多少|多久|多长|几[个天年日次倍条种项]|为什么|为何|由谁|谁(?:来|承担|负)"
)
_LEAD = re.compile(
    r"^(?:那么?|另外|还有|最后)?[，,]?(?:我?(?:还)?想(?:再)?(?:问|请教|知道)(?:一下|您|你)?|再?请问(?:一下|您|你)?"
    r"|再?问(?:一下|您|你)?)[，,:：]?"
)
_ASKING = re.compile(r"[^。！？!?；;\n]*(?:[？?]|(?:吗|呢)(?=[。！!\s]|$))")
SHORT = 10
"""A question of fewer characters asks of what was said before it: 真是这样吗, 是刑诉法哪条定的."""
_PREDICATES: Sequence[tuple[str, bool, str]] = _TABLE["predicates"]
_LIGHT = ("be", "will", "has", "apply")
_PREDICATE = re.compile("|".join(f"(?P<p{at}>{words})" for at, (_, _, words) in enumerate(_PREDICATES)))

_NOT_BEFORE = re.compile(r"(?:没有?|未|不)$")


@dataclass(frozen=True, slots=True)
class Predicate:
    """A word that a sentence turns on. start, end: in characters."""

    kind: str
    denied: bool
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class Asked:
    """A question. binary: whether yes or no answers it; plain: in half-width forms, its A-not-A forms resolved.

    turns: the clause in which its predicates stand; their places are places in it.
    """

    text: str
    plain: str
    turns: str
    binary: bool
    predicates: tuple[Predicate, ...]


@lru_cache(maxsize=1024)
def question_of(utterance: str) -> str:
    """The question that an utterance ends with, after the sentence before it where it is short; without one its last
    sentence; '' where nothing was said."""
    said = utterance[-4 * LONGEST :]
    found = [match for match in _ASKING.finditer(said) if len(match.group()) > 3]
    before = [part.strip() for part in re.split(r"[。！？!?；;\n]", said[: found[-1].start()] if found else said)]
    last = next((_LEAD.sub("", part) for part in reversed(before) if part), "")
    if not found:
        return last[-LONGEST:]
    asked = _LEAD.sub("", found[-1].group().strip()[-LONGEST:])
    return f"{last}，{asked}"[-LONGEST:] if last and len(asked) < SHORT else asked


@lru_cache(maxsize=1024)
def read_question(text: str) -> Asked:
    """What a question turns on: the predicates of its last clause, else of all of it; 是 and 会 give way to what
    follows."""
    plain = fold_width(text[:LONGEST])
    for words, form in _TABLE["either"]:
        plain = re.sub(words, form, plain)
    plain = plain.replace("是否", "")
    clauses = [part for part in re.split(r"[,，;；。]", plain.rstrip("?？ ")) if part.strip()] or [""]
    tail = clauses[-1]
    turns = tail if any(predicates(tail)) else plain
    open_ended = _OPEN.search(tail) or (_OPEN.search(plain) and not _BINARY.search(text[-24:]))
    weighty = sorted(predicates(turns), key=lambda one: one.kind in _LIGHT and not one.denied)
    asks = _BINARY.search(text) or _MARKED.search(text.rstrip())
    return Asked(text, plain, turns, bool(asks) and not open_ended, tuple(weighty))


def predicates(text: str) -> Iterator[Predicate]:
    """The words that a text turns on, in order."""
    for match in _PREDICATE.finditer(text[:LONGEST]):
        kind, denied, _ = _PREDICATES[int((match.lastgroup or "p0")[1:])]
        yield Predicate(kind, denied, match.start(), match.end())


def by_signs(asked: Asked, signs: Mapping[str, bool]) -> Verdict:
    """The answer where it is known of some kinds of predicate how a plain question is answered (can: True is yes)."""
    for predicate in asked.predicates:
        if predicate.kind in signs:
            return "yes" if signs[predicate.kind] != predicate.denied else "no"
    return "none"


def _denied(text: str, match: re.Match[str]) -> bool:
    """没有经过批准 is no 经过批准; a word that is a denial itself stands."""
    return (
        bool(_NOT_BEFORE.search(text[max(0, match.start() - 2) : match.start()]))
        and match.group()[:1] not in "没未不无"
    )


def by_words(asked: Asked, yes: re.Pattern[str] | None, no: re.Pattern[str] | None) -> Verdict:
    """The answer where words of the question settle it; of two the later."""
    ends = {
        name: max(
            (match.end() for match in pattern.finditer(asked.plain) if not _denied(asked.plain, match)), default=-1
        )
        for name, pattern in (("yes", yes), ("no", no))
        if pattern is not None
    }
    if max(ends.values(), default=-1) < 0:
        return "none"
    said: Verdict = "yes" if ends.get("yes", -1) > ends.get("no", -1) else "no"
    denied = any(predicate.denied and predicate.kind != "valid" for predicate in asked.predicates[:1])
    # 不能…吗, asked of what the law forbids, is answered the other way round.
    inside = any(pattern and re.search("不|无|未|没", pattern.pattern) for pattern in (yes, no))
    return ("no" if said == "yes" else "yes") if denied and not inside else said
