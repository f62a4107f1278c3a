"""Which policy sits in which seat of a court, by name; loaded on use, made once a run.

A rules policy is made with the statute search of the run (None without one); `gold` with the case, by explicit grant.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from functools import cache
from typing import Any

from store.search.law_search import LawSearch
from tasks.agents.modes import split
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.visibility import TESTED, Role
from tasks.courts.play.views import CourtPolicy
from tasks.errors import UsageError

RULES, HUMAN, GOLD, ECHO, MODEL = "court-rules/1", "court-human/1", "court-gold/1", "court-echo/1", "court/1"
MODES = ("lean", "free")
_HERE = "tasks.courts.agents"

_RULES: Mapping[tuple[Env, Role], str] = {
    ("KQ", "client"): "clients.seat:AskingClient",
    ("LC", "client"): "clients.seat:AskingClient",
    ("CD", "plaintiff"): "clients.seat:TellingClient",
    ("DD", "defendant"): "clients.seat:TellingClient",
    ("CI", "clerk"): "clerk:Clerk",
    ("CR", "clerk"): "clerk:Clerk",
    ("CI", "plaintiff_lawyer"): "civil.parties:CivilLawyer",
    ("CI", "defendant_lawyer"): "civil.parties:CivilLawyer",
    ("CR", "procurator"): "criminal.parties:Procurator",
    ("CR", "defendant"): "criminal.parties:Accused",
    ("CR", "defence_lawyer"): "criminal.parties:DefenceLawyer",
    ("KQ", "trainee"): "advice.seat:Trainee",
    ("LC", "trainee"): "advice.seat:Trainee",
    ("CD", "plaintiff_lawyer"): "drafting.seat:Drafter",
    ("DD", "defendant_lawyer"): "drafting.seat:Drafter",
    ("CI", "judge"): "civil.judge:CivilJudge",
    ("CR", "judge"): "criminal.judge:CriminalJudge",
}
"""Environment and role -> the rules that keep the seat."""
_GOLD: Mapping[Env, str] = {
    "KQ": "gold:GoldTrainee", "LC": "gold:GoldTrainee", "CD": "gold:GoldDrafter", "DD": "gold:GoldDrafter",
    "CI": "gold:GoldJudge", "CR": "gold:GoldJudge",
}  # fmt: skip


def policies(
    search: LawSearch | None, models: Callable[[str], CourtPolicy]
) -> Callable[[str, Case, Role], CourtPolicy]:
    """A function from policy name, case and role to the policy; `UsageError` for one of another release.

    Args:
        search: the statute search for rules policies.
        models: what makes the policy of a model, given its whole name.
    """
    by_rules = cache(lambda env, role: _load(_RULES[env, role])(search))
    model = cache(models)
    references: dict[str, CourtPolicy] = {}

    def named(name: str, case: Case, role: Role) -> CourtPolicy:
        if name == RULES and (case.env, role) in _RULES:
            return by_rules(case.env, role)  # type: ignore[no-any-return]
        if split(name)[0] == MODEL:
            return model(name)
        if name == HUMAN:
            return _load("human:HumanSeat")()  # type: ignore[no-any-return]
        if name == ECHO and role == TESTED[case.env]:
            return _load("echo:EchoSeat")()  # type: ignore[no-any-return]
        if name == GOLD and role == TESTED[case.env]:
            if case.id not in references:
                references[case.id] = _load(_GOLD[case.env])(case)
            return references[case.id]
        raise UsageError(
            f"this release has no policy {name} for seat '{role}' in {case.env}",
            "The run can be read and scored; to go on, fork it and seat somebody else with --seat ROLE=….",
        )

    return named


def _load(where: str) -> Any:
    module, attribute = where.split(":")
    return getattr(importlib.import_module(f"{_HERE}.{module}"), attribute)
