"""Readers of saved pages (HTML, MHTML, Markdown, JSON lines): address, title, day and main text; run in a worker.

Nothing is fetched and no entity is expanded. trafilatura finds main text, title and day of HTML, charset-normalizer
the encoding. Markup is data from strangers: the address that a page states for itself only counts on the host it was
saved from, where that is known. `read_pages` writes a page a line: [where, fields of a `ParsedPage`, ""], or [where,
null, why it was refused].
"""

from __future__ import annotations

import codecs
import logging
import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from functools import cache
from pathlib import Path
from typing import Any, Literal
from urllib.parse import urljoin

from store.errors import BadInput
from store.importers.reading import opened, records
from store.text.dates import parse_date
from store.web_tables import host_of, tidy_address
from store.worker import renew_time, write_lines

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


# HTML
# --------------------------------------------------------------------------------------------------------------------

_COMMENT_HEAD = 8192
_SAVED = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)|<!--\s*Page saved with SingleFile\s+url:\s*(\S+)")
_VISIBLE = re.compile(rf"(?:发布|发文|发表|刊发|更新)(?:时间|日期|于)[：:\s]{{0,5}}({DAY})")
SILENT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math")
"""Elements whose text nobody sees."""
_STANDARD = {"articletitle": "og:title", "url": "og:url"}
"""Names of the Chinese standard for government websites -> those that everybody knows."""
_DATES = {"original_date": True, "extensive_search": False, "min_date": "1990-01-01", "max_date": "2100-01-01"}
"""How a day is looked for: the day of publication as markup states it, within what can be a web page's."""


def read_html(data: bytes, label: str, *, charset: str = "", saved_from: str = "") -> ParsedPage:
    """The page in a file. charset and saved_from: what surrounds the file (MHTML headers) says of it.

    Raises:
        BadInput: no text in it.
    """
    text, remark = decode(data, label, charset)
    tree = parse_html(text, label, comments=True)
    remarks = [remark] if remark else []
    _standardise(tree)
    url = _address(tree, saved_from or _saved_from(text), label, remarks)
    title, day = _title_and_day(tree, label)
    found = _main_text(tree, label)
    if not found:
        action = "Pages that draw their text by script must be saved from a browser."
        raise BadInput(f"{label} has no text that can be read", action)
    return ParsedPage(url, title, day or _printed_day(tree), found, tuple(remarks))


def parse_html(text: str, label: str, *, comments: bool) -> Any:
    """The tree of a page.

    Raises:
        BadInput: there is none, or more of it than the parser takes.
    """
    from lxml import etree, html

    parser = html.HTMLParser(
        encoding="utf-8", no_network=True, huge_tree=False, remove_pis=True, remove_comments=not comments
    )
    try:
        tree = html.document_fromstring(text.replace("\0", "").encode("utf-8", "replace"), parser=parser)
    except (etree.LxmlError, ValueError, AssertionError):
        tree = None
    if any(entry.type_name == "ERR_RESOURCE_LIMIT" for entry in parser.error_log):
        # libxml2 stops there and would give the beginning of the page as the whole of it.
        raise BadInput(f"{label} is nested too deeply or has a text too long for a page", "Save the page again.")
    if tree is None:
        raise BadInput(f"{label} has no text that can be read", "Save the page again.")
    return tree


def _standardise(tree: Any) -> None:
    """Give meta tags the names that trafilatura knows, and no day that does not exist: it would guess another."""
    for node in tree.iter("meta"):
        if known := _STANDARD.get((node.get("name") or "").strip().lower()):
            node.set("property", known)
            del node.attrib["name"]
        content = node.get("content") or ""
        if re.match(DAY, content) and day_in(content) is None:
            node.set("content", "")


def _saved_from(text: str) -> str:
    found = _SAVED.search(text[:_COMMENT_HEAD])
    return (found[1] or found[2]).removesuffix("-->") if found else ""


def _address(tree: Any, saved_from: str, label: str, remarks: list[str]) -> str | None:
    saved = tidy_address(saved_from)
    base = saved or next((url for node in tree.iter("base") if (url := tidy_address(node.get("href") or ""))), "")
    own = [
        node.get("href") or "" for node in tree.iter("link") if "canonical" in (node.get("rel") or "").lower().split()
    ]
    own += tree.xpath("//meta[@property='og:url' or @name='og:url']/@content")
    stated = next((url for address in own if address and (url := _absolute(base, address))), None)
    if stated and saved and host_of(stated) != host_of(saved):
        remarks.append(f"{label}: saved from {host_of(saved)}, calls itself {host_of(stated)}; the former counts")
        return saved
    if not stated and not saved and (refused := [address for address in (saved_from, *own) if address]):
        remarks.append(f"{label}: its address {refused[0]!r:.100} is not one of the web and is not used")
    return stated or saved


def _absolute(base: str, address: str) -> str | None:
    try:
        return tidy_address(urljoin(base, address.strip()) if base else address)
    except ValueError:
        return None


