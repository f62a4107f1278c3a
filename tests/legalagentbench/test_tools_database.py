"""The 28 lookups and 3 retrievers: order of checks, exact equality, columns, what a pack cannot know, and no
exception ever."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from store.builder import PackBuilder
from store.pack import Pack
from store.schema import TABLES
from tasks.legalagentbench.tools import BAD_COLUMN, CALL_ERROR, NO_DATA, OUTSIDE, TOOLS, UNKNOWN_CELL, Toolbox

COURT = {
    "法院名称": "云溪市青石区人民法院",
    "行政级别": "区县级",
    "法院级别": "基层法院",
    "法院代字": "云0101",
    "区划代码": 990101,
    "级别": 4,
}
FIRMS = [
    ("云溪正衡律师事务所", "30万"),
    ("云溪明理律师事务所", None),
]
PLACE = {"prov": "云溪市", "city": "云溪市", "county": "青石区"}


def build(name: str, coverage: Any) -> Path:
    with PackBuilder(
        name, jurisdiction="虚构", source="test", licence="MIT", coverage=coverage, as_of="2024"
    ) as builder:
        builder.add_row("CourtCode", COURT, "authored")
        firms = []
        for firm, capital in FIRMS:
            cells = dict.fromkeys(TABLES["LawfirmInfo"], "-") | {
                "律师事务所名称": firm, "事务所注册资本": capital, "事务所省份": "云溪市", "事务所城市": "云溪市",
                "事务所区县": "青石区",
            }  # fmt: skip
            firms.append(builder.add_row("LawfirmInfo", cells, "authored"))
        builder.add_row(
            "SubCompanyInfo",
            {"公司名称": "晨星机械有限公司", "关联上市公司全称": "晨星控股股份有限公司"},
            "harvested",
        )
        builder.add_row(
            "CompanyRegister", {"公司名称": "晨星机械有限公司", "统一社会信用代码": "91990101TEST"}, "harvested"
        )
        if coverage == "harvest":
            builder.known_list("get_lawfirm_info_list", tuple(PLACE.values()), firms)
            builder.known_miss("get_court_code", ("无此法院",))
        for text in ("借款合同是借款人向贷款人借款的合同", "租赁合同是出租人交付租赁物的合同"):
            builder.add_document("LegalArticle", text, "authored")
    return builder.finish()


@pytest.fixture(scope="module")
def packs(tmp_path_factory: pytest.TempPathFactory) -> Iterator[dict[str, Pack]]:
    patch = pytest.MonkeyPatch()
    patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
    opened = {name: Pack.open(build(name, name)) for name in ("complete", "harvest")}
    yield opened
    for pack in opened.values():
        pack.close()
    patch.undo()


@pytest.fixture
def box(packs: dict[str, Pack]) -> Toolbox:
    return Toolbox(packs["harvest"])


def test_there_are_37_tools() -> None:
    kinds = [spec.kind for spec in TOOLS.values()]
    assert [kinds.count(kind) for kind in ("database", "retriever", "mathematics", "control")] == [28, 3, 5, 1]
    assert all(spec.description and spec.parameters for spec in TOOLS.values())


def test_columns_come_in_the_order_asked(box: Toolbox) -> None:
    result = box.call("get_court_code", {"identifier": "云0101", "columns": ["区划代码", "法院名称"]})
    assert result.observation == "{'区划代码': 990101, '法院名称': '云溪市青石区人民法院'}"
    assert (result.status, result.unknown, result.provenance) == ("ok", 0, ("authored",))


def test_no_columns_are_all_columns(box: Toolbox) -> None:
    value = box.call("get_court_code", {"identifier": COURT["法院名称"], "columns": []}).value
    assert tuple(value) == TABLES["CourtCode"]


def test_a_list_keeps_its_order_and_shows_nan(box: Toolbox) -> None:
    result = box.call("get_lawfirm_info_list", {**PLACE, "columns": ["事务所注册资本"], "order_by": "x"})
    assert result.observation == "[{'事务所注册资本': '30万'}, {'事务所注册资本': nan}]"
    assert result.value == [{"事务所注册资本": "30万"}, {"事务所注册资本": None}]
    assert result.complete


def test_a_name_is_shown_bare_and_columns_do_not_matter(box: Toolbox) -> None:
    result = box.call("get_company_register_name", {"identifier": "91990101TEST", "columns": ["没有的列"]})
    assert (result.status, result.observation) == ("ok", "晨星机械有限公司")


def test_the_identifier_is_checked_before_the_columns(box: Toolbox) -> None:
    assert box.call("get_court_code", {"identifier": "无此法院", "columns": ["没有的列"]}).observation == NO_DATA
    found = box.call("get_court_code", {"identifier": "云0101", "columns": ["法院名称", "没有的列"]})
    assert (found.status, found.observation) == ("bad_column", BAD_COLUMN)


@pytest.mark.parametrize("identifier", [" 云0101", "云0101 ", "云01", "%", "云0101' OR '1'='1", "\x00", ""])
def test_equality_is_exact(packs: dict[str, Pack], identifier: str) -> None:
    given_input = {"identifier": identifier, "columns": []}
    assert Toolbox(packs["complete"]).call("get_court_code", given_input).observation == NO_DATA
    outside = Toolbox(packs["harvest"]).call("get_court_code", given_input)
    assert (outside.status, outside.observation, outside.complete) == ("outside_pack", OUTSIDE, False)


def test_what_the_pack_does_not_hold_is_said(box: Toolbox) -> None:
    some = box.call(
        "get_sub_company_info",
        {"identifier": "晨星机械有限公司", "columns": ["关联上市公司全称", "上市公司投资金额"]},
    )
    assert (some.status, some.unknown) == ("ok", 1)
    assert some.value == {"关联上市公司全称": "晨星控股股份有限公司", "上市公司投资金额": UNKNOWN_CELL}
    none = box.call("get_sub_company_info", {"identifier": "晨星机械有限公司", "columns": ["上市公司投资金额"]})
    assert none.status == "outside_pack"
    assert none.observation.startswith("数据包未收录")
    listed = box.call("get_sub_company_info_list", {"identifier": "晨星控股股份有限公司", "columns": ["公司名称"]})
    assert (listed.status, listed.complete) == ("ok", False)


@pytest.mark.parametrize(
    ("tool", "given_input"),
    [
        ("get_court_code", "云0101"), ("get_court_code", {"identifier": "云0101"}), ("get_court_code", None),
        ("get_court_code", {"identifier": ["云0101"], "columns": []}), ("get_court_code", {"columns": []}),
        ("get_court_code", {"identifier": "云0101", "columns": "法院名称"}),
        ("get_court_code", {"identifier": "\ud800", "columns": []}),
        ("get_court_code", {"identifier": 2**70, "columns": []}),
        ("get_court_code", {"identifier": True, "columns": []}),
        ("get_lawfirm_info_list", {"prov": "云溪市", "city": "云溪市", "columns": []}),
        ("get_everything", {"identifier": "云0101", "columns": []}), ("", {}), ("legal_article_retriever", {"k": 3}),
        ("legal_article_retriever", {"identifier": "借款", "k": "许多"}),
        ("legal_article_retriever", {"identifier": "借款", "k": 0}),
    ],
)  # fmt: skip
def test_a_call_of_the_wrong_shape(box: Toolbox, tool: str, given_input: Any) -> None:
    result = box.call(tool, given_input)
    assert (result.status, result.observation) == ("call_error", CALL_ERROR)


def test_retrievers(box: Toolbox) -> None:
    result = box.call("legal_article_retriever", {"identifier": "借款合同", "k": 1, "columns": ["x"]})
    assert result.observation == "['借款合同是借款人向贷款人借款的合同']"
    assert (result.complete, result.provenance) == (False, ("authored",))
    assert len(box.call("legal_article_retriever", "合同").value) == 2
    assert box.call("legal_case_retriever", {"identifier": "借款合同"}).status == "outside_pack"


def test_finish_gives_the_answer_back(box: Toolbox) -> None:
    for tool in ("finish", "Final Answer"):
        assert box.call(tool, {"answer": "共3家。"}).observation == "共3家。"
    assert box.call("finish", ["甲", 1]).observation == '["甲", 1]'
