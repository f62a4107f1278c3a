"""Whole runs with the local model that comes with Moot, whose episodes really differ: they end with scores, repeat
event for event alone and beside others, and survive the death of either process, forks and other hands in the
seat."""

from __future__ import annotations

import json
import os
import shutil
import signal
import sys
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

from tasks.benchmark import benchmark
from tasks.episode.events import EngineFailed, ModelCalled
from tasks.episode.scheduler import Notice, RecordsCommitted, ReplyStream
from tasks.episode.state import digest, fold
from tasks.run.cast import seat_later
from tasks.run.opened import Run
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.spec import RunSpec

ROOT = Path(__file__).resolve().parents[2]
pytestmark = pytest.mark.slow


MODEL = f"llama:{ROOT / 'models' / 'tiny' / 'moot-tiny.gguf'}"
EPISODES = 4
TASKS = tuple(f"sample-{number}" for number in range(101, 101 + EPISODES))


@pytest.fixture(autouse=True)
def sample(sample_pack: Path) -> None: ...


def spec(**more: object) -> RunSpec:
    made = {"benchmark": "legalagentbench", "agent": "react", "model": MODEL, "task_ids": TASKS, "max_turns": 3}
    return RunSpec.model_validate({**made, "calls": "compact", **more})


def digests(run: Run) -> list[str]:
    return [digest(read_episode(run.journal, row.id)) for row in run.journal.episodes()]


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A run that nobody disturbs, one episode at a time; `left` is what lay on the disk in the middle of a step, when
    its fifth call was committed: what a kill leaves."""

    path: Path
    left: Path
    digests: list[str]
    said: list[list[str]]


@pytest.fixture(scope="module")
def undisturbed(sample_built: Path, tmp_path_factory: pytest.TempPathFactory) -> Undisturbed:
    home = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(sample_built, home / "packs" / "sample")
    path, left, calls = home / "r.moot", home / "left", 0
    left.mkdir()

    class Copier:
        def notify(self, notice: Notice) -> None:
            nonlocal calls
            if isinstance(notice, RecordsCommitted) and calls < 5:
                calls += sum(record.event.tag == "model_called" for record in notice.records)
                if calls == 5:
                    for file in home.glob("r.moot*"):
                        shutil.copy(file, left)

    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        with start_run(spec(), [Copier()], out=path) as run:
            run.go()
            return Undisturbed(path, left / path.name, digests(run), said_in(run))


def calls_of(run: Run) -> list[list[ModelCalled]]:
    """The calls of its episodes."""
    events = ([r.event for r in read_episode(run.journal, row.id)] for row in run.journal.episodes())
    return [[event for event in own if isinstance(event, ModelCalled)] for own in events]


def said_in(run: Run) -> list[list[str]]:
    return [[call.text for call in own] for own in calls_of(run)]


def test_episodes_at_temperature_0_are_equal_alone_and_beside_others(undisturbed: Undisturbed) -> None:
    with start_run(spec(parallel=EPISODES)) as run:
        run.go()
        assert all(driver.stopped for driver in run.scheduler.episodes.values())
        block, calls = run.summary().block(), calls_of(run)
        assert digests(run) == undisturbed.digests
    assert block["n"] == EPISODES and sum(block["outcomes"].values()) == EPISODES
    assert block["actions"]["repaired"] == block["actions"]["rejected"] == 0, "the grammar holds"
    assert all(call.tokens or not call.generated for own in calls for call in own)
    assert len({sum(call.generated for call in own) for own in calls}) > 1, "episodes that differ in length"
    again = [call for own in calls for call in own[1:]]
    assert again and all(call.reused > call.evaluated for call in again), "what was read before is not read again"


def test_a_fork_shares_the_beginning_and_another_may_take_the_seat(undisturbed: Undisturbed) -> None:
    with resume_run(undisturbed.path) as run:
        row, own = max(zip(run.journal.episodes(), calls_of(run), strict=True), key=lambda one: len(one[1]))
    path = undisturbed.path
    assert len(own) > 1, "no episode has a step to fork after"
    with fork_run(path, row.id, 1) as fork:
        fork.go()
        (again,) = calls_of(fork)
        assert [call.text for call in again] == [call.text for call in own], "the same goes on in the same way"
    bench = benchmark("legalagentbench")
    with fork_run(path, row.id, 1, newcomer=seat_later(bench, bench.seat, "gold", "")) as fork:
        fork.go()
        assert fork.summary().block()["strict"]["all_keys"]["all"] == 1.0, "other hands put it right"
    with start_run(RunSpec(benchmark=bench.name, agent="gold", task_ids=TASKS[:1])) as run:
        run.go()
        row, path = run.journal.episodes()[0], run.journal.path
    with fork_run(path, row.id, 1, newcomer=seat_later(bench, bench.seat, MODEL, "react/1+compact")) as fork:
        fork.go()
        records = read_episode(fork.journal, row.id)
        call = next(record.event for record in records if isinstance(record.event, ModelCalled))
        told = [fork.journal.text(name) or "" for name in call.texts]
        assert not any("已经做过" in text for text in told), "what others did stands as its own calls do"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_engine_costs_a_turn_and_changes_nothing(undisturbed: Undisturbed) -> None:
    kills = 0

    class Killer:
        def notify(self, notice: Notice) -> None:
            nonlocal kills
            if isinstance(notice, ReplyStream) and notice.delta.phase == "reading" and kills < 2:
                pid = next(iter(run.engines.values())).process.pid  # type: ignore[attr-defined]
                if pid and notice.delta.episode != "":
                    kills += 1
                    os.kill(pid, signal.SIGKILL)

    with start_run(spec(), [Killer()]) as run:
        run.go()
        events = [record.event for row in run.journal.episodes() for record in read_episode(run.journal, row.id)]
        assert said_in(run) == undisturbed.said
    assert kills == 2
    failures = [event for event in events if isinstance(event, EngineFailed)]
    assert failures and all("died" in event.message for event in failures)
    assert not any(event.tag == "stopped" and event.outcome == "error" for event in events)  # type: ignore[attr-defined]


def test_a_killed_run_goes_on_where_its_record_ends(undisturbed: Undisturbed) -> None:
    with resume_run(undisturbed.left) as run:
        assert any(not driver.stopped for driver in run.scheduler.episodes.values())
        run.go()
        assert digests(run) == undisturbed.digests


def test_every_example_of_the_card_is_answered_rightly(tmp_path: Path) -> None:
    """They are what a newcomer is shown, and what the demo plays."""
    card = tomllib.loads((ROOT / "models" / "tiny" / "card.toml").read_text(encoding="utf-8"))
    path = tmp_path / "asked.json"
    lines = [{"id": f"asked-{n}", "asked": True, "question": kind["example"]} for n, kind in enumerate(card["kinds"])]
    path.write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")
    with start_run(spec(task_ids=(), tasks=str(path), max_turns=None, parallel=4)) as run:
        run.go()
        ends = [fold(read_episode(run.journal, row.id)).answered for row in run.journal.episodes()]
    told = [end.res if end else "" for end in ends]
    assert len(told) >= 15
    assert {
        kind["name"]: answer
        for kind, answer in zip(card["kinds"], told, strict=True)
        if not all(key in answer for key in kind["keys"])
    } == {}
