"""Whole runs with the local model that comes with Moot, whose episodes really differ: they end with scores, repeat
event for event alone and beside others, and survive the death of either process, forks and other hands in the
seat."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

from models.llama.process import EngineProcess
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


@pytest.fixture(scope="module")
def model() -> str:
    return MODEL


@pytest.fixture(autouse=True)
def sample(sample_pack: Path) -> None: ...


def spec(model: str, **more: object) -> RunSpec:
    return RunSpec.model_validate(
        {
            "benchmark": "legalagentbench",
            "agent": "react",
            "model": model,
            "task_ids": TASKS,
            "max_turns": 3,
            "calls": "compact",
            **more,
        }  # fmt: skip
    )


def digests(run: Run) -> list[str]:
    return [digest(read_episode(run.journal, row.id)) for row in run.journal.episodes()]


@pytest.fixture(scope="module")
def undisturbed(
    model: str, sample_built: Path, tmp_path_factory: pytest.TempPathFactory
) -> tuple[list[str], list[list[str]]]:
    """What a run is that nobody disturbs, one episode at a time: the digests of its episodes, and what was said."""
    home = tmp_path_factory.mktemp("undisturbed")
    shutil.copytree(sample_built, home / "packs" / "sample")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        with start_run(spec(model)) as run:
            run.go()
            return digests(run), said_in(run)


@pytest.fixture(scope="module")
def expected(undisturbed: tuple[list[str], list[list[str]]]) -> list[str]:
    return undisturbed[0]


def calls_of(run: Run) -> list[list[ModelCalled]]:
    """The calls of its episodes."""
    events = ([r.event for r in read_episode(run.journal, row.id)] for row in run.journal.episodes())
    return [[event for event in own if isinstance(event, ModelCalled)] for own in events]


def said_in(run: Run) -> list[list[str]]:
    return [[call.text for call in own] for own in calls_of(run)]


def test_episodes_at_temperature_0_are_equal_alone_and_beside_others(model: str, expected: list[str]) -> None:
    with start_run(spec(model, parallel=EPISODES)) as run:
        run.go()
        assert all(driver.stopped for driver in run.scheduler.episodes.values())
        block, calls = run.summary().block(), calls_of(run)
        assert digests(run) == expected
    assert block["n"] == EPISODES and sum(block["outcomes"].values()) == EPISODES
    assert block["actions"]["repaired"] == block["actions"]["rejected"] == 0, "the grammar holds"
    assert all(call.tokens or not call.generated for own in calls for call in own)
    assert len({sum(call.generated for call in own) for own in calls}) > 1, "episodes that differ in length"
    again = [call for own in calls for call in own[1:]]
    assert again and all(call.reused > call.evaluated for call in again), "what was read before is not read again"


def test_a_fork_shares_the_beginning_and_another_may_take_the_seat(model: str) -> None:
    with start_run(spec(model, task_ids=TASKS[:2])) as run:
        run.go()
        path = run.journal.path
        row, own = max(zip(run.journal.episodes(), calls_of(run), strict=True), key=lambda one: len(one[1]))
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
    with fork_run(path, row.id, 1, newcomer=seat_later(bench, bench.seat, model, "react/1+compact")) as fork:
        fork.go()
        records = read_episode(fork.journal, row.id)
        call = next(record.event for record in records if isinstance(record.event, ModelCalled))
        told = [fork.journal.text(name) or "" for name in call.texts]
        assert not any("已经做过" in text for text in told), "what others did stands as its own calls do"


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_engine_costs_a_turn_and_changes_nothing(
    model: str, undisturbed: tuple[list[str], list[list[str]]]
) -> None:
    kills = 0

    class Killer:
        def notify(self, notice: Notice) -> None:
            nonlocal kills
            if isinstance(notice, ReplyStream) and notice.delta.phase == "reading" and kills < 2:
                pid = next(iter(run.engines.values())).process.pid  # type: ignore[attr-defined]
                if pid and notice.delta.episode != "":
                    kills += 1
                    os.kill(pid, signal.SIGKILL)

    with start_run(spec(model), [Killer()]) as run:
        run.go()
        events = [record.event for row in run.journal.episodes() for record in read_episode(run.journal, row.id)]
        assert said_in(run) == undisturbed[1]
    assert kills == 2
    failures = [event for event in events if isinstance(event, EngineFailed)]
    assert failures and all("died" in event.message for event in failures)
    assert not any(event.tag == "stopped" and event.outcome == "error" for event in events)  # type: ignore[attr-defined]


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_a_killed_run_goes_on_where_its_record_ends(model: str, expected: list[str], tmp_path: Path) -> None:
    out = tmp_path / "killed.moot"
    code = f"""
