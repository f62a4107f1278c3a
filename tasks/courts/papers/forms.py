"""A court paper as data, its layout, and the layout as DOCX, HTML or PDF. Every text in it is printable.

Layout: 人民法院民事裁判文书制作规范 (法〔2016〕221号) and GB/T 9704: A4, 版心 156 mm × 225 mm, 22 lines of 28
characters a page; title 二号 (22 pt) 宋体, text 三号 (16 pt) 仿宋. Sizes are in points, margins in millimetres.

docx: real styles and fields, so that a clerk can go on working on it. html: a sheet on the screen, A4 pages from a
printer. pdf: each sign in the first font that has it: Chinese fonts of this machine, its Latin fonts, the one that
reportlab brings; they are embedded. Without a Chinese font the reader's own is named (reportlab's CID font
`STSong-Light`). Outlines must be TrueType to be embedded: PostScript outlines, as in Noto Sans CJK, are passed over.
"""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from datetime import date
from itertools import groupby
from pathlib import Path
from typing import Any, Literal

from markupsafe import Markup

from store.text.ideographs import without_selectors
from store.text.numerals import int_to_chinese
from tasks.errors import UsageError
from tasks.reports.document import source, templates
from tasks.reports.model import printable

TEXT_SIZE, SMALL_SIZE = 16.0, 10.5
LEADING = 29.0
"""From base line to base line: 225 mm in 22 lines."""
PAGE = (210.0, 297.0)
TOP, BOTTOM, LEFT, RIGHT = 37.0, 35.0, 28.0, 26.0
SONG, FANG_SONG = "宋体", "仿宋"
DISCLAIMER = "仅供评测演示，不构成法律意见，非人民法院裁判"
FICTIONAL = "虚构数据"
Style = Literal["body", "flush", "head"]
"""body: first line moved in by two characters; flush: not moved in; head: a heading within the text."""
Align = Literal["left", "center", "right", "justify"]
_DIGITS = str.maketrans("0123456789", "〇一二三四五六七八九")


@dataclass(frozen=True, slots=True)
class Paragraph:
    """A paragraph of the text."""

    text: str
    style: Style = "body"

    def __post_init__(self) -> None:
        """Nothing in it moves a cursor, reorders what is read, or is no XML."""
        object.__setattr__(self, "text", printable(self.text))


@dataclass(frozen=True, slots=True)
class Paper:
    """A document. titles: centred lines in larger type; docket: 案号, to the right; parties: a line each; signed: the
    block at the end, to the right; source: in small print where it comes from; marks: on every page."""

    titles: tuple[str, ...]
    docket: str = ""
    parties: tuple[str, ...] = ()
    body: tuple[Paragraph, ...] = ()
    signed: tuple[str, ...] = ()
    source: str = ""
    marks: tuple[str, ...] = (DISCLAIMER,)

    def __post_init__(self) -> None:
        """As for a paragraph."""
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, str):
                object.__setattr__(self, field.name, printable(value))
            elif field.name != "body":
                object.__setattr__(self, field.name, tuple(map(printable, value)))

    @property
    def name(self) -> str:
        """What the document is called."""
        return " ".join(self.titles)

    @property
    def mark(self) -> str:
        """What stands on every page."""
        return "　".join(self.marks)


@dataclass(frozen=True, slots=True)
class Line:
    """A paragraph as it is set. indent: of its first line; right: of its right edge; above: space before it; keep: it
    stands on the page of the next one."""

    text: str
    align: Align = "justify"
    size: float = TEXT_SIZE
    leading: float = LEADING
    font: str = FANG_SONG
    indent: float = 0.0
    right: float = 0.0
    above: float = 0.0
    bold: bool = False
    keep: bool = False


def layout(paper: Paper) -> Iterator[Line]:
    """The lines of a paper from top to bottom. Signatures and the source stand on no page without words of the
    document."""
    for title in paper.titles:
        yield Line(title, "center", 22.0, 1.5 * LEADING, SONG, bold=True)
    space = LEADING / 2
    if paper.docket:
        yield Line(paper.docket, "right", above=space)
        space = 0.0
    for party in paper.parties:
        yield Line(party, indent=2 * TEXT_SIZE, above=space)
        space = 0.0
    ends = bool(paper.signed or paper.source)
    for place, part in enumerate(paper.body, 1):
        last = ends and place == len(paper.body)
        if part.style == "head":
            yield Line(part.text, "center", above=LEADING / 4, bold=True, keep=True)
        else:
            yield Line(part.text, indent=2 * TEXT_SIZE * (part.style == "body"), above=space, keep=last)
        space = 0.0
    for place, signed in enumerate(paper.signed, 1):
        keep = place < len(paper.signed) or bool(paper.source)
        yield Line(signed, "right", right=2 * TEXT_SIZE, above=LEADING * (place == 1), keep=keep)
    if paper.source:
        yield Line(paper.source, "left", SMALL_SIZE, SMALL_SIZE * 1.5, SONG, above=LEADING)


