"""`moot tools` prints what the tools say, safely."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner, Result

from app.cli.tools import tools
from app.terminal import width
from store.builder import PackBuilder
from tasks.legalagentbench.tools import TOOLS

HOSTILE = "云溪\x1b]0;x\x07市\u202e某院\x9b31m"


def invoke(*arguments: str, input: str | None = None) -> Result:
    return CliRunner().invoke(tools, arguments, input=input)


@pytest.fixture
def pack() -> str:
    with PackBuilder(
        "tiny", jurisdiction="虚构", source="test", licence="MIT", coverage="complete", as_of="2024"
    ) as builder:
        builder.add_row("CourtCode", {"法院名称": HOSTILE, "行政级别": "区县级", "法院代字": "云0101"}, "authored")
    return "tiny"


def test_list_shows_all_tools_in_aligned_columns() -> None:
    lines = invoke("list").output.splitlines()
    rows = {line.split()[0]: line for line in lines if line.startswith(("get_", "legal_", "finish"))}
    assert set(rows) == set(TOOLS)
    starts = {width(rows[name][: rows[name].index(spec.description)]) for name, spec in TOOLS.items()}
    assert len(starts) == 1
    listed = json.loads(invoke("list", "--json").output)["tools"]
    assert [tool["name"] for tool in listed] == list(TOOLS)
    assert all(tool["parameters"] for tool in listed)


def test_call_prints_the_observation_clean(pack: str) -> None:
    given = json.dumps({"identifier": "云0101", "columns": ["法院名称"]})
    result = invoke("call", "get_court_code", "--input", given, "--pack", pack)
    assert result.exit_code == 0
    assert "虚构数据" in result.stderr
    as_json = invoke("call", "get_court_code", "--input", "-", "--pack", pack, "--json", input=given)
    assert json.loads(as_json.output)["value"] == {"法院名称": HOSTILE}
    for output in (result.stdout, as_json.output):
        assert not set("\x1b\x07\x9b\u202e") & set(output)


def test_an_error_status_is_a_result(pack: str) -> None:
    given = json.dumps({"identifier": "没有", "columns": []})
    result = invoke("call", "get_court_code", "--input", given, "--pack", pack, "--json")
    assert result.exit_code == 0
    assert json.loads(result.output)["status"] == "no_data"
    assert invoke("call", "get_sum", "--input", "[]").exit_code == 0, "calculators need no pack"


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("get_company_inof",), "get_company_info"),
        (("get_sum", "--input", "{"), "--input is no valid JSON"),
        (("get_sum", "--input", "[" * 100_000), "--input is no valid JSON"),
        (("get_court_code", "--pack", "nothing-here"), "nothing-here"),
    ],
)
def test_usage_errors(arguments: tuple[str, ...], said: str) -> None:
    result = invoke("call", *arguments)
    assert result.exception is not None
    assert getattr(result.exception, "exit_code", None) == 2
    assert said in str(result.exception)
