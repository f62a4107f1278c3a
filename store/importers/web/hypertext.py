"""A saved HTML page: its main text by trafilatura, and where and when it says it was published.

Nothing is fetched and no entity is expanded. Markup is data from strangers: the address a page states for itself only
counts on the host it was saved from, where that is known.
"""

from __future__ import annotations

import json
import logging
import re
from collections.abc import Iterable, Iterator
from datetime import date
from functools import cache
from typing import Any
from urllib.parse import urljoin

from store.errors import BadInput
from store.importers.web.parsed import DAY, ParsedPage, clean_text, clean_title, decode, published
from store.web_tables import host_of, tidy_address

_COMMENT_HEAD = 8192
_SAVED = re.compile(r"<!--\s*saved from url=\(\d+\)(\S+)|<!--\s*Page saved with SingleFile\s+url:\s*(\S+)")
_VISIBLE = re.compile(rf"(?:发布|发文|发表|刊发|更新)(?:时间|日期|于)[：:\s]{{0,5}}({DAY})")
_SILENT = ("script", "style", "noscript", "template", "iframe", "object", "svg", "math", "head")
_DAY_NAMES = (
    "article:published_time", "pubdate", "publishdate", "publish_date", "publish-date", "publishtime", "publish_time",
    "datepublished", "og:published_time", "og:release_date", "dc.date.issued", "dcterms.issued", "dc.date",
    "dcterms.date", "citation_publication_date", "releasedate", "firstpublished", "date",
)  # fmt: skip
"""Names of meta tags that state when a page was published, the most exact first; PubDate is the name of the Chinese
standard for government websites (as are ArticleTitle and Url)."""
_TITLE_NAMES = ("articletitle", "og:title", "citation_title", "dc.title")
_ADDRESS_NAMES = ("og:url", "url")


def read_html(data: bytes, label: str, *, charset: str = "", saved_from: str = "") -> ParsedPage:
    """The page in a file. charset and saved_from: what surrounds the file (MHTML headers) says of it.

    Raises:
        BadInput: no text in it.
    """
    text, remark = decode(data, label, charset)
    tree = _parsed(text, label)
    remarks = [remark] if remark else []
    metas = dict(_metas(tree))
    linked = list(_linked_data(tree))
    url = _address(tree, metas, saved_from or _saved_from(text), label, remarks)
    title, day = _title(tree, metas, linked), _day(tree, metas, linked)
    found = _main_text(tree, label)
    if not found:
        action = "Pages that draw their text by script must be saved from a browser."
        raise BadInput(f"{label} has no text that can be read", action)
    return ParsedPage(url, title, day, found, tuple(remarks))


def _parsed(text: str, label: str) -> Any:
    from lxml import etree, html

    parser = html.HTMLParser(encoding="utf-8", no_network=True, huge_tree=False, remove_pis=True)
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


def _metas(tree: Any) -> Iterator[tuple[str, str]]:
    """Name in small letters -> content; the first of a name counts."""
    seen: set[str] = set()
    for node in tree.iter("meta"):
        content = (node.get("content") or "").strip()
        for name in ("property", "name", "itemprop"):
            key = (node.get(name) or "").strip().lower()
            if key and content and key not in seen:
                seen.add(key)
                yield key, content


def _linked_data(tree: Any) -> Iterator[dict[str, Any]]:
    """The objects of JSON-LD, outer ones first."""
    for node in tree.iter("script"):
        if (node.get("type") or "").split(";")[0].strip().lower() != "application/ld+json":
            continue
        try:
            waiting = [json.loads(node.text or "")]
        except (ValueError, RecursionError):
            continue
        while waiting:
            value = waiting.pop(0)
            if isinstance(value, dict):
                yield value
                waiting.extend(
                    part for key in ("@graph", "mainEntity") if isinstance(part := value.get(key), dict | list)
                )
            elif isinstance(value, list):
                waiting.extend(value)


def _saved_from(text: str) -> str:
    found = _SAVED.search(text[:_COMMENT_HEAD])
    return (found[1] or found[2]).removesuffix("-->") if found else ""


def _address(tree: Any, metas: dict[str, str], saved_from: str, label: str, remarks: list[str]) -> str | None:
    saved = tidy_address(saved_from)
    base = saved or next((url for node in tree.iter("base") if (url := tidy_address(node.get("href") or ""))), "")
    own = [
        node.get("href") or "" for node in tree.iter("link") if "canonical" in (node.get("rel") or "").lower().split()
    ]
    own += [metas[name] for name in _ADDRESS_NAMES if name in metas]
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


def _title(tree: Any, metas: dict[str, str], linked: Iterable[dict[str, Any]]) -> str:
    stated = [metas[name] for name in _TITLE_NAMES if name in metas]
    stated += [value for part in linked if isinstance(value := part.get("headline"), str)]
    head = clean_title(next((node.text_content() for node in tree.iter("title")), ""))
    tops = [clean_title(node.text_content()) for node in tree.iter("h1")]
    # A site adds its name to the title: the heading is the title without it.
    stated += [top for top in tops if len(top) > 1 and head.startswith(top)]
    return next((title for one in (*stated, head, *tops) if (title := clean_title(one))), "")


def _day(tree: Any, metas: dict[str, str], linked: Iterable[dict[str, Any]]) -> date | None:
    stated = [metas[name] for name in _DAY_NAMES if name in metas]
    stated += [value for part in linked if isinstance(value := part.get("datePublished"), str)]
    stated += [
        node.get("datetime") or ""
        for node in tree.iter("time")
        if node.get("pubdate") is not None or node.get("itemprop") == "datePublished"
    ]
    if day := next((day for text in stated if (day := published(text))), None):
        return day
    seen = " ".join(_visible(tree).split())
    return next((day for match in _VISIBLE.finditer(seen) if (day := published(match[1]))), None)


def _visible(tree: Any) -> str:
    pieces: list[str] = []
    for node in tree.iter():
        silent = not isinstance(node.tag, str) or node.tag in _SILENT or node.tag == "title"
        pieces += [piece for piece in ("" if silent else node.text, node.tail) if piece and piece.strip()]
    return " ".join(pieces)


def _main_text(tree: Any, label: str) -> str:
    """Titles, paragraphs, lists and tables of the main part, comments of readers after it; see trafilatura."""
    from lxml import etree
    from trafilatura import extract

    etree.strip_elements(tree, *(name for name in _SILENT if name != "head"), etree.Comment, with_tail=False)
    try:
        found = extract(
            tree,
            fast=True,
            include_comments=True,
            include_tables=True,
            deduplicate=False,
            with_metadata=False,
            output_format="txt",
            config=_settings(),
        )
    except Exception as error:  # whatever a library trips over in a stranger's page, the other pages go on
        raise BadInput(
            f"{label} is HTML that cannot be read ({type(error).__name__})", "Save the page again."
        ) from None
    return clean_text(found or "")


@cache
def _settings() -> Any:
    """The library's settings, but short texts count too: a notice of a court in Chinese is short."""
    from trafilatura.settings import use_config

    logging.getLogger("trafilatura").setLevel(logging.CRITICAL + 1)
    config = use_config()
    for name in ("MIN_EXTRACTED_SIZE", "MIN_OUTPUT_SIZE", "MIN_EXTRACTED_COMM_SIZE", "MIN_OUTPUT_COMM_SIZE"):
        config.set("DEFAULT", name, "1")
    config.set("DEFAULT", "EXTENSIVE_DATE_SEARCH", "off")
    return config
