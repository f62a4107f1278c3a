"""Examinations in the layouts of other benchmarks: imported line by line, asked, scored by the metric of their
task."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from store.errors import BadInput
from store.importers import exams, silent
from tasks.exams.benchmark import ExamQuestion, gold_letters, load_questions, score_one, summarise
from tasks.registry import importer
from tasks.scoring.result import Result
from tests.support.typed import moot

LAWBENCH: dict[str, list[object]] = {
    "1-2.json": [
        {"instruction": "请作答。", "question": "灯塔由谁管理？A:甲;B:乙;C:丙;D:丁。", "answer": "正确答案：A。"},
        {"instruction": "请作答。", "question": "没有答案的一题"},
        5,
        {"instruction": "请作答。", "question": "灯塔多高？A:一;B:二;C:三;D:四。", "answer": "正确答案：C。"},
    ],
    "3-3.json": [{"instruction": "预测罪名。", "question": "某甲盗灯一盏。", "answer": "罪名:盗窃;诈骗"}],
    "3-4.json": [{"instruction": "预测刑期。", "question": "某甲盗灯一盏。", "answer": "刑期:8个月"}],
}


@pytest.fixture
def source(tmp_path: Path) -> Path:
    folder = tmp_path / "suite"
    folder.mkdir()
    for name, rows in LAWBENCH.items():
        (folder / name).write_text(json.dumps(rows, ensure_ascii=False), encoding="utf-8")
    return folder


def tasks_of(folder: Path) -> list[ExamQuestion]:
    return load_questions(folder / "tasks" / "exams.jsonl")


def test_a_suite_is_imported_and_bad_records_are_named_and_counted(moot_home: Path, source: Path) -> None:
    said: list[str] = []
    pack = importer("lawbench")(source, "suite", lambda phase, done, total: said.append(phase))
    found = tasks_of(pack)
    assert [(one.id, one.metric, one.answer) for one in found] == [
        ("1-2#1", "accuracy", "A"), ("1-2#3", "accuracy", "C"), ("3-3#1", "f1", "罪名:盗窃;诈骗"),
        ("3-4#1", "months", "刑期:8个月"),
    ]  # fmt: skip
    left = json.loads((pack / exams.REPORT).read_text(encoding="utf-8"))["left_out"]
    assert left.keys() == {"1-2.json"} and left["1-2.json"]["records"] == 2
    assert any("object 2: a question or an answer is missing" in one for one in left["1-2.json"]["said"])
    assert any("2 records left out" in one for one in said)


def test_layouts_of_lexeval_and_disc(moot_home: Path, tmp_path: Path) -> None:
    lines = '{"input": "下列哪项？\\nA. 甲\\nB. 乙", "answer": "B"}\n不是JSON\n{"input": "", "answer": "A"}\n'
    (tmp_path / "1_1.jsonl").write_text(lines, encoding="utf-8")
    (tmp_path / "5_2.jsonl").write_text(
        '{"instruction": "写判决。", "input": "案情", "answer": "判决如下"}\n', "utf-8"
    )
    found = tasks_of(importer("lexeval")(tmp_path, "lexeval", silent))
    assert [(one.metric, one.answer, dict(one.options)) for one in found] == [
        ("accuracy", "B", {"A": "甲", "B": "乙"}), ("rouge_l", "判决如下", {}),
    ]  # fmt: skip
    own = tmp_path / "disc"
    own.mkdir()
    rows = [
        {"question": "哪些？", "options": {"A": "甲", "B": "乙", "C": "丙"}, "answer": "AC"},
        {"question": "哪些？", "A": "甲", "B": "乙", "answer": "B"},
        {"question": "哪些？", "options": ["甲", "乙"], "answer": "A"},
        {"input": "灯坏了怎么办？", "output": "三日内修复。"},
    ]
    (own / "objective.jsonl").write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")
    found = tasks_of(importer("disc_law_eval")(own, "disc", silent))
    assert [(one.metric, one.answer, len(one.options)) for one in found] == [
        ("accuracy", "AC", 3), ("accuracy", "B", 2), ("accuracy", "A", 2), ("rouge_l", "三日内修复。", 0),
    ]  # fmt: skip


QUESTION, CHOICE = {"question": "谁？"}, {"A": "甲", "B": "乙", "answer": "B"}


@pytest.mark.parametrize(
    ("layout", "record", "message"),
    [
        ("lawbench", {"instruction": "请作答。", "input": "案情", "answer": "一"}, "input.*data import lexeval"),
        ("lawbench", {**QUESTION, **CHOICE}, "A、B.*data import disc-law-eval"),
        ("lexeval", {"instruction": "请作答。", **QUESTION, "answer": "一"}, "question.*data import lawbench"),
        ("lexeval", {**QUESTION, "answer": "一", "rubrics": [{"point": 3}]}, "question、rubrics.*No importer reads"),
        ("disc_law_eval", {"conversation": "…", "Rubrics": "总分：80分"}, "Rubrics.*No importer reads"),
    ],
)
def test_a_file_of_another_format_names_that_format(
    moot_home: Path, tmp_path: Path, layout: str, record: dict[str, object], message: str
) -> None:
    path = tmp_path / "1-1.json"
    path.write_text(json.dumps([record], ensure_ascii=False), encoding="utf-8")
    with pytest.raises(BadInput, match=rf"1-1\.json, line 1: .*{message}"):
        importer(layout)(path, "other", silent)
    assert not (moot_home / "packs" / "other").exists()


def test_disc_is_read_from_csv_and_what_is_skipped_is_named(moot_home: Path, tmp_path: Path) -> None:
    (tmp_path / "NJE.csv").write_text(
        "id,question,A,B,C,D,answer\n7,谁？,甲,乙,丙,丁,AC\n8,谁？,甲,乙,丙,丁,\n", "utf-8"
    )
    (tmp_path / "题库.csv").write_text("题目,选项A,选项B,答案,解析\n何时？,一,二,B,略\n", "gb18030")
    (tmp_path / "README.md").write_text("x", "utf-8")
    said: list[str] = []
    pack = importer("disc-law-eval")(tmp_path, "disc", lambda phase, done, total: said.append(phase))
    assert [(one.id, one.answer, dict(one.options)) for one in tasks_of(pack)] == [
        ("NJE#1", "AC", {"A": "甲", "B": "乙", "C": "丙", "D": "丁"}), ("题库#1", "B", {"A": "一", "B": "二"}),
    ]  # fmt: skip
    assert {
        "left out: README.md (its name is not that of a table)",
        "NJE.csv: 1 records left out",
        "left out: NJE.csv: fields id (no part of a question)",
        "left out: 题库.csv: fields 解析 (no part of a question)",
    } <= set(said)


@pytest.mark.parametrize("text", ["", "[5, null]", '{"x": 1}\n', "\x00\x01"])
def test_a_file_without_a_task_is_refused_in_one_sentence(moot_home: Path, tmp_path: Path, text: str) -> None:
    path = tmp_path / "1-1.json"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(BadInput, match=r"1-1\.json"):
        importer("lawbench")(path, "nothing", silent)
    assert not (moot_home / "packs" / "nothing").exists()


@pytest.mark.parametrize(
    ("metric", "gold", "said", "value"),
    [
        ("accuracy", "AC", "答案是C、A", 1.0),
        ("accuracy", "AC", "A", 0.0),
        ("accuracy", "犯罪金额:3000元。", "3000元", 1.0),
        ("accuracy", "犯罪金额:3000元。", "300元", 0.0),
        ("f1", "罪名:盗窃;诈骗", "罪名：诈骗", 2 / 3),
        ("f1", "罪名:盗窃;诈骗", "", 0.0),
        ("months", "刑期:8个月", "有期徒刑八个月", 1.0),
        ("months", "刑期:8个月", "不好说", 0.0),
        ("rouge_l", "甲乙丙丁", "甲丙", 2 / 3),
        ("characters", "甲乙丙丁", "丁甲", 2 / 3),
    ],
)
def test_metrics_by_hand(metric: str, gold: str, said: str, value: float) -> None:
    options = dict.fromkeys("ABCD", "") if gold_letters(gold) else {}
    asked = ExamQuestion("x", {"suite": "s", "type": "t"}, gold, metric, options)
    [score] = score_one(asked, Result("x", "finished", said, said))
    assert score.value["score"] == pytest.approx(value)
    assert score_one(asked, Result("x", "error", "", ""))[0].value["score"] is None
    assert summarise("r", [asked], []).rows[0].bounds == (0.0, 100.0)


def test_a_suite_is_run_and_reported(moot_home: Path, source: Path, tmp_path: Path) -> None:
    importer("lawbench")(source, "suite", silent)
    engine = tmp_path / "engine.json"
    engine.write_text(json.dumps({"otherwise": ["<answer>A</answer>"]}), encoding="utf-8")
    exams = ("run", "exams", "--pack", "suite")
    gold = moot(*exams, "--agent", "gold", "--json").data
    assert {name: part["all"] for name, part in gold["strict"].items()} == {
        "lawbench/1-2": 100, "lawbench/3-3": 100, "lawbench/3-4": 100, "all": 100,
    }  # fmt: skip
    block = moot(*exams, "--agent", "direct", "--model", f"scripted:{engine}", "--json").data
    assert block["strict"]["lawbench/1-2"]["all"] == 50 and block["outcomes"]["finished"] == 4
    for form in ("text", "html", "md", "csv", "json"):
        made = moot("report", block["run"], "--format", form)
        assert made.code == 0 and "lawbench/1-2" in made.out
    assert moot(*exams).code == 2
