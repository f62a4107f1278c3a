"""What a response says, read as a fair examiner would: the answer itself, option letters, terms of imprisonment.

The published readings are in `published.py`; these are for the strict scores. All functions are total: what cannot be
read in one way gives None, never a guess. Terms are in months.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.normalise import fold_width
from store.text.numerals import chinese_to_int

LONGEST_TERM = 12 * 60
"""No term in months is longer; a year such as 2015 is a date."""

_ASIDES = ("think", "plan", "tool_call")
_ANSWER = re.compile("<(/?)answer>", re.IGNORECASE)


def agent_words(text: str) -> str:
    """A trajectory without what tools answered."""
    return _without(text, ("tool_response",))


def strict_answer(text: str) -> str:
    """The last answer that the agent itself tagged; without tags, what it says outside think, plan and tool_call."""
    words = agent_words(text)
    opened, found = None, None
    for match in _ANSWER.finditer(words):
        if not match[1]:
            opened = match.end()
        elif opened is not None:
            found, opened = words[opened : match.start()], None
    return found.strip() if found is not None else _without(words, _ASIDES, unclosed=True).strip()


def _without(text: str, tags: Sequence[str], *, unclosed: bool = False) -> str:
    """The text without what stands in these tags; `unclosed`: what an open tag begins goes to the end. Linear in the
    text."""
    opener = re.compile(f"<({'|'.join(tags)})>", re.IGNORECASE)
    closers = {tag: re.compile(f"</{tag}>", re.IGNORECASE) for tag in tags}
    never_closed: set[str] = set()
    kept, at, look = [], 0, 0
    while match := opener.search(text, look):
        tag = match[1].lower()
        closed = None if tag in never_closed else closers[tag].search(text, match.end())
        if closed is None:
            never_closed.add(tag)
            look = match.end()
            continue
        kept.append(text[at : match.start()])
        at = look = closed.end()
    rest = text[at:]
    left = opener.search(rest) if unclosed else None
    return "".join(kept) + (rest[: left.start()] if left else rest)


_BETWEEN = r"[\s,、;.和与及()]"
_ONLY = re.compile(
    rf"[\s\"“”'‘’()\[\]【】「」:]*([A-Z](?:{_BETWEEN}*[A-Z])*)[\s\"“”'‘’()\[\]【】「」。.;,项]*", re.IGNORECASE
)
_NAMED = re.compile(
    rf"(?:(?:正确|最终)?(?:答案|选项|结论)(?:应当|应)?(?:为|是|有|:)+|(?<![不未可多单勿])选(?:择|项)?(?:为|是|:)?)"
    rf"[\s\"“”'‘’(\[【:]*([A-Z](?:{_BETWEEN}*[A-Z])*)(?![A-Za-z])"
)
_LISTED = re.compile(r"^[\s(\[【]*([A-Z])[)\]】]*[.:、)]", re.MULTILINE)
_LETTER = re.compile("[A-Z]")


def letters(text: str, options: Mapping[str, str]) -> frozenset[str] | None:
    """The options that an answer chooses, in any order, case and width: `A、B`, `答案是BA`, `A. …`, an option's own
    words.

    None when it names none, one that is not there, or leaves open which it means.
    """
    folded = fold_width(text).strip()
    if match := _ONLY.fullmatch(folded):
        found = set(_LETTER.findall(match[1].upper()))
    elif named := _NAMED.findall(folded):
        found = set(_LETTER.findall(named[-1]))
    elif listed := _LISTED.findall(folded):
        found = set(listed)
    else:
        said = _bare(folded)
        found = {letter for letter, words in options.items() if said and _bare(fold_width(words)) == said}
    return frozenset(found) if found and found <= set(options) else None


def _bare(text: str) -> str:
    return "".join(text.split()).rstrip("。.;；")


_NUMBER = r"(?:[0-9]{1,4}(?:\.[0-9]{1,2})?|[零〇一二三四五六七八九十百两]{1,6})"
_TERM = re.compile(
    rf"(?P<years>{_NUMBER})年(?:又|另|零|加)?(?:(?P<half>半)|(?P<months>{_NUMBER})个?月)?"
    rf"|(?P<half_year>半)年|(?P<alone>{_NUMBER})个?(?:(?P<half_month>半)月?|月)"
)
_BARE_NUMBER = re.compile(r"[0-9]{1,3}")
_RANGE = re.compile(rf"(?:年|月)(?:以[上下]|至|到|[-~—–])|{_NUMBER}(?:至|到|[-~—–]){_NUMBER}个?[年月]")
_DECIDED = re.compile(".*(?:决定执行|合并执行|实际执行)", re.DOTALL)
_BESIDE = re.compile("缓刑|缓期|剥夺政治权利|并处|罚金|考验期")


@dataclass(frozen=True, slots=True)
class Term:
    """A term of imprisonment. `kind` "life" is 无期徒刑, "death" 死刑 with or without 缓期; both have no months."""

    months: float | None
    kind: Literal["fixed", "life", "death"] = "fixed"


def term(text: str) -> Term | None:
    """The term that an answer names: 12个月, 一年半, 有期徒刑三年，缓刑四年, 12, 无期徒刑; None for ranges and
    several terms.

    Of several crimes the term to be served counts (决定执行…); suspension and fines beside it do not.
    """
    folded = "".join(fold_width(text).split())[:2000]
    folded = _DECIDED.sub("", folded)
    if "死刑" in folded:
        return Term(None, "death")
    if "无期徒刑" in folded:
        return Term(None, "life")
    if _BARE_NUMBER.fullmatch(folded):
        return _fixed(float(folded))
    sentence = _BESIDE.split(folded, maxsplit=1)[0]
    if _RANGE.search(sentence):
        return None
    found = {months for match in _TERM.finditer(sentence) if (months := _months(match)) is not None}
    return _fixed(found.pop()) if len(found) == 1 else None


def _fixed(months: float) -> Term | None:
    return Term(months) if 0 < months <= LONGEST_TERM else None


def _months(match: re.Match[str]) -> float | None:
    if match["half_year"]:
        return 6.0
    if match["alone"]:
        alone = _value(match["alone"])
        return None if alone is None else alone + (0.5 if match["half_month"] else 0.0)
    years = _value(match["years"])
    months = _value(match["months"]) if match["months"] else 6.0 if match["half"] else 0.0
    total = None if years is None or months is None else 12 * years + months
    return total if total is not None and total <= LONGEST_TERM else None


def _value(text: str) -> float | None:
    if text[0].isdigit():
        return float(text)
    value = chinese_to_int(text)
    return None if value is None else float(value)
