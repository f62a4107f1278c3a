"""`moot score-predictions`, `score` and `report` as a user types them."""

from __future__ import annotations

import gzip
import json
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from store import places
from store.journal import Journal
from tests.support.typed import moot

TASKS = [
    {"id": 1, "question": "甲公司的代码？", "answer": "代码是688106。", "key": ["688106"], "key_middle": [],
        "hops": 1,
     "type": "", "way": "get_company_info"},
    {"id": 81, "question": "甲公司涉案几次？", "answer": "2次", "key": ["2次"], "key_middle": ["乙公司"], "hops": 2,
     "type": "", "way": "get_company_info---get_sub_company_info"},
    {"id": 281, "question": "写答辩状", "answer": "丙", "key": ["丙", "丁"], "key_middle": [], "hops": "writing",
     "type": "", "way": ""},
]  # fmt: skip
LINES = [
    {"id": 1, "res": "代码是688106", "summary": "代码是688106"},
    {"id": 81, "res": "共12次", "summary": "乙公司，12次"},
    {"id": 281, "res": "silence", "summary": "silence"},
]
TOKENS = [{"id": task["id"], "input_token": 10, "output_token": 5, "total_token": 15} for task in TASKS]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    (tmp_path / "tasks.json").write_text(json.dumps(TASKS, ensure_ascii=False), encoding="utf-8")
    write(tmp_path / "answers.jsonl", LINES)
    write(tmp_path / "tokens.jsonl", TOKENS)
    return tmp_path


def write(path: Path, lines: list[dict[str, Any]]) -> Path:
    path.write_text("\n".join(json.dumps(line, ensure_ascii=False) for line in lines) + "\n", encoding="utf-8")
    return path


def given(files: Path, predictions: str = "answers.jsonl") -> list[object]:
    taken = ["--dataset", files / "tasks.json", "--predictions", files / predictions]
    return ["score-predictions", "legalagentbench", *taken]


def test_predictions_become_a_run_and_are_scored(files: Path) -> None:
    code, out, err = moot(*given(files), "--tokens", files / "tokens.jsonl", "--json")
    assert code == 0
    block = json.loads(out)
    assert block["benchmark"] == "legalagentbench"
    assert block["compat"]["success"] == {"1-hop": 1.0, "2-hop": 1.0, "writing": 0.0, "all": pytest.approx(2 / 3)}
    assert block["strict"]["success"]["2-hop"] == 0.0
    assert block["strict"]["n_scored"] == 2
    assert block["outcomes"]["error"] == 1
    assert block["tokens"]["total"] == 45
    assert f"saved as run {block['run']}" in err
    path = places.runs() / f"{block['run']}.moot"
    with Journal.open(path) as journal:
        assert [row.task_id for row in journal.episodes()] == ["1", "81", "281"]
        assert journal.header["imported"]["file"] == "answers.jsonl"
        assert {row.scorer for row in journal.scores()} == {"compat", "strict", "evidence"}


def test_text_is_for_people(files: Path) -> None:
    code, out, _ = moot(*given(files))
    assert code == 0
    for word in ("论文口径", "严格口径", "95% 区间", "下限", "上限", "结局", "导入的结果"):
        assert word in out


@pytest.mark.parametrize(("packed", "array"), [(False, True), (True, False)])
def test_files_are_read_by_content(files: Path, packed: bool, array: bool) -> None:
    text = json.dumps(LINES) if array else "\n\n".join(map(json.dumps, LINES))
    data = gzip.compress(text.encode()) if packed else text.encode()
    (files / "any.name").write_bytes(data)
    code, out, _ = moot(*given(files, "any.name"), "--json")
    assert code == 0
    assert json.loads(out)["compat"]["success"]["1-hop"] == 1.0


