"""Seats that change hands while a run is going: engines opened on the way, found again by resume and fork, and
closed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

import tasks.run.opened as opened_runs
from models.errors import BadEngine
from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.episode.events import Seated
from tasks.errors import UsageError
from tasks.run.cast import Cast
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.seat_prompt import verify
from tasks.run.spec import RunSpec
from tests.support.kill_harness import CALL, END, prepare


@pytest.fixture
def spec(moot_home: Path) -> dict[str, Any]:
    """A run of the reference, which needs no engine, and two scripts beside it."""
    made = {**prepare(moot_home, tasks=2), "agent": "gold", "model": "", "parallel": 1}
    for name, replies in (("calls", [CALL]), ("ends", [END])):
        (moot_home / f"{name}.json").write_text(json.dumps({"otherwise": replies}), encoding="utf-8")
    return made


def model(home: Path, name: str = "calls") -> Seated:
    bench = benchmark("legalagentbench")
    tested = Cast.of(bench, RunSpec(benchmark="legalagentbench", agent="react", model="x:y")).tested
    return Seated(seat="agent", policy=tested.policy, engine=f"scripted:{home / name}.json")


def started(spec: dict[str, Any], path: Path) -> opened_runs.Run:
    return start_run(RunSpec.model_validate(spec), out=path)


def seats(path: Path, episode: str = "1") -> list[Seated]:
    with Journal.open(path) as journal:
        return [r.event for r in read_episode(journal, episode) if isinstance(r.event, Seated)]


def test_a_model_takes_a_seat_and_its_engine_is_closed_with_the_run(
    spec: dict[str, Any], moot_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    opened: list[Any] = []
    real = opened_runs.open_engine

    def watched(*args: Any, **named: Any) -> Any:
        engine = real(*args, **named)
        opened.append(engine)
        monkeypatch.setattr(engine, "close", lambda: opened.remove(engine))
        return engine

    monkeypatch.setattr(opened_runs, "open_engine", watched)
    with started(spec, tmp_path / "r.moot") as run:
        assert not opened
        run.seat("1", model(moot_home))
        run.seat("2", model(moot_home))
        assert len(opened) == 1, "one engine a SPEC"
        assert run.scheduler.step("1")
        run.seat("1", model(moot_home, "ends"))
        run.go()
        state = run.scheduler.episodes["1"].state
        assert state.calls > 2 and state.answered is not None and state.answered.res == "代码是 999001"
    assert not opened
    first, second, third = seats(tmp_path / "r.moot")
    assert not first.described and second.described and second.described != third.described
    assert verify(tmp_path / "r.moot", "1")["1"] == state.steps


def test_an_engine_that_nobody_uses_any_more_is_not_opened(
    spec: dict[str, Any], moot_home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "r.moot"
    with started({**spec, "task_ids": ("1",), "agent": "react", "model": model(moot_home).engine}, path) as run:
        run.seat("1", Seated(seat="agent", policy="gold/1"))
    (moot_home / "calls.json").unlink()
    with resume_run(path) as run:
        run.go()
        assert run.scheduler.episodes["1"].stopped


def test_a_missing_engine_is_one_sentence_and_leaves_the_record_alone(
    spec: dict[str, Any], moot_home: Path, tmp_path: Path
) -> None:
    path = tmp_path / "r.moot"
    with started(spec, path) as run:
        with pytest.raises(BadEngine, match="cannot read script"):
            run.seat("1", model(moot_home, "absent"))
        assert run.scheduler.episodes["1"].state.seats["agent"].policy == "gold/1"
        run.seat("1", model(moot_home))
    (moot_home / "calls.json").unlink()
    before = seats(path)
    with pytest.raises(UsageError, match="episode 1: the engine of seat agent cannot be opened: cannot read script"):
        resume_run(path)
    with pytest.raises(BadEngine):
        fork_run(path, "1", 0)
    with fork_run(path, "1", 0, newcomer=Seated(seat="agent", policy="gold/1"), out=tmp_path / "f.moot") as run:
        run.go()
        assert run.scheduler.episodes["1"].stopped
    assert seats(path) == before


def test_a_fork_keeps_the_newcomer_of_its_episode(spec: dict[str, Any], moot_home: Path, tmp_path: Path) -> None:
    path = tmp_path / "r.moot"
    with started(spec, path) as run:
        run.seat("1", model(moot_home))
        run.scheduler.step("1")
    with fork_run(path, "1", 1, newcomer=model(moot_home, "ends"), out=tmp_path / "f.moot") as run:
        run.go()
        assert run.scheduler.episodes["1"].state.answered is not None
    assert [seat.engine for seat in seats(tmp_path / "f.moot")] == [
        "", model(moot_home).engine, model(moot_home, "ends").engine,
    ]  # fmt: skip
    assert seats(tmp_path / "f.moot")[-1].described
    with fork_run(path, "1", 1, out=tmp_path / "g.moot") as run:
        assert list(run.engines) == [model(moot_home).engine]
        run.scheduler.step("1")
        assert run.scheduler.episodes["1"].state.steps == 2
