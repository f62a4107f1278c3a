"""Spreadsheets of people: every cell of a table comes as a person reads it, or a sentence says why not. Files made to
harm are read or refused with one sentence that names them, and nothing stays behind."""

from __future__ import annotations

import datetime as dt
import io
import zipfile
import zlib
from pathlib import Path
from typing import Any

import openpyxl
import pytest
from openpyxl.utils.datetime import CALENDAR_MAC_1904

from store import places
from store.errors import BadInput, StoreError
from store.importers import silent, tables
from store.importers.table_files import MAX_CELL
from store.importers.workbook import in_format
from store.pack import Pack
from store.schema import UNKNOWN
from tasks.courts.from_judgment.reading import read_text
from tasks.registry import importer

pytestmark = pytest.mark.usefixtures("one_reader")

HEAD = ["案号", "标题", "涉案金额（元）"]


def workbook(path: Any, rows: list[list[Any]], merged: tuple[str, ...] = (), epoch: Any = None) -> Any:
    """A workbook of one sheet, in a file or in memory; a cell (value, format) has a number format."""
    book = openpyxl.Workbook()
    if epoch is not None:
        book.epoch = epoch
    sheet = book.active
    assert sheet is not None
    for number, row in enumerate(rows, 1):
        for at, cell in enumerate(row, 1):
            value, form = cell if isinstance(cell, tuple) else (cell, None)
            target = sheet.cell(number, at, value)
            if form is not None:
                target.number_format = form
    for area in merged:
        sheet.merge_cells(area)
    book.save(path)
    return path


def imported(source: Path) -> tuple[list[tuple[Any, ...]], list[str]]:
    said: list[str] = []
    tables.import_pack(source, "p", lambda phase, done, total: said.append(phase))
    with Pack.open("p") as pack:
        cells = [[row.cells[column] for column in HEAD] for row in pack.rows("LegalDoc")]
    remarks = [one.removeprefix("left out: ") for one in said if one.startswith("left out: ")]
    return [tuple(None if cell is UNKNOWN else cell for cell in row) for row in cells], remarks


@pytest.mark.parametrize(
    ("value", "form", "shown"),
    [
        (1234, "000000", "001234"), (1234.5, "0.00", 1234.5), (5, "General", 5), (0.1 + 0.2, "General", 0.3),
        (0.6, "0%", "60%"), (0.1234, "0.0%", "12.3%"), (-0.05, "0%", "-5%"), (0.5, "#%", "50%"),
        (5, '0"万元"', "5万元"), (1234.5, '#,##0.00"万元"', "1,234.50万元"), (5.5, '0.##"万"', "5.5万"),
        (1234.5, '"¥"#,##0.00', 1234.5), (1234.5, "[$¥-804]#,##0.00", 1234.5), (99.5, "[$USD] #,##0.00", "USD 99.50"),
        (3, '#,##0"元"', 3), (-3, '0"次";"缺"0"次"', "缺3次"), (0, '0"家";-0"家";"无"', "无"), (-2, "0;[Red](0)", -2),
        (123456, '0!.0,"万"', "12.3万"), (300, '[>=10000]0!.0,"万";0', 300), (20000, '[>=10000]0!.0,"万";0', "2.0万"),
        (1234567, "000-0000", "123-4567"), (1234567, "#,##0,", 1234567), (7, "_ * #,##0.00_ ;", 7),
        (1e15, "0", 1e15), (2, "@", 2), (0.25, "# ?/?", 0.25), (1500, "0.00E+00", 1500), (3, 'General"人"', "3人"),
        (20190305, "####-##-##", "2019-03-05"), (0.1234, '0.0"%"', "0.1%"), (2, '[=1]"存续";[=2]"注销";0', "注销"),
        (0, '_ "¥"* #,##0.00_ ;_ "¥"* -#,##0.00_ ;_ "¥"* "-"??_ ;_ @_ ', 0),
    ],
)  # fmt: skip
def test_a_number_is_shown_as_its_format_has_it(value: float, form: str, shown: object) -> None:
    assert in_format(value, form) == shown
    assert type(in_format(value, form)) is type(shown)


