"""How the score block of each benchmark is laid out, so that every report reads any block.

A block of LegalAgentBench keeps shares from 0 to 1 by rule, rate and group; one of LegalSearch keeps means from 0 to 100
by rule, task and part (all questions, covered ones). Groups of LegalSearch are its tasks and the means of both domains. A
block of the courts keeps means from 0 to 100 by rule, environment and metric; it says itself which metrics there are.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

DOMAINS = ("in_domain", "out_of_domain")
RULES = ("compat", "strict")


@dataclass(frozen=True, slots=True)
class Layout:
    """rates: (rule, rate) in the order of tables; places: decimals shown; top: the best value; across: where groups stand."""

    rates: tuple[tuple[str, str], ...]
    places: int
    top: float
    across: Literal["columns", "rows"]

    def rates_of(self, block: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """(rule, rate) of a block in the order of tables."""
        return self.rates

    def groups(self, block: Mapping[str, Any]) -> list[str]:
        """The groups of a block in their order, the overall ones last."""
        found = list(block["groups"])
        return found + [name for name in DOMAINS if at(block, "overall", "compat", name, "tasks")]

    def overall(self, block: Mapping[str, Any]) -> list[str]:
        """The groups that sum up a run."""
        groups = self.groups(block)
        return [name for name in groups if name in ("all", *DOMAINS)] or groups

    def value(self, block: Mapping[str, Any], rule: str, rate: str, group: str) -> float | None:
        """The figure itself."""
        if self.across == "columns":
            return _number(at(block, rule, rate, group))
        if group in DOMAINS:
            return _number(at(block, "overall", rule, group, "mean")) if rate == "all" else None
        return _number(at(block, rule, group, rate))

    def beside(self, tree: str, block: Mapping[str, Any], rule: str, rate: str, group: str) -> Any:
        """What stands at the same place of another tree: `intervals`, `interval_methods`."""
        return at(block, tree, rule, *((rate, group) if self.across == "columns" else (group, rate)))

    def limit(self, name: str, block: Mapping[str, Any], rule: str, rate: str, group: str) -> float | None:
        """`floor`, or a ceiling: `reference` (the gold answer), `walker` (the path of the gold agent)."""
        if self.across == "columns":
            path = ("floor",) if name == "floor" else ("ceiling", name)
            return _number(at(block, *path, rule, rate, group))
        tree = {"floor": "floor", "reference": "ceiling"}.get(name, "")
        return _number(at(block, tree, rule, group, "all")) if rate == "all" else None

    def count(self, block: Mapping[str, Any], rule: str, rate: str, group: str) -> int:
        """Questions behind a figure."""
        if self.across == "columns":
            scored = at(block, "strict", "n_scored_by_group", group) if rule == "strict" else None
            return int(block["groups"][group] if scored is None else scored)
        if group in DOMAINS:
            return sum(int(block["groups"][task]) for task in at(block, "overall", rule, group, "tasks") or ())
        if rate == "covered":
            return int(at(block, rule, group, "n_covered") or 0)
        scored = at(block, rule, group, "n_scored")
        return int(at(block, rule, group, "n") or 0) if scored is None else int(scored)

    def has(self, block: Mapping[str, Any], rate: str, group: str) -> bool:
        """Whether a group has such a rate at all: only recitals can be covered."""
        return self.across == "columns" or rate == "all" or at(block, "compat", group, "n_covered") is not None


OVERALL = "overall"


@dataclass(frozen=True, slots=True)
class CourtLayout(Layout):
    """Groups are the environments that ran, and `overall`, whose only rate it is. A block says which metrics there are."""

    def rates_of(self, block: Mapping[str, Any]) -> Sequence[tuple[str, str]]:
        """(rule, metric) in the order of the environments."""
        names = [(rule, name) for rule in RULES for env in block["groups"] for name in at(block, rule, env) or ()]
        return [*dict.fromkeys(names), *((rule, OVERALL) for rule in RULES)]

    def groups(self, block: Mapping[str, Any]) -> list[str]:
        """The environments that ran, then all of them together."""
        return [*block["groups"], OVERALL]

    def overall(self, block: Mapping[str, Any]) -> list[str]:
        """What sums up a run."""
        return [OVERALL]

    def value(self, block: Mapping[str, Any], rule: str, rate: str, group: str) -> float | None:
        """The figure itself."""
        return _number(at(block, rule, *_place(rate, group)))

    def beside(self, tree: str, block: Mapping[str, Any], rule: str, rate: str, group: str) -> Any:
        """What stands at the same place of another tree."""
        return at(block, tree, rule, *_place(rate, group))

    def limit(self, name: str, block: Mapping[str, Any], rule: str, rate: str, group: str) -> float | None:
        """`floor`, or a ceiling."""
        path = {"floor": ("floor",), "reference": ("ceiling",)}.get(name, ("ceiling", name))
        return _number(at(block, *path, rule, *_place(rate, group)))

    def count(self, block: Mapping[str, Any], rule: str, rate: str, group: str) -> int:
        """Attempts behind a figure."""
        if group == OVERALL:
            return int(block["n"] if rule == "compat" else at(block, "strict", "n_scored") or 0)
        return int(at(block, "n_scored", rule, group, rate) or 0)

    def has(self, block: Mapping[str, Any], rate: str, group: str) -> bool:
        """Whether an environment has such a metric."""
        return rate == OVERALL if group == OVERALL else at(block, "n_scored", "strict", group, rate) is not None


def ungraded(reason: Any) -> bool:
    """Whether a metric of the courts has no value because a grader has not spoken."""
    return "grad" in str(reason or "")


def _place(rate: str, group: str) -> tuple[str, ...]:
    return (rate,) if group == OVERALL else (group, rate)


TOOLS = Layout(
    (
        ("compat", "success"),
        ("compat", "process"),
        ("strict", "success"),
        ("strict", "process"),
        ("strict", "success_not_given"),
        ("strict", "all_keys"),
    ),
    4, 1.0, "columns",
)  # fmt: skip
LAW = Layout((("compat", "all"), ("compat", "covered"), ("strict", "all"), ("strict", "covered")), 2, 100.0, "rows")
COURTS = CourtLayout((("compat", OVERALL), ("strict", OVERALL)), 2, 100.0, "rows")
LAYOUTS: Mapping[str, Layout] = {"legalagentbench": TOOLS, "legalsearch": LAW, "courts": COURTS}


def layout_of(block: Mapping[str, Any]) -> Layout:
    """The layout of a block; one of an unknown benchmark is read like the first."""
    return LAYOUTS.get(str(block.get("benchmark")), TOOLS)


def at(tree: Any, *path: str) -> Any:
    """What stands at a place of a tree; None where there is nothing."""
    for name in path:
        if not isinstance(tree, Mapping) or name not in tree:
            return None
        tree = tree[name]
    return tree


def _number(value: Any) -> float | None:
    return float(value) if isinstance(value, int | float) and not isinstance(value, bool) else None