import os, signal, sys
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tasks.episode.scheduler import RecordsCommitted
from pathlib import Path
calls = 0
class Killer:
    def notify(self, notice):
        global calls
        if isinstance(notice, RecordsCommitted):
            calls += sum(r.event.tag == "model_called" for r in notice.records)
            if calls == 5:
                os.kill(os.getpid(), signal.SIGKILL)
run = start_run(RunSpec.model_validate_json(sys.argv[1]), [Killer()], out=Path({str(out)!r}))
run.go()
"""
    done = subprocess.run([sys.executable, "-c", code, spec(model).model_dump_json()], cwd=ROOT, check=False)
    assert done.returncode == -signal.SIGKILL
    with resume_run(out) as run:
        run.go()
        assert digests(run) == expected


def test_an_episode_that_the_engine_failed_can_be_taken_up_again(model: str, monkeypatch: pytest.MonkeyPatch) -> None:
    with start_run(spec(model, task_ids=TASKS[:1])) as run:
        run.go()
        expected = said_in(run)

    class Waiter:
        called = False

        def notify(self, notice: Notice) -> None:
            self.called |= isinstance(notice, RecordsCommitted) and bool(notice.state.calls)

    waiter, send = Waiter(), EngineProcess.send

    def to_the_dead(process: EngineProcess, op: str, **what: Any) -> Any:
        """One that is killed while it reads may have answered before."""
        if op == "answer" and waiter.called:
            assert process._session is not None
            process._session.child.kill()
            process._session.child.wait()
        return send(process, op, **what)

    with monkeypatch.context() as patch, start_run(spec(model, task_ids=TASKS[:1]), [waiter]) as run:
        patch.setattr(EngineProcess, "send", to_the_dead)
        run.go()
        path = run.journal.path
        stopped = fold(read_episode(run.journal, run.journal.episodes()[0].id)).stopped
        assert stopped is not None and stopped.outcome == "error" and stopped.reason.startswith("engine failed")
    with resume_run(path) as run:
        run.go()
        row = run.journal.episodes()[0]
        assert [attempt.number for attempt in run.journal.attempts(row.id)] == [1, 2]
        assert said_in(run) == expected


def test_every_example_of_the_card_is_answered_rightly(tmp_path: Path) -> None:
    """They are what a newcomer is shown, and what the demo plays."""
    card = tomllib.loads((ROOT / "models" / "tiny" / "card.toml").read_text(encoding="utf-8"))
    path = tmp_path / "asked.json"
    lines = [{"id": f"asked-{n}", "asked": True, "question": kind["example"]} for n, kind in enumerate(card["kinds"])]
    path.write_text(json.dumps(lines, ensure_ascii=False), encoding="utf-8")
    with start_run(spec(MODEL, task_ids=(), tasks=str(path), max_turns=None, parallel=4)) as run:
        run.go()
        ends = [fold(read_episode(run.journal, row.id)).answered for row in run.journal.episodes()]
    told = [end.res if end else "" for end in ends]
    assert len(told) >= 15
    assert {
        kind["name"]: answer
        for kind, answer in zip(card["kinds"], told, strict=True)
        if not all(key in answer for key in kind["keys"])
    } == {}
