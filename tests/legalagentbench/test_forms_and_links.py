"""Tools as forms, records with links, and a pack read by windows: all without a screen."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from store.browsing import LAWS, Dataset, SortOrder, count, datasets, suggested, window
from store.pack import Pack
from store.schema import CORPORA, LOOKUPS, TABLES
from tasks.legalagentbench import schemas as forms
from tasks.legalagentbench.construct.tree import links
from tasks.legalagentbench.tools import TOOLS, Toolbox
from tests.support.desk_fixture import CASE, COMPANY, COURT, build_pack


@pytest.fixture(scope="module")
def pack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Pack]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(tmp_path_factory.mktemp("home")))
        opened = Pack.open(build_pack())
    with opened:
        yield opened


def test_every_shelf_is_named_with_its_rows(pack: Pack) -> None:
    found = dict(datasets(pack))
    assert [dataset.kind for dataset in found] == [*TABLES, *CORPORA, LAWS]
    assert found[Dataset("LegalDoc")] == 3 and found[Dataset("CompanyInfo")] == 0 and found[Dataset(LAWS)] == 0


def test_a_window_is_sorted_filtered_and_cut_by_sqlite(pack: Pack) -> None:
    dataset = Dataset("LegalDoc")
    amounts = [
        row.cells["涉案金额（元）"] for row in window(pack, dataset, order=SortOrder("涉案金额（元）", down=True))
    ]
    assert amounts == [1284500.5, 96000.0, 3100.0]
    assert [row.number for row in window(pack, dataset, start=1, most=1)] == [2]
    assert count(pack, dataset, ["季云", "民初12号"]) == 1
    assert window(pack, dataset, ["民初12号"])[0].provenance == "authored"
    assert not count(pack, dataset, ["%"]), "signs of patterns are text"


def test_names_are_suggested_that_the_tool_would_find(pack: Pack) -> None:
    assert suggested(pack, "get_legal_document", "identifier", "（2023）云溪")[0] == "（2023）云溪0101民初12号"
    assert suggested(pack, "get_court_info", "identifier", "人民") == [COURT]
    assert (
        suggested(pack, "get_court_info", "columns", "") == []
        and suggested(pack, "get_court_info", "identifier", "_") == []
    )


def test_a_record_leads_to_every_row_that_its_values_open(pack: Pack) -> None:
    case = pack.find(LOOKUPS["get_legal_document"], [CASE]).rows[0]
    found = {(link.columns, link.tool): link for link in links(pack, case)}
    assert len(found[("关联公司",), "get_legal_document_company_list"].rows) == 3
    assert found[("案号",), "get_court_code"].values == ("云溪0101",)
    assert (("案号",), "get_legal_document") not in found, "a record does not lead to itself"
    code = found[("案号",), "get_court_code"].rows[0]
    assert {(link.tool, link.table) for link in links(pack, code)} == {("get_court_info", "CourtInfo")}


def test_every_tool_has_a_form_and_refuses_what_is_empty() -> None:
    for tool in forms.callable_tools():
        made = forms.fields(tool)
        assert made and all(field.description for field in made), tool.name
        assert forms.read(tool, {})[1], tool.name


def test_what_is_typed_becomes_an_input_that_the_tool_takes(pack: Pack) -> None:
    tool = TOOLS["get_legal_document_company_list"]
    given, refusal = forms.read(tool, {"identifier": COMPANY, "columns": "案号、涉案金额（元）"})
    assert not refusal and given == {"identifier": COMPANY, "columns": ["案号", "涉案金额（元）"]}
    assert len(Toolbox(pack).call(tool.name, given).value) == 3
    assert "案由号" in forms.read(tool, {"identifier": COMPANY, "columns": "案由号"})[1]
    given, refusal = forms.read(TOOLS["get_sum"], {"identifier": "3.87亿 1000；5"})
    assert not refusal and Toolbox(None).call("get_sum", given).status == "ok"
    given, refusal = forms.read(TOOLS["get_rank"], {"identifier": "3 1 2", "is_desc": "true"})
    assert not refusal and given["is_desc"] is True
    given, refusal = forms.read(TOOLS["get_company_register_name"], {"identifier": "91"})
    assert not refusal and Toolbox(pack).call("get_company_register_name", given).status != "call_error"


@pytest.mark.parametrize(
    ("typed", "works"),
    [
        ("答案是三件。", True), ("/get_sum {\"identifier\": [1]}", True), ("/get_sum", False),
        ("/get_nothing {}", False),
        ("/get_court_info {\"identifier\": \"x\"}", False), ("/get_court_info {", False), ("/finish {}", True),
        ("/get_court_info {\"identifier\": \"x\", \"columns\": [\"负责人\"]}", False),
    ],
)  # fmt: skip
def test_a_call_that_cannot_succeed_is_refused_before_it_is_made(typed: str, works: bool) -> None:
    assert (forms.refused(typed) == "") is works
    assert forms.refused(forms.typed_call("get_sum", {"identifier": [1]})) == ""