def written_day(one: date | None) -> str:
    """二〇二四年八月二十日, as it stands below a judgment; open where nobody knows."""
    if one is None:
        return "　　　　年　　月　　日"
    return f"{str(one.year).translate(_DIGITS)}年{int_to_chinese(one.month)}月{int_to_chinese(one.day)}日"


def lines(text: str, style: Style = "body") -> tuple[Paragraph, ...]:
    """The lines of a text as paragraphs; empty ones are left out."""
    return tuple(Paragraph(line.strip(), style) for line in text.splitlines() if line.strip())


FOOT_SIZE = 14.0


def _missing(library: str) -> UsageError:
    return UsageError(f"{library} is not installed here", "Install the extra: pip install 'mootbench[documents]'.")


# --- docx -----------------------------------------------------------------------------------------------------------


def as_docx(paper: Paper) -> tuple[bytes, str | None]:
    """The file; it embeds no font. Marks stand in the header."""
    try:  # an extra: only whoever asks for this form needs it
        import docx
        from docx.shared import Mm
    except ImportError:
        raise _missing("python-docx") from None
    file = docx.Document()
    section = file.sections[0]
    section.page_width, section.page_height = map(Mm, PAGE)
    section.top_margin, section.bottom_margin = Mm(TOP), Mm(BOTTOM)
    section.left_margin, section.right_margin = Mm(LEFT), Mm(RIGHT)
    file.core_properties.title, file.core_properties.author = paper.name[:255], "Moot"
    file.core_properties.comments = paper.mark[:255]
    _set(section.header.paragraphs[0], Line(paper.mark, "center", SMALL_SIZE, font=SONG))
    number = Line("— ", "center", FOOT_SIZE, font=SONG)
    foot = section.footer.paragraphs[0]
    _set(foot, number)
    _page_number(_run(foot, "", number))
    _run(foot, " —", number)
    for line in layout(paper):
        _set(file.add_paragraph(), line)
    stream = io.BytesIO()
    file.save(stream)
    return stream.getvalue(), None


def _set(paragraph: Any, line: Line) -> None:
    from docx.enum.text import WD_PARAGRAPH_ALIGNMENT
    from docx.shared import Pt

    shape = paragraph.paragraph_format
    shape.alignment = getattr(WD_PARAGRAPH_ALIGNMENT, line.align.upper())
    shape.space_before, shape.space_after, shape.line_spacing = Pt(line.above), Pt(0), Pt(line.leading)
    shape.first_line_indent, shape.right_indent, shape.keep_with_next = Pt(line.indent), Pt(line.right), line.keep
    _run(paragraph, line.text, line)


def _run(paragraph: Any, text: str, line: Line) -> Any:
    from docx.oxml.ns import qn
    from docx.shared import Pt

    run = paragraph.add_run(text)
    run.font.size, run.font.name, run.bold = Pt(line.size), line.font, line.bold
    run._element.rPr.rFonts.set(qn("w:eastAsia"), line.font)
    return run


def _page_number(run: Any) -> None:
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    for kind in ("begin", "", "end"):
        part = OxmlElement("w:fldChar" if kind else "w:instrText")
        if kind:
            part.set(qn("w:fldCharType"), kind)
        else:
            part.text = "PAGE"
        run._element.append(part)


# --- html -----------------------------------------------------------------------------------------------------------


def as_html(paper: Paper) -> tuple[bytes, str | None]:
    """The file; it embeds no font."""
    # The mark of later pages stands in the style sheet, so only our own words may come there.
    mark = "　".join(mark for mark in paper.marks if mark in (DISCLAIMER, FICTIONAL))
    style = Markup(source(__package__, "paper.css").replace("MARK", mark))
    rows = [(line.text, line.font, _style(line)) for line in layout(paper)]
    page = templates(__package__).get_template("paper.html").render(paper=paper, lines=rows, style=style)
    return page.encode("utf-8"), None


def _style(line: Line) -> str:
    """Lengths are relative to the text, which a narrow screen shows smaller."""
    return (
        f"text-align:{line.align};font-size:{line.size / TEXT_SIZE:.3g}em;line-height:{line.leading / line.size:.3g}"
        f";font-weight:{700 if line.bold else 400};text-indent:{line.indent / line.size:.3g}em"
        f";margin:{line.above / line.size:.3g}em {line.right / line.size:.3g}em 0 0"
        f";break-after:{'avoid' if line.keep else 'auto'}"
    )


# --- pdf ------------------------------------------------------------------------------------------------------------