def test_missing_extra_and_double_lines_are_named(files: Path) -> None:
    write(files / "odd.jsonl", [{**LINES[0], "res": ""}, LINES[0], {**LINES[0], "id": 999}])
    code, out, err = moot(*given(files, "odd.jsonl"), "--json")
    assert code == 0
    block = json.loads(out)
    assert block["n"] == 3
    assert block["outcomes"]["error"] == 2
    assert block["compat"]["success"]["all"] == pytest.approx(1 / 3)
    assert "999" in err
    assert "last one counts (1): 1 (line 1, 2)" in err
    assert "no such task (1): 999 (line 3)" in err
    assert "count as errors (2): 81, 281" in err


@pytest.mark.parametrize(("content", "needed"), [("", "no predictions"), ("[1, 2]", "line 1")])
def test_bad_predictions_get_one_clear_line(files: Path, content: str, needed: str) -> None:
    (files / "bad.jsonl").write_text(content, encoding="utf-8")
    code, out, err = moot(*given(files, "bad.jsonl"))
    assert (code, out) == (1, "") and err.count("\n") == 1 and needed in err and "bad.jsonl" in err
    assert not places.runs().exists()


CORRUPT = """{"id": 1, "res": "", "summary": ""}
{"id": 2,
[1, 2]

nonsense
{"res": "", "summary": ""}
{"id": 1.5, "res": "", "summary": ""}
{"id": 4, "res": null, "summary": ""}
{"id": 5, "res": "x", "summary": 3}
{"id": 6, "res": ["x"], "summary": ""}
\udcff
{"id": 81, "res": "共12次", "summary": "2次"}
"""


def test_every_wrong_line_is_named_and_counted(files: Path) -> None:
    (files / "bad.jsonl").write_bytes(CORRUPT.encode("utf-8", "surrogateescape"))
    code, out, err = moot(*given(files, "bad.jsonl"))
    assert (code, out) == (1, "") and not places.runs().exists()
    for line in (
        "bad.jsonl, line 2: not valid JSON (column ", "; 2 records like it: line 2, 5\n",
        "line 3: list instead of a JSON object\n",
        "line 6: there is no id\n", "line 7: field 'id' is neither a whole number nor a text\n",
        "line 8: field 'res' is missing or no text; 2 records like it: line 8, 10\n",
        "line 9: field 'summary' is missing or no text\n", "line 11: not UTF-8\n",
        "bad.jsonl: 9 records are wrong. Mend",
    ):  # fmt: skip
        assert line in err, line
    assert err.count("\n") == 8
    (files / "many.jsonl").write_text("x\n" * 30, "utf-8")
    code, _, err = moot(*given(files, "many.jsonl"))
    assert code == 1 and "30 records like it: line 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 …" in err and err.count("\n") == 1
    (files / "cut.json").write_text(json.dumps([{"id": 1}, {"id": 2, "res": "", "summary": ""}])[:-2] + ",", "utf-8")
    code, _, err = moot(*given(files, "cut.json"))
    assert code == 1 and "line 1: field 'res' is missing or no text\n" in err and "2 records are wrong" in err


def folder_of(files: Path) -> Path:
    """Prediction files as they are published, beside their task file and other things."""
    folder = files / "all"
    folder.mkdir()
    shutil.copy(files / "tasks.json", folder / "tasks.json")
    for name in ("react_qwen-max.jsonl", "plan_solve_glm-4.jsonl", "own [x]; 名.json"):
        write(folder / name, LINES)
    (folder / "plan_solve_glm-4.jsonl.gz").write_bytes(gzip.compress(json.dumps(LINES).encode()))
    write(folder / "react_qwen-max.tokens.jsonl", TOKENS)
    (folder / "README.md").write_text("no predictions", "utf-8")
    (folder / ".hidden.json").write_text("{", "utf-8")
    (folder / "below.json").mkdir()
    return folder


