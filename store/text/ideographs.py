"""Chinese characters as one class of regular expressions: unified ideographs with extensions A to I, and the
compatibility forms (Unicode Standard, chapter 18). Rules that reproduce a paper keep the range of the paper."""

from __future__ import annotations

import re

HAN = "\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff\U00020000-\U0002fa1f\U00030000-\U000323af"
"""Ranges to stand between square brackets. 々 and 〇 are added where they may stand too."""

_ALL = re.compile(f"[{HAN}]+")


def is_han(text: str) -> bool:
    """Whether a text consists of ideographs alone."""
    return _ALL.fullmatch(text) is not None


_SELECTORS = re.compile("[\ufe00-\ufe0f\U000e0100-\U000e01ef]")


def without_selectors(text: str) -> str:
    """A text without variation selectors, which choose a form of the sign before them."""
    return _SELECTORS.sub("", text)
