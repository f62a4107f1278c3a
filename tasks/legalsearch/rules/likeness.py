"""How alike two Chinese texts are, by pairs of neighbouring characters. Shares from 0 to 1; punctuation never
counts."""

from __future__ import annotations

import re
from functools import lru_cache

from store.text.normalise import fold_width

_PIECE = re.compile(r"[\u4e00-\u9fffA-Za-z0-9]+")


@lru_cache(maxsize=2048)
def pairs(text: str) -> frozenset[str]:
    """Pairs of neighbouring characters within stretches without punctuation; a stretch of one character is itself."""
    found: set[str] = set()
    for piece in _PIECE.findall(fold_width(text)):
        found |= {piece[start : start + 2] for start in range(len(piece) - 1)} or {piece}
    return frozenset(found)


def contained(part: str, whole: str) -> float:
    """The share of the pairs of `part` that `whole` has too."""
    wanted = pairs(part)
    return len(wanted & pairs(whole)) / len(wanted) if wanted else 0.0
