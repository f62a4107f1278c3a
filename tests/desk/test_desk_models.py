"""The Models screen: the library as it is, files taken in, checked and taken out, a model
tried."""

from __future__ import annotations

import os
import threading
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, ProgressBar, Select, Static

from app.desk import engines_offered
from app.desk.dialogs import ConfirmScreen, HelpScreen, ProblemScreen
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.new_run import NewRunScreen
from app.desk.home.screen import HomeScreen
from app.desk.models import listing as model_list
from app.desk.models.dialogs import AddModelScreen, CheckModelScreen, Tick
from app.desk.models.listing import ModelLibrary
from app.desk.models.screen import ModelsScreen
from app.desk.widgets.field import Field
from models.llama import library
from models.llama.library import LibraryEntry
from store import places
from tests.desk.conftest import (
    EVERYWHERE,
    WIDE,
    desk,
    reach,
    same_as_stored,
    text_of,
    until,
)
from tests.support.desk_fixture import build_pack
from tests.support.model_fixture import stand_in_shelf
from tests.support.patience import PATIENCE

pytestmark = pytest.mark.slow

GONE = "文件不在原处，也许在未插入的移动盘上"


async def at_models(pilot: Pilot[Any], lines: int = -1) -> ModelsScreen:
    await pilot.press("f4")
    screen = await reach(pilot, ModelsScreen, lambda screen: screen._loaded)
    await until(pilot, lambda: lines < 0 or len(screen.shelf.lines) == lines)
    return screen


def added(tiny: Path, name: str = "tiny", copy: bool = False) -> LibraryEntry:
    return library.add(tiny, places.models(), name=name, copy=copy)


def settle(pilot: Pilot[Any]) -> bool:
    return all(worker.is_finished for worker in pilot.app.workers if worker.node is pilot.app.screen)


