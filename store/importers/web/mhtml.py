"""A page that a browser saved as one file (MHTML): its root document is read as HTML, all other parts are left alone.

No part is ever written to disk, whatever name it gives itself; addresses in headers only count when they are of the
web.
"""

from __future__ import annotations

from email import message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from typing import Any

from store.errors import BadInput
from store.importers.web.hypertext import read_html
from store.importers.web.parsed import ParsedPage, clean_title
from store.web_address import tidy_address

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
