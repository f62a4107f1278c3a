"""Imports the statutes of LegalSearch-R1: its version list, its article index, texts, and the upstream chunk files.

What a file is, its content decides: a version list (CSV: law_type_version, valid_from, valid_to); rows of articles
with or without text (JSON lines: law, version, article, …); upstream chunks (JSON lines: path, article_no, title,
text, valid_from, valid_to) or the tree of chunks (one JSON object). Task files are left to `--tasks`, pickles are
never read. Days come dotted (1999.9.30), both ends inclusive; from 2099 on means still in force.

Where files disagree about an article the order of trust is: index (its place, number and title), rows with text,
chunks. Each disagreement is told. A number that the index lists twice becomes 之一 where a neighbouring version shows
that it is.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import date
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers import Progress
from store.importers.law.writing import LawCounts, Origin, StatedLaw, write_pack
from store.importers.reading import entered, head, labelled_files, read_bytes, records
from store.statutes.model import Article, ArticleNumber, Law, LawVersion
from store.statutes.names import short_name, successions_among, without_version
from store.text.alignment import squeezed
from store.text.citation import parse_number
from store.text.dates import parse_date

ORIGIN = Origin(
    "LegalSearch-R1 (AlexFanw/LegalSearch-R1): version list, article index and texts of national laws",
    "Apache-2.0 for the compilation; statutes are not subject to copyright in China",
)
OPEN_FROM = 2099
"""A last day in this year or later means still in force."""

_MENU = ["law_type_version", "valid_from", "valid_to"]
_FILLERS = frozenset({"未分编部分", "未分章部分", "未分节部分"})
_LEVELS = (("编", "part"), ("章", "chapter"), ("节", "section"))
_HEADING = re.compile(r"^第[一二三四五六七八九十百零\d]+(?:分)?(?P<level>[编章节])|^(?P<other>附则|总则|序言)$")
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_RANK = {"index": 0, "texts": 1, "chunks": 2}
"""Whose word counts more where two files differ (lower first)."""
_EVERY = 1000
_CONFLICTS_KEPT = 500


@dataclass(frozen=True, slots=True)
class _ArticleRow:
    """An article as one file has it; where: file and line."""

    article: Article
    rank: int
    where: str


@dataclass
class _Collection:
    """What was read, by label of the version; files: what each holds; conflicts, repaired: one sentence each."""

    windows: dict[str, tuple[LawVersion, str]] = field(default_factory=dict)
    rows: dict[str, list[_ArticleRow]] = field(default_factory=dict)
    files: dict[str, str] = field(default_factory=dict)
    index_rows: int = 0
    texts: int = 0
    tidied: int = 0
    conflicts: list[str] = field(default_factory=list)
    repaired: list[str] = field(default_factory=list)

    def add_window(self, law: str, label: str, valid_from: object, valid_to: object, where: str) -> None:
        """Put a version down; its days as a file writes them.

        Raises:
            BadInput: they are no days, or another place states other days for it.
        """
        first = _date(valid_from, where)
        last = None if valid_to in (None, "") else _date(valid_to, where)
        if last is not None and last < first:
            raise BadInput(f"{where}: {label} ends on {valid_to}, before it begins on {valid_from}")
        if last is not None and last.year >= OPEN_FROM:
            last = None
        version = LawVersion(law, label, first, last, source=where.partition(",")[0])
        old, place = self.windows.setdefault(label, (version, where))
        if (old.valid_from, old.valid_to) != (first, last):
            raise BadInput(
                f"{where}: {label} applies {_days(version)}, but {_days(old)} in {place}", "Correct one of the two."
            )

    def add_row(self, kind: str, article: Article, where: str) -> None:
        """Put an article down; kind: of the file."""
        self.rows.setdefault(article.label, []).append(_ArticleRow(article, _RANK[kind], where))
        self.texts += article.text is not None
        self.index_rows += kind == "index"

    def summary(self, tally: LawCounts) -> dict[str, Any]:
        """The report: what was written, what was read, what was put right and what disagrees."""
        return {
            "laws": tally.laws,
            "versions": tally.versions,
            "articles": tally.articles,
            "texts": tally.texts,
            "links": tally.links.total(),
            "index_rows": self.index_rows,
            "read_texts": self.texts,
            "tidied_texts": self.tidied,
            "files": self.files,
            "repaired": self.repaired,
            "conflicts": len(self.conflicts),
            "conflict_lines": self.conflicts[:_CONFLICTS_KEPT],
        }


def _days(version: LawVersion) -> str:
    return f"from {version.valid_from} to {version.valid_to or 'now'}"


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of statutes.

    Raises:
        NotFound: nothing is there.
        BadInput: a file is not what it should be, or two files state different days for one version; names file and
            line.
    """
    rows = _Collection()
    with entered(source) as root:
        found = labelled_files(root)
        rows.files = {label: _kind(path) for path, label in found}
        # The version list first: a tree of chunks has no days of its own.
        for kind, read in _READERS.items():
            for path, label in found:
                if rows.files[label] == kind:
                    done = read(rows, path, label, progress)
                    progress(f"reading {label}", done, done)
    if not rows.index_rows and not rows.texts:
        raise BadInput(
            f"{source} holds no articles in the layout of LegalSearch-R1",
            "Expected article_index.jsonl, statutes.jsonl or law_chunks.jsonl, with all_law_menu.csv beside them.",
        )
    for label, kind in rows.files.items():
        if kind not in _READERS:
            progress(f"left out: {label} ({kind})", 0, 0)
    return _write(rows, name, progress)