MM = 72 / 25.4
NAMED = "STSong-Light"
CHINESE = (
    "simfang.ttf FangSong.ttf STFANGSO.TTF simsun.ttc Songti.ttc STSONG.TTF NotoSerifSC-Regular.ttf uming.ttc"
    " NotoSansSC-Regular.ttf DroidSansFallbackFull.ttf DroidSansFallback.ttf wqy-zenhei.ttc wqy-microhei.ttc msyh.ttc"
).lower()
"""Fonts that are looked for, the best first: 仿宋, 宋体, then whatever writes Chinese."""
OTHERS = "times.ttf LiberationSerif-Regular.ttf DejaVuSerif.ttf simsunb.ttf DejaVuSans.ttf seguisym.ttf".lower()
"""Fonts for what those lack: digits, letters, quotes, signs and rare ideographs."""
NEEDED = "民事判决书（审判长）〇"
NO_START = frozenset("，、。．：；！？〉》）】〕」』”’…％℃·,.:;!?)]%")
NO_END = frozenset("（《〈【〔「『“‘([")
"""Signs that begin no line, and that end none."""


def folders() -> list[Path]:
    """Where systems keep fonts."""
    home = Path.home()
    windows = [Path(os.environ.get("WINDIR", "C:/Windows")) / "Fonts"]
    mac = [Path("/System/Library/Fonts"), Path("/Library/Fonts"), home / "Library/Fonts"]
    linux = [home / ".local/share/fonts", home / ".fonts", Path("/usr/local/share/fonts"), Path("/usr/share/fonts")]
    return {"win32": windows, "darwin": mac}.get(sys.platform, linux)


class Fonts:
    """The fonts of one file, in the order in which a sign is looked for in them; each is loaded when it is reached.

    embedded: names of the Chinese font files that are embedded.
    """

    def __init__(self) -> None:
        self.embedded: list[str] = []
        self._loaded: list[tuple[str, Callable[[str], bool]]] = []
        self._more = self._load()
        self._of: dict[str, str] = {}

    def of(self, sign: str) -> str:
        """The font of a sign. Raises UsageError where no font has it."""
        if sign not in self._of:
            name = next((name for name, has in self._loaded if has(sign)), "")
            name = name or next((name for name, has in self._more if has(sign)), "")
            if not name:
                raise UsageError(
                    f"no font here has the character {sign} (U+{ord(sign):04X})",
                    "Install a font that has it, such as Noto Serif SC, or write --to docx.",
                )
            self._of[sign] = name
        return self._of[sign]

    def width(self, text: str, size: float) -> float:
        """Of a text, in points."""
        from reportlab.pdfbase.pdfmetrics import stringWidth

        return sum(float(stringWidth(sign, self.of(sign), size)) for sign in text)

    def _load(self) -> Iterator[tuple[str, Callable[[str], bool]]]:
        import reportlab

        files = {path.name.lower(): path for folder in folders() for path in folder.rglob("*.tt[fc]")}
        for name in CHINESE.split():
            if name in files and (face := self._file(files[name], NEEDED)):
                self.embedded.append(files[name].name)
                yield face
        if not self.embedded:
            yield self._named()
        own = Path(reportlab.__path__[0]) / "fonts" / "Vera.ttf"
        for path in (*(files[name] for name in OTHERS.split() if name in files), own):
            if face := self._file(path):
                yield face
        if self.embedded:
            yield self._named()

    def _file(self, path: Path, needed: str = "") -> tuple[str, Callable[[str], bool]] | None:
        from reportlab.pdfbase.ttfonts import TTFError, TTFont

        try:
            font = TTFont(f"Moot-{path.name}", str(path))
        except (TTFError, OSError):  # outlines or rights that do not allow it
            return None
        glyphs = font.face.charToGlyph
        if not all(ord(sign) in glyphs for sign in needed):
            return None
        return self._registered(font, lambda sign: bool(glyphs.get(ord(sign))))

    def _named(self) -> tuple[str, Callable[[str], bool]]:
        """The reader's own font has the collection Adobe-GB1-4: the signs of GBK and extension A."""
        from reportlab.pdfbase.cidfonts import UnicodeCIDFont

        return self._registered(
            UnicodeCIDFont(NAMED),
            lambda sign: "\u3400" <= sign <= "\u4db5" or len(sign.encode("gb18030", "replace")) <= 2,
        )

    def _registered(self, font: Any, has: Callable[[str], bool]) -> tuple[str, Callable[[str], bool]]:
        from reportlab.pdfbase import pdfmetrics

        pdfmetrics.registerFont(font)
        self._loaded.append((font.fontName, has))
        return self._loaded[-1]


@dataclass(frozen=True, slots=True)
class _Row:
    """One printed line. first: of its paragraph; room: to be spread over its signs."""

    line: Line
    text: str
    first: bool = True
    room: float = 0.0

    @property
    def height(self) -> float:
        return self.line.leading + self.line.above * self.first


