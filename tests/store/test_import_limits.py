"""Files that were made to harm: each is read or refused with one sentence that names it, and nothing stays behind."""

from __future__ import annotations

import io
import json
import os
import sqlite3
import tempfile
import zipfile
import zlib
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from store import places
from store.errors import BadInput, StoreError
from store.importers import process, silent
from store.importers.child import MAX_CELL, named
from store.importers.process import ReadingProcess
from store.importers.reading import records
from store.text import segment
from tasks import registry
from tasks.courts.from_judgment.reading import read_text
from tasks.run.importing import importer
from tests.support.parsers_that_harm import calls, dies, fine, floods, hoards, leaves, raises, sleeps, spins

pytestmark = pytest.mark.slow

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


def database(path: Path, *statements: str) -> Path:
    connection = sqlite3.connect(path)
    for statement in statements:
        connection.execute(statement)
    connection.commit()
    connection.close()
    return path


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
        ("LegalDoc.csv", "案号,标题\n".encode(), "no rows in it"),
        ("LegalDoc.json", b"[]", "no rows in it"),
    ],
)  # fmt: skip
def test_a_table_beyond_the_limits_is_named(tmp_path: Path, name: str, content: bytes, said: str) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    sentence = refused("tables", path)
    assert said in sentence and name in sentence


