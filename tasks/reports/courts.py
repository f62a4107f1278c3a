"""What stands in a report beside the rows of each run: tables that the runs of a benchmark have together, what court
reports say below.

The published tables of the courts are loaded on use: reports of other benchmarks do without them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.reports.model import fictional
from tasks.reports.words import word
from tasks.scoring.metrics import Report, Table

BENCHMARK = "courts"


def tables_of(reports: Sequence[Report], language: str = "zh") -> list[Table]:
    """The tables of these runs, benchmark by benchmark; none where a benchmark has none."""
    by_benchmark: dict[str, list[Report]] = {}
    for report in reports:
        by_benchmark.setdefault(report.summary.benchmark, []).append(report)
    together = [table for own in by_benchmark.values() for table in own[0].summary.tables(own, language)]
    return [*together, *(table for report in reports for table in report.tables)]


def published_lines(reports: Sequence[Report]) -> Iterator[dict[str, object]]:
    """The published figures of the environments that ran, as lines of a CSV file."""
    mine = _mine(reports)
    if not mine:
        return
    from tasks.reports import court_published as published

    ran = {group.name for report in mine for group in report.summary.groups}
    cases = {str(env): count for env, count in published.CASES.items()}
    for name, driver, table in published.printed():
        for model, row in table.items():
            for column, value in row.items():
                env, _, rate = column.partition(" ")
                if env in ran:
                    yield {
                        "run": f"J1-Eval {name}", "benchmark": BENCHMARK, "agent": f"{model} ({driver})",
                        "rule": "published", "rate": rate or "turns", "group": env, "n": cases[env], "value": value,
                    }  # fmt: skip


def footer(reports: Sequence[Report], language: str = "zh") -> list[str]:
    """What is said below a report that holds a court."""
    mine = _mine(reports)
    marks = [word("fictional", language)] if any(map(fictional, mine)) else []
    return [word("disclaimer", language), *marks] if mine else []


def _mine(reports: Sequence[Report]) -> list[Report]:
    return [report for report in reports if report.summary.benchmark == BENCHMARK]
