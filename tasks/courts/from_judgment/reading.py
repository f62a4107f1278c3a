"""The text of a judgment in a file of unknown make; `store.importers.papers` says what can be read.

Plain text is read here, everything that has to be parsed in the reading process.
"""

from __future__ import annotations

from pathlib import Path

from store.errors import BadInput, NotFound
from store.importers.limits import MAX_PAPER_TEXT
from store.importers.papers import bytes_of, content, is_parsed, read_paper
from store.importers.process import ReadingProcess
from tasks.courts.from_judgment.layout import tidy, unwrapped

MAX_TEXT = 300_000
"""Characters of a judgment; the longest published ones have about half as many."""


def read_text(path: Path) -> str:
    """The text of a file, a paragraph a line.

    Raises:
        NotFound: there is no such file.
        BadInput: it is empty, too large, damaged, encrypted, a scan, or no text at all.
    """
    if path.is_dir():
        raise BadInput(f"{path.name} is a folder", "Give the file of one judgment.")
    if not path.is_file():
        raise NotFound(f"There is no file {path}", "Give a judgment as txt, docx, html or pdf.")
    data = bytes_of(path)
    if not is_parsed(data):
        return text_of(data, path.name)
    with ReadingProcess() as reader:
        ((raw, wrapped),) = reader.read(read_paper, path, path.name)
    return _tidied(raw, wrapped, path.name)


def text_of(data: bytes, label: str) -> str:
    """The text of the bytes of a file; `label` names it in messages. Raises BadInput as `read_text` does."""
    if not data.strip():
        raise BadInput(f"{label} is empty", "Give a judgment as txt, docx, html or pdf.")
    return _tidied(*content(data, label), label)


def _tidied(raw: str, wrapped: bool, label: str) -> str:
    if len(raw) > MAX_PAPER_TEXT:
        raise BadInput(f"{label} has more than {MAX_PAPER_TEXT:,} characters", "Give one judgment a file.")
    lines = tidy(raw)
    text = "\n".join(unwrapped(lines, wrapped))
    if not text:
        raise BadInput(f"{label} has no text", "Give a judgment as txt, docx, html or pdf.")
    if len(text) > MAX_TEXT:
        raise BadInput(f"{label} has {len(text)} characters, more than {MAX_TEXT}", "Give one judgment a file.")
    return text
