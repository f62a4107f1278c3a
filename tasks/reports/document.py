"""A document of sections as one HTML page, and as Markdown; its tables also as text. Untrusted text cannot leave its
place."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from tasks.reports.model import plain, printable, readable
from tasks.reports.words import width
from tasks.scoring.metrics import Cell, CollapsibleText, Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a document, in the order in which it is shown. about: a line below the title, plots: SVG fragments;
    pages alone have both, and what is folded."""

    title: str = ""
    about: str = ""
    lines: Sequence[str] = ()
    marks: Sequence[str] = ()
    plots: Sequence[str] = ()
    tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    folded: Sequence[CollapsibleText] = field(default=())


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


def _text(value: object) -> object:
    """What stands in a page: text without anything that shows nothing or reorders what is read."""
    if isinstance(value, Markup):
        return value
    return readable(str(value)) if "\n" in str(value) else printable(str(value))


def source(package: str, name: str) -> str:
    """A file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def templates(package: str) -> Environment:
    """The templates of a package: everything in them is escaped and sanitised."""
    loader = FunctionLoader(partial(source, package))
    return Environment(autoescape=True, finalize=_text, loader=loader, trim_blocks=True, lstrip_blocks=True)


def html(title: str, sections: Sequence[Section], language: str = "zh", foot: Sequence[str] = ()) -> str:
    """The whole document as a page: plots before tables, long texts folded away."""
    page = templates(__package__).get_template("page.html")
    style = Markup(source(__package__, "page.css"))
    lang = "en" if language == "en" else "zh-CN"
    return page.render(title=title, sections=sections, foot=foot, lang=lang, shown=shown, drawn=Markup, style=style)


def markdown(title: str, sections: Sequence[Section], foot: Sequence[str] = ()) -> str:
    """The whole document."""
    parts = [f"# {title}"]
    for section in sections:
        blocks: list[Sequence[str]] = [[f"## {plain(section.title)}"]] if section.title else []
        blocks += [[f"**{mark}**"] for mark in section.marks]
        blocks += [[f"- {plain(line)}" for line in section.lines]] if section.lines else []
        blocks += [list(as_markdown(table)) for table in section.tables]
        blocks += [[f"- {plain(label)}: {plain(text)}" for label, text in section.facts]] if section.facts else []
        parts += [line for block in blocks for line in ("", *block)]
    parts += [line for said in foot for line in ("", f"**{plain(said)}**")]
    return "\n".join(parts) + "\n"
