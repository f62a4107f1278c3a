"""Methods of models on the command line: names, modes, pairs without meaning, forks, runs of earlier releases."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from app.cli.watcher import plain_line
from app.desk.episode.renderers import render
from store.journal import Journal
from tasks.agents.modes import TURNS
from tasks.benchmark import benchmark
from tasks.episode.events import Seated
from tasks.errors import UsageError
from tasks.run.cast import seat_later
from tasks.run.engines import run_path
from tasks.run.reading import read_episode
from tests.support.kill_harness import prepare
from tests.support.policy_stage import Actor, Stage
from tests.support.typed import Typed, moot

BENCH = benchmark("legalagentbench")


class Moot:
    def __init__(self, home: Path) -> None:
        self.spec = prepare(home, tasks=2)
        self.common = ["--pack", "kill", "--tasks", self.spec["tasks"], "--task", "1", "--json"]
        self.model = ["--model", self.spec["model"]]

    def run(self, *more: str) -> Typed:
        return moot("run", "legalagentbench", *self.common, *more)


@pytest.fixture
def lab(moot_home: Path) -> Moot:
    return Moot(moot_home)


def sits(run: str) -> list[tuple[str, str]]:
    """Policy and engine of who sat in its first episode, one after another."""
    with Journal.open(run_path(run)) as journal:
        events = [record.event for record in read_episode(journal, "1")]
    return [(event.policy, event.engine) for event in events if isinstance(event, Seated)]


@pytest.mark.parametrize("mode", [[], ["--calls", "free"], ["--paper"]])
def test_a_method_runs_to_a_score_in_its_mode(lab: Moot, mode: list[str]) -> None:
    block = lab.run("--agent", "plan-execute", *lab.model, *mode).data
    assert block["n"] == 1 and block["outcomes"]["error"] == 0
    policy = "plan-execute/1" + "".join(f"+{word.removeprefix('--')}" for word in mode[-1:])
    assert [one for one, _ in sits(block["run"])] == [policy]
    with Journal.open(run_path(block["run"])) as journal:
        assert journal.header["prompts"] == BENCH.prompts(policy) != {}
        assert journal.header["limits"]["turns"] == TURNS
    assert moot("show", block["run"], "--verify").code == 0
    assert moot("score", block["run"], "--json").data["actions"] == block["actions"]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["--agent", "rules", "--paper"], "agent 'rules' has no paper form"),
        (["--agent", "gold", "--calls", "free"], "agent 'gold' has no free form"),
        (["--agent", "human", "--paper"], "has no paper form"),
        (["--agent", "react", "--paper", "--calls", "free", "--model", "scripted:x"], "exclude each other"),
        (["--agent", "plan-solve"], "needs a model"),
        (["--agent", "direct", "--paper", "--model", "scripted:x"], "has no paper form"),
        (["--agent", "rules", "--model", "scripted:x"], "uses no model"),
        (["--agent", "search", "--model", "scripted:x"], "unknown agent 'search'"),
    ],
)
def test_pairs_without_meaning_exit_2(lab: Moot, arguments: list[str], words: str) -> None:
    done = lab.run(*arguments)
    assert done.code == 2 and words in done.err and len(done.err.strip().splitlines()) == 1


def test_dry_run_names_policy_and_mode(lab: Moot) -> None:
    for words, policy in (
        (["--agent", "plan-execute", "--calls", "free", *lab.model], "plan-execute/1+free"),
        (lab.model, "react/1"),  # a model without an agent plays ReAct
        (["--seat", f"agent={lab.spec['model']}", "--agent", "direct"], "direct/1"),
    ):
        assert lab.run("--dry-run", *words).data["policy"] == policy


def test_a_fork_keeps_the_method_of_the_seat(lab: Moot, tmp_path: Path) -> None:
    block = lab.run("--agent", "plan-solve", "--paper", *lab.model, "--seed", "3").data
    other = tmp_path / "other.json"
    other.write_text(json.dumps({"otherwise": ["第1步：查公司代码。第2步：回答。"]}), encoding="utf-8")

    def fork(seat: str) -> Typed:
        return moot("fork", block["run"], "1", "--turn", "0", "--seat", seat, "--json")

    spec = f"scripted:{other}"
    assert sits(fork(f"agent={spec}").data["run"])[-1] == ("plan-solve/1+paper", spec)
    assert sits(fork("agent=echo").data["run"])[-1] == ("echo/1", "")
    refused = fork("agent=react")
    assert refused.code == 2 and "needs a model" in refused.err
    assert fork("judge=human").code == 2


def test_a_model_after_somebody_without_a_method_plays_react() -> None:
    for before in ("rules/1", "human/1", "react/8", "react/9+paper", ""):
        assert seat_later(BENCH, "agent", "llama:x", before).policy == "react/1"
    assert seat_later(BENCH, "agent", "llama:x", "plan-execute/1+free").policy == "plan-execute/1+free"
    assert seat_later(BENCH, "agent", "human", "react/1").engine == "human"


def test_policies_of_an_earlier_release_are_named(lab: Moot, tmp_path: Path) -> None:
    with pytest.raises(UsageError, match="no policy react/9"):
        Stage(tmp_path / "old.moot", "react/9", Actor(lambda ask, n: "")).run()
    block = lab.run("--agent", "react", *lab.model).data
    old = tmp_path / "older.moot"
    with Journal.open(run_path(block["run"])) as journal:
        Journal.create(old, {**journal.header, "prompts": {"react/9": "0" * 64}}, journal.episodes()).close()
    refused = moot("resume", old)
    assert refused.code == 1 and len(refused.err.strip().splitlines()) == 1
    assert "prompts of an earlier release: react/9" in refused.err
    assert moot("resume", old, "--new-attempt", "--json").code == 0


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
