"""Asking a question of one's own on the desk, and watching it being solved."""

from __future__ import annotations

from pathlib import Path

import pytest
from textual.widgets import Input, Select

from app.desk.engines_offered import TYPED, EngineField, ModeField
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.new_run import NewRunScreen
from app.desk.home.screen import QuestionScreen
from app.ready_episodes import RULES
from tests.desk.conftest import desk, reach, text_of, until
from tests.desk.test_desk_seats import scripted
from tests.support.desk_fixture import build_pack

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


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_any_pack_is_asked_with_any_engine(by: str, moot_home: Path) -> None:
    build_pack()
    spec = RULES if by == "rules" else scripted(moot_home)
    async with desk() as pilot:
        await pilot.press("a")
        screen = await reach(pilot, QuestionScreen)
        assert str(screen.query_one("#pack", Select).value) == "small", "the only one there is"
        engine = screen.query_one(EngineField)
        engine.query_one("#offers", Select).value = RULES if by == "rules" else TYPED
        await until(pilot, lambda: engine.query_one("#spec-field").display == (by == "model"))
        if by == "model":
            screen.query_one("#question", Input).value = "云溪县人民法院的负责人是谁？"
            await pilot.press("f5")
            await until(pilot, lambda: engine.query_one("#spec-field").has_class("-bad"))
            engine.query_one("#spec", Input).value = spec
        screen.query_one("#question", Input).value = "云溪县人民法院的负责人是谁？"
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app.controller.facts is not None)  # type: ignore[attr-defined]
        asked = pilot.app.controller.facts.header["spec"]  # type: ignore[attr-defined]
        assert (asked["pack"], asked["agent"], asked["model"]) == (
            ("small", "rules", "") if by == "rules" else ("small", "react", spec)
        )


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
