"""Runs of earlier releases open, rewind and can be scored again."""

from __future__ import annotations

import json
import shutil
from contextlib import nullcontext
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from store.journal import Journal
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.episode.events import EVENTS, Unknown, decode
from tasks.episode.state import completed, digest, fold
from tasks.errors import UsageError
from tasks.run import runner
from tasks.run.header import header_of, spec_of
from tasks.run.reading import Results, grades, read_episode
from tasks.scoring.context import ScoreContext

pytestmark = pytest.mark.slow

FOLDER = Path(__file__).parents[1] / "golden"
LATER = {"strict/3": frozenset({"REA_points", "PROB", "LAW_OLD", "LAW_UNK"})}
"""Version of a scorer -> metrics that it added or defined anew; all others, and all of compat, are what they were."""
RELEASES = sorted(path.name.removesuffix(".moot") for path in FOLDER.glob("*.moot"))


class Golden(NamedTuple):
    """A copy of the run, its task file, and what the release that made it said of it."""

    path: Path
    tasks: Path
    expected: dict[str, Any]


@pytest.fixture(params=RELEASES)
def release(request: pytest.FixtureRequest, tmp_path: Path) -> Golden:
    shutil.copy(FOLDER / f"{request.param}.moot", tmp_path / "old.moot")
    expected = FOLDER / f"{request.param}.expected.json"
    said = json.loads(expected.read_text("utf-8")) if expected.is_file() else {}
    return Golden(tmp_path / "old.moot", FOLDER / f"{request.param}.tasks.json", said)


def test_there_are_golden_runs() -> None:
    assert len(RELEASES) >= 5


def test_it_opens_and_rewinds(release: Golden) -> None:
    with Journal.open(release.path) as journal:
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
            if release.expected:
                assert digest(records) == release.expected["digests"][row.id]


def test_it_is_scored_again_as_then(release: Golden, sample_pack: Path) -> None:
    with Journal.open(release.path) as journal, Pack.open(sample_pack) as pack:
        spec = spec_of(header_of(journal))
        bench = benchmark(spec.benchmark)
        questions = {question.id: question for question in bench.load(release.tasks)}
        context = ScoreContext(pack=pack, graded=grades(journal), spec=spec)
        scored = 0
        for row, result in zip(journal.episodes(), Results(lambda: nullcontext(journal), bench), strict=True):
            attempt = journal.attempts(row.id)[-1]
            then = {score.scorer: score.value for score in journal.scores(attempt.id)}
            rows = bench.score_rows(attempt.id, questions[row.task_id], result, context)
            now = {one.scorer: one.value for one in rows}
            later = frozenset[str]().union(*(LATER.get(one.version, ()) for one in rows))
            same = then.keys() if release.expected else {"compat"}
            assert _without({name: then[name] for name in same}, later) == _without(
                {name: now[name] for name in same}, later
            )
            scored += len(then)
        assert scored
        block = bench.summary(
            "", list(questions.values()), Results(lambda: nullcontext(journal), bench), context
        ).block()
        if release.expected:
            # A later release says more, and its scorers have other versions; what was said then is said still.
            told = json.loads(json.dumps(block))
            # Limits of the overall score have been those of the columns that the run has since then.
            for side in {"floor", "ceiling"} if "overall" in told["floor"].get("strict", ()) else ():
                for rule in ("compat", "strict"):
                    told[side][rule]["overall"] = release.expected["block"][side][rule]["overall"]
            versions = frozenset(str(one) for one in block["scorers"].values() if one in LATER)
            later = frozenset({"scorers"}).union(*(LATER[one] for one in versions))
            expected = _without(release.expected["block"], later)
            assert _known(_without(told, later), expected) == expected
            assert told["scorers"].keys() >= release.expected["block"]["scorers"].keys()


def _without(tree: Any, names: frozenset[str]) -> Any:
    if isinstance(tree, dict):
        return {name: _without(value, names) for name, value in tree.items() if name not in names}
    return tree


def _known(tree: Any, expected: Any) -> Any:
    """Of a block, the keys that were known then, at every depth."""
    if not (isinstance(tree, dict) and isinstance(expected, dict)):
        return tree
    return {name: _known(tree.get(name), value) for name, value in expected.items()}


def test_its_first_steps_can_be_played_on(
    release: Golden, sample_pack: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with Journal.open(release.path) as journal, Pack.open(sample_pack) as pack:
        if header_of(journal)["pack"]["hash"] != pack.hash:
            pytest.skip("its pack is not the sample pack of this release")
        row = journal.episodes()[-1]
        steps = fold(read_episode(journal, row.id)).steps
        old = spec_of(header_of(journal)).benchmark == "courts"
    monkeypatch.setattr(runner, "task_file", lambda *_: release.tasks)
    with runner.fork_run(release.path, row.id, steps // 2, out=tmp_path / "fork.moot") as run:
        if (
            old
        ):  # the rules of the courts are of another version: the run is read and scored, and says why it cannot go on
            with (
                pytest.raises(UsageError, match="this release has no policy court-rules/1"),
                runner.nothing_left(run.journal),
            ):
                run.go()
            assert not list(tmp_path.glob("fork*")), "a fork that takes no step of its own"
            return
        run.go()
        assert digest(read_episode(run.journal, row.id)) == release.expected["digests"][row.id]


def test_an_old_run_can_be_written_on(release: Golden) -> None:
    with Journal.open(release.path, write=True) as journal:
        journal.begin_attempt(journal.episodes()[0].id, "again")


def test_events_of_another_release_are_shown_not_refused() -> None:
    event = decode("teleported", {"to": "court"})
    assert isinstance(event, Unknown) and event.name == "teleported"
    assert isinstance(decode("thought", {"seat": 1, "colour": "blue"}), Unknown)
    for tag, kind in EVENTS.items():
        assert kind.tag == tag
