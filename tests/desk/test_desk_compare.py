"""Compare on the desk: two runs chosen at Home, figures and tasks, both ways through one task."""

from __future__ import annotations

from pathlib import Path

import pytest

from app.desk.compare import CompareScreen, StepsScreen
from app.desk.dialogs import ProblemScreen
from app.desk.home.screen import HomeScreen
from app.desk.widgets.lines import LinesPane, row_text
from store import places
from tasks.episode.events import Seated
from tasks.reports.comparison import who
from tasks.run.runner import fork_run, start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import NARROW, WIDE, desk, reach, same_as_stored, until
from tests.support.desk_fixture import build_pack

pytestmark = pytest.mark.slow


def play(name: str, agent: str) -> Path:
    """A run of both tasks, under a name that does not change with the time."""
    path = places.runs() / f"{name}.moot"
    with start_run(RunSpec(benchmark="legalagentbench", pack="small", agent=agent), out=path) as run:
        run.go()
        run.record_scores()
    return path


@pytest.fixture
def runs() -> tuple[Path, Path]:
    build_pack()
    return play("first", "rules"), play("second", "echo")


@pytest.mark.parametrize("size", [WIDE, NARROW], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_two_runs_are_compared(runs: tuple[Path, Path], size: tuple[int, int]) -> None:
    async with desk(size) as pilot:
        app = pilot.app
        app.push_screen(CompareScreen(*runs))  # type: ignore[attr-defined]
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert {line.task for line in screen.lines} == {"k-1", "k-2"}
        await same_as_stored(pilot, "compare")
        await pilot.press("enter")
        await reach(pilot, StepsScreen, lambda screen: screen.steps is not None)
        text = "\n".join(row_text(row) for row in app.screen.query_one("#steps", LinesPane).rows)
        assert "≠" in text and "│" in text
        await same_as_stored(pilot, "compare-steps")
        await pilot.press("2")
        await until(
            pilot,
            lambda: app.controller.facts is not None and app.controller.facts.id == "second",
        )


async def test_home_chooses_both(runs: tuple[Path, Path]) -> None:
    async with desk() as pilot:
        home = pilot.app.screen
        assert isinstance(home, HomeScreen)
        await pilot.press("c")
        assert home.base is not None and home.base.id == home.runs[0].id
        await pilot.press("c")
        assert home.base is None
        await pilot.press("c", "down", "c")
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert [side.stem for side in screen.paths] == [home.runs[0].id, home.runs[1].id]
        before = len(screen.lines)
        await pilot.press("a")
        assert screen.everything and len(screen.lines) >= before
        await pilot.press("l")
        figures = "\n".join(row_text(row) for row in screen.query_one("#figures", LinesPane).rows)
        assert "Compat" in figures or "论文口径" in figures
        await pilot.press("escape")
        await reach(pilot, HomeScreen)


async def test_a_fork_opens_beside_its_parent(runs: tuple[Path, Path]) -> None:
    fork = fork_run(runs[0], "k-1", 2, newcomer=Seated(seat="agent", policy="echo/1"))
    with fork:
        fork.go()
        fork.record_scores()
    async with desk() as pilot:
        home = pilot.app.screen
        assert isinstance(home, HomeScreen) and home.runs[0].parent == "first"
        await pilot.press("c")
        screen = await reach(pilot, CompareScreen, lambda screen: screen.comparison is not None)
        assert screen.paths[0] == runs[0] and screen.comparison is not None
        assert "2 题中有 1 题未计入：乙未评测 1 题" in "\n".join(
            row_text(row) for row in screen.query_one("#figures", LinesPane).rows
        )
        assert [who(side, "zh") for side in (screen.comparison.first, screen.comparison.second)][1] == "复述下限"


async def test_runs_that_cannot_be_compared_say_why(runs: tuple[Path, Path]) -> None:
    with start_run(RunSpec(benchmark="legalagentbench", pack="small"), out=places.runs() / "empty.moot"):
        pass
    async with desk() as pilot:
        pilot.app.push_screen(CompareScreen(runs[0], places.runs() / "empty.moot"))
        await reach(pilot, ProblemScreen)
        await pilot.press("escape")
        await reach(pilot, HomeScreen)
