"""A report as CSV: one line a run, rate and group; numbers in full precision, empty where there is none.

Beside runs of the courts stand the published figures, a line each: rule `published`, their table in place of the run.

The column names are stable. A text that a spreadsheet would run as a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Any

from tasks.episode.events import OUTCOMES
from tasks.reports.courts import published_lines
from tasks.reports.model import Report, agent, fictional, lines, printable

COLUMNS = (
    "run", "benchmark", "agent", "rule", "rate", "group", "n", "value", "low", "high", "method", "clusters",
    "design_effect", "effective_n", "floor", "ceiling_reference", "ceiling_walker", "epochs", "evidence_rate", "tokens",
    *(f"outcome_{outcome}" for outcome in OUTCOMES), "fictional", "pack", "pack_hash", "task_file_sha256",
    "harness", "scorer",
)  # fmt: skip


def comma_separated(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole file, with its header line."""
    stream = io.StringIO()
    writer = csv.DictWriter(stream, COLUMNS, lineterminator="\n")
    writer.writeheader()
    for report in reports:
        block, header = report.block, report.header
        pack = header.get("pack", {})
        common: dict[str, Any] = {
            "run": block["run"], "benchmark": block["benchmark"], "agent": agent(report, "en"), "epochs": block["epochs"],
            "tokens": block["tokens"]["total"], "fictional": int(fictional(report)), "pack": pack.get("name", ""),
            "pack_hash": pack.get("hash", ""), "task_file_sha256": header.get("tasks", {}).get("sha256", ""),
            "harness": header.get("versions", {}).get("moot", ""),
            **{f"outcome_{outcome}": block["outcomes"].get(outcome, 0) for outcome in OUTCOMES},
        }  # fmt: skip
        for line in lines(report):
            row = {
                **common, "rule": line.rule, "rate": line.rate, "group": line.group, "n": line.n, "value": line.value,
                "low": line.low, "high": line.high, "method": line.method, "clusters": line.clusters,
                "design_effect": line.design_effect, "effective_n": line.effective_n, "floor": line.floor,
                "ceiling_reference": line.reference, "ceiling_walker": line.walker,
                "evidence_rate": (block.get("evidence_rate") or {}).get(line.group),
                "scorer": block.get("scorers", {}).get(line.rule, ""),
            }  # fmt: skip
            writer.writerow({name: _cell(value) for name, value in row.items()})
    for printed in published_lines(reports):
        writer.writerow({name: _cell(value) for name, value in printed.items()})
    return stream.getvalue()


def _cell(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    text = printable(value)
    return f"'{text}" if text[:1] in ("=", "+", "-", "@") else text
