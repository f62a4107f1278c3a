"""How the replies of each seat came out: counted over an episode, added up over a run.

calls and tokens of models; spoken: what was said aloud, the fixed line apart; echo, recital, repeat, speaks_for: see
`tasks.agents.degenerate`; repetition, length: a loop or a limit ended the reply; repaired, rejected: how it was read.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping

from tasks.episode.events import FAULTS, ActionParsed, ModelCalled, Record, Said
from tasks.episode.with_tools import SEAT

ENDS = ("repetition", "length")
FIGURES = ("calls", "spoken", *FAULTS, *ENDS, "repaired", "rejected", "evaluated", "reused", "generated")
READ = ("evaluated", "reused")
"""Figures that depend on what the engine had read before: no part of a score block."""
DEGENERATE = (*FAULTS, "repetition")
"""Figures of replies in which nothing is said."""
Replies = Mapping[str, Mapping[str, int]]
"""Seat -> figure -> how often."""


def replies_of(records: Iterable[Record]) -> Replies:
    """The figures of every seat in which a model sat."""
    found: dict[str, Counter[str]] = {}
    spoken: dict[str, Counter[str]] = {}
    for event in (record.event for record in records):
        match event:
            case ModelCalled(human=False):
                own = found.setdefault(event.seat, Counter())
                own.update(
                    calls=1, evaluated=event.evaluated, reused=event.reused, generated=event.generated,
                )  # fmt: skip
                own[event.finish] += event.finish in ENDS
            case Said(turn=turn) if turn > 0:
                spoken.setdefault(event.seat, Counter()).update(filter(None, ("spoken", event.fault)))
            case ActionParsed(result="repaired" | "rejected"):
                spoken.setdefault(event.seat, Counter())[event.result] += 1
    return {
        seat: {name: own[name] + spoken.get(seat, Counter())[name] for name in FIGURES} for seat, own in found.items()
    }


def degenerate(figures: Mapping[str, int]) -> float:
    """The share of replies in which nothing is said: of those that the seat spoke, or else made."""
    found = sum(figures.get(name, 0) for name in DEGENERATE)
    return min(1.0, found / max(1, figures.get("spoken", 0) or figures.get("calls", 0)))


def total(parts: Iterable[Replies]) -> Replies:
    """The sum over episodes, seat by seat, the tested one first."""
    found: dict[str, Counter[str]] = {SEAT: Counter()}
    for part in parts:
        for seat, figures in part.items():
            found.setdefault(seat, Counter()).update(figures)
    return {seat: {name: figures[name] for name in FIGURES} for seat, figures in found.items() if figures}
