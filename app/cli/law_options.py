"""What the commands of `moot law` share: their options, the pack they choose, and days and names that cannot be read."""

from __future__ import annotations

from datetime import date, datetime

import click

from app.terminal import clean
from store import manifest as manifests
from store.errors import BadInput, NotFound, StoreError
from store.pack import Pack
from store.statutes.book import StatuteBook, Unknown
from store.statutes.model import ArticleNumber
from store.text.dates import parse_date

pack_option = click.option(
    "--pack", "pack_name", default=None, help="The pack; default: sample, or the only one with statutes."
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class UsageError(BadInput):
    """Something on the command line cannot be read."""

    exit_code = 2


def chosen(name: str | None) -> str:
    """The pack that was named, else sample if it has statutes, else the only one that has."""
    if name is not None:
        return name
    having = []
    for folder in manifests.installed():
        try:
            if manifests.read(folder).counts.statutes:
                having.append(folder.name)
        except StoreError:
            continue
    if "sample" in having or not having:
        return "sample"
    if len(having) > 1:
        raise UsageError(f"Several packs hold statutes: {', '.join(having)}", "Choose one with --pack.")
    return having[0]


def book_of(pack: Pack) -> StatuteBook:
    """The statutes of a pack; NotFound where it has none."""
    book = StatuteBook(pack)
    if not book.laws():
        raise NotFound(
            f"Pack {pack.name} holds no statutes", "Import some: moot data import legalsearch PATH --name statutes."
        )
    return book


def read_day(text: str) -> date:
    """A day on the command line."""
    day = parse_date(text)
    if day is None:
        raise UsageError(f"{text[:40]!r} is not a date", "Write a day that exists, like 2016-05-01.")
    return day


def today() -> date:
    """The day it is here."""
    return datetime.now().astimezone().date()


def unknown(answer: Unknown, number: ArticleNumber | None, pack: Pack) -> NotFound:
    """What to raise for a law or article that the pack does not know."""
    if answer.what == "law":
        near = f"Did you mean {', '.join(answer.near)}?" if answer.near else "See `moot law check` for what it holds."
        return NotFound(f"Pack {pack.name} holds no law named {answer.law[:60]}", near)
    if answer.what == "days":
        return NotFound(f"The days on which {answer.law} applied are not known in pack {pack.name}")
    shown = number.chinese if number else ""
    return NotFound(f"No version of {answer.law} in pack {pack.name} has an article {shown}")


def say(text: str) -> None:
    """Print one line of text from anywhere."""
    click.echo(clean(text, multiline=False))