def _title_and_day(tree: Any, label: str) -> tuple[str, date | None]:
    """What the page states by markup."""
    from trafilatura.metadata import extract_metadata

    stated = _tried(extract_metadata, label, tree, date_config=_DATES)
    return clean_title(stated.title or ""), date.fromisoformat(stated.date) if stated.date else None


def _printed_day(tree: Any) -> date | None:
    """The day that Chinese sites print beside these words: 发布时间：2024年5月1日."""
    seen = " ".join(tree.text_content().split())
    return next((day for match in _VISIBLE.finditer(seen) if (day := day_in(match[1]))), None)


def _main_text(tree: Any, label: str) -> str:
    """Titles, paragraphs, lists and tables of the main part, comments of readers after it; see trafilatura."""
    from lxml import etree
    from trafilatura import extract

    etree.strip_elements(tree, *SILENT, etree.Comment, with_tail=False)
    found = _tried(
        extract,
        label,
        tree,
        fast=True,
        include_comments=True,
        include_tables=True,
        deduplicate=False,
        with_metadata=False,
        output_format="txt",
        config=_settings(),
    )
    return clean_text(found or "")


def _tried(function: Any, label: str, tree: Any, **options: Any) -> Any:
    """What a function of the library gives; whatever it trips over in a stranger's page, the other pages go on."""
    for name in ("trafilatura", "htmldate"):
        logging.getLogger(name).setLevel(logging.CRITICAL + 1)
    try:
        return function(tree, **options)
    except Exception as error:
        action = "Save the page again."
        raise BadInput(f"{label} is HTML that cannot be read ({type(error).__name__})", action) from None


@cache
def _settings() -> Any:
    """The library's settings, but short texts count too: a notice of a court in Chinese is short."""
    from trafilatura.settings import use_config

    config = use_config()
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE", "MIN_EXTRACTED_COMM_SIZE", "MIN_OUTPUT_COMM_SIZE"):
        config.set("DEFAULT", name, "1")
    config.set("DEFAULT", "EXTENSIVE_DATE_SEARCH", "off")
    return config


# Markdown, MHTML, JSON lines
# --------------------------------------------------------------------------------------------------------------------

URL_KEYS = ("url", "link", "source_url", "网址")
TITLE_KEYS = ("title", "标题")
DAY_KEYS = ("date", "day", "published", "publish_date", "pubdate", "发布时间", "日期")
_MAX_LINES = 60
_ROUNDS = 10
_PAIR = re.compile(r"([\w -]{1,40})[:：]\s*(.*)")
_SCRIPT = re.compile(
    r"<(script|style|template|noscript|svg|iframe)\b[^>]{0,1000}>.*?(?:</\1\s*>|\Z)", re.IGNORECASE | re.DOTALL
)
_COMMENT = re.compile(r"<!--.*?(?:-->|\Z)", re.DOTALL)
_TAG = re.compile(r"</?[A-Za-z][A-Za-z0-9:-]*(?:\s[^<>]*)?/?>")
_UNSAFE_LINK = re.compile(r"\]\(\s{0,9}(?:javascript|data|vbscript|file):[^)\s]*+\)?", re.IGNORECASE)
_HEADING = re.compile(r"^#{1,3} +(.+?) *#*$", re.MULTILINE)


def read_markdown(data: bytes, label: str) -> ParsedPage:
    """The page in a file.

    Raises:
        BadInput: no text, or a date that is no day.
    """
    text, remark = decode(data, label)
    fields, body = front_matter(text)
    remarks = [remark] if remark else []
    return page_of(fields, body, label, remarks)


def page_of(fields: dict[str, str], body: str, label: str, remarks: list[str]) -> ParsedPage:
    """A page from its fields and its text in Markdown."""
    stated = first(fields, URL_KEYS)
    url = tidy_address(stated)
    if stated and url is None:
        remarks.append(f"{label}: its address {stated!r:.100} is not one of the web and is not used")
    written = first(fields, DAY_KEYS)
    day = day_in(written)
    if written and day is None:
        raise BadInput(f"{label}: {written!r:.60} is no day", "Write dates as 2024-05-01.")
    found = clean_text(_without_tags(body))
    if not found:
        raise BadInput(f"{label} has no text that can be read", "Give the page a text.")
    heading = _HEADING.search(found)
    title = clean_title(first(fields, TITLE_KEYS) or (heading[1] if heading else ""))
    return ParsedPage(url, title, day, found, tuple(remarks))


def front_matter(text: str) -> tuple[dict[str, str], str]:
    """The fields at the top, and the text after them. Lines that are no pair (lists, nested values) are passed
    over."""
    lines = text.lstrip("\ufeff").splitlines()
    if not lines or lines[0].rstrip() != "---":
        return {}, text
    end = next((at for at, line in enumerate(lines[1:_MAX_LINES], 1) if line.rstrip() in ("---", "...")), 0)
    if not end:
        return {}, text
    fields: dict[str, str] = {}
    for line in lines[1:end]:
        if pair := _PAIR.fullmatch(line.rstrip()):
            fields.setdefault(pair[1].strip().lower(), pair[2].strip().strip("\"'"))
    return fields, "\n".join(lines[end + 1 :])


