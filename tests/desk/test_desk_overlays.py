"""What comes over a screen for a while: messages, dialogs, progress. None may cover or damage what lies below."""

from __future__ import annotations

import errno
from pathlib import Path

import pytest
from textual.widgets import ProgressBar, Static
from textual.widgets._toast import Toast, ToastRack

from app.desk.dialogs import ProblemScreen, ProgressScreen
from app.strings import set_language
from tests.desk.conftest import NARROW, WIDE, desk, opened, reach, text_of, until
from tests.support.desk_fixture import write_run

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("size", [WIDE, NARROW, (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_message_keeps_its_glyphs_and_covers_nothing(pack: Path, size: tuple[int, int]) -> None:  # noqa: F811
    async with desk(size) as pilot:
        pilot.app._disable_notifications = False  # a pilot has none unless asked
        pilot.app.NOTIFICATION_TIMEOUT = 600  # type: ignore[misc]  # however slow the machine, it is still there
        screen = await opened(pilot, write_run(pack))
        for shift in ("", "，"):  # a pane's edge falls on the first half of a glyph, or on the second
            sentence = shift + "".join(chr(0x4E00 + n) for n in range(34))
            pilot.app.clear_notifications()
            pilot.app.say(sentence)  # type: ignore[attr-defined]
            await until(pilot, lambda: screen.query(Toast) and screen.query_one(Toast).region.height)
            await until(pilot, lambda said=sentence: said in text_of(pilot))
            toast = screen.query_one(Toast).region
            rack = screen.query_one(ToastRack)
            below = [
                node for node in screen.children if node is not rack and node.display and node.region.overlaps(toast)
            ]
            assert not below


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
        assert pilot.app.screen._title == "File name too long (packs/ﷺ)"  # type: ignore[attr-defined]
