"""The doors of a Home without runs, settings, a question of one's own; and what comes over a screen or into it for a
while: messages, progress, text that is no markup, pastes that are too long."""

from __future__ import annotations

import errno
import json
from pathlib import Path

import pytest
from textual.content import Content
from textual.events import Paste
from textual.widget import Widget
from textual.widgets import Input, Label, ProgressBar, Select, Static
from textual.widgets._toast import Toast, ToastRack

from app import hosts
from app.desk.board import BoardScreen
from app.desk.court.scene import scene_of
from app.desk.court.stage import cast_lines
from app.desk.dialogs import ConfirmScreen, ProblemScreen, ProgressScreen
from app.desk.engines_offered import TYPED, EngineField, ModeField
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.new_run import NewRunScreen
from app.desk.home.screen import QuestionScreen, StartList
from app.desk.law.screen import LawScreen
from app.desk.settings import SettingsScreen
from app.desk.widgets.field import LONGEST_LINE, LONGEST_TEXT, LineInput, LongText
from app.desk.widgets.find_bar import FindBar
from app.preferences import Preferences, file_of_preferences, preferences
from app.ready_episodes import RULES, TRIAL
from app.strings import language, set_language
from tests.desk.conftest import NARROW, WIDE, desk, opened, reach, text_of, until
from tests.desk.test_desk_corpus import corpus, open_shelf
from tests.desk.test_desk_seats import scripted
from tests.support.desk_fixture import write_run

pytestmark = pytest.mark.slow


async def test_the_doors_lead_to_the_law_of_a_day_and_into_a_trial(sample_pack: Path) -> None:
    async with desk() as pilot:
        await until(pilot, lambda: isinstance(pilot.app.focused, StartList))
        await pilot.press("2")
        screen = await reach(pilot, LawScreen, lambda screen: screen.asked is not None)
        assert any("书面劳动合同" in line.hit.article.text for line in screen.asked.hits[:10])
        await pilot.press("f2")
        await until(pilot, lambda: isinstance(pilot.app.focused, StartList))
        await pilot.press("1")
        controller = pilot.app.controller
        await until(pilot, lambda: controller.loaded)
        spec = controller.facts.header["spec"]
        assert spec["task_ids"] == [TRIAL] and spec["agent"] == "gold"
        scene = scene_of(controller.facts.header, controller.shown.records)
        assert "开庭前写定，不回应今日陈述" in "".join(part for line in cast_lines(scene) for part, _ in line)


