"""Paired statistics against figures of a statistics package, and runs that may and may not be compared."""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from store.journal import Journal
from tasks.episode.events import Seated
from tasks.errors import UsageError
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.run import comparing
from tasks.run.comparing import DroppedTask, aligned, compare, growing, parting
from tasks.run.imported import Sources, read_run, save_run
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, start_run
from tasks.run.spec import RunSpec
from tasks.scoring.paired import Fourfold, detectable_before, difference_interval, holm, paired, sign_flip
from tests.support.desk_fixture import build_pack

SHARES = st.lists(st.tuples(st.floats(0, 1), st.floats(0, 1), st.integers(0, 4)), min_size=1, max_size=30)


@pytest.mark.parametrize(
    ("first", "second", "p"), [(7, 33, 4.2277e-05), (10, 2, 0.0385742), (5, 5, 1.0), (0, 0, 1.0)]
)
def test_mcnemar_is_the_exact_binomial_test(first: int, second: int, p: float) -> None:
    assert math.isclose(Fourfold(11, first, second, 4).mcnemar, p, rel_tol=1e-3)
    differences = [-1.0] * first + [1.0] * second + [0.0] * 5
    assert math.isclose(sign_flip(differences, range(len(differences)))[0], p, rel_tol=1e-3)


def test_the_interval_is_that_of_a_paired_t_test_where_tasks_are_independent() -> None:
    differences = [1, 0, -1, 1, 1, 0, 1, 1, 0, 1]
    found = difference_interval(differences, range(10))
    assert math.isclose(found.low, -0.005834, abs_tol=1e-5) and found.high == 1.0  # 1.005834, cut


def by_hand(sums: Sequence[float]) -> float:
    """The p value over all choices of signs."""
    seen = abs(math.fsum(sums))
    flipped = [
        abs(math.fsum(s * x for s, x in zip(signs, sums, strict=True)))
        for signs in itertools.product((1, -1), repeat=len(sums))
    ]
    return sum(value >= seen - 1e-9 for value in flipped) / len(flipped)


def test_whole_clusters_change_sides() -> None:
    clusters = ("a", "a", "a", "b", "b", "c", "d")
    for differences in ((1, 1, 1, 1, 0, -1, 1), (0.5, 0.25, 0.5, 1, 0.1, -1, 0.3)):
        sums = [math.fsum(d for d, c in zip(differences, clusters, strict=True) if c == name) for name in "abcd"]
        assert math.isclose(sign_flip(differences, clusters)[0], by_hand(sums))


def test_drawn_signs_come_near_the_exact_value() -> None:
    drawn = np.random.default_rng(3).normal(0.2, 1, 200)
    p, test = sign_flip(list(drawn), range(200))
    normal = math.erfc(abs(drawn.sum()) / math.sqrt(2 * float(drawn @ drawn)))
    assert "20,000 draws" in test and abs(p - normal) < 0.01


@given(SHARES)
def test_any_pairs_give_figures_in_their_bounds(pairs: list[tuple[float, float, int]]) -> None:
    first, second, clusters = (list(column) for column in zip(*pairs, strict=True))
    found, turned = paired(first, second, clusters), paired(second, first, clusters)
    assert 0 < found.p <= 1 and -1 <= found.interval.low <= found.difference + 1e-9
    assert found.difference - 1e-9 <= found.interval.high <= 1
    assert math.isclose(found.difference, -turned.difference, abs_tol=1e-12) and math.isclose(found.p, turned.p)


def test_intervals_cover_the_truth_with_clusters() -> None:
    """95 % nominal; 93 to 97 seen, in clusters of four with a difference of their own."""
    draw, covered, rounds = np.random.default_rng(7), 0, 600
    for _ in range(rounds):
        own = 0.1 + draw.normal(0, 0.15, 40)
        values = (own[:, None] + draw.normal(0, 0.5, (40, 4))).ravel()
        span = difference_interval(list(values / 10), list(np.repeat(np.arange(40), 4)))
        covered += span.low <= 0.01 <= span.high
    assert 0.93 <= covered / rounds <= 0.97


def test_holm_adjusts_step_by_step() -> None:
    assert holm([0.01, 0.04, 0.03]) == pytest.approx([0.03, 0.06, 0.06])
    assert holm([]) == [] and holm([0.2]) == [0.2] and holm([0.6, 0.9]) == [1.0, 1.0]


def test_what_can_be_detected_shrinks_with_the_tasks() -> None:
    few, many = detectable_before(50, 0.3), detectable_before(300, 0.3)
    assert 0.18 < few < 0.24 and 0.07 < many < 0.1  # (1.96 sqrt(.3) + .84 sqrt(.3 - d^2)) / sqrt(n)
    assert detectable_before(1, 0.3) == pytest.approx(0.3)


TASKS = [
    {"id": f"q{n}", "question": f"第{n}家公司的代码？", "answer": f"代码是6881{n:02}。", "key": [f"6881{n:02}"],
        "key_middle": [],
     "hops": 1 + n % 2, "path": [{"tool": f"tool_{n // 2}", "input": {}}]}
    for n in range(20)
]  # fmt: skip


