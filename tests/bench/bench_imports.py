"""Files that were made to harm, by the hundred: each is read or refused with a sentence, within the memory and time
stated.

Prints a line a class (how many, read, refused, seconds in all and of the slowest, peak memory of this process and of
the reading process in MiB) and exits 1 when something was raised that is no sentence, went over the limits, or left a
trace. Arguments pick classes by name.
"""

from __future__ import annotations

import contextlib
import gzip
import io
import os
import random
import resource
import sqlite3
import subprocess
import sys
import tempfile
import threading
import time
import traceback
import zipfile
import zlib
from collections.abc import Callable, Iterator
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

import openpyxl  # noqa: E402

from store import places  # noqa: E402
from store.errors import StoreError  # noqa: E402
from store.importers import silent  # noqa: E402
from store.importers.limits import MEMORY, SECONDS  # noqa: E402
from tasks.courts.from_judgment.drafting import draft  # noqa: E402
from tasks.run.importing import importer

PARENT_MEMORY = 1 << 30
"""What this process may hold itself: a builder, an index, and one row of at most 64 MiB in several forms."""
SLOWEST = 2 * SECONDS + 60
"""Seconds on the clock for one file, on a machine that does other things as well."""

Case = tuple[str, str, bytes]
"""Format (or "judgment"), file name, content."""
dice = random.Random(12)


def flipped(data: bytes, count: int = 1) -> bytes:
    """Some bytes changed, cut or doubled."""
    out = bytearray(data)
    for _ in range(count):
        at = dice.randrange(len(out))
        match dice.randrange(4):
            case 0:
                del out[at : at + dice.randrange(1, 40)]
            case 1:
                out[at:at] = out[at : at + dice.randrange(1, 40)]
            case _:
                out[at] ^= 1 << dice.randrange(8)
        out = out or bytearray(b"x")
    return bytes(out)


def zipped(members: list[tuple[str, bytes]]) -> bytes:
    """A zip archive; names may occur twice."""
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in members:
            archive.writestr(name, data)
    return out.getvalue()


def members_of(data: bytes) -> dict[str, bytes]:
    """The members of an archive."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


# Workbooks
# ---------------------------------------------------------------------------------------------------------------

SHEET = "xl/worksheets/sheet1.xml"
STRINGS = "xl/sharedStrings.xml"
SPREADSHEET = "http://schemas.openxmlformats.org/spreadsheetml/2006/main"


def workbook() -> dict[str, bytes]:
    """A small honest workbook with shared strings."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = "LegalDoc"
    page.append(["案号", "标题", "涉案金额（元）"])
    for number in range(20):
        page.append([f"（2020）{number}号", "甲诉乙", number])
    out = io.BytesIO()
    book.save(out)
    found = members_of(out.getvalue())
    found[STRINGS] = f'<sst xmlns="{SPREADSHEET}"><si><t>丙</t></si></sst>'.encode()
    types = found["[Content_Types].xml"]
    found["[Content_Types].xml"] = types.replace(
        b"</Types>",
        b'<Override PartName="/xl/sharedStrings.xml" '
        b'ContentType="application/vnd.openxmlformats-officedocument.spreadsheetml.sharedStrings+xml"/></Types>',
    )
    return found


def with_rows(rows: bytes, doctype: bytes = b"") -> bytes:
    """A workbook with these rows behind its own."""
    parts = workbook()
    parts[SHEET] = doctype + parts[SHEET].replace(b"</sheetData>", rows + b"</sheetData>")
    return zipped(list(parts.items()))


def with_strings(strings: bytes) -> bytes:
    """A workbook with this list of strings."""
    parts = workbook()
    parts[STRINGS] = strings
    parts[SHEET] = parts[SHEET].replace(
        b"</sheetData>", b'<row r="30"><c r="A30" t="s"><v>0</v></c></row></sheetData>'
    )
    return zipped(list(parts.items()))


def laughs(levels: int) -> bytes:
    """Entities within entities."""
    inner = b"".join(b'<!ENTITY a%d "%s">' % (n, b"&a%d;" % (n - 1) * 10) for n in range(1, levels + 1))
    return b'<!DOCTYPE a [<!ENTITY a0 "ha">' + inner + b"]>"


