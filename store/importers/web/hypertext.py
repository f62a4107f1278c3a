"""A saved HTML page: its main text, title and day by trafilatura, and the address that it states.

Nothing is fetched and no entity is expanded. Markup is data from strangers: the address a page states for itself only
counts on the host it was saved from, where that is known.
"""

from __future__ import annotations

import logging
import re
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import urljoin

from store.errors import BadInput
from store.importers.web.parsed import DAY, ParsedPage, clean_text, clean_title, day_in, decode
from store.web_tables import host_of, tidy_address

_COMMENT_HEAD = 8192
_SAVED = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)|<!--\s*Page saved with SingleFile\s+url:\s*(\S+)")
_VISIBLE = re.compile(rf"(?:发布|发文|发表|刊发|更新)(?:时间|日期|于)[：:\s]{{0,5}}({DAY})")
_SILENT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head")
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

    etree.strip_elements(tree, *(name for name in _SILENT if name != "head"), etree.Comment, with_tail=False)
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
