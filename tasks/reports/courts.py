"""What only reports of the courts have: tables beside the published ones, and what stands below each of them.

The tables are loaded on use: reports of other benchmarks do without the courts.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from tasks.reports.layouts import CourtLayout
from tasks.reports.model import Report, fictional
from tasks.reports.tables import Table
from tasks.reports.words import word


def tables_of(reports: Sequence[Report], language: str = "zh") -> list[Table]:
    """The tables of the courts runs among these; none where there are no such runs."""
    mine = _mine(reports)
    if not mine:
        return []
    from tasks.reports.court_tables import court_tables

    return court_tables(mine, language)


def published_lines(reports: Sequence[Report]) -> Iterator[dict[str, Any]]:
    """The published figures of the environments that ran, as lines of a CSV file."""
    mine = _mine(reports)
    if not mine:
        return
    from tasks.reports import court_published as published

    ran = {env for report in mine for env in report.block["groups"]}
    cases = {str(env): count for env, count in published.CASES.items()}
    for name, driver, table in published.printed():
        for model, row in table.items():
            for column, value in row.items():
                env, _, rate = column.partition(" ")
                if env in ran:
                    yield {
                        "run": f"J1-Eval {name}", "benchmark": "courts", "agent": f"{model} ({driver})", "rule": "published",
                        "rate": rate or "turns", "group": env, "n": cases[env], "value": value,
                    }  # fmt: skip


def footer(reports: Sequence[Report], language: str = "zh") -> list[str]:
    """What is said below a report that holds a court."""
    mine = _mine(reports)
    marks = [word("fictional", language)] if any(map(fictional, mine)) else []
    return [word("disclaimer", language), *marks] if mine else []


def _mine(reports: Sequence[Report]) -> list[Report]:
    return [report for report in reports if isinstance(report.layout, CourtLayout)]
