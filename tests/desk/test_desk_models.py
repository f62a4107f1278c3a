"""The Models screen and the trial chat: the library as it is, files taken in, checked and taken out, a model
tried."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from textual.pilot import Pilot
from textual.widgets import Input, ProgressBar, Select, Static, TextArea

from app.desk import engines_offered
from app.desk.dialogs.confirm import ConfirmScreen
from app.desk.dialogs.help import HelpScreen
from app.desk.dialogs.problem import ProblemScreen
from app.desk.episode.screen import EpisodeScreen
from app.desk.home.new_run import NewRunScreen
from app.desk.home.screen import HomeScreen
from app.desk.models import listing as model_list
from app.desk.models.chat import ChatBox, TrialScreen
from app.desk.models.chat_log import ChatLog
from app.desk.models.chatting import Trial
from app.desk.models.dialogs import AddModelScreen, CheckModelScreen, Tick
from app.desk.models.listing import ModelShelf
from app.desk.models.screen import ModelsScreen
from app.desk.widgets.field import Field
from app.desk.widgets.lines import row_text
from app.desk.widgets.path_completion import complete
from app.desk.widgets.rows import RowsTable
from models.engine import Ask, Delta, EngineError, Listener, Reply, Usage
from models.errors import BadEngine
from models.llama import library
from models.llama.entry import Entry
from store import places
from tests.desk.conftest import (
    EVERYWHERE,
    desk,
    same_as_stored,
    text_of,
    until,
)
from tests.support.desk_fixture import build_pack
from tests.support.model_fixture import FREE, stand_in, stand_in_shelf
from tests.support.patience import PATIENCE
from tests.support.slow_engine import SPEC, SlowEngine, install

pytestmark = pytest.mark.slow

GONE = "文件不在原处，也许在未插入的移动盘上"


async def at_models(pilot: Pilot[Any], lines: int = -1) -> ModelsScreen:
    await pilot.press("f4")
    await until(pilot, lambda: isinstance(pilot.app.screen, ModelsScreen) and pilot.app.screen._loaded)
    screen = pilot.app.screen
    assert isinstance(screen, ModelsScreen)
    await until(pilot, lambda: lines < 0 or len(screen.shelf.lines) == lines)
    return screen


def added(tiny: Path, name: str = "tiny", copy: bool = False) -> Entry:
    return library.add(tiny, places.models(), name=name, copy=copy)


def settle(pilot: Pilot[Any]) -> bool:
    return all(worker.is_finished for worker in pilot.app.workers if worker.node is pilot.app.screen)


@EVERYWHERE
async def test_screens_look_as_stored(
    language: str, size: tuple[int, int], tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    monkeypatch.setattr(model_list, "shelf", lambda: ModelShelf())
    async with desk(size) as pilot:
        screen = await at_models(pilot)
        await same_as_stored(pilot, "models-empty")
        monkeypatch.setattr(model_list, "shelf", lambda: stand_in_shelf(tiny_gguf, GONE))
        screen.reload()
        await until(pilot, lambda: len(screen.shelf.lines) == 3)
        await pilot.press("down")
        await pilot.pause()
        await same_as_stored(pilot, "models", everywhere=True)
        await pilot.press("a")
        await until(pilot, lambda: isinstance(pilot.app.screen, AddModelScreen))
        await pilot.pause()
        await same_as_stored(pilot, "models-add")
        await pilot.press("escape")
        await same_as_stored(pilot, "models", everywhere=True)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.pause()
        await same_as_stored(pilot, "models-remove")
        await pilot.press("escape", "f1")
        await until(pilot, lambda: isinstance(pilot.app.screen, HelpScreen))


async def test_what_was_painted_before_columns_were_measured_is_painted_again(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(model_list, "shelf", lambda: stand_in_shelf(tiny_gguf, GONE))
    async with desk() as pilot:
        screen = await at_models(pilot)
        await until(pilot, lambda: len(screen.shelf.lines) == 3)
        table = screen.query_one(RowsTable)
        await until(pilot, lambda: table.render_line(0).text.strip())
        header = table.render_line(0).text
        screen._show()
        assert table.render_line(0).text != header
        await pilot.pause()
        assert table.render_line(0).text == header


async def test_an_empty_library_says_what_to_do_and_keys_without_meaning_do_nothing() -> None:
    async with desk() as pilot:
        screen = await at_models(pilot, 0)
        await until(pilot, lambda: "moot models add" in text_of(pilot) and "docs/models.md" in text_of(pilot))
        await pilot.press("t", "r", "c", "x", "enter")
        assert pilot.app.screen is screen
        await pilot.press("f2")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_a_damaged_catalogue_is_a_sentence(moot_home: Path) -> None:
    places.models().mkdir(parents=True)
    (places.models() / "catalogue.json").write_text('{"format": 1}', encoding="utf-8")
    async with desk() as pilot:
        await at_models(pilot)
        assert "is damaged" in text_of(pilot) and pilot.app.is_running


async def test_what_fails_whenever_the_screen_comes_back_does_not_lock_it(monkeypatch: pytest.MonkeyPatch) -> None:
    def broken() -> ModelShelf:
        raise ValueError("no shelf")

    monkeypatch.setattr(model_list, "shelf", broken)
    async with desk() as pilot:
        await pilot.press("f4")
        await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen))
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ModelsScreen) and settle(pilot))
        await until(pilot, lambda: pilot.app._notifications)
        assert isinstance(pilot.app.screen, ModelsScreen)
        await pilot.press("f2")
        assert isinstance(pilot.app.screen, HomeScreen)


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
    await until(pilot, lambda: isinstance(pilot.app.screen, AddModelScreen))
    screen = pilot.app.screen
    assert isinstance(screen, AddModelScreen)
    screen.query_one("#path", Input).value = path
    await until(pilot, lambda: settle(pilot))
    return screen


def path_fault(screen: AddModelScreen) -> str:
    field = screen.query_one("#path-field", Field)
    return str(field.query_one(".field--note", Static).content) if field.bad else ""


async def test_a_file_is_looked_at_while_one_types_and_taken_in(tiny_gguf: Path) -> None:
    async with desk() as pilot:
        models = await at_models(pilot, 0)
        screen = await adding(pilot, str(tiny_gguf))
        await until(pilot, lambda: "llama" in str(screen.query_one("#peek", Static).content))
        assert screen.query_one("#name", Input).placeholder == "tiny"
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app.screen is models and len(models.shelf.lines) == 1)
        line = models.shelf.lines[0]
        assert (line.name, line.entry.copied) == ("tiny", False) and line.header is not None
        assert models.check_action("try", ()) is True
    assert tiny_gguf.exists()


async def test_a_copy_goes_into_the_library_under_its_name(tiny_gguf: Path) -> None:
    async with desk() as pilot:
        models = await at_models(pilot, 0)
        screen = await adding(pilot, str(tiny_gguf))
        screen.query_one("#name", Input).value = "小模型"
        screen.query_one("#copy", Tick).value = True
        await pilot.press("f5")
        await until(pilot, lambda: pilot.app.screen is models and len(models.shelf.lines) == 1)
        assert models.shelf.lines[0].entry.copied and models.shelf.lines[0].file.is_file()


@pytest.mark.parametrize(
    ("content", "words"), [(b"GGUF", "ends in the middle"), (b"<html></html>", "web page"), (None, "does not exist")]
)
async def test_a_bad_file_is_a_sentence_below_its_path(tmp_path: Path, content: bytes | None, words: str) -> None:
    file = tmp_path / "bad.gguf"
    if content is not None:
        file.write_bytes(content)
    async with desk() as pilot:
        models = await at_models(pilot, 0)
        screen = await adding(pilot, str(file))
        assert words in path_fault(screen) or content is None
        await pilot.press("f5")
        await until(pilot, lambda: words in path_fault(screen))
        assert pilot.app.screen is screen and not screen.query_one("#form").disabled
        await pilot.press("escape")
        assert pilot.app.screen is models


async def test_reading_shows_how_far_it_is_and_stops_when_asked(
    tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import threading

    seen, stopped, go = threading.Event(), threading.Event(), threading.Event()

    def slow(path: str, name: str, copy: bool, progress: model_list.Progress) -> Any:
        try:
            progress(30, 100)
            seen.set()
            go.wait(PATIENCE)
            progress(40, 100)
        except model_list.Stopped:
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


def test_paths_are_completed_to_folders_and_models(tmp_path: Path) -> None:
    (tmp_path / "模型").mkdir()
    for name in ("模型/qwen.gguf", "qwen.txt", ".hidden.gguf"):
        (tmp_path / name).write_bytes(b"")
    base = f"{tmp_path}/"
    assert complete(base, ".gguf") == f"{base}模型/" and complete(f"{base}模型/q", ".gguf") == f"{base}模型/qwen.gguf"
    assert complete(f"{base}q", ".gguf") is None and complete(f"{base}nowhere/x", ".gguf") is None
    assert complete("~nobody-of-that-name/x", ".gguf") is None
    assert complete(f"{base}.h", ".gguf") == f"{base}.hidden.gguf" and complete("\0", ".gguf") is None


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
        import os

        os.utime(file, ns=(stat.st_atime_ns, stat.st_mtime_ns))
        assert (await checked(pilot)).startswith("✘"), "a flipped bit is found though size and time are the same"
        await pilot.press("escape")
        assert pilot.app.screen is screen


@pytest.mark.parametrize("copy", [False, True])
async def test_taking_out_asks_and_says_whether_a_file_goes(tiny_gguf: Path, tmp_path: Path, copy: bool) -> None:
    file = tmp_path / "m.gguf"
    file.write_bytes(tiny_gguf.read_bytes())
    entry = added(file, "m", copy)
    kept = entry.file(places.models())
    async with desk() as pilot:
        screen = await at_models(pilot, 1)
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        assert ("一并删除" in text_of(pilot)) is copy
        await pilot.press("enter")
        assert pilot.app.screen is screen and kept.exists() and len(screen.shelf.lines) == 1, (
            "Enter takes nothing away"
        )
        await pilot.press("x")
        await until(pilot, lambda: isinstance(pilot.app.screen, ConfirmScreen))
        await pilot.click("#yes")
        await until(pilot, lambda: not screen.shelf.lines)
        assert file.exists() and kept.exists() is not copy


async def test_a_run_with_a_model_begins_at_the_model(tiny_gguf: Path) -> None:
    added(tiny_gguf)
    async with desk() as pilot:
        await at_models(pilot, 1)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen))
        await pilot.press("escape")
        build_pack()
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, NewRunScreen) and settle(pilot))
        assert pilot.app.screen.query_one("#offers", Select).value == "llama:tiny"
        assert pilot.app.screen.query_one("#agent", Select).value == "react"
        await pilot.press("escape")


def test_models_of_the_library_are_offered_but_not_those_that_cannot_speak(tiny_gguf: Path, bert_gguf: Path) -> None:
    added(tiny_gguf, "talks")
    added(bert_gguf, "vectors")
    assert [offer.spec for offer in engines_offered.offered([])] == ["llama:talks"]
    assert "talks" in engines_offered.offered([])[0].label


def test_a_trial_takes_the_longest_context_that_fits(tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    line = stand_in(tiny_gguf, "m", 7_616_000_000, "Q4_K_M", 4_683_000_000)
    monkeypatch.setattr(model_list, "available", lambda: 64_000_000_000)
    assert model_list.trial_spec(line) == "llama:m", "as a run has it"
    monkeypatch.setattr(model_list, "available", lambda: 5_300_000_000)
    assert model_list.trial_spec(line) == "llama:m#ctx=4096,slots=1"
    for free in (0, 1_000_000):
        monkeypatch.setattr(model_list, "available", lambda free=free: free)
        assert model_list.trial_spec(line) == "llama:m", "the engine says what would fit"


# the trial chat


class Talker(SlowEngine):
    """Loads with progress when the test says go."""

    def load(self, listen: Listener | None = None) -> dict[str, Any]:
        self.waits.set()
        try:
            beat = self.beats.get(timeout=PATIENCE)
            while isinstance(beat, Delta):
                if listen is not None:
                    listen(beat)
                beat = self.beats.get(timeout=PATIENCE)
        finally:
            self.waits.clear()
        if isinstance(beat, EngineError):
            raise beat
        return {"context": 8192, "memory": 1_500_000_000}


@pytest.fixture
def talker(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    monkeypatch.setattr("app.desk.models.chat.trial_spec", lambda line: SPEC)
    return install(monkeypatch, Talker())


async def chatting(pilot: Pilot[Any], tiny: Path, engine: SlowEngine | None = None) -> TrialScreen:
    added(tiny)
    await at_models(pilot, 1)
    await pilot.press("t")
    await until(pilot, lambda: isinstance(pilot.app.screen, TrialScreen) and pilot.app.screen.query(ChatBox))
    screen = pilot.app.screen
    assert isinstance(screen, TrialScreen)
    if engine is not None:
        await until(pilot, engine.waits.is_set)
        engine.tell("loading", done=43, total=100)
        await until(pilot, lambda: "43%" in chat(screen))
        engine.end("")
        await until(pilot, lambda: screen.ready)
    return screen


def chat(screen: TrialScreen) -> str:
    return "\n".join(row_text(row) for row in screen.query_one(ChatLog).rows)


async def say(pilot: Pilot[Any], screen: TrialScreen, text: str) -> None:
    screen.query_one(ChatBox).query_one(TextArea).text = text
    await pilot.press("f5")


async def answered(pilot: Pilot[Any], screen: TrialScreen, engine: SlowEngine, reply: Reply | EngineError) -> None:
    await until(pilot, engine.waits.is_set)
    engine.end(reply)
    await until(pilot, lambda: not screen.answering)


async def test_a_chat_streams_remembers_and_counts(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf, talker)
        assert "8,192" in text_of(pilot) and "1.5 GB" in text_of(pilot)
        screen.query_one("#system", Input).value = "只说三个字"
        await say(pilot, screen, "诉讼时效几年？")
        await until(pilot, talker.waits.is_set)
        talker.tell("reading", done=12, total=48)
        await until(pilot, lambda: "12/48" in chat(screen))
        talker.tell("thinking", "民法典第188条", done=5)
        talker.tell("speaking", "三", done=6)
        await until(pilot, lambda: "┊ 民法典第188条" in chat(screen) and "发言中" in text_of(pilot))
        await answered(
            pilot, screen, talker, Reply("三年。", Usage(30, 18, 9, 2000.0, "kept"), reasoning="民法典第188条")
        )
        assert (
            "新读 30" in chat(screen)
            and "复用 18" in chat(screen)
            and "生成 9" in chat(screen)
            and "词元/秒" in chat(screen)
        )
        assert "┊ 民法典第188条" in chat(screen) and "三年。" in chat(screen)
        await say(pilot, screen, "从何时起算？")
        await answered(pilot, screen, talker, Reply("知道之日。"))
        first, second = (call[0] for call in talker.calls)
        assert [m.role for m in first.messages] == ["system", "user"] and first.messages[0].content == "只说三个字"
        assert [m.content for m in second.messages] == ["只说三个字", "诉讼时效几年？", "三年。", "从何时起算？"]
        assert first.episode == second.episode and first.settings.seed != second.settings.seed
        await pilot.press("f8")
        assert pilot.app.focused is screen.query_one("#system")
        await pilot.press("enter", "f6")
        assert not screen.said and "三年" not in chat(screen)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ModelsScreen) and talker.closed)


async def test_escape_stops_the_answer_and_then_leaves(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf, talker)
        await say(pilot, screen, "说个不停")
        await until(pilot, talker.waits.is_set)
        talker.tell("speaking", "从前有座山，", done=6)
        await until(pilot, lambda: "从前有座山" in chat(screen))
        await say(pilot, screen, "再问一句")
        assert len(talker.calls) == 1, "one question at a time; the next one stays in the box"
        assert screen.query_one(ChatBox).query_one(TextArea).text == "再问一句"
        await pilot.press("escape")
        await until(pilot, lambda: not screen.answering)
        assert talker.cancels and "被中止" in chat(screen) and "从前有座山" in chat(screen)
        assert pilot.app.screen is screen and not talker.closed
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ModelsScreen) and talker.closed)


async def test_enter_and_letters_are_text_and_what_the_model_says_is_text_too(
    tiny_gguf: Path, talker: SlowEngine
) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf, talker)
        await pilot.press("q", "l", "t", "enter", "x")
        assert screen.query_one(ChatBox).query_one(TextArea).text == "qlt\nx" and not talker.calls
        await pilot.press("f5")
        await answered(pilot, screen, talker, Reply("[/red]\x1b]0;title\x07[@click=app.quit]‮法"))
        assert "[/red]␛[@click=app.quit]⍰法" in chat(screen) and "\x1b" not in text_of(pilot)


async def test_a_model_that_fails_is_a_sentence_and_the_chat_goes_on(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf, talker)
        await say(pilot, screen, "在吗？")
        await answered(pilot, screen, talker, EngineError("the process of the model was killed", "Try again."))
        assert "the process of the model was killed" in chat(screen) and "Try again." in chat(screen)
        assert not screen.said and not screen.dead
        await say(pilot, screen, "还在吗？")
        await answered(pilot, screen, talker, Reply("在。"))
        assert chat(screen).count("在。") == 1


async def test_a_failed_load_is_a_sentence(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf)
        await until(pilot, talker.waits.is_set)
        talker.end(EngineError("'tiny.gguf' cannot be loaded: out of memory"))
        await until(pilot, lambda: "out of memory" in chat(screen))
        await pilot.press("escape")
        await until(pilot, lambda: talker.closed and isinstance(pilot.app.screen, ModelsScreen))


async def test_without_llama_cpp_the_desk_lives_on(tiny_gguf: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def missing(spec: str, **named: Any) -> Any:
        raise BadEngine("llama-cpp-python is not installed", "Install it with `make llm`.")

    monkeypatch.setattr("app.desk.models.chatting.open_engine", missing)
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf)
        await until(pilot, lambda: screen.dead)
        assert "llama-cpp-python is not installed" in chat(screen) and "make llm" in chat(screen)
        await say(pilot, screen, "有人吗？")
        assert not screen.answering
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, ModelsScreen))


async def test_leaving_while_it_loads_frees_the_engine(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        await chatting(pilot, tiny_gguf)
        await until(pilot, talker.waits.is_set)
        await pilot.press("escape")
        talker.end("")
        await until(pilot, lambda: talker.closed)


async def test_a_chat_keeps_to_both_languages(tiny_gguf: Path, talker: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf, talker)
        pilot.app.action_language()  # type: ignore[attr-defined]
        await pilot.pause()
        assert "System prompt" in text_of(pilot) and "You" in str(screen.query_one(ChatBox).border_title)


def test_news_of_a_call_are_looked_at_not_posted() -> None:
    """A hundred pieces of an answer are one message: the reply."""
    posted: list[Any] = []

    class Chatter(SlowEngine):
        def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
            assert listen is not None
            for _ in range(100):
                listen(Delta("trial", "model", "speaking", "字"))
            trial.close()
            return [Reply("字" * 100)]

    import app.desk.models.chatting as trials

    trial = Trial("x:y", posted.append)
    real = trials.open_engine
    trials.open_engine = lambda spec, **named: Chatter()
    try:
        trial.ask((), thinking=True, seed=1)
        trial.work()
    finally:
        trials.open_engine = real
    assert [type(notice).__name__ for notice in posted] == ["Ready", "Answered"] and trial.closed.is_set()


def test_a_call_that_does_not_hear_is_ended_with_its_engine(monkeypatch: pytest.MonkeyPatch) -> None:
    import threading

    import app.desk.models.chatting as trials

    hung, ended = threading.Event(), threading.Event()

    class Deaf(SlowEngine):
        def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
            hung.set()
            ended.wait(PATIENCE)
            return [EngineError("the process of the model was ended")]

        def cancel(self) -> None:
            pass

        def end(self) -> None:
            ended.set()

    monkeypatch.setattr(trials, "HURRY", 0.01)
    monkeypatch.setattr(trials, "open_engine", lambda spec, **named: Deaf())
    posted: list[Any] = []
    trial = Trial("x:y", posted.append)
    thread = threading.Thread(target=trial.work)
    thread.start()
    trial.ask((), thinking=True, seed=1)
    assert hung.wait(PATIENCE)
    trial.close()
    thread.join(PATIENCE)
    assert ended.is_set() and trial.closed.is_set()


async def test_a_real_model_is_tried(tiny_gguf: Path) -> None:
    """The whole way: child process, load, prompt, answer, reuse in the next turn."""
    pytest.importorskip("llama_cpp")
    async with desk() as pilot:
        screen = await chatting(pilot, tiny_gguf)
        await until(pilot, lambda: screen.ready or screen.dead)
        assert not screen.dead, chat(screen)
        for question in ("诉讼时效几年？", "从何时起算？"):
            await say(pilot, screen, question)
            await until(pilot, lambda: screen.answering or screen.trial is None or screen.said[-1:])
            if screen.trial is not None:
                screen.trial.stop()
            await until(pilot, lambda: not screen.answering)
        assert "复用" in chat(screen) or "被中止" in chat(screen)
        await pilot.press("f2")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_a_model_of_the_library_plays_an_episode(tiny_gguf: Path) -> None:
    """From the list of models to the first step of a run with one of them."""
    pytest.importorskip("llama_cpp")
    added(tiny_gguf)
    build_pack()
    async with desk() as pilot:
        await at_models(pilot, 1)
        await pilot.press("r")
        await until(pilot, lambda: isinstance(pilot.app.screen, NewRunScreen) and settle(pilot))
        pilot.app.screen.query_one("#limit", Input).value = "1"
        pilot.app.screen.query_one("#agent", Select).value = "direct" if "direct" in _agents(pilot) else "react"
        await pilot.pause()
        await pilot.press("f5")
        await until(pilot, lambda: isinstance(pilot.app.screen, EpisodeScreen) and pilot.app.screen.loaded)
        screen = pilot.app.screen
        assert isinstance(screen, EpisodeScreen) and screen.state.seats["agent"].engine == "llama:tiny"


def _agents(pilot: Pilot[Any]) -> list[Any]:
    return [value for _, value in pilot.app.screen.query_one("#agent", Select)._options]


def test_every_fact_has_a_name_in_both_languages(tiny_gguf: Path) -> None:
    from app.desk.models.facts import fact_lines
    from app.strings import LANGUAGES as ALL
    from app.strings import table

    shown = json.dumps([fact_lines(line, FREE) for line in stand_in_shelf(tiny_gguf, GONE).lines], ensure_ascii=False)
    assert "models." not in shown
    assert all("models.fact.sha256" in table(name) for name in ALL)
