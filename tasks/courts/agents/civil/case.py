"""What decides a civil case, as the bench heard it, and what becomes of a claim. Sums are in yuan."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Literal

from tasks.courts.agents.citing import Cited
from tasks.courts.agents.civil.heard import Claim, Point
from tasks.courts.agents.civil.trial import Trial
from tasks.courts.agents.civil.weighing import Weighed


@dataclass(frozen=True, slots=True)
class Finding:
    """What becomes of a claim, and why."""

    claim: Claim
    outcome: Literal["granted", "rejected"]
    reasons: tuple[str, ...]


@dataclass
class Case:
    """All that decides a case, as heard. findings: what the court has found itself."""

    trial: Trial
    cause: str
    names: Mapping[str, str]
    findings: str
    hearing: date | None
    weighed: list[Weighed]
    claims: list[Claim] = field(default_factory=list)
    points: list[Point] = field(default_factory=list)

    @property
    def standing(self) -> list[Weighed]:
        """Exhibits against which nobody says anything."""
        return [one for one in self.weighed if one.undisputed]

    @property
    def shown(self) -> str:
        """The words of exhibits that stand."""
        return "\n".join(one.offer.says for one in self.standing)

    def on(self, claim: Claim) -> list[Point]:
        """The points of the answer that meet a claim."""
        return [point for point in self.points if claim.number in point.claims]

    def admits(self, claim: Claim) -> bool:
        """Whether the answer admits a claim and says nothing against it."""
        mine = self.on(claim)
        return bool(mine) and all(point.position == "admit" for point in mine)


@dataclass(frozen=True, slots=True)
class Substance:
    """What a judgment decides: exhibits and claims with their reasons, and the articles."""

    weighed: Sequence[Weighed]
    laws: Sequence[Cited]
    found: Sequence[Finding]
