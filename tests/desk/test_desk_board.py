"""A run at a glance, and the Board: plots, order, filter, rows of papers; Compare: two runs chosen at Home, figures
and tasks, both ways through one task."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from app import library
from app.desk.board import BoardScreen, behind, cells, named
from app.desk.compare import CompareScreen, StepsScreen, side_words, step_rows
from app.desk.dialogs import ProblemScreen
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.plots import ProgressFigures, progress
from app.desk.home.run import COLUMNS, RunScreen
from app.desk.home.screen import HomeScreen, called
from app.desk.widgets.lines import LinesPane, row_text
from app.desk.widgets.tables import RowsTable
from app.library import read_groups, read_stored
from app.strings import set_language
from app.terminal import truncate
from models.llama import shipped
from store import places
from store.journal import Journal
from tasks.episode.events import Seated
from tasks.episode.scheduler import HUMAN
from tasks.errors import UsageError
from tasks.reports.comparison import who
from tasks.run.board import entries, fields
from tasks.run.comparing import aligned, compare, side_of
from tasks.run.failing import EpisodeFailure, failures_of
from tasks.run.header import header_of
from tasks.run.listing import read_run
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, start_run
from tasks.run.spec import RunSpec
from tasks.scoring.failures import CLASSES, Diagnosis, Finding, StepQuote
from tests.desk.conftest import EVERYWHERE, NARROW, desk, ended_run, reach, same_as_stored, text_of, until
from tests.support.desk_fixture import build_pack

pytestmark = pytest.mark.slow


def plots_of(screen: RunScreen) -> str:
    return "\n".join(row_text(row) for row in screen.query_one("#plots", LinesPane).rows)


def label_of(failed: EpisodeFailure) -> str:
    """The name of the class in which an attempt failed, in Chinese."""
    return next(one.label[0] for one in CLASSES if one.name == failed.verdict.main.failure)


def test_attempts_of_a_run_that_is_played_are_scored_as_they_end() -> None:
    build_pack()
    with start_run(RunSpec(benchmark="legalagentbench", pack="small", agent="gold", parallel=1)) as run:
        run.go(lambda: run.scheduler.episodes.open == len(run.scheduler.episodes))
        path = run.journal.path
        stored = read_stored(path)
        ended = [one.id for one in stored.episodes if one.outcome]
        assert len(ended) == 1 and stored.scores == {ended[0]: (1.0, 1.0)}, "a run is scored as far as it went"
    assert ("1 跳", "1-hop") in read_groups(path).values()


async def test_a_run_at_a_glance_says_why_attempts_failed(runs: tuple[Path, Path]) -> None:
    async with desk() as pilot:
        screen = RunScreen(read_run(runs[1]))
        pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.figures is not None and screen.groups and screen.rows and screen.failed)
        text = plots_of(screen)
        assert "全部" in text and "●" in text and "─" in text and "完成 2" in text
        label = label_of(screen.failed[screen.chosen])
        assert label in text and label in text_of(pilot)
        assert [episode.id for episode in screen.rows] == ["k-1", "k-2"]
        await pilot.press("slash", *"k-2")
        await until(pilot, lambda: [episode.id for episode in screen.rows] == ["k-2"])
        await pilot.press("enter")
        await pilot.pause()
        assert screen.chosen == "k-2" and screen.focused is screen.query_one(RowsTable)
        await pilot.press("escape")
        assert len(screen.rows) == 2 and pilot.app.screen is screen
        for size in (NARROW, (200, 50)):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: screen.size.width == size[0])
            assert "全部" in plots_of(screen) and "●" in plots_of(screen)
        await pilot.press("l")
        await until(pilot, lambda: "Overview" in text_of(pilot))
        assert "finished 2" in plots_of(screen).lower()
        await pilot.press("enter")
        await reach(pilot, EpisodeScreen, lambda screen: screen.controller.facts is not None)


async def test_failures_come_first_any_column_sorts_and_one_opens_where_it_went_wrong(
    runs: tuple[Path, Path],
) -> None:
    async with desk() as pilot:
        screen = RunScreen(read_run(runs[0]))
        pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.stored is not None and len(screen.rows) == 2)
        await until(pilot, lambda: screen.failed and screen.figures is not None)
        first, second = (episode.id for episode in screen.stored.episodes)
        screen.stored.scores.update({first: (1.0, 1.0), second: (0.0, 0.0)})
        screen.retranslate()
        assert [episode.id for episode in screen.rows] == [second, first]
        screen.sort_by("strict")
        assert [episode.id for episode in screen.rows] == [first, second]
        await pilot.press("O")
        assert [episode.id for episode in screen.rows] == [second, first]
        for column in COLUMNS:
            screen.sort_by(column)
            assert len(screen.rows) == 2
            assert len(screen.query_one(RowsTable).ordered_rows) == 2
        verdict = Diagnosis("failed", (Finding("missing_hop", "unknown", (StepQuote(1, ""),)),))
        screen.failed = {name: replace(failed, verdict=verdict) for name, failed in screen.failed.items()}
        await pilot.press("enter")
        opened = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        assert opened.controller.shown.step == 1 < opened.controller.shown.total


async def test_an_episode_says_why_it_failed_from_wherever_it_is_opened(runs: tuple[Path, Path]) -> None:
    (found,) = failures_of(runs[1], "k-1").episodes
    label = label_of(found)
    async with desk() as pilot:
        pilot.app.open_episode(runs[1], "k-1")  # type: ignore[attr-defined]
        screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        await until(pilot, lambda: f"失败原因：{label}" in text_of(pilot))
        await pilot.press("b")
        await until(pilot, lambda: screen.controller.shown.back)
        assert f"失败原因：{label}" in text_of(pilot) and "n 向前" in text_of(pilot), "the keys stand behind it"
        gold = ended_run("third", "gold")
        pilot.app.open_episode(gold, "k-1")  # type: ignore[attr-defined]
        await until(pilot, lambda: screen.controller.facts.path == gold and screen.controller.keeper is not None)
        await until(pilot, lambda: "失败原因" not in text_of(pilot))


def test_a_run_in_motion_says_how_far_it_is() -> None:
    set_language("zh")
    (line,) = progress(ProgressFigures({"finished": 29, "error": 1, "unfinished": 70}, 10.0, 61.25, True), 120)
    text = "".join(piece for piece, _ in line)
    assert "30/100" in text and "约剩 7 分钟" in text and "61.2" in text and "故障 1" in text
    set_language(None)


@EVERYWHERE
async def test_the_board_looks_as_stored(
    runs: tuple[Path, Path],
    size: tuple[int, int],
    language: str,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    monkeypatch.setattr("app.desk.board.seconds_each", lambda entry: None)
    async with desk(size) as pilot:
        await pilot.press("f5")
        screen = pilot.app.screen
        assert isinstance(screen, BoardScreen)
        await until(pilot, lambda: len(screen.figures) == 2 and screen._paper)
        own = [entry for entry in screen.rows if entry.line is not None]
        assert [entry.value[0] for entry in own] == [100.0, 0.0]
        assert len(screen.rows) == 2 + 24 and all(entry.paper for entry in screen.rows[2:])
        await same_as_stored(pilot, "board", everywhere=True)


async def test_the_board_changes_what_it_shows_and_rows_say_what_stands_behind_them(runs: tuple[Path, Path]) -> None:
    """A run of fewer tasks says so; a row that is still being read has no figure yet; fiction is marked row by row; a
    filter is named."""
    ended_run("third", "echo", limit=1)
    async with desk() as pilot:
        await pilot.press("b")
        screen = pilot.app.screen
        assert isinstance(screen, BoardScreen)
        await until(pilot, lambda: len(screen.figures) == 3 and screen._paper)
        own = [entry for entry in screen.rows if entry.line is not None]
        assert sorted(map(behind, own)) == ["1/2", "2", "2"]
        shown = cells(own[0], 42, 30, {})
        assert "虚构数据" in shown["name"].plain and "dim" not in str(shown["strict"].style)
        guessed = replace(own[0], figures=own[0].figures.model_copy(update={"tokens": 9, "estimated": True}))
        assert cells(guessed, 42, 30, {})["tokens_each"].plain.startswith("~")
        assert not shown["tokens_each"].plain.startswith("~")
        line = replace(own[0].line, strict=None)
        unread = cells(replace(own[0], figures=None, strict=None, compat=None, line=line), 40, 30, {})
        assert unread["strict"].plain == "…" and str(unread["strict"].style) == "dim"
        first = screen._place
        await pilot.press("g")
        assert screen._place != first
        await pilot.press("G")
        assert screen._place == first == ("success", "all")
        await pilot.press("n")
        assert screen._place == ("process", "all")
        await pilot.press("N")
        assert screen._place == first
        await pilot.press("p")
        assert len(screen.rows) == 3
        await pilot.press("slash", *"echo", "enter")
        assert len(screen.rows) == 2 and "筛选“echo”：2 行" in text_of(pilot)
        await pilot.press("escape")
        assert len(screen.rows) == 3 and pilot.app.screen is screen
        await pilot.press("home", "c", "end", "c")
        await reach(pilot, CompareScreen)


async def test_the_model_that_comes_with_moot_stands_there_only_where_it_is_asked_for(
    runs: tuple[Path, Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    card = shipped.Card(name="moot-tiny", sha256="0" * 64, form="compact", context=512)
    monkeypatch.setattr(shipped, "card", lambda: card)
    lines = [read_run(runs[0]), replace(read_run(runs[1]), model="llama:moot-tiny#ctx=256")]
    monkeypatch.setattr(library, "runs", lambda: lines)
    async with desk((80, 24)) as pilot:
        await pilot.press("f5")
        screen = pilot.app.screen
        assert isinstance(screen, BoardScreen)
        await until(pilot, lambda: [entry.line for entry in screen.rows if entry.line] == lines[:1])
        await until(pilot, lambda: "另有随附演示模型的 1 次未列（m 列出）" in text_of(pilot))
        assert "m 演示模型" in text_of(pilot).splitlines()[-1]
        await pilot.press("m")
        await until(pilot, lambda: len([entry for entry in screen.rows if entry.line]) == 2)
        await until(pilot, lambda: "含随附演示模型的 1 次" in text_of(pilot))
        await pilot.press("m")
        await until(pilot, lambda: len([entry for entry in screen.rows if entry.line]) == 1)
        screen.take(runs[1])
        await until(pilot, lambda: screen.shipped and screen.field is not None and len(screen.field.lines) == 2)


def test_what_a_person_solved_is_nowhere_shown_as_the_policys(runs: tuple[Path, Path]) -> None:
    with fork_run(runs[1], "k-1", 0) as run:
        run.seat("k-1", Seated(seat="agent", policy="human/1", engine=HUMAN))
        run.scheduler.step("k-1")
        run.scheduler.answer("k-1", "陆知行")
        run.go()
        run.record_scores()
        assert header_of(run.journal)["spec"]["agent"] == "echo", "the header alone does not say it"
    line = read_run(run.journal.path)
    assert (line.people, read_run(runs[1]).people) == (1, 0)
    board = entries(fields([line])[0], {}, (), None)[0]
    side, _ = side_of(run.journal.path)
    with pytest.raises(UsageError, match="no task in common"):
        compare([runs[1], run.journal.path])
    for shown in (called(line), named(board)):
        assert "本人 1 题" in truncate(shown, 20), "where there is little room, too"
    assert "1 题有本人作答" in side_words(side)
    assert [sorted(one.people) for one in read_stored(run.journal.path).episodes] == [[1]]
    one, other = (
        read_episode(journal, next(row.id for row in journal.episodes() if row.task_id == "k-1"))
        for journal in map(Journal.open, (runs[1], run.journal.path))
    )
    steps = step_rows(aligned(one, other), 100)
    assert "第 1 步 ≠ 自此不同 · 乙：本人" in "\n".join(row_text(row) for row in steps)
    assert "本人" not in called(read_run(runs[1])) + side_words(compare(runs)[0].second)


async def test_two_runs_are_compared(runs: tuple[Path, Path]) -> None:
    async with desk() as pilot:
        app = pilot.app
        app.push_screen(CompareScreen(*runs))
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert {line.task for line in screen.lines} == {"k-1", "k-2"}
        await same_as_stored(pilot, "compare")
        await pilot.press("enter")
        await reach(pilot, StepsScreen, lambda screen: screen.steps is not None)
        text = "\n".join(row_text(row) for row in app.screen.query_one("#steps", LinesPane).rows)
        assert "≠" in text and "│" in text
        await same_as_stored(pilot, "compare-steps")
        await pilot.press("2")
        await until(pilot, lambda: app.controller.facts is not None and app.controller.facts.id == "second")


def figures(screen: CompareScreen) -> str:
    return "\n".join(row_text(row) for row in screen.query_one("#figures", LinesPane).rows)


async def test_home_chooses_both_and_a_fork_opens_beside_its_parent(runs: tuple[Path, Path]) -> None:
    fork = fork_run(runs[0], "k-1", 2, newcomer=Seated(seat="agent", policy="echo/1"))
    with fork:
        fork.go()
        fork.record_scores()
    with start_run(RunSpec(benchmark="legalagentbench", pack="small"), out=places.runs() / "empty.moot"):
        pass
    async with desk() as pilot:
        home = pilot.app.screen
        assert isinstance(home, HomeScreen)
        assert [line.id for line in home.runs[2:]] == ["second", "first"] and home.runs[1].parent == "first"
        await pilot.press("down", "c")
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert screen.paths[0] == runs[0] and "2 题中有 1 题未计入：乙未评测 1 题" in figures(screen)
        assert [who(side, "zh") for side in (screen.comparison.first, screen.comparison.second)][1] == "复述下限"
        await pilot.press("escape")
        await reach(pilot, HomeScreen)
        await pilot.press("down", "c")
        assert home.base is not None and home.base.id == "second"
        await pilot.press("c")
        assert home.base is None
        await pilot.press("c", "down", "c")
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert [side.stem for side in screen.paths] == ["second", "first"]
        before = len(screen.lines)
        await pilot.press("a")
        assert screen.everything and len(screen.lines) >= before
        await pilot.press("l")
        assert "Compat" in figures(screen) or "论文口径" in figures(screen)
        await pilot.press("escape")
        await reach(pilot, HomeScreen)
        pilot.app.push_screen(CompareScreen(runs[0], places.runs() / "empty.moot"))
        await reach(pilot, ProblemScreen)
        await pilot.press("escape")
        await reach(pilot, HomeScreen)