def imported(folder: Path, name: str, right: Sequence[int], *, missing: Sequence[int] = ()) -> Path:
    """A prediction file as a run; the others are answered wrongly."""
    tasks, answers = folder / "tasks.json", folder / f"{name}.jsonl"
    tasks.write_text(json.dumps(TASKS, ensure_ascii=False), encoding="utf-8")
    lines: list[dict[str, Any]] = [
        {"id": f"q{n}", "res": f"6881{n:02}" if n in right else "不知道", "summary": ""} for n in range(20)
        if n not in missing
    ]  # fmt: skip
    answers.write_text("\n".join(json.dumps(line) for line in lines), encoding="utf-8")
    sources = Sources("legalagentbench", tasks, answers)
    return save_run(sources, read_run(sources), out=folder / f"{name}.moot")


def test_a_comparison_is_that_of_the_values_by_hand(tmp_path: Path) -> None:
    first, second = imported(tmp_path, "a", range(8)), imported(tmp_path, "b", range(4, 18), missing=(19,))
    (found,) = compare([first, second])
    whole = next(row for row in found.rows if row.measure.rule == "compat" and row.group.name == "all")
    assert (whole.measure.name, whole.found.n) == ("success", 20)
    assert (whole.found.first, whole.found.second) == (0.4, 0.7) and math.isclose(whole.found.difference, 0.3)
    assert whole.found.fourfold == Fourfold(4, 4, 10, 2)
    assert [one.why for one in found.dropped] == ["unscored"], "strictly an error says nothing"
    assert {line.task for line in found.tasks if line.differs} == {
        f"q{n}" for n in (*range(4), *range(8, 18), 19)
    }  # an error too
    assert [row.group.name for row in found.rows if row.measure == whole.measure][1:] == ["1-hop", "2-hop"]
    strict = next(row for row in found.rows if row.measure.rule == "strict" and row.group.name == "all")
    assert strict.found.n == 19  # the missing answer is an error: strictly it says nothing
    assert ("imported", "a.jsonl", "b.jsonl") in found.differences
    assert found.dropped == [DroppedTask("q19", "unscored", 1)]


def test_predictions_that_cannot_be_scored_leave_no_run_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise ValueError("no score")

    monkeypatch.setattr(LegalAgentBench, "score_rows", fail)
    with pytest.raises(ValueError, match="no score"):
        imported(tmp_path, "a", range(8))
    assert not list(tmp_path.glob("a.moot*"))


def test_a_comparison_is_told_before_everything_was_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [imported(tmp_path, "a", range(8)), imported(tmp_path, "b", range(4, 18))]
    monkeypatch.setattr(comparing, "FIRST", 3)
    first, *_, last = growing(*paths)
    assert (first.read, len(first.tasks)) == (3, 3)
    whole = compare(paths)[0]
    assert (last.read, last.rows, last.tasks, last.dropped) == (0, whole.rows, whole.tasks, whole.dropped)
    assert len(whole.dropped) + whole.main.found.n == 20


def test_several_runs_are_adjusted_together(tmp_path: Path) -> None:
    paths = [imported(tmp_path, name, range(n)) for name, n in (("a", 8), ("b", 16), ("c", 12))]
    made = compare(paths)
    plain = [one.rows[0].found.p for one in made]
    assert [one.rows[0].holm for one in made] == holm(plain) != plain


def test_runs_that_have_nothing_in_common_are_refused_by_name(tmp_path: Path) -> None:
    build_pack()
    ours = start_run(RunSpec(benchmark="legalagentbench", pack="small"), out=tmp_path / "ours.moot")
    with ours:
        ours.go()
        ours.record_scores()
    theirs = imported(tmp_path, "theirs", range(3))
    with pytest.raises(UsageError, match="cannot be compared: the task files differ"):
        compare([tmp_path / "ours.moot", theirs])
    with pytest.raises(UsageError, match="no scored task"):
        unplayed = start_run(RunSpec(benchmark="legalagentbench", pack="small"), out=tmp_path / "unplayed.moot")
        unplayed.close()
        compare([tmp_path / "ours.moot", tmp_path / "unplayed.moot"])


def test_a_fork_parts_where_it_was_forked(tmp_path: Path) -> None:
    build_pack()
    with start_run(RunSpec(benchmark="legalagentbench", pack="small"), out=tmp_path / "a.moot") as run:
        run.go()
        run.record_scores()
    fork = fork_run(
        tmp_path / "a.moot", "k-1", 2, newcomer=Seated(seat="agent", policy="echo/1"), out=tmp_path / "b.moot"
    )
    with fork:
        fork.go()
        fork.record_scores()
    (found,) = compare([tmp_path / "a.moot", tmp_path / "b.moot"])
    assert found.dropped == [DroppedTask("k-2", "missing", 1)] and [line.task for line in found.tasks] == ["k-1"]
    assert found.rows[0].found.interval.low == -1 and found.rows[0].found.interval.high == 1  # one task says nothing
    records = []
    for name in ("a.moot", "b.moot"):
        with Journal.open(tmp_path / name) as journal:
            records.append(read_episode(journal, "k-1"))
    steps = aligned(*records)
    assert parting(steps) == 3 and [step.same for step in steps][:2] == [True, True]
    assert parting(aligned(records[0], records[0])) is None and aligned([], []) == []