# Reading
# ---------------------------------------------------------------------------------------------------------------


def _kind(path: Path) -> str:
    """What a file holds, by its first bytes."""
    if path.suffix.lower() not in (".csv", ".json", ".jsonl", ".ndjson", ".gz", ".txt", ".md"):
        return "not a text file"
    start = head(path, 1 << 16).lstrip(b"\xef\xbb\xbf \t\r\n")
    if start.split(b"\n", 1)[0].strip().replace(b'"', b"").split(b",") == [name.encode() for name in _MENU]:
        return "menu"
    if not start.startswith((b"{", b"[")):
        return "nothing of this layout"
    first = next(iter(_first_record(path)), None)
    if first is None:
        return "tree"
    keys = set(first)
    if {"law", "version", "article"} <= keys:
        return "texts" if "text" in keys else "index"
    if {"path", "article_no"} <= keys:
        return "chunks"
    if "question" in keys or "reward_model" in keys or "prompt" in keys:
        return "tasks: give them to --tasks"
    return "tree" if start.startswith(b"{") else "nothing of this layout"


def _first_record(path: Path) -> Iterator[dict[str, object]]:
    with suppress(BadInput):
        for _, content in records(path):
            yield content
            return


def _read_menu(rows: _Collection, path: Path, label: str, progress: Progress) -> int:
    try:
        text = read_bytes(path, label).decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{label}: not UTF-8") from None
    seen: dict[str, int] = {}
    try:
        lines = list(csv.reader(io.StringIO(text)))
    except csv.Error as error:
        raise BadInput(f"{label}: {error}") from None
    for number, cells in enumerate(lines, 1):
        where = f"{label}, line {number}"
        if number == 1 or not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(_MENU) or not cells[0].strip():
            raise BadInput(f"{where}: a version needs {', '.join(_MENU)}")
        version = cells[0].strip()
        if version in seen:
            raise BadInput(f"{where}: {version} is already listed in line {seen[version]}", "Remove one of the two.")
        seen[version] = number
        rows.add_window(without_version(version), version, cells[1], cells[2], where)
    return len(seen)


def _read_rows(rows: _Collection, path: Path, label: str, progress: Progress) -> int:
    windows: dict[str, tuple[object, object]] = {}
    done = 0
    for done, (line, content) in enumerate(records(path, label), 1):
        where = f"{label}, line {line}"
        law, version, printed = (_text(content, key, where) for key in ("law", "version", "article"))
        number = _number(printed, where)
        stated = (content.get("article_int", number.number), content.get("article_sub", number.sub) or 0)
        if stated != (number.number, number.sub):
            raise BadInput(f"{where}: {printed} is numbered {stated[0]} and {stated[1]}")
        days = (content.get("valid_from"), content.get("valid_to"))
        if windows.get(version) != days:
            rows.add_window(law, version, *days, where)
            windows[version] = days
        text = _tidy(content, where, rows)
        part, chapter, section, title, source = (
            _text(content, key, where, needed=False) for key in ("part", "chapter", "section", "title", "text_source")
        )
        derived = bool(content.get("derived"))
        article = Article(
            law, version, number, part, chapter, section, title, text or None, text_source=source, derived=derived
        )
        rows.add_row("texts" if "text" in content else "index", article, where)
        _count(f"reading {label}", done, progress)
    return done


def _read_chunks(rows: _Collection, path: Path, label: str, progress: Progress) -> int:
    done = 0
    for done, (line, content) in enumerate(records(path, label), 1):
        where = f"{label}, line {line}"
        steps = [step.strip() for step in _text(content, "path", where).split(">")]
        _add_chunk(rows, steps, content, where)
        _count(f"reading {label}", done, progress)
    return done