def cell(text: bytes, at: str = "A40", kind: str = "inlineStr") -> bytes:
    """One row with one cell."""
    number = at.lstrip("ABCDEFGHIJKLMNOPQRSTUVWXYZ") or "1"
    return f'<row r="{number}"><c r="{at}" t="{kind}"><is><t>'.encode() + text + b"</t></is></c></row>"


def hostile_workbooks() -> Iterator[bytes]:
    """Made by hand, one idea each."""
    for number in (1_048_577, 90_000_000, 2**31, 2**63, 10**30, -5, 0):
        yield with_rows(b'<row r="%d"><c r="A1"><v>1</v></c></row>' % number)
    for place in ("ZZZ2", "XFD9", "AAAAAAAA1", "1", "A", "", "A0", "A99999999999"):
        yield with_rows(b'<row r="30"><c r="%s"><v>1</v></c></row>' % place.encode())
    for kind in ("s", "b", "d", "e", "n", "str", "inlineStr", "x", ""):
        for value in (b"99999", b"-1", b"x", b"", b"1e999", b"9" * 5000, b"2020-99-99T99", b"nan"):
            yield with_rows(b'<row r="30"><c r="A30" t="%s" s="9999"><v>%s</v></c></row>' % (kind.encode(), value))
    for size in (1_000_001, 20_000_000, 300_000_000):
        yield with_rows(cell(b"x" * size))
    for size in (10_000_000, 400_000_000):
        yield with_strings(b'<sst xmlns="%s"><si><t>%s</t></si></sst>' % (SPREADSHEET.encode(), b"x" * size))
    for count in (100_000, 20_000_000):
        yield with_strings(b'<sst xmlns="%s">%s</sst>' % (SPREADSHEET.encode(), b"<si><t>a</t></si>" * count))
    for depth in (1_000, 100_000, 2_000_000):
        yield with_rows(b"<a>" * depth + b"</a>" * depth)
        yield with_strings(b"<a>" * depth)
    for levels in (3, 9, 20):
        yield with_rows(cell(b"&a%d;" % levels), laughs(levels))
    for target in (b"file:///etc/passwd", b"http://203.0.113.1/x", b"/dev/zero"):
        yield with_rows(cell(b"&e;"), b'<!DOCTYPE a [<!ENTITY e SYSTEM "%s">]>' % target)
    yield with_rows(b"<row>" + b"<c/>" * 3_000_000 + b"</row>")
    yield with_rows(b"<row/>" * 3_000_000)
    yield with_rows(b"<c " + b" ".join(b'a%d="1"' % n for n in range(200_000)) + b"/>")
    parts = workbook()
    for name in sorted(parts):
        rest = [(other, data) for other, data in parts.items() if other != name]
        yield zipped(rest)
        yield zipped([*parts.items(), (name, b"")])
        yield zipped([*parts.items(), (name, parts[name])])
        for content in (
            b"",
            b"x",
            b"<a/>",
            b"\0" * 1000,
            b"<?xml version='1.0' encoding='utf-7'?><a/>",
            parts[SHEET],
        ):
            yield zipped([*rest, (name, content)])
    for old, new in (
        (b"worksheet+xml", b"chartsheet+xml"), (b"sheet.main+xml", b"template.main+xml"),
        (b"/xl/workbook.xml", b"/xl/nowhere.xml"),
        (b"sharedStrings+xml", b"worksheet+xml"), (b"main+xml", b"main+binary"),
    ):  # fmt: skip
        changed = {**parts, "[Content_Types].xml": parts["[Content_Types].xml"].replace(old, new)}
        yield zipped(list(changed.items()))


def workbooks() -> Iterator[Case]:
    """At least 500."""
    base = workbook()
    whole = zipped(list(base.items()))
    made = [flipped(whole, dice.choice((1, 1, 3, 10))) for _ in range(170)]
    names = sorted(base)
    for _ in range(170):
        name = dice.choice([*names, SHEET, SHEET, "xl/workbook.xml", "xl/styles.xml"])
        made.append(zipped(list({**base, name: flipped(base[name], dice.choice((1, 2, 8)))}.items())))
    for number, data in enumerate((*made, *hostile_workbooks())):
        yield "tables", f"LegalDoc-{number}.xlsx", data


