"""Two wordings of an article side by side, character by character.

Runs of equal characters too short to mean anything between two changes are taken into the change, so that a reader sees
words replaced and not letters that happen to agree.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

Kind = Literal["same", "removed", "added"]

_SHORTEST_SAME = 2
LONGEST = 20_000
"""Longer texts are compared paragraph by paragraph only."""


@dataclass(frozen=True, slots=True)
class Piece:
    """A run of characters that is in both texts, only in the old one, or only in the new one."""

    kind: Kind
    text: str


def difference(old: str, new: str) -> list[Piece]:
    """Pieces whose same + removed are the old text and whose same + added are the new one."""
    if max(len(old), len(new)) > LONGEST:
        return _joined(_by_line(old, new))
    return _joined(_without_specks([Piece(kind, "".join(text)) for kind, text in _changes(old, new)]))


def _by_line(old: str, new: str) -> list[Piece]:
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    return [Piece(kind, "".join(lines)) for kind, lines in _changes(before, after)]


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[tuple[Kind, Sequence[str]]]:
    from rapidfuzz.distance import Indel

    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            yield "same", old[step.src_start : step.src_end]
        if step.tag in ("delete", "replace"):
            yield "removed", old[step.src_start : step.src_end]
        if step.tag in ("insert", "replace"):
            yield "added", new[step.dest_start : step.dest_end]


def _without_specks(pieces: list[Piece]) -> list[Piece]:
    """Single equal characters between two changes become part of the change."""
    found: list[Piece] = []
    for place, piece in enumerate(pieces):
        between = 0 < place < len(pieces) - 1
        if piece.kind == "same" and between and len(piece.text) < _SHORTEST_SAME:
            found += [Piece("removed", piece.text), Piece("added", piece.text)]
        else:
            found.append(piece)
    return found


def _joined(pieces: list[Piece]) -> list[Piece]:
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
