"""Imports statutes from a small JSON layout: one object a law, as one object, an array of them, or one a line.

    {"law": "…法", "short": "…", "level": "法律", "aliases": ["…"],
     "versions": [{"label": "…法(2020修正)", "adopted": "2020-12-26", "valid_from": "2021-03-01", "valid_to": null,
                   "inferred": false, "source": "…",
                   "articles": [{"number": "第三条之一", "title": "…", "text": "…", "part": "…", "chapter": "…",
                                 "section": "…", "amended_by": "…"}]}],
     "links": [{"kind": "renumbered", "from_law": "…", "from_number": "第三条", "to_law": "…", "to_number": "第四条",
                "on": "2021-03-01", "basis": "…"}]}

Required are law, versions, valid_from, articles and, in an article, number; in a link all but the two numbers. Days
are YYYY-MM-DD, both ends inclusive, null is still in force; a text of null is an article without its words. Numbers
are written as statutes do or as "3-1". Windows of one law do not overlap, a version has a number once, and a field
that is not in this list is an error.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from datetime import date
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, InstanceOf, StringConstraints, ValidationError

from store.errors import BadInput
from store.importers import Progress
from store.importers.law.naming import level_of
from store.importers.law.writing import LawCounts, Origin, StatedLaw, write_pack
from store.importers.reading import MAX_RECORD, entered, labelled_files, opened, read_bytes, records
from store.statutes.model import LINK_KINDS, Article, ArticleNumber, Law, LawVersion, Link, LinkKind
from store.statutes.names import short_name
from store.text.citation import parse_number

ORIGIN = Origin("Statutes in JSON", "as stated by whoever gave the texts", coverage="complete")

_LAYOUT = (
    'Layout: {"law": "…", "versions": [{"valid_from": "YYYY-MM-DD",'
    ' "articles": [{"number": "第一条", "text": "…"}]}]}.'
)


def _day(value: object) -> date:
    if not isinstance(value, str) or len(value) != len("YYYY-MM-DD"):
        raise ValueError
    return date.fromisoformat(value)


def _number(value: object) -> ArticleNumber:
    if not isinstance(value, str) or (number := parse_number(value)) is None:
        raise ValueError
    return number


Text = Annotated[str, StringConstraints(strip_whitespace=True)]
Name = Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)]
Day = Annotated[date, BeforeValidator(_day)]
Number = Annotated[InstanceOf[ArticleNumber], BeforeValidator(_number)]


class _JsonRecord(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)


class _Article(_JsonRecord):
    number: Number
    title: Text | None = None
    text: str | None = None
    part: Text | None = None
    chapter: Text | None = None
    section: Text | None = None
    amended_by: Text | None = None


class _Version(_JsonRecord):
    label: Text | None = None
    adopted: Day | None = None
    valid_from: Day
    valid_to: Day | None = None
    inferred: bool = False
    source: Text | None = None
    articles: list[_Article]


class _Link(_JsonRecord):
    kind: LinkKind
    from_law: Name
    from_number: Number | None = None
    to_law: Name
    to_number: Number | None = None
    on: Day
    basis: Name


class _Law(_JsonRecord):
    law: Name
    short: Text | None = None
    level: Text | None = None
    aliases: list[Name] | None = None
    versions: list[_Version]
    links: list[_Link] | None = None


_DAYS = ("adopted", "valid_from", "valid_to", "on")


def _refusal(error: ValidationError, where: str) -> BadInput:
    """The first field that is not what it should be, with its place."""
    first = error.errors()[0]
    steps = (f"[{step}]" if isinstance(step, int) else f".{step}" for step in first["loc"])
    place = f"{where}: {''.join(steps).removeprefix('.')}"
    shown = (
        "missing" if first["type"] == "missing" else json.dumps(first["input"], ensure_ascii=False, default=str)[:60]
    )
    match first["type"]:
        case "list_type":
            return BadInput(f"{place} must be a list, is {shown}")
        case "model_type":
            return BadInput(f"{place} must be an object, is {shown}")
        case "bool_type":
            return BadInput(f"{place} must be true or false, is {shown}")
        case "string_type" | "string_too_short":
            return BadInput(f"{place} must be text that is not empty, is {shown}")
        case "literal_error":
            return BadInput(f"{place} must be one of {', '.join(LINK_KINDS)}, is {shown}")
    if first["loc"][-1] in _DAYS:
        return BadInput(f"{place} must be a day of the calendar as YYYY-MM-DD, is {shown}")
    if str(first["loc"][-1]).endswith("number"):
        return BadInput(f"{place} must name an article (第三条之一 or 3-1), is {shown}")
    return BadInput(f"{place} is no field of this layout", _LAYOUT)


class _Windows:
    """The windows of each law so far, to find two versions for one day."""

    def __init__(self) -> None:
        self._known: dict[str, list[tuple[date, date, str, str]]] = {}

    def add(self, version: LawVersion, where: str) -> None:
        first, last = version.valid_from or date.min, version.valid_to or date.max
        if last < first:
            raise BadInput(f"{where}.valid_to: {version.valid_to} is before valid_from {version.valid_from}")
        for start, end, label, place in self._known.get(version.law, []):
            if start <= last and first <= end:
                overlap = max(start, first).isoformat()
                raise BadInput(
                    f"{where}: {version.label} and {label} ({place}) both apply on {overlap}",
                    "Let the older version end on the day before the newer one begins.",
                )
        self._known.setdefault(version.law, []).append((first, last, version.label, where))


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack from a JSON file, or from all .json and .jsonl files of a folder or zip.

    Raises:
        NotFound: nothing is there.
        BadInput: a field is not what it should be; file, line and field are named. Nothing is imported then.
    """
    with entered(source) as root:
        files = labelled_files(root)
        chosen = {path: label for path, label in files if root.is_file() or _is_json(path)}
        if not chosen:
            raise BadInput(f"{source} holds no .json or .jsonl file", _LAYOUT)

        def summary(tally: LawCounts) -> dict[str, Any]:
            if not tally.versions:
                raise BadInput(f"{source} holds no version of a law", _LAYOUT)
            return {
                "files": len(chosen),
                "laws": tally.laws,
                "versions": tally.versions,
                "articles": tally.articles,
                "links": tally.links.total(),
                "refused": {path.name: "no JSON file" for path, _ in files if path not in chosen},
            }

        windows = _Windows()
        laws = (stated for path, label in chosen.items() for stated in read_laws(path, label, windows))
        path, report = write_pack(name, ORIGIN, laws, summary, progress, compare=False)
    progress(
        f"{report['files']} files: {report['articles']} articles in {report['versions']} versions"
        f" of {report['laws']} laws",
        report["laws"],
        report["laws"],
    )
    return path


