"""The desk under a pilot: keys, modes, looking back, forks, seats; and screens as they are stored."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from rich.cells import cell_len
from textual.widgets import Input, TextArea

from app.desk.dialogs import ConfirmScreen, HelpScreen, ProblemScreen
from app.desk.episode.faces import EvidencePane
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.transcript import Transcript
from app.desk.home.new_run import NewRunScreen
from app.desk.home.run import RunScreen
from app.desk.home.screen import HomeScreen
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.lines import row_text
from app.desk.widgets.score_strip import ScoreStrip
from store import places
from store.journal import Journal
from tasks.episode.events import ToolReturned
from tasks.run.reading import list_runs, read_episode
from tasks.run.runner import start_run
from tasks.run.spec import RunSpec
from tests.desk.conftest import (
    EVERYWHERE,
    NARROW,
    WIDE,
    begun,
    desk,
    ended_run,
    episode,
    opened,
    reach,
    record_text,
    same_as_stored,
    text_of,
    until,
)
from tests.support.desk_fixture import COURT, imported_law_run, write_run

pytestmark = pytest.mark.slow

GOLD = RunSpec(benchmark="legalagentbench", agent="gold", pack="small", task_ids=("k-1",))


@EVERYWHERE
async def test_screens_look_as_stored(
    language: str, size: tuple[int, int], pack: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MOOT_LANG", language)
    path = write_run(pack)
    async with desk(size) as pilot:
        await until(pilot, lambda: pilot.app.screen.query_one("#table").row_count)
        await same_as_stored(pilot, "home", everywhere=True)
        screen = await opened(pilot, path)
        await until(pilot, lambda: screen.query_one(ScoreStrip)._step is not None)
        await same_as_stored(pilot, "episode", everywhere=True)
        if (language, size) != ("zh", WIDE):
            return
        await pilot.press("b", "b")
        await until(pilot, lambda: not screen.query_one(ScoreStrip)._step.answered)
        await same_as_stored(pilot, "back")
        await pilot.press("f1")
        await pilot.pause()
        assert isinstance(pilot.app.screen, HelpScreen)
        await same_as_stored(pilot, "help")


async def test_an_empty_home_says_what_to_do() -> None:
    async with desk() as pilot:
        await same_as_stored(pilot, "empty")
        await pilot.press("f3")
        await pilot.pause()
        assert isinstance(pilot.app.screen, EpisodeScreen) and "F2" in text_of(pilot)
        await pilot.press("n", "b", "f", "s", "y", "e", "space")
        await pilot.press("f2")
        assert isinstance(pilot.app.screen, HomeScreen)


async def test_looking_back_and_forward_runs_no_code(pack: Path) -> None:
    path = write_run(pack)
    before = path.read_bytes()
    async with desk() as pilot:
        screen = await opened(pilot, path)
        shown = screen.controller.shown
        await pilot.press("b", "b")
        assert shown.step == 2 and "第 3 步" not in record_text(screen) and "回看第 2 步" in text_of(pilot)
        assert screen.query_one(EvidencePane).event.tool == "get_court_code"
        await pilot.press("n")
        assert shown.step == 3 and shown.back
        await pilot.press("g")
        assert not shown.back and "第 4 步" in record_text(screen)
        await pilot.press("b", "space")
        await until(pilot, lambda: not shown.back)
        for typed, step, wrong in (
            ("2", 2, False),
            ("99", 2, True),
            ("x", 2, True),
            ("0", 0, False),
            ("4", 4, False),
        ):
            await pilot.press("colon", *typed, "enter")
            if wrong:
                await until(pilot, lambda: f"请输入 0 至 {shown.total}" in text_of(pilot))
                await pilot.press("escape")
            await until(pilot, lambda: pilot.app.screen is screen)
            assert shown.step == step, typed
        assert not shown.back, "the last step is where the record ends"
        assert pilot.app.live is None
    assert path.read_bytes() == before


async def test_find_copy_export_and_language(pack: Path) -> None:
    async with desk() as pilot:
        screen = await opened(pilot, write_run(pack))
        await pilot.press("slash")
        bar = screen.query_one(FindBar)
        bar.query_one(Input).value = "陆知行"
        record = screen.query_one(Transcript)
        await until(pilot, lambda: record.hits)
        total = len(record.hits)
        assert total >= 3 and any(role == "match" for row in record.rows for _, role in row.pieces)
        first = record.hit
        await pilot.press("enter")
        assert record.hit == (first + 1) % total
        await pilot.press("n")
        assert bar.query_one(Input).value == "陆知行n" and screen.controller.shown.total == 4
        await pilot.press("escape")
        assert not record.hits and not any(role == "match" for row in record.rows for _, role in row.pieces)
        await pilot.press("home", "y")
        assert pilot.app.clipboard == screen.controller.shown.records[0].event.card["question"]
        await pilot.press("e")
        await until(pilot, lambda: list((places.home() / "exports").glob("*.md")))
        assert "工具调用" in record_text(screen)
        await pilot.press("l")
        assert "Tool call" in record_text(screen) and "Plan and hops" in text_of(pilot)
        await pilot.press("l")
        assert "计划与跳数" in text_of(pilot)


async def test_no_line_is_wider_than_the_window_and_a_narrow_one_shows_one_pane_at_a_time(pack: Path) -> None:
    async with desk(WIDE) as pilot:
        screen = await opened(pilot, write_run(pack))
        shown = lambda: [name for name in ("plan", "record", "evidence") if screen.query_one(f"#{name}").region.area]  # noqa: E731
        for size in (WIDE, (200, 50), (60, 20), NARROW):
            await pilot.resize_terminal(*size)
            await until(pilot, lambda size=size: screen.size.width == size[0])
            assert all(cell_len(line) <= size[0] for line in text_of(pilot).split("\n"))
        for pane in ("record", "plan", "evidence"):
            assert shown() == [pane]
            await pilot.press("v")
            await pilot.pause()
        await pilot.resize_terminal(*WIDE)
        await pilot.pause()
        assert shown() == ["plan", "record", "evidence"]


async def test_steps_of_a_live_run_until_it_ends_and_another_run_meanwhile(pack: Path) -> None:
    other = ended_run("other", "echo", task_ids=("k-1",))
    async with desk() as pilot:
        screen = await begun(pilot, GOLD)
        controller, live = screen.controller, pilot.app.live
        assert controller.shown.total == 0 and controller.moving == "paused"
        await pilot.press("n")
        await until(pilot, lambda: controller.shown.total == 1)
        assert "工具返回" in record_text(screen)
        for path in (other, live.path):
            pilot.app.open_episode(path, "")
            await until(pilot, lambda path=path: controller.facts.path == path and controller.loaded)
        await until(pilot, lambda: controller.shown.total == 1 and controller.moving == "paused")
        await pilot.press("n")
        await until(pilot, lambda: controller.shown.total == 2)
        await pilot.press("plus", "plus", "plus", "space")
        await until(pilot, lambda: controller.over)
        assert controller.shown.total == 4 and COURT in record_text(screen)
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip._run is not None and strip._run.n == 1)
    with Journal.open(live.path) as journal:
        assert journal.scores() and len(read_episode(journal, "k-1")) == len(controller.shown.records)


async def test_a_stored_unfinished_run_is_taken_up_by_a_step(pack: Path) -> None:
    with start_run(GOLD) as run:
        run.scheduler.step("k-1")
    async with desk() as pilot:
        screen = await opened(pilot, list_runs()[0])
        assert screen.controller.moving == "stored" and screen.controller.shown.total == 1
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 2)
        assert screen.controller.moving == "paused"


async def test_fork_from_an_earlier_step_is_a_new_run(pack: Path) -> None:
    old = ended_run("old", "gold", task_ids=("k-1",))
    async with desk() as pilot:
        screen = await opened(pilot, old)
        await pilot.press("b", "b", "f")
        await reach(pilot, ConfirmScreen)
        shown = text_of(pilot)
        assert all(words in shown for words in ("前 2 步", "没有由本人做的步骤", "从第 3 步起", "按 b 退一步")), shown
        await pilot.press("escape")
        await reach(pilot, EpisodeScreen)
        assert len(list_runs()) == 1, "nothing has begun"
        await pilot.press("f")
        await reach(pilot, ConfirmScreen)
        await pilot.press("enter")
        await until(pilot, lambda: len(list_runs()) == 2 and screen.controller.moving == "paused")
        assert screen.controller.shown.total == 2 and not screen.controller.shown.back
        assert screen.controller.facts.header["parent"]["step"] == 2
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 3)
    with Journal.open(old) as journal:
        assert len([r for r in read_episode(journal, "k-1") if r.event.tag == "step_ended"]) == 4


async def test_a_person_takes_the_tested_seat_calls_a_tool_and_answers(pack: Path) -> None:
    async with desk() as pilot:
        screen = await begun(pilot, GOLD)
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1)
        await pilot.press("s", "enter")
        box, strip = screen.query_one(AnswerBox), screen.query_one(ScoreStrip)
        await until(pilot, lambda: box.is_open and screen.controller.human)
        assert "隐藏" in "\n".join(row_text(row) for row in strip.rows) and strip._step is None
        given = json.dumps({"identifier": COURT, "columns": []}, ensure_ascii=False)
        box.query_one(TextArea).text = f"/get_court_info {given}"
        await pilot.press("f5")
        await until(pilot, lambda: screen.controller.shown.total == 2 and box.is_open)
        assert "陆知行" in record_text(screen)
        await pilot.press("n", "b", "q")
        assert box.query_one(TextArea).text == "nbq" and pilot.app.is_running
        box.query_one(TextArea).text = f"{COURT}，负责人陆知行"
        await pilot.press("f5")
        await until(pilot, lambda: screen.controller.over)
        await until(pilot, lambda: strip._step is not None)
        assert strip._step.compat["success"] == 1.0
        assert "第 1 步 ──" in record_text(screen) and "第 2 步 · 本人" in record_text(screen)
        assert "第 2–3 步" in text_of(pilot), "among the facts"
        await pilot.press("f")
        await reach(pilot, ConfirmScreen)
        assert "前 2 步" in text_of(pilot) and "由本人做的：第 2 步" in text_of(pilot)
        await pilot.press("escape")


async def test_home_opens_lists_and_starts_runs(pack: Path) -> None:
    ended_run("old", "gold")
    async with desk() as pilot:
        await until(pilot, lambda: pilot.app.screen.query_one("#table").row_count)
        await pilot.press("enter")
        await reach(pilot, RunScreen, lambda screen: screen.stored is not None)
        assert "k-2" in text_of(pilot) and "打开" in text_of(pilot)
        await pilot.press("l")
        await until(pilot, lambda: "Enter open" in text_of(pilot))
        await pilot.press("l", "down", "enter")
        await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        assert episode(pilot).controller.episode == "k-2"
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: episode(pilot).controller.episode == "k-1")
        await pilot.press("escape", "escape")
        await reach(pilot, HomeScreen)
        await pilot.press("n")
        await reach(pilot, NewRunScreen)
        await pilot.click("#everything")
        home = pilot.app.home_screen
        await until(pilot, lambda: len(home.runs) == 2 and all(line.compat is not None for line in home.runs))
        assert home.progress is None and all(line.finished == line.n for line in home.runs)


async def test_a_failure_becomes_a_dialog_with_a_hint(pack: Path) -> None:
    path = write_run(pack, upto=2)
    (pack / "manifest.json").unlink()
    async with desk() as pilot:
        pilot.app.open_episode(path, "k-1")
        await reach(pilot, ProblemScreen)
        assert "manifest" in text_of(pilot) or "small" in text_of(pilot)
        await pilot.press("escape")
        assert isinstance(pilot.app.screen, EpisodeScreen)


async def test_an_imported_run_opens_with_its_scores(tmp_path: Path) -> None:
    imported_law_run(tmp_path / "law", "kqa lcs")
    async with desk() as pilot:
        await until(pilot, lambda: pilot.app.screen.query_one("#table").row_count)
        assert "域内平均" in text_of(pilot) and "50.0" in text_of(pilot)
        await pilot.press("enter")
        await reach(pilot, RunScreen, lambda screen: screen.stored is not None)
        assert "未评分" in text_of(pilot)
        await pilot.press("enter")
        screen = await reach(pilot, EpisodeScreen, lambda screen: screen.controller.loaded)
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip._step is not None and strip._run is not None)
        shown = "\n".join(row_text(row) for row in strip.rows)
        assert " 0.0 " in shown and "未评分" in shown and "走一步" not in shown
        assert "导入，无步骤" in text_of(pilot) and "第 1 步" not in text_of(pilot)
        assert isinstance(pilot.app.screen, EpisodeScreen), "no dialog"


async def test_a_changed_task_file_is_said_in_the_score_pane(tmp_path: Path) -> None:
    path = imported_law_run(tmp_path / "law", "kqa")
    (tmp_path / "law" / "tasks.jsonl").write_text("{}", encoding="utf-8")
    async with desk() as pilot:
        pilot.app.open_episode(path, "")
        await until(pilot, lambda: isinstance(pilot.app.screen, EpisodeScreen) and "题目文件在评测" in text_of(pilot))


async def test_a_key_leads_to_the_observation_that_holds_it(pack: Path) -> None:
    async with desk() as pilot:
        screen = await opened(pilot, write_run(pack))
        strip = screen.query_one(ScoreStrip)
        await until(pilot, lambda: strip.step is not None)
        rows = {row.what: row for row in strip.step.grounds.rows}
        events = {record.seq: record.event for record in screen.controller.state.records}
        shown = events[rows[COURT].seq or 0]
        assert isinstance(shown, ToolReturned) and COURT in shown.observation and COURT in rows[COURT].quote
        strip.hide("a person sits there")
        screen.action_grounds()
        await pilot.pause()
        assert pilot.app.screen is screen
