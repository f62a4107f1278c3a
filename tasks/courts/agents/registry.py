"""Which policy sits in which seat of a court, by name; loaded on use, made once a run.

A rules policy is made with the statute search of the run (None without one); `gold` with the case, by explicit
grant.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any

from store.search.law_search import LawSearch
from tasks.agents.modes import split
from tasks.courts.casefile.case import Case
from tasks.courts.environment import Role, environment
from tasks.courts.play.view import CourtPolicy
from tasks.errors import UsageError

RULES, HUMAN, GOLD, ECHO, MODEL = "court-rules/1", "court-human/1", "court-gold/1", "court-echo/1", "court/1"
MODES = ("lean", "native", "free")


def by_rules(policy: str) -> bool:
    """Whether a policy, of this release or of another, is one of rules."""
    return split(policy)[0].partition("/")[0] == "court-rules"


def policies(
    search: LawSearch | None, models: Callable[[str], CourtPolicy]
) -> Callable[[str, Case, Role], CourtPolicy]:
    """A function from policy name, case and role to the policy; `UsageError` for one of another release.

    Args:
        search: the statute search for rules policies.
        models: what makes the policy of a model, given its whole name.
    """
    ruled = cache(lambda env, role: loaded(environment(env).seats[role].rules)(search))
    model = cache(models)
    references: dict[str, CourtPolicy] = {}

    def named(name: str, case: Case, role: Role) -> CourtPolicy:
        here = environment(case.env)
        if name == RULES and role in here.seats and here.seats[role].rules:
            return ruled(case.env, role)  # type: ignore[no-any-return]
        if split(name)[0] == MODEL:
            return model(name)
        if name == HUMAN:
            return loaded("tasks.courts.agents.references:HumanSeat")()  # type: ignore[no-any-return]
        if name == ECHO and role == here.tested:
            return loaded("tasks.courts.agents.references:EchoSeat")()  # type: ignore[no-any-return]
        if name == GOLD and role == here.tested and (here.gold or here.perfect):
            if case.id not in references:
                references[case.id] = loaded(here.gold or "tasks.courts.agents.references:GoldSpeaker")(case)
            return references[case.id]
        raise UsageError(
            f"this release has no policy {name} for seat '{role}' in {case.env}",
            "The run can be read and scored; to go on, fork it and seat somebody else with --seat ROLE=….",
        )

    return named


def loaded(where: str | Callable[..., Any]) -> Any:
    """What a place names."""
    if not isinstance(where, str):
        return where
    module, attribute = where.split(":")
    return getattr(importlib.import_module(module), attribute)
