"""Temporal analysis of runs, and ablations: what is counted, what is run, how differences are paired."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import pytest

from app.cli import ablate as command
from app.cli.tables import bounds, number, percent, shade, table
from app.cli.temporal import heat_table
from app.terminal import width
from tasks.episode.events import Event, ModelCalled, Record, Seated, ToolCalled, ToolReturned
from tasks.errors import UsageError
from tasks.legalsearch.ablation import (
    AXES,
    Outcome,
    Scored,
    check_plan,
    choices,
    difference,
    differences,
    name_of,
    parse_axes,
    spec_for,
)
from tasks.legalsearch.analysis import FormCount, HeatMap, heat_map, lengths, one_spelling, pair_member, tool_calls
from tasks.legalsearch.questions import Gold, Question
from tasks.legalsearch.settings import settings_of
from tasks.run.spec import RunSpec
from tests.cli.test_export import PLANNED, SEARCHED
from tests.legalsearch.test_rollouts import answer, episode, question


def records(*events: Event) -> list[Record]:
    return [Record(seq, 1, None, 0.0, event) for seq, event in enumerate(events)]


def call(evaluated: int, reused: int, generated: int, seat: str = "agent") -> ModelCalled:
    return ModelCalled(
        seat=seat, call=1, prompt="p", asked="", messages=(), settings={}, text="x", finish="stop",
        evaluated=evaluated, reused=reused, generated=generated,
    )  # fmt: skip


def asked(tool: str, *queries: str) -> ToolCalled:
    return ToolCalled(seat="agent", tool=tool, input={"query": list(queries)})


def returned(tool: str, text: str, status: str = "ok", seat: str = "agent") -> ToolReturned:
    return ToolReturned(seat=seat, tool=tool, status=status, observation=text)


def test_calls_queries_and_lengths_of_an_episode() -> None:
    made, said = tool_calls(
        "lar",
        records(
            Seated(seat="agent", policy="search/1", engine="m"),
            call(100, 0, 20),
            asked("rag_retrieve", "刑法 2009年 第七十四条", "缓刑"),
            call(50, 0, 5, seat="analyser"),
            returned("rag_retrieve", "文" * 40),
            call(30, 120, 10),
            asked("web_search", "现行刑法"),
            returned("web_search", "", "no_snapshot"),
        ),
    )
    assert [(use.tool, use.queries) for use in made] == [
        ("rag_retrieve", ("刑法 2009年 第七十四条", "缓刑")), ("web_search", ("现行刑法",)),
    ]  # fmt: skip
    assert [(one.characters, one.tokens) for one in said] == [(40, 30), (0, None)], (
        "150 less 100 less 20; nothing asked after"
    )
    by_tool = lengths(said)
    assert by_tool["rag_retrieve"] == {
        "answers": 1,
        "statuses": {"ok": 1},
        "characters": 40.0,
        "tokens": 30.0,
        "counted": 1,
    }
    assert by_tool["web_search"]["statuses"] == {"no_snapshot": 1} and by_tool["browse_webpage"]["characters"] is None


def test_two_answers_between_two_calls_are_not_shared_out() -> None:
    _, said = tool_calls(
        "lar", records(call(9, 0, 1), returned("rag_retrieve", "a"), returned("rag_retrieve", "b"), call(30, 0, 1))
    )
    assert [one.tokens for one in said] == [None, None]


def test_a_prompt_that_did_not_grow_counts_nothing() -> None:
    _, said = tool_calls("lar", records(call(100, 0, 20), returned("rag_retrieve", "a"), call(40, 0, 1)))
    assert said[0].tokens is None


def test_forms_in_both_readings() -> None:
    count = FormCount()
    assert count.as_dict() is None
    count.add(PLANNED + SEARCHED + "".join(answer("A")), "a")
    count.add(PLANNED + "".join(answer("A")), "b")
    made = count.as_dict()
    assert made is not None
    assert (made["paper"]["passed"], made["code"]["passed"], made["code"]["n"]) == (2, 1, 2)
    assert made["code"]["faults"] == {"no <tool_call>": 1, "no <tool_response>": 1}
    low, high = made["code"]["interval"]
    assert low < 0.5 < high


@pytest.mark.parametrize(
    ("kind", "gold", "said", "right", "read"),
    [
        ("kqa", "AB", "答案是BA", True, "AB"), ("kqa", "AB", "无法确定", False, "无法确定"),
        ("ptp", "12个月", "一年", True, "fixed 12.0"),
        ("ccp", "盗窃;抢劫", "抢劫罪；盗窃罪", True, "抢劫；盗窃"),
        ("lar", "第一条 甲乙丙丁", "第一条　甲乙丙丁", True, "第一条甲乙丙丁"),
        ("lar", "第一条 甲乙丙丁", "第二条", False, "第二条"), ("ptp", "12个月", "", False, ""),
    ],
)  # fmt: skip
def test_answers_to_a_pair_are_read_strictly(kind: str, gold: str, said: str, right: bool, read: str) -> None:
    made = pair_member(question(kind, gold), said)
    assert (made.right, made.read) == (right, read)
    assert one_spelling(question("kqa"), "A、B") == one_spelling(question("kqa"), "BA") == "AB"


def year(value: float | None, n: int, covered: float | None = None) -> dict[str, object]:
    return {"all": value, "n": n, "covered": covered, "n_covered": n if covered is not None else None}


RUNS = {
    "default": {"lar_by_year": {"2004": year(100.0, 3, 99.0), "2012": year(40.0, 2)}},
    "window-off": {"lar_by_year": {"2004": year(None, 3), "2020": year(0.0, 1)}},
}


def test_recitals_by_year_as_a_heat_map() -> None:
    assert heat_map(RUNS) == HeatMap(
        ("default", "window-off"), ("2004", "2012", "2020"), (((100.0, 3), (40.0, 2), None), (None, None, (0.0, 1)))
    )
    assert heat_map(RUNS, "covered").cells[0] == ((99.0, 3), None, None)
    lines = heat_table(RUNS).splitlines()
    assert lines[1].split() == ["2004", "2012", "2020"]
    assert lines[2].split() == ["default", "█", "100.0", "▒", "40.0", "–"] and lines[4].split() == [
        "n",
        "3",
        "2",
        "1",
    ]
    assert heat_table({"x": {"lar_by_year": {}}}) == ""


def test_tables_stand_in_columns() -> None:
    lines = table(["设置", "n"], [["默认", "10"], ["window-off", "7"], ["x\x1b[2J", "–"]]).splitlines()
    assert len({width(line) for line in lines}) == 1 and "\x1b" not in "".join(lines)
    assert [shade(value) for value in (0, 19.9, 20, 99, 100, 120, -5)] == ["·", "·", "░", "█", "█", "█", "·"]
    assert (number(None), number(1.5, 1), bounds(None), bounds([0, 1]), percent(0.5), percent(None)) == (
        "–", "1.5", "–", "[0.0, 1.0]", "50.0%", "–",
    )  # fmt: skip


# --- ablations ------------------------------------------------------------------------------------------------------


def test_axes_as_they_are_written() -> None:
    assert parse_axes(["window=off,newest", "channels=bm25,exact+dense"]) == {
        "window": ("on", "off", "newest"), "channels": ("all", "bm25", "exact+dense"),
    }  # fmt: skip
    assert parse_axes(["law-filter"]) == {"law_filter": ("on", "off")}


@pytest.mark.parametrize(
    ("texts", "says"),
    [
        (["windows=on"], "no axis 'windows'"), (["window=no"], "no value 'no'"),
        (["window", "window=on"], "named twice"),
        (["window="], "names no values"), ([], "no axis to vary"), (["channels=all+bm25"], "no value"),
        (["window=on+off"], "no value"),
        (["channels=bm25+bm25"], "no value"),
    ],
)  # fmt: skip
def test_axes_that_mean_nothing(texts: Sequence[str], says: str) -> None:
    with pytest.raises(UsageError, match=says.replace("+", "[+]")):
        parse_axes(texts)


def test_each_axis_by_itself_or_all_crossed() -> None:
    axes = parse_axes(["window=off", "tools=rag,web"])
    assert [name_of(one) for one in choices(axes)] == ["default", "window-off", "tools-rag", "tools-web"]
    crossed = [name_of(one) for one in choices(axes, cross=True)]
    assert len(crossed) == len(set(crossed)) == 6 and crossed[0] == "default" and "window-off-tools-web" in crossed


def test_the_spec_of_a_combination() -> None:
    base = RunSpec(benchmark="legalsearch")
    assert spec_for(base, ()) == base
    spec = spec_for(base, (("law_filter", "off"), ("channels", "exact+bm25"), ("window", "newest"), ("tools", "rag")))
    chosen = settings_of(spec)
    assert (chosen.law_filter, chosen.channels, chosen.window, chosen.tools) == (
        False,
        ("exact", "bm25"),
        "newest",
        "rag",
    )
    for axis in AXES.values():
        assert getattr(settings_of(base), axis.field) == axis.read(axis.default), (
            "the default of an axis is that of a run"
        )


def test_other_benchmarks_have_no_ablations() -> None:
    with pytest.raises(UsageError, match="has no ablations"):
        check_plan(RunSpec(benchmark="legalagentbench"), [()])
    with pytest.raises(UsageError, match="varied from"):
        check_plan(RunSpec(benchmark="legalsearch", window="off"), [()])


def test_differences_are_paired() -> None:
    found = difference([100.0, 0.0, 0.0, -100.0, 100.0, 100.0], list("abcdef")).as_dict()
    assert found["mean"] == pytest.approx(100 / 3) and (
        found["better"],
        found["worse"],
        found["equal"],
        found["n"],
    ) == (3, 1, 2, 6)
    low, high = found["interval"]
    # s = sqrt(sum (d - m)^2 / 5), half width = t(0.975, 5) s / sqrt 6
    spread = (sum((d - 100 / 3) ** 2 for d in (100, 0, 0, -100, 100, 100)) / 5) ** 0.5
    assert (high - low) / 2 == pytest.approx(2.570582 * spread / 6**0.5, rel=1e-4) or high == 100.0
    assert low == pytest.approx(100 / 3 - 2.570582 * spread / 6**0.5, rel=1e-4)
    same = difference([0.0] * 9, list("abcdefghi"))
    assert (
        same.interval.low == -same.interval.high == pytest.approx(-29.9, abs=0.1)
        and "no spread" in same.interval.method
    )
    assert difference([1.0, 2.0], ["a", "a"]).interval.low < -70, "one cluster says little"
    many = difference([float(n % 3) for n in range(60)], [str(n) for n in range(60)])
    assert many.interval.low < 1.0 < many.interval.high and "bootstrap" in many.interval.method


def test_differences_by_task_leave_out_what_one_run_lacks() -> None:
    kinds, clusters = {"a": "lar", "b": "lar", "c": "kqa", "d": "lcs"}, {name: name for name in "abcd"}
    base = Scored(
        "default",
        {"compat": {"a": 1.0, "b": 0.5, "c": 0.0, "d": None}, "strict": {"a": 1.0, "b": None}},
        kinds,
        clusters,
    )
    other = Scored(
        "x", {"compat": {"a": 0.5, "b": 0.5, "c": 1.0, "d": 1.0}, "strict": {"a": 0.0, "b": 1.0}}, kinds, clusters
    )
    made = differences(base, other)
    assert {task: found["mean"] for task, found in made["compat"].items()} == {"lar": -25.0, "kqa": 100.0}
    assert made["strict"] == {"lar": {**made["strict"]["lar"], "mean": -100.0, "n": 1, "worse": 1}}


def block(value: float) -> dict[str, object]:
    task = {"all": value, "covered": value, "n": 2, "n_covered": 2}
    return {
        "n": 2, "groups": {"lar": 2}, "outcomes": {"finished": 2, "error": 0}, "flags": {"rag_only": 0},
        "compat": {"lar": task}, "strict": {"lar": task}, "intervals": {"compat": {"lar": {"all": [0.0, 100.0]}}},
        "wrong_version": {"rate": 50.0, "interval": [10.0, 90.0], "n": 2}, "lar_by_year": {"2004": task},
    }  # fmt: skip


def test_an_ablation_as_text_and_data() -> None:
    analysis = {
        "awareness": {"all": {"calls": 2, "queries": 4, "aware": 1, "explicit": 1, "share": 0.25}},
        "consistency": {"rate": 0.5, "n": 2},
    }
    first = Outcome((), Path("default.moot"), False, block(90.0), analysis)
    gap = difference([-40.0, -60.0], ["a", "b"]).as_dict()
    second = Outcome(
        (("window", "off"),),
        Path("window-off.moot"),
        True,
        block(40.0),
        analysis,
        {"compat": {"lar": gap}, "strict": {}},
    )
    text = command.text_of([first, second])
    assert "法条背诵" in text and "default" in text and "-50.00" in text and "25.0%" in text and "█ 90.0" in text
    data = json.loads(json.dumps(second.as_dict()))
    assert data["settings"] == {
        "window": "off",
        "tools": "on",
        "law_filter": "on",
        "abstain": "on",
        "channels": "all",
    }
    assert (data["difference"]["compat"]["lar"]["mean"], data["reused"], data["outcomes"]) == (
        -50.0,
        True,
        {"finished": 2},
    )
    assert first.as_dict()["difference"] is None


def test_records_of_the_published_form_are_searches() -> None:
    made, _ = tool_calls("kqa", episode("A"))
    assert [use.queries for use in made] == [("刑法 2009年",)]
    assert Question("x", {"type": "kqa", "question": ""}, Gold("A", "x")).gold.pair == ""
