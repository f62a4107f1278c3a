"""How the score block of each benchmark is laid out, so that every report reads any block.

A block of LegalAgentBench keeps shares from 0 to 1 by rule, rate and group; one of LegalSearch keeps means from 0 to 100
by rule, task and part (all questions, covered ones). Groups of LegalSearch are its tasks and the means of both domains.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

DOMAINS = ("in_domain", "out_of_domain")


@dataclass(frozen=True, slots=True)
class Layout:
    """rates: (rule, rate) in the order of tables; places: decimals shown; top: the best value; across: where groups stand."""

    rates: tuple[tuple[str, str], ...]
    places: int
    top: float
    across: Literal["columns", "rows"]

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
LAYOUTS: Mapping[str, Layout] = {"legalagentbench": TOOLS, "legalsearch": LAW}


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
