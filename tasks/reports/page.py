"""The one owner of pages: an HTML file that opens from a stick, in light, dark and on paper.

No script, no font or image from elsewhere; a content security policy inside the file forbids everything but its own style.
Jinja escapes every value, and every value passes the sanitiser; plots alone come as they are, from `tasks.reports.svg`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache
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


def source(name: str) -> str:
    """A file beside this module."""
    return files(__package__).joinpath(name).read_text(encoding="utf-8")


@cache
def environment() -> Environment:
    """The templates of this folder: everything is escaped and sanitised."""
    made = Environment(
        autoescape=True, finalize=_text, loader=FunctionLoader(source), trim_blocks=True, lstrip_blocks=True
    )
    made.globals.update(shown=shown, drawn=Markup, style=Markup(source("page.css")))
    return made


def whole_page(title: str, sections: Sequence[Section], language: str = "zh", foot: Sequence[str] = ()) -> str:
    """The whole document."""
    template = environment().get_template("page.html")
    lang = "en" if language == "en" else "zh-CN"
    return template.render(title=title, sections=sections, foot=foot, lang=lang)
