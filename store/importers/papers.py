"""The words of a paper in a file of unknown make: plain text, docx, HTML or PDF, told apart by content, not by name.

Files come from strangers: no entity is expanded and nothing is fetched. What has to be parsed is parsed in a worker
(`read_paper`). What cannot be read is one sentence with a remedy.
"""

from __future__ import annotations

import codecs
import logging
import re
import zipfile
import zlib
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers.web.pages import SILENT, decode, parse_html

_SCANNED = 12
"""Fewer characters a page than this are stamps and page numbers: the page itself is a picture."""
_ZIP = b"PK\x03\x04"
_WORD = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_DOCUMENT = "word/document.xml"
_NOT_SAID = (
    "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback",
    f"{_WORD}moveFrom",
    f"{_WORD}del",
)
"""Parts of a docx that repeat others or were struck out."""
_MARKUP = re.compile(rb"<(?:!doctype\s+html|html|head|body|meta|title|div|p|table|span)[\s>]", re.IGNORECASE)
_BLOCKS = frozenset(
    "address article aside blockquote body br center dd div dl dt fieldset footer form h1 h2 h3 h4 h5 h6"
    " header hr html li main"
    " nav ol p pre section table tbody tfoot thead title tr ul".split()
)
_SOURCE_BREAK = re.compile(r"[ \t]*[\r\n]\s*")


def read_paper(path: str, label: str) -> tuple[str, bool]:
    """What `content` gives of a file; for a worker."""
    return content(Path(path).read_bytes(), label)


def is_parsed(data: bytes) -> bool:
    """Whether these bytes are for a parser that others wrote: PDF, docx, HTML."""
    return _is_pdf(data) or data.startswith(_ZIP) or _is_markup(data)


def _is_pdf(data: bytes) -> bool:
    return b"%PDF-" in data[:1024]


def _is_markup(data: bytes) -> bool:
    return bool(_MARKUP.search(data[:4096].replace(b"\0", b"")))


def content(data: bytes, label: str) -> tuple[str, bool]:
    """The raw text, and whether its lines are those of a printed page.

    Raises:
        BadInput: damaged, encrypted, a scan, or no text at all.
    """
    if _is_pdf(data):
        return _pdf(data, label), True
    if data.startswith(_ZIP):
        return _docx(data, label), False
    if data.startswith(b"\xd0\xcf\x11\xe0"):
        raise BadInput(
            f"{label} is an old Word file or protected by a password", "Open it and save it as docx without one."
        )
    if data.startswith(b"{\\rtf"):
        raise BadInput(f"{label} is RTF", "Open it and save it as docx.")
    if _is_markup(data):
        return _html(data, label), False
    return _plain(data, label), False


def _plain(data: bytes, label: str) -> str:
    wide = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    if data.count(b"\0") > len(data) // 1000 and not wide:
        raise BadInput(f"{label} is neither text nor docx nor PDF", "Give a judgment as txt, docx, html or pdf.")
    try:
        return decode(data, label)[0]
    except BadInput:
        raise BadInput(f"{label} is no text in UTF-8 or GB18030", "Save it again as UTF-8.") from None


# --- docx -----------------------------------------------------------------------------------------------------------


def _docx(data: bytes, label: str) -> str:
    from lxml import etree

    try:
        with zipfile.ZipFile(BytesIO(data)) as archive:
            if _DOCUMENT not in archive.namelist():
                raise BadInput(f"{label} is a zip archive and no docx", "Unpack it and give the judgment itself.")
            if archive.getinfo(_DOCUMENT).flag_bits & 1:
                raise BadInput(f"{label} is protected by a password", "Save it without one.")
            with archive.open(_DOCUMENT) as stream:
                xml = stream.read()
        if b"<!DOCTYPE" in xml[:4096]:
            raise BadInput(f"{label} declares entities, which no word processor writes", "Save it again as docx.")
        parser = etree.XMLParser(
            resolve_entities=False,
            no_network=True,
            load_dtd=False,
            huge_tree=False,
            remove_comments=True,
            remove_pis=True,
        )
        root = etree.fromstring(xml, parser)
    except (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, ValueError, etree.LxmlError):
        raise BadInput(f"{label} is a damaged docx", "Open it in a word processor and save it again.") from None
    etree.strip_elements(root, *_NOT_SAID, with_tail=False)
    return "\n".join(_blocks(root))


def _blocks(node: Any) -> Iterator[str]:
    """Paragraphs, and rows of tables with their cells side by side, in order."""
    for child in node.iterchildren(tag="*"):
        if child.tag == f"{_WORD}p":
            yield _paragraph(child)
        elif child.tag == f"{_WORD}tbl":
            for row in child.iterchildren(f"{_WORD}tr"):
                yield " ".join(" ".join(_blocks(cell)) for cell in row.iterchildren(f"{_WORD}tc"))
        else:
            yield from _blocks(child)


_SIGNS = {f"{_WORD}tab": "\t", f"{_WORD}br": "\n", f"{_WORD}cr": "\n"}


def _paragraph(node: Any) -> str:
    return "".join(
        part.text or "" if part.tag == f"{_WORD}t" else _SIGNS[part.tag] for part in node.iter(f"{_WORD}t", *_SIGNS)
    )


# --- HTML -----------------------------------------------------------------------------------------------------------


def _html(data: bytes, label: str) -> str:
    """All visible words of a page; what stands around the judgment goes when its title is looked for."""
    from lxml import etree

    tree = parse_html(_plain(data, label), label, comments=False)
    etree.strip_elements(tree, *SILENT, "head", "select", "textarea", with_tail=False)
    pieces: list[str] = []
    for event, node in etree.iterwalk(tree, events=("start", "end")):
        if node.tag in _BLOCKS:
            pieces.append("\n")
        words = node.text if event == "start" else node.tail
        if words:
            pieces.append(_SOURCE_BREAK.sub("", words))
        if event == "end" and node.tag in ("td", "th"):
            pieces.append(" ")
    return "".join(pieces)


# --- PDF ------------------------------------------------------------------------------------------------------------


def _pdf(data: bytes, label: str) -> str:
    try:
        pages = _pages(data, label)
    except BadInput:
        raise
    except Exception as error:  # whatever a library trips over in a stranger's file
        raise BadInput(
            f"{label} is a PDF that cannot be read ({type(error).__name__})",
            "Print it to a new PDF, or save it as docx.",
        ) from None
    letters = sum(sum(map(str.isalnum, page)) for page in pages)
    if letters < _SCANNED * max(1, len(pages)):
        raise BadInput(
            f"{label} is a scan: its {len(pages)} pages are pictures without text",
            "Run text recognition (OCR) first.",
        )
    return "\n".join(pages)


def _pages(data: bytes, label: str) -> list[str]:
    from pypdf import PdfReader

    logging.getLogger("pypdf").setLevel(logging.CRITICAL + 1)
    reader = PdfReader(BytesIO(data))
    # A file that only forbids printing opens with an empty password.
    if reader.is_encrypted and not _opens(reader):
        raise BadInput(f"{label} is an encrypted PDF", "Save it without a password.")
    return [page.extract_text() or "" for page in reader.pages]


def _opens(reader: Any) -> bool:
    try:
        return bool(reader.decrypt(""))
    except Exception:  # a cipher that needs a library which is not installed, or a broken dictionary
        return False
