"""The templates of pages: everything in them is escaped, and shows what it is."""

from __future__ import annotations

from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from tasks.reports.model import printable, readable


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
