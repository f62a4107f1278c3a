"""The one owner of pages: an HTML file that opens from a stick, in light, dark and on paper.

No script, no font or image from elsewhere; a content security policy inside the file forbids everything but its own
style. Jinja escapes every value, and every value passes the sanitiser; plots alone come as they are, from
`tasks.reports.svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from tasks.reports.model import printable, readable
from tasks.reports.tables import shown
from tasks.scoring.tables import Folded, Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page, in the order in which it is shown; plots are SVG fragments."""

    title: str = ""
    lines: Sequence[str] = ()
    marks: Sequence[str] = ()
    plots: Sequence[str] = ()
    tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    folded: Sequence[Folded] = field(default=())


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


def whole_page(title: str, sections: Sequence[Section], language: str = "zh", foot: Sequence[str] = ()) -> str:
    """The whole document."""
    return (
        templates(__package__)
        .get_template("page.html")
        .render(
            title=title, sections=sections, foot=foot, lang="en" if language == "en" else "zh-CN", shown=shown,
            drawn=Markup, style=Markup(source(__package__, "page.css")),
        )
    )  # fmt: skip
