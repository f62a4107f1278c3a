"""Pages as JSON lines or one JSON array: an object a page with `url`, `title`, `date` and `text` (Markdown) or
`html`."""

from __future__ import annotations

from store.errors import BadInput
from store.importers.web.hypertext import read_html
from store.importers.web.markdown import page_of
from store.importers.web.parsed import ParsedPage, clean_title

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
