"""认证 by rule: whether the court relies on an exhibit, and why, from how it was described and what was objected to it.

The table is data/civil_points.toml. 民诉法解释第一百零四、一百零五条; 证据规定第六十八、八十五至九十条 stand behind its lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.courts.agents.civil.heard import Offer, Opinion
from tasks.courts.agents.civil.trial import SIDES, Trial
from tasks.courts.scores.bigrams import bigrams

NEAR = 0.3
"""From this share of pairs on two short texts speak of the same thing."""


@dataclass(frozen=True, slots=True)
class Weighed:
    """An exhibit with what the court makes of it. contested: aspects to which the other side objected."""

    offer: Offer
    admitted: bool
    reason: str
    contested: frozenset[str]
    objection: str = ""

    @property
    def name(self) -> str:
        """原告证据一《借条》."""
        return f"{'原告' if self.offer.side == 'plaintiff' else '被告'}{self.offer.name}"


@cache
def points() -> Mapping[str, Any]:
    """The table of points."""
    loaded: dict[str, Any] = tomllib.loads(
        files(__package__).joinpath("points.toml").read_text(encoding="utf-8")
    )
    return loaded


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
        return Weighed(offer, False, "因未经质证，不能作为认定事实的根据", frozenset())
    against = frozenset(opinion.against)
    objection = "；".join(opinion.against.values())
    about = f"{offer.title}；{offer.kind}；{offer.source}；{offer.purpose}；{offer.excerpt}"
    for rule in points()["exhibits"]:
        if not _fits(rule, against, about, objection):
            continue
        return Weighed(offer, rule["result"] == "admitted", rule["reason"], against, objection)
    return Weighed(offer, True, "与本案事实有关，能够证明其记载的内容", against, objection)


def _fits(rule: Mapping[str, Any], against: frozenset[str], about: str, objection: str) -> bool:
    if not rule["contested"]:
        return not against
    return (
        bool(against & set(rule["contested"]))
        and ("about" not in rule or bool(re.search(rule["about"], about)))
        and ("unless_about" not in rule or not re.search(rule["unless_about"], about))
        and ("objection" not in rule or bool(re.search(rule["objection"], objection)))
        and (not rule.get("needs_truth") or "truth" in against)
    )


def overlap(one: str, two: str) -> float:
    """Pairs that two texts share, of those of the shorter one."""
    first, second = bigrams(one), bigrams(two)
    least = min(len(first), len(second))
    return len(first & second) / least if least else 0.0


def nearest(words: str, weighed: Sequence[Weighed]) -> tuple[float, Weighed | None]:
    """The exhibit that speaks most of some words, with how much."""
    best: tuple[float, Weighed | None] = (0.0, None)
    for one in weighed:
        like = max(
            overlap(words, part)
            for part in (one.offer.purpose, one.offer.title, one.offer.excerpt or one.offer.words)
            if part
        )
        if like > best[0]:
            best = (like, one)
    return best
