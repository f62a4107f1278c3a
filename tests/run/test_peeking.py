"""The prompt that a model in any seat would read: of runs by rules, of runs by models, at any step, for any
context."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from app.cli.main import cli
from tasks.agents.budgets import ContextBudget, least_context
from tasks.episode.events import ModelCalled, Seated
from tasks.errors import UsageError
from tasks.run.reading import read_episode
from tasks.run.runner import start_run
from tasks.run.seat_prompt import would_read
from tasks.run.spec import RunSpec


@pytest.fixture(scope="module")
def trials(tmp_path_factory: pytest.TempPathFactory, sample_built: Path) -> Path:
    """A civil trial by rules, and a task of many hops."""
    return tmp_path_factory.mktemp("trials")


def played(home: Path, pack: Path, **more: object) -> Path:
    out = home / f"{more.get('benchmark')}.moot"
    if not out.exists():
        with start_run(RunSpec.model_validate({"agent": "rules", "pack": str(pack), **more}), out=out) as run:
            run.go()
    return out


@pytest.fixture
def trial(trials: Path, sample_pack: Path) -> Path:
    return played(trials, sample_pack, benchmark="courts", task_ids=("CI-0004",))


@pytest.mark.slow
def test_any_seat_of_a_trial_by_rules_is_read_at_any_step(trial: Path) -> None:
    last = would_read(trial, "CI-0004", "judge")
    assert last.seat == "agent" and last.ask.schema is not None and "你是" in last.ask.messages[0].content
    assert set(last.parts) == {"card", "standing", "record", "cue"}
    assert sum(last.parts.values()) == sum(len(message.content) for message in last.ask.messages)
    assert last.parts["standing"] > 0, "8,192 tokens do not hold the whole record"
    wide = would_read(trial, "CI-0004", "judge", context=32768)
    assert wide.parts["standing"] == 0 and wide.policy == last.policy
    early = would_read(trial, "CI-0004", "judge", step=2)
    assert len(early.ask.messages) == 2 and early.step == 2
    lawyer = would_read(trial, "CI-0004", "plaintiff_lawyer")
    assert "委托诉讼代理人" in lawyer.ask.messages[0].content


@pytest.mark.parametrize(
    ("seat", "more", "words"),
    [
        ("grader", {}, "is never asked"),
        ("judge", {"step": 3}, "is not asked at step 3"),
        ("clerk", {}, "kept by rules alone"),
    ],
)
def test_what_cannot_be_read_is_said(trial: Path, seat: str, more: dict[str, object], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        would_read(trial, "CI-0004", seat, **more)  # type: ignore[arg-type]


def test_a_model_that_spoke_reads_what_it_read(moot_home: Path, sample_pack: Path, tmp_path: Path) -> None:
    script = tmp_path / "script.json"
    script.write_text(json.dumps({"otherwise": ["不知道。"]}, ensure_ascii=False), encoding="utf-8")
    spec = RunSpec(benchmark="legalagentbench", agent="react", model=f"scripted:{script}", limit=1, max_turns=2)
    with start_run(spec, out=tmp_path / "run.moot") as run:
        run.go()
        (row,) = run.journal.episodes()
        calls = [r for r in read_episode(run.journal, row.id) if isinstance(r.event, ModelCalled)]
        seen = [run.journal.text_of(name) for _, name in calls[0].event.messages]
    read = would_read(tmp_path / "run.moot", row.id, "agent", step=calls[0].step)
    assert [message.content for message in read.ask.messages] == seen


def test_the_command_prints_the_prompt_and_its_sizes(trial: Path) -> None:
    run = CliRunner().invoke(cli, ["show", str(trial), "CI-0004", "--would-read", "审判长", "--context", "16384"])
    assert run.exit_code == 0 and run.stdout.startswith("[system]") and "16,384" in run.stderr
    data = CliRunner().invoke(cli, ["show", str(trial), "CI-0004", "--would-read", "agent", "--json"])
    told = json.loads(data.stdout)
    assert (
        told["context"] == 8192
        and told["parts"]["standing"]["tokens"] > 0
        and told["messages"][0]["role"] == "system"
    )
    for wrong in (
        ["--would-read", "judge"],
        ["CI-0004", "--context", "16384"],
        ["--step", "3"],
    ):
        assert isinstance(CliRunner().invoke(cli, ["show", str(trial), *wrong]).exception, UsageError)


@pytest.mark.parametrize("spec", ["llama:m", "llama:m#reply=1000,reasoning=500"])
@pytest.mark.parametrize("characters", [100, 60_000])
def test_the_least_context_is_just_enough(spec: str, characters: int) -> None:
    sits = Seated(seat="agent", policy="x", engine=spec)
    least = least_context(characters, sits)
    assert ContextBudget.of(sits.model_copy(update={"context": least + 2})).characters() >= characters
    assert ContextBudget.of(sits.model_copy(update={"context": least - 50})).characters() < characters