def test_a_folder_of_predictions_becomes_runs_that_can_be_compared(files: Path) -> None:
    folder = folder_of(files)
    asked = ["score-predictions", "legalagentbench", "--dataset", folder / "tasks.json", "--predictions", folder]
    code, out, err = moot(*asked, "--json")
    assert code == 0, err
    runs = {block["file"]: block for block in json.loads(out)["runs"]}
    assert sorted(runs) == [
        "own [x]; 名.json", "plan_solve_glm-4.jsonl", "plan_solve_glm-4.jsonl.gz", "react_qwen-max.jsonl",
    ]  # fmt: skip
    assert [runs[file]["name"] for file in sorted(runs)] == ["own [x]; 名", "plan_solve_glm-4", "", "react_qwen-max"]
    assert (
        runs["react_qwen-max.jsonl"]["tokens"]["total"] == 45
        and runs["plan_solve_glm-4.jsonl"]["tokens"]["total"] == 0
    )
    assert len({block["run"] for block in runs.values()}) == 4
    for file, told in (
        ("react_qwen-max.jsonl", {"method": "react", "model": "qwen-max"}), ("own [x]; 名.json", {}),
        ("plan_solve_glm-4.jsonl.gz", {"method": "plan-solve", "model": "glm-4"}),
    ):  # fmt: skip
        with Journal.open(places.runs() / f"{runs[file]['run']}.moot") as journal:
            kept = journal.header["imported"]
        assert {key: kept[key] for key in ("method", "model") if key in kept} == told
    listed = json.loads(moot("list", "--json")[1])["runs"]
    assert {line["run"] for line in listed} == {block["run"] for block in runs.values()}
    code, out, err = moot("compare", "react_qwen-max", "plan_solve_glm-4", "--json")
    assert code == 0, err
    code, out, err = moot(*asked[:-1], folder / "react_qwen-max.jsonl", "--predictions", folder / "own [x]; 名.json")
    assert code == 0 and out.count("\n") == 2 and "react_qwen-max.jsonl" in out and "论文口径 66.67" in out
    assert "2 次评测" in err and len(json.loads(moot("list", "--json")[1])["runs"]) == 6


def test_of_a_folder_all_or_nothing_is_imported(files: Path) -> None:
    folder = folder_of(files)
    asked = ["score-predictions", "legalagentbench", "--dataset", files / "tasks.json", "--predictions", folder]
    code, _, err = moot(*asked)
    assert code == 1 and "tasks.json" in err, "it is no prediction file, and not the task file that was named"
    (folder / "tasks.json").unlink()
    assert not places.runs().exists()
    for more, says in ((("--out", files / "x.moot"), "--out names one run file"),
        (("--tokens", files / "tokens.jsonl"), "--tokens belongs")):  # fmt: skip
        code, _, err = moot(*asked, *more)
        assert code == 2 and says in err and err.count("\n") == 1
    (files / "empty").mkdir()
    code, _, err = moot(*asked[:-1], files / "empty")
    assert code == 1 and "holds no prediction files" in err


def test_bad_dataset_tokens_and_benchmark(files: Path) -> None:
    write(files / "keyless.jsonl", [{**TASKS[0], "key": []}])
    assert moot(*given(files)[:3], files / "keyless.jsonl", *given(files)[4:])[0] == 1
    assert moot(*given(files)[:3], files / "absent.json", *given(files)[4:])[0] == 2
    write(files / "bad_tokens.jsonl", [{"id": 1, "total_token": "many"}])
    code, _, err = moot(*given(files), "--tokens", files / "bad_tokens.jsonl")
    assert code == 1
    assert "total_token" in err
    code, _, err = moot("score-predictions", "nothing", *given(files)[2:])
    assert code == 2
    assert "legalagentbench" in err


def test_out_must_not_exist(files: Path) -> None:
    assert moot(*given(files), "--out", files / "run.moot")[0] == 0
    before = (files / "run.moot").read_bytes()
    code, _, err = moot(*given(files), "--out", files / "run.moot")
    assert code == 1
    assert "already exists" in err
    assert (files / "run.moot").read_bytes() == before


