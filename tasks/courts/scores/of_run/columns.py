"""Which scores the courts have: the columns of the published tables, our own beside them, and what each of them
needs."""

from __future__ import annotations

from tasks.courts.casefile.case import Env
from tasks.courts.environment import environment
from tasks.courts.scores.documents import PARTS
from tasks.scoring.metrics import POINTS, Measure, Names, Rule

OVERALL = "overall"
OVERALL_NAMES: Names = ("全部", "All")
"""What reports call all environments together."""


def metrics(rule: Rule, env: Env) -> tuple[str, ...]:
    """The metrics of an environment under a rule, in the order of tables."""
    return environment(env).metrics[rule]


def averaged(env: Env) -> list[str]:
    """Of what the overall score is the mean (paper §4.2: all columns of the main table except VER)."""
    return [metric for metric in environment(env).reported if metric != "VER"]


OVERALL_LABEL: Names = ("总分（不含 VER）", "overall (without VER)")
LOWER = frozenset({"VER", "SEN", "FINE", "SEN_d", "FINE_d", "LAW_FAKE", "LAW_OLD", "LAW_UNK"})
"""Less is better."""
RAW = frozenset({"SEN_d", "FINE_d"})
"""Distances of logarithms, no shares: a run gives them as they are, without an interval."""
OF_RUN = frozenset({"VER", "SEN", "FINE"})
"""Compat scores that are scaled over a run; one attempt has none."""
FINISHED_ONLY = frozenset({"BIN", "NBIN"})
"""Published scores that the published code keeps only of dialogues in which every topic was reached."""
_TEXT_PARTS = frozenset(part.name for parts in PARTS.values() for part in parts if part.prompt)


def feeds(name: str, metric: str) -> bool:
    """Whether the verdict of a grader goes into a metric."""
    if metric in ("NBIN", "NBIN_all"):
        return name.startswith("topic:")
    return name in _TEXT_PARTS if metric == "DOC" else name == metric


def family(env: Env) -> str:
    """The cases among which clusters are drawn: CD, DD and CI are stages of the same disputes."""
    return environment(env).family or env


NAMES: dict[str, Names] = {
    "PROB": ("PROB 缓刑一致", "PROB probation agrees"),
    "LAW_FAKE": ("LAW_FAKE 虚构条文", "LAW_FAKE invented articles"),
    "LAW_OLD": ("LAW_OLD 非有效条文", "LAW_OLD articles not in force"),
    "LAW_UNK": ("LAW_UNK 不在索引", "LAW_UNK laws not in the index"),
    "REA_points": ("REA_points 理由要点", "REA_points points of the reasons"),
}
"""Names of metrics of our own; those of the paper keep theirs."""


def scale(metric: str) -> float:
    """What a share is multiplied by in the figures of a run."""
    return 1.0 if metric in RAW else 100.0


def measure(rule: Rule, metric: str) -> Measure:
    """What a metric measures; metrics of the paper keep their names."""
    label = OVERALL_LABEL if metric == OVERALL else NAMES.get(metric, (metric, metric))
    return Measure(rule, metric, label, POINTS, "down" if metric in LOWER else "up")
