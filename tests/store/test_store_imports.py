"""Importers: the harvested layout replays its recorded calls, tables keep their cells, errors name file and line."""

from __future__ import annotations

import csv
import gzip
import json
import sqlite3
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import openpyxl
import pytest

from store import places
from store.connection import quoted
from store.errors import BadInput
from store.importers import legalagentbench, silent, tables
from store.pack import Pack
from store.schema import LOOKUPS, TABLES, UNKNOWN

pytestmark = pytest.mark.usefixtures("one_reader")

DOCUMENT = {"关联公司": "甲公司", "案号": "（2020）1号", "涉案金额（元）": 5.0, "被告": None}


def lines(*items: object) -> str:
    return "".join(json.dumps(item, ensure_ascii=False) + "\n" for item in items)


def layout(root: Path, **parts: str) -> Path:
    for name, text in parts.items():
        path = root / name.replace("__", "/")
        path = path.with_name(path.name + ".jsonl") if path.suffix == "" else path
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")
    return root


def call(tool: str, given: object, status: str, observation: str) -> dict[str, object]:
    return {"tool": tool, "known_tool": True, "input": given, "status": status, "observation": observation, "seen": 1}


def test_list_rows_are_laid_into_table_rows(tmp_path: Path) -> None:
    shown = [
        {"案号": "（2020）2号", "涉案金额（元）": 7},
        {"案号": "（2020）1号", "原告": "丙"},
        {"涉案金额（元）": 9.5},
        {"案号": "（2020）1号", "原告": "丙"},
    ]
    source = layout(
        tmp_path,
        tables__LegalDoc=lines({**DOCUMENT, "_source": "react"}, {"案号": "（2020）2号", "关联公司": "乙公司"}),
        lists=lines({"tool": "get_legal_document_company_list", "identifier": "甲公司", "n": 4, "rows": shown}),
    )
    legalagentbench.import_pack(source, "p", silent)
    with Pack.open("p", verify=True) as pack:
        rows = pack.find(LOOKUPS["get_legal_document_company_list"], ["甲公司"]).rows
        assert [{c: row.cells[c] for c in want} for row, want in zip(rows, shown, strict=True)] == shown
        assert [row.cells["关联公司"] for row in rows] == ["甲公司"] * 4, "found by it"
        assert len({row.number for row in rows}) == 4, "one list never shows one row twice"
        assert rows[1].cells["涉案金额（元）"] == 5.0 and rows[1].cells["被告"] is None, "the table row was filled"
        assert pack.find(LOOKUPS["get_legal_document_company_list"], ["乙公司"]).complete is False
        assert pack.provenance == {"harvested"}


def test_recorded_calls_decide(tmp_path: Path) -> None:
    source = layout(
        tmp_path,
        tables__CourtInfo=lines({"法院名称": "甲法院", "法院地址": "一路"}),
        calls=lines(
            call("get_court_info", {"identifier": "乙法院", "columns": ["法院地址"]}, "ok", "{'法院地址': nan}"),
            call("get_court_info", {"identifier": "丙法院", "columns": []}, "no_data", "No data found."),
            call("get_court_info", {"identifier": "丁法院", "columns": ["x"]}, "bad_column", "No such column."),
            call("get_court_info", {"identifier": "戊法院"}, "call_error", "工具调用发生错误"),
            call("get_sum", [1], "ok", "1"),
        ),
    )
    legalagentbench.import_pack(source, "p", silent)
    with Pack.open("p") as pack:
        lookup = LOOKUPS["get_court_info"]
        seen = {name: pack.find(lookup, [name]) for name in ("甲法院", "乙法院", "丙法院", "丁法院", "戊法院")}
    assert [found.status for found in seen.values()] == ["rows", "rows", "miss", "rows", "outside"]
    assert seen["乙法院"].rows[0].cells["法院地址"] is None
    assert seen["丁法院"].rows[0].cells["法院地址"] is UNKNOWN


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({}, "holds none of"),
        ({"tables__Nowhere": lines({})}, r"tables/Nowhere\.jsonl: there is no such table"),
        ({"tables__AddrInfo": lines({"地址": "x"}, {"街道": "x"})}, r"tables/AddrInfo\.jsonl, line 2: .*街道"),
        ({"tables__AddrInfo": lines({"地址": ["x"]})}, r"tables/AddrInfo\.jsonl, line 1: a cell"),
        ({"tables__AddrInfo": '{"地址": }'}, r"tables/AddrInfo\.jsonl, line 1: not valid JSON"),
        ({"lists": lines({"tool": "get_court_info", "identifier": "x", "rows": []})},
            r"lists\.jsonl, line 1: there is no list tool"),
        ({"lists": lines({"tool": "get_court_info_list", "identifier": "x", "rows": []})}, r"line 1: identifier"),
        ({"lists": lines({"tool": "get_sub_company_info_list", "identifier": "x", "n": 2, "rows": [{}]})}, "n is 2"),
        ({"lists": lines({"tool": "get_sub_company_info_list", "identifier": "x", "rows": "x"})}, "rows must be"),
        ({"calls": lines({"tool": "get_court_info"})}, r"calls\.jsonl, line 1: a call needs"),
        ({"calls": lines(call("get_court_info", {"identifier": "x", "columns": []}, "ok", "[1, 2"))},
            "line 1: the observation"),
        ({"documents__LegalCases": lines({"text": "x"}, {"title": "x"})},
            r"documents/LegalCases\.jsonl, line 2: no text"),
        ({"tables__AddrInfo": lines({"地址": "x"}), "dataset": '[{"id": 1},\n 5]'}, r"dataset\.jsonl, line 2"),
    ],
)  # fmt: skip
def test_bad_layouts_are_named_and_leave_nothing(tmp_path: Path, parts: dict[str, str], message: str) -> None:
    with pytest.raises(BadInput, match=message):
        legalagentbench.import_pack(layout(tmp_path, **parts), "p", silent)
    assert list(places.packs().iterdir()) == []


