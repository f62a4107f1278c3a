"""Names of charges as one crime may be written: with or without 罪, renamed by an amendment, chosen in part.

The table is `charges.toml`. Which name applied on a day is no matter here: a gold answer may carry either.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import cache, lru_cache

from store.tables import TomlTable, beside
from store.text.normalise import fold_width

_SEPARATOR = re.compile(r"[;；,，\n|]+|(?<=罪)(?:、|和|与|及|以及|并|/)")
_LEAD = re.compile(
    r"^(?:.*(?:构成|涉嫌|触犯|罪名(?:为|是|:)|答案(?:为|是|:)|人[^犯]{0,10}犯(?!罪))了?|犯(?!罪)[了有]?)"
)
_TRAIL = re.compile(r"[\s。.!！]+$")
_MARKS = re.compile(r"[\s\"“”'‘’《》【】\[\]*`]+")


class Charges(TomlTable):
    """renamed, short: old name, or what people write -> (official name, where it stands); selective: a charge named
    after the acts and objects of the case -> its parts; sections: heading of the Criminal Law -> its charges;
    spellings: other spelling of a heading -> the heading."""

    renamed: dict[str, tuple[str, str]]
    short: dict[str, tuple[str, str]]
    selective: dict[str, str]
    sections: dict[str, frozenset[str]]
    spellings: dict[str, str]


def table() -> Charges:
    """The table."""
    return beside(__package__, "charges", Charges)


def _pattern(parts: str) -> re.Pattern[str]:
    """A name matches that takes at least one alternative of every group, joined by 、 or nothing."""
    groups = []
    for part in parts.split(" "):
        choices = [re.escape(choice) for choice in sorted(part.split("|"), key=len, reverse=True) if choice]
        one = f"(?:{'|'.join(choices)})"
        group = one if len(choices) == 1 else f"{one}(?:[、和及]?{one}){{0,{len(choices) - 1}}}"
        groups.append(f"(?:{group})?" if "" in part.split("|") else group)
    return re.compile("".join(groups))


@cache
def _patterns() -> Mapping[str, re.Pattern[str]]:
    return {name: _pattern(parts) for name, parts in table().selective.items()}


@lru_cache(maxsize=4096)
def canonical(charge: str) -> str:
    """One spelling of a charge: its official name of today without 罪; a text that is no known charge stays
    itself."""
    name = _MARKS.sub("", fold_width(charge)).replace("､", "、").replace("帐", "账")
    name = _TRAIL.sub("", name)
    if len(name) > 200:
        return name
    name = _LEAD.sub("", name, count=1).removesuffix("罪").strip(":、")
    known = table()
    name = known.spellings.get(name, name)
    if name in known.sections:
        return name
    for names in (known.short, known.renamed):
        name = names[name][0] if name in names else name
    name = next((official for official, pattern in _patterns().items() if pattern.fullmatch(name)), name)
    return known.renamed[name][0] if name in known.renamed else name


def charges(text: str) -> frozenset[str]:
    """The charges of an answer, each in one spelling. 、 belongs to names and separates only behind 罪."""
    found = (canonical(part) for part in _SEPARATOR.split(text[:4000]) if part and part.strip())
    return frozenset(name for name in found if name)


def same_charges(first: frozenset[str], second: frozenset[str]) -> bool:
    """Whether two sets of charges are the same.

    The heading of a section beside one of its own charges says nothing more; alone it stands for any of them.
    """
    first, second = _without_idle_headings(first), _without_idle_headings(second)
    for heading, members in table().sections.items():
        if (heading in first) != (heading in second):
            first, second = _under(heading, members, first), _under(heading, members, second)
    return bool(first) and first == second


def _without_idle_headings(names: frozenset[str]) -> frozenset[str]:
    return names - {heading for heading, members in table().sections.items() if names & members}


def _under(heading: str, members: frozenset[str], names: frozenset[str]) -> frozenset[str]:
    return (names - members) | {heading} if names & members else names


def charge_f1(first: frozenset[str], second: frozenset[str]) -> float:
    """F1 of the charges as sets, after headings are taken out where they say nothing; 1 for the same charges."""
    if same_charges(first, second):
        return 1.0
    first, second = _without_idle_headings(first), _without_idle_headings(second)
    return 2 * len(first & second) / (len(first) + len(second)) if first and second else 0.0
