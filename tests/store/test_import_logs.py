"""The importer of published run logs: only what the harness printed counts, nothing is guessed, and any text is read
or refused."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.errors import BadInput, NotFound
from store.importers.legalagentbench_logs import CALLS, REPORT, import_pack
from store.importers.logs.calls import NotALiteral, read_literal
from store.pack import Pack, verify_pack
from store.schema import LOOKUPS, UNKNOWN

HINT = "原因可能是: 一, 调用的工具不合适, 尝试使用其他工具. 请你反思并尝试纠正."
NO_DATA = "No data found for the specified identifier."
BAD_COLUMN = "One or more specified columns do not exist."
END = "final_anwer is 答案\nsummary_answer is 总结\n\n\n"


def quiet(*_: object) -> None:
    """No progress."""


def action(tool: str, given: Any) -> str:
    return "```json" + json.dumps({"action": tool, "action_input": given}, ensure_ascii=False) + "```"


def react(*steps: tuple[str, str], thought: str = "想") -> str:
    """An episode as the ReAct harness prints it."""
    lines = ["一个问题。", ""]
    for number, (said, seen) in enumerate(steps, 1):
        lines += [f"思考 {number}:  {thought}", f"行动 {number}:  {said}", f"观察 {number}: {seen}"]
    return "\n".join(lines) + "\n" + END


def plan(*steps: tuple[str, str]) -> str:
    """An episode as the two planning harnesses print it."""
    lines = ["一个问题。", ""] + [f"第{n}步计划: {step} 执行结果: {seen}" for n, (step, seen) in enumerate(steps, 1)]
    return "\n".join(lines) + "\n" + END


Import = Callable[..., tuple[Pack, dict[str, Any]]]


def report_of(path: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((path / REPORT).read_text(encoding="utf-8"))
    return found


@pytest.fixture
def imported(tmp_path: Path) -> Import:
    """Writes texts as logs, imports them, opens the pack."""

    def run(*texts: str) -> tuple[Pack, dict[str, Any]]:
        folder = tmp_path / "logs"
        folder.mkdir()
        for number, text in enumerate(texts):
            (folder / f"log_{number}.txt").write_bytes(text.encode())
        path = import_pack(folder, "harvest", quiet)
        assert not verify_pack(path)
        return Pack.open(path), report_of(path)

    return run


def cells(pack: Pack, table: str) -> list[dict[str, Any]]:
    return [{c: v for c, v in row.cells.items() if v is not UNKNOWN} for row in pack.rows(table)]


def test_a_recorded_list_is_complete_ordered_and_merged_over_its_columns(imported: Import) -> None:
    rows = "[{'案号': '（2020）京01执1号'}, {'案号': '（2020）京01执2号'}]"
    sums = "[{'涉案金额（元）': nan}, {'涉案金额（元）': '5'}]"
    given = {"identifier": "甲公司", "columns": ["案号"]}
    pack, summary = imported(
        react(
            (action("get_restriction_case_company_list", given), rows),
            (action("get_restriction_case_company_list", {**given, "columns": ["涉案金额（元）"]}), sums),
        )
    )
    found = pack.find(LOOKUPS["get_restriction_case_company_list"], ["甲公司"])
    assert (found.status, found.complete) == ("rows", True)
    assert [row.cells["案号"] for row in found.rows] == ["（2020）京01执1号", "（2020）京01执2号"]
    assert [row.cells["涉案金额（元）"] for row in found.rows] == [None, "5"]
    assert {row.cells["限制高消费企业名称"] for row in found.rows} == {"甲公司"}
    assert found.rows[0].cells["申请人"] is UNKNOWN and found.rows[0].provenance == "harvested"
    assert (summary["lists"], summary["calls"], summary["contradictions"]) == (1, 2, 0)
    assert pack.manifest.coverage == "harvest" and {CALLS, REPORT} <= set(pack.manifest.files)


def test_no_data_is_a_known_miss_and_silence_is_not(imported: Import) -> None:
    pack, summary = imported(
        react((action("get_company_info", {"identifier": "乙公司", "columns": []}), NO_DATA + HINT))
    )
    assert pack.find(LOOKUPS["get_company_info"], ["乙公司"]).status == "miss"
    assert pack.find(LOOKUPS["get_company_info"], ["丙公司"]).status == "outside"
    assert summary["misses"] == 1
    (line,) = (pack.path / CALLS).read_text(encoding="utf-8").splitlines()
    known = {"tool": "get_company_info", "known_tool": True, "input": {"identifier": "乙公司", "columns": []}}
    assert json.loads(line) == {**known, "status": "no_data", "observation": NO_DATA, "seen": 1}


def test_a_complaint_about_columns_proves_that_the_row_exists(imported: Import) -> None:
    pack, _ = imported(
        react(
            (action("get_court_info", {"identifier": "甲法院", "columns": ["邮编"]}), BAD_COLUMN + HINT),
            (action("get_legal_document_law_list", {"identifier": "乙所", "columns": ["邮编"]}), BAD_COLUMN + HINT),
        )
    )
    assert pack.find(LOOKUPS["get_court_info"], ["甲法院"]).status == "rows"
    found = pack.find(LOOKUPS["get_legal_document_law_list"], ["乙所"])
    assert (found.status, found.complete) == ("rows", False)
    assert cells(pack, "LegalDoc") == [{}]


def test_invented_observations_are_not_read(imported: Import) -> None:
    invented = "观察 1: {'公司名称': '假公司', '公司代码': '000000'} 观察 2: {'公司名称': '假公司'}"
    said = action("get_company_info", {"identifier": "真实股份有限公司", "columns": ["公司代码"]})
    played = f"思考 1:  编\n行动 1:  {said}\n观察 1: {{'公司代码': '666666'}}"
    answer = f"final_anwer is 过程如下\n\n{played}\nsummary_answer is 完"
    text = react((said + invented, "{'公司代码': '600000'}"), thought=invented).replace(END, answer + "\n\n\n")
    pack, summary = imported(text + react((said, "{'公司代码': '600000'}")))
    assert cells(pack, "CompanyInfo") == [{"公司名称": "真实股份有限公司", "公司代码": "600000"}]
    assert summary["out_of_turn"] == 3
    assert (summary["calls"], summary["recorded"]) == (1, 2)


def test_an_observation_may_span_lines_and_ends_at_the_next_marker(imported: Import) -> None:
    case = "['甲案\n\n观察 9: 不是观察\n（一）基本案情\n', '乙案']"
    pack, summary = imported(
        react(
            (action("legal_case_retriever", {"identifier": "借款", "k": 2}), case),
            (action("get_company_register_name", {"identifier": "91110000000000000X"}), "甲公司"),
        )
    )
    assert [d.text for d in pack.documents("LegalCases")] == ["甲案\n\n观察 9: 不是观察\n（一）基本案情\n", "乙案"]
    assert cells(pack, "CompanyRegister") == [{"公司名称": "甲公司", "统一社会信用代码": "91110000000000000X"}]
    assert summary["out_of_turn"] == 1


def test_action_inputs_pass_the_rules_of_the_upstream_parser(imported: Import) -> None:
    said = (
        "```json{'action': 'get_legal_document', 'action_input': {'identifier': '(2020)京01民终1号'}}``` ```json{}```"
    )
    wide = action("get_court_code", {"identifier": "京01", "columns": list("abcdef")})
    keywords = 'get_company_register ```py tool_call(identifier="甲公司")```'
    pack, _ = imported(
        react(
            (said, "{'案号': '（2020）京01民终1号', '原告': '甲'}"),
            (wide, "{'法院名称': '甲法院', '法院代字': '京01'}"),
            (keywords, "工具调用发生错误, 请检查传入工具的参数是否正确!"),
            ("没有动作", "行动格式非法, 行动一次只能调用一次工具"),
            (action("get_sum", [1, 2.5]), "3.5"),
            (action("find_all", {"q": 1}), "工具调用发生错误, 请检查传入工具的参数是否正确!"),
            (action("Final Answer", "完"), ""),
        )
    )
    lines = [json.loads(line) for line in (pack.path / CALLS).read_text(encoding="utf-8").splitlines()]
    assert [(line["tool"], line["input"], line["status"], line["known_tool"]) for line in lines] == [
        ("get_legal_document", {"identifier": "（2020）京01民终1号", "columns": []}, "ok", True),
        ("get_court_code", {"identifier": "京01", "columns": []}, "ok", True),
        ("get_company_register", {"identifier": "甲公司"}, "call_error", True),
        ("get_sum", [1, 2.5], "ok", True),
        ("find_all", {"q": 1}, "call_error", False),
    ]
    assert pack.find(LOOKUPS["get_court_code"], ["京01"]).rows[0].cells["法院名称"] == "甲法院"


def test_a_plan_step_gives_a_list_only_when_it_leaves_no_choice(imported: Import) -> None:
    shown = "[{'公司名称': '甲一公司'}, {'公司名称': '甲二公司'}]"
    tool = "get_sub_company_info_list"
    pack, summary = imported(
        plan(
            (f"使用{tool}工具，根据\"甲股份有限公司\"查询，列名为['公司名称']。", shown),
            (
                f'使用{tool}工具，根据"上一步得到的公司名称"查询。',
                "[{'关联上市公司全称': '乙公司', '公司名称': '乙一公司'}]",
            ),
            (
                f'使用{tool}工具查询"丙股份有限公司"，筛选出全资的。',
                "[{'关联上市公司全称': '丙股份有限公司', '公司名称': '丙一公司'}]",
            ),
            ("从上一步结果中筛选。", "[{'公司名称': '编造公司', '上市公司关系': '子公司'}]"),
            (f'使用{tool}工具，查询"丁股份有限公司"。', "[{'案号': '（2020）京01执1号', '执行法院': '甲法院'}]"),
            (f'使用{tool}工具，查询"戊股份有限公司"。 执行结果: 无', "[{'公司名称': '戊一公司'}]"),
            (f'使用{tool}工具，查询"己股份有限公司"。', NO_DATA + HINT),
        )
    )
    lookup = LOOKUPS[tool]
    found = pack.find(lookup, ["甲股份有限公司"])
    assert found.complete and [row.cells["公司名称"] for row in found.rows] == ["甲一公司", "甲二公司"]
    for name in ("乙公司", "丙股份有限公司"):
        found = pack.find(lookup, [name])
        assert (found.status, found.complete, len(found.rows)) == ("rows", False, 1)
    for name in ("丁股份有限公司", "戊股份有限公司", "己股份有限公司"):
        assert pack.find(lookup, [name]).status == "outside"
    assert "编造公司" not in pack.distinct("SubCompanyInfo", "公司名称")
    assert (summary["two_results"], summary["calls"], summary["lists"]) == (1, 0, 1)


def test_one_row_seen_in_several_ways_is_one_row(imported: Import) -> None:
    pack, summary = imported(
        react(
            (action("get_company_info", {"identifier": "600000", "columns": ["董秘"]}), "{'董秘': '王'}"),
            (
                action("get_company_info", {"identifier": "甲股份有限公司", "columns": []}),
                "{'公司代码': '600000', '总经理': '李'}",
            ),
        ),
        plan(('使用get_company_info查询"甲股份有限公司"。', "{'公司名称': '甲股份有限公司', '法人代表': '赵'}")),
    )
    assert cells(pack, "CompanyInfo") == [
        {"公司名称": "甲股份有限公司", "公司代码": "600000", "法人代表": "赵", "总经理": "李", "董秘": "王"}
    ]
    assert summary["contradictions"] == 0


def test_the_same_case_number_of_two_companies_is_two_rows(imported: Import) -> None:
    shown = "[{'案号': '（2020）京01民初1号', '涉案金额（元）': 1.0}]"
    tool = "get_legal_document_company_list"
    pack, summary = imported(
        react(*[(action(tool, {"identifier": name, "columns": []}), shown) for name in ("甲公司", "乙公司")])
    )
    assert len(cells(pack, "LegalDoc")) == 2 and summary["contradictions"] == 0


@pytest.mark.parametrize(
    ("first", "second", "told"),
    [
        (("甲公司", "{'董秘': '王'}"), ("甲公司", "{'董秘': '李'}"), "answered differently"),
        (("甲公司", "{'董秘': '王'}"), ("甲公司 ", NO_DATA), ""),
        (("甲公司", NO_DATA), ("600000", "{'公司名称': '甲公司', '公司代码': '600000'}"), "found nothing"),
        (
            ("600000", "{'公司名称': '甲公司', '董秘': '王'}"),
            ("甲公司", "{'公司名称': '甲公司', '董秘': '李'}"),
            "董秘",
        ),
    ],
)
def test_disagreements_are_counted_and_described(
    imported: Import, first: tuple[str, str], second: tuple[str, str], told: str
) -> None:
    tool = "get_company_info"
    asked = [(action(tool, {"identifier": name, "columns": []}), seen) for name, seen in (first, second)]
    _, summary = imported(react(*asked))
    assert summary["contradictions"] == (1 if told else 0)
    assert told in "".join(summary["contradictions_described"])


def test_files_that_are_no_logs(tmp_path: Path, moot_home: Path) -> None:
    good = react((action("get_sum", [1]), "1"))
    prose, broken, late = tmp_path / "prose.txt", tmp_path / "blob.txt", tmp_path / "late.txt"
    prose.write_text("普通文字\n观察 1: {'案号': '1'}\n", encoding="utf-8")
    broken.write_bytes(b"ok\n\xff\xfe\n")
    late.write_bytes(good.encode() + b"abc \xe4\xb8\n")
    with pytest.raises(NotFound, match="does not exist"):
        import_pack(tmp_path / "nowhere", "h", quiet)
    with pytest.raises(BadInput, match=r"prose\.txt, line 1: not a run log"):
        import_pack(prose, "h", quiet)
    with pytest.raises(BadInput, match=r"blob\.txt, line 2: not UTF-8"):
        import_pack(broken, "h", quiet)
    with pytest.raises(BadInput, match=rf"late\.txt, line {good.count(chr(10)) + 1}: not UTF-8"):
        import_pack(tmp_path, "h", quiet)
    late.unlink()
    with pytest.raises(BadInput, match="no run log in this folder"):
        import_pack(tmp_path, "h", quiet)
    assert not list((moot_home / "packs").glob("*"))
    (tmp_path / "inner").mkdir()
    (tmp_path / "inner" / "LOG.TXT").write_text(good, encoding="utf-8-sig", newline="\r\n")
    summary = report_of(import_pack(tmp_path, "h", quiet))
    assert (summary["logs"], summary["calls"]) == (["LOG.TXT"], 1)
    assert summary["skipped_files"] == ["blob.txt", "prose.txt"]


LITERAL_TEXT = st.text(alphabet="[]{}()'\"\\:, 0123456789.eE+-nanxbfu\n案号", max_size=60)
VALUES = st.recursive(
    st.text(st.characters(exclude_categories=["Cs"]))
    | st.integers(-(10**20), 10**20)
    | st.floats(allow_infinity=False),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=5), inner, max_size=4),
    max_leaves=12,
)


@given(st.text() | LITERAL_TEXT)
def test_any_text_is_a_literal_or_refused(text: str) -> None:
    try:
        value = read_literal(text)
    except NotALiteral:
        return
    assert isinstance(value, str | int | float | list | dict)


@given(VALUES)
def test_what_python_prints_is_read_back(value: Any) -> None:
    assert str(read_literal(str([value]))) == str([value])


@pytest.mark.parametrize(
    "text",
    ["__import__('os').system('x')", "1+1", "True", "(1, 2)", "{1: 2}", "{'a': 1, 'a': 2}", "f'{x}'", "b'x'", "1e999",
     "[" * 5000, "-" * 9000 + "1", "1" * 5000, "'a' 'b'", "'\x00", "[x for x in 'a']", "", "'\\ud800", "[1]#"],
)  # fmt: skip
def test_more_than_plain_values_is_refused(text: str) -> None:
    with pytest.raises(NotALiteral):
        read_literal(text)