def _is_json(path: Path) -> bool:
    name = path.name.lower().removesuffix(".gz")
    return name.endswith((".json", ".jsonl"))


def read_laws(path: Path, label: str, windows: _Windows | None = None) -> Iterator[StatedLaw]:
    """The laws of a file.

    Raises:
        BadInput: a field is not what it should be; `label`, line and field are named.
    """
    windows = windows or _Windows()
    whole = _one_object(path, label)
    if whole is not None:
        yield _law(whole, label, windows)
        return
    for line, content in records(path, label):
        yield _law(content, f"{label}, line {line}", windows)


def _one_object(path: Path, label: str) -> Mapping[str, object] | None:
    """A file that is one object over several lines; None when it is an array or lines."""
    with opened(path) as stream:
        first = stream.readline(MAX_RECORD)
        if not first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or first.rstrip().endswith(b"}"):
            return None
    try:
        content = json.loads(read_bytes(path, label).decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _law(content: Mapping[str, Any], where: str, windows: _Windows) -> StatedLaw:
    try:
        stated = _Law.model_validate(content)
    except ValidationError as error:
        raise _refusal(error, where) from None
    versions = tuple(
        _version(version, stated.law, f"{where}: versions[{at}]", windows)
        for at, version in enumerate(stated.versions)
    )
    links = tuple(
        Link(one.kind, one.from_law, one.from_number, one.to_law, one.to_number, one.on, one.basis)
        for one in stated.links or ()
    )
    law = Law(stated.law, stated.short or short_name(stated.law), stated.level or level_of((), stated.law, ()))
    return StatedLaw(law, tuple(stated.aliases or ()), versions, links)


def _version(stated: _Version, law: str, where: str, windows: _Windows) -> tuple[LawVersion, tuple[Article, ...]]:
    label, source = stated.label or f"{law}({stated.valid_from})", stated.source or where.partition(":")[0]
    version = LawVersion(law, label, stated.valid_from, stated.valid_to, stated.adopted, stated.inferred, source)
    windows.add(version, where)
    articles: dict[ArticleNumber, Article] = {}
    for at, one in enumerate(stated.articles):
        if one.number in articles:
            raise BadInput(f"{where}.articles[{at}].number: {one.number.chinese} is in this version twice")
        articles[one.number] = Article(
            law, label, one.number, one.part or "", one.chapter or "", one.section or "", one.title or "", one.text,
            one.amended_by or "", source,
        )  # fmt: skip
    return version, tuple(articles.values())
