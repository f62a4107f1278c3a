"""A report as Markdown: an overview of all runs, then each run by group. Untrusted text cannot leave its cell."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.reports.courts import footer, tables_of
from tasks.reports.model import counts, facts, fictional, plain, score_table
from tasks.reports.tables import as_markdown
from tasks.reports.words import word
from tasks.scoring.metrics import Report


def markdown(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole document."""
    parts = [
        f"# {word('title', language)}",
        "",
        f"## {word('overview', language)}",
        "",
        *as_markdown(score_table(reports, None, language, True)),
    ]
    for table in tables_of(reports, language):
        parts += ["", *as_markdown(table)]
    for report in reports:
        parts += ["", f"## {plain(report.summary.run)}", ""]
        if fictional(report):
            parts += [f"**{word('fictional', language)}**", ""]
        parts += as_markdown(score_table([report], report.summary.groups, language, False))
        parts.append("")
        parts += [
            f"- {plain(label)}: {plain(text)}"
            for label, text in (*counts(report, language), *facts(report, language))
        ]
    for line in footer(reports, language):
        parts += ["", f"**{plain(line)}**"]
    return "\n".join(parts) + "\n"
