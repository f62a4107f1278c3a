"""Wrong-version rate: how often a recital is the article as it read on another day.

A recital is laid beside the article of every version that a statute book holds. It is the version that it resembles
most (plain ROUGE-L, titles in 【】 left away), and none when it resembles no version enough. Versions whose words are
those in force on the day are right as well. The book stays outside: whoever has one offers its texts through
`VersionTexts`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final, Literal, Protocol

from tasks.legalsearch.published import recital, rouge_l
from tasks.legalsearch.questions import Question

LIKENESS = 0.5
"""Below this plain ROUGE-L a recital is no version of the article."""

_TITLE = re.compile("【[^【】]{0,60}】")

ABSTAINED: Final = "abstained"
"""The flag of an answer that says that the text is missing, and what such a recital counts as."""
Reading = Literal["right", "wrong", "neither", "abstained"]


@dataclass(frozen=True, slots=True)
class VersionText:
    """The article asked for in one version. `applies`: this version was in force on the day of the question."""

    label: str
    text: str
    applies: bool


class VersionTexts(Protocol):
    """Offers the article of a question in every version that holds it; () where it has none."""

    def __call__(self, question: Question) -> Sequence[VersionText]:
        """The versions, in any order; the one in force may be missing: then the gold stands for it."""
        ...


@dataclass(frozen=True, slots=True)
class Attribution:
    """What a recital is. `label` is the version it resembles most ('' for the gold itself), `likeness` its
    ROUGE-L."""

    reading: Reading
    label: str
    likeness: float


def attribute(given: str, gold: str, candidates: Sequence[VersionText]) -> Attribution | None:
    """The version that a recital is; None when no version reads differently, so that nothing could be mixed up."""
    right = {plain(gold)} | {plain(one.text) for one in candidates if one.applies}
    wrong = [one for one in candidates if not one.applies and plain(one.text) and plain(one.text) not in right]
    if not wrong:
        return None
    said = plain(given)
    best = max((rouge_l(said, text, 1.0) for text in right), default=0.0)
    other = max(wrong, key=lambda one: (_like(said, one), one.label))
    likeness = _like(said, other)
    if max(best, likeness) < LIKENESS:
        return Attribution("neither", "", max(best, likeness))
    if best >= likeness:
        return Attribution("right", next((one.label for one in candidates if one.applies), ""), best)
    return Attribution("wrong", other.label, likeness)


def plain(text: str) -> str:
    """The words of an article without titles and white space."""
    return recital(_TITLE.sub("", text))


def _like(said: str, version: VersionText) -> float:
    return rouge_l(said, plain(version.text), 1.0)