@EVERYWHERE
async def test_screens_look_as_stored(
    language: str, size: tuple[int, int], tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    monkeypatch.setattr(model_list, "list_models", lambda: ModelLibrary())
    async with desk(size) as pilot:
        screen = await at_models(pilot)
        await same_as_stored(pilot, "models-empty")
        monkeypatch.setattr(model_list, "list_models", lambda: stand_in_shelf(tiny_gguf, GONE))
        screen.reload()
        await until(pilot, lambda: len(screen.shelf.lines) == 3)
        await pilot.press("down")
        await pilot.pause()
        await same_as_stored(pilot, "models", everywhere=True)
        if (language, size) != ("zh", WIDE):
            return
        await pilot.press("a")
        await reach(pilot, AddModelScreen)
        await pilot.pause()
        await same_as_stored(pilot, "models-add")
        await pilot.press("escape")
        await same_as_stored(pilot, "models")
        await pilot.press("x")
        await reach(pilot, ConfirmScreen)
        await pilot.pause()
        await same_as_stored(pilot, "models-remove")
        await pilot.press("escape", "f1")
        await reach(pilot, HelpScreen)


async def test_a_damaged_catalogue_is_a_sentence(moot_home: Path) -> None:
    places.models().mkdir(parents=True)
    (places.models() / "catalogue.json").write_text('{"format": 1}', encoding="utf-8")
    async with desk() as pilot:
        await at_models(pilot)
        assert "is damaged" in text_of(pilot) and pilot.app.is_running


async def test_a_file_that_went_away_or_changed_is_a_line_with_a_fault(tiny_gguf: Path, tmp_path: Path) -> None:
    for name in ("gone", "other"):
        file = tmp_path / f"{name}.gguf"
        file.write_bytes(tiny_gguf.read_bytes())
        added(file, name)
    (tmp_path / "gone.gguf").unlink()
    (tmp_path / "other.gguf").write_bytes(b"GGUF")
    async with desk() as pilot:
        screen = await at_models(pilot, 2)
        assert [line.fault for line in screen.shelf.lines] == [GONE, "文件在加入之后被改动，请重新添加"]
        assert screen.check_action("try", ()) is None and screen.check_action("run", ()) is None
        assert screen.check_action("remove", ()) is True
        await pilot.press("t", "r")
        assert pilot.app.screen is screen


# taking a file in


async def adding(pilot: Pilot[Any], path: str) -> AddModelScreen:
    await pilot.press("a")
    screen = await reach(pilot, AddModelScreen)
    screen.query_one("#path", Input).value = path
    await until(pilot, lambda: settle(pilot))
    return screen


def path_fault(screen: AddModelScreen) -> str:
    field = screen.query_one("#path-field", Field)
    return str(field.query_one(".field--note", Static).content) if field.bad else ""


async def test_an_empty_library_says_what_to_do_and_files_are_taken_in_but_bad_ones(
    tiny_gguf: Path, tmp_path: Path
) -> None:
    bad = tmp_path / "bad.gguf"
    async with desk() as pilot:
        models = await at_models(pilot, 0)
        await until(pilot, lambda: "moot models add" in text_of(pilot) and "docs/models.md" in text_of(pilot))
        await pilot.press("t", "r", "c", "x", "enter")
        assert pilot.app.screen is models, "keys without meaning do nothing"
        for content, words in ((None, "does not exist"), (b"GGUF", "llama.cpp can read"), (b"<html>", "web page")):
            if content is not None:
                bad.write_bytes(content)
            screen = await adding(pilot, str(bad))
            await until(pilot, lambda: words in path_fault(screen) or content is None)  # noqa: B023
            await pilot.press("f5")
            await until(pilot, lambda: words in path_fault(screen) and not screen.query_one("#form").disabled)  # noqa: B023
            assert pilot.app.screen is screen
            await pilot.press("escape")
            assert pilot.app.screen is models
        screen = await adding(pilot, str(tiny_gguf))
        await until(pilot, lambda: "llama" in str(screen.query_one("#peek", Static).content))
        assert screen.query_one("#name", Input).placeholder == "tiny"
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app.screen is models and len(models.shelf.lines) == 1)
        line = models.shelf.lines[0]
        assert (line.name, line.entry.copied) == ("tiny", False) and line.header is not None
        assert models.check_action("try", ()) is True
        screen = await adding(pilot, str(tiny_gguf))
        screen.query_one("#name", Input).value = "小模型"
        screen.query_one("#copy", Tick).value = True
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app.screen is models and len(models.shelf.lines) == 2)
        (copied,) = (line for line in models.shelf.lines if line.name == "小模型")
        assert copied.entry.copied and copied.file.is_file() and tiny_gguf.exists()
        await pilot.press("f2")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_reading_shows_how_far_it_is_and_stops_when_asked(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    seen, stopped, go = threading.Event(), threading.Event(), threading.Event()

    def slow(path: str, name: str, copy: bool, progress: model_list.Progress) -> Any:
        try:
            progress(30, 100)
            seen.set()
            go.wait(PATIENCE)
            progress(40, 100)
        except model_list.ReadCancelled:
            stopped.set()
            raise

    monkeypatch.setattr(model_list, "add", slow)
    async with desk() as pilot:
        models = await at_models(pilot, 0)
        screen = await adding(pilot, str(tiny_gguf))
        await pilot.press("f5")
        await until(pilot, lambda: seen.is_set() and screen.query_one(ProgressBar).progress == 30)
        assert screen.query_one(ProgressBar).display and screen.query_one("#form").disabled
        await pilot.press("escape")
        go.set()
        await until(pilot, lambda: pilot.app.screen is models and stopped.is_set())


# checking and taking out


async def checked(pilot: Pilot[Any]) -> str:
    await pilot.press("c")
    await until(pilot, lambda: isinstance(pilot.app.screen, CheckModelScreen) and settle(pilot))
    await pilot.pause()
    return str(pilot.app.screen.query_one("#verdict", Static).content)


async def test_a_check_reads_the_file_and_says_all_facts(tiny_gguf: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(tiny_gguf.read_bytes())
    entry = added(file, "m")
    async with desk((120, 60)) as pilot:
        screen = await at_models(pilot, 1)
        assert (await checked(pilot)).startswith("✔")
        shown = text_of(pilot)
        assert entry.sha256[:16] in shown and "general.architecture" in shown
        assert all(t in shown for t in ("1 路", "4 路", "8 路"))
        await pilot.press("escape")
        damaged = bytearray(file.read_bytes())
        damaged[-1] ^= 1
        stat = file.stat()
        file.write_bytes(damaged)
        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert (await checked(pilot)).startswith("✘"), "a flipped bit is found though size and time are the same"
        await pilot.press("escape")
        assert pilot.app.screen is screen


async def test_taking_out_asks_and_says_whether_a_file_goes(tiny_gguf: Path, tmp_path: Path) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(tiny_gguf.read_bytes())
    kept = [added(file, name, copy).file(places.models()) for name, copy in (("a", False), ("b", True))]
    async with desk() as pilot:
        screen = await at_models(pilot, 2)
        for copy, path in enumerate(kept):
            await pilot.press("x")
            await reach(pilot, ConfirmScreen)
            assert ("一并删除" in text_of(pilot)) is bool(copy)
            await pilot.press("enter")
            assert pilot.app.screen is screen and path.exists(), "Enter takes nothing away"
            assert len(screen.shelf.lines) == 2 - copy
            await pilot.press("x")
            await reach(pilot, ConfirmScreen)
            await pilot.click("#yes")
            await until(pilot, lambda left=1 - copy: len(screen.shelf.lines) == left)
            assert file.exists() and path.exists() is not bool(copy)


async def test_a_run_with_a_model_begins_at_the_model_and_it_plays(tiny_gguf: Path) -> None:
    """From the list of models to the first step of a run with one of them."""
    added(tiny_gguf)
    async with desk() as pilot:
        await at_models(pilot, 1)
        await pilot.press("r")
        await reach(pilot, ProblemScreen)
        await pilot.press("escape")
        build_pack()
        await pilot.press("r")
        form = await reach(pilot, NewRunScreen, lambda screen: settle(pilot))
        assert form.query_one("#offers", Select).value == "llama:tiny"
        assert form.query_one("#agent", Select).value == "react"
        if find_spec("llama_cpp") is not None:
            form.query_one("#limit", Input).value = "1"
            form.query_one("#agent", Select).value = "direct"
            await pilot.pause()
            await pilot.press("f5")
            screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
            assert screen.controller.state.seats["agent"].engine == "llama:tiny"


def test_models_of_the_library_are_offered_but_not_those_that_cannot_speak(tiny_gguf: Path, bert_gguf: Path) -> None:
    added(tiny_gguf, "talks")
    added(bert_gguf, "vectors")
    assert [offer.spec for offer in engines_offered.offered([])] == ["llama:talks"]
    assert "talks" in engines_offered.offered([])[0].label
