"""Reports of courts runs: tables beside the published ones, series of runs, footers; and the published figures
themselves."""

from __future__ import annotations

import csv
import io
import json
import re
from collections import Counter
from dataclasses import replace
from functools import cache
from typing import Any

import pytest

from tasks.courts.environment import PUBLISHED as ENVS
from tasks.courts.environment import environment
from tasks.courts.scores.columns import column_names, metrics
from tasks.courts.scores.summary import CourtSummary
from tasks.reports import court_published as published
from tasks.reports.court_series import kendall, ranks, spearman
from tasks.reports.court_tables import court_tables
from tasks.reports.formats import FORMATS, text_report
from tasks.reports.words import word, words
from tasks.run.figures import _figure as figure_of
from tasks.scoring.metrics import RULES, Report, Table, TableRow
from tasks.scoring.names import as_codes
from tasks.scoring.result import NOTHING, Result, ScoreContext
from tests.support.court_results import advice, ask, draft, trial
from tests.support.court_trials import GOOD_CIVIL, GOOD_CRIMINAL
from tests.support.summaries import court_summary as summarise

FOOT = "仅供评测演示，不构成法律意见，非人民法院裁判"


@cache
def whole() -> CourtSummary:
    """A run with every environment."""
    results = [
        advice("KQ-0001"), advice("LC-0001"), draft("CD-0001"), draft("DD-0001"),
        trial("CI-0004", GOOD_CIVIL), trial("CR-0001", GOOD_CRIMINAL[:-1]),
    ]  # fmt: skip
    return made_of(*results)


def made_of(*results: Result, context: ScoreContext = NOTHING) -> CourtSummary:
    return summarise(
        "r1", [ask(name) for name in dict.fromkeys(one.task_id for one in results)], list(results), context
    )


@cache
def drafts(good: int = 1) -> CourtSummary:
    """A run of two complaints, some of them good."""
    return made_of(*(draft(f"CD-000{n}", None if n <= good else "询问结束") for n in (1, 2)))


def header(run: str = "r1", agent: str = "rules", model: str = "", **spec: Any) -> dict[str, Any]:
    return {
        "run": run, "spec": {"benchmark": "courts", "agent": agent, "model": model, "profile": "law", **spec},
        "tasks": {"file": "courts.jsonl", "sha256": "ab" * 32}, "versions": {"moot": "0.1.0"},
        "command": ["run", "courts"],
        "pack": {"name": "sample", "hash": "cd" * 32, "provenance": ["authored"]},
        "engines": {"llama:big": {"parameters": 7_600_000_000}, "llama:small": {"parameters": 500_000_000}},
    }  # fmt: skip


def report(made: CourtSummary, run: str = "r1", **spec: Any) -> Report:
    return Report(replace(made, run=run), header(run, **spec))


def tables(*reports: Report, language: str = "zh") -> dict[str, Table]:
    with as_codes():
        return {table.key: table for table in court_tables(reports, language)}


def value(row: TableRow, table: Table, column: str) -> float | None:
    return row.cells[table.columns.index(column)].value


# --- the published figures ------------------------------------------------------------------------------------------


def test_a_board_has_a_place_for_whatever_the_paper_prints() -> None:
    found = [figure_of(whole(), row) for row in whole().rows]
    there = {(figure.measure, figure.group) for figure in found if figure is not None}
    printed = {place for one in published.rows() for place in one.values}
    assert printed <= there and {("turns.mean", "CI"), ("graded.procurator", "CR"), ("FINE", "CR")} <= printed


def test_published_overall_scores_are_those_of_the_paper() -> None:
    assert len(published.table("2")) == 17 and len(published.MAIN) == 17
    wanted = {"GPT-4o": (56.34, 58.91), "Qwen3-it. 32B": (54.25, 58.13), "Qwen3-it. 4B": (40.91, 45.01)}
    for model, (mean, by_env) in wanted.items():
        row = published.table("2")[model]
        assert published.overall(row) == pytest.approx(mean, abs=0.006), model
        assert published.by_env(row) == pytest.approx(by_env, abs=0.006), model


