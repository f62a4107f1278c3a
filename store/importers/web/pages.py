"""Saved pages as lines: reads a file of any of the kinds there are; runs in a worker.

A line is [where, fields of a `ParsedPage`, ""], or [where, null, why it was refused].
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers.reading import records
from store.importers.web.hypertext import read_html
from store.importers.web.parsed import ParsedPage, clean_text, clean_title, day_in, decode, read_page
from store.web_tables import tidy_address
from store.worker import renew_time, write_lines

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
        write_lines(out, [(label, _READERS[kind](read_page(file, label), label).plain(), "")])


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
