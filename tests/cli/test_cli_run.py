"""The commands that run and read episodes, as a user types them."""

from __future__ import annotations

import io
import json
import shutil
from pathlib import Path

import pytest

from app.strings import t
from app.strings.sentences import translated
from app.words import score_figure
from tests.cli.conftest import Moot
from tests.support.court_run_fixture import prepare_courts


def test_run_prints_a_block_and_keeps_the_run(moot: Moot) -> None:
    block = moot.run(moot.spec["model"]).block()
    assert block["benchmark"] == "legalagentbench" and block["n"] == 3
    assert sum(block["outcomes"].values()) == 3
    (row,) = moot("list", "--json").block()["runs"]
    assert row["run"] == block["run"] and row["finished"] == 3
    shown = moot("show", block["run"], "--json").block()
    assert [e["episode"] for e in shown["episodes"]] == ["1", "2", "3"]
    assert moot("show", block["run"], "--verify", "--json").block()["verified"].keys() == {"1", "2", "3"}


def test_show_tells_an_episode_in_words_and_as_data(moot: Moot) -> None:
    run = moot.run(moot.spec["model"], "--task", "1").block()["run"]
    text = moot("show", run, "1", "--prompts").out
    assert "工具调用" in text and "虚构数据" in text and "[system]" in text
    data = moot("show", run, "1", "--json").block()
    assert data["records"][0]["tag"] == "attempt_started"
    assert "key" not in data["records"][0]["data"]["card"]
    assert {score["scorer"] for score in data["scores"]} >= {"compat", "strict"}


def test_show_says_what_the_scores_of_a_court_rest_on(moot: Moot, sample_pack: Path) -> None:
    run = moot("run", "courts", "--pack", "sample", "--task", "CD-0001", "--json").block()["run"]
    text = moot("show", run, "CD-0001").out
    assert (
        "得分所依据的 · documents_strict" in text
        and "  [文书格式、必备标题]" in text
        and "    ✔ 诉讼请求：" in text
        and "第 " in text
    )
    rows = {one["scorer"]: one for one in moot("show", run, "CD-0001", "--json").block()["scores"]}
    assert any("metrics" in one for one in rows["documents_strict"]["evidence"])


def test_a_distance_of_logarithms_is_shown_as_it_is_and_a_share_in_points() -> None:
    assert (score_figure("SEN_d", 0.928), score_figure("PFS", 0.928)) == ("0.93", "92.8")


def test_fork_and_resume(moot: Moot) -> None:
    run = moot.run(moot.spec["model"], "--task", "1").block()["run"]
    forked = moot("fork", run, "1", "--turn", "1", "--json").block()["run"]
    assert moot("show", forked, "--json").block()["header"]["parent"] == {
        **moot("show", forked, "--json").block()["header"]["parent"], "run": run, "episode": "1", "step": 1,
    }  # fmt: skip
    assert moot("resume", forked, "--json").block()["run"] == forked
    assert t("run.over") in moot.err and "每秒" not in moot.err and "a second" not in moot.err


def test_a_human_answers_at_the_terminal(moot: Moot) -> None:
    words = io.StringIO('/get_company_info {"identifier": "甲公司", "columns": ["公司代码"]}\n代码是999001\n')
    arguments = ("--pack", "kill", "--tasks", moot.spec["tasks"], "--task", "1", "--json")
    block = moot("run", "legalagentbench", "--seat", "agent=human", *arguments, stdin=words).block()
    assert block["compat"]["success"]["all"] == 1.0
    assert moot("run", "legalagentbench", "--agent", "human", *arguments).code == 2
    assert "standard input has ended" in moot.err


@pytest.fixture
def courts(moot: Moot, moot_home: Path) -> tuple[str, ...]:
    """Arguments of a run on one case of each environment, ids 1 to 6."""
    spec = prepare_courts(moot_home)
    return ("run", "courts", "--pack", "bare", "--tasks", spec["tasks"])


def test_a_person_in_court_is_told_all_that_was_said_meanwhile(moot: Moot, courts: tuple[str, ...]) -> None:
    words = io.StringIO("@双方 请到庭当事人陈述诉讼请求和答辩意见。\n")
    moot(*courts, "--env", "ci", "--seat", "judge=human", "--watch", "plain", stdin=words)
    assert "等待本人作答: 独任审判员" in moot.err and "没有送达" not in moot.err
    _, _, put = moot.err.rpartition("等待本人作答: 独任审判员\n")
    speakers = [line.split("：")[0] for line in put.splitlines() if "：" in line]
    assert [name for name in speakers if name.endswith("代理人")] == ["原告委托诉讼代理人", "被告委托诉讼代理人"]
    assert "请到庭当事人陈述" not in put and not any("审判" in name for name in speakers)


