"""The shipped index of real laws: which versions applied when, and which articles they have. No text of any law.

Court cases have fictional people and facts but apply real law, cited by number. The index lets a citation be checked,
and dated, on a fresh machine; the words show when a pack with the text is loaded.

Beside it stands a list of all national laws of a public collection, written by `packaging/law_index.py`: it holds the
versions that the collection happens to have, and is asked only whether an article exists.
"""

from __future__ import annotations

import tomllib
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from functools import cache
from importlib.resources import files
from typing import Any

from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.names import short_name

SOURCE = "index of real laws: titles, windows and article numbers, without text"
_FILE = "real_laws.toml"
LISTED = "listed_laws.tsv"


@dataclass(frozen=True, slots=True)
class IndexedLaw:
    """A law with its versions and their articles, whose text is None throughout."""

    law: Law
    versions: tuple[tuple[LawVersion, tuple[Article, ...]], ...]


@cache
def as_of() -> date:
    """The day up to which the index was kept."""
    return date.fromisoformat(_book()["as_of"])


def indexed_laws() -> Iterator[IndexedLaw]:
    """All laws of the index in the order of its file."""
    for entry in _book()["law"]:
        law = Law(entry["name"], short_name(entry["name"]), entry["level"], "derived")
        yield IndexedLaw(law, tuple(_version(law.name, version) for version in entry["versions"]))


@dataclass(frozen=True, slots=True)
class ListedLaw:
    """A law of the list. versions: each with its article numbers as written."""

    name: str
    level: str
    versions: tuple[tuple[LawVersion, str], ...]


def listed_laws() -> Iterator[ListedLaw]:
    """The laws of the list by title; `numbers_of` reads their numbers."""
    for line in _text(LISTED).splitlines():
        if not line.startswith("#"):
            name, level, versions = line.split("\t")
            yield ListedLaw(name, level, _listed(name, versions))


def _listed(law: str, text: str) -> tuple[tuple[LawVersion, str], ...]:
    found = []
    for place, version in enumerate(text.split(";"), 1):
        days, _, numbers = version.partition(":")
        first, last = (date.fromisoformat(day) if day else None for day in days.removeprefix("~").split("/"))
        label = f"{law}[{place}]"
        found.append((LawVersion(law, label, first, last, inferred=days.startswith("~"), source=SOURCE), numbers))
    return tuple(found)


def _book() -> dict[str, Any]:
    return tomllib.loads(_text(_FILE))


def _text(name: str) -> str:
    return files("store.statutes.data").joinpath(name).read_text(encoding="utf-8")


def _version(law: str, entry: dict[str, Any]) -> tuple[LawVersion, tuple[Article, ...]]:
    label = entry["label"]
    ends, adopted = (date.fromisoformat(entry[key]) if key in entry else None for key in ("to", "adopted"))
    version = LawVersion(law, label, date.fromisoformat(entry["from"]), ends, adopted, source=SOURCE)
    return version, tuple(Article(law, label, number) for number in numbers_of(entry["articles"]))


def numbers_of(text: str) -> list[ArticleNumber]:
    """The numbers of a list like "1..3 17-1": in the order of a statute, 17-1 after 17."""
    found = []
    for part in text.split():
        first, dots, last = part.partition("..")
        number, _, sub = first.partition("-")
        found += (
            [ArticleNumber(n) for n in range(int(first), int(last) + 1)]
            if dots
            else [ArticleNumber(int(number), int(sub or 0))]
        )
    return sorted(found)
