"""Golden runs open, rewind, go on and can be scored again."""

from __future__ import annotations

import json
import shutil
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from store.journal import Journal
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.episode.events import EVENTS, Unknown, decode
from tasks.episode.state import completed, digest, fold
from tasks.run.header import header_of, spec_of
from tasks.run.reading import attempts_of, grades, read_episode, summarise
from tasks.scoring.result import ScoreContext, newest

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "golden"
RUNS = sorted(path.name.removesuffix(".moot") for path in FOLDER.glob("*.moot"))


class Golden(NamedTuple):
    """A copy of the run, its task file, and what was said of it when it was made."""

    path: Path
    tasks: Path
    expected: dict[str, Any]


@pytest.fixture(params=RUNS)
def golden(request: pytest.FixtureRequest, tmp_path: Path) -> Golden:
    shutil.copy(FOLDER / f"{request.param}.moot", tmp_path / "old.moot")
    expected = json.loads((FOLDER / f"{request.param}.expected.json").read_text("utf-8"))
    return Golden(tmp_path / "old.moot", FOLDER / f"{request.param}.tasks.json", expected)


def test_it_opens_and_rewinds(golden: Golden) -> None:
    with Journal.open(golden.path) as journal:
        journal.check()
        for row in journal.episodes():
            records = read_episode(journal, row.id)
            assert not any(isinstance(record.event, Unknown) for record in records)
            state = fold(records)
            for step in range(state.steps + 1):
                assert fold(completed(records, step)).steps == step
            assert state.stopped is not None
            for record in records:
                for _, name in getattr(record.event, "messages", ()):
                    assert journal.text(name)
            assert digest(records) == golden.expected["digests"][row.id]


def test_it_is_scored_again_as_then(golden: Golden, sample_built: Path) -> None:
    with Journal.open(golden.path) as journal, Pack.open(sample_built) as pack:
        spec = spec_of(header_of(journal))
        bench = benchmark(spec.benchmark)
        questions = {question.id: question for question in bench.load(golden.tasks)}
        context = ScoreContext(pack=pack, graded=grades(journal), spec=spec)
        scored = 0
        attempts = []
        for attempt in attempts_of(journal, bench):
            result = attempt.result
            rows = newest(bench.score_rows(attempt.attempt, questions[result.task_id], result, context))
            then = {scorer: row.value for scorer, row in attempt.rows.items()}
            now = {scorer: row.value for scorer, row in rows.items()}
            attempts.append(replace(attempt, rows=rows))
            assert now == then
            scored += len(then)
        assert scored
        block = bench.summary("", list(questions.values()), attempts, context).block()
        assert json.loads(json.dumps(block)) == golden.expected["block"]


def test_its_summary_is_that_of_the_rules_of_today(golden: Golden, sample_built: Path) -> None:
    """Rows of an older version lack what a summary is made of."""
    with Journal.open(golden.path) as journal, Pack.open(sample_built) as pack:
        spec = spec_of(header_of(journal))
        bench = benchmark(spec.benchmark)
        context = ScoreContext(pack=pack, graded=grades(journal), spec=spec)
        block = summarise(journal, bench, bench.load(golden.tasks), context).block() | {"run": ""}
        assert json.loads(json.dumps(block)) == golden.expected.get("counted", golden.expected["block"])


def test_events_of_another_release_are_shown_not_refused() -> None:
    event = decode("teleported", {"to": "court"})
    assert isinstance(event, Unknown) and event.name == "teleported"
    assert isinstance(decode("thought", {"seat": 1, "colour": "blue"}), Unknown)
    for tag, kind in EVENTS.items():
        assert kind.tag == tag
