"""Packs: what goes in comes out with its type, and what is not known is not guessed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from store.builder import PackBuilder
from store.errors import BadInput, NotFound, StoreError
from store.pack import Pack
from store.schema import LOOKUPS, TABLES, UNKNOWN, Cell

COMPANY = LOOKUPS["get_company_info"]
DOCUMENTS = LOOKUPS["get_legal_document_company_list"]
FIRMS = LOOKUPS["get_legal_document_law_list"]
COURTS = LOOKUPS["get_court_info_list"]
REGISTER = LOOKUPS["get_company_register_name"]

CELLS = st.one_of(
    st.just(UNKNOWN),
    st.none(),
    st.text(st.characters(exclude_categories=["Cs"]), max_size=12),
    st.integers(-(2**63), 2**63 - 1),
    st.floats(allow_nan=False),
    st.sampled_from(["5", "5.0", "-", " - ", "", "nan"]),
    st.sampled_from([5, 5.0, 0, 0.0, -0.0]),
)


def builder(name: str = "p", coverage: str = "harvest") -> PackBuilder:
    return PackBuilder(name, jurisdiction="x", source="s", licence="l", coverage=coverage, as_of="")  # type: ignore[arg-type]


def plain(cells: dict[str, Cell]) -> list[tuple[type, object]]:
    return [(type(value), repr(value)) for value in cells.values()]


@settings(max_examples=10)
@given(st.lists(st.lists(CELLS, min_size=9, max_size=9), min_size=1, max_size=8))
def test_cells_keep_type_and_value(rows: list[list[Cell]]) -> None:
    columns = TABLES["FinalizedCase"]
    given_rows = [dict(zip(columns, cells, strict=True)) for cells in rows]
    with builder() as made:
        numbers = [made.add_row("FinalizedCase", cells, "authored") for cells in given_rows]
    with Pack.open("p") as pack:
        found = list(pack.rows("FinalizedCase"))
        assert [row.number for row in found] == numbers
        assert [plain(dict(row.cells)) for row in found] == [plain(cells) for cells in given_rows]


def test_lookup_compares_type_and_value() -> None:
    cells: list[Cell] = ["5", 5, 5.0, "5.0", "x", "", None, UNKNOWN, 5, "5"]
    with builder() as made:
        for cell in cells:
            made.add_row("LegalDoc", {"关联公司": cell}, "authored")
    with Pack.open("p") as pack:
        for asked in ("5", 5, 5.0, "5.0", "x", ""):
            expected = [n for n, cell in enumerate(cells, 1) if type(cell) is type(asked) and cell == asked]
            assert [row.number for row in pack.find(DOCUMENTS, [asked]).rows] == expected


def test_null_is_known_and_absent_is_not() -> None:
    with builder() as made:
        made.add_row("CompanyInfo", {"公司名称": "甲", "关联证券": None, "入选指数": float("nan")}, "harvested")
    with Pack.open("p") as pack:
        cells = pack.find(COMPANY, ["甲"]).rows[0].cells
    assert list(cells) == list(TABLES["CompanyInfo"])
    assert cells["关联证券"] is None and cells["入选指数"] is None and cells["董秘"] is UNKNOWN


def test_one_gives_the_first_row_and_many_all_in_order() -> None:
    with builder(coverage="complete") as made:
        for name, case in (("甲", "1"), ("乙", "1"), ("甲", "2"), ("甲", "1")):
            cells = {"关联公司": name, "案号": case, "原告律师事务所": name, "被告律师事务所": "丙"}
            made.add_row("LegalDoc", cells, "authored")
    with Pack.open("p") as pack:
        assert [row.number for row in pack.find(DOCUMENTS, ["甲"]).rows] == [1, 3, 4]
        assert [row.number for row in pack.find(LOOKUPS["get_legal_document"], ["1"]).rows] == [1]
        assert [row.number for row in pack.find(FIRMS, ["丙"]).rows] == [1, 2, 3, 4]
        assert [row.number for row in pack.find(FIRMS, ["乙"]).rows] == [2]


def test_any_of_several_columns_may_match_and_all_parameters_must() -> None:
    court = {"法院省份": "北京市", "法院城市": "北京市", "法院区县": "海淀区"}
    with builder(coverage="complete") as made:
        made.add_row("CompanyInfo", {"公司名称": "甲公司", "公司简称": "甲", "公司代码": "600000"}, "authored")
        made.add_row("CourtInfo", {"法院名称": "海淀法院", **court}, "authored")
    with Pack.open("p") as pack:
        for asked in ("甲公司", "甲", "600000"):
            assert pack.find(COMPANY, [asked]).status == "rows"
        assert pack.find(COMPANY, [600000]).status == "miss"
        assert pack.find(COURTS, ["北京市", "北京市", "海淀区"]).status == "rows"
        assert pack.find(COURTS, ["北京市", "海淀区", "北京市"]).status == "miss"


def test_a_harvest_knows_only_what_was_recorded() -> None:
    with builder() as made:
        rows = [made.add_row("LegalDoc", {"关联公司": "甲", "案号": case}, "harvested") for case in ("1", "2", "3")]
        made.known_list(DOCUMENTS.tool, ("甲",), [rows[2], rows[0]])
        made.known_miss(DOCUMENTS.tool, ("丁",))
        made.add_row("LegalDoc", {"关联公司": "乙"}, "harvested")
        made.known_one("get_legal_document", ("9",), rows[1])
        made.known_one(DOCUMENTS.tool, ("戊",), rows[1])
    with Pack.open("p") as pack:
        known = pack.find(DOCUMENTS, ["甲"])
        assert ([row.number for row in known.rows], known.complete) == ([3, 1], True)
        assert pack.find(DOCUMENTS, ["丁"]).status == "miss"
        partly = pack.find(DOCUMENTS, ["乙"])
        assert (partly.status, partly.complete) == ("rows", False)
        assert pack.find(DOCUMENTS, ["丙"]).status == "outside"
        one = pack.find(LOOKUPS["get_legal_document"], ["9"])
        assert ([row.number for row in one.rows], one.complete) == ([2], True)
        assert not pack.find(DOCUMENTS, ["戊"]).complete


def test_a_complete_pack_says_no_only_where_it_can_know() -> None:
    with builder(coverage="complete") as made:
        made.add_row("CompanyRegister", {"公司名称": "甲"}, "imported")
    with Pack.open("p") as pack:
        assert pack.find(LOOKUPS["get_company_register"], ["乙"]).status == "miss"
        assert pack.find(REGISTER, ["91"]).status == "outside", "the column was not given"
        assert pack.find(COMPANY, ["甲"]).status == "outside", "the table was not given"


def test_distinct_counts_and_statistics() -> None:
    with builder() as made:
        for cell in ("乙", "甲", "乙", None, 5, UNKNOWN):
            made.add_row("AddrInfo", {"地址": cell}, "harvested")
        made.add_document("LegalArticle", "第一条", "imported")
        made.add_tasks("legalagentbench", ['{"id": 1}', '{"id": 2}\n'])
    with Pack.open("p") as pack:
        assert pack.distinct("AddrInfo", "地址") == ["乙", "甲"]
        assert pack.counts()["tables"]["AddrInfo"] == 6
        assert pack.counts()["documents"] == {"LegalKnowledge": 0, "LegalArticle": 1, "LegalCases": 0}
        assert pack.counts()["tasks"] == {"legalagentbench": 2}
        assert pack.provenance == {"harvested", "imported"}
        assert pack.statistics()["tables"]["AddrInfo"] == {"rows": 6, "cells": 24, "known_cells": 5}
        tasks = pack.task_file("legalagentbench")
        assert tasks is not None and tasks.read_text(encoding="utf-8") == '{"id": 1}\n{"id": 2}\n'
        assert pack.task_file("courts") is None
        assert [document.text for document in pack.documents("LegalArticle")] == ["第一条"]
        with pytest.raises(NotFound):
            pack.distinct("AddrInfo", "x")
        for read in (pack.rows, pack.documents):
            with pytest.raises(NotFound):
                list(read("x"))  # type: ignore[operator]
        with pytest.raises(ValueError):
            pack.find(COURTS, ["一"])


def test_an_open_pack_cannot_be_written() -> None:
    with builder() as made:
        made.add_row("AddrInfo", {"地址": "甲"}, "harvested")
    with Pack.open("p") as pack:
        for statement in ("DELETE FROM AddrInfo", "CREATE TABLE x (y)"):
            with pytest.raises(StoreError):
                pack.reader.all(statement)


def test_many_threads_read_one_pack() -> None:
    with builder() as made:
        for number in range(200):
            made.add_row("AddrInfo", {"地址": str(number)}, "harvested")
    with Pack.open("p") as pack, ThreadPoolExecutor(3) as pool:
        found = pool.map(lambda n: pack.find(LOOKUPS["get_address_info"], [str(n)]).rows, range(200))
        assert [[row.cells["地址"] for row in rows] for rows in found] == [[str(n)] for n in range(200)]


def test_builder_refuses_what_does_not_fit() -> None:
    with builder() as made:
        row = made.add_row("AddrInfo", {"地址": "甲"}, "harvested")
        for table, bad in (
            ("AddrInfo", {"街道": "x"}),
            ("Nowhere", {}),
            ("AddrInfo", {"地址": 2**64}),
            ("AddrInfo", {"地址": "\ud800"}),
        ):
            with pytest.raises(BadInput):
                made.add_row(table, bad, "harvested")
        made.known_miss("get_address_info", ("丁",))
        made.known_miss("get_address_info", ("丁",))
        with pytest.raises(BadInput, match="Two different answers"):
            made.known_one("get_address_info", ("丁",), row)
        with pytest.raises(BadInput, match="no row 7"):
            made.known_one("get_address_info", ("戊",), 7)
        with pytest.raises(BadInput):
            made.add_document("Novels", "x", "harvested")


def test_the_databases_of_a_pack_are_told_table_by_table(sample_built: Path) -> None:
    with Pack.open(sample_built) as pack:
        found = pack.databases()
        tables = pack.statistics()["tables"]
    assert {"corpus.db", "web.db"} == set(found)
    assert {name: found["corpus.db"][name]["rows"] for name in tables} == {
        name: one["rows"] for name, one in tables.items()
    }
    assert set(found["corpus.db"]["AddrInfo"]["columns"].values()) == {"INTEGER", "TEXT", "ANY"}
    indexes = {name: facts["index"] for name, facts in found["corpus.db"].items() if facts["index"]}
    assert indexes and set(indexes.values()) == {"FTS5"}
    assert not any(name.endswith(("_data", "_docsize", "_config")) for tables in found.values() for name in tables)
