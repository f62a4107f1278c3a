"""What both kinds of judgments tell in the same way: facts as found, and rulings item by item."""

from __future__ import annotations

import re

from store.text.normalise import fold_width
from tasks.courts.from_judgment.sections import sentences

LONGEST = 20_000
"""Characters of one field of a case file."""
_LEAD = re.compile(
    r"(?:经[^,。:]{0,20}查明|本院[^,。:]{0,16}(?:查明|认定)[^,。:]{0,8}|[^,。:]{0,10}审理查明"
    r"|根据[^:。]{0,60}?(?:如下|查明)[^:。]{0,6})[:,]?\s*"
)
_PROOF = re.compile(
    r"^(?:上述|以上|前述|认定上述)[^。]{0,8}事实[,，]?[^。]{0,40}(?:证据|证实|证明|陈述|供述|证言|为证|佐证|认可"
    r"|无异议)"
)
_PACKED = 220
"""Characters up to which sentences of one paragraph make one fact."""
_MOST = 60
_ITEM = re.compile(r"(?:^|(?<=[。;\n]))[ \t]*(?=[一二三四五六七八九十]{1,3}、)", re.MULTILINE)


def clipped(text: str, name: str, notes: list[str]) -> str:
    """A text that fits into a field; a cut is noted."""
    text = text.strip()
    if len(text) > LONGEST:
        notes.append(f"{name}: cut at {LONGEST} characters")
    return text[:LONGEST].strip()


def facts_of(found: str, notes: list[str]) -> list[dict[str, object]]:
    """经审理查明, some sentences a fact; who knows each fact is for a reader to say."""
    if not found:
        return []
    lead = _LEAD.match(fold_width(found))
    packs: list[str] = []
    for paragraph in found[lead.end() if lead else 0 :].split("\n"):
        pack = ""
        for sentence in sentences(paragraph):
            if _PROOF.match(fold_width(sentence)):
                continue
            if pack and len(pack) + len(sentence) > _PACKED:
                packs.append(pack)
                pack = ""
            pack += sentence
        if pack:
            packs.append(pack)
    if len(packs) > _MOST:
        notes.append(f"facts: the first {_MOST} of {len(packs)} are taken")
    return [{"id": f"F{number}", "text": pack[:LONGEST]} for number, pack in enumerate(packs[:_MOST], 1)]


def ruled_lines(ruled: str) -> list[str]:
    """判决主文, a paragraph or an item an entry, with their numbers."""
    cuts = [0, *(match.start() for match in _ITEM.finditer(fold_width(ruled))), len(ruled)]
    parts = (ruled[start:end] for start, end in zip(cuts, cuts[1:], strict=False))
    return [line[:LONGEST] for part in parts for line in map(str.strip, part.split("\n")) if line]