def test_contradicting_answers_are_refused(tmp_path: Path) -> None:
    given_input = {"identifier": "甲", "columns": ["法院地址"]}
    for other in (
        call("get_court_info", given_input, "ok", "{'法院地址': '二路'}"),
        call("get_court_info", given_input, "no_data", "No data"),
    ):
        source = layout(
            tmp_path, calls=lines(call("get_court_info", given_input, "ok", "{'法院地址': '一路'}"), other)
        )
        with pytest.raises(BadInput, match=r"calls\.jsonl, line 2"):
            legalagentbench.import_pack(source, "p", silent)


# Tables
# --------------------------------------------------------------------------------------------------------------


def write_csv(path: Path, rows: list[dict[str, Any]], encoding: str = "utf-8", delimiter: str = ",") -> None:
    with path.open("w", encoding=encoding, newline="") as stream:
        writer = csv.DictWriter(stream, list(rows[0]), delimiter=delimiter)
        writer.writeheader()
        writer.writerows(rows)


def write_jsonl(path: Path, rows: list[dict[str, Any]]) -> None:
    path.write_text(lines(*rows), encoding="utf-8")


def write_xlsx(path: Path, rows: list[dict[str, Any]], sheet: str = "Sheet1") -> None:
    book = openpyxl.Workbook()
    page = book.active
    assert page is not None
    page.title = sheet
    page.append(list(rows[0]))
    for row in rows:
        page.append(list(row.values()))
    book.save(path)


def write_sqlite(path: Path, rows: list[dict[str, Any]], table: str = "LegalDoc") -> None:
    connection = sqlite3.connect(path)
    columns = ", ".join(quoted(name) for name in rows[0])
    connection.execute(f"CREATE TABLE {table} ({columns})")
    connection.execute("CREATE VIEW CompanyInfo AS SELECT load_extension('x') AS 公司名称")
    connection.execute("CREATE VIRTUAL TABLE other USING fts5(x)")
    for row in rows:
        connection.execute(f"INSERT INTO {table} VALUES ({', '.join('?' * len(row))})", list(row.values()))
    connection.commit()
    connection.close()


def imported(source: Path, name: str = "p") -> list[dict[str, Any]]:
    tables.import_pack(source, name, silent)
    with Pack.open(name, verify=True) as pack:
        assert pack.provenance <= {"imported"}
        return [{c: v for c, v in row.cells.items() if v is not UNKNOWN} for row in pack.rows("LegalDoc")]