@pytest.mark.parametrize("epoch", [None, CALENDAR_MAC_1904])
def test_a_cell_comes_as_a_person_reads_it(tmp_path: Path, epoch: Any) -> None:
    shown = {
        dt.datetime.fromisoformat("2024-03-05"): "2024-03-05",
        dt.datetime.fromisoformat("2024-03-05T09:30"): "2024-03-05 09:30:00",
        (dt.date(2024, 3, 5), 'yyyy"年"m"月"d"日"'): "2024-03-05",
        (dt.datetime.fromisoformat("2024-03-05T09:30"), "yyyy/m/d"): "2024-03-05",
        (dt.date(2024, 3, 5), 'yyyy"年"m"月"'): "2024-03",
        (dt.date(2024, 3, 5), "yyyy"): "2024",
        (dt.date(2024, 3, 5), "mm-dd"): "2024-03-05",
        (43894 if epoch else 45356, "[$-804]aaaa"): "2024-03-05",
        dt.time(9, 30): "09:30:00",
        (dt.timedelta(hours=26, minutes=5), "[h]:mm"): "26:05:00",
        ("001234", "@"): "001234",
        ("云海", '@"市"'): "云海市",
        "（２０２３）甲０１民初１２号": "（2023）甲01民初12号",
        5.5: 5.5,
        None: None,
    }
    rows, remarks = imported(
        workbook(tmp_path / "LegalDoc.xlsx", [HEAD, *(["一", "甲", cell] for cell in shown)], epoch=epoch)
    )
    assert [cell for *_, cell in rows] == list(shown.values())
    assert remarks == []


def test_a_merged_cell_gives_its_value_to_each_of_its_rows(tmp_path: Path) -> None:
    table = [HEAD, ["第一批"], ["一", "甲", (5, "0000")], ["二", None, 6], ["三", None, 7], ["合 计：", None, 18]]
    path = workbook(tmp_path / "LegalDoc.xlsx", table, ("A2:C2", "B3:B5", "A6:B6"))
    rows, remarks = imported(path)
    assert rows == [("一", "甲", "0005"), ("二", "甲", 6), ("三", "甲", 7)]
    where = "LegalDoc.xlsx, sheet Sheet, row"
    assert remarks == [f"{where} 2 (第一批)", f"{where} 6 (合 计：)"]


ROWS: list[tuple[list[Any], str]] = [
    (["本页合计", None, 3], "本页合计"),
    (["合计（大写）", "叁元", None], "合计（大写）"),
    (["共计3件", "甲", 3], "共计3件"),
    ([None, "Grand Total", 3], "Grand Total"),
    (["注：以上为示例", None, None], "注：以上为示例"),
    (HEAD, "案号"),
    (["合计科技有限公司诉某某案", "甲", 3], ""),
    (["-", "-", None], ""),
    (["二", "乙", 2], ""),
]
"""Rows and what is said of those that are none of the table."""


def test_a_row_that_is_none_of_the_table_is_named(tmp_path: Path) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "text").mkdir()
    table = [HEAD, *(row for row, _ in ROWS)]
    workbook(tmp_path / "book" / "LegalDoc.xlsx", table)
    lines = "\r".join(",".join("" if cell is None else str(cell) for cell in row) for row in table)
    (tmp_path / "text" / "LegalDoc.csv").write_text(lines + "\r", encoding="utf-8")
    for folder, place in (("book", "LegalDoc.xlsx, sheet Sheet, row"), ("text", "LegalDoc.csv, line")):
        rows, remarks = imported(tmp_path / folder)
        assert [row[0] for row in rows] == ["合计科技有限公司诉某某案", "-", "二"]
        assert remarks == [f"{place} {number} ({remark})" for number, (_, remark) in enumerate(ROWS, 2) if remark]


@pytest.mark.parametrize("merged", [(), ("A1:C1",)])
def test_titles_above_the_names_of_the_columns_are_named(tmp_path: Path, merged: tuple[str, ...]) -> None:
    (tmp_path / "book").mkdir()
    (tmp_path / "text").mkdir()
    table = [["案件一览", None, None], [None, None, None], [None, None, "单位：元"], HEAD, ["一", "甲", 1]]
    workbook(tmp_path / "book" / "LegalDoc.xlsx", table, merged)
    lines = "案件一览\n\n,,单位：元\n案号,标题,涉案金额（元）\n一,甲,1\n"
    (tmp_path / "text" / "LegalDoc.csv").write_text(lines, encoding="utf-8")
    for folder, place in (("book", "LegalDoc.xlsx, sheet Sheet, row"), ("text", "LegalDoc.csv, line")):
        rows, remarks = imported(tmp_path / folder)
        assert len(rows) == 1 and remarks == [f"{place} 1 (案件一览)", f"{place} 3 (单位：元)"]