# SQLite
# ------------------------------------------------------------------------------------------------------------------


def database(*statements: str) -> bytes:
    """The bytes of a database."""
    connection = sqlite3.connect(":memory:")
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    data = connection.serialize()
    connection.close()
    return data


def databases() -> Iterator[Case]:
    """At least 200."""
    rows = [f"INSERT INTO LegalDoc VALUES ('{n}', '{'甲诉乙' * 40}', {n})" for n in range(300)]
    base = database(
        'CREATE TABLE LegalDoc (案号, 标题, "涉案金额（元）")', "CREATE INDEX i ON LegalDoc (案号)", *rows
    )
    made = [flipped(base, dice.choice((1, 3, 20))) for _ in range(110)]
    for _ in range(30):  # the schema and the header alone
        made.append(flipped(base[:4096], 2) + base[4096:])
    bomb = "replace(hex(zeroblob(1000)), '0', hex(zeroblob(1000)))"
    endless = "WITH RECURSIVE c(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM c) SELECT count(*) AS 案号 FROM c"
    table = "CREATE TABLE LegalDoc (案号, 标题)"
    one = "INSERT INTO LegalDoc VALUES (1, 2)"
    for statements in (
        (table, one, f"CREATE VIEW CourtInfo AS {endless}"), (f"CREATE VIEW LegalDoc AS {endless}",),
        ("CREATE TABLE LegalDoc (案号, 标题 AS (" + bomb + "))", "INSERT INTO LegalDoc VALUES (1)"),
        ("CREATE TABLE LegalDoc (案号, 标题 AS (length(案号)) STORED)", "INSERT INTO LegalDoc VALUES (1)"),
        (table, f"CREATE TRIGGER t AFTER INSERT ON LegalDoc BEGIN SELECT {bomb}; END", one),
        (table, one, f"CREATE INDEX i ON LegalDoc ({bomb})"), (f"CREATE TABLE LegalDoc (案号 DEFAULT ({bomb}), 标题)",
            "INSERT INTO LegalDoc (标题) VALUES (1)"),
        ("CREATE VIRTUAL TABLE LegalDoc USING fts5(案号)", "INSERT INTO LegalDoc VALUES ('x')"),
        ("CREATE VIRTUAL TABLE LegalDoc USING rtree(a, b, c)",),
        ("CREATE TABLE LegalDoc (案号 PRIMARY KEY) WITHOUT ROWID", "INSERT INTO LegalDoc VALUES (1)"),
        (table, "INSERT INTO LegalDoc VALUES (zeroblob(50000000), 1)"),
        (table, "INSERT INTO LegalDoc VALUES (replace(hex(zeroblob(20000000)), '0', 'xx'), 1)"),
        (table, "INSERT INTO LegalDoc VALUES (1e999, -9223372036854775808)"),
        (table, "INSERT INTO LegalDoc VALUES (CAST(x'FFFE80' AS TEXT), 1)"),
        ("CREATE TABLE LegalDoc (" + ", ".join(f"c{n}" for n in range(1900)) + ")",),
        ("CREATE TABLE LegalDoc (案号, " + "x" * 900_000 + ")", "INSERT INTO LegalDoc VALUES (1, 1)"),
        tuple(f"CREATE TABLE t{n} (x)" for n in range(1500)), (table,),
    ):  # fmt: skip
        made.append(database(*statements))
    page = int.from_bytes(base[16:18], "big")
    for count in (0, 2, 2**31 - 1, 2**32 - 1):
        made.append(base[:28] + count.to_bytes(4, "big") + base[32:])
    for size in (0, 1, 3, 512, 32768):
        made.append(base[:16] + size.to_bytes(2, "big") + base[18:])
    for root in range(
        1, min(12, len(base) // page)
    ):  # interior pages that lead back to themselves, and to each other
        changed = bytearray(base)
        at = root * page
        if changed[at] == 5:
            cells = int.from_bytes(changed[at + 3 : at + 5], "big")
            for n in range(cells):
                pointer = at + int.from_bytes(changed[at + 12 + 2 * n : at + 14 + 2 * n], "big")
                changed[pointer : pointer + 4] = (root + 1).to_bytes(4, "big")
            changed[at + 8 : at + 12] = (root + 1).to_bytes(4, "big")
            made.append(bytes(changed))
            sibling = bytearray(base)
            for n in range(cells):
                pointer = at + int.from_bytes(sibling[at + 12 + 2 * n : at + 14 + 2 * n], "big")
                sibling[pointer : pointer + 4] = sibling[at + 8 : at + 12]
            made.append(bytes(sibling))
        else:
            made.append(bytes(changed[:at] + changed[page : 2 * page] + changed[at + page :]))
    made += [flipped(database(table, *[one] * 50), 2) for _ in range(max(0, 200 - len(made)))]
    for number, data in enumerate(made):
        yield "tables", f"x{number}.db", data


# Judgments
# ---------------------------------------------------------------------------------------------------------------


def pdf(parts: list[bytes]) -> bytes:
    """A PDF of these objects; the first is the catalogue."""
    out, at = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        at.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % place for place in at)
    trailer = b"trailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (len(parts) + 1, len(out))
    return out + b"xref\n0 %d\n0000000000 65535 f \n%s" % (len(parts) + 1, table) + trailer


