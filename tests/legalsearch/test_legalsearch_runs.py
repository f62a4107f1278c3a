"""Whole runs of LegalSearch: settings, seats, references, graders, predictions, reports; by the command line."""

from __future__ import annotations

import json
from collections.abc import Callable
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from store.journal import Journal
from tasks.episode.events import ModelCalled
from tasks.legalsearch.settings import KINDS
from tasks.run.header import header_of
from tasks.run.reading import read_episode
from tasks.run.seat_prompt import verify
from tests.support import typed
from tests.support.law_run_fixture import TASKS, prepare_law

Moot = Callable[..., tuple[int, Any, str]]


@pytest.fixture
def world(moot_home: Path) -> dict[str, Any]:
    return prepare_law(moot_home)


@pytest.fixture
def moot(world: dict[str, Any]) -> Moot:
    def call(*arguments: str, tasks: bool = True) -> tuple[int, Any, str]:
        more = ["--tasks", world["tasks"], "--pack", "lamps", "--json"] if tasks else []
        code, out, err = typed.moot(*arguments, *more)
        return code, json.loads(out) if out.startswith("{") else out, err

    return call


def script(folder: Path, *replies: str) -> str:
    path = folder / "grader.json"
    path.write_text(json.dumps({"otherwise": list(replies)}), encoding="utf-8")
    return f"scripted:{path}"


def test_a_run_keeps_the_prompt_that_it_was_given_and_its_today(moot: Moot, tmp_path: Path) -> None:
    own, out = tmp_path / "own.txt", tmp_path / "own.moot"
    own.write_text("  {today}你是测试员。\n{tools}\n", encoding="utf-8")
    model = script(tmp_path, '{"think": "想", "plan": ["查"]}', '{"think": "答", "action": "answer", "answer": "A"}')
    asked = ("run", "legalsearch", "--agent", "search", "--model", model, "--task", "3")
    code, _, _ = moot(*asked, "--prompt", str(own), "--today", "2026年3月4日", "--out", str(out))
    assert code == 0
    own.unlink()
    with Journal.open(out) as journal:
        header, records = header_of(journal), read_episode(journal, "3")
        said = next(record.event for record in records if isinstance(record.event, ModelCalled))
        system = journal.text(said.messages[0][1])
    assert header["spec"]["prompt"] == "{today}你是测试员。\n{tools}\n" and header["spec"]["today"] == "2026-03-04"
    assert header["prompts"]["own"] == sha256(header["spec"]["prompt"].encode()).hexdigest()
    assert system.startswith("今天是2026年3月4日。\n你是测试员。") and "web_search" not in system, "no snapshot"
    assert verify(out, "3")["3"] == 2
    assert moot("report", str(out), tasks=False)[1].count("你是测试员") == 0
    assert moot(*asked, "--out", str(tmp_path / "day.moot"))[0] == 0
    with Journal.open(tmp_path / "day.moot") as journal:
        assert header_of(journal)["spec"]["today"] >= "2026-01-01", "the day on which it began"


def test_gold_reaches_the_ceiling_and_echo_nothing(moot: Moot) -> None:
    code, block, _ = moot("run", "legalsearch", "--agent", "gold")
    assert code == 0 and block["n"] == len(TASKS) == sum(block["outcomes"].values())
    for task in KINDS:
        assert block["compat"][task]["all"] == (None if task == "lcs" else 100), task
        assert block["ceiling"]["compat"][task]["all"] == 100
    assert block["compat"]["lar"]["n_covered"] == 1 and block["ungraded"] == 1
    code, block, _ = moot("run", "legalsearch", "--agent", "echo")
    assert code == 0 and all(block["compat"][task]["all"] == 0 for task in KINDS if task not in ("lcs", "lar"))


def test_rules_recite_the_version_of_the_day(moot: Moot) -> None:
    code, block, _ = moot("run", "legalsearch", "--agent", "rules", "--task", "1")
    assert code == 0 and block["compat"]["lar"] == {"all": 100, "covered": 100, "n": 1, "n_covered": 1, "n_scored": 1}
    assert block["wrong_version"]["covered"]["wrong"] == 0
    assert block["tools"]["rag_only"], "no snapshot is at hand"
    code, block, _ = moot("run", "legalsearch", "--agent", "rules", "--task", "1", "--window", "newest")
    assert code == 0 and block["compat"]["lar"]["covered"] < 100


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["--channels", "nothing"], "no channel named"),
        (["--seat", "judge=rules"], "no seat 'judge'"),
        (["--seat", "grader=rules"], "cannot sit in seat 'grader'"),
        (["--agent", "react", "--model", "scripted:x"], "unknown agent 'react'"),
        (["--agent", "search"], "needs a model"),
        (["--agent", "search", "--model", "scripted:x", "--tools", "web"], "no web snapshot"),
        (["--today", "2026-02-30"], "is not a date"),
        (["--today", "1024-02-20"], "lies before 1949-10-01"),
        (["--prompt", "nowhere.txt"], "There is no file nowhere.txt"),
        (["--prompt", __file__], "no system prompt to replace"),
        (["--rollouts", "4", "--epochs", "2"], "--rollouts and --epochs"),
    ],
)
def test_mistakes_are_one_line_and_nothing_is_written(
    moot: Moot, moot_home: Path, arguments: list[str], said: str
) -> None:
    code, _, error = moot("run", "legalsearch", *arguments)
    assert code in (1, 2) and said in error and "Traceback" not in error
    assert not list((moot_home / "runs").glob("*")) if (moot_home / "runs").exists() else True


