"""`moot ablate` and `moot temporal` on stored runs; rollouts of a real (tiny, random) model through to a trainer's
folder."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path
from typing import Any

import pytest

from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.cli.test_export import moot, read
from tests.support.statute_fixture import LAMPS, TEXTS, build

pytestmark = pytest.mark.slow

SIX = "路灯的高度不得低于六米，不得高于十二米。"


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    """Article 3 of the fictional law on four days: before it was changed, and after."""
    build()
    golds = {"1991年5月": TEXTS[2], "1995年3月": TEXTS[2], "2001年6月": SIX, "2005年1月": SIX}
    lines = [
        {"id": f"lar_{n}", "type": "lar", "question": f"请背诵《{LAMPS}》第三条在{day}时的内容。", "answer": gold}
        for n, (day, gold) in enumerate(golds.items(), 1)
    ]
    path = tmp_path / "tasks.jsonl"
    path.write_text("".join(json.dumps(line, ensure_ascii=False) + "\n" for line in lines), encoding="utf-8")
    return path


def ablate(capsys: pytest.CaptureFixture[str], tasks: Path, *more: object) -> tuple[int, dict[str, Any], str]:
    code, out, err = moot(capsys, "ablate", "legalsearch", "--tasks", tasks, "--pack", "lamps", *more, "--json")
    return code, json.loads(out) if out else {}, err


def test_runs_are_made_once_and_compared(tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = tmp_path / "runs"
    code, made, err = ablate(capsys, tasks, "--over", "window=on,newest", "--out", out)
    assert code == 0 and [run["name"] for run in made["runs"]] == ["default", "window-newest"]
    default, newest = made["runs"]
    assert default["compat"]["lar"]["all"] == 100.0 and default["difference"] is None and not default["reused"]
    assert newest["compat"]["lar"]["all"] < 100.0 and newest["settings"]["window"] == "newest"
    gap = newest["difference"]["compat"]["lar"]
    assert (gap["n"], gap["better"]) == (4, 0) and gap["worse"] > 0
    assert gap["mean"] == pytest.approx(newest["compat"]["lar"]["all"] - 100.0)
    assert default["lar_by_year"].keys() == {"1991", "1995", "2001", "2005"}
    assert default["wrong_version"]["rate"] == 0.0 and default["awareness"]["aware"] >= 4
    assert sorted(path.name for path in out.iterdir()) == ["default.moot", "window-newest.moot"]
    before = {path: path.read_bytes() for path in out.iterdir()}
    code, again, err = ablate(capsys, tasks, "--over", "window=on,newest,off", "--out", out)
    assert code == 0 and [run["reused"] for run in again["runs"]] == [True, True, False]
    assert {path: path.read_bytes() for path in before} == before
    assert again["runs"][0] == {**default, "reused": True}


def test_tables_for_a_person(tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = (
        "ablate",
        "legalsearch",
        "--tasks",
        tasks,
        "--pack",
        "lamps",
        "--over",
        "window=newest",
        "--out",
        tmp_path / "runs",
    )
    code, out, _ = moot(capsys, *arguments)
    assert code == 0 and "论文口径差值" in out and "window-newest" in out and "█ 100.0" in out
    code, out, _ = moot(
        capsys, "temporal", tmp_path / "runs" / "default.moot", tmp_path / "runs" / "window-newest.moot"
    )
    assert code == 0 and "rag_retrieve" in out and "误用版本率 0.0%" in out and "1991" in out
    code, out, _ = moot(capsys, "temporal", tmp_path / "runs" / "default.moot", "--json")
    assert code == 0 and json.loads(out)["runs"][0]["format"] is None


def test_without_out_the_runs_find_themselves_again(
    tasks: Path, moot_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    first = ablate(capsys, tasks, "--over", "law_filter", "--limit", "2")[1]
    again = ablate(capsys, tasks, "--over", "law_filter", "--limit", "2")[1]
    assert first["out"] == again["out"] and {run["reused"] for run in again["runs"]} == {True}
    assert ablate(capsys, tasks, "--over", "law_filter", "--limit", "1")[1]["out"] != first["out"]


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--over", "window", "--limit", "1"), 1, "holds another run"), (("--over", "wind"), 2, "no axis 'wind'"),
        (("--over", "channels=x"), 2, "no value 'x'"), (("--over", "window", "--agent", "human"), 2, "nobody plays"),
        (("--over", "window", "--agent", "search"), 2, "needs a model"),
        (("--over", "window", "--task", "none"), 2, "no task 'none'"),
    ],
)  # fmt: skip
def test_mistakes_are_one_sentence(
    tasks: Path, tmp_path: Path, arguments: tuple[str, ...], code: int, says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    if code == 1:
        ablate(capsys, tasks, "--over", "window=newest", "--out", tmp_path / "runs")
    ended, made, err = ablate(capsys, tasks, *arguments, "--out", tmp_path / "runs")
    assert (ended, made) == (code, {}) and says in err.splitlines()[-1]
    assert "Traceback" not in err


def test_another_benchmark_has_none(capsys: pytest.CaptureFixture[str]) -> None:
    code, _, err = moot(capsys, "ablate", "legalagentbench", "--over", "window")
    assert code == 2 and "has no ablations" in err


@pytest.mark.skipif(importlib.util.find_spec("llama_cpp") is None, reason="llama-cpp-python is not installed")
def test_rollouts_of_a_model_with_exact_entropies(
    tasks: Path, tiny_gguf: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run, out = tmp_path / "r.moot", tmp_path / "rows"
    code, _, _ = moot(
        capsys, "run", "legalsearch", "--agent", "search", "--paper", "--model", f"llama:{tiny_gguf}", "--tasks",
        tasks,
        "--pack", "lamps", "--first", 2, "--rollouts", 3, "--max-tokens", 60, "--out", run, "--json",
    )  # fmt: skip
    assert code == 0
    assert moot(capsys, "export", run, "--to", "verl", "--out", out)[0] == 0
    made = read(out / "rollouts.jsonl")
    assert [(line["task"], line["rollout"]) for line in made] == [(f"lar_{n}", k) for n in (1, 2) for k in (1, 2, 3)]
    assert {line["entropy"] for line in made} == {"exact"}
    for group in (made[:3], made[3:]):
        first = {next(token["entropy"] for token in line["tokens"] if token["entropy"] is not None) for line in group}
        assert len(first) == 1, "the rollouts of a prompt share the entropy of their first token"
        assert len({"".join(token["text"] for token in line["tokens"]) for line in group}) > 1
        assert all(line["reward"] == {"paper": 0.0, "code": 0.0} == line["advantage"] for line in group)


def test_a_finished_run_of_other_tasks_is_not_taken(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ablate(capsys, tasks, "--over", "window=newest", "--out", tmp_path / "runs")[0] == 0
    tasks.write_text(tasks.read_text(encoding="utf-8").replace("1991年5月", "1991年6月"), encoding="utf-8")
    code, _, err = ablate(capsys, tasks, "--over", "window=newest", "--out", tmp_path / "runs")
    assert code == 1 and "task file changed" in err


def test_a_run_that_was_cut_goes_on(tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    base = RunSpec(benchmark="legalsearch", tasks=str(tasks), pack="lamps", parallel=1)
    with start_run(base, out=tmp_path / "runs" / "default.moot") as run:
        left = iter([True, True])
        run.go(lambda: next(left, False))
        assert any(not driver.stopped for driver in run.scheduler.episodes.values())
    code, made, _ = ablate(capsys, tasks, "--over", "window=newest", "--out", tmp_path / "runs")
    assert code == 0 and made["runs"][0]["compat"]["lar"]["all"] == 100.0 and not made["runs"][0]["reused"]


def test_a_run_of_errors_alone_is_no_result_and_is_taken_up_again(
    tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    script, answer = tmp_path / "s.json", ["<think>x</think><answer>A</answer>"]
    script.write_text(json.dumps({"failure_rate": 1.0, "otherwise": answer}), encoding="utf-8")
    model = ("--agent", "direct", "--model", f"scripted:{script}", "--out", tmp_path / "runs")
    for _ in range(2):
        code, made, err = ablate(capsys, tasks, "--over", "tools=rag", *model)
        assert code == 1 and made == {} and "4 of 4 episodes ended in an error" in err


def test_a_model_that_changed_is_noticed(tasks: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    script = tmp_path / "s.json"
    script.write_text(json.dumps({"otherwise": ["<think>x</think><answer>A</answer>"]}), encoding="utf-8")
    arguments = (
        "--over",
        "tools=rag",
        "--agent",
        "direct",
        "--model",
        f"scripted:{script}",
        "--out",
        tmp_path / "runs",
    )
    assert ablate(capsys, tasks, *arguments)[0] == 0
    assert {run["reused"] for run in ablate(capsys, tasks, *arguments)[1]["runs"]} == {True}
    script.write_text(json.dumps({"otherwise": ["B"]}), encoding="utf-8")
    code, _, err = ablate(capsys, tasks, *arguments)
    assert code == 1 and "differs from that of run" in err
