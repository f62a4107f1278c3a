"""Which policy sits in which seat of a court, by name; loaded on use, made once a run.

A rules policy is made with the statute search of the run (None without one); `gold` with the case, by explicit grant.
An expert, rules of substance that may be installed beside the courts or not, is an entry point of the group
`moot.experts` and never imported: without it the judge keeps the procedure and rules on what nobody disputes, and the
trainee answers from the statutes.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from functools import cache
from typing import Any, Literal

from store.search.law_search import LawSearch
from tasks import registry
from tasks.agents.modes import split
from tasks.courts.casefile.case import Case, Env
from tasks.courts.environment import Role, environment
from tasks.courts.play.views import CourtPolicy
from tasks.errors import UsageError

Kind = Literal["civil", "criminal", "advice"]
RULES, EXPERT = "court-rules/2", "court-expert/1"
"""Rules that keep the procedure and decide nothing disputed, and the same with an expert on substance."""
HUMAN, GOLD, ECHO, MODEL = "court-human/1", "court-gold/1", "court-echo/1", "court/1"
MODES = ("lean", "native", "free")


@cache
def expert(kind: Kind) -> Any | None:
    """What decides matters of a kind; None where nothing is installed for it.

    civil: `Case -> Substance`; criminal: `Case -> Decision`; advice: the class of a policy, made with a search.
    """
    for _, point in registry.declared()[0]:
        if (point.group, point.name) == ("moot.experts", kind):
            try:
                return point.load()
            except ModuleNotFoundError as missing:
                if not point.module.startswith(str(missing.name)):
                    raise  # it is there, and something that it needs is not
    return None


def installed() -> bool:
    """Whether any expert is there."""
    return any(expert(kind) is not None for kind in ("civil", "criminal", "advice"))


def tested() -> str:
    """The policy that `rules` is in the tested seat: with an expert where one is installed."""
    return EXPERT if installed() else RULES


def by_rules(policy: str) -> bool:
    """Whether a policy, of this release or of another, is one of rules."""
    return split(policy)[0].partition("/")[0] in ("court-rules", "court-expert")


def policies(
    search: LawSearch | None, models: Callable[[str], CourtPolicy]
) -> Callable[[str, Case, Role], CourtPolicy]:
    """A function from policy name, case and role to the policy; `UsageError` for one of another release.

    Args:
        search: the statute search for rules policies.
        models: what makes the policy of a model, given its whole name.
    """
    ruled = cache(lambda env, role: loaded(environment(env).seats[role].rules)(search))
    helped = cache(lambda env, role: _helped(env, role, search))
    model = cache(models)
    references: dict[str, CourtPolicy] = {}

    def named(name: str, case: Case, role: Role) -> CourtPolicy:
        here = environment(case.env)
        if name == RULES and role in here.seats and here.seats[role].rules:
            return ruled(case.env, role)  # type: ignore[no-any-return]
        if name == EXPERT and role == here.tested and here.seats[role].rules and (installed() or not here.expert):
            return helped(case.env, role)  # type: ignore[no-any-return]
        if split(name)[0] == MODEL:
            return model(name)
        if name == HUMAN:
            return loaded("tasks.courts.agents.human:HumanSeat")()  # type: ignore[no-any-return]
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


def _helped(env: Env, role: Role, search: LawSearch | None) -> Any:
    """The rules of a tested seat with their expert."""
    here = environment(env)
    rules = loaded(here.seats[role].rules)
    found = expert(here.expert) if here.expert else None
    if found is None:
        return rules(search)
    return found(search) if here.expert == "advice" else rules(search, found)


def loaded(where: str | Callable[..., Any]) -> Any:
    """What a place names; in KQ and LC the expert takes the seat itself."""
    if not isinstance(where, str):
        return where
    module, attribute = where.split(":")
    return getattr(importlib.import_module(module), attribute)
