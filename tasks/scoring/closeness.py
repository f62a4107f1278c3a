"""BERTScores as they stand in the journal, and the rows that a run has of them beside its own figures.

Scoring again would need the model, so what was computed once is read. Rows differ by their settings (model and its
sha256, layer, idf, rescaling); those that were written last count, and the rows say which they are. The model is a
GGUF of the user's: no figure here can be compared with one of a paper, whose model is another one.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from math import fsum

from store.journal import Journal, ScoreRow
from tasks.scoring.added import SECTION
from tasks.scoring.bertscore import VERSION
from tasks.scoring.metrics import SHARE, Group, Measure, Metric, Summary
from tasks.scoring.names import Names
from tasks.scoring.statistics import mean_interval

SCORER = "bertscore"
PARTS: Mapping[str, Names] = {
    "precision": ("BERTScore 精确率", "BERTScore precision"),
    "recall": ("BERTScore 召回率", "BERTScore recall"),
    "f1": (
        "BERTScore F1（{}，末层；与论文所用模型的数字不可比）",
        "BERTScore F1 ({}, last layer; not comparable with a paper's model)",
    ),
}
"""Figure -> Chinese, English; the last one says how all were made."""
SHOWN_HASH = 12


@dataclass(frozen=True, slots=True)
class Closeness:
    """The newest BERTScores of a run: how they were made, and (task, epoch) -> figure -> value."""

    settings: Mapping[str, object] = field(default_factory=dict)
    values: Mapping[tuple[str, int], Mapping[str, float | None]] = field(default_factory=dict)


def closeness_of(journal: Journal) -> Closeness:
    """The BERTScores of the last attempts, of the settings that were scored with last."""
    found: dict[str, dict[tuple[str, int], Mapping[str, float | None]]] = {}
    newest = (0.0, "")
    for row, attempts in journal.walk():
        for score in journal.scores(attempts[-1].id):
            of_ours = score.scorer == SCORER and score.version == VERSION
            if of_ours and isinstance(score.value, dict) and isinstance(score.settings, dict):
                key = json.dumps(score.settings, sort_keys=True)
                found.setdefault(key, {})[row.task_id, row.epoch] = score.value
                newest = max(newest, (score.at, key))
    return Closeness(json.loads(newest[1]), found[newest[1]]) if found else Closeness()


def is_scored(rows: Sequence[ScoreRow], settings: Mapping[str, object]) -> bool:
    """Whether an attempt has a BERTScore of these settings."""
    return any(row.scorer == SCORER and row.version == VERSION and row.settings == settings for row in rows)


def with_closeness(summary: Summary, clusters: Mapping[str, str], found: Closeness) -> Summary:
    """A summary with the means of the BERTScores; `clusters`: id of a task -> its cluster. Attempts without a figure
    are left out, `n` says how many there are."""
    if not found.values:
        return summary
    rows, named = [], _named(found.settings)
    for part, label in PARTS.items():
        values, members = [], []
        for (task, _), figures in found.values.items():
            value = figures.get(part)
            if isinstance(value, int | float) and task in clusters:
                values.append(float(value))
                members.append(clusters[task])
        mean = fsum(values) / len(values) if values else None
        made = (label[0].format(named), label[1].format(named))
        measure = Measure("", f"{SCORER}_{part}", made, SHARE, "up", SECTION)
        group = Group(f"{VERSION} {named}", ("全部", "all"), len(values))
        rows.append(Metric(measure, group, mean, len(values), mean_interval(values, members)))
    return replace(summary, rows=[*summary.rows, *rows])


def _named(settings: Mapping[str, object]) -> str:
    """Which model made the figures, and how, on one line."""
    marks = [str(settings.get("model", "")), str(settings.get("sha256", ""))[:SHOWN_HASH]]
    return " ".join((*marks, *(name for name in ("idf", "rescale") if settings.get(name))))
