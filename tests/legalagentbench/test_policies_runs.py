"""Methods of models on the command line: names, modes, pairs without meaning, forks, runs of earlier releases."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from app.cli.main import main
from app.cli.watcher import plain_line
from app.desk.episode.renderers import render
from store.journal import Journal
from tasks.agents.modes import TURNS
from tasks.agents.prompts import digest
from tasks.benchmark import benchmark
from tasks.episode.events import Seated
from tasks.errors import UsageError
from tasks.legalagentbench.benchmark import METHODS
from tasks.run.cast import seat_later
from tasks.run.reading import read_episode
from tests.support.kill_harness import prepare
from tests.support.policy_stage import Actor, Stage

BENCH = benchmark("legalagentbench")


class Moot:
    def __init__(self, capsys: pytest.CaptureFixture[str], home: Path) -> None:
        self._capsys = capsys
        self.home = home
        self.spec = prepare(home, tasks=2)
        self.common = ["--pack", "kill", "--tasks", self.spec["tasks"], "--task", "1"]
        self.model = ["--model", self.spec["model"]]
        self.err = ""

    def __call__(self, *arguments: str) -> tuple[int, Any]:
        code = 0
        try:
            main(list(arguments))
        except SystemExit as stop:
            code = stop.code if isinstance(stop.code, int) else int(bool(stop.code))
        out, self.err = self._capsys.readouterr()
        return code, json.loads(out) if out.startswith("{") else out

    def run(self, *more: str) -> tuple[int, Any]:
        return self("run", "legalagentbench", *self.common, "--json", *more)


@pytest.fixture
def moot(capsys: pytest.CaptureFixture[str], moot_home: Path) -> Moot:
    return Moot(capsys, moot_home)


@pytest.mark.parametrize("mode", [[], ["--calls", "free"], ["--paper"]])
@pytest.mark.parametrize("agent", ["react", "plan-solve", "plan-execute", "direct"])
def test_every_method_runs_to_a_score(moot: Moot, agent: str, mode: list[str]) -> None:
    code, block = moot.run("--agent", agent, *moot.model, *mode)
    if (agent, mode) == ("direct", ["--paper"]):
        assert code == 2 and "has no paper form" in moot.err
        return
    assert code == 0, moot.err
    assert block["n"] == 1 and block["outcomes"]["error"] == 0
    assert set(block["actions"]) == {"ok", "repaired", "rejected"}
    with Journal.open(moot.home / "runs" / f"{block['run']}.moot") as journal:
        policy = {"react": "react/1"}.get(agent, f"{agent}/1") + "".join(
            f"+{word.removeprefix('--')}" for word in mode[-1:]
        )
        sat = [r.event for r in read_episode(journal, "1") if isinstance(r.event, Seated)]
        assert [event.policy for event in sat] == [policy]
        assert journal.header["prompts"] == BENCH.prompts(policy) != {}
        assert journal.header["limits"]["turns"] == TURNS
        readings = [r.event.result for r in read_episode(journal, "1") if r.event.tag == "action_parsed"]  # type: ignore[attr-defined]
    assert sum(block["actions"].values()) == len(readings)
    assert moot("show", block["run"], "--verify")[0] == 0
    assert moot("score", block["run"], "--json")[1]["actions"] == block["actions"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "rules", "--paper"], "agent 'rules' has no paper form"),
        (["--agent", "gold", "--calls", "free"], "agent 'gold' has no free form"),
        (["--agent", "human", "--paper"], "has no paper form"),
        (["--agent", "react", "--paper", "--calls", "free", "--model", "scripted:x"], "exclude each other"),
        (["--agent", "plan-solve"], "needs a model"),
        (["--agent", "direct"], "needs a model"),
        (["--agent", "rules", "--model", "scripted:x"], "uses no model"),
        (["--agent", "search", "--model", "scripted:x"], "unknown agent 'search'"),
    ],
)
def test_pairs_without_meaning_exit_2(moot: Moot, arguments: list[str], words: str) -> None:
    code, _ = moot.run(*arguments)
    assert code == 2 and words in moot.err and len(moot.err.strip().splitlines()) == 1


def test_dry_run_names_policy_and_mode(moot: Moot) -> None:
    _, plan = moot.run("--agent", "plan-execute", "--calls", "free", "--dry-run", *moot.model)
    assert plan["policy"] == "plan-execute/1+free"
    assert moot.run("--dry-run", *moot.model)[1]["policy"] == "react/1", "a model without an agent plays ReAct"
    assert (
        moot.run("--dry-run", "--seat", f"agent={moot.spec['model']}", "--agent", "direct")[1]["policy"] == "direct/1"
    )


def test_a_fork_keeps_the_method_of_the_seat(moot: Moot) -> None:
    _, block = moot.run("--agent", "plan-solve", "--paper", *moot.model, "--seed", "3")
    other = moot.home / "other.json"
    other.write_text(json.dumps({"otherwise": ["第1步：查公司代码。第2步：回答。"]}), encoding="utf-8")

    def sits(seat: str) -> list[tuple[str, str]]:
        code, forked = moot("fork", block["run"], "1", "--turn", "0", "--seat", seat, "--json")
        assert code == 0, moot.err
        with Journal.open(moot.home / "runs" / f"{forked['run']}.moot") as journal:
            return [
                (r.event.policy, r.event.engine) for r in read_episode(journal, "1") if isinstance(r.event, Seated)
            ]

    spec = f"scripted:{other}"
    assert sits(f"agent={spec}")[-1] == ("plan-solve/1+paper", spec)
    assert sits("agent=echo")[-1] == ("echo/1", "")
    assert moot("fork", block["run"], "1", "--turn", "0", "--seat", "agent=react")[0] == 2
    assert "needs a model" in moot.err
    assert moot("fork", block["run"], "1", "--turn", "0", "--seat", "judge=human")[0] == 2


def test_a_model_after_somebody_without_a_method_plays_react() -> None:
    for before in ("rules/1", "human/1", "react/8", "react/9+paper", ""):
        assert seat_later(BENCH, "agent", "llama:x", before).policy == "react/1"
    assert seat_later(BENCH, "agent", "llama:x", "plan-execute/1+free").policy == "plan-execute/1+free"
    assert seat_later(BENCH, "agent", "human", "react/1").engine == "human"


def test_modes_and_their_prompts() -> None:
    for agent, (policy, needs_model) in BENCH.agents.items():
        assert bool(BENCH.modes(policy)) == needs_model, agent
    assert BENCH.modes("react/1+paper") == ("lean", "native", "compact", "free", "paper")
    assert BENCH.modes("direct/1+paper") == BENCH.modes("react/1+odd") == BENCH.modes("react/9") == ()
    assert BENCH.prompts("rules/1") == {}
    assert BENCH.prompts("react/1+paper")["answer/1"] == digest("answer/1")
    assert all(modes["free"] == modes["lean"] for modes in METHODS.values())


def test_max_turns_is_the_number_of_actions(moot: Moot) -> None:
    script = moot.home / "endless.json"
    call = '{"thought": "再查", "action": "get_sum", "action_input": {"identifier": [1]}}'
    script.write_text(json.dumps({"otherwise": [call]}), encoding="utf-8")
    _, block = moot.run("--model", f"scripted:{script}", "--max-turns", "3")
    assert block["outcomes"]["turn_limit"] == 1
    with Journal.open(moot.home / "runs" / f"{block['run']}.moot") as journal:
        tags = [r.event.tag for r in read_episode(journal, "1")]
    assert tags.count("tool_called") == 3 and "limit_hit" not in tags and "answered" in tags


def test_policies_of_an_earlier_release_are_named(moot: Moot, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no policy react/9"):
        Stage(tmp_path / "old.moot", "react/9", Actor(lambda ask, n: "")).run()
    _, block = moot.run("--agent", "react", *moot.model)
    path = moot.home / "runs" / f"{block['run']}.moot"
    old = tmp_path / "older.moot"
    with Journal.open(path) as journal:
        Journal.create(old, {**journal.header, "prompts": {"react/9": "0" * 64}}, journal.episodes()).close()
    assert moot("resume", str(old))[0] == 1
    assert "prompts of an earlier release: react/9" in moot.err and len(moot.err.strip().splitlines()) == 1
    assert moot("resume", str(old), "--new-attempt", "--json")[0] == 0, moot.err


def test_the_choice_of_tables_is_shown(tmp_path: Path) -> None:
    actor = Actor(lambda ask, n: '{"tables": ["LegalDoc", "别的表"]}')
    record = next(
        r for r in Stage(tmp_path / "s.moot", "react/1", actor).run().records if r.event.tag == "tools_chosen"
    )
    block = render(record)
    assert block is not None and "get_legal_document" in block.raw
    shown = "".join(text for line in block.lines for text, _ in line)
    assert "3 张表" in shown and "LegalDoc" in shown and "别的表" in shown
    assert "LegalDoc" in plain_line(record) and "别的表" in plain_line(record)
