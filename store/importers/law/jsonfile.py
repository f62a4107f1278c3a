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
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, cast

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.law.joining import REPORT
from store.importers.law.naming import level_of
from store.importers.reading import entered, files_in, opened, records
from store.statutes.model import LINK_KINDS, Article, ArticleNumber, Law, LawVersion, Link
from store.statutes.names import aliases_of, short_name
from store.text.citation import parse_number

SOURCE = "Statutes in JSON"
LICENCE = "as stated by whoever gave the texts"

_LAW = ("law", "short", "level", "aliases", "versions", "links")
_VERSION = ("label", "adopted", "valid_from", "valid_to", "inferred", "source", "articles")
_ARTICLE = ("number", "title", "text", "part", "chapter", "section", "amended_by")
_LINK = ("kind", "from_law", "from_number", "to_law", "to_number", "on", "basis")
_LAYOUT = (
    'Layout: {"law": "…", "versions": [{"valid_from": "YYYY-MM-DD",'
    ' "articles": [{"number": "第一条", "text": "…"}]}]}.'
)


@dataclass(frozen=True, slots=True)
class StatedLaw:
    """A law as a file states it: all its versions, each with its articles, in the order of the file.

    aliases: those that are written down, not those that follow from its name.
    """

    law: Law
    aliases: tuple[str, ...]
    versions: tuple[tuple[LawVersion, tuple[Article, ...]], ...]
    links: tuple[Link, ...]


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
        files = [root] if root.is_file() else files_in(root)
        chosen = [path for path in files if root.is_file() or _is_json(path)]
        if not chosen:
            raise BadInput(f"{source} holds no .json or .jsonl file", _LAYOUT)
        counts = {"files": len(chosen), "laws": 0, "versions": 0, "articles": 0, "links": 0}
        windows = _Windows()
        with PackBuilder(
            name, jurisdiction="CN", source=SOURCE, licence=LICENCE, coverage="complete", as_of=""
        ) as builder:
            for path in chosen:
                label = path.name if root.is_file() else path.relative_to(root).as_posix()
                for stated in read_laws(path, label, windows):
                    _add(stated, builder, counts)
                progress("reading laws", counts["laws"], None)
            if not counts["versions"]:
                raise BadInput(f"{source} holds no version of a law", _LAYOUT)
            skipped = [path.name for path in files if path not in chosen]
            report = {**counts, "refused": {file: "no JSON file" for file in skipped}}
            builder.add_file(REPORT, (json.dumps(report, ensure_ascii=False, indent=1) + "\n").encode())
            path = builder.finish(progress)
    progress(
        f"{counts['files']} files: {counts['articles']} articles in {counts['versions']} versions"
        f" of {counts['laws']} laws",
        counts["laws"],
        counts["laws"],
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
    whole = _one_object(path)
    if whole is not None:
        yield _law(whole, label, windows)
        return
    for line, content in records(path, label):
        yield _law(content, f"{label}, line {line}", windows)


def _add(stated: StatedLaw, builder: PackBuilder, counts: dict[str, int]) -> None:
    builder.add_law(stated.law, aliases_of(stated.law.name, stated.law.short, *stated.aliases))
    for version, articles in stated.versions:
        builder.add_version(version, articles)
    for link in stated.links:
        builder.add_link(link)
    counts["laws"] += 1
    counts["versions"] += len(stated.versions)
    counts["articles"] += sum(len(articles) for _, articles in stated.versions)
    counts["links"] += len(stated.links)


def _one_object(path: Path) -> Mapping[str, object] | None:
    """A file that is one object over several lines; None when it is an array or lines."""
    with opened(path) as stream:
        first = stream.readline()
        if not first.lstrip(b"\xef\xbb\xbf \t\r\n").startswith(b"{") or first.rstrip().endswith(b"}"):
            return None
        data = first + stream.read()
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError):
        return None
    return content if isinstance(content, dict) else None


def _law(content: Mapping[str, Any], where: str, windows: _Windows) -> StatedLaw:
    _only(content, _LAW, where)
    name = _text(content, "law", where, required=True)
    level = _text(content, "level", where)
    others = _list(content, "aliases", where)
    for at, alias in enumerate(others):
        if not isinstance(alias, str) or not alias.strip():
            raise BadInput(f"{where}: aliases[{at}]: must be text that is not empty")
    short = _text(content, "short", where) or short_name(name)
    versions: list[tuple[LawVersion, tuple[Article, ...]]] = []
    for at, version in enumerate(_list(content, "versions", where, required=True)):
        place = f"{where}: versions[{at}]"
        versions.append(_version(_object(version, place), name, place, windows))
    links: list[Link] = []
    for at, link in enumerate(_list(content, "links", where)):
        place = f"{where}: links[{at}]"
        links.append(_link(_object(link, place), place))
    law = Law(name, short, level or level_of((), name, ()))
    return StatedLaw(law, tuple(cast("list[str]", others)), tuple(versions), tuple(links))


