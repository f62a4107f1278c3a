"""The corpus on the desk, and the seat of a person who calls tools by their forms.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static, TextArea

from app.desk.corpus.calling import CallScreen
from app.desk.corpus.form import FieldBox, ToolForm
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.score_strip import ScoreStrip
from tasks.episode.events import ToolCalled
from tasks.run.spec import RunSpec
from tests.desk.test_desk_screens import desk, episode, until
from tests.support.desk_fixture import CASE, COMPANY, COURT, build_pack


@pytest.fixture
def pack(moot_home: Path) -> Path:
    return build_pack()


async def seated(pilot: Pilot[Any], pack: Path) -> Any:
    spec = RunSpec(benchmark="legalagentbench", agent="human", pack=str(pack), first=1)
    await pilot.app.start(spec, everything=False)  # type: ignore[attr-defined]
    await until(pilot, lambda: episode(pilot).loaded)
    screen = episode(pilot)
    await pilot.press("n")
    await until(pilot, lambda: screen.asked and screen.query_one(AnswerBox).is_open)
    return screen


async def form_of(pilot: Pilot[Any], words: str) -> ToolForm:
    """The form of the first tool that fits some words."""
    await pilot.press("slash")
    await until(pilot, lambda: isinstance(pilot.app.screen, CallScreen))
    dialog = pilot.app.screen
    dialog.query_one("#filter", Input).value = words
    tools = dialog.query_one("#tools", OptionList)
    await until(pilot, lambda: 0 < tools.option_count < 30)
    await pilot.press("enter")
    await until(pilot, lambda: dialog.has_class("-form") and isinstance(dialog.focused, FieldBox))
    return dialog.query_one(ToolForm)


async def offered(pilot: Pilot[Any], form: ToolForm, typed: str, taken: str) -> None:
    """Type into the box with the cursor, and take a name that is offered."""
    box = pilot.app.screen.focused
    assert isinstance(box, FieldBox)
    box.value += typed
    offers = form.query_one("#offers", OptionList)
    await until(pilot, lambda: any(str(option.prompt) == taken for option in offers.options))
    await pilot.press("down")
    await until(pilot, lambda: offers.has_focus)
    for _ in range(next(at for at, option in enumerate(offers.options) if str(option.prompt) == taken)):
        await pilot.press("down")
    await pilot.press("enter")
    await until(pilot, lambda: box.has_focus and taken in box.value)


async def called(pilot: Pilot[Any], screen: Any, number: int) -> None:
    await pilot.press("f5")
    done = lambda: [r for r in screen.shown.records if isinstance(r.event, ToolCalled)]  # noqa: E731
    await until(pilot, lambda: pilot.app.screen is screen and len(done()) == number and screen.asked)
    await until(pilot, lambda: screen.query_one(AnswerBox).is_open and screen.query_one(TextArea).has_focus)


async def test_a_person_solves_a_task_of_three_hops_without_typing_json(pack: Path) -> None:
    async with desk() as pilot:
        screen = await seated(pilot, pack)
        form = await form_of(pilot, "legal_document_company")
        await offered(pilot, form, "澄江", COMPANY)
        await called(pilot, screen, 1)
        await form_of(pilot, "court_code")
        form = pilot.app.screen.query_one(ToolForm)
        await offered(pilot, form, "云溪01", "云溪0101")
        await called(pilot, screen, 2)
        form = await form_of(pilot, "get_court_info")
        await offered(pilot, form, "云溪", COURT)
        await pilot.press("tab")
        form.query(FieldBox).last().focus()
        await offered(pilot, form, "", "法院负责人")
        await called(pilot, screen, 3)
        tools = [r.event for r in screen.shown.records if isinstance(r.event, ToolCalled)]
        assert tools[-1].input == {"identifier": COURT, "columns": ["法院负责人"]}
        screen.query_one(TextArea).text = f"由{COURT}审理，负责人是陆知行。"
        await pilot.press("f5")
        await until(pilot, lambda: screen.over)
        await until(pilot, lambda: screen.query_one(ScoreStrip)._step is not None)
        assert screen.query_one(ScoreStrip)._step.compat["success"] == 1.0


async def test_a_wrong_call_costs_no_step(pack: Path) -> None:
    async with desk() as pilot:
        screen = await seated(pilot, pack)
        form = await form_of(pilot, "get_court_info")
        await pilot.press("f5")
        await until(pilot, lambda: str(form.query_one("#refusal", Static).content))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: pilot.app.screen is screen)
        box = screen.query_one(TextArea)
        assert box.text == "/", "one may go on by hand"
        box.text = '/get_court_info {"identifier": "x", "columns": ["负责人"]}'
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app._notifications)
        assert box.text.startswith("/get_court_info") and screen.asked and screen.shown.total == 0


async def test_the_draft_of_the_rules_is_taken_into_the_box(pack: Path) -> None:
    async with desk() as pilot:
        screen = await seated(pilot, pack)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: screen.query_one(TextArea).text)
        draft = screen.query_one(TextArea).text
        assert draft.startswith("/get_legal_document_company_list ") and COMPANY in draft
        assert screen.shown.total == 0 and CASE not in draft
