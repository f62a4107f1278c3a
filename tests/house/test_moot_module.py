"""The module `moot`: what it shows is what the command line does, and nothing behind it is needed."""

from __future__ import annotations

import ast
import doctest
import json
import os
import re
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

import moot
from app.cli.main import main
from tasks import registry
from tests.support.kill_harness import prepare

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture(autouse=True)
def nothing_added(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(registry, "ADDED", {})


def test_it_runs_as_the_command() -> None:
    ran = subprocess.run([sys.executable, "-m", "moot", "--version"], capture_output=True, text=True, cwd=ROOT)
    assert (ran.returncode, ran.stdout.partition(",")[0]) == (0, "moot")


@pytest.mark.parametrize("name", ["models", "store/__init__.py", "tasks.py"])
def test_what_hides_a_package_of_ours_is_named(tmp_path: Path, name: str) -> None:
    hider = tmp_path / name
    (hider if not hider.suffix else hider.parent).mkdir(exist_ok=True)
    if hider.suffix:
        hider.write_text("")
    environment = {**os.environ, "PYTHONPATH": f"{tmp_path}{os.pathsep}{ROOT}"}
    ran = subprocess.run(
        [sys.executable, "-c", "import moot"], capture_output=True, text=True, cwd=tmp_path, env=environment
    )
    if hider.suffix:
        assert f"{hider} hides the package {Path(name).parts[0].removesuffix('.py')} of Moot" in ran.stderr
    else:  # a folder without __init__.py is none beside a package
        assert ran.returncode == 0


def test_its_examples() -> None:
    assert doctest.testmod(moot).failed == 0


def test_every_name_that_it_lists_is_there() -> None:
    assert len(set(moot.__all__)) == len(moot.__all__)
    assert all(getattr(moot, name) is not None for name in moot.__all__)


def test_nobody_inside_imports_it() -> None:
    """It is the roof: packages from elsewhere stand on it, no room does."""
    for room in ("app", "tasks", "store", "models"):
        for path in (ROOT / room).rglob("*.py"):
            assert not re.search(r"^\s*(?:import|from)\s+moot\b", path.read_text("utf-8"), re.MULTILINE), path


def test_extensions_import_nothing_else_of_ours() -> None:
    for path in (ROOT / "tests" / "extension").glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom):
                assert (node.module or "").split(".")[0] not in ("app", "tasks", "store", "models"), path


def test_a_run_is_played_opened_and_scored_as_on_the_command_line(
    moot_home: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    spec = prepare(moot_home, tasks=3)
    record = moot.run("legalagentbench", pack="kill", tasks=spec["tasks"], limit=2)
    assert [episode.outcome for episode in record.episodes] == ["finished", "finished"]
    assert {event.tag for event in record.events(record.episodes[0].id)} >= {"attempt_started", "answered", "stopped"}
    assert record.header["command"] == ["moot.run", "legalagentbench"]
    with pytest.raises(SystemExit):
        main(["score", record.id, "--json"])
    assert json.loads(capsys.readouterr().out) == record.block == moot.score("latest")
    (success,) = [
        row for row in record.rows() if (row["rule"], row["group"], row["name"]) == ("strict", "all", "success")
    ]
    assert success["value"] == record.block["strict"]["success"]["all"] and success["n"] == 2
    rows = list(record.scores())
    assert {row["episode"] for row in rows} == {episode.id for episode in record.episodes}
    assert all(isinstance(row["scorer"], str) and row["name"] for row in rows)
    assert moot.open_run(record.id[:-2]).path == record.path and moot.resume(record.id).path == record.path
    assert moot.packs() == ["kill"] and "courts" in moot.benchmarks()


def test_what_is_added_in_a_notebook_is_there_at_once(moot_home: Path) -> None:
    spec = prepare(moot_home, tasks=1)

    @moot.agent("yes/1")
    class Yes:
        def move(self, view: moot.View) -> moot.Move:
            yield from ()
            return moot.Answer("是")

    record = moot.run("legalagentbench", agent="yes", pack="kill", tasks=spec["tasks"])
    assert [episode.answer for episode in record.episodes] == ["是"]


def test_a_plain_function_is_an_agent_and_its_samples_are_a_table(
    moot_home: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "pandas", SimpleNamespace(DataFrame=list))
    spec = prepare(moot_home, tasks=3)

    def look(question: str, tools: Any) -> str:
        first = tools.get_company_info(identifier="无此公司", columns=[])
        second = tools.get_sum(identifier=[1, 2])
        return f"{len(question) > 0} {first.status} {second.value}"

    record = moot.run("legalagentbench", agent=look, pack="kill", tasks=spec["tasks"])
    assert {episode.answer for episode in record.episodes} == {"True outside_pack 3"}
    events = record.events(record.episodes[0].id)
    called = [getattr(event, "tool", "") for event in events if event.tag == "tool_called"]
    assert called == ["get_company_info", "get_sum"]
    assert "3/3" in capsys.readouterr().err
    rows = record.samples()
    assert len(rows) == 3
    assert {"group", "question", "answer", "compat", "strict", "reason", "tokens", "seconds"} <= set(rows[0])
    assert moot.resume(record.id, agent=look, progress=False).path == record.path
    assert capsys.readouterr().err == ""


@pytest.mark.parametrize(
    ("function", "said"),
    [
        (lambda question, tools: str(1 / 0), "ZeroDivisionError"),
        (lambda question, tools: 7, "returned int, not a text"),
        (lambda question: "x", "TypeError"),
    ],
)
def test_a_function_that_fails_is_said_at_the_first_episode(moot_home: Path, function: Any, said: str) -> None:
    spec = prepare(moot_home, tasks=3)
    with pytest.raises(moot.TaskError, match=said):
        moot.run("legalagentbench", agent=function, pack="kill", tasks=spec["tasks"])
    outcomes = [episode.outcome for episode in moot.open_run("latest").episodes]
    assert outcomes.count("error") == 1


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"benchmark": "nonsense"}, "unknown benchmark 'nonsense'"),
        ({"benchmark": "legalagentbench", "limit": 0}, "limit"),
        ({"benchmark": "legalagentbench", "colour": "red"}, "legalagentbench has no setting 'colour'"),
        ({"benchmark": "legalagentbench", "agent": "human"}, "a person cannot sit in a notebook"),
        ({"benchmark": "legalagentbench", "seats": {"judge": "rules"}}, "legalagentbench has no seat 'judge'"),
        (
            {"benchmark": "legalagentbench", "model": "endpoint:http://192.0.2.7/v1#m"},
            "192.0.2.7 is not this machine",
        ),
    ],
)
def test_what_makes_no_sense_is_one_sentence_and_nothing_is_written(
    moot_home: Path, arguments: dict[str, object], said: str
) -> None:
    spec = prepare(moot_home, tasks=1)
    with pytest.raises((moot.TaskError, moot.StoreError, moot.BadEngine), match=said):
        moot.run(**{"pack": "kill", "tasks": spec["tasks"], **arguments})
    assert not list((moot_home / "runs").glob("*"))
