"""认证 by rule: whether the court relies on an exhibit, and why, from how it was described and what was objected to it.

The table is points.toml. 民诉法解释第一百零四、一百零五条; 证据规定第六十八、八十五至九十条 stand behind its lines.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any

from tasks.courts.agents.civil.heard import Offer, Opinion
from tasks.courts.agents.civil.weighing import UNHEARD, Weighed


@cache
def points() -> Mapping[str, Any]:
    """The table of points."""
    loaded: dict[str, Any] = tomllib.loads(
        files(__package__).joinpath("points.toml").read_text(encoding="utf-8")
    )
    return loaded


def weighed(offer: Offer, opinion: Opinion | None) -> Weighed:
    """What the court makes of an exhibit."""
    if opinion is None:
        return Weighed(offer, False, UNHEARD, frozenset())
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
