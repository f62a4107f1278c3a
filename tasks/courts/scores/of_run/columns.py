"""Which scores the courts have: the columns of the published tables, our own beside them, and what each of them
needs."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.courts.casefile.case import CIVIL, ENVS, Env
from tasks.courts.scores.documents import PARTS
from tasks.scoring.metrics import POINTS, Measure, Names, Rule

OVERALL = "overall"
ENV_LABELS: Mapping[str, Names] = {
    "KQ": ("KQ 法律知识问答", "KQ knowledge questions"),
    "LC": ("LC 法律咨询", "LC legal consultation"),
    "CD": ("CD 起诉状撰写", "CD complaint drafting"),
    "DD": ("DD 答辩状撰写", "DD defence drafting"),
    "CI": ("CI 民事一审庭审", "CI civil court"),
    "CR": ("CR 刑事一审庭审", "CR criminal court"),
    OVERALL: ("全部", "All"),
}
"""Environment, and all of them together -> what reports call it."""

REPORTED: Mapping[Env, tuple[str, ...]] = {
    "KQ": ("BIN", "NBIN"),
    "LC": ("BIN", "NBIN"),
    "CD": ("FOR", "DOC"),
    "DD": ("FOR", "DOC"),
    "CI": ("PFS", "JUD", "REA", "LAW"),
    "CR": ("PFS", "CRI", "VER", "REA", "LAW"),
}
"""The columns of the published main table."""
AVERAGED: tuple[tuple[Env, str], ...] = tuple(
    (env, metric) for env in ENVS for metric in REPORTED[env] if metric != "VER"
)
"""What the overall score is the mean of (paper §4.2: all columns except VER)."""

_ADVICE = ("BIN", "NBIN", "BIN_all", "NBIN_all", "COV")
_DRAFT = ("FOR", "Label", "Seq", "DOC")
_PARTS: Mapping[str, tuple[str, ...]] = {kind: tuple(part.name for part in parts) for kind, parts in PARTS.items()}
_PROXIES: Mapping[str, tuple[str, ...]] = {
    kind: ("DOC_proxy", *(f"{part.name}_proxy" for part in parts if part.slots)) for kind, parts in PARTS.items()
}
_PROCEDURE = ("PFS", "STA", "ACT", "UNI")
_CITED = ("LAW_P", "LAW_F1", "LAW_FAKE")
_POINTS = ("REA_points", "REA_narrow")

METRICS: Mapping[Rule, Mapping[Env, tuple[str, ...]]] = {
    "compat": {
        "KQ": _ADVICE,
        "LC": _ADVICE,
        "CD": (*_DRAFT, *_PARTS["CD"]),
        "DD": (*_DRAFT, *_PARTS["DD"]),
        "CI": (*_PROCEDURE, "JUD", "REA", "LAW"),
        "CR": (*_PROCEDURE, "CRI", "VER", "SEN", "FINE", "REA", "LAW"),
    },
    "strict": {
        "KQ": (*_ADVICE, "NBIN_proxy", "NBIN_all_proxy"),
        "LC": (*_ADVICE, "NBIN_proxy", "NBIN_all_proxy"),
        "CD": (*_DRAFT, *_PARTS["CD"], *_PROXIES["CD"]),
        "DD": (*_DRAFT, *_PARTS["DD"], *_PROXIES["DD"]),
        "CI": (*_PROCEDURE, "ORD", "JUD", "JUD_claims", "REA", *_POINTS, "LAW", *_CITED),
        "CR": (
            *_PROCEDURE, "ORD", "CRI", "VER", "SEN", "FINE", "SEN_d", "FINE_d", "LIFE", "REA", *_POINTS, "LAW", *_CITED,
        ),
    },
}  # fmt: skip
"""Rule and environment -> its metrics in the order of tables."""

OVERALL_LABEL: Names = ("总分（不含 VER）", "overall (without VER)")
LOWER = frozenset({"VER", "SEN", "FINE", "SEN_d", "FINE_d", "LAW_FAKE"})
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
    return "civil" if env in CIVIL else env


def scale(metric: str) -> float:
    """What a share is multiplied by in the figures of a run."""
    return 1.0 if metric in RAW else 100.0


def measure(rule: Rule, metric: str) -> Measure:
    """What a metric measures; metrics of the paper keep their names."""
    label = OVERALL_LABEL if metric == OVERALL else (metric, metric)
    return Measure(rule, metric, label, POINTS, "down" if metric in LOWER else "up")
