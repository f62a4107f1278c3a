"""No text of the desk is markup, whoever wrote it; what is pasted is no longer than the desk can work with."""

from __future__ import annotations

from pathlib import Path

from textual.content import Content
from textual.events import Paste
from textual.widget import Widget
from textual.widgets import Input, Label

from app.desk.board import BoardScreen
from app.desk.widgets.field import LONGEST_LINE, LONGEST_TEXT, LineInput, LongText
from app.desk.widgets.find_bar import FindBar
from tests.desk.conftest import desk, text_of, until
from tests.desk.test_desk_corpus import corpus, open_shelf  # noqa: F401

HOSTILE = ("[/]", "[/废]", "[@click=app.quit]条例[/]", "[red]x", "[", "\\[", "[b", "[$accent]")


def titles(root: Widget) -> list[Content]:
    every = [*root.query("*"), root]
    names = ("_border_title", "_border_subtitle")
    return [title for one in every for name in names if (title := getattr(one, name)) is not None]


async def test_a_title_is_what_it_says() -> None:
    async with desk() as pilot:
        label = Label("", markup=False)
        await pilot.app.screen.mount(label)
        for text in HOSTILE:
            label.border_title = label.border_subtitle = f"某省{text}"
            for title in (label._border_title, label._border_subtitle):
                assert isinstance(title, Content) and title.plain == f"某省{text}" and not title.spans


async def test_what_is_typed_into_filters_stays_text(pack: Path) -> None:
    async with desk() as pilot:
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(pilot.app.screen, BoardScreen) and pilot.app.screen._loaded)
        for place in ("board", "corpus"):
            if place == "corpus":
                rows = await open_shelf(pilot, await corpus(pilot), "LegalDoc")
                await until(pilot, lambda rows=rows: rows.has_focus and len(rows.things) == 3)
            await pilot.press("slash")
            box = pilot.app.screen.query_one(FindBar).query_one(Input)
            await until(pilot, lambda box=box: box.has_focus)
            for text in HOSTILE:
                box.value = ""
                for character in text:
                    box.insert_text_at_cursor(character)
                    await pilot.pause()
                shown = [title.plain for title in titles(pilot.app.screen)]
                assert pilot.app.is_running and not any(title.spans for title in titles(pilot.app.screen))
                assert any(text in title for title in shown), shown
                text_of(pilot)
            await pilot.press("escape", "escape")


async def test_what_is_pasted_is_cut_and_says_so() -> None:
    async with desk() as pilot:
        pilot.app.NOTIFICATION_TIMEOUT = 600  # type: ignore[misc]  # however slow the machine, it is still there
        line, text = LineInput(), LongText()
        await pilot.app.screen.mount(line, text)
        line.focus()
        await pilot.pause()
        line.post_message(Paste("\x1b[31m甲" + "x" * 10))
        await until(pilot, lambda: line.value)
        assert line.value == "␛甲xxxxxxxxxx"
        line.post_message(Paste("字" * 1_000_000))
        await until(pilot, lambda: len(line.value) == LONGEST_LINE)
        await until(pilot, lambda: len(pilot.app._notifications) == 1)
        line.post_message(Paste(""))
        text.focus()
        await pilot.pause()
        text.post_message(Paste("字\n" * LONGEST_TEXT))
        await until(pilot, lambda: len(text.text) == LONGEST_TEXT)
        await until(pilot, lambda: len(pilot.app._notifications) == 2)
        text.select_all()
        text.post_message(Paste("另写"))
        await until(pilot, lambda: text.text == "另写")
