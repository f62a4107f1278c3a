"""The text of a judgment in a file of unknown make, a paragraph a line; `store.importers.papers` says what can be
read. Blanks, page numbers, spread-out titles and wrapped lines are put right.

Plain text is read here, everything that has to be parsed in a worker.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from pathlib import Path

from store.errors import BadInput, NotFound
from store.importers.papers import content, is_parsed
from store.text.ideographs import HAN, without_selectors
from store.text.normalise import unified
from store.worker import Worker
from tasks.episode.plain import plain_text

MAX_TEXT = 300_000
"""Characters of a judgment; the longest published ones have about half as many."""
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_UNSEEN = {"Cc", "Cf", "Cs", "Co"}
_PAGE_NUMBER = re.compile(r"[-—–－·\s]*第?\s*\d{1,4}\s*页?(?:\s*[/／，,共]\s*共?\s*\d{1,4}\s*页?)?[-—–－·\s]*")
"""— 3 —, 第3页 共10页, 3/10."""
_SPREAD = re.compile(rf"(?<=[{HAN}〇○]) (?=[{HAN}〇○])")
_SPACED_NAME = re.compile(rf"(?<=[{HAN}]) (?=[{HAN}](?![{HAN}]))")
"""A name set as wide as a longer one: 原告周　川，男; 审判员　柳　叶."""
_DOTS = str.maketrans(dict.fromkeys("•‧・･∙⋅", "·"))
"""What stands for the dot in names of several words."""
_ENDS = re.compile(r"[。！？!?][”』」]?$")
_MAY_END = re.compile(r"[；：;:]$")
_OPENS = re.compile(
    r"审判长|(?:代理)?审判员|人民陪审员|书记员|法官助理|本院认为|(?:经|本院)审理查明|如不服本|[二〇零○]{2}[〇零○一二]"
    r"|[（(]?[一二三四五六七八九十]{1,3}[）)]?、"
)
"""What begins a paragraph whatever stands before it."""
_NARROW, _WIDE = 28, 130
"""A page holds 14 to 65 Chinese characters a line, each two cells wide; longer lines are paragraphs already."""
_FULL = 0.7
"""A line that fills this part of the width and ends in no full stop goes on in the next; shorter ones are
headings."""


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
    data = path.read_bytes()
    if not is_parsed(data):
        return text_of(data, path.name)
    with Worker() as worker:
        raw, wrapped = worker.run("store.importers.papers:read_paper", str(path), path.name, label=path.name)
    return _tidied(raw, wrapped, path.name)


def text_of(data: bytes, label: str) -> str:
    """The text of the bytes of a file; `label` names it in messages. Raises BadInput as `read_text` does."""
    if not data.strip():
        raise BadInput(f"{label} is empty", "Give a judgment as txt, docx, html or pdf.")
    return _tidied(*content(data, label), label)


def _tidied(raw: str, wrapped: bool, label: str) -> str:
    text = "\n".join(_unwrapped(_tidy(raw), wrapped))
    if not text:
        raise BadInput(f"{label} has no text", "Give a judgment as txt, docx, html or pdf.")
    if len(text) > MAX_TEXT:
        raise BadInput(f"{label} has {len(text)} characters, more than {MAX_TEXT}", "Give one judgment a file.")
    return text


def _tidy(text: str) -> list[str]:
    """Lines without outer blanks, unseen characters, page numbers and the blanks of spread-out words (民 事 判 决
    书); each ideograph has one code, and the dot in names."""
    found = []
    for line in without_selectors(unified(plain_text(text))).translate(_DOTS).splitlines():
        if not line.isprintable():
            line = "".join(sign for sign in line if sign == "\t" or unicodedata.category(sign) not in _UNSEEN)
        line = _SPACED_NAME.sub("", _BLANKS.sub(" ", line).strip())
        if line and not _PAGE_NUMBER.fullmatch(line):
            parts = line.split(" ")
            # Words of a title; several sentences have no blanks of their own.
            spread = (
                len(parts) > 2 and 2 * sum(len(part) == 1 for part in parts) >= len(parts) or line.count("。") > 1
            )
            found.append(_SPREAD.sub("", line) if spread else line)
    return found


def _unwrapped(lines: Sequence[str], printed: bool) -> list[str]:
    """Paragraphs of lines that were cut at the edge of a page. Lines that are not `printed` are only joined where
    they look cut. The edge: nine in ten lines have no more cells."""
    lengths = sorted(map(_cells, lines))
    edge = lengths[len(lengths) * 9 // 10] if lengths else 0
    full = [line for line in lines if _cells(line) >= _FULL * edge]
    looks_cut = len(full) >= 8 and sum(not _ENDS.search(line) for line in full) >= 0.6 * len(full)
    if not _NARROW <= edge <= _WIDE or not (printed or looks_cut):
        return list(lines)
    found = [lines[0]]
    for last, line in zip(lines, lines[1:], strict=False):
        room = edge - 2 if _MAY_END.search(last) else _FULL * edge
        if _ENDS.search(last) or _OPENS.match(line) or _cells(last) < room:
            found.append(line)
        else:
            found[-1] += line
    return found


def _cells(line: str) -> int:
    return sum(1 if sign < "\u2e80" else 2 for sign in line)
