"""Makes LegalSearch tasks from any versioned pack: recitals by the paper's rule, and time-travel pairs.

Everything is drawn from a seed: the same book, seed and limit give the same tasks.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from datetime import date
from itertools import islice
from random import Random
from typing import Any

from tasks.legalsearch.construct.changes import Book, Change, Fault, changes, recitals
from tasks.legalsearch.construct.travel import pairs

__all__ = ["Book", "Change", "Fault", "changes", "construct"]


def construct(
    book: Book, *, as_of: date, seed: int = 2026, limit: int | None = None, faults: Collection[Fault] = frozenset(),
    prefix: str = "", law: str = "中国法律",
) -> list[dict[str, Any]]:  # fmt: skip
    """LAR tasks and time-travel pairs of a book.

    Args:
        book: versioned statutes.
        as_of: the day up to which versions still in force are asked about.
        seed: of all draws.
        limit: at most so many tasks, half of them pairs; None: all there are.
        faults: articles whose text is damaged, see `changes`.
        prefix: before the ids.
        law: whose law it is, for the prompts.
    """
    rng = Random(f"legalsearch-construct/{seed}")
    found = spread(list(changes(book, faults)), rng)
    wanted = None if limit is None else limit // 4
    travelling = list(islice(pairs(book, found, rng, as_of, prefix, law), wanted))
    left = None if limit is None else limit - 2 * len(travelling)
    return [
        *islice(recitals(book, found, rng, as_of, prefix, law), left),
        *(task for pair in travelling for task in pair),
    ]


def spread(found: Sequence[Change], rng: Random) -> list[Change]:
    """Changes in a drawn order in which laws take turns, so that a short list is not about one law."""
    by_law: dict[str, list[Change]] = {}
    for change in found:
        by_law.setdefault(change.after.law, []).append(change)
    for group in by_law.values():
        rng.shuffle(group)
    rounds = range(max(map(len, by_law.values()), default=0))
    return [group[turn] for turn in rounds for group in by_law.values() if turn < len(group)]