def test_published_tables_agree_with_one_another() -> None:
    """PFS, DOC and VER are means of their parts: a slip of transcription would show. Known misprints are named."""
    odd = set()
    for model, row in published.table("2").items():
        for column, table, parts in (
            ("CD DOC", published.table("6"), ("PLA", "DEF", "CLA", "EVI", "F&R")),
            ("DD DOC", published.table("7"), ("RES", "DEF", "EVI")),
            ("CI PFS", published.table("8"), ("STA", "ACT")),
            ("CR PFS", published.table("9"), ("STA", "ACT")),
            ("CR VER", published.table("9"), ("SEN", "FINE")),
        ):
            env = column.split()[0]
            figures = [table[model][f"{env} {part}"] for part in parts]
            mean = sum(figure or 0 for figure in figures) / len(figures)
            if any(figure is not None for figure in figures) and abs(mean - (row[column] or 0)) > 0.011:
                odd.add((model, column))
    assert odd == {("GLM4", "CR VER"), ("GLM4", "CD DOC"), ("Qwen3-it. 4B", "DD DOC")}
    for _, _, runs in published.repeats():
        for run in runs:
            columns = [figure for name, figure in run.items() if name != "overall" and figure is not None]
            assert run["overall"] == pytest.approx(sum(columns) / len(columns), abs=0.011)
    first = published.rated("12")[published.DRIVER]["GPT-4o"].values()
    mean = published.means()["human"]["GPT-4o"][published.DRIVER] or 0
    assert sum(figure or 0 for figure in first) / 9 == pytest.approx(mean, abs=0.006)


def test_both_published_drivers_rank_the_agents_alike() -> None:
    tables = (published.table("2"), published.table("5"))
    pair = [[published.overall(table[model]) for model in published.table("5")] for table in tables]
    assert kendall(*pair) == spearman(*pair) == pytest.approx(1)
    assert sum(published.CASES.values()) == 508 and published.LIMITS["CI"] == 50


def test_ranks_with_ties() -> None:
    assert ranks([3.0, 1.0, 3.0]) == [2.5, 1.0, 2.5]
    assert kendall([1, 2, 3, 4], [4, 3, 2, 1]) == spearman([1, 2, 3], [3, 2, 1]) == -1
    assert kendall([1, 1, 2], [1, 2, 3]) == pytest.approx(2 / 6**0.5)
    assert spearman([1, 1, 2], [1, 2, 3]) == pytest.approx(0.8660254)
    assert kendall([1, 1], [1, 2]) is None and spearman([], []) is None and kendall([1], [2]) is None


# --- tables ---------------------------------------------------------------------------------------------------------


def test_all_tables_of_a_whole_run() -> None:
    made = tables(report(whole()))
    assert set(made) == {
        "table-2", "table-3", "table-4", "table-5", "table-6", "table-7", "table-8", "table-9", "table-10",
        "table-11",
        "table-valid",
        "figure-4", "figure-6", "figure-5-CI-compat", "figure-5-CI-strict", "figure-5-CR-compat",
        "figure-5-CR-strict",
    }  # fmt: skip
    for table in made.values():
        for row in table.rows:
            assert len(row.cells) == len(table.columns) and len(row.heads) == len(table.heads), table.key
    main = made["table-2"]
    assert main.columns[:-1] == published.MAIN
    kinds = Counter(row.kind for row in main.rows)
    assert (kinds["own"], kinds["count"], kinds["limit"], kinds["published"]) == (2, 1, 4, 17)
    compat = main.rows[0]
    assert value(compat, main, "DD FOR") == whole().block()["compat"]["DD"]["FOR"]
    cell = compat.cells[main.columns.index("CI LAW")]
    assert [cell.low, cell.high] == whole().block()["intervals"]["compat"]["CI"]["LAW"]
    assert compat.cells[main.columns.index("CI JUD")].text == "未评分"
    assert compat.cells[-1].note == "(9/16)" and compat.cells[-1].value == whole().block()["compat"]["overall"]
    gpt = next(row for row in main.rows if row.kind == "published")
    assert gpt.heads[1] == "GPT-4o" and gpt.cells[-1].value == pytest.approx(56.34, abs=0.006)
    assert any("另一批案件" in note for note in main.notes)
    assert "1/1 (1)" in [cell.text for cell in next(row for row in main.rows if row.kind == "count").cells]


def test_columns_are_those_of_the_environments_that_ran() -> None:
    made = tables(report(drafts()))
    main = made["table-2"]
    assert main.columns == ("CD FOR", "CD DOC", "总分（不含 VER）")
    assert "table-7" not in made and "table-8" not in made and not any(key.startswith("figure-5") for key in made)
    gpt = next(row for row in main.rows if row.kind == "published")
    assert gpt.cells[-1].value == pytest.approx((58.92 + 89.86) / 2)
    assert made["table-6"].rows[-1].cells[made["table-6"].columns.index("PLA")].value == 6.88
    assert made["table-6"].rows[-1].cells[0].text == " ", "the paper prints no Label"
    assert len(made["table-10"].columns) == 1 and value(made["table-10"].rows[0], made["table-10"], "CD") == 2


