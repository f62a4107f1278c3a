"""One spelling for characters that only differ in width, so that a comparison sees the same text a reader sees.

Upstream stores case numbers with full-width brackets and money with half-width digits; questions, models and users
mix both. Length in characters never changes, so offsets into the text stay valid.
"""

from __future__ import annotations

import unicodedata

_WIDE_ASCII = {0xFF01 + offset: 0x21 + offset for offset in range(0x5E)}
_SAME_CHARACTER = {
    code: ord(folded)
    for block in (range(0x2E80, 0x2FE0), range(0xF900, 0xFB00), range(0x2F800, 0x2FA20))
    for code in block
    if len(folded := unicodedata.normalize("NFKC", chr(code))) == 1 and folded != chr(code)
}
"""Radicals and compatibility ideographs: other codes for the same character."""
_FOLD = _WIDE_ASCII | _SAME_CHARACTER | {0x3000: 0x20, 0xFFE5: 0xA5, 0xFFE1: 0xA3, 0xFFE0: 0xA2, 0x2212: 0x2D}
_WIDEN = {ord("("): "（", ord(")"): "）"}


def fold_width(text: str) -> str:
    """Full-width ASCII, spaces and currency signs as half-width; duplicate codes of one ideograph as one.

    Only replacements that no reader could notice are made: `①`, `㎡` and `½` stay, unlike under NFKC.
    """
    return text.translate(_FOLD)


def unified(text: str) -> str:
    """Radicals and compatibility ideographs as the unified ideograph of the same character."""
    return text.translate(_SAME_CHARACTER)


def widen_brackets(text: str) -> str:
    """Half-width round brackets as full-width ones, as the tables of LegalAgentBench write them."""
    return text.translate(_WIDEN)
