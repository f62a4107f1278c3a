"""What words of a criminal trial ask of a party: the kinds of answer that they call for.

The speech acts of the procedure come first, since judges are scored by them; words of the table
`speech.toml` catch what any other judge may say. Everything is read from the record, so that whoever sat
there before makes no difference.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from store.tables import beside
from tasks.courts.agents.trial.exhibits import NO_OBJECTION
from tasks.courts.environment import Role
from tasks.courts.procedure.acts import Found, addressed, cut, parse, sentences
from tasks.courts.procedure.turns import Side

SIDES: Mapping[Role, Side] = {"procurator": "procurator", "defendant": "accused", "defence_lawyer": "defence"}
DENIES = re.compile(
    r"不承认|否认|真不是|不全是|多算了|没有那么多|不认(?!识|为)|不构成|不是(?:我|事实|诈骗|犯罪)|冤|无罪|有异议"
    r"|没有(?:做|干|卖|打|骗|偷|拿|犯罪)|没[卖打骗偷拿做干]"
)
_REQUEST = re.compile(r"[？?]|请|吗|是否|有无|有没有|可以")
_RIGHTS = re.compile(r"(?:享有|下列|以下|如下)[^。\n]{0,12}权利[：:][^。\n]*")
"""Rights that are read out ask for nothing."""
_PLEAD = re.compile(r"发表|辩护意见|辩护词|公诉意见|公诉词|进行辩护")
_PART = re.compile(r"[^？?\n]+[？?\n]?")
_LEAD = re.compile(
    r"^[\s，,、；;。]*(?:<[^>]{1,8}>|(?:审判长|法庭|本庭|公诉人|辩护人)(?:讯问|询问|发问|问)?(?:被告人)?[：:，,]?"
    r"|被告人[^，,：:]{0,4}[，,：:])+"
)


def speech() -> Mapping[str, Any]:
    """The tables of questions and phrases."""
    return beside(__package__, "speech")


@lru_cache(maxsize=1024)
def kinds_of(text: str, role: Role) -> tuple[str, ...]:
    """What a text asks of a role, in the order of its words; () where it asks nothing that is known."""
    side, named = SIDES[role], speech()["acts"][role]
    found: dict[int, tuple[int, str]] = {}
    for act in parse(text, "CR"):
        if act.act in named and not act.fallback and (not act.named or side in act.named):
            found.setdefault(act.start, (act.end, _instead(text, act, named[act.act], role)))
    strict = bool(found)
    kept = _RIGHTS.sub(lambda match: "\u3000" * len(match[0]), cut(text))
    mine = [(start, words) for start, words in sentences(kept) if _meant(words, side)] or list(sentences(kept))
    for start, words in mine:
        end = start + len(words)
        if strict and (any(start <= at < end for at in found) or not _REQUEST.search(words)):
            continue
        taken: list[tuple[int, int]] = []
        for kind, pattern in speech()["asks"][role].items():
            for match in re.finditer(pattern, words):
                low, high = match.span()
                if all(high <= first or last <= low for first, last in taken):
                    taken.append((low, high))
                    found.setdefault(start + low, (start + high, kind))
    return tuple(dict.fromkeys(kind for _, (_, kind) in sorted(found.items())))


def _instead(text: str, act: Found, kind: str, role: Role) -> str:
    """The kind of an act, or a narrower one that its sentence asks for: 辩护人对指控的罪名有无意见 is no call for the
    defence."""
    sentence = next((words for start, words in sentences(text) if start <= act.start < start + len(words)), "")
    if kind != "opinion" or _PLEAD.search(sentence):
        return kind
    narrower = speech()["asks"][role]
    kinds = (one for one in ("mutual", "plea", "request") if one in narrower)
    return next((one for one in kinds if re.search(narrower[one], sentence)), kind)


def _meant(sentence: str, side: Side) -> bool:
    named = addressed(sentence, "CR")
    return not named or side in named


def contested(text: str) -> bool:
    """Whether words of the accused deny something."""
    return bool(DENIES.search(NO_OBJECTION.sub("", text)))


def joined(parts: Sequence[str]) -> str:
    """Answers one after another, each once."""
    return "".join(dict.fromkeys(part for part in parts if part))


def questions_of(text: str) -> list[str]:
    """The single questions of a text, without the words that address somebody."""
    asked = [_LEAD.sub("", part).strip() for part in _PART.findall(text)]
    marked = [part for part in asked if part[-1:] in ("？", "?")]
    return [part for part in (marked or asked) if len(part) > 2]
