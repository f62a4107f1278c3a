"""Which tasks a run plays: samples by type, the first, those of a type, those that failed; and what is recorded of
it."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.journal import Journal
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.errors import UsageError
from tasks.run.failing import failed_tasks
from tasks.run.merging import merge_runs
from tasks.run.plan import choose, sample, task_file
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec


@dataclass(frozen=True)
class Asked:
    """A task of which only its type is known."""

    id: str
    group: str
    cluster: str = ""

    @property
    def card(self) -> dict[str, Any]:
        return {}


def tasks(**sizes: int) -> list[Asked]:
    return [Asked(f"{group}-{n}", group) for group, size in sizes.items() for n in range(size)]


def ids(questions: Any) -> list[str]:
    return [question.id for question in questions]


def test_the_seed_says_which_wherever_they_stand() -> None:
    asked = tasks(a=9, b=5, c=1)
    drawn = sample(asked, 6, 7)
    assert set(ids(sample(asked[::-1], 6, 7))) == set(ids(drawn))
    assert ids(drawn) == [one for one in ids(asked) if one in ids(drawn)], "in the order of the file"
    assert any(ids(sample(asked, 6, seed)) != ids(drawn) for seed in range(5))


@given(
    st.dictionaries(st.sampled_from("abcdef"), st.integers(1, 9), min_size=1), st.integers(1, 60), st.integers(0, 5)
)
def test_a_sample_is_nested_of_its_size_and_near_the_shares(sizes: dict[str, int], size: int, seed: int) -> None:
    asked = tasks(**sizes)
    drawn, more = sample(asked, size, seed), sample(asked, size + 1, seed)
    assert len(drawn) == min(size, len(asked)) and set(drawn) <= set(more)
    if size < len(asked):
        counts = Counter(one.group for one in drawn)
        assert all(abs(counts[group] - size * n / len(asked)) < len(sizes) for group, n in sizes.items())
        assert all(counts[group] <= n for group, n in sizes.items())


@pytest.fixture
def lab(sample_pack: Path) -> Any:
    """What a spec of the sample's tasks chooses."""
    bench = benchmark("legalagentbench")
    with Pack.open("sample") as pack:
        questions = bench.load(task_file(RunSpec(benchmark="legalagentbench"), pack))
    return lambda **more: ids(choose(bench, questions, RunSpec(benchmark="legalagentbench", **more)))


def test_types_and_samples_of_a_task_file(lab: Any) -> None:
    every, hops = lab(), lab(types=["2-hop", "1-hop"])
    assert {one.split("-")[1][0] for one in hops} == {"1", "2"} and set(hops) < set(every)
    assert set(lab(types=["2-hop"], limit=3)) < set(hops) and len(lab(types=["2-hop"], limit=3)) == 3
    assert lab(types=["writing"], limit=999) == lab(types=["writing"])
    assert set(lab(limit=9, shard=(1, 3))) | set(lab(limit=9, shard=(2, 3))) | set(lab(limit=9, shard=(3, 3))) == set(
        lab(limit=9)
    )


@pytest.mark.parametrize(
    ("more", "said"),
    [
        ({"types": ["6-hop"]}, r"no task of type '6-hop' in the task file. The task file has 1-hop, .*writing"),
        ({"types": ["2-hop"], "task_ids": ["sample-101"]}, "none of the chosen tasks is of type 2-hop.*of 1-hop"),
        ({"task_ids": ["x"], "only": "failed:r"}, "no task 'x' in the task file. Give the task file of that run"),
    ],
)
def test_what_cannot_be_chosen_is_said(lab: Any, more: dict[str, Any], said: str) -> None:
    with pytest.raises(UsageError, match=said):
        lab(**more)


FEW = ("sample-101", "sample-102", "sample-103")


def play(path: Path, agent: str = "gold", **more: Any) -> Path:
    with start_run(RunSpec(benchmark="legalagentbench", agent=agent, **more), out=path) as run:
        run.go()
        run.record_scores()
    return path


def test_what_failed_is_what_did_not_fully_succeed(sample_pack: Path, tmp_path: Path) -> None:
    """echo solves nothing, gold everything; one turn ends no task of many."""
    run, failed = failed_tasks(str(play(tmp_path / "echo.moot", agent="echo", task_ids=FEW)), "legalagentbench")
    assert (run, list(failed)) == ("echo", list(FEW))
    with pytest.raises(UsageError, match="no task failed in run gold"):
        failed_tasks(str(play(tmp_path / "gold.moot", agent="gold", task_ids=FEW)), "legalagentbench")
    with pytest.raises(UsageError, match="run 'echo' is one of legalagentbench, not of courts"):
        failed_tasks(str(tmp_path / "echo.moot"), "courts")
    spec = RunSpec(benchmark="legalagentbench", agent="gold", task_ids=FEW[:2])
    with start_run(spec, out=tmp_path / "open.moot") as begun:
        begun.go(lambda: False)
    assert failed_tasks(str(tmp_path / "open.moot"), "legalagentbench")[1] == FEW[:2]


@pytest.mark.slow
def test_shards_of_a_sample_merge_into_it(sample_pack: Path, tmp_path: Path) -> None:
    whole = play(tmp_path / "whole.moot", limit=5, task_seed=3)
    parts = [play(tmp_path / f"{k}.moot", limit=5, task_seed=3, shard=(k, 2)) for k in (1, 2)]
    assert _tasks(play(tmp_path / "seed.moot", limit=5, task_seed=3, seed=9)) == _tasks(whole)
    merge_runs(parts, tmp_path / "merged.moot")
    assert _tasks(tmp_path / "merged.moot") == _tasks(whole)


def _tasks(path: Path) -> list[str]:
    with Journal.open(path) as journal:
        return [row.task_id for row in journal.episodes()]
