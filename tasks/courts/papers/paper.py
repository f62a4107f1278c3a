"""A court paper as data: what stands on it, in which order and in which layout; every text in it is printable.

Layout: 人民法院民事裁判文书制作规范 (法〔2016〕221号) and GB/T 9704: A4, 版心 156 mm × 225 mm, 22 lines of 28
characters a page; title 二号 (22 pt) 宋体, text 三号 (16 pt) 仿宋. Sizes are in points, margins in millimetres.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from datetime import date
from typing import Literal

from store.text.numerals import int_to_chinese
from tasks.reports.model import printable

TITLE_SIZE, TEXT_SIZE, SMALL_SIZE = 22.0, 16.0, 10.5
LINE = 29.0
"""From base line to base line: 225 mm in 22 lines."""
PAGE = (210.0, 297.0)
TOP, BOTTOM, LEFT, RIGHT = 37.0, 35.0, 28.0, 26.0
SONG, FANG_SONG = "宋体", "仿宋"
DISCLAIMER = "仅供评测演示，不构成法律意见，非人民法院裁判"
FICTIONAL = "虚构数据"
Style = Literal["body", "flush", "head"]
"""body: first line moved in by two characters; flush: not moved in; head: a heading within the text."""
_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the text."""

    text: str
    style: Style = "body"

    def __post_init__(self) -> None:
        """Nothing in it moves a cursor, reorders what is read, or is no XML."""
        object.__setattr__(self, "text", printable(self.text))


@dataclass(frozen=True, slots=True)
class Paper:
    """A document. titles: centred lines in larger type; docket: 案号, to the right; parties: a line each; signed: the
    block at the end, to the right; source: in small print where it comes from; marks: on every page."""

    titles: tuple[str, ...]
    docket: str = ""
    parties: tuple[str, ...] = ()
    body: tuple[Paragraph, ...] = ()
    signed: tuple[str, ...] = ()
    source: str = ""
    marks: tuple[str, ...] = (DISCLAIMER,)

    def __post_init__(self) -> None:
        """As for a paragraph."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                object.__setattr__(self, field.name, printable(value))
            elif field.name != "body":
                object.__setattr__(self, field.name, tuple(map(printable, value)))

    @property
    def name(self) -> str:
        """What the document is called."""
        return " ".join(self.titles)

    @property
    def mark(self) -> str:
        """What stands on every page."""
        return "　".join(self.marks)


def day(one: date | None) -> str:
    """2024年8月20日; '' where nobody knows."""
    return f"{one.year}年{one.month}月{one.day}日" if one else ""


def written_day(one: date | None) -> str:
    """二〇二四年八月二十日, as it stands below a judgment; open where nobody knows."""
    if one is None:
        return "　　　　年　　月　　日"
    return f"{str(one.year).translate(_DIGITS)}年{int_to_chinese(one.month)}月{int_to_chinese(one.day)}日"


def lines(text: str, style: Style = "body") -> tuple[Paragraph, ...]:
    """The lines of a text as paragraphs; empty ones are left out."""
    return tuple(Paragraph(line.strip(), style) for line in text.splitlines() if line.strip())
