"""Runs on a small pack: start, resume, fork, verify, and what is refused."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

import tasks.agents.prompts
from models.errors import BadEngine
from store.errors import NotFound, StoreError
from store.journal import Journal, ScoreRow
from tasks.episode.events import Seated, ToolReturned
from tasks.episode.state import completed, digest, fold
from tasks.errors import RecordMismatch, UsageError
from tasks.exchange.episodes import played
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.run.comparing import side_of
from tasks.run.listing import read_run
from tasks.run.reading import read_episode, stopped_of
from tasks.run.rescoring import append_scores, read_stored, summary_of
from tasks.run.runner import fork_run, resume_run, start_run
from tasks.run.seat_prompt import verify
from tasks.run.spec import RunSpec
from tests.support.kill_harness import prepare


@pytest.fixture
def spec(moot_home: Path) -> dict[str, Any]:
    return prepare(moot_home, tasks=4)


def started(spec: dict[str, Any], path: Path, **changes: Any):  # type: ignore[no-untyped-def]
    return start_run(RunSpec.model_validate({**spec, **changes}), out=path)


def test_a_run_ends_with_a_score_for_every_episode(spec: dict[str, Any], tmp_path: Path) -> None:
    with started(spec, tmp_path / "r.moot") as run:
        run.go()
        run.record_scores()
        block = run.summary().block()
        assert block["n"] == 4 == sum(block["outcomes"].values())
        assert len({score.attempt for score in run.journal.scores()}) == 4
        run.record_scores()
        first = len(run.journal.scores())
    with resume_run(tmp_path / "r.moot") as run:
        run.record_scores()
        assert len(run.journal.scores()) == first


def test_a_scorer_that_fails_is_said_when_everything_is_played(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no score")

    monkeypatch.setattr("tasks.run.opened.SCORED_EVERY", 0.0)
    monkeypatch.setattr(LegalAgentBench, "score_rows", fail)
    with started(spec, tmp_path / "a.moot") as run:
        with pytest.raises(ValueError, match="no score"):
            run.go()
        assert run.scheduler.episodes.open == 0


def test_one_scorer_asked_for_leaves_no_attempt_scored_in_part(spec: dict[str, Any], tmp_path: Path) -> None:
    """A kill between an attempt's end and its scores leaves none: then one scorer alone would hide the others."""
    with started(spec, tmp_path / "r.moot") as run:
        run.scheduler.run(parallel=1, go_on=lambda: True)
    assert append_scores(read_stored(tmp_path / "r.moot"), ["strict"])
    with Journal.open(tmp_path / "r.moot") as journal:
        assert {"strict", "compat"} <= {row.scorer for row in journal.scores()}


def strict_rates(path: Path) -> list[set[float | None]]:
    """What a summary, a comparison and an export say of the strict rule."""
    stored = read_stored(path)
    of_run = summary_of(stored).value("strict", "all", "success")
    side, _ = side_of(path)
    compared = {one.values["strict", "success"] for attempts in side.tasks.values() for one in attempts}
    with Journal.open(path) as journal:
        return [{of_run}, compared, {one.strict for one in played(stored, journal)}]


def test_attempts_that_a_kill_left_without_rows_are_scored_by_whoever_reads_them(
    spec: dict[str, Any], tmp_path: Path
) -> None:
    path = tmp_path / "r.moot"
    with started(spec, path) as run:
        run.scheduler.run(parallel=1, go_on=lambda: True)
    found = strict_rates(path)
    assert read_run(path).unscored and None not in set().union(*found)
    append_scores(read_stored(path))
    line = read_run(path)
    assert not line.unscored and line.strict is not None and strict_rates(path) == found