def stream(data: bytes, rounds: int = 1, more: bytes = b"") -> bytes:
    """A stream, packed so many times."""
    for _ in range(rounds):
        data = zlib.compress(data)
    names = b"/FlateDecode" * rounds
    return b"<<%s/Filter[%s]/Length %d>>\nstream\n%s\nendstream" % (more, names, len(data), data)


def page(content: bytes, more: bytes = b"") -> list[bytes]:
    """Catalogue, one page, a font."""
    return [
        b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Contents 4 0 R/Resources<</Font<</F 5 0 R>>%s>>>>" % more,
        content, b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
    ]  # fmt: skip


def docx(xml: bytes) -> bytes:
    """A docx with this document."""
    return zipped([("[Content_Types].xml", b"<Types/>"), ("word/document.xml", xml)])


def judgments() -> Iterator[Case]:
    """At least 100 PDF and docx."""
    words = b"BT /F 12 Tf 50 700 Td (The court finds that the defendant owes the plaintiff) Tj ET "
    base = pdf(page(stream(words * 40)))
    made = [flipped(base, dice.choice((1, 3, 10))) for _ in range(40)]
    made += [
        pdf(page(stream(b" " * 1_000_000_000))), pdf(page(stream(bytes(300_000_000), 2))),
        pdf(page(stream(words * 400_000))),
        pdf(page(stream(b"[" * 200_000))), pdf(page(stream(b"q " * 2_000_000))), pdf(page(stream(b"<<" * 100_000))),
        pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 9/Kids[2 0 R 2 0 R]>>"]),
        pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 2/Kids[3 0 R]>>",
            b"<</Type/Pages/Parent 2 0 R/Kids[2 0 R]>>"]),
        pdf([b"2 0 R", b"1 0 R"]), pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 100000000/Kids[]>>"]),
        pdf([b"<</Type/Catalog/Pages 2 0 R>>", b"<</Type/Pages/Count 300000/Kids[" + b"3 0 R " * 300_000 + b"]>>",
            *page(stream(words))[2:]]),
        pdf(page(b"4 0 R")), pdf(page(b"[" + b"4 0 R " * 100_000 + b"]")),
        pdf([*page(stream(b"/X Do"), b"/XObject<</X 6 0 R>>"),
            stream(b"/X Do /X Do", 1, b"/Type/XObject/Subtype/Form/Resources<</XObject<</X 6 0 R>>>>")]),
        pdf([*page(stream(words))[:4],
            b"<</Type/Font/Subtype/Type0/BaseFont/A/ToUnicode 6 0 R/DescendantFonts[7 0 R]>>",
            stream(b"1 beginbfrange\n<0000> <FFFFFFFF> <0041>\nendbfrange"),
            b"<</Type/Font/Subtype/CIDFontType2/W[0 99999999 1]>>"]),
        pdf(page(stream(b"x", 1, b"/DecodeParms<</Predictor 15/Columns 2000000000>>"))),
        base.replace(b"startxref\n", b"startxref\n9"), base.replace(b"/Size 6", b"/Size 999999999"),
        base[: len(base) // 2], b"%PDF-1.7\n" + bytes(1_000_000),
        b"%PDF-1.7\n" + b"1 0 obj\n<<" * 100_000, b"%PDF-1.7\n" + b"startxref\n0\n" * 100_000,
        b"%PDF-1.7\ntrailer\n<</Root 1 0 R/Prev 9>>\nstartxref\n9\n%%EOF",
    ]  # fmt: skip
    w = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    honest = docx(
        w + "<w:p><w:r><w:t>某某人民法院民事判决书</w:t></w:r></w:p>".encode() * 30 + b"</w:body></w:document>"
    )
    made += [flipped(honest, dice.choice((1, 3))) for _ in range(25)]
    made += [
        docx(w + b"<w:p>" * 300_000), docx(w + b"<w:tbl><w:tr><w:tc>" * 200), docx(laughs(9) + b"<a>&a9;</a>"),
        docx(b" " * 5000 + laughs(9) + b"<a>&a9;</a>"),
        docx(b'<!DOCTYPE a [<!ENTITY e SYSTEM "file:///etc/passwd">]><a>&e;</a>'), docx(b"x" * 30_000_000),
        docx(w + b"<w:p><w:r><w:t>" + b"x" * 15_000_000),
        docx(w + b"<w:p/>" * 2_000_000 + b"</w:body></w:document>"),
        docx(w + b"<w:p " + b" ".join(b'a%d="1"' % n for n in range(100_000)) + b"/>"),
        docx(b""), zipped([("word/document.xml", w), ("word/document.xml", w)]), zipped([]),
        b"PK\x03\x04" + bytes(1000), docx(b"\xff\xfe" + "<a/>".encode("utf-16-le")),
    ]  # fmt: skip
    for number, data in enumerate(made):
        yield "judgment", f"judgment{number}", data