def test_hidden_rows_and_columns_are_named_and_left_out(tmp_path: Path) -> None:
    table = [[*HEAD[:2], "电话", HEAD[2]], ["一", "甲", "139", 1], ["二", "乙", "138", 2], ["三", "丙", "137", 3]]
    path = workbook(tmp_path / "LegalDoc.xlsx", table)
    book = openpyxl.load_workbook(path)
    book["Sheet"].row_dimensions[3].hidden = True
    book["Sheet"].column_dimensions["C"].hidden = True
    book.save(path)
    rows, remarks = imported(path)
    where = "LegalDoc.xlsx, sheet Sheet"
    assert rows == [("一", "甲", 1), ("三", "丙", 3)]
    assert remarks == [f"{where}, row 3 (hidden)", f"{where}, column C (hidden)"]


def test_hidden_sheets_are_named_and_cells_come_without_what_no_one_sees(tmp_path: Path) -> None:
    path = workbook(tmp_path / "LegalDoc.xlsx", [["案号 ", None, "标题"], ["\ufeff一\xa0", None, "甲_x000D_\n乙"]])
    book = openpyxl.load_workbook(path)
    book.create_sheet("旧").sheet_state = "hidden"
    book["旧"].append(["x"])
    book.save(path)
    rows, remarks = imported(path)
    assert rows == [("一", "甲\n乙", None)] and remarks == ["LegalDoc.xlsx, sheet 旧 (hidden)"]


def test_what_is_left_out_of_a_folder_is_named(tmp_path: Path) -> None:
    source = tmp_path / "in"
    source.mkdir()
    (source / "LegalDoc.csv").write_bytes("案号,_注\n一,x\n总计,\n".encode("utf-16"))
    (source / "LegalArticle.csv").write_text("text,law\n第一条,民法\n", encoding="utf-8")
    (source / "旧表.xls").write_bytes(b"\xd0\xcf\x11\xe0")
    rows, remarks = imported(source)
    assert rows == [("一", None, None)]
    assert set(remarks) == {
        "旧表.xls (its name is not that of a table)", "LegalDoc.csv, line 3 (总计)",
        "LegalDoc.csv: _注 (no column of LegalDoc)", "LegalArticle.csv: law (no column of LegalArticle)",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("rows", "merged", "message"),
    [
        ([HEAD, ["一", "甲", True]], (), "row 2: 涉案金额（元） holds True"),
        ([HEAD, ["一", "甲", "#N/A"]], (), "row 2: 涉案金额（元） holds #N/A"),
        ([HEAD, ["一", "甲", "=1+2"]], (), "cell C2: a formula whose value was never computed"),
        ([HEAD, [None, None, None]], ("A1:A2",), "the first row is merged with the second"),
        ([["案卷", None, None], ["案号", None, "案号"]], ("A1:C1",), "the column 案号 occurs twice"),
        ([HEAD, ["一", "甲", 1, 2]], (), "row 2: 4 cells under 3 columns"),
        ([HEAD, [911101080000000000, "甲", 1]], (), r"row 2: 案号 holds 9\.1110108e.17, which has lost"),
        ([["案号", None, "标题"], ["一", "x", "甲"]], (), "row 2: x is a cell of a column without a name"),
    ],
)
def test_what_cannot_be_said_is_refused_by_place(
    tmp_path: Path, rows: list[list[Any]], merged: tuple[str, ...], message: str
) -> None:
    with pytest.raises(BadInput, match=message):
        imported(workbook(tmp_path / "LegalDoc.xlsx", rows, merged))


def test_macros_are_named_a_formula_gives_its_value_and_empty_sheets_are_passed_over(tmp_path: Path) -> None:
    path = workbook(tmp_path / "LegalDoc.xlsx", [HEAD, ["一", "甲", "=1+2"]])
    book = openpyxl.load_workbook(path)
    book.create_sheet("Sheet2")
    book.save(path)
    computed = tmp_path / "in" / "LegalDoc.xlsm"
    computed.parent.mkdir()
    with zipfile.ZipFile(path) as old, zipfile.ZipFile(computed, "w") as new:
        for name in old.namelist():
            new.writestr(name, old.read(name).replace(b"<v />", b"<v>3</v>").replace(b"<v></v>", b"<v>3</v>"))
        new.writestr("xl/vbaProject.bin", b"macro")
    assert imported(computed.parent) == ([("一", "甲", 3)], ["LegalDoc.xlsm: its macros"])


LONGEST = 1_400
"""Characters of a title and its hint together."""


def sheet(rows: str, *, doctype: str = "") -> bytes:
    """A workbook with these rows as XML, beside what openpyxl itself writes."""
    made, out = io.BytesIO(), io.BytesIO()
    workbook(made, [HEAD])
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
