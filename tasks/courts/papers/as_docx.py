"""A court paper as DOCX: real styles and fields, so that a clerk can go on working on it. Marks stand in the
header."""

from __future__ import annotations

import io
from typing import Any

from tasks.courts.papers.paper import (
    BOTTOM,
    FANG_SONG,
    LEFT,
    LINE,
    PAGE,
    RIGHT,
    SMALL_SIZE,
    SONG,
    TEXT_SIZE,
    TITLE_SIZE,
    TOP,
    Paper,
)  # fmt: skip
from tasks.courts.papers.stored import missing

INDENT = 2 * TEXT_SIZE
"""Two characters."""


def written(paper: Paper) -> tuple[bytes, str | None]:
    """The file; it embeds no font."""
    try:  # an extra: only whoever asks for this form needs it
        import docx
        from docx.enum.text import WD_ALIGN_PARAGRAPH as ALIGN
        from docx.shared import Mm
    except ImportError:
        raise missing("python-docx") from None
    file = docx.Document()
    section = file.sections[0]
    section.page_width, section.page_height = Mm(PAGE[0]), Mm(PAGE[1])
    section.top_margin, section.bottom_margin = Mm(TOP), Mm(BOTTOM)
    section.left_margin, section.right_margin = Mm(LEFT), Mm(RIGHT)
    file.core_properties.title, file.core_properties.author = paper.name[:255], "Moot"
    file.core_properties.comments = paper.mark[:255]
    _line(section.header.paragraphs[0], paper.mark, ALIGN.CENTER, SMALL_SIZE, SONG)
    foot = section.footer.paragraphs[0]
    _line(foot, "— ", ALIGN.CENTER, 14, SONG)
    _field(foot, "PAGE")
    _run(foot, " —", 14, SONG)
    for title in paper.titles:
        _line(file.add_paragraph(), title, ALIGN.CENTER, TITLE_SIZE, SONG, line=1.5 * LINE, bold=True)
    file.add_paragraph()
    if paper.docket:
        _line(file.add_paragraph(), paper.docket, ALIGN.RIGHT, TEXT_SIZE, FANG_SONG)
    for party in paper.parties:
        _line(file.add_paragraph(), party, ALIGN.JUSTIFY, TEXT_SIZE, FANG_SONG, indent=INDENT)
    for place, part in enumerate(paper.body, 1):
        head, last = part.style == "head", place == len(paper.body)
        _line(
            file.add_paragraph(), part.text, ALIGN.CENTER if head else ALIGN.JUSTIFY, TEXT_SIZE, FANG_SONG,
            indent=INDENT * (part.style == "body"), bold=head, together=head or last,
        )  # fmt: skip
    for signed in ("", *paper.signed) if paper.signed else ():
        _line(file.add_paragraph(), signed, ALIGN.RIGHT, TEXT_SIZE, FANG_SONG, right=INDENT, together=True)
    if paper.source:
        _line(file.add_paragraph(), "", ALIGN.LEFT, TEXT_SIZE, FANG_SONG, together=True)
        _line(file.add_paragraph(), paper.source, ALIGN.LEFT, SMALL_SIZE, SONG, line=SMALL_SIZE * 1.5)
    stream = io.BytesIO()
    file.save(stream)
    return stream.getvalue(), None


def _line(
    paragraph: Any, text: str, align: Any, size: float, font: str, *, line: float = LINE, indent: float = 0,
    right: float = 0, bold: bool = False, together: bool = False,
) -> None:  # fmt: skip
    from docx.shared import Pt

    shape = paragraph.paragraph_format
    shape.alignment, shape.space_before, shape.space_after = align, Pt(0), Pt(0)
    shape.line_spacing, shape.keep_with_next = Pt(line), together
    shape.first_line_indent = Pt(indent)
    shape.right_indent = Pt(right)
    _run(paragraph, text, size, font, bold)


def _run(paragraph: Any, text: str, size: float, font: str, bold: bool = False) -> Any:
    from docx.oxml.ns import qn
    from docx.shared import Pt

    run = paragraph.add_run(text)
    run.font.size, run.font.name, run.bold = Pt(size), font, bold
    run._element.rPr.rFonts.set(qn("w:eastAsia"), font)
    return run


def _field(paragraph: Any, name: str) -> None:
    """A field that the reader's program fills in, such as the number of the page."""
    from docx.oxml import OxmlElement
    from docx.oxml.ns import qn

    run = _run(paragraph, "", 14, SONG)
    for kind in ("begin", "", "end"):
        part = OxmlElement("w:fldChar" if kind else "w:instrText")
        if kind:
            part.set(qn("w:fldCharType"), kind)
        else:
            part.text = name
        run._element.append(part)
