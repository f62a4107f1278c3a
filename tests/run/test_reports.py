"""Reports: every format shows what is needed to judge a number, and nothing hostile comes through."""

from __future__ import annotations

import csv
import html.parser
import io
import json
import re
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from app.strings import table
from tasks.benchmark import benchmark
from tasks.courts.environment import PUBLISHED, environment
from tasks.episode.events import OUTCOMES
from tasks.legalagentbench.questions import LabGold, LabQuestion
from tasks.legalagentbench.scoring import MEASURES, NAMES, LabSummary
from tasks.legalsearch.summary import GROUPS as LAW_GROUPS
from tasks.reports.as_csv import by_task
from tasks.reports.comparison import passes, spread
from tasks.reports.formats import FORMATS, text_report
from tasks.reports.model import COLUMNS, facts, score_table
from tasks.reports.words import words
from tasks.run.comparing import Attempt, ComparedRun
from tasks.scoring.metrics import AttemptCounts, CollapsibleText, Group, Measure, Metric, Report, Summary
from tasks.scoring.result import Result
from tasks.scoring.statistics import Interval
from tests.support.summaries import lab_summary as summarise

GROUPS = {**NAMES, **LAW_GROUPS, **{env: environment(env).label for env in PUBLISHED}}
EVIL = "<script>alert(1)</script>|`[x](http://e.vil)`\x1b]52;c;AAAA\x07\u202e\n=1+1"
CALLS = (("get_company_info", {"identifier": "甲", "columns": []}),)
HEADER: dict[str, Any] = {
    "run": "r1",
    "created": "2026-01-02T03:04:05+00:00",
    "spec": {"agent": "rules", "model": "", "benchmark": "legalagentbench"},
    "tasks": {"file": "tasks.jsonl", "sha256": "ab" * 32},
    "pack": {"name": "sample", "hash": "cd" * 32, "provenance": ["authored"]},
    "engines": {"scripted:x": {"sha256": "ef" * 32}},
    "prompts": {},
    "versions": {"moot": "0.1.0"},
    "command": ["run", "legalagentbench"],
}


def made(name: str = "r1", **more: Any) -> LabSummary:
    questions = [
        LabQuestion(
            str(n),
            {"id": str(n), "question": "几家？"},
            LabGold("甲", ("甲",), ("乙",), (), CALLS, f"{n % 3 + 1}-hop", f"c{n}"),
        )
        for n in range(12)
    ]
    results = [
        Result(str(n), "error" if n == 0 else "finished", "甲" if n % 2 else "", "甲乙", tokens=3) for n in range(12)
    ]
    return summarise(name, questions, results, **more)


