"""The doors of a Home without runs, and the settings screen: what is chosen is used at once and remembered."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from textual.widgets import Select

from app import hosts
from app.desk.court.scene import scene_of
from app.desk.court.stage import cast_lines
from app.desk.dialogs import ConfirmScreen
from app.desk.home.screen import StartList
from app.desk.law.screen import LawScreen
from app.desk.settings import SettingsScreen
from app.desk.shell import Desk
from app.preferences import Preferences, file_of_preferences, preferences
from app.ready_episodes import TRIAL
from app.strings import language
from tests.desk.conftest import desk, reach, settled, until  # noqa: F401

pytestmark = pytest.mark.slow


async def test_the_first_door_leads_into_a_trial(sample_pack: Path) -> None:
    async with desk((120, 40)) as pilot:
        await until(pilot, lambda: pilot.app.focused is not None and isinstance(pilot.app.focused, StartList))
        await pilot.press("enter")
        desk_ = pilot.app
        assert isinstance(desk_, Desk)
        await until(pilot, lambda: desk_.controller.loaded)
        assert desk_.controller.facts is not None
        spec = desk_.controller.facts.header["spec"]
        assert spec["task_ids"] == [TRIAL] and spec["agent"] == "gold"
        records = desk_.controller.shown.records
        scene = scene_of(desk_.controller.facts.header, records)
        assert scene is not None
        assert "开庭前写定，不回应今日陈述" in "".join(part for line in cast_lines(scene) for part, _ in line)


async def test_the_second_door_asks_for_the_law_of_a_day(sample_pack: Path) -> None:
    async with desk((80, 24)) as pilot:
        await until(pilot, lambda: isinstance(pilot.app.focused, StartList))
        await pilot.press("2")
        screen = await reach(pilot, LawScreen, lambda screen: screen.asked is not None)
        assert screen.asked is not None
        assert any("书面劳动合同" in line.hit.article.text for line in screen.asked.hits[:10])


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
