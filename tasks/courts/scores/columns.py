"""Which scores the courts have: the columns of the published tables, our own beside them, and what each of them
needs."""

from __future__ import annotations

from collections.abc import Iterable

from tasks.courts.casefile.case import Env
from tasks.courts.environment import environment
from tasks.courts.scores.documents import PARTS
from tasks.scoring.metrics import POINTS, Measure, Rule
from tasks.scoring.names import DISTANCES, Names, called, measure_name

OVERALL = "overall"
OVERALL_NAMES: Names = ("全部", "All")
"""What reports call all environments together."""


def metrics(rule: Rule, env: Env) -> tuple[str, ...]:
    """The metrics of an environment under a rule, in the order of tables."""
    return environment(env).metrics[rule]


def averaged(env: Env) -> list[str]:
    """Of what the overall score is the mean (paper §4.2: all columns of the main table except VER)."""
    return [metric for metric in environment(env).reported if metric != "VER"]


OVERALL_LABEL: Names = ("总分（不含量刑）", "overall (without the sentence)")
OVERALL_CODES: Names = ("总分（不含 VER）", "overall (without VER)")
"""The same among codes; published as a key of JSON."""
LOWER = frozenset({"VER", "SEN", "FINE", "SEN_d", "FINE_d", "LAW_FAKE", "LAW_OLD", "LAW_UNK"})
"""Less is better."""
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


def scale(metric: str) -> float:
    """What a share is multiplied by in the figures of a run."""
    return 1.0 if metric in DISTANCES else 100.0


def measure(rule: Rule, metric: str) -> Measure:
    """What a metric measures; a distance stands on the scale of points as it is."""
    label = OVERALL_LABEL if metric == OVERALL else ("", "")
    return Measure(rule, metric, label, POINTS, "down" if metric in LOWER else "up")


def overall_name(language: str) -> str:
    """The head of the overall score in a table."""
    return called(OVERALL_CODES[language == "en"], OVERALL_LABEL, language)


def column_names(columns: Iterable[str], language: str) -> str:
    """Columns such as `CI PFS` as people read them in a sentence, those of an environment together."""
    by_env: dict[Env, list[str]] = {}
    for column in columns:
        env, metric = column.split(" ", 1)
        by_env.setdefault(env, []).append(measure_name(metric, language))
    inside, between = ("{} ({})", ", ") if language == "en" else ("{}（{}）", "、")
    names = {env: environment(env).label[language == "en"] for env in by_env}
    return between.join(inside.format(names[env], between.join(own)) for env, own in by_env.items())