@pytest.fixture(params=sorted(FORMATS))
def form(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("language", ["zh", "en"])
def test_every_format_shows_what_a_number_needs(form: str, language: str) -> None:
    text = FORMATS[form]([Report(made(), HEADER)], language)
    method = "按题簇的 t 区间" if language == "zh" and form in ("text", "html", "md") else "clustered t"
    for needed in ("r1", "sample", "0.1.0", "cdcdcdcdcdcdcdcd", "abababababababab", method):
        assert needed in text
    if form in ("text", "html", "md"):
        for key in ("floor", "reference", "clusters", "design_effect", "outcome.error", "fictional", "agent.rules"):
            assert words()[key][language == "en"] in text
    if form == "json":
        assert json.loads(text)["reports"][0]["block"] == json.loads(json.dumps(made().block()))


def test_of_an_engine_a_reader_sees_file_size_and_hash_in_the_language_of_the_report() -> None:
    told = {"kind": "llama", "file": "x.gguf", "sha256": "ab" * 32, "quantisation": "Q8_0", "parameters": 2225856}
    rest = {
        "context": 1024,
        "threads": 1,
        "template": {"name": "file", "text": "{% x %}"},
        "build": {"system": "CPU : AVX"},
    }
    header = {**HEADER, "prompts": {}, "engines": {"llama:x": {**told, **rest}}}
    shown = dict(facts(Report(made(), header), "zh"))["模型"]
    assert shown == f"llama:x 文件 x.gguf, 参数量 2,225,856, 量化 Q8_0, 上下文词元 1,024, SHA-256 {'ab' * 8}"


class _Tags(html.parser.HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []
        self.text = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes += attrs

    def handle_data(self, data: str) -> None:
        self.text += data


def evil_header() -> dict[str, Any]:
    return {
        **HEADER, "run": EVIL, "spec": {"agent": EVIL, "model": EVIL}, "command": [EVIL], "engines": {EVIL: EVIL},
        "pack": {"name": EVIL, "hash": EVIL, "provenance": [EVIL]}, "tasks": {"file": EVIL, "sha256": EVIL},
    }  # fmt: skip


def test_html_is_self_contained_and_escaped() -> None:
    page = FORMATS["html"]([Report(made(EVIL), evil_header()), Report(made("r2"), HEADER)], "zh")
    tags = _Tags()
    tags.feed(page)
    assert not {"script", "link", "img", "iframe", "object", "form", "a", "base"} & set(tags.tags)
    assert not [name for name, _ in tags.attributes if name.startswith("on") or name in ("src", "href", "srcdoc")]
    assert "url(" not in page
    assert "@import" not in page
    assert "default-src 'none'" in page
    assert "<script>alert(1)</script>" in tags.text
    assert not set(page) & set("\x1b\x07\u202e")
    assert tags.tags.count("table") == 3


def test_markdown_keeps_hostile_text_in_its_cell() -> None:
    text = FORMATS["md"]([Report(made(EVIL), evil_header())], "zh")
    assert "<script>" not in text
    assert "](http" not in text.replace("\\](", "")
    assert not set(text) & set("\x1b\x07\u202e")
    rows = [line for line in text.splitlines() if line.startswith("|")]
    widths = {line.replace("\\|", "").count("|") for line in rows[: 2 + len(MEASURES)]}
    assert len(widths) == 1


def test_csv_is_no_formula_and_reads_back() -> None:
    text = FORMATS["csv"]([Report(made("=cmd()"), {**HEADER, "pack": {"name": "@x"}})], "zh")
    rows = list(csv.DictReader(io.StringIO(text)))
    assert {row["run"] for row in rows} == {"'=cmd()"}
    assert {row["pack"] for row in rows} == {"'@x"}
    assert len(rows) == len(MEASURES) * 4
    assert sum(int(rows[0][f"outcome_{outcome}"]) for outcome in OUTCOMES) == 12
    assert float(rows[0]["value"]) <= 1.0


def test_rows_alone_make_a_block_and_every_report(form: str) -> None:
    """A benchmark from elsewhere has no table, word or layout here."""
    results = [Result("1", "finished", "解", ""), Result("2", "error", "", "")]
    group = Group("all", ("全部谜题", "All riddles"), 2, whole=True)
    solved = Measure("strict", "solved", ("解出率", "solved"))
    row = Metric(solved, group, 0.5, 1, Interval(0.1, 0.9, "by eye"), {"floor": 0.25}, main=True)
    summary = Summary("r7", "riddles", AttemptCounts.of(results, ("leak",)), [group], [row], {"strict": "riddles/1"})
    block = summary.block()
    assert block["strict"] == {"all": {"solved": 0.5}} and block["floor"]["strict"] == {"all": {"solved": 0.25}}
    assert block["intervals"]["strict"] == {"all": {"solved": [0.1, 0.9]}}
    assert block["n"] == 2 == sum(block["outcomes"].values())
    assert block["groups"] == {"all": 2} and block["flags"]["leak"] == 0
    assert block["compat"] == block["ceiling"]["compat"] == {}
    text = FORMATS[form]([Report(summary, HEADER)], "zh")
    assert "r7" in text and ("0.5" if form in ("csv", "json") else "50.0") in text and "by eye" in text
    assert form in ("csv", "json") or ("解出率" in text and "全部谜题" in text)


def test_words_agree_with_the_interface() -> None:
    for place, language in enumerate(("zh", "en")):
        shown = table(language)
        for outcome in OUTCOMES:
            assert f"outcome.{outcome}" in words()
        for key, pair in {**words(), **{f"group.{name}": label for name, label in GROUPS.items()}}.items():
            interface = key.replace("agent.", "policy.")
            if language == "zh" and key.startswith(("outcome.", "group.", "agent.")) and interface in shown:
                assert pair[place] == shown[interface], key


# --- pages ----------------------------------------------------------------------------------------------------------


def test_a_page_draws_scores_by_group_and_outcomes() -> None:
    page = FORMATS["html"]([Report(made(), HEADER)], "zh")
    plots = re.findall(r"<svg.*?</svg>", page, re.DOTALL)
    assert len(plots) == len(MEASURES) + 1
    drawn = [ElementTree.fromstring(plot) for plot in plots]
    said = ["".join(text.text or "" for text in plot.iter("text")) for plot in drawn]
    assert all(name in said[0] for name in (NAMES["1-hop"][0], NAMES["all"][0], "95% 区间", "下限", "上限：参照答案"))
    assert "完成 11" in said[-1] and "故障 1" in said[-1]
    assert {one.tag for plot in drawn for one in plot.iter()} <= {"svg", "title", "rect", "text", "line", "circle"}


def test_folded_transcripts_are_text_and_say_what_was_cut() -> None:
    report = Report(made(), HEADER, folded=(CollapsibleText(EVIL, (EVIL, "第二行"), "另有 3 行未列出。"),))
    tags = _Tags()
    tags.feed(FORMATS["html"]([report], "zh"))
    assert tags.tags.count("details") == 1 and "script" not in tags.tags
    assert "第二行" in tags.text and "另有 3 行未列出。" in tags.text and not set(tags.text) & set("\x1b\x07\u202e")


def side(*tasks: tuple[float, ...]) -> ComparedRun:
    attempts = {
        str(n): [Attempt(f"{n}#{m}", m, "finished", {("strict", "success"): value}) for m, value in enumerate(values)]
        for n, values in enumerate(tasks)
    }
    return ComparedRun("r1", Path("r1.moot"), HEADER, benchmark("legalagentbench"), attempts, {})


def test_repeats_show_their_spread() -> None:
    table = spread(side((1.0, 0.0), (1.0, 1.0)), "zh")
    assert table is not None and len(table.rows) == 1
    first, second, mean, sd, within, changed = table.rows[0].cells
    assert (first.value, second.value, mean.value) == (100.0, 50.0, 75.0) and changed.text == "1/2"
    assert sd.value == pytest.approx(35.355, abs=1e-3) and within.value == pytest.approx(35.355, abs=1e-3)
    assert spread(side((1.0,)), "zh") is None
    for form in FORMATS:
        if form != "csv":
            assert "同题标准差" in FORMATS[form]([Report(made(), HEADER, tables=(table,))], "zh")


def test_repeats_say_how_often_one_and_all_of_j_attempts_solve_a_task() -> None:
    table = passes(side((1.0, 0.0, 0.0), (1.0, 1.0, 1.0), (0.5, 0.0, 0.0), (1.0,)), "zh")
    assert table is not None and table.columns == ("严格口径 pass@j", "严格口径 pass^j")
    found = [[cell.value for cell in row.cells] for row in table.rows]
    third = 100 / 3
    assert found == [
        [pytest.approx(4 * third / 3)] * 2,
        [pytest.approx(third * (2 / 3 + 1)), pytest.approx(third)],
        [pytest.approx(2 * third), pytest.approx(third)],
    ]
    assert passes(side((1.0,)), "zh") is None


def test_csv_task_by_task_has_a_line_a_task_repeat_and_metric() -> None:
    text = by_task([(Report(made("=evil"), HEADER), side((1.0, 0.0), (0.5,)), ())])
    rows = list(csv.DictReader(io.StringIO(text)))
    assert [(row["task"], row["repeat"], row["metric"], row["value"]) for row in rows] == [
        ("0", "0", "success", "1.0"), ("0", "1", "success", "0.0"), ("1", "0", "success", "0.5"),
    ]  # fmt: skip
    assert {row["run"] for row in rows} == {"'=evil"} and {row["outcome"] for row in rows} == {"finished"}


# --- one scale, and n that belongs to its figure --------------------------------------------------------------------


def test_shares_stand_on_one_scale_and_a_smaller_n_is_said() -> None:
    """One of twelve attempts is an error: strictly it says nothing, so eleven stand behind the strict figures."""
    summary = made()
    strict = summary.row("strict", "all", "success")
    assert strict is not None and strict.value is not None
    shown = text_report([summary])
    lines_ = [re.split(" {2,}", line.strip()) for line in shown.splitlines()]
    assert [line[-1] for line in lines_ if line[0] in ("题数", "计分题数")] == ["12", *["11"] * 4]
    assert next(line for line in lines_ if line[0] == "严格口径 成功率")[-1] == f"{100 * strict.value:.1f}"
    rows = {
        (row.heads[0], row.heads[1]): [cell.text for cell in row.cells]
        for row in score_table([Report(summary, HEADER)], None, "zh", False).rows
    }
    place = COLUMNS.index("effective_n")
    assert rows["论文口径 成功率", "全部"][place] != "–" == rows["严格口径 成功率", "全部"][place]
    assert rows["严格口径 成功率", "全部"][1] == f"{100 * strict.value:.2f}"


def test_a_right_answer_is_no_ceiling_of_what_is_earned_on_the_way() -> None:
    summary = made()
    process, success = (summary.row("compat", "all", name) for name in ("process", "success"))
    assert process and success and success.limit("reference") == success.limits["reference"]
    assert process.limit("reference") is None and process.limits["reference"] is not None, "JSON keeps it"
    assert "上限：参照答案 过程率" not in text_report([summary])
