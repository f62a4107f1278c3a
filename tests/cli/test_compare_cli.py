"""`moot compare` as a user types it: figures, tasks that differ, both ways through one task, and refusals."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.reports import _folded
from tasks.run.failing import failures_of
from tests.run.test_comparing import imported
from tests.support.desk_fixture import build_pack
from tests.support.typed import moot


@pytest.fixture
def runs(tmp_path: Path) -> tuple[Path, Path]:
    build_pack()
    paths = tmp_path / "rules.moot", tmp_path / "echo.moot"
    for path in paths:
        moot("run", "legalagentbench", "--pack", "small", "--agent", path.stem, "--out", path)
    return paths


def test_runs_are_compared_in_every_format(
    runs: tuple[Path, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", "zh")
    code, out, _ = moot("compare", *runs)
    assert code == 0 and "四格表" in out and "得分不同的题" in out and "虚构数据" in out and "智能体" in out
    code, out, _ = moot("compare", *runs, "--json")
    (made,) = json.loads(out)["comparisons"]
    whole = made["rows"][0]
    assert (whole["rule"], whole["measure"], whole["n"]) == ("compat", "success", 2)
    assert whole["difference"] == whole["second"] - whole["first"] and 0 < whole["p"] <= 1
    code, out, _ = moot("compare", *runs, "--format", "md")
    assert code == 0 and out.startswith("# ") and "| " in out
    page = tmp_path / "made.html"
    code, out, err = moot("compare", *runs, "--format", "html", "--out", page)
    text = page.read_text(encoding="utf-8")
    assert code == 0 and out == "" and "made.html" in err
    assert "default-src 'none'" in text and "<svg" in text and "<script" not in text and "://" not in text


def test_both_ways_through_a_task(runs: tuple[Path, Path]) -> None:
    code, out, _ = moot("compare", *runs, "--task", "k-2")
    assert code == 0 and "≠" in out and "\n- " in out and "\n+ " in out
    code, out, _ = moot("compare", *runs, "--task", "k-2", "--json")
    told = json.loads(out)
    assert told["parting"] == 1 and not told["steps"][0]["same"]
    again = runs[0].with_name("again.moot")
    moot("run", "legalagentbench", "--pack", "small", "--agent", "rules", "--out", again)
    code, out, _ = moot("compare", runs[0], again, "--task", "k-2", "--json")
    assert json.loads(out)["parting"] is None
    code, out, _ = moot("compare", runs[0], again)
    assert "alike" in out or "得分相同" in out


def test_what_cannot_be_compared_is_one_sentence(runs: tuple[Path, Path]) -> None:
    for arguments, said in (
        ((runs[0],), "two runs"),
        ((runs[0], "nowhere"), "nowhere"),
        ((*runs, "--task", "k-9"), "k-9"),
        ((runs[0], runs[0]), "two runs"),
    ):
        code, out, err = moot("compare", *arguments)
        assert code in (1, 2) and out == "" and said in err and "Traceback" not in err


def test_folded_episodes_are_failures_first(tmp_path: Path) -> None:
    path = imported(tmp_path, "a", [n for n in range(20) if n not in (7, 12)])
    folded = list(_folded(path, 3, failures_of(path)))
    assert [one.title.partition(" ")[0].partition("#")[0] for one in folded[:2]] == [
        row.episode for row in failures_of(path).episodes if row.verdict.status == "failed"
    ]
    assert " · " in folded[0].title and " · " not in folded[2].title and folded[2].cut
