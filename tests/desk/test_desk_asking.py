"""Asking a question of one's own on the desk, and watching it being solved."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Select

from app.desk.engines_offered import ModeField
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.new_run import NewRunScreen
from app.desk.home.screen import QuestionScreen
from tests.desk.conftest import desk, text_of, until

pytestmark = pytest.mark.slow

QUESTION = "松烟梧堂精密机械股份有限公司的法定代表人是谁？"


async def test_a_question_is_asked_by_an_example_and_solved_by_itself(sample_pack: Path, shipped_model: Path) -> None:
    shipped_model.unlink()  # the rules play then, and the desk says why
    async with desk() as pilot:
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, QuestionScreen))
        await pilot.press("enter")
        assert isinstance(pilot.app.screen, QuestionScreen), "nothing is asked yet"
        await until(pilot, lambda: "comes with Moot, is gone" in text_of(pilot))
        await pilot.press("tab", "enter")
        assert pilot.app.screen.query_one(Input).value == QUESTION
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, EpisodeScreen))
        screen = pilot.app.screen
        assert isinstance(screen, EpisodeScreen)
        await until(
            pilot, lambda: screen.controller.state is not None and screen.controller.state.stopped is not None
        )
        assert screen.controller.state is not None and screen.controller.state.answered is not None
        assert "宗若" in screen.controller.state.answered.res and "提问，不计分" in text_of(pilot)


async def test_a_run_with_the_model_that_comes_with_moot_takes_the_form_it_knows(
    sample_pack: Path, shipped_model: Path
) -> None:
    async with desk() as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: "仅供演示" in text_of(pilot) and QUESTION[:8] in text_of(pilot))
        assert pilot.app.screen.check_action("remove", ()) is None, "it stays"
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, NewRunScreen))
        screen = pilot.app.screen
        await until(pilot, lambda: screen.query_one(ModeField).mode == "compact")
        screen.query_one("#agent", Select).value = "plan-solve"
        await until(pilot, lambda: screen.query_one(ModeField).mode == "lean")
