"""Lines of a page as paragraphs of a judgment: blanks, page numbers, spread-out titles and wrapped lines put
right."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from store.text.ideographs import HAN, without_selectors
from store.text.normalise import unified
from tasks.episode.plain import plain_text

_BREAK = re.compile(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]")
_BLANKS = re.compile(r"[ \t\u00a0\u2000-\u200a\u202f\u205f\u3000]+")
_UNSEEN = {"Cc", "Cf", "Cs", "Co"}
_FURNITURE = re.compile(r"[-—–－·\s]*第?\s*\d{1,4}\s*页?(?:\s*[/／，,共]\s*共?\s*\d{1,4}\s*页?)?[-—–－·\s]*")
"""Page numbers: — 3 —, 第3页 共10页, 3/10."""
_SPREAD = re.compile(rf"(?<=[{HAN}〇○]) (?=[{HAN}〇○])")
_SPACED_NAME = re.compile(
    r"^((?:原告|被告人?|第三人|法定代表人|负责人|经营者|委托诉讼代理人|委托代理人|诉讼代理人|辩护人|被害人"
    r"|审判长|(?:代理)?审判员|人民陪审员|书记员|法官助理|检察员)"
    rf"[^，,。 ]{{0,10}}?[：: ]?[{HAN}]) (?=[{HAN}](?:[，,。（(；;]|$))"
)
"""A name of two characters set as wide as one of three: 原告周　川，男."""
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


def tidy(text: str) -> list[str]:
    """Lines without outer blanks, unseen characters, page numbers and the blanks of spread-out words (民 事 判 决
    书)."""
    found = []
    for line in _BREAK.split(without_selectors(unified(plain_text(text)))):
        if not line.isprintable():
            line = "".join(sign for sign in line if sign == "\t" or unicodedata.category(sign) not in _UNSEEN)
        line = _SPACED_NAME.sub(r"\1", _BLANKS.sub(" ", line).strip())
        if line and not _FURNITURE.fullmatch(line):
            found.append(_closed(line))
    return found


def _closed(line: str) -> str:
    """A line whose words are spread out, put together again."""
    parts = line.split(" ")
    if len(parts) < 3:
        return line
    single = sum(len(part) == 1 for part in parts)
    return _SPREAD.sub("", line) if 2 * single >= len(parts) else line


def unwrapped(lines: Sequence[str], printed: bool) -> list[str]:
    """Paragraphs of lines that were cut at the edge of a page.

    Args:
        lines: of `tidy`.
        printed: the lines are those of a page; else they are only joined where they look cut.
    """
    edge = _edge(lines)
    if not lines or not _NARROW <= edge <= _WIDE or not (printed or _looks_cut(lines, edge)):
        return list(lines)
    found = [lines[0]]
    last = lines[0]
    for line in lines[1:]:
        if _goes_on(last, line, edge):
            found[-1] += line
        else:
            found.append(line)
        last = line
    return found


def _goes_on(last: str, line: str, edge: int) -> bool:
    """Whether a line goes on in the next one."""
    if _ENDS.search(last) or _OPENS.match(line):
        return False
    return _cells(last) >= (edge - 2 if _MAY_END.search(last) else _FULL * edge)


def _cells(line: str) -> int:
    return sum(1 if sign < "\u2e80" else 2 for sign in line)


def _edge(lines: Sequence[str]) -> int:
    """Cells of a full line: nine in ten lines have no more."""
    lengths = sorted(map(_cells, lines))
    return lengths[len(lengths) * 9 // 10] if lengths else 0


def _looks_cut(lines: Sequence[str], edge: int) -> bool:
    full = [line for line in lines if _cells(line) >= _FULL * edge]
    return len(full) >= 8 and sum(not _ENDS.search(line) for line in full) >= 0.6 * len(full)