# Pages
# -------------------------------------------------------------------------------------------------------------------


def pages() -> Iterator[Case]:
    """At least 100 HTML and MHTML."""
    body = "<p>本院认为，被告应当偿还借款本金及利息。</p>" * 20
    head = "<head><title>公告</title><meta charset=utf-8></head>"
    base = f"<html>{head}<body><article>{body}</article></body></html>".encode()
    mhtml = (
        b"MIME-Version: 1.0\r\nContent-Type: multipart/related; boundary=b\r\n\r\n--b\r\nContent-Type: text/html\r\n"
        b"\r\n" + base + b"\r\n--b--\r\n"
    )
    made = [(f"a{n}.html", flipped(base, dice.choice((1, 5, 30)))) for n in range(30)]
    made += [(f"b{n}.mhtml", flipped(mhtml, dice.choice((1, 5, 30)))) for n in range(30)]
    attributes = " ".join(f"a{n}=1" for n in range(200_000)).encode()
    for number, data in enumerate(
        [
            b"<html><body " + attributes + b">" + base, b"<html><body x='>' " + attributes + b">" + base,
            b"<html><script " + attributes + b"></script>" + base,
            *(b"<html>" + tag * 100_000 + base for tag in (b"<div>", b"<b>", b"<table><tr><td>", b"<ul><li>", b"<p>",
                b"<a href=x>", b"<svg>", b"<font>")),
            b"<html>" + b"<div>" * 250 + base, b"<html>" + b"<!--" * 500_000 + base,
            b"<html>" + b"<![CDATA[" * 100_000 + base, b"<html><p>" + b"&amp" * 2_000_000,
            b"<html><p>" + "法".encode() * 5_000_000, b"<html><p>" + b"x" * 19_000_000,
            b"<html><p>" + b" " * 19_000_000, b"<html>" + b"<p>x" * 90_000,
            b"<html>" + b"\0" * 1_000_000 + base, base.replace(b"utf-8", b"utf-7"), base.replace(b"utf-8", b"x" * 40),
            base.decode().encode("utf-16"),
            b"<html><meta charset=idna>" + base, base.decode().encode("gb18030"), b"<html>\xff\xfe\xfd" + base,
            b"<html><base href='http://[::1'>" + base,
            b"<html><script type=application/ld+json>" + b"[" * 100_000 + b"</script>" + base,
            b"<html><title>" + b"x" * 5_000_000 + b"</title>" + base,
            b"<html><meta name=pubdate content='" + b"2020-01-01 " * 100_000 + b"'>" + base,
            b"<html><a href='" + b"x" * 10_000_000 + b"'>" + base,
            b"<html>" + b"<" * 190_000, b"<html>" + b"</p>" * 90_000 + base, b"<html>" + b"<table>" * 3_000 + base,
            b"<html>" + b"<a name=x>y</a>" * 40_000 + base,
            laughs(9) + b"<html><p>&a9;" + base, b"<html><p>" + b"\xf0\x9f\x92\xa9" * 1_000_000,
            b"<html><p>" + b"a " * 5_000_000, b"",
        ]
    ):  # fmt: skip
        made.append((f"c{number}.html", data))
    made += [
        ("d1.mhtml", b"Content-Type: multipart/related; boundary=b\r\n\r\n" + b"--b\r\n" * 500_000),
        ("d2.mhtml", b"Content-Type: multipart/related; boundary=" + b"b" * 1_000_000),
        ("d3.mhtml", b"Content-Type: text/html\r\nContent-Transfer-Encoding: base64\r\n\r\n" + b"A" * 10_000_000),
        ("d4.mhtml", b"Content-Type: text/html; charset=" + b"x" * 100_000 + b"\r\n\r\n" + base),
        ("d5.mhtml", b"Subject: " + b"=?utf-8?q?" * 100_000 + b"\r\n" + mhtml),
        ("d6.mhtml", b"X: y\r\n" * 500_000 + mhtml),
        ("d7.md", b"<svg " * 400_000), ("d8.md", b"<!--" * 400_000), ("d9.md", b"](javascript:" * 300_000),
        ("d10.md", b"---\n" * 500_000),
        ("d11.jsonl", b'{"html": "' + b"<div>" * 100_000 + b'"}'), ("d12.jsonl", b'{"text": ' + b"[" * 100_000),
        ("d13.md", b"# " + b"# " * 1_000_000),
    ]  # fmt: skip
    for name, data in made:
        yield "web", name, data


