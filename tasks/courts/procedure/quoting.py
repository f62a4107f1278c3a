"""What a judge reads out of the case file is not the judge's own word: marks that stand in a quotation.

Titles, purposes and statements may hold anything: 【闭庭】, a stage tag, a masked name. A mark counts as quoted where
it stands in the utterance together with `BEYOND` more characters exactly as some text of the case has it. A mark
alone is never a quotation, so that no case file can take the court's own formulas away from it. Places are offsets of
characters.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import lru_cache

from pydantic import BaseModel

BEYOND = 4
"""Characters around a mark that have to come from the case as well."""
BLANK = "　"
_NOT_TOLD = frozenset({"gold", "provenance"})
"""Fields that no role is told, so that nobody can quote them."""


def texts_of(case: BaseModel) -> tuple[str, ...]:
    """All texts of a case file that somebody in court may read out, each once."""
    told = (value for name, value in case if name not in _NOT_TOLD)
    return tuple(dict.fromkeys(text for value in told for text in texts_in(value) if len(text) > BEYOND))


def texts_in(value: object) -> Iterator[str]:
    """All texts in a value of a case file, in their order."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, BaseModel):
        for _, part in value:
            yield from texts_in(part)
    elif isinstance(value, Mapping):
        for part in value.values():
            yield from texts_in(part)
    elif isinstance(value, Sequence):
        for part in value:
            yield from texts_in(part)


def own_words(said: str, marks: re.Pattern[str], texts: Sequence[str]) -> str:
    """An utterance in which the marks that are quoted from the case are blanked; as long as before."""

    def kept(match: re.Match[str]) -> str:
        return BLANK * len(match[0]) if _quoted(said, match.start(), match.end(), holding) else match[0]

    holding = _holding(marks, tuple(texts)) if marks.search(said) else ()
    return marks.sub(kept, said) if holding else said


@lru_cache(maxsize=64)
def _holding(marks: re.Pattern[str], texts: tuple[str, ...]) -> tuple[str, ...]:
    """A text that holds none of the marks need not be looked through for each of them, nor the others for each
    utterance."""
    return tuple(text for text in texts if marks.search(text))


def _quoted(said: str, start: int, end: int, texts: Sequence[str]) -> bool:
    first, last = max(start - BEYOND, 0), min(start, len(said) - (end - start) - BEYOND)
    return any(said[at : at + end - start + BEYOND] in text for at in range(first, last + 1) for text in texts)
