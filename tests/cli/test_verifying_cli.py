"""`moot review FILE`: what is listed, shown, noted and refused."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner, Result

from app.cli.review import review
from store.errors import BadInput
from tasks.errors import UsageError
from tasks.verifying.decisions import decide, log_of
from tasks.verifying.taskset import read_set

RECORD = {"question": "某公司涉案几次？", "answer": "共12次。", "key": ["12次"], "hops": 1, "way": "get_company_info"}


@pytest.fixture
def made(tmp_path: Path) -> Path:
    path = tmp_path / "made.jsonl"
    path.write_text("".join(json.dumps({"id": f"t-{n}", **RECORD}) + "\n" for n in (1, 2, 3)), encoding="utf-8")
    return path


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(review, [str(one) for one in arguments])


def test_a_set_is_decided_listed_and_published(made: Path, tmp_path: Path) -> None:
    for author in ("Li", "Wang"):
        told = invoke(made, "t-1", "--decision", "accept", "--author", author, "--json")
        assert json.loads(told.output)["author"] == author
    why = ("--why", "leak", "--why", "unclear", "--reason", "见题面")
    invoke(made, "t-2", "--decision", "reject", *why, "--author", "Li")
    decide(read_set(made), "t-2", "correct", "Wang", fields={"answer": "12次", "key": ("12次",)})  # as the desk does
    listed = json.loads(invoke(made, "--json").stdout)
    assert listed["counts"] == {"open": 1, "once": 0, "agreed": 1, "disputed": 1, "settled": 0}
    (pair,) = listed["agreement"]
    assert (pair["raters"], pair["n"], pair["equal"], pair["kappa"]) == (["Li", "Wang"], 2, 0.5, pytest.approx(1 / 3))
    assert "有分歧" in invoke(made).output and "κ" in invoke(made).output
    out = tmp_path / "out.jsonl"
    told = invoke(made, "--publish", out, "--json")
    data = json.loads(told.output)
    assert (data["n"], data["refused"]) == (1, {"open": 1, "few": 0, "disputed": 1, "rejected": 0})
    assert json.loads(out.read_text(encoding="utf-8"))["verified"]["reviewers"] == ["Li", "Wang"]
    again = invoke(made, "--publish", out)
    assert isinstance(again.exception, BadInput)
    invoke(made, "t-2", "--decision", "accept", "--consensus", "--author", "Li")
    assert json.loads(invoke(made, "--json").stdout)["counts"]["settled"] == 1


def test_what_others_decided_is_shown_to_nobody_who_has_not(made: Path) -> None:
    invoke(made, "t-1", "--decision", "reject", "--why", "other", "--reason", "读不懂", "--author", "Li")
    for arguments in (["t-1", "--author", "Wang"], ["t-1"], ["--author", "Wang"], []):
        told = invoke(made, *arguments)
        assert told.exit_code == 0 and "读不懂" not in told.output and "退回" not in told.output
        assert "读不懂" not in invoke(made, *arguments, "--json").output
    assert "读不懂" in invoke(made, "t-1", "--author", "Li").output


@pytest.mark.parametrize(
    "arguments, says",
    [
        (["t-1", "--decision", "reject", "--author", "Li"], "needs a reason"),
        (["t-9", "--decision", "accept", "--author", "Li"], "no task t-9"),
        (["t-1", "--decision", "accept"], "needs its author"),
        (["--decision", "accept"], "needs a task"),
        (["t-1", "--why", "leak"], "needs a task and --decision"),
        (["--sample"], "about a RUN"),
        (["t-1", "--value", "3"], "about a RUN"),
    ],
)
def test_what_means_nothing_is_said_in_a_sentence(made: Path, arguments: list[str], says: str) -> None:
    told = invoke(made, *arguments)
    assert isinstance(told.exception, UsageError) and says in told.exception.title
    assert not log_of(made).exists()


def test_options_of_tasks_are_refused_for_a_run() -> None:
    told = invoke("latest", "CI-0001", "--why", "leak")
    assert isinstance(told.exception, UsageError) and "--why" in told.exception.title


def test_the_log_of_another_set_is_refused(made: Path, tmp_path: Path) -> None:
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps({"id": "t-1", **RECORD}), encoding="utf-8")
    invoke(other, "t-1", "--decision", "accept", "--author", "Wang")
    told = invoke(made, "--add", log_of(other))
    assert isinstance(told.exception, BadInput)
    assert "other.jsonl" in told.exception.title and "made.jsonl" in told.exception.title
