"""Runs of earlier releases open, rewind and can be scored again."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.events import EVENTS, Unknown, decode
from tasks.reading import read_episode, results_of
from tasks.state import completed, fold

FOLDER = Path(__file__).parent / "golden"
RELEASES = sorted(path.name.removesuffix(".moot") for path in FOLDER.glob("*.moot"))


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, Path]:
    shutil.copy(FOLDER / f"{request.param}.moot", tmp_path / "old.moot")
    return tmp_path / "old.moot", FOLDER / f"{request.param}.tasks.json"


def test_there_is_a_golden_run() -> None:
    assert RELEASES


def test_it_opens_and_rewinds(release: tuple[Path, Path]) -> None:
    with Journal.open(release[0]) as journal:
        journal.check()
        outcomes = []
        for row in journal.episodes():
            records = read_episode(journal, row.id)
            assert not any(isinstance(record.event, Unknown) for record in records)
            state = fold(records)
            for step in range(state.steps + 1):
                assert fold(completed(records, step)).steps == step
            assert state.stopped is not None
            outcomes.append(state.stopped.outcome)
            for record in records:
                for _, name in getattr(record.event, "messages", ()):
                    assert journal.text(name)
        assert "cancelled" in outcomes and "finished" in outcomes


def test_it_is_scored_again_as_then(release: tuple[Path, Path]) -> None:
    path, tasks_file = release
    bench = benchmark("legalagentbench")
    questions = {question.id: question for question in bench.load(tasks_file)}
    with Journal.open(path) as journal:
        for row, result in zip(journal.episodes(), results_of(journal, bench), strict=True):
            attempt = journal.attempts(row.id)[-1]
            then = {score.scorer: score.value for score in journal.scores(attempt.id) if score.scorer == "compat"}
            now = {s.scorer: s.value for s in bench.score_rows(attempt.id, questions[row.task_id], result) if s.scorer == "compat"}
            assert then == now
        block = bench.score("golden", list(questions.values()), results_of(journal, bench))
        assert block["n"] == 3


def test_an_old_run_can_be_written_on(release: tuple[Path, Path]) -> None:
    with Journal.open(release[0], write=True) as journal:
        journal.begin_attempt(journal.episodes()[0].id, "again")


def test_events_of_another_release_are_shown_not_refused() -> None:
    event = decode("teleported", {"to": "court"})
    assert isinstance(event, Unknown) and event.name == "teleported"
    assert isinstance(decode("thought", {"seat": 1, "colour": "blue"}), Unknown)
    for tag, kind in EVENTS.items():
        assert kind.tag == tag
