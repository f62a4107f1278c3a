"""The corpus on the desk, and the seat of a person who calls tools by their forms.

MOOT_UPDATE_SCREENS=1 writes the stored screens anew.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from textual.command import CommandPalette
from textual.pilot import Pilot
from textual.widgets import Input, OptionList, Static, TextArea

from app.desk.corpus.form import CallScreen, FieldBox, ToolForm
from app.desk.corpus.screen import CorpusScreen
from app.desk.corpus.views import RowsView
from app.desk.dialogs import HelpScreen
from app.desk.episode.screen import EpisodeScreen
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import TextPane, row_text
from app.desk.widgets.score_strip import ScoreStrip
from app.strings import t
from tasks.episode.events import ToolCalled
from tasks.run.spec import RunSpec
from tests.desk.conftest import begun, desk, reach, same_as_stored, until
from tests.support.desk_fixture import CASE, COMPANY, COURT

pytestmark = pytest.mark.slow


async def form_of(pilot: Pilot[Any], words: str) -> ToolForm:
    """The form of the first tool that fits some words."""
    await pilot.press("slash")
    dialog = await reach(pilot, CallScreen)
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
    done = lambda: [r for r in screen.controller.shown.records if isinstance(r.event, ToolCalled)]  # noqa: E731
    await until(pilot, lambda: pilot.app.screen is screen and len(done()) == number and screen.controller.asked)
    await until(pilot, lambda: screen.query_one(AnswerBox).is_open and screen.query_one(TextArea).has_focus)


async def test_a_person_solves_a_task_of_three_hops_without_typing_json(pack: Path) -> None:
    spec = RunSpec(benchmark="legalagentbench", agent="human", pack=str(pack), task_ids=("k-1",))
    async with desk() as pilot:
        screen = await begun(pilot, spec)
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.asked and screen.query_one(AnswerBox).is_open)
        box = screen.query_one(TextArea)
        await pilot.press("ctrl+o")
        await until(pilot, lambda: box.text)
        assert box.has_focus and screen.controller.asked, "a draft of the rules"
        box.text = ""
        form = await form_of(pilot, "get_court_info")
        await pilot.press("f5")
        await until(pilot, lambda: str(form.query_one("#refusal", Static).content))
        await pilot.press("escape", "escape")
        await until(pilot, lambda: pilot.app.screen is screen)
        assert box.text == "/", "one may go on by hand"
        box.text = '/get_court_info {"identifier": "x", "columns": ["负责人"]}'
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app._notifications)
        assert box.text.startswith("/get_court_info") and screen.controller.asked, "a wrong call costs no step"
        assert screen.controller.shown.total == 0
        box.text = ""
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
        tools = [r.event for r in screen.controller.shown.records if isinstance(r.event, ToolCalled)]
        assert tools[-1].input == {"identifier": COURT, "columns": ["法院负责人"]}
        box.text = f"由{COURT}审理，负责人是陆知行。"
        await pilot.press("f5")
        await until(pilot, lambda: screen.controller.over)
        await until(pilot, lambda: screen.query_one(ScoreStrip)._step is not None)
        assert screen.query_one(ScoreStrip)._step.compat["success"] == 1.0


async def corpus(pilot: Pilot[Any]) -> CorpusScreen:
    await pilot.press("f11")
    screen = await reach(pilot, CorpusScreen, lambda screen: screen.pack)
    await until(pilot, lambda: screen.query_one("#tree", Choice).things)
    return screen


async def open_shelf(pilot: Pilot[Any], screen: CorpusScreen, name: str) -> RowsView:
    tree = screen.query_one("#tree", Choice)
    tree.focus()
    tree.move_to(
        next(at for at, entry in enumerate(tree.things) if name in (entry.tool, entry.dataset and entry.dataset.kind))
    )
    rows = screen.query_one(RowsView)
    await pilot.press("enter")
    return rows


async def test_values_of_a_record_are_followed_and_the_way_back_is_kept(pack: Path) -> None:
    async with desk() as pilot:
        screen = await corpus(pilot)
        rows = await open_shelf(pilot, screen, "LegalDoc")
        record, tree = screen.query_one("#record", Choice), screen.query_one("#tree", Choice)
        await until(pilot, lambda: rows.has_focus and rows.count == 3 and record.count)
        await same_as_stored(pilot, "corpus")
        assert "虚构数据" in "\n".join(map(row_text, record.rows))
        await pilot.press("enter")
        await until(pilot, lambda: record.has_focus)
        record.move_to(next(at for at, link in enumerate(record.things) if link.tool == "get_court_code"))
        await pilot.press("enter")
        await until(pilot, lambda: rows.place is not None and rows.place.dataset.kind == "CourtCode" and record.count)
        assert screen.row is not None and screen.row.cells["法院名称"] == COURT
        await pilot.press("escape")
        await until(
            pilot, lambda: rows.place is not None and rows.place.dataset.kind == "LegalDoc" and rows.count == 3
        )
        await pilot.press("escape")
        await until(pilot, lambda: tree.has_focus)
        await open_shelf(pilot, screen, "get_court_info")
        await until(pilot, lambda: isinstance(screen.focused, FieldBox))
        await offered(pilot, screen.query_one(ToolForm), "云溪", COURT)
        await pilot.press("f5")
        said = screen.query_one("#said", TextPane)
        await until(pilot, lambda: any("陆知行" in row_text(row) for row in said.rows))


async def test_rows_are_sorted_and_filtered_and_everything_is_searched(pack: Path) -> None:
    async with desk() as pilot:
        screen = await corpus(pilot)
        rows = await open_shelf(pilot, screen, "LegalDoc")
        await until(pilot, lambda: rows.has_focus and rows.count == 3)
        for key, areas in (("home", ["corpus_rows", "corpus", "app"]), ("slash", ["find", "app"])):
            await pilot.press(key, "f1")
            heads = (await reach(pilot, HelpScreen)).query(".help--area").results(Static)
            assert [str(head.content) for head in heads] == [t(f"help.area.{area}") for area in areas]
            await pilot.press("escape")
        await pilot.press("escape")
        await until(pilot, lambda: rows.has_focus)
        for _ in range(3):
            await pilot.press("o")
        await pilot.press("O")
        await until(pilot, lambda: rows.row(0) is not None and rows.row(0).cells["案号"] == CASE)
        await pilot.press("slash", "1", "2", "号")
        await until(pilot, lambda: rows.count == 1)
        await pilot.press("escape", "a", *"云溪0101")
        tree = screen.query_one("#tree", Choice)
        found = lambda: {e.dataset.kind: e.rows for e in tree.things if e.dataset and e.rows}  # noqa: E731
        await until(pilot, lambda: found() == {"LegalDoc": 3, "CourtCode": 1})


async def palette(pilot: Pilot[Any], words: str, found: str) -> None:
    """Take what the palette finds for some words."""
    await pilot.press("ctrl+p")
    screen = await reach(pilot, CommandPalette)
    screen.query_one(Input).value = words
    listed = screen.query_one(OptionList)
    await until(pilot, lambda: any(found in str(option.prompt) for option in listed.options))
    await pilot.press("down", "enter")


async def test_the_palette_finds_a_case_number_and_a_task_that_it_plays(pack: Path) -> None:
    async with desk() as pilot:
        await palette(pilot, "0101民初88", CASE)
        screen = await reach(pilot, CorpusScreen)
        await until(pilot, lambda: screen.row is not None and screen.row.cells.get("案号") == CASE)
        await palette(pilot, "联系电话是多少", "k-2")
        played = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.facts is not None)
        assert played.controller.facts.header["spec"]["task_ids"] == ["k-2"]