@pytest.mark.parametrize(
    ("file", "write"),
    [
        ("LegalDoc.jsonl", write_jsonl),
        ("LegalDoc.xlsx", write_xlsx),
        ("whatever.db", write_sqlite),
        ("misnamed.csv", lambda path, rows: write_xlsx(path, rows, "LegalDoc")),
    ],
)
def test_typed_tables_keep_their_cells(
    tmp_path: Path, file: str, write: Callable[[Path, list[dict[str, Any]]], None]
) -> None:
    rows = [{**DOCUMENT, "涉案金额（元）": value} for value in (5, 5.5, "5", "-", None)]
    write(tmp_path / file, rows)
    found = imported(tmp_path / file)
    assert repr(found) == repr([{c: row[c] for c in TABLES["LegalDoc"] if c in row} for row in rows])


@pytest.mark.parametrize(("encoding", "delimiter"), [("utf-8-sig", ","), ("gb18030", ","), ("utf-8", "\t")])
def test_csv_cells_are_text_and_empty_is_null(tmp_path: Path, encoding: str, delimiter: str) -> None:
    row = {"案号": "1", "标题": "有,逗号\n和换行", "涉案金额（元）": "5.0", "原告": ""}
    write_csv(tmp_path / "LegalDoc.csv", [row], encoding, delimiter)
    assert imported(tmp_path) == [{"标题": "有,逗号\n和换行", "案号": "1", "原告": None, "涉案金额（元）": "5.0"}]


def test_a_csv_of_a_spreadsheet_comes_as_it_is_shown(tmp_path: Path) -> None:
    text = '案号,,标题,,\r\n="000123",,甲,,\r\n,,,,\r\n"=""000124""",,乙,,\r\n'
    (tmp_path / "LegalDoc.csv").write_bytes(text.encode("gb18030"))
    assert imported(tmp_path) == [{"标题": "甲", "案号": "000123"}, {"标题": "乙", "案号": "000124"}]


def test_a_zip_with_tables_documents_and_tasks(tmp_path: Path) -> None:
    with zipfile.ZipFile(tmp_path / "full.zip", "w") as archive:
        archive.writestr("full/LegalDoc.jsonl.gz", gzip.compress(lines(DOCUMENT).encode()))
        archive.writestr("full/LegalArticle.csv", "text,law\n第一条,民法\n")
        archive.writestr("full/dataset.json", '[{"id": 1, "question": "？"}]')
        archive.writestr("full/README.md", "read me")
    tables.import_pack(tmp_path / "full.zip", "p", silent)
    with Pack.open("p") as pack:
        assert pack.counts()["tables"]["LegalDoc"] == 1
        assert [document.text for document in pack.documents("LegalArticle")] == ["第一条"]
        assert pack.counts()["tasks"] == {"legalagentbench": 1}
        assert pack.manifest.coverage == "complete"
        assert pack.find(LOOKUPS["get_legal_document"], ["无此案号"]).status == "miss"


@pytest.mark.parametrize(
    ("file", "content", "message"),
    [
        ("Novel.csv", "案号\n1\n".encode(), r"Novel\.csv: there is no table or corpus named Novel"),
        ("LegalDoc.csv", "案号,页数\n1,2\n".encode(), r"LegalDoc\.csv, line 2: LegalDoc has no column 页数"),
        ("LegalDoc.csv", "案号,标题\n1,2\n3\n".encode(), r"LegalDoc\.csv, line 3: 1 cells under 2 columns"),
        ("LegalDoc.csv", '案号\n"1'.encode(), "not valid CSV"),
        ("LegalDoc.csv", b"", "first row must hold"),
        ("LegalDoc.csv", "案号,标题\n9.11101E+17,1\n".encode(), "line 2: 案号 holds 9.11101E.17, which has lost"),
        ("LegalDoc.csv", "案号\n一\n".encode("utf-16-le"), r"LegalDoc\.csv"),
        ("LegalDoc.csv", b"\xff\xff\xff\n", "neither UTF-8 nor GB18030"),
        ("LegalDoc.jsonl", '{"案号": [1]}'.encode(), r"LegalDoc\.jsonl, line 1: LegalDoc: 案号 cannot hold"),
        ("LegalDoc.jsonl", '{"案号": 1}\n{"案号": 123456789012345678901}'.encode(), "line 2: .*cannot hold"),
        ("LegalCases.jsonl", b'{"title": "x"}', "line 1: a text of LegalCases needs"),
        ("LegalDoc.db", b"SQLite format 3\0" + b"x" * 2000, r"LegalDoc\.db"),
        ("LegalDoc.xlsx", b"\xd0\xcf\x11\xe0" + bytes(600), "old workbook or protected by a password"),
    ],
)  # fmt: skip
def test_bad_tables_are_named_and_leave_nothing(tmp_path: Path, file: str, content: bytes, message: str) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / file).write_bytes(content)
    with pytest.raises(BadInput, match=message):
        tables.import_pack(tmp_path / "in", "p", silent)
    assert not places.packs().exists() or list(places.packs().iterdir()) == []