# Archives
# ----------------------------------------------------------------------------------------------------------------


def archives() -> Iterator[Case]:
    """At least 50 zip and gzip."""
    row = '{"案号": "1"}\n'.encode()
    base = zipped([("a/LegalDoc.jsonl", row * 50), ("a/b/LegalCases.jsonl", '{"text": "文"}\n'.encode())])
    packed = gzip.compress(row * 500, mtime=0)
    made = [("a.zip", flipped(base, dice.choice((1, 3)))) for _ in range(15)]
    made += [("LegalDoc.jsonl.gz", flipped(packed, dice.choice((1, 3)))) for _ in range(15)]
    made += [("LegalDoc.jsonl.gz", packed[:cut]) for cut in (3, 10, 20, len(packed) // 2, len(packed) - 4)]
    link = zipfile.ZipInfo("link")
    link.external_attr = 0o120777 << 16
    linked = io.BytesIO()
    with zipfile.ZipFile(linked, "w") as archive:
        archive.writestr(link, "/etc/passwd")
    made += [
        (f"z{n}.zip", zipped([(name, row)]))
        for n, name in enumerate(("../x", "/etc/x", "C:/x", "..\\x", "a/../../x", "x\0y", " "))
    ]
    made += [
        ("many.zip", zipped([(f"{n}.jsonl", b"") for n in range(30_000)])),
        ("bomb.zip", zipped([("LegalDoc.jsonl", bytes(1_000_000_000))])), ("link.zip", linked.getvalue()),
        ("twice.zip", zipped([("LegalDoc.jsonl", row), ("LegalDoc.jsonl", row)])),
        ("deep.zip", zipped([("a/" * 3_000 + "LegalDoc.jsonl", row)])), ("in.zip", zipped([("x.zip", base)])),
        ("bomb.jsonl.gz", gzip.compress(bytes(1_000_000_000), mtime=0)),
        ("twice.jsonl.gz", gzip.compress(packed, mtime=0)), ("none.zip", zipped([])),
        ("file.zip", zipped([("a", row), ("a/LegalDoc.jsonl", row)])),
        ("tail.csv", b"x\n" + b"PK\x05\x06" + bytes(18)), ("huge.zip", base[:-22] + b"PK\x05\x06" + b"\xff" * 18),
    ]  # fmt: skip
    for name, data in made:
        yield "tables", name, data


# Small inputs that stalled
# -------------------------------------------------------------------------------------------------


def stalls() -> Iterator[Case]:
    """What took minutes or gigabytes, and its like for every reader."""
    for character in "法a1一（。 第\t":
        run = (character * 250_000).encode()
        yield "law-text", "渡口法.txt", "渡口法\n第一条 ".encode() + run
        yield "law-markdown", "渡口法.md", "# 渡口法\n<!-- INFO END -->\n第一条 ".encode() + run
        yield "law-markdown", "渡口法.md", "# 渡口法\n".encode() + run + "\n<!-- INFO END -->\n第一条 略。".encode()
        yield "web", "x.md", b"x" + run
        yield "tables", "LegalCases.csv", b'text\n"x' + run + b'"'
        yield (
            "judgment",
            "j.txt",
            "某某人民法院\n民事判决书\n（2020）某01民初1号\n原告张三。被告李四。\n本院认为，".encode()
            + run
            + "判决如下：".encode(),
        )
        yield "legalagentbench-logs", "run.txt", "思考 1: x\n行动 1: get_court_info(['甲'])\n观察 1: ".encode() + run
    yield "tables", "LegalDoc.csv", ",".join(f"c{n}" for n in range(1_000_000)).encode() + b"\n"
    yield "tables", "LegalDoc.csv", b"," * 60_000_000
    yield "tables", "LegalDoc.csv", b'"' * 9_999_999
    yield "tables", "LegalDoc.csv", "案号,标题\n".encode()
    yield "tables", "LegalDoc.json", b'[{"a": "' + b"x" * 30_000_000 + b'"},' + b"{}," * 1_000_000 + b"{}]"
    yield "tables", "LegalDoc.json", b"[" * 1_000_000
    yield "tables", "LegalDoc.json", b'[{"a": ' + b"9" * 1_000_000
    yield "tables", "LegalDoc.jsonl", b'{"' + b'a":{"' * 1_000_000
    yield "tables", "LegalDoc.jsonl", b"{" + b",".join(b'"c%d":1' % n for n in range(1_000_000)) + b"}"
    yield (
        "legalsearch",
        "all_law_menu.csv",
        b"law_type_version,valid_from,valid_to\n" + b"x" * 200_000 + b",1999.1.1,2000.1.1\n",
    )
    yield "legalsearch", "chunks.json", b'{"a":' * 50_000 + b"1" + b"}" * 50_000
    yield "law-json", "laws.json", b'{"laws":' * 50_000 + b"1" + b"}" * 50_000
    for format_name in (
        "legalagentbench",
        "legalagentbench-logs",
        "law-markdown",
        "law-text",
        "law-json",
        "legalsearch",
        "web",
        "tables",
    ):
        for name in ("x", "x.json", "x.csv", "x.md", "x.txt", "x.gz", "x.zip", "x.db", "x.xlsx"):
            yield format_name, name, dice.randbytes(dice.randrange(3000))


CLASSES: dict[str, tuple[int, Callable[[], Iterator[Case]]]] = {
    "workbooks": (500, workbooks),
    "databases": (200, databases),
    "judgments": (100, judgments),
    "pages": (100, pages),
    "archives": (50, archives),
    "stalls": (100, stalls),
}


def read(format_name: str, path: Path) -> str:
    """What became of a file: read, refused, or the last line of a traceback."""
    try:
        if format_name == "judgment":
            draft(path)
        else:
            importer(format_name)(path, "p", silent)
    except StoreError as error:
        return "refused" if len(str(error)) < 1500 else f"a sentence of {len(str(error))} characters"
    except Exception as error:
        if isinstance(getattr(error, "exit_code", None), int):
            return "refused"
        return "".join(traceback.format_exception(error)[-2:])
    return "read"


class Watch:
    """The most bytes that the reading process held; the system's own count of children includes their parent at the
    fork."""

    def __init__(self) -> None:
        self.most = 0
        threading.Thread(target=self._look, daemon=True).start()

    def _look(self) -> None:
        while True:
            time.sleep(0.02)
            with contextlib.suppress(OSError, ValueError, IndexError):
                for pid in Path(f"/proc/self/task/{os.getpid()}/children").read_text().split():
                    status = Path(f"/proc/{pid}/status").read_text()
                    if "_read" in Path(f"/proc/{pid}/cmdline").read_text():
                        self.most = max(self.most, int(status.split("VmHWM:")[1].split()[0]) * 1024)


def peak() -> int:
    """The most bytes that this process held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * (1 if sys.platform == "darwin" else 1024)


def make(name: str, folder: Path) -> int:
    """Write the files of a class; in a process of its own, because making a bomb takes more memory than refusing
    it."""
    for number, (format_name, file, data) in enumerate(CLASSES[name][1]()):
        place = folder / f"{number:04}" / format_name
        place.mkdir(parents=True)
        (place / file).write_bytes(data)
    return 0


def judge(name: str, folder: Path) -> int:
    """Read the files of a class and say what became of them."""
    broken: list[str] = []
    watch = Watch()
    became, seconds = {"read": 0, "refused": 0}, [0.0]
    for path in sorted(folder.glob("*/*/*")):
        began, before = time.monotonic(), peak()
        outcome = read(path.parent.name, path)
        seconds.append(time.monotonic() - began)
        label = "/".join(path.relative_to(folder).parts)
        if outcome in became:
            became[outcome] += 1
        else:
            broken.append(f"{label}: {outcome}")
        grown = peak() - before
        if seconds[-1] > SLOWEST / 10 or grown > 100 << 20:
            print(
                f"   {label} ({path.stat().st_size:,} bytes): {outcome}, {seconds[-1]:.0f} s, {grown >> 20} MiB "
                f"more here",
                flush=True,
            )
        if seconds[-1] > SLOWEST:
            broken.append(f"{label}: {seconds[-1]:.0f} s")
        if left := [one.name for one in (*places.packs().glob(".*"), *Path(tempfile.gettempdir()).iterdir())]:
            broken.append(f"{label} left {left[:3]}")
    own, child = peak(), watch.most
    print(
        f"{name}: {len(seconds) - 1}, read {became['read']}, refused {became['refused']}, {sum(seconds):.0f} s, "
        f"slowest"
        f" {max(seconds):.1f} s, peak {own >> 20} MiB here, {child >> 20} MiB in the reading process",
        flush=True,
    )
    if len(seconds) <= CLASSES[name][0]:
        broken.append(f"{name}: only {len(seconds) - 1}")
    if own > PARENT_MEMORY or child > MEMORY + (64 << 20):
        broken.append(f"{name}: memory")
    for line in broken[:40]:
        print(f"BROKEN {line}", file=sys.stderr)
    return 1 if broken else 0


def main() -> int:
    """All classes, or those that are named."""
    if sys.argv[1:2] in (["--make"], ["--judge"]):
        return {"--make": make, "--judge": judge}[sys.argv[1]](sys.argv[2], Path(sys.argv[3]))
    failed = 0
    for name in sys.argv[1:] or CLASSES:
        with tempfile.TemporaryDirectory(prefix="moot-bench-") as folder:
            home, temporary = Path(folder) / "home", Path(folder) / "tmp"
            home.mkdir()
            temporary.mkdir()
            env = {**os.environ, "MOOT_HOME": str(home), "TMPDIR": str(temporary), "PYTHONWARNINGS": "ignore"}
            for step in ("--make", "--judge"):
                failed += subprocess.run(
                    [sys.executable, __file__, step, name, str(Path(folder) / "in")], env=env, check=False
                ).returncode
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
