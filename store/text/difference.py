"""Two wordings side by side, by whole words and numerals: nobody reads 第六[-百-]七十[-五-]条.

Equal words too short to mean anything between two changes are taken into the change, so that a reader sees phrases
replaced and not words that happen to agree.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from store.text.segment import cut

Kind = Literal["same", "removed", "added"]

MARKS: Mapping[Kind, tuple[str, str]] = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""What stands around a piece, so that it is read without colours."""
_SHORTEST_SAME = 2
"""Characters between two changes that mean something by themselves."""
LONGEST = 20_000
"""Longer texts are compared paragraph by paragraph only."""
_NUMERAL = re.compile(r"[第0-9０-９零〇一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟.,]+")


@dataclass(frozen=True, slots=True)
class Piece:
    """Words that stand in both texts, only in the old one, or only in the new one."""

    kind: Kind
    text: str


def difference(old: str, new: str) -> list[Piece]:
    """Pieces whose same + removed are the old text and whose same + added are the new one."""
    if old == new:
        return [Piece("same", old)] if old else []
    if max(len(old), len(new)) > LONGEST:
        return _joined(_changes(old.splitlines(keepends=True), new.splitlines(keepends=True)))
    return _joined(_without_specks(list(_changes(tokens(old), tokens(new)))))


def tokens(text: str) -> list[str]:
    """The words, numerals and marks of a text: joined, they are the text again. A numeral is one token."""
    found: list[str] = []
    for word in cut(text):
        if found and _NUMERAL.fullmatch(word) and _NUMERAL.fullmatch(found[-1]):
            found[-1] += word
        else:
            found.append(word)
    return found


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[Piece]:
    from rapidfuzz.distance import Indel

    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            yield Piece("same", "".join(old[step.src_start : step.src_end]))
        if step.tag in ("delete", "replace"):
            yield Piece("removed", "".join(old[step.src_start : step.src_end]))
        if step.tag in ("insert", "replace"):
            yield Piece("added", "".join(new[step.dest_start : step.dest_end]))


def _without_specks(pieces: list[Piece]) -> Iterator[Piece]:
    """What is equal between two changes and too short becomes part of the change."""
    for place, piece in enumerate(pieces):
        between = 0 < place < len(pieces) - 1
        if piece.kind == "same" and between and len(piece.text) < _SHORTEST_SAME:
            yield Piece("removed", piece.text)
            yield Piece("added", piece.text)
        else:
            yield piece


def _joined(pieces: Iterator[Piece]) -> list[Piece]:
    """One removed and one added piece at most between two equal ones, removed first."""
    found: list[Piece] = []
    removed = added = ""
    for piece in [*pieces, Piece("same", "")]:
        if piece.kind == "removed":
            removed += piece.text
        elif piece.kind == "added":
            added += piece.text
        else:
            found += [Piece("removed", removed)] * bool(removed) + [Piece("added", added)] * bool(added)
            removed = added = ""
            if piece.text:
                if found and found[-1].kind == "same":
                    piece = Piece("same", found.pop().text + piece.text)
                found.append(piece)
    return found
