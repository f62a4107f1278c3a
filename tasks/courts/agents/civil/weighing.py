"""认证 as far as nobody disputes it: an exhibit without an objection is relied on, one of which only 证明目的 is contested
is relied on for what it holds, any other is left undecided, and that is said.

民诉法解释第一百零三条: what was not put to the other side is no ground for a finding.
"""

from __future__ import annotations

from dataclasses import dataclass

from tasks.courts.agents.civil.heard import Offer, Opinion
from tasks.courts.agents.civil.trial import SIDES, Trial

UNHEARD = "因未经质证，不能作为认定事实的根据"
GENUINE = "双方对真实性、合法性、关联性没有异议，就证明目的的争议本规则席位不作裁判"
DISPUTED = "因双方有争议，本规则席位不就争议作裁判，无法认定其证明力"


@dataclass(frozen=True, slots=True)
class Weighed:
    """An exhibit with what the court makes of it. contested: aspects to which the other side objected."""

    offer: Offer
    admitted: bool
    reason: str
    contested: frozenset[str]
    objection: str = ""

    @property
    def undisputed(self) -> bool:
        """Whether nobody says anything against what it is to show."""
        return self.admitted and not self.contested

    @property
    def name(self) -> str:
        """原告证据一《借条》."""
        return f"{'原告' if self.offer.side == 'plaintiff' else '被告'}{self.offer.name}"


def weigh(trial: Trial) -> list[Weighed]:
    """Every exhibit of the trial, those of the plaintiff first."""
    return [
        _weighed(trial.offers[key], trial.opinions.get(key) or (Opinion() if key in trial.waived else None))
        for side in SIDES
        for key in sorted(trial.offers)
        if key[0] == side
    ]


def _weighed(offer: Offer, opinion: Opinion | None) -> Weighed:
    if opinion is None:
        return Weighed(offer, False, UNHEARD, frozenset())
    objection = "；".join(opinion.against.values())
    if set(opinion.against) == {"weight"} and "真实性" in opinion.words:
        return Weighed(offer, True, GENUINE, frozenset(opinion.against), objection)
    if opinion.against:
        return Weighed(offer, False, DISPUTED, frozenset(opinion.against), objection)
    return Weighed(offer, True, "双方对真实性、合法性、关联性均无异议", frozenset())