def test_only_the_tasks_that_are_named_go_on(spec: dict[str, Any], tmp_path: Path) -> None:
    def ended() -> list[str]:
        with Journal.open(path) as journal:
            return [row.task_id for row, tries in journal.walk() if stopped_of(journal, tries[-1].id) is not None]

    path = tmp_path / "r.moot"
    with started(spec, path) as run:
        run.scheduler.step("1")
        others = [row.task_id for row in run.rows.values() if row.task_id != "1"]
    assert ended() == []
    with pytest.raises(UsageError, match="plays no task '99'"):
        resume_run(path, tasks=["1", "99"])
    with resume_run(path, tasks=["1"]) as run:
        run.go()
        run.record_scores()
    assert ended() == ["1"] and others
    with resume_run(path) as run:
        run.go()
    assert sorted(ended()) == sorted(["1", *others])


def test_rows_of_an_older_version_do_not_count(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "r.moot"
    with started(spec, path) as run:
        run.go()
    assert not read_run(path).unscored
    of_then = LegalAgentBench.score_rows

    def of_today(*given: Any) -> list[ScoreRow]:
        rows = of_then(*given)
        return [
            replace(row, version="strict/9", value=dict.fromkeys(row.value, 0.25)) if row.scorer == "strict" else row
            for row in rows
        ]

    monkeypatch.setattr(LegalAgentBench, "score_rows", of_today)
    monkeypatch.setattr(LegalAgentBench, "scorers", {**LegalAgentBench.scorers, "strict": "strict/9"})
    assert strict_rates(path) == [{0.25}] * 3
    assert summary_of(read_stored(path)).scorers["strict"] == "strict/9"
    assert read_run(path).unscored
    append_scores(read_stored(path))
    line = read_run(path)
    assert not line.unscored and line.strict == 0.25


@pytest.mark.parametrize(
    ("change", "said"),
    [
        ("tasks", "task file changed since the run began"),
        ("prompt", "prompt .*/. changed"),
        ("engine", "engine"),
    ],
)
def test_what_changed_since_stops_resume_until_a_new_attempt(
    spec: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: str, said: str
) -> None:
    path = tmp_path / "r.moot"
    with started(spec, path, parallel=1) as run:
        run.scheduler.step("1")
        before = run.journal.entries(1)
    if change == "prompt":
        real = tasks.agents.prompts.load
        monkeypatch.setattr(tasks.agents.prompts, "load", lambda name: real(name) + "。")
    else:
        file = Path(spec["tasks"] if change == "tasks" else spec["model"].removeprefix("scripted:"))
        file.write_text(file.read_text(encoding="utf-8") + " ", encoding="utf-8")
    with pytest.raises(RecordMismatch, match=said):
        resume_run(path)
    with Journal.open(path) as journal:
        assert journal.entries(1) == before
    if change == "tasks":
        return
    with resume_run(path, new_attempt=True) as run:
        run.go()
        assert [attempt.number for attempt in run.journal.attempts("1")] == [1, 2]
        assert run.journal.entries(1) == before


def test_fork_shares_the_steps_before_it(spec: dict[str, Any], tmp_path: Path) -> None:
    with started(spec, tmp_path / "r.moot") as run:
        run.go()
    with Journal.open(tmp_path / "r.moot") as journal:
        old = read_episode(journal, "1")
    with fork_run(tmp_path / "r.moot", "1", 2, out=tmp_path / "f.moot") as run:
        run.go()
        assert run.journal.header["parent"]["step"] == 2
    with Journal.open(tmp_path / "f.moot") as journal:
        new = read_episode(journal, "1")
        texts = [journal.text(name) for r in new for _, name in getattr(r.event, "messages", ())]
    shared = completed(old, 2)
    assert new[: len(shared)] == shared
    assert digest(new) == digest(old), "the same seat and seed go the same way"
    assert None not in texts


def test_a_fork_may_seat_somebody_else(spec: dict[str, Any], tmp_path: Path) -> None:
    with started(spec, tmp_path / "r.moot") as run:
        run.go()
    human = Seated(seat="agent", policy="human/1", engine="human")
    with fork_run(tmp_path / "r.moot", "1", 1, newcomer=human, out=tmp_path / "f.moot") as run:
        run.go()
        run.scheduler.answer("1", '/get_company_info {"identifier": "甲公司", "columns": ["公司代码"]}')
        run.go()
        run.scheduler.answer("1", "代码是999001")
        run.go()
        state = run.scheduler.episodes["1"].state
        assert state.answered is not None and state.answered.res == "代码是999001"
        seen = [r.event.observation for r in state.records if isinstance(r.event, ToolReturned)]
        assert seen[-1] == "{'公司代码': '999001'}"
        assert run.summary().block()["flags"]["human"] == 1, "a person's answer is never passed off as the agent's"
    assert verify(tmp_path / "f.moot", "1")["1"] == state.steps


@pytest.mark.parametrize(
    ("changes", "error", "words"),
    [
        ({"benchmark": "nothing"}, UsageError, "unknown benchmark"),
        ({"agent": "wizard"}, UsageError, "unknown agent"),
        ({"agent": "gold"}, UsageError, "uses no model"),
        ({"model": ""}, UsageError, "needs a model"),
        ({"model": "scripted:absent.json"}, BadEngine, "cannot read script"),
        ({"model": "magic"}, BadEngine, "names no engine"),
        ({"task_ids": ("99",)}, UsageError, "no task '99'"),
        ({"pack": "absent"}, NotFound, "absent"),
        ({"tasks": "absent.json"}, NotFound, "no task file"),
        ({"tasks": None}, UsageError, "no tasks"),
    ],
)
def test_what_has_no_meaning_is_refused_before_anything_is_written(
    spec: dict[str, Any], tmp_path: Path, changes: dict[str, Any], error: type[Exception], words: str
) -> None:
    with pytest.raises(error, match=words):
        started(spec, tmp_path / "r.moot", **changes)
    assert list(tmp_path.glob("*.moot")) == []


def test_a_run_file_that_exists_is_not_overwritten(spec: dict[str, Any], tmp_path: Path) -> None:
    with started(spec, tmp_path / "r.moot"):
        pass
    with pytest.raises(StoreError, match="already exists"):
        started(spec, tmp_path / "r.moot")


def test_a_fork_beyond_the_end_is_refused(spec: dict[str, Any], tmp_path: Path) -> None:
    with started(spec, tmp_path / "r.moot", task_ids=("1",)) as run:
        run.go()
        last = fold(read_episode(run.journal, "1"))
    assert last.stopped is not None
    for episode, step, said in (("1", 99, "no step 99"), ("nobody", 1, "no episode")):
        with pytest.raises((UsageError, NotFound), match=said):
            fork_run(tmp_path / "r.moot", episode, step, out=tmp_path / "f.moot")
    if last.stopped.outcome == "finished":
        with pytest.raises(UsageError, match=f"ended in step {last.steps}: there is nothing to go on from"):
            fork_run(tmp_path / "r.moot", "1", last.steps, out=tmp_path / "f.moot")
    assert not (tmp_path / "f.moot").exists()
    for step in (0, last.steps - 1):
        with fork_run(tmp_path / "r.moot", "1", step, out=tmp_path / f"f{step}.moot") as run:
            run.go()
            assert all(driver.stopped for driver in run.scheduler.episodes.values())


@pytest.mark.parametrize("loss", ["file", "folder"])
def test_a_run_whose_file_goes_away_stops_and_says_so(spec: dict[str, Any], tmp_path: Path, loss: str) -> None:
    folder = tmp_path / "runs"
    rounds = iter([True] * 3)

    def go_on() -> bool:
        going = next(rounds, None)
        if going is None and folder.exists():
            (folder / "r.moot").unlink() if loss == "file" else folder.rename(tmp_path / "elsewhere")
        return True

    with (
        started(spec, folder / "r.moot", parallel=1) as run,
        pytest.raises(StoreError, match=r"r\.moot is gone while"),
    ):
        run.go(go_on)
    assert any(not driver.stopped for driver in run.scheduler.episodes.values())
