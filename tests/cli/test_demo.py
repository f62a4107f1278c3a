from __future__ import annotations

import json
from pathlib import Path

import pytest

from moot import RunRecord, open_run
from tests.support.typed import moot

pytestmark = pytest.mark.slow


def test_the_demo_shows_a_task_that_the_rules_agent_solves() -> None:
    code, out, err = moot("demo", "--json")
    assert code == 0
    block = json.loads(out)
    assert block["compat"]["success"]["all"] == 1.0 and block["outcomes"]["finished"] == 1
    assert "虚构数据" in err and "第 1 步" in err and "计划" in err


def test_the_demo_is_plain_text_without_a_terminal(sample_pack: Path) -> None:
    code, out, _ = moot("demo")
    assert code == 0
    assert "答案" in out and "论文口径" in out and "规则，无模型" in out


def rates(record: RunRecord) -> list[object]:
    return [row["value"] for row in record.rows()]


QUESTION = "松烟梧堂精密机械股份有限公司的法定代表人是谁？"


def test_a_question_of_ones_own_is_solved_kept_and_scored_by_nobody(sample_pack: Path) -> None:
    code, out, err = moot("demo", "--ask", f"  {QUESTION}\n", "--json")
    assert code == 0 and "宗若" in err and QUESTION in err
    block = json.loads(out)
    assert block["n"] == block["outcomes"]["finished"] == 1 and block["compat"]["success"] == {"all": None}
    assert block["strict"]["success"] == {"all": None}
    record = open_run("latest")
    assert [(one.outcome, "宗若" in one.answer) for one in record.episodes] == [("finished", True)]
    assert record.summary and set(rates(record)) == {None}
    assert "1 题" in moot("show", record.id, "--verify").out


@pytest.mark.parametrize("asked", ["", " \t", "问" * 501])
def test_what_cannot_be_asked_is_refused_before_anything_is_written(asked: str, moot_home: Path) -> None:
    code, _, err = moot("demo", "--ask", asked)
    assert code == 2 and "1 to 500 characters" in err
    assert not (moot_home / "runs").exists() and not (moot_home / "asked").exists()


def test_with_llama_cpp_the_model_that_comes_with_moot_plays_what_it_has_solved(
    sample_pack: Path, shipped_model: Path
) -> None:
    pytest.importorskip("llama_cpp")
    code, out, err = moot("demo", "--json")
    assert code == 0 and json.loads(out)["n"] == 1
    assert "随附演示模型" in err and QUESTION in err and "react/1+compact llama:moot-tiny" in err
    assert "规则" not in err


def test_without_llama_cpp_the_rules_play_and_it_is_said_how_to_get_it(
    sample_pack: Path, shipped_model: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    code, out, err = moot("demo")
    assert code == 0 and "规则，无模型" in out and "pip install llama-cpp-python" in err