async def test_what_is_chosen_is_used_and_remembered(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("MOOT_LANG")
    monkeypatch.setenv("LC_ALL", "zh_CN.UTF-8")
    async with desk((80, 24)) as pilot:
        await pilot.press("comma")
        await reach(pilot, SettingsScreen)
        pilot.app.screen.query_one("#theme", Select).value = "moot-light"
        pilot.app.screen.query_one("#language", Select).value = "en"
        await until(pilot, lambda: preferences() == Preferences(language="en", theme="moot-light"))
        assert pilot.app.theme == "moot-light" and language() == "en"
    async with desk((80, 24)) as pilot:
        assert pilot.app.theme == "moot-light" and language() == "en"
        await pilot.press("l")
        assert preferences().language == language() == "zh"


async def test_a_host_is_revoked_after_a_question() -> None:
    hosts.allow("192.168.0.7", "BOX_KEY")
    hosts.allow("192.168.0.8")
    async with desk((80, 24)) as pilot:
        await pilot.press("comma")
        await reach(pilot, SettingsScreen, lambda screen: screen._hosts)
        await pilot.press("x")
        await reach(pilot, ConfirmScreen)
        await pilot.press("enter")
        assert list(hosts.allowed()) == ["192.168.0.7", "192.168.0.8"]
        await reach(pilot, SettingsScreen)
        await pilot.press("x")
        await reach(pilot, ConfirmScreen)
        await pilot.click("#yes")
        await until(pilot, lambda: list(hosts.allowed()) == ["192.168.0.8"])


@pytest.mark.parametrize("content", ["", "[]", "{", json.dumps({"language": "fr"}), json.dumps({"theme": 7})])
def test_a_file_that_cannot_be_read_counts_as_none(content: str) -> None:
    file_of_preferences().parent.mkdir(parents=True)
    file_of_preferences().write_text(content, encoding="utf-8")
    assert preferences() == Preferences()


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
        screen = await reach(pilot, EpisodeScreen, lambda s: s.controller.state and s.controller.state.stopped)
        assert "宗若" in screen.controller.state.answered.res and "提问，不计分" in text_of(pilot)


async def test_any_pack_is_asked_with_any_engine(pack: Path, moot_home: Path) -> None:
    spec = scripted(moot_home)
    async with desk() as pilot:
        for offer, asked in ((RULES, ("small", "rules", "")), (TYPED, ("small", "react", spec))):
            await pilot.press("f2", "a")
            screen = await reach(pilot, QuestionScreen)
            assert str(screen.query_one("#pack", Select).value) == "small", "the only one there is"
            engine = screen.query_one(EngineField)
            engine.query_one("#offers", Select).value = offer
            await until(pilot, lambda: engine.query_one("#spec-field").display == (offer == TYPED))  # noqa: B023
            screen.query_one("#question", Input).value = "云溪县人民法院的负责人是谁？"
            await pilot.press("f5")
            if offer == TYPED:
                await until(pilot, lambda: engine.query_one("#spec-field").has_class("-bad"))  # noqa: B023
                engine.query_one("#spec", Input).value = spec
                await pilot.press("f5")
            played = lambda: pilot.app.controller.facts and pilot.app.controller.facts.header["spec"]  # noqa: E731
            await until(pilot, lambda: played() and played()["agent"] == asked[1])  # noqa: B023
            assert tuple(played()[name] for name in ("pack", "agent", "model")) == asked


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


async def test_a_message_keeps_its_glyphs_and_covers_nothing(pack: Path) -> None:
    async with desk() as pilot:
        pilot.app._disable_notifications = False  # a pilot has none unless asked
        pilot.app.NOTIFICATION_TIMEOUT = 600  # however slow the machine, it is still there
        screen = await opened(pilot, write_run(pack))
        for size in (WIDE, NARROW):
            await pilot.resize_terminal(*size)
            for shift in ("", "，"):  # a pane's edge falls on the first half of a glyph, or on the second
                sentence = shift + "".join(chr(0x4E00 + n) for n in range(34))
                pilot.app.clear_notifications()
                pilot.app.say(sentence)
                await until(pilot, lambda: screen.query(Toast) and screen.query_one(Toast).region.height)
                await until(pilot, lambda said=sentence: said in text_of(pilot))
                toast, rack = screen.query_one(Toast).region, screen.query_one(ToastRack)
                below = [node for node in screen.children if node.display and node.region.overlaps(toast)]
                assert below in ([], [rack])


async def test_progress_speaks_the_language_and_does_not_claim_to_be_done(moot_home: Path) -> None:
    set_language("zh")
    async with desk() as pilot:
        screen = ProgressScreen("", "")
        pilot.app.push_screen(screen)
        await until(pilot, lambda: screen.is_mounted)
        for what, words in (("CompanyInfo", "上市公司"), ("statutes", "法律法规"), ("tasks", "题目")):
            screen.tell(what, 1, 2)
            await until(pilot, lambda said=words: said in str(screen.query_one("#what", Static).render()))
        screen.tell("index", 2, None)
        await until(pilot, lambda: screen.query_one(ProgressBar).total is None)
        assert "索引" in str(screen.query_one("#what", Static).render())


async def test_what_the_system_refuses_is_said_as_on_the_command_line() -> None:
    def refused() -> None:
        raise OSError(errno.ENAMETOOLONG, "File name too long", "packs/ﷺ")

    async with desk() as pilot:
        pilot.app.run_worker(refused, thread=True, exit_on_error=False)
        await reach(pilot, ProblemScreen)
        assert pilot.app.screen._title == "File name too long (packs/ﷺ)"


HOSTILE = ("[/]", "[/废]", "[@click=app.quit]条例[/]", "[red]x", "\\[", "[$accent]")


def titles(root: Widget) -> list[Content]:
    every = [*root.query("*"), root]
    names = ("_border_title", "_border_subtitle")
    return [title for one in every for name in names if (title := getattr(one, name)) is not None]


async def test_titles_and_what_is_typed_into_filters_stay_text(pack: Path) -> None:
    async with desk() as pilot:
        label = Label("", markup=False)
        await pilot.app.screen.mount(label)
        for text in HOSTILE:
            label.border_title = label.border_subtitle = f"某省{text}"
            for title in (label._border_title, label._border_subtitle):
                assert isinstance(title, Content) and title.plain == f"某省{text}" and not title.spans
        await pilot.press("f5")
        await reach(pilot, BoardScreen, lambda screen: screen._loaded)
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
