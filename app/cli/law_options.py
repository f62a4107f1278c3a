"""What the commands of `moot law` share: their options, the pack they choose, and days and names that cannot be
read."""

from __future__ import annotations

from datetime import date, datetime
from pathlib import Path

import click

from app.cli.notes import note
from app.strings import t
from app.terminal import clean
from store import manifest as manifests
from store.errors import BadInput, Damaged, NotFound, StoreError
from store.pack import Pack
from store.search.query import analyse
from store.statutes.book import StatuteBook, Unknown
from store.statutes.model import ArticleNumber
from store.text.dates import parse_date

pack_option = click.option(
    "--pack",
    "pack_name",
    default=None,
    help="The pack; default: the one that knows the law, real law before fiction.",
)
json_option = click.option("--json", "as_json", is_flag=True, help="Print JSON.")


class UsageError(BadInput):
    """Something on the command line cannot be read."""

    exit_code = 2


LAST = ("law-index", "sample")
"""Packs that answer only where no other knows the law: the index without text, and fiction."""


def chosen(name: str | None, law: str = "", text: str = "") -> str:
    """The pack that was named, else the one that knows the law, else the only one with real law, else sample.

    Args:
        name: what `--pack` says.
        law: a law that the command is about.
        text: a question that may name laws.
    """
    if name is not None:
        return name
    having = [folder.name for folder in manifests.installed() if _has_statutes(folder)]
    knowing = [pack for pack in having if _knows(pack, law, text)] if law or text else []
    wanted = knowing or having
    real = [pack for pack in wanted if pack not in LAST]
    if len(real) > 1:
        what = f"Several packs know {law[:40]}" if knowing and law else "Several packs hold statutes"
        raise UsageError(f"{what}: {', '.join(real)}", "Choose one with --pack.")
    found = next(iter([*real, *(pack for pack in LAST if pack in wanted)]), "sample")
    if len(having) > 1:
        note(f"pack {found}")
    return found


def _has_statutes(folder: Path) -> bool:
    try:
        return bool(manifests.read(folder).counts.statutes)
    except Damaged:
        raise  # whatever another pack would answer, this one may have been meant
    except StoreError:
        return False


def _knows(pack_name: str, law: str, text: str) -> bool:
    try:
        with Pack.open(pack_name) as pack:
            book = StatuteBook(pack)
            return bool(book.named(law)) if law else bool(analyse(text, book).laws)
    except Damaged:
        raise
    except StoreError:
        return False


def book_of(pack: Pack) -> StatuteBook:
    """The statutes of a pack; NotFound where it has none."""
    book = StatuteBook(pack)
    if not book.laws():
        raise NotFound(
            f"Pack {pack.name} holds no statutes", "Import some: moot data import legalsearch PATH --name statutes."
        )
    if book.told_on(today()):
        note(t("law.as_of_later", pack=pack.name, day=pack.manifest.as_of))
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
