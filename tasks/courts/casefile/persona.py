"""The personality of somebody who is no professional: traits as drawn for a run, and how they sound, without a model.

Every medium is drawn anew with P(high, medium, low) = 0.4, 0.2, 0.4 (paper §3: 2:1:2), once a case and run seed. A
low conscientiousness changes when a datum is given (at the second question), never whether.
"""

from __future__ import annotations

from collections.abc import Mapping
from hashlib import sha256

from tasks.courts.casefile.people import Level, Persona

TRAITS = ("extraversion", "stability", "openness", "agreeableness", "conscientiousness")
DRAWN: tuple[Level, ...] = ("high", "high", "medium", "low", "low")
"""2:1:2."""
CUES: Mapping[str, Mapping[Level, str]] = {
    "extraversion": {
        "high": "话多，答完还会扯出旁的事", "medium": "一次说两到四句", "low": "一次只说一两句，问什么答什么",
    },
    "stability": {
        "high": "语气平稳", "medium": "略带情绪", "low": "焦虑，反复说自己担心的事，常带“呃”“这个”之类的口头语",
    },
    "openness": {
        "high": "愿意听别的办法，会追问还有什么选择", "medium": "对建议不置可否",
        "low": "认准自己的看法，不太相信别的办法",
    },
    "agreeableness": {
        "high": "客气，常道谢，配合对方", "medium": "礼貌", "low": "说话直，会顶撞，把责任推给别人",
    },
    "conscientiousness": {
        "high": "日期、金额说得准，一条一条讲", "medium": "说出主要的日期和金额",
        "low": "日期和金额先说个大概，对方再问才说准",
    },
}  # fmt: skip
"""Trait -> level -> how it shows in speech."""


def drawn(persona: Persona, case_id: str, seed: int) -> Mapping[str, Level]:
    """The traits of a run: the case's own, each medium drawn anew; the same for the same case and seed."""
    return {trait: _draw(getattr(persona.big5, trait), case_id, seed, trait) for trait in TRAITS}


def style(traits: Mapping[str, Level], persona: Persona | None = None) -> str:
    """How somebody with these traits speaks, in sentences for a prompt."""
    parts = [CUES[trait][level] for trait, level in traits.items()]
    own = persona.style if persona is not None else None
    if own is not None:
        parts += [part for part in (own.tone, own.content, own.interaction) if part]
    return "；".join(part.rstrip("。；") for part in parts) + "。"


def _draw(level: Level, case_id: str, seed: int, trait: str) -> Level:
    if level != "medium":
        return level
    return DRAWN[int(sha256(f"{case_id}/{seed}/{trait}".encode()).hexdigest()[:8], 16) % len(DRAWN)]