def test_settings_of_a_search_mean_nothing_elsewhere(moot: Moot) -> None:
    code, _, error = moot("run", "legalagentbench", "--window", "off")
    assert code == 2 and "has no setting 'window'" in error


def test_a_grader_scores_consultations_and_a_failed_grading_is_missing(moot: Moot, moot_home: Path) -> None:
    asked = ("run", "legalsearch", "--agent", "gold", "--task", "2", "--seat")
    word = json.dumps({"reason": "依据有误。", "answer_correct": True, "basis_correct": False}, ensure_ascii=False)
    code, block, error = moot(*asked, f"grader={script(moot_home, word)}")
    assert code == 0 and "1 answers graded" in error
    assert block["compat"]["lcs"]["all"] == 50 and block["strict"]["lcs"]["all"] == 0 and block["ungraded"] == 0
    code, block, error = moot(*asked, f"grader={script(moot_home, '好')}")
    assert code == 0 and "failed and are missing" in error and block["compat"]["lcs"]["all"] is None


def test_a_stored_run_is_graded_later_and_only_once_by_the_same_grader(moot: Moot, moot_home: Path) -> None:
    _, block, _ = moot("run", "legalsearch", "--agent", "gold", "--task", "2")
    word = json.dumps({"reason": "对。", "answer_correct": True, "basis_correct": True}, ensure_ascii=False)
    grader = f"grader={script(moot_home, word)}"
    code, scored, error = moot("score", block["run"], "--seat", grader, "--json", tasks=False)
    assert code == 0 and scored["compat"]["lcs"]["all"] == 100, error
    _, _, error = moot("score", block["run"], "--seat", grader, "--json", tasks=False)
    assert "0 answers graded" in error
    assert moot("score", block["run"], "--seat", "reader=x:y", tasks=False)[0] == 2


def test_predictions_of_the_published_script_become_a_run(moot: Moot, world: dict[str, Any], moot_home: Path) -> None:
    path = moot_home / "predictions.jsonl"
    rows = [
        {"data_source": "lar", "index": "1", "response": f"<answer>{TASKS[0][2]}</answer>"},
        {"data_source": "kqa", "index": "3", "response": "<think>x</think><answer>A</answer>"},
    ]
    path.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), encoding="utf-8")
    files = ("--dataset", world["tasks"], "--predictions", str(path))
    code, block, error = moot("score-predictions", "legalsearch", *files, "--json", tasks=False)
    assert code == 0, error
    assert [block["compat"][task]["all"] for task in ("lar", "kqa", "nje")] == [100, 100, 0]
    assert block["outcomes"]["error"] == len(TASKS) - 2 and "no answer" in error


def test_reports_read_the_block(moot: Moot) -> None:
    _, block, _ = moot("run", "legalsearch", "--agent", "gold", "--window", "off")
    for form in ("text", "html", "csv", "json"):
        code, text, error = moot("report", block["run"], "--format", form, tasks=False)
        assert code == 0, error
        said = json.dumps(text, ensure_ascii=False) if isinstance(text, dict) else text
        assert "法条背诵" in said or "lar" in said
        if form in ("text", "html"):
            assert "虚构数据" in said and "window = off" in said


def test_rollouts_repeat_a_task_at_temperature_one(moot: Moot, moot_home: Path) -> None:
    model = script(moot_home, '{"answer": "A"}')
    asked = ("run", "legalsearch", "--agent", "direct", "--model", model, "--task", "3")
    code, block, _ = moot(*asked, "--rollouts", "3")
    assert code == 0 and block["n"] == 3 and block["epochs"] == 3
    code, shown, _ = moot("show", block["run"], "3#2", "--json", tasks=False)
    said = json.dumps(shown) if isinstance(shown, dict) else shown
    assert code == 0 and '"temperature": 1.0' in said
