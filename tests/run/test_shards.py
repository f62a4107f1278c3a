"""Shards without a cluster: what a node does, and what becomes of a shard that is stopped or lost."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from app import cluster
from app.cluster import Report, ShardSpec, play
from models.errors import BadEngine, ForeignHost
from models.llama.engine import take_of
from store.journal import Journal
from tasks.run import engines
from tasks.run.merging import merge_runs
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.gguf_files import tiny_llama
from tests.support.kill_harness import digests, prepare

pytestmark = pytest.mark.slow


class Stage:
    """The order of a run of six tasks, twice each, in three shards, and a folder for what comes back."""

    def __init__(self, home: Path, folder: Path) -> None:
        self.folder = folder
        self.spec: dict[str, Any] = {**prepare(home, tasks=6), "epochs": 2}
        self.order = ShardSpec(RunSpec.model_validate(self.spec).model_dump(mode="json"), {}, 3)
        self.reports: dict[int, Report] = {}

    def report(self, number: int, report: Report) -> bool:
        self.reports[number] = report
        return True

    def played(self, number: int, before: bytes = b"", report: Any = None) -> int:
        """Play a shard and keep what comes back; gives how many episodes are left."""
        found = play(self.order, number, before, report or self.report)
        self.order.file(self.folder, number, whole=not found.left).write_bytes(found.journal)
        return found.left

    def merged(self) -> Path:
        files = [self.order.file(self.folder, number) for number in (1, 2, 3)]
        return merge_runs(files, self.folder / "merged.moot", at=RunSpec.model_validate(self.spec)).path

    def whole(self) -> Path:
        with start_run(RunSpec.model_validate(self.spec), out=self.folder / "whole.moot") as run:
            run.go()
            run.record_scores()
        return self.folder / "whole.moot"


@pytest.fixture
def stage(moot_home: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Stage:
    monkeypatch.setattr(cluster, "install_guard", lambda: None)  # it cannot be taken out of this process again
    monkeypatch.setattr(engines, "admit", engines.admit)
    return Stage(moot_home, tmp_path)


@pytest.mark.parametrize("after", [0, 4])
def test_a_shard_that_was_stopped_goes_on(stage: Stage, monkeypatch: pytest.MonkeyPatch, after: int) -> None:
    monkeypatch.setattr(cluster, "PAUSE", 0.0)
    reports = iter(range(after))
    left = stage.played(1, report=lambda number, report: next(reports, None) is not None)
    assert left > 0
    before = stage.order.file(stage.folder, 1, whole=False).read_bytes()
    assert [stage.played(3), stage.played(1, before), stage.played(2)] == [0, 0, 0]
    assert sum(sum(outcomes.values()) for outcomes, _ in stage.reports.values()) == 12
    made = stage.merged()
    assert digests(made) == digests(stage.whole())
    with Journal.open(made) as journal:
        assert all(journal.scores(journal.attempts(row.id)[-1].id) for row in journal.episodes())
        assert journal.header["spec"]["tasks"] == stage.spec["tasks"]


def test_a_node_without_the_model_says_so(stage: Stage) -> None:
    Path(stage.spec["model"].removeprefix("scripted:")).unlink()
    with pytest.raises(BadEngine, match="cannot read script"):
        stage.played(1)


def test_a_node_reaches_what_the_asking_machine_consented_to_and_nothing_else(stage: Stage) -> None:
    play(ShardSpec(stage.order.spec, {"10.0.0.7": "BOX_KEY"}, 3), 1, b"", stage.report)
    assert engines.admit(ForeignHost("10.0.0.7")) == "BOX_KEY"
    with pytest.raises(ForeignHost):
        engines.admit(ForeignHost("10.0.0.8"))


def test_a_model_asks_for_its_threads_and_its_memory(tmp_path: Path) -> None:
    file = tiny_llama(tmp_path / "m.gguf")
    plain = take_of(["", "endpoint:http://127.0.0.1:1/v1#m"], {}, 4)
    small = take_of([f"llama:{file}#threads=3,ctx=512"], {str(file): file}, 1)
    large = take_of([f"llama:{file}#threads=3,ctx=512,slots=16"], {str(file): file}, 1)
    assert (plain[0], small[0], large[0]) == (1, 3, 3)
    assert plain[1] < small[1] < large[1]
