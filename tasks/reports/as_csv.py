"""A report as CSV: one line a run, rate and group; numbers in full precision, empty where there is none.

Beside runs of the courts stand the published figures, a line each: rule `published`, their table in place of the run.

A file task by task (`by_task`) has a line a task, repeat and metric; its values are shares from 0 to 1.

`human_steps` says what people did, as SEAT:STEP. The column names are stable. A text that a spreadsheet would run as
a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from tasks.benchmark import Question
from tasks.episode.events import OUTCOMES
from tasks.reports.model import agent, at, fictional, lines, printable, published_lines, spread_of
from tasks.run.comparing import ComparedRun
from tasks.scoring.metrics import Report
from tasks.scoring.result import HumanSteps

COLUMNS = (
    "run", "benchmark", "agent", "rule", "rate", "group", "n", "value", "low", "high", "method", "clusters",
    "design_effect", "effective_n", "floor", "ceiling_reference", "epochs", "evidence_rate",
    "tokens",
    *(f"outcome_{outcome}" for outcome in OUTCOMES), "fictional", "pack", "pack_hash", "task_file_sha256",
    "harness", "scorer", "human_steps",
)  # fmt: skip


TASK_COLUMNS = (
    "run", "benchmark", "agent", "task", "group", "episode", "repeat", "outcome", "rule", "metric", "value",
    "human_steps",
)  # fmt: skip


def by_task(runs: Sequence[tuple[Report, ComparedRun, Sequence[Question]]]) -> str:
    """The file with a line a task, repeat and metric; an attempt without any value has one line all the same."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, TASK_COLUMNS, lineterminator="\n")
    writer.writeheader()
    for report, side, questions in runs:
        groups = {question.id: question.group for question in questions}
        common = {"run": report.summary.run, "benchmark": report.summary.benchmark, "agent": agent(report, "en")}
        for task in dict.fromkeys((*side.tasks, *side.left_out)):
            for one in (*side.tasks.get(task, ()), *side.left_out.get(task, ())):
                where = {
                    "task": task, "group": groups.get(task, ""), "episode": one.episode, "repeat": one.repeat,
                    "outcome": one.outcome, "human_steps": HumanSteps(one.episode, one.people).text,
                }  # fmt: skip
                scores: list[tuple[str, str, float | None]] = [(*key, value) for key, value in one.values.items()]
                for rule, metric, value in scores or [("", "", None)]:
                    line = {**common, **where, "rule": rule, "metric": metric, "value": value}
                    writer.writerow({name: cell(value) for name, value in line.items()})
    return stream.getvalue()


def comma_separated(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole file, with its header line."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for report in reports:
        summary, header = report.summary, report.header
        tally = summary.tally
        common: dict[str, object] = {
            "run": summary.run, "benchmark": summary.benchmark, "agent": agent(report, "en"), "epochs": tally.epochs,
            "tokens": sum(tally.tokens), "fictional": int(fictional(report)),
            "pack": at(header, "pack", "name") or "", "pack_hash": at(header, "pack", "hash") or "",
            "task_file_sha256": at(header, "tasks", "sha256") or "", "harness": at(header, "versions", "moot") or "",
            "human_steps": "; ".join(f"{one.episode} {one.text}" for one in summary.people),
            **{f"outcome_{outcome}": tally.outcomes.get(outcome, 0) for outcome in OUTCOMES},
        }  # fmt: skip
        for row in lines(report):
            measure, group, interval = row.measure, row.group, row.interval
            clusters, effect, effective = spread_of(row)
            writer.writerow({name: cell(value) for name, value in {
                **common, "rule": measure.rule, "rate": measure.name, "group": group.name, "n": row.n,
                "value": row.value, "low": interval and interval.low, "high": interval and interval.high,
                "method": interval.method if interval else "", "clusters": clusters, "design_effect": effect,
                "effective_n": effective, "floor": row.limits.get("floor"),
                "ceiling_reference": row.limits.get("reference"),
                "evidence_rate": summary.value("", group.name, "evidence_rate", "evidence"),
                "scorer": summary.versions(measure.rule),
            }.items()})  # fmt: skip
    for printed in published_lines(reports):
        writer.writerow({name: cell(value) for name, value in printed.items()})
    return stream.getvalue()


def cell(value: object) -> object:
    """A value as it stands in a cell: one line of text without control characters, never a formula."""
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
