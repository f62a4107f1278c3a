"""Runs that another process plays, on the desk: they are marked, followed, asked to stop; a run of the desk goes to
the background when it is left. The other process asks a server that the test can hold; every wait is for a fact."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from textual.widgets import Button

from app.desk.dialogs import QuitScreen
from app.desk.episode.screen import EpisodeScreen
from app.desk.home import run as run_screen
from app.desk.home import screen as home_screen
from app.desk.home.run import RunScreen
from store.journal import Journal
from store.writer import request_stop, writer_of
from tasks.run.following import standing
from tasks.run.reading import list_runs, read_episode
from tasks.run.spec import RunSpec
from tests.cli.test_background import Home
from tests.desk.conftest import desk, reach, text_of, until
from tests.support.kill_harness import digests

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True)
def often(monkeypatch: pytest.MonkeyPatch) -> None:
    """Look more often than people need."""
    monkeypatch.setattr(home_screen, "LOOK", 0.05)
    monkeypatch.setattr(run_screen, "LOOK", 0.05)


def spec(home: Home, **more: Any) -> RunSpec:
    about = {
        "benchmark": "legalagentbench",
        "agent": "react",
        "model": f"endpoint:{home.server.spec}",
        "pack": "kill",
    }
    return RunSpec.model_validate({**about, "tasks": home.tasks, "parallel": 2, "max_turns": 12, "seed": 5, **more})


def unfinished(path: Path) -> str:
    """An episode that has begun and is not over."""
    with Journal.open(path) as journal:
        for row in journal.episodes():
            tags = [record.event.tag for record in read_episode(journal, row.id)]
            if tags and "stopped" not in tags:
                return row.id
    raise AssertionError("none")


async def test_what_another_process_plays_is_marked_followed_stopped_and_taken_up(home: Home) -> None:
    path, _ = home.begin()
    async with desk() as pilot:
        await until(pilot, lambda: "▶ " in text_of(pilot) and "题/分" in text_of(pilot))
        runs = pilot.app.home_screen
        assert runs.check_action("resume", ()) is None and runs.check_action("pause", ())
        await until(pilot, lambda: home.answered > 24 and standing(path).ended >= 1)
        pilot.app.open_episode(path, unfinished(path))
        screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        await until(pilot, lambda: screen.controller.moving == "followed")
        assert "由另一进程运行" in text_of(pilot)
        for action in ("step", "auto", "seat"):
            assert screen.check_action(action, ()) is None
        heard = len(screen.controller.shown.records)
        home.free = home.answered + 4
        await until(pilot, lambda: len(screen.controller.shown.records) > heard)
        await pilot.press("b")
        assert screen.controller.shown.back and screen.check_action("step", ()) and screen.check_action("auto", ())
        await pilot.press("g", "n")
        assert not screen.controller.shown.back and pilot.app.live is None, "nothing of ours plays it"
        asked: list[Path] = []
        pilot.app.ask_to_stop = asked.append
        await pilot.press("x")
        assert asked == [path]
        del pilot.app.ask_to_stop
        await pilot.press("f2", "enter")
        shown = await reach(pilot, RunScreen, lambda _: "▶ 进行中" in text_of(pilot))
        assert shown.check_action("resume", ()) is None
        before = shown.line.finished
        home.more()
        await until(pilot, lambda: shown.line.finished > before)
        await pilot.press("escape", "p")
        await until(pilot, lambda: writer_of(path) is None)
        await until(pilot, lambda: runs.runs[0].process is None and runs.check_action("resume", ()))
        assert "▶ " not in text_of(pilot) and runs.runs[0].finished < 8
        await pilot.press("f3")
        await until(pilot, lambda: pilot.app.screen is screen and screen.controller.moving == "stored")
        with Journal.open(path) as journal:
            assert [r.event for r in screen.controller.shown.records] == [
                r.event for r in read_episode(journal, screen.controller.episode)
            ]
        home.open.set()
        if not screen.controller.over:
            heard = len(screen.controller.shown.records)
            await pilot.press("n")
            await until(
                pilot, lambda: screen.controller.moving == "paused" and len(screen.controller.shown.records) > heard
            )


async def test_a_run_of_the_desk_goes_on_in_the_background(home: Home) -> None:
    wanted = home.wanted()
    async with desk() as pilot:
        await pilot.app.start(spec(home), everything=True)
        await until(pilot, lambda: home.answered > 24)
        await pilot.press("q")
        await reach(pilot, QuitScreen)
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, QuitScreen))
        assert pilot.app.live is not None and pilot.app.live.moves and pilot.app.is_running
        await pilot.press("q")
        await reach(pilot, QuitScreen)
        await pilot.press("enter")
        await until(pilot, lambda: pilot.app._exit)
    (path,) = list_runs()
    writer = writer_of(path)
    assert writer is not None and request_stop(path) == writer
    async with desk() as pilot:
        await until(pilot, lambda: writer_of(path) is None)
    home.open.set()
    home.moot("resume", "latest")
    assert digests(path) == wanted


async def test_who_sits_in_a_run_is_not_offered_the_background(home: Home) -> None:
    async with desk() as pilot:
        await pilot.app.start(spec(home, agent="human", model="", parallel=1), everything=True)
        await until(pilot, lambda: pilot.app.live is not None and pilot.app.live.has_people)
        await pilot.press("q")
        await reach(pilot, QuitScreen)
        assert [button.id for button in pilot.app.screen.query(Button)] == ["stop", "stay"]
        assert "本人" in text_of(pilot)


async def test_a_run_of_the_desk_is_stopped_by_a_word_from_elsewhere_or_by_leaving(home: Home) -> None:
    async with desk() as pilot:
        said: list[str] = []
        pilot.app.say = lambda text, severity="information": said.append(text)
        await pilot.app.start(spec(home), everything=True)
        await until(pilot, lambda: home.answered > 24)
        (path,) = list_runs()
        assert request_stop(path) is not None
        await until(pilot, lambda: writer_of(path) is None and pilot.app.live is None)
        assert pilot.app.is_running and "应另一进程的要求" in "".join(said)
        assert 0 < standing(path).ended < 8
        asked = home.answered
        home.more()
        await pilot.app.start(spec(home), everything=True)
        await until(pilot, lambda: home.answered > asked + 4)
        await pilot.press("q")
        await reach(pilot, QuitScreen)
        await pilot.press("tab", "enter")
        await until(pilot, lambda: pilot.app._exit)
    (second,) = {*list_runs()} - {path}
    assert writer_of(second) is None and standing(second).ended < 8


@pytest.fixture(autouse=True)
def nobody_left(moot_home: Path) -> Iterator[None]:
    yield
    assert not list((moot_home / "runs").glob(".*.stop"))
