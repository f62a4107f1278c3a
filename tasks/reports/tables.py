"""A table of figures as every format shows it: Markdown, HTML, plain text."""

from __future__ import annotations

import html
from collections.abc import Iterator

from tasks.reports.model import plain, printable
from tasks.reports.words import width
from tasks.scoring.tables import Cell, Table


def shown(cell: Cell, places: int) -> str:
    """A cell in words: 63.20 [51.04, 75.36]."""
    text = cell.text or ("–" if cell.value is None else f"{cell.value:.{places}f}")
    if cell.low is not None and cell.high is not None and not cell.text:
        text += f" [{cell.low:.{places}f}, {cell.high:.{places}f}]"
    return f"{text} {cell.note}".rstrip()


def as_markdown(table: Table) -> Iterator[str]:
    """The lines of a table under its title."""
    yield f"### {plain(table.title)}"
    yield ""
    heads = [*table.heads, *table.columns]
    yield "| " + " | ".join(map(plain, heads)) + " |"
    yield "|" + " --- |" * len(table.heads) + " ---: |" * len(table.columns)
    for row in table.rows:
        cells = [*map(plain, row.heads), *(plain(shown(cell, table.places)) for cell in row.cells)]
        yield "| " + " | ".join(cells) + " |"
    yield ""
    for note in table.notes:
        yield f"- {plain(note)}"


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


def as_html(table: Table) -> Iterator[str]:
    """The table as HTML, its plot behind it; all text escaped."""
    yield f'<h3>{_text(table.title)}</h3><div class="scroll"><table><thead><tr>'
    yield "".join(f'<th class="t">{_text(head)}</th>' for head in table.heads)
    yield "".join(f"<th>{_text(column)}</th>" for column in table.columns) + "</tr></thead><tbody>"
    before = ""
    for row in table.rows:
        marks = row.kind + (" first" if row.kind != before and before else "")
        before = row.kind
        yield (
            f'<tr class="{marks}">'
            + "".join(f'<td class="t">{_text(head)}</td>' for head in row.heads)
            + "".join(f"<td>{_cell(cell, table.places)}</td>" for cell in row.cells)
            + "</tr>"
        )
    yield "</tbody></table></div>"
    yield from (f'<p class="note">{_text(note)}</p>' for note in table.notes)
    if table.plot:
        yield table.plot


def _cell(cell: Cell, places: int) -> str:
    figure, bracket, rest = shown(cell, places).partition(" [")
    return _text(figure) + (f"<small>[{_text(rest)}</small>" if bracket else "")


def _text(value: str) -> str:
    return html.escape(printable(value))
