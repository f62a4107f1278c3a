"""What a reader of a saved page gives, and the words that all readers clean in the same way."""

from __future__ import annotations

import codecs
import re
import unicodedata
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import Any, Literal

from store.errors import BadInput
from store.importers.reading import opened
from store.text.dates import parse_date

MAX_TITLE = 300

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


def clean_text(text: str) -> str:
    """Lines without outer blanks and characters nobody sees; at most one empty line in a row."""
    if not text.isprintable():
        text = "".join(c for c in text if c in "\n\t" or c.isspace() or unicodedata.category(c) not in _UNSEEN)
    lines = [line.strip() for line in re.split(r"\r\n?|[\n\x0b\x0c\x85\u2028\u2029]", text)]
    return re.sub(r"\n{3,}", "\n\n", "\n".join(lines)).strip()


def clean_title(text: str) -> str:
    """One line of at most `MAX_TITLE` characters."""
    return " ".join(clean_text(text).split())[:MAX_TITLE]


Kind = Literal["html", "mhtml", "markdown", "json"]

_BY_SUFFIX: dict[str, Kind] = {
    ".html": "html", ".htm": "html", ".xhtml": "html", ".shtml": "html", ".mhtml": "mhtml", ".mht": "mhtml",
    ".md": "markdown", ".markdown": "markdown", ".jsonl": "json", ".ndjson": "json", ".json": "json",
}  # fmt: skip
_RESOURCES = frozenset(
    ".js .mjs .css .png .jpg .jpeg .gif .webp .svg .ico .bmp .woff .woff2 .ttf .eot .map .xml .txt .pdf".split()
)
"""What browsers save beside a page: never read as one, whatever it holds."""
_MARKUP = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|title)[\s>]", re.IGNORECASE)
_MIME = re.compile(rb"^content-type\s*:\s*(?:multipart/related|text/html)", re.IGNORECASE | re.MULTILINE)
_HEAD = 4096
_LOST = 0.01


def kind_of(start: bytes, name: str) -> Kind | None:
    """What a file is that begins so; None when it is no page."""
    suffixes = [suffix.lower() for suffix in Path(name).suffixes if suffix.lower() != ".gz"]
    named = _BY_SUFFIX.get(suffixes[-1]) if suffixes else None
    if suffixes and suffixes[-1] in _RESOURCES:
        return None
    begins = start.replace(b"\0", b"").lstrip(b" \t\r\n\xef\xbb\xbf\xff\xfe")
    if named == "markdown":
        return named
    if begins.startswith((b"{", b"[")) and named != "html":
        return "json"
    if _MIME.search(begins) and not begins.startswith(b"<"):
        return "mhtml"
    if _MARKUP.search(begins):
        return "html"
    return named if named in ("html", "mhtml", "json") else None


def read_page(path: Path, label: str) -> bytes:
    """All bytes of a file, unpacked when it is gzipped; `BadInput` where it is damaged or not readable."""
    try:
        with opened(path) as stream:
            return stream.read()
    except OSError as error:
        raise BadInput(f"{label} cannot be read: {error.strerror or error}") from None


def decode(data: bytes, label: str, stated: str = "") -> tuple[str, str]:
    """The text of a page, and a remark when some of it could not be read.

    charset-normalizer chooses among UTF-8, UTF-16, GB18030 and what the page (or `stated`, the protocol) declares.

    Raises:
        BadInput: the bytes are no text in any of these.
    """
    if data.count(b"\0") > len(data) // 1000 and not data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        raise BadInput(f"{label} is no text", "Save the page again as HTML, MHTML or Markdown.")
    from charset_normalizer import from_bytes
    from charset_normalizer.utils import any_specified_encoding

    declared = any_specified_encoding(data, _HEAD)
    chosen = [name for name in ("utf_8", "utf_16", "gb18030", stated, declared) if name]
    if (found := from_bytes(data, cp_isolation=chosen).best()) is not None:
        return str(found).removeprefix("\ufeff"), ""
    text = data.decode("utf-8", "replace")
    lost = text.count("\ufffd")
    if lost > max(3, len(text) * _LOST):
        raise BadInput(f"{label} is no text in UTF-8, GB18030 or what it declares", "Save it again as UTF-8.")
    return text, f"{label}: {lost} characters could not be read"