def test_episodes_side_by_side_are_told_apart(moot: Moot, courts: tuple[str, ...]) -> None:
    moot(*courts, "--task", "3", "--task", "4", "--parallel", "2", "--watch", "plain", "--max-turns", "3")
    heads = [line for line in moot.err.splitlines() if line.startswith("■ ")]
    assert {"■ 3", "■ 4"} <= set(heads)
    assert all(a.split()[-1] != b.split()[-1] for a, b in zip(heads, heads[1:], strict=False))


def test_a_fork_to_a_seat_that_is_not_there_is_refused_and_keeps_its_own_command(
    moot: Moot, courts: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    run = moot(*courts, "--task", "5", "--max-turns", "3", "--json").block()["run"]
    moot("fork", run, "5", "--turn", "2", "--seat", "procurator=human")
    assert moot.code == 2 and "episode 5 has no seat 'procurator'" in moot.err and "plaintiff_lawyer" in moot.err
    monkeypatch.setattr("sys.argv", ["moot", "fork", run])
    forked = moot("fork", run, "5", "--turn", "2", "--seat", "plaintiff_lawyer=rules", "--json").block()["run"]
    assert moot("show", forked, "--json").block()["header"]["command"] == ["fork", run]


def test_outcomes_are_told_in_words(moot: Moot) -> None:
    run = moot.run(moot.spec["model"], "--task", "1", "--max-tokens", "1").block()["run"]
    assert moot("show", run, "--json").block()["episodes"][0]["outcome"] == "token_limit"
    assert "词元用尽" in moot("show", run).out and "词元用尽 1" in moot("list").out


def test_a_run_on_the_sample_builds_the_pack(
    moot: Moot, sample_built: Path, moot_home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(
        "tasks.sample.build.build_sample", lambda: shutil.copytree(sample_built, moot_home / "packs" / "sample")
    )
    assert moot("run", "legalagentbench", "--limit", "1", "--dry-run").code == 2
    assert moot("run", "legalagentbench", "--agent", "gold", "--limit", "1", "--json").block()["n"] == 1
    assert t("demo.building") in moot.err


def test_help_of_run_shows_the_common_options_first(moot: Moot) -> None:
    common, further = moot("run", "--help").out.split(translated("Further options"))
    assert common.count("\n  --") == 15 and "--model" in common and "--rollouts" in further
    assert "--env" not in common + further and "--env" in moot("run", "courts", "--help").out


def test_dry_run_writes_nothing(moot: Moot, moot_home: Path) -> None:
    plan = moot.run(moot.spec["model"], "--dry-run", "--epochs", "2").block()
    assert plan["n"] == 6 and not (moot_home / "runs").exists()


@pytest.mark.parametrize(
    ("arguments", "code", "words"),
    [
        (["run", "nothing"], 2, "unknown benchmark"),
        (["run", "legalagentbench", "--agent", "wizard"], 2, "unknown agent"),
        (["run", "legalagentbench", "--pack", "absent"], 2, "absent"),
        (["run", "legalagentbench", "--pack", "kill", "--task", "99"], 2, "tasks"),
        (["run", "legalagentbench", "--pack", "kill", "--seat", "judge=human"], 2, "no seat 'judge'"),
        (["run", "legalagentbench", "--pack", "kill", "--seat", "agent"], 2, "ROLE=SPEC"),
        (["run", "courts", "--seat", "judge=humann"], 2, "Possible: rules, human, gold, echo, or the SPEC"),
        (["run", "courts", "--seat", "jury=human"], 2, "Its seats: agent (judge, trainee), client"),
        (["run"], 2, "BENCHMARK"),
        (["show", "absent"], 2, "no run"),
        (["resume", "absent"], 2, "no run"),
        (["fork", "absent", "1", "--turn", "1"], 2, "no run"),
        (["dance"], 2, "dance"),
    ],
)
def test_mistakes_get_one_sentence(moot: Moot, arguments: list[str], code: int, words: str) -> None:
    moot(*arguments)
    assert moot.code == code
    assert words in moot.err and "Traceback" not in moot.err
    assert len(moot.err.strip().splitlines()) == 1


def test_model_text_reaches_the_terminal_clean(moot: Moot, moot_home: Path) -> None:
    hostile = "\x1b]52;c;aGk=\x07\x1b[31m坏\u202e\x9b2J[/red]"
    script = moot_home / "hostile.json"
    script.write_text(json.dumps({"otherwise": [hostile]}), encoding="utf-8")
    moot("run", "legalagentbench", "--model", f"scripted:{script}", "--pack", "kill", "--tasks", moot.spec["tasks"],
         "--task", "1", "--max-turns", "2", "--watch", "plain")  # fmt: skip
    assert moot.code == 0
    for character in "\x1b\x07\x9b\u202e":
        assert character not in moot.out + moot.err
