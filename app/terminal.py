"""The one way from stored text to a terminal: sanitising, JSON, and widths in cells.

Model replies, corpus rows, task files and file names may hold anything, and neither Textual nor Rich stops a title
change (OSC 0), a write to the clipboard (OSC 52), an 8-bit CSI or a bidi override inside content. `clean` takes whole
control sequences out and leaves a visible mark where each stood, so that a reader also learns why two strings that
look alike do not match. Widths are in terminal cells: a Chinese character fills two.
"""

from __future__ import annotations

import json
import re
import unicodedata
from itertools import groupby
from typing import Literal

ESCAPE_MARK = "␛"
"""Stands for one whole escape sequence."""
HIDDEN_MARK = "⍰"
"""Stands for a run of characters that show nothing, or nothing reliable."""
BREAK_MARK = "⏎"
"""Stands for a line break where only one line is allowed."""
BASE_MARK = "◌"
"""Carries combining marks at the start of a line, which would otherwise join whatever stands left of them."""
COMBINING_LIMIT = 8
"""Combining marks kept on one character; no language needs more."""

_SELECTORS = "\ufe00-\ufe0f\U000e0100-\U000e01ef"
_PICTURE = "\u2190-\u2bff\U0001f000-\U0001faff"
_HIDDEN = (
    "\u00ad\u034f\u0600-\u0605\u061c\u06dd\u070f\u0890\u0891\u08e2\u115f\u1160\u17b4\u17b5\u180b-\u180f"
    "\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164\ud800-\udfff\ue000-\uf8ff\ufdd0-\ufdef\ufeff\uffa0\ufff0-\ufffb"
    "\ufffe\uffff\U000110bd\U000110cd\U00013430-\U0001343f\U0001bca0-\U0001bca3\U0001d173-\U0001d17a"
    + "".join(f"{chr(plane << 16 | 0xFFFE)}{chr(plane << 16 | 0xFFFF)}" for plane in range(1, 14))
    + "\U000e0000-\U000e00ff\U000e01f0-\U0010ffff"
)
"""Format characters, bidi controls and isolates, zero-width characters and fillers, annotations, tags, surrogates,
private use and non-characters."""

_TROUBLE = re.compile(
    "(?P<escape>"
    r"(?:\x1b[\]PX^_]|[\x90\x98\x9d-\x9f])[^\x00-\x1f\x7f-\x9f]*(?:\x07|\x1b\\|\x9c)"  # OSC, DCS, SOS, PM, APC
    r"|(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]?"  # CSI, also cut short
    r"|\x1b[ -/]*[0-~]?"  # every other escape, and a string that never ends: its text stays, as text
    r"|[\x80-\x84\x86-\x9f]"
    r")|(?P<line>\r\n|[\n\r\x0b\x0c\x85\u2028\u2029])"
    r"|(?P<tab>\t)"
    r"|(?P<control>[\x00-\x1f\x7f])"
    f"|(?P<joiner>(?<=[{_PICTURE}{_SELECTORS}])\u200d(?=[{_PICTURE}]))"
    f"|(?P<selector>[{_SELECTORS}](?![{_SELECTORS}]))"
    f"|(?P<hidden>[{_HIDDEN}{_SELECTORS}]+)"
)
_SUSPECT = re.compile(f"[\x00-\x09\x0b-\x1f\x7f-\x9f\u2028\u2029{_HIDDEN}{_SELECTORS}]")
_CANDIDATE = "[^\x00-\u02ff\\w\\s\u2010-\u20cf\u20f1-\u2bff\u3000-\u3029\u3030-\u303f\uff00-\uffef]"
_CROWD = re.compile(f"(?m:^){_CANDIDATE}+|{_CANDIDATE}{{{COMBINING_LIMIT + 1},}}")
"""Where too many combining marks may stand: a combining mark is no letter, no digit and no space."""


LONGEST = 1000
"""Characters of a sentence."""


def _is_combining(character: str) -> bool:
    return unicodedata.category(character) in ("Mn", "Me")


def _replace(match: re.Match[str]) -> str:
    kind = match.lastgroup
    if kind == "line":
        return "\n"
    if kind == "tab":
        return "    "
    if kind == "control":
        code = ord(match.group())
        return "␡" if code == 0x7F else chr(0x2400 + code)
    if kind in ("selector", "joiner"):
        return ""
    return ESCAPE_MARK if kind == "escape" else HIDDEN_MARK


def _replace_in_line(match: re.Match[str]) -> str:
    if match.lastgroup == "line":
        return BREAK_MARK
    return " " if match.lastgroup == "tab" else _replace(match)


def _thin(match: re.Match[str]) -> str:
    parts: list[str] = []
    for combining, run in groupby(match.group(), _is_combining):
        text = "".join(run)
        if combining and not parts and (match.start() == 0 or match.string[match.start() - 1] == "\n"):
            parts.append(BASE_MARK)
        if combining and len(text) > COMBINING_LIMIT:
            text = text[:COMBINING_LIMIT] + HIDDEN_MARK
        parts.append(text)
    return "".join(parts)


def clean(text: str, multiline: bool = True) -> str:
    """Text that is safe to print: nothing in it moves the cursor, changes the terminal or reorders what is read.

    Whole escape sequences become `␛`, other control characters their picture (`␇`), runs of invisible, bidirectional
    or undefined characters `⍰`; every kind of line break becomes a newline and a tab four spaces. Variation selectors
    and the joiners of emoji vanish without a mark: they carry no meaning and terminals disagree about their width.
    The result does not change when it is cleaned again; time is linear in the length.

    Args:
        text: anything.
        multiline: keep line breaks; else each becomes `⏎` and a tab one space.
    """
    if text.isascii() and text.isprintable():
        return text
    if _SUSPECT.search(text) or (not multiline and "\n" in text):
        text = _TROUBLE.sub(_replace if multiline else _replace_in_line, text)
    return text if text.isascii() else _CROWD.sub(_thin, text)


def sentence(text: str) -> str:
    """What is said of an error, on one line; names and SPECs in it may come from a file of somebody else, and be
    long."""
    said = clean(text, multiline=False)
    return said if len(said) <= LONGEST else f"{said[:LONGEST]}…"


def _escape(match: re.Match[str]) -> str:
    return json.dumps(match.group())[1:-1]


def json_text(value: object, indent: int | None = None) -> str:
    r"""JSON that reads as it is written, Chinese included, and is safe to print.

    What `clean` would take out stays in as `\uXXXX`, so a program that reads the JSON gets the text unchanged.
    """
    text = json.dumps(value, ensure_ascii=False, indent=indent)
    text = _SUSPECT.sub(_escape, text)
    return text if text.isascii() else _CROWD.sub(_escape, text)


def width(text: str) -> int:
    """Cells that the text fills on one line."""
    from rich.cells import cell_len

    return cell_len(text)


def truncate(text: str, cells: int) -> str:
    """The text cut to at most so many cells; a cut shows as `…`."""
    from rich.cells import set_cell_size

    if width(text) <= cells:
        return text
    return f"{set_cell_size(text, cells - 1).rstrip(' ')}…" if cells > 0 else ""


def pad(text: str, cells: int, align: Literal["left", "right"] = "left") -> str:
    """The text in exactly so many cells: cut when longer, filled with spaces when shorter."""
    text = truncate(text, cells)
    space = " " * (cells - width(text))
    return space + text if align == "right" else text + space
