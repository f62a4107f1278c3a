"""Imports national laws in Markdown, the public layout of LawRefBook: a folder a field of law, a file a version.

First line `# title`, then the history, one line a decision, up to `<!-- INFO END -->`; then headings `##` 编, `###`
章, `####` 节 and articles that begin with 第…条. The file name is the short title, often with the day of adoption of
that version in brackets. A second `#` line names the part of a law that is spread over several files (the Civil
Code).
"""

from __future__ import annotations

import re
from datetime import date
from pathlib import Path, PurePosixPath

from store.errors import BadInput
from store.importers import Progress
from store.importers.law import naming
from store.importers.law.body import read_body
from store.importers.law.history import read_history
from store.importers.law.parsed import ParsedLaw, decode, heading, plain
from store.importers.law.texts import completed, import_texts
from store.importers.law.writing import Origin
from store.importers.reading import entered, read_bytes

ORIGIN = Origin(
    "National laws in Markdown (layout of LawRefBook/Laws, texts of the national laws database)",
    "statutes are not subject to copyright in China",
)
_END = "<!-- INFO END -->"
_NAMED_DAY = re.compile(r"[(（](?P<day>\d{4}-\d{1,2}-\d{1,2})[)）]$")
_FIRST_BODY = re.compile(r"^#{2,6}\s|^\**第 ?[一二三四五六七八九十百零〇0-9]+ ?[条章编]")
_MEETING = re.compile(r"第\d+次会议通过|通过|施行")


def import_pack(source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of all laws in a folder, a zip or one file.

    Raises:
        NotFound: nothing is there.
        BadInput: no file holds a law.
    """
    with entered(source) as root:
        return import_texts(root, read_file, name, ORIGIN, progress, f"{source} holds no law in Markdown")


def read_file(path: Path, label: str) -> ParsedLaw:
    """The law in one file.

    Raises:
        BadInput: the file holds no law; the title says why.
    """
    if path.suffix.lower() not in (".md", ".markdown", ".gz"):
        raise BadInput(f"{label} is no Markdown file")
    return read_text(decode(read_bytes(path, label), label), label)


def named_day(file_name: str) -> tuple[str, date | None]:
    """A file name without its suffix and without the day in brackets at its end, and that day."""
    name = file_name.removesuffix(".gz")
    stem = name.rpartition(".")[0] or name
    match = _NAMED_DAY.search(stem)
    if match is None:
        return stem, None
    try:
        return stem[: match.start()].strip(), date(*map(int, match["day"].split("-")))
    except ValueError:
        return stem, None


def read_text(text: str, label: str) -> ParsedLaw:
    """The law in the text of a file; `label` is its path in the collection.

    Raises:
        BadInput: the text holds no law; the title says why.
    """
    lines = re.split(r"\r\n|\r|\n", text)
    first = next((at for at, line in enumerate(lines) if plain(line)), None)
    if first is None:
        raise BadInput(f"{label} is empty")
    end = next((at for at, line in enumerate(lines) if line.strip().endswith(_END) and len(line) < 200), None)
    level, title = heading(plain(lines[first]))
    if end is None:
        end = next((at for at in range(first + 1, len(lines)) if _FIRST_BODY.match(plain(lines[at]))), None)
        if end is None:
            raise BadInput(f"{label} has neither `{_END}` after a history nor articles")
        end -= 1
    if level != 1 or not title:
        raise BadInput(f"{label} does not begin with a title (`# …`)")
    head, part = _head(lines[first + 1 : end + 1])
    begin = end + 1
    # The history may run over the mark: 第1815次会议通过，自2021年1月1日起施行）
    after = next((at for at in range(begin, min(begin + 4, len(lines))) if plain(lines[at])), begin)
    if after < len(lines) and _runs_over(plain(lines[after]), head):
        head[-1] += plain(lines[after])
        begin = after + 1
    history, _ = read_history(head)
    title = naming.tidy(title)
    stem, day = named_day(PurePosixPath(label).name)
    body = read_body(
        ((at + 1, lines[at]) for at in range(begin, len(lines))), title=title, amends=naming.amends(title), part=part
    )
    if not body.articles:
        raise BadInput(f"{label} has a title and a history but no text")
    return completed(
        title,
        label,
        history,
        body,
        named_day=day,
        part=part,
        folders=PurePosixPath(label).parts[:-1],
        aliases=[] if part else [naming.tidy(stem)],
    )


def _head(lines: list[str]) -> tuple[list[str], str]:
    """The lines of the history, and the part of the law that a second title names."""
    head, part = [], ""
    for line in map(plain, lines):
        level, text = heading(line)
        if level == 1 and text:
            part = text
        elif text:
            head.append(text)
    return head, part


def _runs_over(line: str, head: list[str]) -> bool:
    return bool(head) and line.endswith(("）", ")")) and "（" not in line[:1] and bool(_MEETING.search(line[:40]))
