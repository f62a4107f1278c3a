"""Lines of a law text as a reader sees them: without marks, zero-width characters and the many kinds of blank."""

from __future__ import annotations

import codecs
import re
import unicodedata

from store.errors import BadInput

_COMMENT = re.compile(r"<!--[^>]{0,200}-->")
_MARKS = re.compile(r"\*\*|\\(?=[*_.#\-()\[\]])")
_BLANKS = re.compile(r"[\s\u00a0\u1680\u2000-\u200a\u202f\u205f\u3000]+")
_HEADING = re.compile(r"(#{1,6})\s*(.*)")


def decode(data: bytes, label: str) -> str:
    """The text of a file: UTF-8, UTF-16 with its mark, or GB18030.

    Raises:
        BadInput: none of these.
    """
    if data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        encodings: tuple[str, ...] = ("utf-16",)
    else:
        encodings = ("utf-8-sig", "gb18030")
    for encoding in encodings:
        try:
            text = data.decode(encoding)
        except UnicodeDecodeError:
            continue
        if "\0" in text:
            break
        return text
    raise BadInput(f"{label} is no text in UTF-8, UTF-16 or GB18030")


def plain(line: str) -> str:
    """A line without bold marks, comments and invisible characters; every run of blanks is one blank."""
    if "<!--" in line:
        line = _COMMENT.sub("", line)
    if not line.isprintable():
        line = "".join(c for c in line if c.isspace() or unicodedata.category(c) not in ("Cc", "Cf", "Cs"))
    return _BLANKS.sub(" ", _MARKS.sub("", line)).strip()


def heading(line: str) -> tuple[int, str]:
    """How many `#` a plain line begins with, and what follows them."""
    match = _HEADING.match(line)
    return (len(match[1]), match[2].strip()) if match else (0, line)