def test_a_table_given_twice_and_no_table(tmp_path: Path) -> None:
    write_jsonl(tmp_path / "LegalDoc.jsonl", [DOCUMENT])
    write_csv(tmp_path / "LegalDoc.csv", [{"案号": "1"}])
    with pytest.raises(BadInput, match=r"LegalDoc occurs twice: in LegalDoc\.csv and in LegalDoc\.jsonl"):
        tables.import_pack(tmp_path, "p", silent)
    (tmp_path / "empty").mkdir()
    with pytest.raises(BadInput, match="holds no table"):
        tables.import_pack(tmp_path / "empty", "p", silent)


# By a map
# --------------------------------------------------------------------------------------------------------------

OWN = '{"法院": "丙法院", "编号": "（2024）丙1号", "备注": {"页": 3}}\n{"法院": "丙法院", "编号": "（2024）丙2号"}\n'
MAP = '["卷宗.jsonl"]\ntable = "LegalDoc"\n["卷宗.jsonl".columns]\n"编号" = "案号"\n"法院" = "标题"\n"备注" = ""\n'


@pytest.fixture
def own(tmp_path: Path) -> Path:
    folder = tmp_path / "own"
    folder.mkdir()
    (folder / "卷宗.jsonl").write_text(OWN, encoding="utf-8")
    (folder / "旧案.csv").write_text("案号\n1\n", encoding="utf-8")
    return folder


def test_tables_by_a_map(tmp_path: Path, own: Path) -> None:
    (own / "AddrInfo.csv").write_text("地址,备注\n一路1号,x\n", encoding="utf-8")
    found = tables.guessed(own, silent)
    assert {place: (one.table, dict(one.columns)) for place, one in found.items()} == {
        "AddrInfo.csv": ("AddrInfo", {"地址": "地址", "备注": ""}),
        "卷宗.jsonl": ("", {"法院": "", "编号": "", "备注": ""}),
        "旧案.csv": ("", {"案号": ""}),
    }
    (tmp_path / "map.toml").write_text(MAP, encoding="utf-8")
    remarks: list[str] = []
    maps = tables.read_map(tmp_path / "map.toml")
    tables.import_pack(own, "p", lambda phase, done, total: remarks.append(phase), maps)
    with Pack.open("p") as pack:
        rows = [{c: v for c, v in row.cells.items() if v is not UNKNOWN} for row in pack.rows("LegalDoc")]
        assert pack.counts()["tables"]["AddrInfo"] == 0
    assert rows == [{"标题": "丙法院", "案号": f"（2024）丙{n}号"} for n in (1, 2)]
    assert [one for one in remarks if one.startswith("left out")] == [
        "left out: AddrInfo.csv (the map gives it no table)",
        "left out: 卷宗.jsonl: 备注 (no column of LegalDoc)",
        "left out: 旧案.csv (the map gives it no table)",
    ]


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (("LegalDoc", "Novel"), r"卷宗\.jsonl: there is no table or corpus named Novel"),
        (('= "案号"', '= "号"'), r"卷宗\.jsonl, line 1: LegalDoc has no column 号"),
        (("编号", "号码"), r"the map names 号码, which is not in 卷宗\.jsonl"),
        (("卷宗", "案卷"), r"the map names 案卷\.jsonl, which is not in own"),
        (("LegalDoc", ""), "the map names no table"),
        (("[", "x = 1\n["), "a map has names of tables"),
    ],
)
def test_a_bad_map_is_named_and_leaves_nothing(
    tmp_path: Path, own: Path, change: tuple[str, str], message: str
) -> None:
    (tmp_path / "map.toml").write_text(MAP.replace(*change, 1 if change[0] == "[" else -1), encoding="utf-8")
    with pytest.raises(BadInput, match=message):
        tables.import_pack(own, "p", silent, tables.read_map(tmp_path / "map.toml"))
    assert not places.packs().exists() or list(places.packs().iterdir()) == []
