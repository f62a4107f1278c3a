"""Imports statutes as plain text in the usual Chinese layout: UTF-8, UTF-16 or GB18030, one version of one law a
file.

Title; in round brackets the history (1991年4月9日…通过 根据…第一次修正); perhaps 目录; 第一编, 第一章, 第一节 on
lines of their own; articles that begin with 第…条. The day of adoption may stand in brackets in the file name.
Articles that are missing between two others are named.
"""

from __future__ import annotations

import re
from pathlib import Path, PurePosixPath

from store.errors import BadInput
from store.importers import Progress
from store.importers.law import naming
from store.importers.law.body import begins_body, read_body
from store.importers.law.history import has_day, read_history
from store.importers.law.markdown import named_day
from store.importers.law.parsed import ParsedLaw, decode, plain
from store.importers.law.texts import completed, import_texts
from store.importers.law.writing import Origin
from store.importers.reading import entered, read_bytes

ORIGIN = Origin("Statutes as plain text", "as stated by whoever gave the texts")
_SUFFIXES = (".txt", ".text", ".gz", "")
_TITLE_LINES = 4
_HEAD_LINES = 60


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of all laws in a folder, a zip or one file.

    Raises:
        NotFound: nothing is there.
        BadInput: no file holds a law.
    """
    with entered(source) as root:
        read = _read_file if root.is_dir() else _read
        return import_texts(root, read, name, ORIGIN, progress, f"{source} holds no law as plain text")


def _read_file(path: Path, label: str) -> ParsedLaw:
    if path.suffix.lower() not in _SUFFIXES:
        raise BadInput(f"{label} is no text file (.txt)")
    return _read(path, label)


def _read(path: Path, label: str) -> ParsedLaw:
    return read_text(decode(read_bytes(path, label), label), label)


def read_text(text: str, label: str) -> ParsedLaw:
    """The law in the text of a file.

    Raises:
        BadInput: the text holds no law; the title says why.
    """
    lines = [(number, plain(line)) for number, line in enumerate(re.split(r"\r\n|\r|\n", text), 1)]
    lines = [(number, line) for number, line in lines if line]
    if not lines:
        raise BadInput(f"{label} is empty")
    stem, day = named_day(PurePosixPath(label).name)
    title, at = _title(lines, stem)
    head, begin = _head(lines, at)
    history, _ = read_history(head)
    title = naming.tidy(title)
    body = read_body(lines[begin:], title=title, amends=naming.amends(title))
    if not body.numbered and not (history and body.articles):
        raise BadInput(f"{label} has no article (第…条) and no history in brackets under a title")
    folders = PurePosixPath(label).parts[:-1]
    return completed(title, label, history, body, named_day=day, folders=folders, aliases=[naming.tidy(stem)])


def _title(lines: list[tuple[int, str]], stem: str) -> tuple[str, int]:
    """The title, which may be broken over several lines, and where the rest begins; the file name where there is
    none."""
    at = 0
    while at < min(_TITLE_LINES, len(lines)) and not _after_title(lines[at][1]):
        at += 1
    return ("".join(line for _, line in lines[:at]).strip("《》"), at) if at else (stem, 0)


def _after_title(line: str) -> bool:
    return (
        line.startswith(("（", "(")) or has_day(line) or begins_body(line) or line.endswith(("。", "：", ":", "；"))
    )


def _head(lines: list[tuple[int, str]], at: int) -> tuple[list[str], int]:
    """The lines of the history: in brackets, or lines with a date, up to the first that belongs to the law."""
    head: list[str] = []
    depth = 0
    while at < len(lines) and len(head) < _HEAD_LINES:
        line = lines[at][1]
        opening = line.startswith(("（", "("))
        if begins_body(line) or not (depth > 0 or (opening and _dated(lines[at : at + 3])) or _is_date_line(line)):
            break
        depth += sum(line.count(mark) for mark in "（(") - sum(line.count(mark) for mark in "）)")
        head.append(line)
        at += 1
    return head, at


def _dated(lines: list[tuple[int, str]]) -> bool:
    return any(has_day(line) for _, line in lines)


def _is_date_line(line: str) -> bool:
    return has_day(line[:20]) and not line.endswith("。")
