"""What a reader of a saved page gives, and the words that all readers clean in the same way."""

from __future__ import annotations

import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from typing import Any

from store.text.dates import parse_date

MAX_TITLE = 300
FIRST_DAY = date(1990, 1, 1)
"""No web page is older: an earlier day in a page's markup is a placeholder of its editor."""

DAY = (
    r"(?:\d{4} ?(?:年 ?\d{1,2} ?月 ?\d{1,2} ?[日号]|[-/.]\d{1,2}[-/.]\d{1,2})"
    r"|[零〇○一二三四五六七八九]{4}年[一二三四五六七八九十]{1,2}月[一二三四五六七八九十廿卅]{1,3}日)"
)
_DAY = re.compile(DAY)
_COMPACT = re.compile(r"(\d{4})(\d{2})(\d{2})")
_UNSEEN = {"Cc", "Cf", "Cs"}


@dataclass(frozen=True, slots=True)
class ParsedPage:
    """A page as its file states it. url: None when the file states no address that can be used."""

    url: str | None
    title: str
    day: date | None
    text: str
    remarks: tuple[str, ...] = ()

    def plain(self) -> list[Any]:
        """As JSON."""
        return [self.url, self.title, self.day and self.day.isoformat(), self.text, list(self.remarks)]

    @classmethod
    def from_plain(cls, fields: list[Any]) -> ParsedPage:
        """What `plain` gave."""
        url, title, day, text, remarks = fields
        return cls(url, title, date.fromisoformat(day) if day else None, text, tuple(remarks))


def day_in(text: str) -> date | None:
    """The first day that a text names and that exists; the day as written, whatever the time zone."""
    text = text.strip()[:4000]
    if match := _COMPACT.match(text):
        return parse_date("-".join(match.groups()))
    return next((day for match in _DAY.finditer(text) if (day := parse_date(match[0]))), None)


def published(text: str) -> date | None:
    """The day in markup when it can be one of a web page."""
    day = day_in(text)
    return day if day and day >= FIRST_DAY else None


def clean_text(text: str) -> str:
    """Lines without outer blanks and characters nobody sees; at most one empty line in a row."""
    if not text.isprintable():
        text = "".join(c for c in text if c in "\n\t" or c.isspace() or unicodedata.category(c) not in _UNSEEN)
    lines = [line.strip() for line in re.split(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]", text)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def clean_title(text: str) -> str:
    """One line of at most `MAX_TITLE` characters."""
    return " ".join(clean_text(text).split())[:MAX_TITLE]
