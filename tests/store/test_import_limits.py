"""Files that were made to harm: each is read or refused with one sentence that names it, and nothing stays behind."""

from __future__ import annotations

import io
import zipfile
import zlib
from pathlib import Path

import openpyxl
import pytest

from store import places
from store.errors import BadInput, StoreError
from store.importers import silent
from store.importers.table_files import MAX_CELL
from tasks.courts.from_judgment.reading import read_text
from tasks.registry import importer

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("one_reader")]

LONGEST = 1_400
"""Characters of a title and its hint together."""


def sheet(rows: str, *, doctype: str = "") -> bytes:
    """A workbook with these rows as XML, beside what openpyxl itself writes."""
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = "LegalDoc"
    page.append(["案号", "标题"])
    made = io.BytesIO()
    book.save(made)
    out = io.BytesIO()
    with zipfile.ZipFile(made) as old, zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as new:
        for member in old.infolist():
            data = old.read(member)
            if member.filename == "xl/worksheets/sheet1.xml":
                data = doctype.encode() + data.replace(b"</sheetData>", rows.encode() + b"</sheetData>")
            new.writestr(member.filename, data)
    return out.getvalue()


LAUGHS = (
    '<!DOCTYPE a [<!ENTITY a0 "ha">' + "".join(f'<!ENTITY a{n} "{f"&a{n - 1};" * 10}">' for n in range(1, 10)) + "]>"
)


def cell(text: str, row: int = 2) -> str:
    return f'<row r="{row}"><c r="A{row}" t="inlineStr"><is><t>{text}</t></is></c></row>'


def refused(format_name: str, source: Path) -> str:
    """The sentence with which a source is refused; nothing of it is left."""
    with pytest.raises(StoreError) as caught:
        importer(format_name)(source, "p", silent)
    assert not places.packs().exists() or list(places.packs().iterdir()) == []
    assert len(str(caught.value)) <= LONGEST and "Traceback" not in str(caught.value)
    return str(caught.value)


# Tables
# ----------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("xml.xlsx", sheet("<row><c"), "cannot be read"),
        ("index.xlsx", sheet('<row r="2"><c r="A2" t="s"><v>77</v></c></row>'), "cannot be read"),
        ("laughs.xlsx", sheet(cell("&a9;"), doctype=LAUGHS), "cannot be read"),
        ("LegalDoc.csv", f"案号\n{'x' * (MAX_CELL + 1)}\n".encode(),
            "line 2: a cell has more than 1,000,000 characters"),
        ("LegalDoc.csv", f'案号\n"{"x" * 999}\n'.encode() + b"x\n" * MAX_CELL, "more than 1,000,000 characters"),
        ("LegalDoc.json", b"[]", "no rows in it"),
    ],
)  # fmt: skip
def test_a_table_beyond_the_limits_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    sentence = refused("tables", path)
    assert said in sentence and name in sentence


def test_a_damaged_workbook_is_a_sentence(tmp_path: Path) -> None:
    sound, path = sheet(cell("x")), tmp_path / "LegalDoc.xlsx"
    for at in range(0, 1000, 125):
        data = bytearray(sound)
        data[len(data) * at // 1000] ^= 0x55
        path.write_bytes(data)
        try:
            importer("tables")(path, "p", silent)
        except BadInput as error:
            assert "LegalDoc.xlsx" in error.title


# Texts
# -----------------------------------------------------------------------------------------------------------------


def pdf(stream: bytes) -> bytes:
    packed = zlib.compress(stream)
    parts = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count 1/Kids[3 0 R]>>",
        b"<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 4 0 R>>",
        b"<</Filter/FlateDecode/Length %d>>\nstream\n%s\nendstream" % (len(packed), packed),
    ]
    out, places_ = b"%PDF-1.7\n", []
    for number, part in enumerate(parts, 1):
        places_.append(len(out))
        out += b"%d 0 obj\n%s\nendobj\n" % (number, part)
    table = b"".join(b"%010d 00000 n \n" % at for at in places_)
    return out + b"xref\n0 5\n0000000000 65535 f \n%strailer\n<</Size 5/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF" % (
        table,
        len(out),
    )


@pytest.mark.parametrize(
    "content", [pdf(b"[" * 30_000), b"%PDF-1.7\n" + b"1 0 obj\n<<" * 5_000, b"PK\x03\x04" + bytes(200)]
)
def test_a_hostile_judgment_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "judgment").write_bytes(content)
    with pytest.raises(BadInput, match="judgment"):
        read_text(tmp_path / "judgment")


# Laws
# -----------------------------------------------------------------------------------------------------------------


def test_a_law_too_long_to_be_read_as_a_whole_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.importers.reading.MAX_RECORD", 500)
    for format_name, name, content in (
        ("law-text", "甲法.txt", f"甲法\n（2000年1月1日通过）\n第一条 {'甲' * 999}。\n"),
        ("law-json", "laws.json", f'{{"law": "甲法", "versions": [\n{" " * 999}]}}'),
    ):
        (tmp_path / name).write_text(content, encoding="utf-8")
        assert f"{name}: longer than 0 MiB" in refused(format_name, tmp_path / name)