def _read_tree(rows: _Collection, path: Path, label: str, progress: Progress) -> int:
    try:
        content = json.loads(read_bytes(path, label).decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{label}: not readable as JSON ({error})") from None
    done = 0
    for done, (steps, leaf) in enumerate(_leaves(content, []), 1):
        _add_chunk(rows, steps, leaf, f"{label}, {' > '.join(steps[-2:])}")
        _count(f"reading {label}", done, progress)
    return done


_READERS = {"menu": _read_menu, "index": _read_rows, "texts": _read_rows, "chunks": _read_chunks, "tree": _read_tree}


def _leaves(node: object, steps: list[str], depth: int = 0) -> Iterator[tuple[list[str], dict[str, object]]]:
    """Articles of a tree: keys are headings down to the article; a leaf is its text or an object with one."""
    if depth > 20:
        raise BadInput(f"{' > '.join(steps[:3])}: nested more than 20 deep")
    if isinstance(node, list):
        for item in node:
            yield from _leaves(item, steps, depth + 1)
    elif isinstance(node, str):
        if steps and parse_number(steps[-1]):
            yield steps, {"text": node}
    elif isinstance(node, dict):
        if isinstance(node.get("text"), str) and (
            "path" in node or "article_no" in node or (steps and parse_number(steps[-1]))
        ):
            path = node.get("path")
            yield ([step.strip() for step in path.split(">")] if isinstance(path, str) else steps), node
            return
        name = next((node[key] for key in ("name", "heading", "label") if isinstance(node.get(key), str)), None)
        for key, child in node.items():
            if isinstance(child, dict | list) or parse_number(key):
                own = key in ("children", "chunks", "articles", "items", "content")
                yield from _leaves(
                    child, [*steps, name] if own and name else steps if own else [*steps, key], depth + 1
                )


def _add_chunk(rows: _Collection, steps: list[str], content: dict[str, Any], where: str) -> None:
    version = steps[0] if steps else ""
    printed = content.get("article_no") or (steps[-1] if steps else "")
    number = _number(printed if isinstance(printed, str) else "", where)
    if len(steps) < 2 or not version:
        raise BadInput(f"{where}: a path is version > part > chapter > section > article")
    law = without_version(version)
    if content.get("valid_from") is not None:
        rows.add_window(law, version, content["valid_from"], content.get("valid_to"), where)
    elif version not in rows.windows or rows.windows[version][0].law != law:
        raise BadInput(f"{where}: no days for {version}", "Put the version list (CSV) beside it.")
    places = {"part": "", "chapter": "", "section": ""}
    for step in steps[1:]:
        if (match := _HEADING.match(step)) and step not in _FILLERS and not parse_number(step):
            level = dict(_LEVELS).get(match["level"] or "", "chapter")
            places[level] = f"{places[level]} {step}".strip()
    text = _tidy(content, where, rows)
    title = _text(content, "title", where, needed=False).strip("【】 ")
    body = _without_number(text or "", number)
    part, chapter, section = places.values()
    article = Article(law, version, number, part, chapter, section, title, body or None, text_source="upstream")
    rows.add_row("chunks", article, where)


def _tidy(content: dict[str, Any], where: str, rows: _Collection) -> str | None:
    """The text without characters that show nothing and without empty lines; how many texts had some is counted."""
    text = content.get("text")
    if text is not None and not isinstance(text, str):
        raise BadInput(f"{where}: text must be text")
    if not text:
        return None
    lines = (line.strip() for line in _UNSEEN.sub("", text).split("\n"))
    tidy = "\n".join(line for line in lines if line)
    rows.tidied += tidy != text
    return tidy or None


def _without_number(text: str, number: ArticleNumber) -> str:
    """The text without the number that it begins with."""
    stripped = text.strip()
    match = re.match(r"第[^条\n]{1,20}条(?:之[一二三四五六七八九十]+)?", stripped)
    if match and parse_number(match.group()) == number:
        return stripped[match.end() :].lstrip(" \u3000")
    return stripped


def _date(value: object, where: str) -> date:
    day = parse_date(value) if isinstance(value, str) else None
    if day is None:
        raise BadInput(f"{where}: {str(value)[:40]!r} is not a date", "Dates read like 1999.9.30 or 1999-09-30.")
    return day


def _number(printed: str, where: str) -> ArticleNumber:
    number = parse_number(printed)
    if number is None:
        raise BadInput(f"{where}: {printed[:40]!r} is not the number of an article")
    return number


def _text(content: dict[str, Any], key: str, where: str, *, needed: bool = True) -> str:
    value = content.get(key)
    if value is None and not needed:
        return ""
    if not isinstance(value, str) or (needed and not value.strip()):
        raise BadInput(f"{where}: {key} must be text")
    return value


def _count(phase: str, done: int, progress: Progress) -> None:
    if done % _EVERY == 0:
        progress(phase, done, None)


# Joining
# ---------------------------------------------------------------------------------------------------------------


def _write(rows: _Collection, name: str, progress: Progress) -> Path:
    """Build the pack from what was put down, and tell what was put right and what disagrees."""
    by_law: dict[str, list[LawVersion]] = {}
    for version, _ in sorted(rows.windows.values(), key=lambda one: (one[0].law, one[0].valid_from, one[0].label)):
        by_law.setdefault(version.law, []).append(version)
    newest = max(version.valid_from for version, _ in rows.windows.values() if version.valid_from)
    laws = (_stated(law, versions, rows) for law, versions in by_law.items())
    path, summary = write_pack(
        name, ORIGIN, laws, rows.summary, progress, as_of=newest.isoformat(), total=len(by_law),
        links=successions_among(set(by_law)),
    )  # fmt: skip
    for line in rows.repaired:
        progress(f"put right: {line}", 0, 0)
    for line in rows.conflicts[:_CONFLICTS_KEPT]:
        progress(f"contradiction: {line}", 0, 0)
    words = (
        f"{summary['texts']} texts, {summary['index_rows']} index rows; {summary['articles']} articles in"
        f" {summary['versions']} versions of {summary['laws']} laws, {summary['links']} links,"
        f" {len(summary['repaired'])} numbers put right, {summary['conflicts']} contradictions"
    )
    progress(words, summary["articles"], summary["articles"])
    return path


def _stated(law: str, versions: Sequence[LawVersion], rows: _Collection) -> StatedLaw:
    listed = {one.label: sorted(rows.rows.pop(one.label, []), key=lambda row: row.rank) for one in versions}
    titles = [
        {row.article.number: row.article.title for row in found if row.article.title} for found in listed.values()
    ]
    joined = []
    for place, version in enumerate(versions):
        near = [*titles[max(0, place - 1) : place], *titles[place + 1 : place + 2]]
        joined.append((version, tuple(_joined(version, listed[version.label], near, rows))))
    level = "法律" if law.endswith(("法", "法典")) else ""
    return StatedLaw(Law(law, short_name(law), level), (), tuple(joined))


def _joined(
    version: LawVersion, listed: list[_ArticleRow], near: Sequence[Mapping[ArticleNumber, str]], rows: _Collection
) -> list[Article]:
    """The articles of a version: the best source lists them, the others fill in texts and what it lacks."""
    best = [row for row in listed if row.rank == listed[0].rank]
    rest: dict[ArticleNumber, list[_ArticleRow]] = {}
    for row in listed[len(best) :]:
        rest.setdefault(row.article.number, []).append(row)
    articles: list[Article] = []
    taken: set[ArticleNumber] = set()
    for row in best:
        article = row.article
        number = _repaired(article, taken, rest, near) if article.number in taken else article.number
        if number != article.number:
            said = article.number.chinese
            rows.repaired.append(f"{row.where}: {version.label} lists {said} twice, the second is {number.chinese}")
            article = replace(article, number=number, listed=said)
        taken.add(number)
        articles.append(_filled(replace(row, article=article), rest.pop(number, []), rows))
    for found in rest.values():
        articles.append(_filled(found[0], found[1:], rows))
    return sorted(articles, key=lambda article: article.number) if rest else articles


def _repaired(
    article: Article,
    taken: set[ArticleNumber],
    rest: Mapping[ArticleNumber, list[_ArticleRow]],
    near: Sequence[Mapping[ArticleNumber, str]],
) -> ArticleNumber:
    """The number that a row listed twice really has: the next 之, where a text or a neighbouring version shows it."""
    last = max(number.sub for number in taken if number.number == article.number.number)
    following = ArticleNumber(article.number.number, last + 1)
    shown = following in rest or any(article.title and titles.get(following) == article.title for titles in near)
    return following if shown else article.number


def _filled(row: _ArticleRow, others: Sequence[_ArticleRow], rows: _Collection) -> Article:
    """An article from its row and from what other files say about it; disagreements are told."""
    article, where = row.article, f"{row.article.label} {row.article.number.chinese}"
    for other, place in ((other.article, other.where) for other in others):
        if other.title and article.title and squeezed(other.title) != squeezed(article.title):
            rows.conflicts.append(f"{where}: the title is {article.title} ({row.where}) and {other.title} ({place})")
        article = replace(article, title=article.title or other.title)
        pairs = [(getattr(article, name), getattr(other, name)) for name in ("part", "chapter", "section")]
        for own, said in pairs:
            if said and own and squeezed(said) != squeezed(own):
                rows.conflicts.append(f"{where}: it stands in {own} ({row.where}) and {said} ({place})")
        if not any(own for own, _ in pairs):
            article = replace(article, part=other.part, chapter=other.chapter, section=other.section)
        if article.text is None:
            article = replace(article, text=other.text, text_source=other.text_source, derived=other.derived)
        elif other.text is not None and squeezed(other.text) != squeezed(article.text):
            rows.conflicts.append(f"{where}: {place} has another text")
    return article if article.text else replace(article, text_source="")