def test_consistency_by_role_and_its_mean() -> None:
    graded = ScoreContext(graded={("CD-0001", 0): {"CON_plaintiff": 0.9}})
    made = tables(report(made_of(draft("CD-0001", policy="court/1"), context=graded), seats={"plaintiff": "llama:x"}))
    rows = [row for row in made["table-11"].rows if row.kind == "own"]
    assert [(row.heads[0], row.cells[0].value) for row in rows] == [("规则核对", 100), ("评分员", 90)]
    assert rows[0].heads[2] == "llama:x"
    raters = {row.heads[0] for row in made["table-3"].rows}
    assert raters == {"规则核对", "评分员", "已发表: GPT-4o", "已发表: 人工"}


def test_stages_are_shares_of_the_trials() -> None:
    made = tables(report(whole()))
    strict = made["figure-5-CI-strict"]
    assert strict.columns == ("开庭", "法庭调查", "法庭辩论", "法庭调解", "评议宣判")
    assert all(cell.value in (0, 100) for cell in strict.rows[0].cells)
    assert made["figure-5-CR-compat"].columns == ("开庭审理", "法庭调查")


# --- series of runs -------------------------------------------------------------------------------------------------


def test_two_drivers_are_compared_by_rank() -> None:
    seats = {"plaintiff": "llama:sim"}
    found = tables(
        report(drafts(2), "a", agent="rules"), report(drafts(1), "b", agent="echo"),
        report(drafts(1), "c", agent="rules", seats=seats), report(drafts(0), "d", agent="echo", seats=seats),
    )  # fmt: skip
    table = found["figure-6"]
    own = [row for row in table.rows if row.kind == "own" and row.heads[2] == "严格口径"]
    assert [row.heads[0] for row in own] == ["规则 / llama:sim"] * 3
    assert [cell.value for cell in own[-1].cells[2:]] == [1, 1] and own[-1].heads[1].endswith("2")
    assert own[0].cells[0].value == 100 and own[0].cells[1].value == 50
    drivers = {row.heads[2] for row in found["table-5"].rows if row.kind == "own"}
    assert drivers == {"llama:sim"}, "roles kept by rules are no other driver"
    alone = tables(report(drafts(1), "a"), report(drafts(1), "b", agent="echo", seats=seats))["figure-6"]
    assert not [row for row in alone.rows if row.kind == "own"], "no agent in common"


def test_runs_on_other_tasks_are_not_compared() -> None:
    tasks = {"tasks": {"sha256": "ef" * 32}}
    other = Report(replace(drafts(1), run="c"), {**header("c", seats={"plaintiff": "x:y"}), **tasks})
    table = tables(report(drafts(1), "a"), report(drafts(1), "b", agent="echo"), other)["figure-6"]
    assert not [row for row in table.rows if row.kind == "own"]


def test_turn_limits_are_recognised() -> None:
    made = tables(report(drafts(2), "a"), report(drafts(1), "b", max_turns=20), report(drafts(0), "c", max_turns=5))
    sweep = made["figure-8"]
    limits = [row.heads[3] for row in sweep.rows]
    assert limits == ["5", "5", "20", "20", "默认", "默认"]
    assert [value(row, sweep, "CD FOR") for row in sweep.rows[::2]] == [0, 50, 100]
    assert value(sweep.rows[0], sweep, "CD 平均轮数") == 2 and "35" in sweep.notes[0]
    assert "figure-8" not in tables(report(drafts(2), "a"), report(drafts(1), "b", agent="echo", max_turns=3))


def test_repeats_show_their_spread() -> None:
    made = tables(report(drafts(2), "a"), report(drafts(1), "b", seed=1), report(drafts(0), "c", seed=2))["table-13"]
    own = [row for row in made.rows if row.heads[2] == "严格口径"]
    assert [row.heads[3] for row in own] == ["第 1 次", "第 2 次", "第 3 次", "均值", "标准差", "极差"]
    assert [value(row, made, "CD FOR") for row in own] == [100, 50, 0, 50, 50, 100]
    paper = next(row for row in made.rows if row.heads[2] == "论文")
    assert value(paper, made, "CD FOR") == 64.73
    assert paper.cells[-1].text == " ", "its overall has columns of DD too"
    epochs = made_of(draft("CD-0001"), draft("CD-0001", "询问结束", epoch=1))
    one = tables(report(epochs, epochs=2))["table-13"]
    assert [value(row, one, "CD FOR") for row in one.rows if row.heads[2] == "严格口径"][:3] == [100, 0, 50]
    assert "table-13" not in tables(report(drafts(2), "a"), report(drafts(1), "b", agent="echo"))


