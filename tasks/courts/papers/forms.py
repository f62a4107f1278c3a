"""A court paper as data, its layout, and the layout as DOCX or HTML. Every text in it is printable.

Layout: 人民法院民事裁判文书制作规范 (法〔2016〕221号) and GB/T 9704: A4, 版心 156 mm × 225 mm, 22 lines of 28
characters a page; title 二号 (22 pt) 宋体, text 三号 (16 pt) 仿宋. Sizes are in points, margins in millimetres.

docx: real styles and fields, so that a clerk can go on working on it. html: a sheet on the screen, A4 pages from a
printer.
"""

from __future__ import annotations

import io
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from datetime import date
from typing import Any, Literal

from markupsafe import Markup

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
class CourtPaper:
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


def layout(paper: CourtPaper) -> Iterator[Line]:
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


# --- docx -----------------------------------------------------------------------------------------------------------


def as_docx(paper: CourtPaper) -> bytes:
    """The file; marks stand in the header. Raises UsageError where python-docx is not installed."""
    try:  # an extra: only whoever asks for this form needs it
        import docx
        from docx.shared import Mm
    except ImportError:
        todo = "Install the extra: pip install 'mootbench[documents]'."
        raise UsageError("python-docx is not installed here", todo) from None
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
    return stream.getvalue()


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


def as_html(paper: CourtPaper) -> bytes:
    """The file."""
    # The mark of later pages stands in the style sheet, so only our own words may come there.
    mark = "　".join(mark for mark in paper.marks if mark in (DISCLAIMER, FICTIONAL))
    style = Markup(source(__package__, "paper.css").replace("MARK", mark))
    rows = [(line.text, line.font, _style(line)) for line in layout(paper)]
    page = templates(__package__).get_template("paper.html").render(paper=paper, lines=rows, style=style)
    return page.encode("utf-8")


def _style(line: Line) -> str:
    """Lengths are relative to the text, which a narrow screen shows smaller."""
    return (
        f"text-align:{line.align};font-size:{line.size / TEXT_SIZE:.3g}em;line-height:{line.leading / line.size:.3g}"
        f";font-weight:{700 if line.bold else 400};text-indent:{line.indent / line.size:.3g}em"
        f";margin:{line.above / line.size:.3g}em {line.right / line.size:.3g}em 0 0"
        f";break-after:{'avoid' if line.keep else 'auto'}"
    )


WRITERS: Mapping[str, Callable[[CourtPaper], bytes]] = {"docx": as_docx, "html": as_html}
"""Form -> what gives the bytes of a file."""