@pytest.mark.parametrize("at", range(0, 1000, 125))
def test_a_damaged_workbook_is_a_sentence(tmp_path: Path, at: int) -> None:
    data = bytearray(sheet(cell("x")))
    data[len(data) * at // 1000] ^= 0x55
    path = tmp_path / "LegalDoc.xlsx"
    path.write_bytes(data)
    try:
        importer("tables")(path, "p", silent)
    except BadInput as error:
        assert "LegalDoc.xlsx" in error.title


def test_a_sheet_is_read_beyond_what_it_says_of_itself(tmp_path: Path) -> None:
    data = io.BytesIO(sheet(cell("甲", 2) + cell("乙", 3)))
    out = io.BytesIO()
    with zipfile.ZipFile(data) as old, zipfile.ZipFile(out, "w") as new:
        for member in old.infolist():
            new.writestr(member.filename, old.read(member).replace(b'ref="A1:B1"', b'ref="A1:A2"'))
    (tmp_path / "LegalDoc.xlsx").write_bytes(out.getvalue())
    path = importer("tables")(tmp_path / "LegalDoc.xlsx", "p", silent)
    assert json.loads((path / "manifest.json").read_text("utf-8"))["counts"]["tables"]["LegalDoc"] == 2


def test_a_database_is_read_as_it_stands(tmp_path: Path) -> None:
    """Nothing that a schema computes is computed: no view, no generated column, no function."""
    bomb = "replace(hex(zeroblob(1000)), '0', 'xxxxxxxx')"
    path = database(
        tmp_path / "a.db", f"CREATE TABLE LegalDoc (案号, 标题 AS ({bomb}))", "INSERT INTO LegalDoc VALUES (1)"
    )
    assert "标题 is computed from other columns" in refused("tables", path)
    path = database(
        tmp_path / "b.db", "CREATE TABLE LegalDoc (案号)", f"CREATE VIEW CompanyInfo AS SELECT {bomb} AS 公司名称"
    )
    assert "no rows in it" in refused("tables", path), "the view is passed over"


def test_a_sentence_names_a_few_and_counts_the_rest(tmp_path: Path) -> None:
    assert named([f"n{n}" for n in range(1000)]) == "n0、n1、n2、n3、n4 and 995 more"
    assert len(str(BadInput("x" * 1_000_000, "y" * 1_000_000))) <= LONGEST
    (tmp_path / "tables").mkdir()
    (tmp_path / "tables" / "AddrInfo.jsonl").write_text(json.dumps({f"c{n}": 1 for n in range(10_000)}), "utf-8")
    assert "and 9,995 more" in refused("legalagentbench", tmp_path)


# Texts
# -----------------------------------------------------------------------------------------------------------------


def test_a_run_without_a_mark_is_cut_in_stretches(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cutter looks at each stretch alone, so that its work grows with the text and not with its square."""
    seen: list[int] = []
    cutter = segment._jieba()
    real = cutter.cut_for_search
    monkeypatch.setattr(cutter, "cut_for_search", lambda text: (seen.append(len(text)), real(text))[1])
    long = "法" * 4_000 + "，" + "民法典" * 10
    assert "".join(segment.cut(long)) == long
    assert len(segment.words(long)) > 2_000 and max(seen) <= segment.MAX_RUN
    honest = "最高人民法院关于适用《中华人民共和国民法典》的解释（一），自2021年1月1日起施行。" * 50
    assert segment.words(honest) == [word for word in real(honest) if any(map(str.isalnum, word))]


def test_an_array_is_read_once_however_its_values_are_sized(tmp_path: Path) -> None:
    """A large value makes the reader hold much; the small ones behind it must not each move all of that."""
    path = tmp_path / "a.json"
    path.write_text(f'[{{"a": "{"x" * 3_000_000}"}},' + "{},\n" * 300_000 + "{}]", "utf-8")
    assert [line for line, _ in records(path)][-1] == 300_001


@pytest.mark.parametrize(
    ("name", "content", "said"),
    [
        ("b.html", "<html><body>" + "<div>" * 100_000 + "本院认为", "nested too deeply"),
    ],
)  # fmt: skip
def test_a_page_beyond_the_limits_is_left_out(tmp_path: Path, name: str, content: str, said: str) -> None:
    (tmp_path / name).write_text(content, "utf-8")
    (tmp_path / "good.md").write_text("# 公告\n本院定于三月五日开庭。\n", "utf-8")
    path = importer("web")(tmp_path, "p", silent)
    report = json.loads((path / "web.json").read_text("utf-8"))
    assert report["pages"] == 1 and any(said in reason for reason in report["refused"].values())


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
    "content",
    [
        pdf(b"[" * 30_000),
        b"%PDF-1.7\n" + b"1 0 obj\n<<" * 5_000,
        b"PK\x03\x04" + bytes(200),
    ],
)
def test_a_hostile_judgment_is_a_sentence(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "judgment").write_bytes(content)
    with pytest.raises(BadInput, match="judgment"):
        read_text(tmp_path / "judgment")


# The reading process
# ---------------------------------------------------------------------------------------------------


@pytest.mark.skipif(os.name == "nt", reason="limits of the operating system")
@pytest.mark.parametrize(
    ("function", "said"),
    [
        (spins, "needs more than 1 seconds of computing"),
        (hoards, "MiB of memory"),
        (floods, "gives far more than its size allows"),
        (dies, "signal 11"),
        (leaves, "SystemExit: bye"),
        (raises, "Odd: xxx"),
    ],
)
def test_whatever_a_parser_does_is_a_sentence(tmp_path: Path, function: Any, said: str) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"x")
    with ReadingProcess() as reader:
        with pytest.raises(BadInput, match=said) as caught:
            list(reader.read(function, path, "a.xlsx", seconds=1 if function is spins else 60))
        assert caught.value.title.startswith("a.xlsx") and len(str(caught.value)) <= LONGEST
        ((first, *values),) = reader.read(fine, path, "a.xlsx")
        ((second, *_),) = reader.read(fine, path, "a.xlsx")
        assert first == second == reader.pid, "one process serves file after file"
        assert values == ["\ud800", float("inf"), None]
    assert reader.pid is None


def test_silence_and_abandoned_reading_end_the_process(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"x")
    with monkeypatch.context() as patched:
        patched.setattr(process, "SILENCE", 1)
        with ReadingProcess() as reader, pytest.raises(BadInput, match="could not be read within 1 seconds"):
            list(reader.read(sleeps, path, "a.xlsx"))
    with ReadingProcess() as reader:
        rows = reader.read(floods, path, "a.xlsx")
        next(rows)
        child = reader._child
        assert child is not None
        rows.close()  # type: ignore[attr-defined]
        assert child.poll() is not None, "it is gone, and its parent knows"


def test_the_reading_process_cannot_reach_the_network(tmp_path: Path) -> None:
    path = tmp_path / "a.xlsx"
    path.write_bytes(b"x")
    with ReadingProcess() as reader, pytest.raises(BadInput, match="Network use refused"):
        list(reader.read(calls, path, "a.xlsx"))


# Anything
# ----------------------------------------------------------------------------------------------------------------

SUFFIXES = ["", ".csv", ".json", ".jsonl", ".xlsx", ".db", ".gz", ".zip", ".html", ".mhtml", ".md", ".txt"]
BEGINNINGS = [
    b"",
    b"PK\x03\x04",
    b"PK\x05\x06" + bytes(18),
    b"SQLite format 3\0",
    b"\x1f\x8b\x08\0",
    b"%PDF-1.7\n",
    b"<html>",
    b"[",
    b"{",
    "# 法\n".encode(),
]


@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    st.sampled_from(sorted(registry.names("importers"))),
    st.sampled_from(SUFFIXES),
    st.sampled_from(BEGINNINGS),
    st.binary(max_size=120),
)
def test_any_bytes_under_any_name_are_read_or_refused(
    tmp_path: Path, format_name: str, suffix: str, begins: bytes, rest: bytes
) -> None:
    path, own = tmp_path / f"LegalDoc{suffix}", tmp_path / "own"
    path.write_bytes(begins + rest)
    own.mkdir(exist_ok=True)
    with pytest.MonkeyPatch.context() as patch:  # others leave their own things in the common folder
        patch.setenv("TMPDIR", str(own))
        patch.setattr(tempfile, "tempdir", str(own))
        try:
            importer(format_name)(path, "p", silent)
        except StoreError as error:
            assert len(str(error)) <= LONGEST
        try:
            read_text(path)
        except StoreError as error:
            assert path.name in error.title
    assert list(own.iterdir()) == []
