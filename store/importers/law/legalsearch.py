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
from collections.abc import Iterator
from contextlib import suppress
from datetime import date
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers import Progress
from store.importers.law.joining import REPORT as REPORT
from store.importers.law.joining import Row, Scratch, Tally, Window, scratch, write
from store.importers.reading import entered, files_in, head, opened, records
from store.statutes.model import ArticleNumber
from store.statutes.names import without_version
from store.text.citation import parse_number
from store.text.dates import parse_date

OPEN_FROM = 2099
"""A last day in this year or later means still in force."""

_MENU = ["law_type_version", "valid_from", "valid_to"]
_FILLERS = frozenset({"未分编部分", "未分章部分", "未分节部分"})
_LEVELS = (("编", "part"), ("章", "chapter"), ("节", "section"))
_HEADING = re.compile(r"^第[一二三四五六七八九十百零\d]+(?:分)?(?P<level>[编章节])|^(?P<other>附则|总则|序言)$")
_UNSEEN = re.compile("[\u200b\u200c\u200d\u2060\ufeff\u00ad]")
_RANK = {"index": 0, "texts": 1, "chunks": 2}
_TOLD = 1000


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of statutes.

    Raises:
        NotFound: nothing is there.
        BadInput: a file is not what it should be, or two files state different days for one version; names file and
            line.
    """
    with entered(source) as root, scratch() as rows:
        tally = Tally()
        found: list[tuple[Path, str]] = []
        for path in [root] if root.is_file() else files_in(root):
            label = path.name if root.is_file() else path.relative_to(root).as_posix()
            tally.files[label] = _kind(path)
            found.append((path, label))
        # The version list first: a tree of chunks has no days of its own.
        for kind, read in _READERS.items():
            for path, label in found:
                if tally.files[label] == kind:
                    read(rows, path, label, tally, progress)
        if not tally.index_rows and not tally.texts:
            raise BadInput(
                f"{source} holds no articles in the layout of LegalSearch-R1",
                "Expected article_index.jsonl, statutes.jsonl or law_chunks.jsonl,"
                " with all_law_menu.csv beside them.",
            )
        for label, kind in tally.files.items():
            if kind not in _READERS:
                progress(f"left out: {label} ({kind})", 0, 0)
        return write(rows, name, tally, progress)


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


def _read_menu(rows: Scratch, path: Path, label: str, tally: Tally, progress: Progress) -> None:
    with opened(path) as raw:
        data = raw.read()
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise BadInput(f"{label}: not UTF-8") from None
    seen: dict[str, int] = {}
    for number, cells in enumerate(csv.reader(io.StringIO(text)), 1):
        where = f"{label}, line {number}"
        if number == 1 or not any(cell.strip() for cell in cells):
            continue
        if len(cells) != len(_MENU) or not cells[0].strip():
            raise BadInput(f"{where}: a version needs {', '.join(_MENU)}")
        version = cells[0].strip()
        if version in seen:
            raise BadInput(f"{where}: {version} is already listed in line {seen[version]}", "Remove one of the two.")
        seen[version] = number
        rows.add_window(_window(without_version(version), version, cells[1], cells[2], where))
    progress(f"reading {label}", len(seen), len(seen))


def _read_rows(rows: Scratch, path: Path, label: str, tally: Tally, progress: Progress) -> None:
    windows: dict[str, tuple[object, object]] = {}
    done = 0
    for line, content in records(path, label):
        where = f"{label}, line {line}"
        law, version, printed = (_text(content, key, where) for key in ("law", "version", "article"))
        number = _number(printed, where)
        stated = (content.get("article_int", number.number), content.get("article_sub", number.sub) or 0)
        if stated != (number.number, number.sub):
            raise BadInput(f"{where}: {printed} is numbered {stated[0]} and {stated[1]}")
        days = (content.get("valid_from"), content.get("valid_to"))
        if windows.get(version) != days:
            rows.add_window(_window(law, version, *days, where))
            windows[version] = days
        text = content.get("text")
        if text is not None and not isinstance(text, str):
            raise BadInput(f"{where}: text must be text")
        text = _tidy(text, tally)
        part, chapter, section, title, source = (
            _text(content, key, where, needed=False) for key in ("part", "chapter", "section", "title", "text_source")
        )
        kind = "index" if "text" not in content else "texts"
        rows.add_row(
            Row(
                law, version, number.number, number.sub, part, chapter, section, title, text or None, source,
                int(bool(content.get("derived"))), _RANK[kind], where,
            )
        )  # fmt: skip
        done = _counted(tally, text, kind, f"reading {label}", done, progress)
    progress(f"reading {label}", done, done)


def _read_chunks(rows: Scratch, path: Path, label: str, tally: Tally, progress: Progress) -> None:
    done = 0
    for line, content in records(path, label):
        where = f"{label}, line {line}"
        steps = [step.strip() for step in _text(content, "path", where).split(">")]
        _add_chunk(rows, steps, content, where, tally)
        done = _counted(tally, content.get("text"), "chunks", f"reading {label}", done, progress)
    progress(f"reading {label}", done, done)


def _read_tree(rows: Scratch, path: Path, label: str, tally: Tally, progress: Progress) -> None:
    with opened(path) as raw:
        data = raw.read()
    try:
        content = json.loads(data.decode("utf-8-sig"))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{label}: not readable as JSON ({error})") from None
    done = 0
    for steps, leaf in _leaves(content, []):
        _add_chunk(rows, steps, leaf, f"{label}, {' > '.join(steps[-2:])}", tally)
        done = _counted(tally, leaf.get("text"), "chunks", f"reading {label}", done, progress)
    progress(f"reading {label}", done, done)


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


def _add_chunk(rows: Scratch, steps: list[str], content: dict[str, Any], where: str, tally: Tally) -> None:
    version = steps[0] if steps else ""
    printed = content.get("article_no") or (steps[-1] if steps else "")
    number = _number(printed if isinstance(printed, str) else "", where)
    if len(steps) < 2 or not version:
        raise BadInput(f"{where}: a path is version > part > chapter > section > article")
    law = without_version(version)
    if content.get("valid_from") is not None:
        rows.add_window(_window(law, version, content["valid_from"], content.get("valid_to"), where))
    elif not any(window.label == version for window in rows.windows(law)):
        raise BadInput(f"{where}: no days for {version}", "Put the version list (CSV) beside it.")
    places = {"part": "", "chapter": "", "section": ""}
    for step in steps[1:]:
        if (match := _HEADING.match(step)) and step not in _FILLERS and not parse_number(step):
            level = dict(_LEVELS).get(match["level"] or "", "chapter")
            places[level] = f"{places[level]} {step}".strip()
    text = content.get("text")
    if text is not None and not isinstance(text, str):
        raise BadInput(f"{where}: text must be text")
    title = _text(content, "title", where, needed=False).strip("【】 ")
    body = _without_number(_tidy(text, tally) or "", number)
    rows.add_row(
        Row(
            law, version, number.number, number.sub, places["part"], places["chapter"], places["section"], title,
            body or None, "upstream", 0, _RANK["chunks"], where,
        )
    )  # fmt: skip


def _tidy(text: str | None, tally: Tally) -> str | None:
    """A text without characters that show nothing and without empty lines; how many texts had some is counted."""
    if not text:
        return None
    lines = (line.strip() for line in _UNSEEN.sub("", text).split("\n"))
    tidy = "\n".join(line for line in lines if line)
    tally.tidied += tidy != text
    return tidy or None


def _without_number(text: str, number: ArticleNumber) -> str:
    """The text without the number that it begins with."""
    stripped = text.strip()
    match = re.match(r"第[^条\n]{1,20}条(?:之[一二三四五六七八九十]+)?", stripped)
    if match and parse_number(match.group()) == number:
        return stripped[match.end() :].lstrip(" \u3000")
    return stripped


def _window(law: str, label: str, valid_from: object, valid_to: object, where: str) -> Window:
    first = _date(valid_from, where)
    last = None if valid_to in (None, "") else _date(valid_to, where)
    if last is not None and last < first:
        raise BadInput(f"{where}: {label} ends on {valid_to}, before it begins on {valid_from}")
    still = last is None or last.year >= OPEN_FROM
    return Window(law, label, first.isoformat(), None if still else last.isoformat(), where)  # type: ignore[union-attr]


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


def _counted(tally: Tally, text: object, kind: str, phase: str, done: int, progress: Progress) -> int:
    tally.texts += bool(text)
    tally.index_rows += kind == "index"
    if (done + 1) % _TOLD == 0:
        progress(phase, done + 1, None)
    return done + 1
