"""Four judgments of first instance, and files of every kind. Everybody is invented."""

from __future__ import annotations

from pathlib import Path


def _text(name: str) -> str:
    return (Path(__file__).parent / "judgments" / f"{name}.txt").read_text(encoding="utf-8")


LOAN = _text("loan")
"""A loan, in the form in use since 2016; one judge sits alone."""

WORKS = _text("works")
"""A company sues somebody who stays away, in the older form (诉称 … 请求判令)."""

THEFT = _text("theft")
"""A theft with 认罪认罚 and a lawyer, one judge."""

ASSAULT = _text("assault")
"""Two crimes, one of them denied; three judges; no days of hearing."""


def as_docx(text: str) -> bytes:
    """A docx of one paragraph a line."""
    import zipfile
    from html import escape
    from io import BytesIO

    space = "http://schemas.openxmlformats.org/wordprocessingml/2006/main"
    paragraphs = "".join(f"<w:p><w:r><w:t>{escape(line)}</w:t></w:r></w:p>" for line in text.splitlines())
    document = f'<?xml version="1.0"?><w:document xmlns:w="{space}"><w:body>{paragraphs}</w:body></w:document>'
    stream = BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("word/document.xml", document)
    return stream.getvalue()


def as_html(text: str) -> bytes:
    """A page with a menu and a foot around the judgment."""
    from html import escape

    lines = "".join(f"<p style='text-indent:2em'>&#12288;{escape(line)}</p>\n" for line in text.splitlines())
    menu = "<div><a href='/'>首页</a> <a href='/list'>裁判文书</a></div><script>var 判决如下 = 1;</script>"
    page = (
        f"<html><head><meta charset='utf-8'><title>判决书</title></head><body>{menu}<div>{lines}</div><div>版权所"
        f"有</div></body></html>"
    )
    return page.encode("utf-8")


def as_pdf(text: str, width: int = 37) -> bytes:
    """A PDF whose lines are cut at `width` characters, with page numbers; its font maps codes to Unicode and holds no
    shapes."""
    lines = [
        line[start : start + width] for line in text.splitlines() for start in range(0, max(1, len(line)), width)
    ]
    pages = [lines[start : start + 30] for start in range(0, len(lines), 30)]
    signs = sorted(set("".join(lines)) | set("0123456789—"))
    maps = "".join(f"<{ord(sign):04X}> <{ord(sign):04X}>\n" for sign in signs)
    blocks = [maps.splitlines()[start : start + 100] for start in range(0, len(signs), 100)]
    chars = "".join(f"{len(block)} beginbfchar\n" + "\n".join(block) + "\nendbfchar\n" for block in blocks)
    cmap = (
        "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /A def /CMapType 2 def\n"
        f"1 begincodespacerange <0000> <FFFF> endcodespacerange\n{chars}endcmap end end"
    )
    bodies = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{' '.join(f'{6 + 2 * n} 0 R' for n in range(len(pages)))}] >>",
        "<< /Type /Font /Subtype /Type0 /BaseFont /A /Encoding /Identity-H /DescendantFonts [4 0 R] /ToUnicode 5 0 "
        "R >>",
        "<< /Type /Font /Subtype /CIDFontType2 /BaseFont /A /DW 1000 /CIDSystemInfo << /Registry (A) /Ordering (B) "
        "/Supplement 0 >> >>",
        f"<< /Length {len(cmap)} >>\nstream\n{cmap}\nendstream",
    ]
    for number, page in enumerate(pages, 1):
        shown = [*page, f"— {number} —"]
        words = "".join(
            f"1 0 0 1 40 {800 - 20 * place} Tm <{line.encode('utf-16-be').hex()}> Tj\n"
            for place, line in enumerate(shown)
        )
        content = f"BT /F 12 Tf\n{words}ET"
        bodies.append(
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 595 842] /Resources << /Font << /F 3 0 R >> >> /Contents "
            f"{5 + 2 * number} 0 R >>"
        )
        bodies.append(f"<< /Length {len(content)} >>\nstream\n{content}\nendstream")
    made = b"%PDF-1.4\n"
    places = []
    for number, body in enumerate(bodies, 1):
        places.append(len(made))
        made += f"{number} 0 obj\n{body}\nendobj\n".encode("latin-1")
    rows = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(made)
    tail = (
        f"xref\n0 {len(bodies) + 1}\n0000000000 65535 f \n{rows}trailer << /Size {len(bodies) + 1} /Root 1 0 R "
        f">>\nstartxref\n{start}\n%%EOF"
    )
    return made + tail.encode()
