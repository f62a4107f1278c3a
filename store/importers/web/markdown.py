"""A page in Markdown: front matter of `key: value` lines between two lines of `---`, then the text as it stands.

Tags in the text are taken out, scripts and styles with what they hold; everything else of Markdown stays, because
models read it well.
"""

from __future__ import annotations

import re

from store.errors import BadInput
from store.importers.web.decoding import decode
from store.importers.web.parsed import ParsedPage, clean_text, clean_title, day_in
from store.web_address import tidy_address

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
