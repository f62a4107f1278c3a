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
from tasks.courts.agents.experts import Kind, expert, installed
from tasks.courts.casefile.case import Case, Env
from tasks.courts.casefile.visibility import TESTED, Role
from tasks.courts.play.views import CourtPolicy
from tasks.errors import UsageError

RULES, EXPERT = "court-rules/2", "court-expert/1"
"""Rules that keep the procedure and decide nothing disputed, and the same with an expert on substance."""
HUMAN, GOLD, ECHO, MODEL = "court-human/1", "court-gold/1", "court-echo/1", "court/1"
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
    ("KQ", "trainee"): "trainee:Trainee",
    ("LC", "trainee"): "trainee:Trainee",
    ("CD", "plaintiff_lawyer"): "drafting.seat:Drafter",
    ("DD", "defendant_lawyer"): "drafting.seat:Drafter",
    ("CI", "judge"): "civil.judge:CivilJudge",
    ("CR", "judge"): "criminal.judge:CriminalJudge",
}
"""Environment and role -> the rules that keep the seat."""
_EXPERTS: Mapping[Env, Kind] = {"KQ": "advice", "LC": "advice", "CI": "civil", "CR": "criminal"}
"""Environments whose tested seat an expert may help; in KQ and LC it takes the seat itself."""
_GOLD: Mapping[Env, str] = {
    "KQ": "gold:GoldTrainee", "LC": "gold:GoldTrainee", "CD": "gold:GoldDrafter", "DD": "gold:GoldDrafter",
    "CI": "gold:GoldJudge", "CR": "gold:GoldJudge",
}  # fmt: skip


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
    ruled = cache(lambda env, role: _load(_RULES[env, role])(search))
    helped = cache(lambda env, role: _helped(env, role, search))
    model = cache(models)
    references: dict[str, CourtPolicy] = {}

    def named(name: str, case: Case, role: Role) -> CourtPolicy:
        if name == RULES and (case.env, role) in _RULES:
            return ruled(case.env, role)  # type: ignore[no-any-return]
        if name == EXPERT and role == TESTED[case.env] and installed():
            return helped(case.env, role)  # type: ignore[no-any-return]
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


def _helped(env: Env, role: Role, search: LawSearch | None) -> Any:
    """The rules of a tested seat with their expert."""
    found = expert(_EXPERTS[env]) if env in _EXPERTS else None
    if found is None:
        return _load(_RULES[env, role])(search)
    return found(search) if _EXPERTS[env] == "advice" else _load(_RULES[env, role])(search, found)


def _load(where: str) -> Any:
    module, attribute = where.split(":")
    return getattr(importlib.import_module(f"{_HERE}.{module}"), attribute)
