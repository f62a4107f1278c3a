"""Two wordings side by side, clause by clause and within a clause by whole words and numerals: nobody reads
第六[-百-]七十[-五-]条.

A clause ends with 。；！？ or its line. Equal words too short to mean anything between two changes are taken into the
change, so that a reader sees phrases replaced and not words that happen to agree.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, zip_longest
from typing import Literal

from store.text.alignment import alike, in_order, likenesses
from store.text.segment import cut

Kind = Literal["same", "removed", "added"]

MARKS: Mapping[Kind, tuple[str, str]] = {"same": ("", ""), "removed": ("[-", "-]"), "added": ("{+", "+}")}
"""What stands around a piece, so that it is read without colours."""
_SHORTEST_SAME = 2
"""Characters between two changes that mean something by themselves."""
LONGEST = 20_000
"""Longer texts are compared paragraph by paragraph only."""
_MOST_CLAUSES = 400
"""With more clauses on a side only equal ones are laid beside each other."""
_CLAUSE = re.compile(r"(?<=[。；！？\n])(?![。；！？”’）\n])")
_NUMERAL = re.compile(r"[第0-9０-９零〇一二三四五六七八九十百千万亿两壹贰叁肆伍陆柒捌玖拾佰仟.,]+")


@dataclass(frozen=True, slots=True)
class DiffPiece:
    """Words that stand in both texts, only in the old one, or only in the new one."""

    kind: Kind
    text: str


_Group = tuple[list[int], list[int]]
"""Places of clauses of the old text, and of the new one, that belong together."""


@dataclass(frozen=True, slots=True)
class Clause:
    """Clauses of the old text beside those of the new one that they became; `old` and `new` are their places.

    Nothing on one side: left out, or new. pieces: what differs between them.
    """

    old: tuple[int, ...]
    new: tuple[int, ...]
    pieces: tuple[DiffPiece, ...]

    @property
    def kind(self) -> Literal["same", "changed", "removed", "added"]:
        """What became of it."""
        if not self.old or not self.new:
            return "removed" if self.old else "added"
        return "same" if all(piece.kind == "same" for piece in self.pieces) else "changed"


def clauses(text: str) -> list[str]:
    """The clauses of a text: joined, they are the text again."""
    return [clause for clause in _CLAUSE.split(text) if clause]


def beside(
    old: Sequence[str], new: Sequence[str], homes: tuple[Sequence[object], Sequence[object]] | None = None
) -> list[Clause]:
    """Clauses of two texts in the order of both; what a clause was split into, or joined from, stands together.

    homes: of what each clause is a part (an article); clauses of several are never joined.
    """
    groups: list[_Group] = []
    i = j = 0
    for row, column in [*_pairs(old, new), (len(old), len(new))]:
        groups += [([place], []) for place in range(i, row)] + [([], [place]) for place in range(j, column)]
        groups += [([row], [column])] if row < len(old) else []
        i, j = row + 1, column + 1

    def words(group: _Group) -> tuple[str, str]:
        return "".join(old[n] for n in group[0]), "".join(new[n] for n in group[1])

    found: list[_Group] = []
    for group in groups:
        if found and (all(found[-1]) or all(group)) and not (all(found[-1]) and all(group)):
            both = (found[-1][0] + group[0], found[-1][1] + group[1])
            whole = group if all(group) else found[-1]
            one_home = homes is None or all(
                len({home[place] for place in side}) == 1 for side, home in zip(both, homes, strict=True)
            )
            if one_home and alike(*words(both)) > alike(*words(whole)):
                found[-1] = both
                continue
        found.append(group)
    return [*_replaced(found, words)]


def _replaced(groups: Sequence[_Group], words: Callable[[_Group], tuple[str, str]]) -> Iterator[Clause]:
    """The groups as clauses; of a run of clauses that are gone and new ones, one stands beside the other, unlike as
    they are."""
    for whole, run in groupby(groups, lambda group: bool(group[0] and group[1])):
        if whole:
            for old, new in run:
                yield Clause(tuple(old), tuple(new), tuple(difference(*words((old, new)))))
            continue
        alone = list(run)
        for gone, come in zip_longest(
            *([side for group in alone if (side := group[at])] for at in (0, 1)), fillvalue=[]
        ):
            before, after = words((gone, come))
            pieces = (DiffPiece("removed", before), DiffPiece("added", after))
            yield Clause(tuple(gone), tuple(come), tuple(piece for piece in pieces if piece.text))


def _pairs(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int]]:
    """Places of clauses that are one clause revised."""
    if not old or not new:
        return []
    if max(len(old), len(new)) <= _MOST_CLAUSES:
        return in_order(likenesses(old, new).tolist())
    from rapidfuzz.distance import Indel

    equal = [step for step in Indel.opcodes(old, new) if step.tag == "equal"]
    return [(step.src_start + n, step.dest_start + n) for step in equal for n in range(step.src_end - step.src_start)]


def difference(old: str, new: str) -> list[DiffPiece]:
    """Pieces whose same + removed are the old text and whose same + added are the new one."""
    if old == new:
        return [DiffPiece("same", old)] if old else []
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


def _changes(old: Sequence[str], new: Sequence[str]) -> Iterator[DiffPiece]:
    from rapidfuzz.distance import Indel

    for step in Indel.opcodes(old, new):
        if step.tag == "equal":
            yield DiffPiece("same", "".join(old[step.src_start : step.src_end]))
        if step.tag in ("delete", "replace"):
            yield DiffPiece("removed", "".join(old[step.src_start : step.src_end]))
        if step.tag in ("insert", "replace"):
            yield DiffPiece("added", "".join(new[step.dest_start : step.dest_end]))


def _without_specks(pieces: list[DiffPiece]) -> Iterator[DiffPiece]:
    """What is equal between two changes and too short becomes part of the change."""
    for place, piece in enumerate(pieces):
        between = 0 < place < len(pieces) - 1
        if piece.kind == "same" and between and len(piece.text) < _SHORTEST_SAME:
            yield DiffPiece("removed", piece.text)
            yield DiffPiece("added", piece.text)
        else:
            yield piece


def _joined(pieces: Iterator[DiffPiece]) -> list[DiffPiece]:
    """One removed and one added piece at most between two equal ones, removed first."""
    found: list[DiffPiece] = []
    removed = added = ""
    for piece in [*pieces, DiffPiece("same", "")]:
        if piece.kind == "removed":
            removed += piece.text
        elif piece.kind == "added":
            added += piece.text
        else:
            found += [DiffPiece("removed", removed)] * bool(removed) + [DiffPiece("added", added)] * bool(added)
            removed = added = ""
            if piece.text:
                if found and found[-1].kind == "same":
                    piece = DiffPiece("same", found.pop().text + piece.text)
                found.append(piece)
    return found
