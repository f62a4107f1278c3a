"""Figures for plots: those of the summary, remembered by file; printed figures; repeats; plots as text."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from app import library
from store import run_index
from store.journal import Journal, ScoreRow
from tasks.benchmark import benchmark
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.reports import court_published
from tasks.reports.strip import Strip, shares, strip
from tasks.run import figures as figures_module
from tasks.run.board import entries, fields, places, successes
from tasks.run.figures import figures_of, main_rows, repeats
from tasks.run.listing import read_run
from tasks.run.rescoring import read_stored, summary_of
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.support.desk_fixture import build_pack

POINT = st.floats(-20, 120) | st.none()


@pytest.fixture(scope="module")
def made(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A home with the pack and a run of two tasks, twice each."""
    home = tmp_path_factory.mktemp("figures")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MOOT_HOME", str(home))
        build_pack()
        spec = RunSpec(benchmark="legalagentbench", pack="small", agent="rules", epochs=2)
        with start_run(spec, out=home / "one.moot") as run:
            run.go()
            run.record_scores()
    return home


@pytest.fixture
def run(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy that belongs to the test."""
    monkeypatch.setenv("MOOT_HOME", str(made))
    return Path(shutil.copy(made / "one.moot", tmp_path))


def test_figures_are_those_of_the_summary_in_points(run: Path) -> None:
    made, summary = figures_of(run), summary_of(read_stored(run))
    assert made.rows and made.n == 4 and made.epochs == 2
    for figure in made.rows:
        row = summary.row(figure.rule, figure.group, figure.name, figure.section)
        assert row is not None and figure.value == (None if row.value is None else 100 * row.value)
    assert main_rows(made)[0][0] == made.of("strict", "success", "all")
    assert successes(made) == 4.0 and made.seconds > 0
    assert {again.rule: (again.k, again.tasks, again.spread) for again in made.repeats} == {
        "compat": (2, 2, 0.0), "strict": (2, 2, 0.0),
    }  # fmt: skip


def test_lists_leave_out_what_the_machinery_broke(run: Path) -> None:
    """As the score block does: such an attempt is 0 by the published rule, and has no strict figure."""
    with Journal.open(run, write=True) as journal:
        for (_, attempts), outcome in zip(journal.walk(), ("error", "finished"), strict=False):
            settings = {"outcome": outcome, "scored": outcome == "finished"}
            for scorer in ("compat", "strict"):
                version, value = LegalAgentBench.scorers[scorer], {"success": 0.0}
                journal.add_scores([ScoreRow(attempts[-1].id, scorer, version, settings, value, [], "moot")])
    line = read_run(run)
    assert (line.compat, line.strict) == (2 / 4, 2 / 3)
    assert sum(strict is None for _, strict in library.read_stored(run).scores.values()) == 1


def test_figures_are_made_once_for_a_file_as_it_is(run: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("store.identity.GRANULARITY", 0)
    made = figures_of(run)
    monkeypatch.setattr(figures_module, "_made", lambda stored: pytest.fail("made again"))
    assert figures_of(run) == made
    file = run_index.run_file(run)
    run_index.remember_figures(file, made.model_dump_json().replace('"n":4', '"n":5'))
    assert figures_of(run).n == 5
    with run.open("ab") as changed:
        changed.write(b"\0")
    assert run_index.figures(run_index.run_file(run)) is None


def test_a_board_puts_runs_of_the_same_tasks_together(run: Path) -> None:
    line = read_run(run)
    (field,) = fields([line, read_run(run.with_name("none.moot"))])
    assert field.lines == [line] and field.tasks == line.tasks
    found = {run: figures_of(run)}
    assert next(iter(places(found.values()))) == ("success", "all")
    bench = benchmark("legalagentbench")
    rows = entries(field, found, bench.published(), ("success", "all"))
    assert rows[0].line == line and [row.paper is not None for row in rows[1:]] == [True] * 24
    values = [row.value[1] for row in rows[1:]]
    assert values == sorted(values, key=lambda value: -(value or 0.0)) and values[0] == 79.08
    unread = entries(field, {}, (), ("success", "all"))[0]
    assert line.strict is not None and unread.value == (100 * line.strict, 100 * (line.compat or 0.0))


@pytest.mark.parametrize(("name", "rows"), [("legalagentbench", 24), ("legalsearch", 18), ("courts", 46)])
def test_papers_are_whole(name: str, rows: int) -> None:
    bench = benchmark(name)
    found = bench.published()
    assert len(found) == rows == len({(one.model, one.way, one.tables) for one in found})
    assert all(0 <= value <= 100 for one in found for value in one.values.values())


def test_published_means_agree_with_their_parts() -> None:
    """Of the 300 tasks of the paper, 80 are of 1 hop and so on: the mean follows from the groups, but for two
    misprints of a last digit."""
    sizes = {"1-hop": 80, "2-hop": 80, "3-hop": 60, "4-hop": 40, "5-hop": 20, "writing": 20}
    bench = benchmark("legalagentbench")
    for one in bench.published():
        for measure in ("success", "process", "bertscore"):
            mean = sum(one.values[measure, group] * n for group, n in sizes.items()) / 300
            assert one.values[measure, "all"] == pytest.approx(mean, abs=0.06), (one.model, one.way, measure)


def test_court_figures_are_those_of_the_tables() -> None:
    first = court_published.rows()[0]
    assert first.values["PFS", "CI"] == court_published.table("2")["GPT-4o"]["CI PFS"]
    assert first.values["STA", "CR"] == court_published.table("9")["GPT-4o"]["CR STA"] == 1.45
    assert first.values["F&R", "CD"] == 85.27 and first.values["turns.mean", "CI"] == 35.3
    rated = [one for one in court_published.rows() if ("graded.procurator", "CR") in one.values]
    assert len(rated) == 12 and min(one.values["graded.procurator", "CR"] for one in rated) == 64.0
    assert sum("Table 13" in one.tables for one in court_published.rows()) == 9
    assert first.values["overall", "overall"] == court_published.overall(court_published.table("2")["GPT-4o"])


def test_repeats_by_hand() -> None:
    found = repeats("strict", {"a": [1.0, 0.0], "b": [1.0, 1.0], "c": [0.5, 0.5], "d": [1.0]})
    assert found is not None and (found.k, found.tasks) == (2, 3)
    assert found.all_solved == pytest.approx(100 / 3) and found.flips == pytest.approx(100 / 3)
    assert found.spread == pytest.approx(100 * (2.5 / 3 - 1.5 / 3) / 2**0.5)
    assert repeats("strict", {}) is None and repeats("strict", {"a": [1.0]}) is None


@given(POINT, POINT, POINT, POINT, POINT, POINT, st.integers(3, 90))
def test_a_strip_fills_its_cells(
    value: float | None, low: float | None, high: float | None, other: float | None, floor: float | None,
    ceiling: float | None, cells: int,
) -> None:  # fmt: skip
    text = "".join(piece for piece, _ in strip(Strip(value, low, high, other, floor, ceiling), cells))
    assert len(text) == cells
    assert ("●" in text) == (value is not None)


@example([("finished", 1), ("unfinished", -1)], 8)
@given(st.lists(st.tuples(st.text(max_size=3), st.integers(-5, 10**6)), max_size=6), st.integers(8, 90))
def test_shares_fill_their_cells(counts: list[tuple[str, int]], cells: int) -> None:
    made = shares(counts, cells)
    assert sum(size for _, size in made) == (cells if made else 0) and all(size > 0 for _, size in made)
