"""A report as Markdown: an overview of all runs, then each run by group. Untrusted text cannot leave its cell."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from tasks.reports.model import counts, facts, fictional, footer, plain, printable, score_table, tables_of
from tasks.reports.words import width, word
from tasks.scoring.metrics import Cell, Report, Table


def shown(cell: Cell, places: int) -> str:
    """A cell in words: 63.20 [51.04, 75.36]."""
    places = 0 if cell.count else places
    text = cell.text or ("–" if cell.value is None else f"{cell.value:.{places}f}")
    if cell.low is not None and cell.high is not None and not cell.text:
        text += f" [{cell.low:.{places}f}, {cell.high:.{places}f}]"
    return f"{text} {cell.note}".rstrip()


def as_markdown(table: Table) -> Iterator[str]:
    """The lines of a table under its title, if it has one."""
    if table.title:
        yield f"### {plain(table.title)}"
        yield ""
    heads = [*table.heads, *table.columns]
    yield "| " + " | ".join(map(plain, heads)) + " |"
    yield "|" + " --- |" * len(table.heads) + " ---: |" * len(table.columns)
    for row in table.rows:
        cells = [*map(plain, row.heads), *(plain(shown(cell, table.places)) for cell in row.cells)]
        yield "| " + " | ".join(cells) + " |"
    yield from ("", *(f"- {plain(note)}" for note in table.notes)) if table.notes else ()


def as_text(table: Table) -> Iterator[str]:
    """The lines of a table for a terminal, under its title: texts to the left, figures to the right."""
    texts = [
        [*table.heads, *table.columns],
        *([*row.heads, *(shown(cell, table.places) for cell in row.cells)] for row in table.rows),
    ]
    texts = [[printable(text) for text in row] for row in texts]
    widths = [max(width(row[column]) for row in texts) for column in range(len(texts[0]))]
    yield printable(table.title)
    for row in texts:
        padded = [
            text + " " * (widths[at] - width(text))
            if at < len(table.heads)
            else " " * (widths[at] - width(text)) + text
            for at, text in enumerate(row)
        ]
        yield "  ".join(padded).rstrip()
    yield from (printable(note) for note in table.notes)


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
