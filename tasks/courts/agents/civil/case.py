"""What decides a civil case, as the bench heard it, and what becomes of a claim. Sums are in yuan."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tasks.courts.agents.civil.heard import Claim, Point
from tasks.courts.agents.civil.sums import Span
from tasks.courts.agents.civil.trial import Trial
from tasks.courts.agents.civil.weighing import Weighed

Outcome = Literal["granted", "partly", "rejected"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What becomes of a claim, and why. steps: how the sum was reckoned, in words."""

    claim: Claim
    outcome: Outcome
    amount: float | None
    reasons: tuple[str, ...]
    steps: tuple[str, ...] = ()
    unproven: bool = False
    standard: str = ""
    """At what interest or penalty runs on: 年利率9%."""
    base: float = 0.0
    """On what it runs on; 0 where that was not reckoned."""
    dropped: tuple[str, ...] = ()
    """Heads of the claim of which nothing is granted."""
    adopts: str = "(?!)"
    """Words of the contentions of the answer that were followed."""
    less: Lessened = field(default_factory=lambda: Lessened())
    """Sums by which the claim is less."""
    uncontested: bool = False
    """Nobody says anything against it."""
    worded: str = ""
    """The claim as it is granted, where that is not in its own words."""
    defeated: str = ""
    """The contention that defeats it."""
    met: tuple[str, ...] = ()
    """What is said of a defence that did not help."""


@dataclass(frozen=True, slots=True)
class Lessened:
    """Sums by which a claim is less, each with its words; from_points: the points they come from."""

    sums: tuple[tuple[float, str], ...] = ()
    excluded: tuple[tuple[float, str], ...] = ()
    from_points: frozenset[str] = frozenset()

    @property
    def total(self) -> float:
        """All of them."""
        return sum(value for value, _ in (*self.sums, *self.excluded))


@dataclass(frozen=True, slots=True)
class Reckoned:
    """What is left of a claim, how it was reckoned, and the standard by which it runs on."""

    amount: float
    steps: tuple[str, ...] = ()
    standard: str = ""
    adopts: str = "(?!)"
    """Words of the points of the answer that were followed."""
    base: float = 0.0
    """On what interest or a penalty runs on."""
    less: Lessened | None = None
    """The sums by which the claim is less, where they are not those of the answer."""


@dataclass
class Case:
    """All that decides a case, as heard."""

    trial: Trial
    cause: str
    names: Mapping[str, str]
    findings: str
    hearing: date | None
    weighed: list[Weighed]
    claims: list[Claim] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)
    decided: dict[int, Finding] = field(default_factory=dict)
    used: set[str] = field(default_factory=set)
    repaid: Span | None = None
    """What is left of a loan, from the day of a payment on."""

    @property
    def standing(self) -> list[Weighed]:
        """Exhibits that the court relies on."""
        return [one for one in self.weighed if one.admitted]

    @property
    def established(self) -> str:
        """The words of exhibits that stand, what the court found itself, and what the plaintiff told unanswered."""
        return "\n".join([self.shown, self.findings, *self.trial.story])

    @property
    def shown(self) -> str:
        """The words of exhibits that stand, and of the court's own inquiry."""
        return "\n".join(
            [
                f"{one.offer.title}；{one.offer.purpose}；{one.offer.excerpt or one.offer.words}"
                for one in self.standing
            ]
        )

    def on(self, claim: Claim) -> list[Point]:
        """The points of the answer that meet a claim."""
        return [point for point in self.points if claim.number in point.claims]

    def pleaded(self, claim: Claim) -> str:
        """The words of the answer on a claim, and of what is said about the suit as a whole."""
        return "\n".join(p.text for p in self.points if claim.number in p.claims or not p.claims)