def _version(
    content: Mapping[str, Any], law: str, where: str, windows: _Windows
) -> tuple[LawVersion, tuple[Article, ...]]:
    _only(content, _VERSION, where)
    valid_from = _day(content, "valid_from", where, required=True)
    label = _text(content, "label", where) or f"{law}({valid_from})"
    inferred = content.get("inferred", False)
    if not isinstance(inferred, bool):
        raise BadInput(f"{where}.inferred: must be true or false, is {_shown(inferred)}")
    version = LawVersion(
        law,
        label,
        valid_from,
        _day(content, "valid_to", where),
        _day(content, "adopted", where),
        inferred,
        _text(content, "source", where) or where.partition(":")[0],
    )
    windows.add(version, where)
    articles: dict[ArticleNumber, Article] = {}
    for at, given in enumerate(_list(content, "articles", where, required=True)):
        place = f"{where}.articles[{at}]"
        article = _article(_object(given, place), version, place)
        if article.number in articles:
            raise BadInput(f"{place}.number: {article.number.chinese} is in this version twice")
        articles[article.number] = article
    return version, tuple(articles.values())


def _article(content: Mapping[str, Any], version: LawVersion, where: str) -> Article:
    _only(content, _ARTICLE, where)
    text = content.get("text")
    if text is not None and not isinstance(text, str):
        raise BadInput(f"{where}.text: must be text or null, is {_shown(text)}")
    optional: Callable[[str], str] = lambda key: _text(content, key, where)  # noqa: E731
    return Article(
        version.law,
        version.label,
        _number(content, "number", where, required=True) or ArticleNumber(0),
        optional("part"),
        optional("chapter"),
        optional("section"),
        optional("title"),
        text,
        optional("amended_by"),
        version.source,
    )


def _link(content: Mapping[str, Any], where: str) -> Link:
    _only(content, _LINK, where)
    kind = _text(content, "kind", where, required=True)
    if kind not in LINK_KINDS:
        raise BadInput(f"{where}.kind: must be one of {', '.join(LINK_KINDS)}, is {_shown(kind)}")
    on = _day(content, "on", where, required=True)
    return Link(
        kind,
        _text(content, "from_law", where, required=True),
        _number(content, "from_number", where),
        _text(content, "to_law", where, required=True),
        _number(content, "to_number", where),
        on or date.min,
        _text(content, "basis", where, required=True),
    )


def _only(content: Mapping[str, Any], fields: tuple[str, ...], where: str) -> None:
    strange = [key for key in content if key not in fields]
    if strange:
        raise BadInput(f"{where}: there is no field {_shown(strange[0])}", f"Fields: {', '.join(fields)}.")


def _object(value: object, where: str) -> Mapping[str, Any]:
    if not isinstance(value, dict):
        raise BadInput(f"{where}: must be an object, is {_shown(value)}")
    return value


def _list(content: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> list[Any]:
    value = content.get(key)
    if value is None and not required:
        return []
    if not isinstance(value, list):
        raise BadInput(f"{where}{_dot(where)}{key}: must be a list, is {_shown(value)}")
    return value


def _text(content: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> str:
    value = content.get(key)
    if value is None and not required:
        return ""
    if not isinstance(value, str) or (required and not value.strip()):
        raise BadInput(
            f"{where}{_dot(where)}{key}: must be text{' that is not empty' if required else ''}, is {_shown(value)}"
        )
    return value.strip()


def _day(content: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> date | None:
    value = content.get(key)
    if value is None and not required:
        return None
    try:
        if not isinstance(value, str) or len(value) != len("YYYY-MM-DD"):
            raise ValueError
        return date.fromisoformat(value)
    except ValueError:
        raise BadInput(f"{where}.{key}: must be a day of the calendar as YYYY-MM-DD, is {_shown(value)}") from None


def _number(content: Mapping[str, Any], key: str, where: str, *, required: bool = False) -> ArticleNumber | None:
    value = content.get(key)
    if value is None and not required:
        return None
    number = parse_number(value) if isinstance(value, str) else None
    if number is None:
        raise BadInput(f"{where}.{key}: must name an article (第三条之一 or 3-1), is {_shown(value)}")
    return number


def _dot(where: str) -> str:
    return "." if where.endswith("]") else ": "


def _shown(value: object) -> str:
    return "missing" if value is None else json.dumps(value, ensure_ascii=False, default=str)[:60]
