"""A court paper as PDF. A Chinese font of this machine is embedded; without one the reader's own is named.

reportlab sets Chinese without a font file (its CID font `STSong-Light`), so that the form works everywhere. Outlines
must be TrueType to be embedded: fonts with PostScript outlines, such as Noto Sans CJK, are passed over.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator, Sequence
from functools import cache
from pathlib import Path
from typing import Any
from xml.sax.saxutils import escape

from tasks.courts.papers.paper import (
    BOTTOM,
    LEFT,
    LINE,
    PAGE,
    RIGHT,
    SMALL_SIZE,
    TEXT_SIZE,
    TITLE_SIZE,
    TOP,
    Paper,
)  # fmt: skip
from tasks.courts.papers.stored import missing

MM = 72 / 25.4
NAMED = "STSong-Light"
FILES = (
    "simfang.ttf", "FangSong.ttf", "STFANGSO.TTF", "simsun.ttc", "Songti.ttc", "STSONG.TTF",
    "NotoSerifSC-Regular.ttf",
    "uming.ttc", "NotoSansSC-Regular.ttf", "DroidSansFallbackFull.ttf", "DroidSansFallback.ttf", "wqy-zenhei.ttc",
    "wqy-microhei.ttc", "msyh.ttc",
)  # fmt: skip
"""Fonts that are looked for, the best first: 仿宋, 宋体, then whatever writes Chinese."""
NEEDED = "民事判决书（审判长）〇"
NO_START = frozenset("，、。．：；！？〉》）】〕」』”’…％℃·,.:;!?)]%")
NO_END = frozenset("（《〈【〔「『“‘([")
"""Signs that begin no line, and that end none."""
LACKING = "〓"
"""Stands for a character that the font does not have, as printers mark it."""


def folders() -> list[Path]:
    """Where systems keep fonts."""
    home = Path.home()
    windows = [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    mac = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    linux = [home / ".local/share/fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")]
    return {"win32": windows, "darwin": mac}.get(sys.platform, linux)


def _candidates() -> Iterator[Path]:
    found = {path.name.lower(): path for folder in folders() if folder.is_dir() for path in folder.rglob("*.tt[fc]")}
    yield from (found[name.lower()] for name in FILES if name.lower() in found)


@cache
def _font() -> tuple[str, str]:
    """The name of a font that reportlab knows now, and the file that it is embedded from; '' where it is only
    named."""
    from reportlab.pdfbase import pdfmetrics
    from reportlab.pdfbase.cidfonts import UnicodeCIDFont
    from reportlab.pdfbase.ttfonts import TTFError, TTFont

    for path in _candidates():
        try:
            font = TTFont("Moot", str(path))
        except (TTFError, OSError):  # outlines or rights that do not allow it
            continue
        if all(ord(sign) in font.face.charToGlyph for sign in NEEDED):
            pdfmetrics.registerFont(font)
            return "Moot", path.name
    pdfmetrics.registerFont(UnicodeCIDFont(NAMED))
    return NAMED, ""


def _shown(text: str, font: str) -> str:
    """The text with a mark for what the font cannot show: beyond the basic plane for the named one."""
    from reportlab.pdfbase import pdfmetrics

    face = pdfmetrics.getFont(font)
    known = getattr(getattr(face, "face", None), "charToGlyph", None)
    if known is None:
        return "".join(sign if ord(sign) < 0x10000 else LACKING for sign in text)
    return "".join(sign if ord(sign) in known or sign.isspace() else LACKING for sign in text)


def written(paper: Paper) -> tuple[bytes, str | None]:
    """The file, and the font file that it embeds; '' where `NAMED` is only named."""
    try:  # an extra: only whoever asks for this form needs it
        from reportlab.lib import textsplit
        from reportlab.platypus import KeepTogether, SimpleDocTemplate, Spacer
    except ImportError:
        raise missing("reportlab") from None
    textsplit.dumbSplit = broken  # its own knows no Chinese, and lets the second of two signs begin a line
    font, file = _font()
    stream = io.BytesIO()
    document = SimpleDocTemplate(
        stream, pagesize=(PAGE[0] * MM, PAGE[1] * MM), topMargin=TOP * MM, bottomMargin=BOTTOM * MM,
        leftMargin=LEFT * MM, rightMargin=RIGHT * MM, title=paper.name[:255], author="Moot", subject=paper.mark,
        invariant=1,
    )  # fmt: skip

    def line(text: str, size: float = TEXT_SIZE, leading: float = LINE, **more: Any) -> Any:
        return _paragraph(_shown(text, font), font, size, leading, **more)

    flow = [line(title, TITLE_SIZE, 1.5 * LINE, align=1) for title in paper.titles]
    flow.append(Spacer(1, LINE / 2))
    flow += [line(paper.docket, align=2)] if paper.docket else []
    flow += [line(party, indent=2) for party in paper.parties]
    flow += [
        line(part.text, align=1, head=True)
        if part.style == "head"
        else line(part.text, indent=2 * (part.style == "body"))
        for part in paper.body
    ]
    end = flow[-1:]  # signatures and the source stand on no page without words of the document
    if paper.signed:
        end += [Spacer(1, LINE), *(line(signed, align=2, right=2) for signed in paper.signed)]
    end += [Spacer(1, LINE), line(paper.source, SMALL_SIZE, SMALL_SIZE * 1.5)] if paper.source else []
    flow[-1:] = [KeepTogether(end)]

    def around(canvas: Any, _: Any) -> None:
        canvas.saveState()
        canvas.setFont(font, SMALL_SIZE)
        canvas.setFillGray(0.35)
        canvas.drawCentredString(PAGE[0] * MM / 2, (PAGE[1] - 22) * MM, _shown(paper.mark, font))
        canvas.setFont(font, 14)
        canvas.drawCentredString(PAGE[0] * MM / 2, 24 * MM, f"— {canvas.getPageNumber()} —")
        canvas.restoreState()

    document.build(flow, onFirstPage=around, onLaterPages=around)
    return stream.getvalue(), file


def broken(text: str, widths: Sequence[float], rooms: float | Sequence[float]) -> list[list[Any]]:
    """The lines of a text, each with the room left over: no sign begins or ends a line that must not, one may hang
    over the edge, and numbers and Latin words stay whole where a line has room for them."""
    given = list(rooms) if isinstance(rooms, Sequence) else [rooms]
    lines: list[list[Any]] = []
    start = 0
    while start < len(text):
        room = given[min(len(lines), len(given) - 1)]
        used, end = 0.0, start
        while end < len(text) and used + widths[end] <= room + 1e-6:
            used, end = used + widths[end], end + 1
        if end < len(text) and text[end] in NO_START and _may_break(text, end + 1):
            end += 1
        else:
            end = next((at for at in range(end, start, -1) if _may_break(text, at)), max(end, start + 1))
        lines.append([room - sum(widths[start:end]), text[start:end].strip(" ")])
        start = end
    return lines


def _may_break(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at : at + 1]
    word = before.isascii() and before.isalnum() and after.isascii() and after.isalnum()
    return not (after and after in NO_START) and before not in NO_END and not word


@cache
def _flowing() -> Any:
    """A paragraph whose lines stay as they are where a page ends; reportlab's own breaks all that is left of it again
    at each, without the blanks that stood at the ends of lines."""
    from reportlab.platypus import Paragraph

    class Flowing(Paragraph):  # type: ignore[misc]
        kept: Any = None

        def breakLinesCJK(self, widths: Any) -> Any:  # noqa: N802 (reportlab's name)
            return self.kept or super().breakLinesCJK(widths)

        def split(self, width: float, height: float) -> list[Any]:
            whole = self.blPara
            parts: list[Any] = super().split(width, height)
            if len(parts) == 2:
                at = len(parts[0].blPara.lines)
                for part, lines in zip(parts, (whole.lines[:at], whole.lines[at:]), strict=True):
                    part.kept = whole.clone(lines=lines)
            return parts

    return Flowing


def _paragraph(
    text: str, font: str, size: float, leading: float, *, align: int = 4, indent: int = 0, right: int = 0,
    head: bool = False,
) -> Any:  # fmt: skip
    from reportlab.lib.styles import ParagraphStyle
    from reportlab.pdfbase.pdfmetrics import stringWidth
    from reportlab.platypus import XPreformatted

    style = ParagraphStyle(
        "line", fontName=font, fontSize=size, leading=leading, alignment=align, wordWrap="CJK", keepWithNext=head,
        firstLineIndent=indent * size, rightIndent=right * size, spaceBefore=leading / 4 if head else 0,
    )  # fmt: skip
    # A signature keeps its wide blanks, which a paragraph would fold into one; what does not fit on a line is
    # wrapped.
    kept = "\u3000" in text and stringWidth(text, font, size) < (PAGE[0] - LEFT - RIGHT) * MM - right * size
    return (XPreformatted if kept and align == 2 else _flowing())(escape(text), style)