def test_sizes_come_from_the_engine_and_scores_that_are_not_whole_are_named() -> None:
    big, unknown = report(drafts(2), "a", agent="direct", model="llama:big"), report(drafts(2), "b")
    table = tables(big, unknown)["figure-4"]
    assert [row.cells[0].value for row in table.rows[:3]] == [7.6, None, None], "GPT-4o keeps its size to itself"
    assert "直接作答 · llama:big" in table.notes[-1], "DOC is missing"
    full = ScoreContext(graded={("CD-0001", 0): {"CLA": 1.0, "EVI": 1.0, "F&R": 1.0}})
    whole = tables(report(made_of(draft("CD-0001"), context=full), "a", agent="direct", model="llama:big"))
    assert not any("llama:big" in note for note in whole["figure-4"].notes)


# --- formats --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("language", ["zh", "en"])
@pytest.mark.parametrize("form", sorted(FORMATS))
def test_every_format_shows_the_run_and_its_limits(form: str, language: str) -> None:
    text = FORMATS[form]([report(whole(), "r9")], language)
    assert "r9" in text and "sample" in text
    if form == "csv":
        return
    assert FOOT in text and (word("fictional", language) in text)
    if form in ("md", "html", "text"):
        for pair in (words()["unscored"], words()["comparable"], environment("CI").label):
            assert pair[language == "en"] in text, pair
    if form != "json":
        codes = {name for env in ENVS for rule in RULES for name in metrics(rule, env)} | set(ENVS)
        stray = [code for code in codes if re.search(rf"(?<![A-Za-z_]){re.escape(code)}(?![A-Za-z_])", text)]
        assert not stray, "people read names"
        with as_codes():
            assert "STA" in FORMATS[form]([report(whole(), "r9")], language)
    if form in ("md", "html", "json"):
        own = (words()[key][language == "en"] for key in ("table.9", "court.by_people"))
        for wanted in ("Chatlaw2", "56.3", *own):
            assert wanted in text, wanted


def test_json_has_the_tables_as_data() -> None:
    content = json.loads(FORMATS["json"]([report(whole())], "zh"))
    first = next(table for table in content["tables"] if table["key"] == "table-2")
    gpt = next(row for row in first["rows"] if row["kind"] == "published")
    assert gpt["values"]["CI PFS"] == 64.22 and content["notes"][0] == FOOT
    own = first["rows"][0]["values"]
    assert own["CI LAW"]["value"] == whole().block()["compat"]["CI"]["LAW"] and own["KQ NBIN"] == "未评分"
    assert content["reports"][0]["block"] == json.loads(json.dumps(whole().block()))


def test_csv_has_a_line_a_metric_and_the_published_ones() -> None:
    rows = list(csv.DictReader(io.StringIO(FORMATS["csv"]([report(whole())], "zh"))))
    mine = [row for row in rows if row["run"] == "r1"]
    law = next(row for row in mine if (row["rule"], row["rate"], row["group"]) == ("strict", "LAW", "CI"))
    assert (
        float(law["value"]) == whole().block()["strict"]["CI"]["LAW"] and law["n"] == "1" and law["clusters"] == "1"
    )
    assert float(law["ceiling_reference"]) == 100 and float(law["floor"]) == 0
    assert {row["group"] for row in mine} == {"KQ", "LC", "CD", "DD", "CI", "CR", "overall"}
    assert next(row for row in mine if row["rate"] == "JUD" and row["rule"] == "strict")["value"] == ""
    printed = [row for row in rows if row["rule"] == "published"]
    pfs = next(row for row in printed if row["rate"] == "PFS" and row["group"] == "CI")
    assert (pfs["value"], pfs["agent"], pfs["run"]) == ("64.22", "GPT-4o (GPT-4o)", "J1-Eval Table 2")
    assert not [
        row for row in csv.DictReader(io.StringIO(FORMATS["csv"]([report(drafts())], "zh"))) if row["group"] == "CI"
    ]


def test_text_has_limits_by_rule_and_says_what_the_overall_score_rests_on() -> None:
    made = whole()
    text = text_report([made], [header()])
    form = next(line for line in text.split("答辩状撰写")[1].splitlines() if line.split()[:1] == ["文书格式"])
    assert form.endswith("60.0/100.0")
    assert "论文口径上限低于 100: 答辩状撰写 文书格式 60.0 (论文规则把答辩状的三个标签按五个计，最高 60)" in text
    assert all(f"{name} 0.0" not in text for name in ("量刑 ↓", "刑期 ↓", "罚金 ↓"))
    columns, _ = made.columns("strict")
    assert columns and f"仅计 {column_names(columns, 'zh')}" in text and "CI JUD" not in columns
    assert f"rests on {column_names(columns, 'en')} only" in text_report([made], [header()], "en")
    complete = replace(made, rows=[replace(row, value=row.value or 0.0) for row in made.rows])
    assert "仅计" not in text_report([complete], [header()])
