"""A report as Markdown: an overview of all runs, then each run by group. Untrusted text cannot leave its cell."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.reports.courts import footer, tables_of
from tasks.reports.model import COLUMNS, cells, counts, facts, fictional, heading, lines, measure, plain
from tasks.reports.tables import as_markdown
from tasks.reports.words import word
from tasks.scoring.metrics import Group, Report


def markdown(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole document."""
    parts = [
        f"# {word('title', language)}",
        "",
        f"## {word('overview', language)}",
        "",
        *_table(reports, None, language),
    ]
    for table in tables_of(reports, language):
        parts += ["", *as_markdown(table)]
    for report in reports:
        parts += ["", f"## {plain(report.summary.run)}", ""]
        if fictional(report):
            parts += [f"**{word('fictional', language)}**", ""]
        parts += _table([report], report.summary.groups, language)
        parts.append("")
        parts += [
            f"- {plain(label)}: {plain(text)}"
            for label, text in (*counts(report, language), *facts(report, language))
        ]
    for line in footer(reports, language):
        parts += ["", f"**{plain(line)}**"]
    return "\n".join(parts) + "\n"


def _table(reports: Sequence[Report], groups: Sequence[Group] | None, language: str) -> list[str]:
    several = len(reports) > 1 or groups is None
    head = [word("run", language)] if several else []
    head += [
        word("measure", language),
        word("group", language),
        *(heading(reports, column, language) for column in COLUMNS),
    ]
    rows = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for report in reports:
        for line in lines(report, report.summary.wholes if groups is None else groups):
            names = [plain(report.summary.run)] if several else []
            names += [plain(measure(line, language)), plain(line.group.label[language == "en"])]
            rows.append("| " + " | ".join([*names, *cells(line, language)]) + " |")
    return rows