def as_pdf(paper: Paper) -> tuple[bytes, str | None]:
    """The file, and the Chinese font files that it embeds; '' where `NAMED` is only named.

    Raises:
        UsageError: reportlab is not installed, or no font has a sign of the paper.
    """
    try:  # an extra: only whoever asks for this form needs it
        from reportlab.pdfgen.canvas import Canvas
    except ImportError:
        raise _missing("reportlab") from None
    stream, fonts = io.BytesIO(), Fonts()
    canvas = Canvas(stream, pagesize=(PAGE[0] * MM, PAGE[1] * MM), invariant=1)
    canvas.setTitle(paper.name[:255])
    canvas.setAuthor("Moot")
    canvas.setSubject(paper.mark)
    mark = _Row(Line(paper.mark, "center", SMALL_SIZE), _text(paper.mark))
    for number, page in enumerate(_pages([row for line in layout(paper) for row in _rows(line, fonts)]), 1):
        canvas.setFillGray(0.35)
        _draw(canvas, mark, (PAGE[1] - 22) * MM, fonts)
        _draw(canvas, _Row(Line("", "center", FOOT_SIZE), f"— {number} —"), 24 * MM, fonts)
        canvas.setFillGray(0)
        top = (PAGE[1] - TOP) * MM
        for place, row in enumerate(page):
            top -= row.height if place else row.line.leading
            _draw(canvas, row, top + 0.4 * row.line.size, fonts)
        canvas.showPage()
    canvas.save()
    return stream.getvalue(), ", ".join(fonts.embedded)


def _text(text: str) -> str:
    """A text as it is set; what the sanitiser marked becomes the mark of printers."""
    return without_selectors(text).replace("⍰", "〓")


def _room(line: Line) -> float:
    return (PAGE[0] - LEFT - RIGHT) * MM - line.right


def _rows(line: Line, fonts: Fonts) -> Iterator[_Row]:
    text, room = _text(line.text), _room(line)
    cut = broken(text, [fonts.width(sign, line.size) for sign in text], [room - line.indent, room])
    for place, (left, said) in enumerate(cut):
        yield _Row(line, said, not place, left if line.align == "justify" and place < len(cut) - 1 else 0.0)


def _pages(rows: Sequence[_Row]) -> Iterator[list[_Row]]:
    """Rows by page; what keeps with the next goes over to its page."""
    room = (PAGE[1] - TOP - BOTTOM) * MM
    page: list[_Row] = []
    for row in rows:
        if page and sum(one.height for one in page) + row.height > room:
            kept = next((place for place in range(len(page), 0, -1) if not page[place - 1].line.keep), len(page))
            yield page[:kept]
            page = page[kept:]
        page.append(row)
    yield page


def _draw(canvas: Any, row: _Row, base: float, fonts: Fonts) -> None:
    line = row.line
    left = _room(line) - fonts.width(row.text, line.size)
    moved = {"center": left / 2, "right": left}.get(line.align, line.indent * row.first)
    text = canvas.beginText(LEFT * MM + moved, base)
    text.setCharSpace(row.room / max(1, len(row.text) - 1))
    text.setTextRenderMode(2 if line.bold else 0)
    for font, signs in groupby(row.text, fonts.of):
        text.setFont(font, line.size)
        text.textOut("".join(signs))
    canvas.setLineWidth(0.3)
    canvas.drawText(text)


def broken(text: str, widths: Sequence[float], rooms: Sequence[float]) -> list[tuple[float, str]]:
    """The lines of a text, each with the room left over: no sign begins or ends a line that must not, one may hang
    over the edge, and numbers and Latin words stay whole where a line has room for them. The last room is that of all
    further lines."""
    lines: list[tuple[float, str]] = []
    start = 0
    while start < len(text):
        room = rooms[min(len(lines), len(rooms) - 1)]
        used, end = 0.0, start
        while end < len(text) and used + widths[end] <= room + 1e-6:
            used, end = used + widths[end], end + 1
        if end < len(text) and text[end] in NO_START and _may_break(text, end + 1):
            end += 1
        else:
            end = next((at for at in range(end, start, -1) if _may_break(text, at)), max(end, start + 1))
        lines.append((room - sum(widths[start:end]), text[start:end].strip(" ")))
        start = end
    return lines


def _may_break(text: str, at: int) -> bool:
    before, after = text[at - 1], text[at : at + 1]
    word = before.isascii() and before.isalnum() and after.isascii() and after.isalnum()
    return not (after and after in NO_START) and before not in NO_END and not word


WRITERS: Mapping[str, Callable[[Paper], tuple[bytes, str | None]]] = {
    "docx": as_docx, "pdf": as_pdf, "html": as_html,
}  # fmt: skip
"""Form -> what gives the bytes of a file and the font in it."""