def test_scores_are_appended_never_replaced(files: Path) -> None:
    moot(*given(files), "--out", files / "run.moot")
    code, out, err = moot("score", files / "run.moot", "--json")
    assert code == 0
    first = json.loads(out)
    assert "appended 9 scores" in err
    code, out, err = moot("score", files / "run.moot", "--scorer", "strict", "--json")
    assert code == 0
    assert json.loads(out) == first
    with Journal.open(files / "run.moot") as journal:
        scores = journal.scores()
    assert len(scores) == 9 + 9 + 3
    assert {score.author for score in scores} == {"moot"}
    assert {score.scorer for score in scores} == {"compat", "strict", "evidence"}
    assert all(score.version for score in scores)


def test_bad_scoring_requests(files: Path) -> None:
    moot(*given(files), "--out", files / "run.moot")
    code, _, err = moot("score", files / "run.moot", "--scorer", "vibes")
    assert (code, "compat, strict, evidence" in err) == (2, True)
    assert moot("score", "no-such-run")[0] == 2
    (files / "tasks.json").write_text(json.dumps(TASKS[:2]), encoding="utf-8")
    code, _, err = moot("score", files / "run.moot")
    assert (code, "changed since the run" in err) == (1, True)
    (files / "tasks.json").unlink()
    assert moot("score", files / "run.moot")[0] == 2


@pytest.mark.parametrize("command", [("resume",), ("show", "1", "--verify"), ("fork", "1", "--turn", "0")])
def test_an_imported_run_cannot_go_on(files: Path, command: tuple[str, ...]) -> None:
    moot(*given(files), "--out", files / "run.moot")
    code, _, err = moot(command[0], files / "run.moot", *command[1:])
    assert code == 2
    assert "was imported from answers.jsonl" in err


def test_report_of_several_runs(files: Path) -> None:
    for name in ("a", "b"):
        moot(*given(files), "--out", files / f"{name}.moot")
    runs = [files / "a.moot", files / "b.moot"]
    for form in ("text", "html", "md", "csv", "json"):
        code, out, _ = moot("report", *runs, "--format", form)
        assert code == 0
        assert "answers.jsonl" in out
        code, nothing, err = moot("report", *runs, "--format", form, "--out", files / f"report.{form}")
        assert (code, nothing) == (0, "")
        assert "wrote" in err
        assert (files / f"report.{form}").read_text(encoding="utf-8").strip() == out.strip()
        assert sorted(path.name for path in files.glob(".*")) == []


def test_report_speaks_english(files: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_LANG", "en")
    moot(*given(files), "--out", files / "run.moot")
    code, out, _ = moot("report", files / "run.moot")
    assert code == 0
    assert "Compat success" in out
    assert "口径" not in out


def test_report_needs_a_run() -> None:
    assert moot("report")[0] == 2
    assert moot("report", "no-such-run")[0] == 2


def test_report_out_of_reach_leaves_nothing(files: Path) -> None:
    moot(*given(files), "--out", files / "run.moot")
    code, _, err = moot("report", files / "run.moot", "--out", files / "no" / "such" / "folder.html")
    assert code == 1
    assert err.count("\n") == 1


def test_development_predictions_by_command(data: Callable[..., Path], tmp_path: Path) -> None:
    folder = data("legalagentbench")
    expected = json.loads((folder / "expected_dev.json").read_text(encoding="utf-8"))["runs"]["react_qwen-max"]
    shutil.copy(folder / "dataset_dev.json", tmp_path)
    code, out, _ = moot(
        "score-predictions", "legalagentbench", "--dataset", tmp_path / "dataset_dev.json",
        "--predictions", folder / "predictions_dev" / "react_qwen-max.jsonl",
        "--tokens", folder / "predictions_dev" / "react_qwen-max.tokens.jsonl", "--json",
    )  # fmt: skip
    assert code == 0
    block = json.loads(out)
    for rate in ("success", "process"):
        for group, value in expected[rate].items():
            assert round(block["compat"][rate][group.lower()], 4) == round(value, 4)
    assert block["tokens"]["total"] == expected["token_sum_last_per_id"]
    assert block["n"] == 150
