from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.main import main


def test_the_demo_shows_a_task_that_the_rules_agent_solves(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["demo", "--json"])
    out, err = capsys.readouterr()
    assert not stop.value.code
    block = json.loads(out)
    assert block["compat"]["success"]["all"] == 1.0 and block["outcomes"]["finished"] == 1
    assert "虚构数据" in err and "第 1 步" in err and "计划" in err


def test_the_demo_is_plain_text_without_a_terminal(sample_pack: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        main(["demo"])
    out, _ = capsys.readouterr()
    assert not stop.value.code
    assert "答案" in out and "论文口径" in out and "规则，无模型" in out