def first(fields: dict[str, str], names: tuple[str, ...]) -> str:
    """The first of these fields that says something."""
    return next((value for name in names if (value := fields.get(name, "").strip())), "")


def _without_tags(text: str) -> str:
    # Tags may be nested so that taking one out makes another: again until nothing changes.
    for _ in range(_ROUNDS):
        before, text = text, _TAG.sub("", _COMMENT.sub("", _SCRIPT.sub("", text)))
        if text == before:
            break
    return _UNSAFE_LINK.sub("]()", text)


_TEXT_KEYS = ("text", "content", "body", "markdown")


def read_record(record: dict[str, object], label: str) -> ParsedPage:
    """The page of one object; fields of other names are passed over.

    Raises:
        BadInput: no text, a date that is no day, a field that is no text.
    """
    fields = {str(key).lower(): value for key, value in record.items()}
    named = {key: "" if value is None else value for key, value in fields.items()}
    known = {key: value for key, value in named.items() if isinstance(value, str)}
    strange = next(
        (key for key in ("url", "title", "date", "html", *_TEXT_KEYS) if key in named and key not in known), ""
    )
    if strange:
        raise BadInput(f"{label}: {strange} is no text", "Give url, title, date and text as strings.")
    body = next((known[key] for key in _TEXT_KEYS if known.get(key, "").strip()), "")
    if body or not known.get("html", "").strip():
        return page_of(known, body, label, [])
    seen = read_html(known["html"].encode("utf-8", "replace"), label, charset="utf-8")
    stated = page_of(known, seen.text, label, [])
    remarks = (*stated.remarks, *seen.remarks)
    title = clean_title(known.get("title", "")) or seen.title
    return ParsedPage(stated.url or seen.url, title, stated.day or seen.day, seen.text, remarks)


_LOCATIONS = ("Snapshot-Content-Location", "Content-Location")
_HYPERTEXT = ("text/html", "application/xhtml+xml")


def read_mhtml(data: bytes, label: str) -> ParsedPage:
    """The page in a file.

    Raises:
        BadInput: no HTML part, or no text in it.
    """
    try:
        message = message_from_bytes(data)
        parts = [part for part in message.walk() if part.get_content_type() in _HYPERTEXT]
        root = _root(message, parts)
        body = root.get_payload(decode=True) if root is not None else None
        charset = root.get_content_charset("") if root is not None else ""
    except (RecursionError, ValueError, LookupError, TypeError, AttributeError) as error:
        raise BadInput(f"{label} is no MHTML that can be read: {error}", "Save the page again.") from None
    if root is None or not isinstance(body, bytes) or not body.strip():
        raise BadInput(f"{label} holds no HTML part", "Save the page again as MHTML or HTML.")
    stated = [value for part in (message, root) for name in _LOCATIONS if (value := _header(part, name))]
    saved_from = next((value for value in stated if tidy_address(value)), "")
    page = read_html(body, label, charset=charset, saved_from=saved_from)
    remarks = list(page.remarks)
    if stated and not saved_from:
        remarks.append(f"{label}: its address {stated[0]!r:.100} is not one of the web and is not used")
    title = page.title or clean_title(_header(message, "Subject"))
    return ParsedPage(page.url, title, page.day, page.text, tuple(remarks))


def _root(message: Message, parts: list[Any]) -> Any:
    """The part that `start` names, else the first HTML part."""
    start = message.get_param("start")
    named = [
        part for part in parts if isinstance(start, str) and (part.get("Content-ID") or "").strip() == start.strip()
    ]
    return next(iter([*named, *parts]), None)


def _header(part: Message, name: str) -> str:
    try:
        return "".join(str(make_header(decode_header(str(part.get(name, ""))))).split("\n")).strip()
    except (ValueError, LookupError, UnicodeError):
        return ""


_READERS = {"html": read_html, "mhtml": read_mhtml, "markdown": read_markdown}


def read_pages(path: str, label: str, kind: str, out: str) -> None:
    """Write the page of a file into `out`, or all pages of a file of JSON: none of them when it is no JSON to its
    end.

    Raises:
        BadInput: the file holds no page; the title says why.
    """
    file = Path(path)
    if kind == "json":
        write_lines(out, _lines(file, label))
    else:
        with opened(file) as stream:
            data = stream.read()
        write_lines(out, [(label, _READERS[kind](data, label).plain(), "")])


def _lines(path: Path, label: str) -> Iterator[tuple[str, list[Any] | None, str]]:
    last = 0
    for number, (line, record) in enumerate(records(path, label), 1):
        where = f"{label}, line {line}" + (f" ({number})" if line == last else "")
        last = line
        renew_time()
        try:
            yield where, read_record(record, where).plain(), ""
        except BadInput as error:
            yield where, None, error.title
