"""`moot procedure check`: figures of labelled turns, and one sentence with the line for what is no label."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner, Result

from app.cli.score import procedure
from store.errors import BadInput, NotFound

ROW: dict[str, Any] = {
    "id": "a1", "env": "CI", "procedure": "普通程序", "stage": "investigation",
    "names": {"plaintiff": ["岑岚"], "defendant": ["易舟"]},
    "exhibits": [{"id": "E1", "owner": "plaintiff", "title": "租赁合同"}], "done": ["claim/plaintiff"],
    "turn": {"to": ["defendant_lawyer"], "text": "请被告答辩。"},
    "reply": [{"speaker": "defendant_lawyer", "text": "不同意原告的请求，租金已经付清。"}],
    "class": "good", "acts": ["answer/defendant"], "faults": [], "why": "被告答辩。",
}  # fmt: skip


def check(tmp_path: Path, *rows: dict[str, Any] | str, options: tuple[str, ...] = ("--json",)) -> Result:
    file = tmp_path / "labels.jsonl"
    lines = (row if isinstance(row, str) else json.dumps(row, ensure_ascii=False) for row in rows)
    file.write_text("\n".join(lines), encoding="utf-8")
    return CliRunner().invoke(procedure, ["check", str(file), *options])


def test_the_figures_of_a_file(tmp_path: Path) -> None:
    wrong = {**ROW, "id": "a2", "acts": ["cross/E1/defendant"], "faults": ["no_answer", "missing"]}
    result = check(tmp_path, ROW, "", wrong)
    told = json.loads(result.output)
    assert result.exit_code == 0 and told["n"] == 2
    assert set(told) == {"n", "strict", "compat", "faults", "differences"} and set(told["strict"]) == {
        "law",
        "actions",
    }
    assert told["strict"]["law"] == {"precision": 0.5, "recall": 0.5, "right": 1, "wrong": 1, "missed": 1}
    assert told["compat"]["recall"] == 0.5 and told["faults"]["missed"] == 1
    assert told["faults"]["precision"] is None


def test_the_turns_that_differ_are_named(tmp_path: Path) -> None:
    wrong = {**ROW, "id": "a2", "acts": [], "faults": []}
    told = json.loads(check(tmp_path, ROW, wrong, options=("--json",)).output)
    assert [one["id"] for one in told["differences"]] == ["a2"]
    assert told["differences"][0]["wrong"] == ["answer/defendant"]


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ({"acts": ["greeting/plaintiff"]}, "no act 'greeting'"),
        ({"done": ["claim/judge"]}, "'claim/judge' names no side"),
        ({"faults": ["rude"]}, "no fault 'rude'"),
        ({"stage": "break"}, "no stage 'break'"),
        ({"mood": "calm"}, "no field 'mood'"),
        ({"turn": {"to": ["neighbour"], "text": ""}}, "'turn.to.0' is missing or not"),
        ({"turn": {"to": []}}, "'turn.text' is missing or not"),
        ({"env": "KQ"}, "'env' is missing or not"),
        ({"id": "a1"}, "'a1' stands on an earlier line"),
    ],
)
def test_what_is_no_label_is_named_with_its_line(tmp_path: Path, change: dict[str, Any], said: str) -> None:
    error = check(tmp_path, ROW, {**ROW, "id": "a2", **change}).exception
    assert isinstance(error, BadInput) and error.exit_code == 1
    assert said in error.title and "line 2" in error.title


@pytest.mark.parametrize("line", ['{"id": "a2"', "[1, 2]", "宣布开庭"])
def test_broken_lines_are_named(tmp_path: Path, line: str) -> None:
    error = check(tmp_path, ROW, line).exception
    assert isinstance(error, BadInput) and "line 2" in error.title


def test_a_turn_that_nobody_labelled_is_none(tmp_path: Path) -> None:
    error = check(tmp_path, {key: value for key, value in ROW.items() if key != "acts"}).exception
    assert isinstance(error, BadInput) and "'acts' is missing" in error.title


def test_a_file_without_turns_and_no_file(tmp_path: Path) -> None:
    assert isinstance(check(tmp_path).exception, BadInput)
    assert isinstance(CliRunner().invoke(procedure, ["check", str(tmp_path / "none")]).exception, NotFound)
