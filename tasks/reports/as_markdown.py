"""A report as Markdown: an overview of all runs, then each run by group. Untrusted text cannot leave its cell."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.reports.courts import footer, tables_of
from tasks.reports.model import (
    COLUMNS,
    Report,
    counts,
    facts,
    fictional,
    figure,
    heading,
    lines,
    measure,
    plain,
    show,
    show_interval,
)
from tasks.reports.tables import as_markdown
from tasks.reports.words import phrase, word


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
        parts += ["", f"## {plain(str(report.block['run']))}", ""]
        if fictional(report):
            parts += [f"**{word('fictional', language)}**", ""]
        parts += _table([report], report.groups, language)
        parts.append("")
        parts += [
            f"- {plain(label)}: {plain(text)}"
            for label, text in (*counts(report, language), *facts(report, language))
        ]
    for line in footer(reports, language):
        parts += ["", f"**{plain(line)}**"]
    return "\n".join(parts) + "\n"


def _table(reports: Sequence[Report], groups: Sequence[str] | None, language: str) -> list[str]:
    several = len(reports) > 1 or groups is None
    head = [word("run", language)] if several else []
    head += [word("measure", language), word("group", language), *(heading(reports, column, language) for column in COLUMNS)]
    rows = ["| " + " | ".join(head) + " |", "|" + " --- |" * len(head)]
    for report in reports:
        for line in lines(report, report.layout.overall(report.block) if groups is None else groups):
            cells = [plain(str(report.block["run"]))] if several else []
            cells += [
                plain(measure(line, language)), word(f"group.{line.group}", language), str(line.n),
                figure(line, line.value), show_interval(line), phrase(line.method, language) or "–", "–" if line.clusters is None else str(line.clusters),
                show(line.design_effect, 2), show(line.effective_n, 1), figure(line, line.floor),
                figure(line, line.reference), figure(line, line.walker),
            ]  # fmt: skip
            rows.append("| " + " | ".join(cells) + " |")
    return rows
