"""The open turn of a model: how it streams, how it is stopped, what stays of it, and that it disturbs nobody.

The engine says what the test tells it to; every wait is for a fact.
"""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from types import SimpleNamespace
from typing import Any, TypeVar

import pytest
from textual.events import Paste
from textual.pilot import Pilot

import app.desk.live as running
from app.desk.dialogs import ProblemScreen
from app.desk.episode.open_turn import TAIL, OpenTurn, phase_line, turn_rows
from app.desk.episode.renderers import call_lines, render, totals
from app.desk.episode.screen import EpisodeScreen
from app.desk.episode.transcript import Transcript
from app.desk.live import LiveRun
from app.desk.messages import EpisodeWatched, OpenTurnChanged, PlayMode, RunFailed, RunOpened
from app.desk.widgets.answer_box import AnswerBox, AnswerText
from app.desk.widgets.lines import row_text
from models.engine import Delta, EngineError, Reply, TokenChance, Unavailable, Usage
from store.journal import Journal
from tasks.episode import exchange, with_tools
from tasks.episode.driver import Driver
from tasks.episode.events import EngineFailed, ModelCalled, Record, Seated, Stopped
from tasks.episode.scheduler import HUMAN, Scheduler
from tasks.errors import TaskError
from tasks.legalagentbench import tools
from tasks.run.reading import list_runs, read_episode
from tasks.run.runner import start_run
from tests.desk.conftest import (
    begun,
    desk,
    opened,
    record_text,
    same_as_stored,
    text_of,
    until,
)
from tests.support.desk_fixture import COURT
from tests.support.patience import PATIENCE
from tests.support.slow_engine import SlowEngine, install, talk

pytestmark = pytest.mark.slow

CALL = "先查法院。/get_court_info " + json.dumps({"identifier": COURT, "columns": []}, ensure_ascii=False)
THOUGHT = "案号里的代字指向云溪县人民法院，还缺它的负责人。"
ANSWER = f"由{COURT}审理，负责人是陆知行。"


@pytest.fixture
def engine(monkeypatch: pytest.MonkeyPatch) -> SlowEngine:
    return install(monkeypatch, SlowEngine())


class Clock:
    """A clock that a test sets."""

    def __init__(self) -> None:
        self.now = 100.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(running, "clock", made)
    return made


async def speaking(pilot: Pilot[Any], engine: SlowEngine, screen: EpisodeScreen, text: str = "正在说的话") -> None:
    """One step has begun and the model has said something."""
    await pilot.press("n")
    await until(pilot, engine.waits.is_set)
    engine.tell("speaking", text)
    await until(pilot, lambda: text in record_text(screen))


def stored(path: Path | None = None, name: str = "k-1") -> list[Record]:
    with Journal.open(path or list_runs()[0]) as journal:
        return read_episode(journal, name)


# the value


def told(turn: OpenTurn, *deltas: tuple[float, Delta]) -> OpenTurn:
    for now, delta in deltas:
        turn = turn.after(delta, now)
    return turn


def said(text: str, phase: str = "speaking", done: int = 0) -> Delta:
    return Delta("k-1", "agent", phase, text, done)  # type: ignore[arg-type]


def test_a_turn_keeps_the_end_of_what_came_and_counts_the_rest() -> None:
    turn = OpenTurn("k-1")
    for _ in range(3):
        turn = turn.after(said("字" * TAIL), 0.0)
    assert len(turn.spoken) == TAIL and turn.words == 3 * TAIL
    rows = ["".join(text for text, _ in row) for row in turn_rows(turn, 60, 0.0)]
    assert f"{2 * TAIL:,}" in rows[1] and len(rows) < TAIL


def test_the_speed_counts_tokens_where_the_engine_does_and_characters_where_it_does_not() -> None:
    counted = told(OpenTurn("k-1"), (1.0, said("甲", done=1)), (3.0, said("乙丙", done=9)))
    assert counted.speed() == (4.0, True)
    uncounted = told(OpenTurn("k-1"), (1.0, said("甲")), (3.0, said("乙丙丁戊")))
    assert uncounted.speed() == (2.0, False)
    assert told(OpenTurn("k-1"), (1.0, said("甲")), (1.001, said("乙"))).speed() is None, "too soon to tell"


def test_a_call_that_is_tried_again_begins_anew() -> None:
    turn = told(OpenTurn("k-1"), (1.0, said("想", "thinking")), (2.0, said("半句")), (3.0, said("", "reading")))
    assert (turn.thought, turn.spoken, turn.characters, turn.speed()) == ("", "", 0, None)


def test_a_control_sequence_that_comes_in_pieces_is_one() -> None:
    turn = told(OpenTurn("k-1"), *((0.0, said(part)) for part in ("前\x1b", "]52;", "c;QQ==\x07", "后\u202e")))
    shown = "".join(text for row in turn_rows(turn, 60, 0.0) for text, _ in row)
    assert "前␛后" in shown and "\x1b" not in shown and "52;c" not in shown and "\u202e" not in shown


def test_a_silent_call_shows_its_time_and_a_stopped_one_what_it_throws_away() -> None:
    stopped = OpenTurn("k-1").after(said("还在说的话"), 1.0).stopped()
    for turn, words in ((OpenTurn("k-1"), "12 秒"), (stopped, "丢弃已说的 5 字")):
        assert words in "".join(text for text, _ in phase_line(turn, 12.0))


# the line of a call


def called(**facts: Any) -> ModelCalled:
    plain = {
        "seat": "agent", "call": 1, "prompt": "talk/1", "asked": "0" * 64, "messages": (), "settings": {}, "text": "",
        "finish": "stop",
    }  # fmt: skip
    return ModelCalled.model_validate({**plain, **facts})


def block_text(event: ModelCalled, *, whole: bool = False) -> str:
    block = render(Record(0, 1, None, 0.0, event))
    assert block is not None
    return "\n".join("".join(text for text, _ in line) for line in (block.whole if whole else block.lines))


def test_the_line_of_a_call_tells_what_was_read_reused_and_generated_and_where_from() -> None:
    text = block_text(called(evaluated=412, reused=1834, generated=96, milliseconds=4123.0, origin="kept", batch=4))
    assert "新读 412 · 复用 1,834（82%，保留） · 生成 96 · 4.1 秒 · 总速 23 词元/秒 · 4 路并行" in text
    assert "淘汰后重读" in block_text(called(evaluated=2246, origin="evicted"))
    assert "总速" not in block_text(called(evaluated=10, generated=5)), "no time, no speed"


@pytest.mark.parametrize(("finish", "words"), [("length", "达到长度上限"), ("context_full", "上下文已满")])
def test_a_call_that_was_cut_says_so_first(finish: str, words: str) -> None:
    text = block_text(called(finish=finish, evaluated=3, note="8,192 tokens do not fit"))
    assert text.startswith(words) and "8,192 tokens do not fit" in text


def test_reasoning_and_chances_are_folded_under_the_line() -> None:
    chances = (("借款", -0.05, (("借款", -0.05),)), ("贷款", -2.5, (("借款", -0.1), ("贷款", -2.5))))
    event = called(text="行动：查询\n第二行", reasoning=THOUGHT, logprobs=chances)
    folded, whole = block_text(event), block_text(event, whole=True)
    assert f"思考 {len(THOUGHT)} 字" in folded and THOUGHT not in folded and "第二行" not in folded
    assert THOUGHT in whole and "第二行" in whole and "困惑度" in whole
    assert "「贷款」 8.21%，其余候选 「借款」 90%" in whole
    short = called(text="一句话")
    assert "一句话" in block_text(short) and call_lines(short)[1] is None


def test_totals_leave_out_what_a_person_said() -> None:
    events = [called(evaluated=5, reused=2, generated=3), called(evaluated=50, human=True), called(evaluated=1)]
    assert totals(Record(n, 1, None, 0.0, e) for n, e in enumerate(events)) == (2, 6, 2, 3)


# the thread

Notice = TypeVar("Notice")


@contextmanager
def live_run(pack: Path, mode: str = "paused", **options: Any) -> Iterator[tuple[LiveRun, list[object]]]:
    """A run and its thread, without a desk; the thread must end."""
    heard: list[object] = []
    live = LiveRun(lambda: start_run(talk(pack, **options)), lambda _, notice: heard.append(notice), mode=mode)
    thread = threading.Thread(target=live.work)
    thread.start()
    try:
        wait(lambda: notices(heard, RunOpened))
        yield live, heard
    finally:
        while thread.is_alive():
            live.close()
            thread.join(0.05)


def wait(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.005)


def notices(heard: list[object], kind: type[Notice]) -> list[Notice]:
    return [notice for notice in heard if isinstance(notice, kind)]


def rests(heard: list[object]) -> bool:
    """Whether the run was in motion and is paused."""
    modes = [moving.mode for moving in notices(heard, PlayMode)]
    return len(modes) > 1 and modes[-1] == "paused"


def test_of_parallel_episodes_only_the_watched_one_streams_and_the_other_may_be_chosen_meanwhile(
    pack: Path, engine: SlowEngine
) -> None:
    with live_run(pack, "all", limit=2, parallel=2) as (live, heard):
        wait(lambda: len(engine.calls) == 1 and len(engine.calls[0]) == 2)
        engine.tell("speaking", "一", episode="k-1")
        wait(lambda: [message.episode for message in notices(heard, OpenTurnChanged)] == ["k-1"])
        for _ in range(3):
            engine.tell("speaking", "二", episode="k-2")
        wait(lambda: (turn := live._turns.get("k-2")) is not None and turn.words == 3)
        assert {message.episode for message in notices(heard, OpenTurnChanged)} == {"k-1"}
        live.watch("k-2")
        engine.tell("speaking", "二", episode="k-2")
        wait(lambda: any(watched.episode == "k-2" for watched in notices(heard, EpisodeWatched)))
        wait(lambda: notices(heard, OpenTurnChanged)[-1].episode == "k-2")
        turn = live.turn("k-2")
        assert turn is not None and turn.spoken == "二二二二", "what came before is not lost"
        engine.end(ANSWER)
        wait(lambda: rests(heard))


def test_stopping_a_whole_run_pauses_it(pack: Path, engine: SlowEngine) -> None:
    with live_run(pack, "all", limit=2, parallel=2) as (live, heard):
        wait(engine.waits.is_set)
        live.stop()
        wait(lambda: rests(heard))
        assert len(engine.calls) == 1


def test_a_budget_that_is_spent_pauses_a_whole_run_and_says_so(pack: Path, engine: SlowEngine) -> None:
    with live_run(pack, "all", limit=2, budget_tokens=1) as (live, heard):
        wait(engine.waits.is_set)
        engine.end(ANSWER)
        wait(lambda: rests(heard))
        (failed,) = notices(heard, RunFailed)
        assert failed.title.startswith("the budget of the run is spent: ") and not live.closed.is_set()
        assert len(engine.calls) == 1, "the second episode is not begun"


def test_a_failed_call_is_asked_again_and_the_turn_begins_anew(pack: Path, engine: SlowEngine) -> None:
    with live_run(pack) as (live, _):
        live.step("k-1")
        wait(engine.waits.is_set)
        engine.tell("speaking", "断断续续")
        engine.end(EngineError("the engine fell over"))
        wait(lambda: len(engine.calls) == 2)
        turn = live.turn("k-1")
        assert turn is not None and turn.phase == "asked" and not turn.words
        engine.end(ANSWER)
        wait(lambda: live.turn("k-1") is None)


# the screen


async def test_the_turn_grows_below_the_record_and_gives_way_to_what_was_said(
    pack: Path, engine: SlowEngine, clock: Clock
) -> None:
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        await pilot.press("n")
        await until(pilot, lambda: "等待模型" in record_text(screen) and screen.controller.speaking)
        engine.tell("loading", done=37, total=100)
        await until(pilot, lambda: "37%" in record_text(screen) and "加载模型" in text_of(pilot))
        engine.tell("reading", done=512, total=2048)
        await until(pilot, lambda: "512/2,048" in record_text(screen))
        engine.tell("thinking", THOUGHT, 12)
        await until(pilot, lambda: f"┊ {THOUGHT[:10]}" in record_text(screen) and "思考中" in text_of(pilot))
        clock.now += 2
        engine.tell("speaking", "先查法院。", 32)
        await until(pilot, lambda: "先查法院。" in record_text(screen) and "10 词元/秒" in record_text(screen))
        roles = {role for row in screen.query_one(Transcript).rows for text, role in row.pieces if "先查法院" in text}
        assert roles == {"dim"}, "speech is dim and stands apart from reasoning"
        assert not any(isinstance(record.event, ModelCalled) for record in screen.controller.shown.records)
        engine.end(Reply(CALL, Usage(412, 1834, 32, 2400.0, "kept"), reasoning=THOUGHT))
        await until(pilot, lambda: screen.controller.shown.total == 1)
        await until(pilot, lambda: screen.controller.turn is None)
        text = record_text(screen)
        assert "┊" not in text and f"思考 {len(THOUGHT)} 字" in text and "复用 1,834（82%，保留）" in text
        facts = "\n".join(row_text(row) for row in screen.query_one("#plan").rows)
        assert all(words in facts for words in ("新读词元 412", "复用词元 1,834", "生成词元 32"))


async def test_pausing_lets_the_turn_end_and_quitting_does_not_wait_for_it(pack: Path, engine: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        await pilot.press("space")
        await until(pilot, lambda: engine.waits.is_set() and screen.controller.moving == "auto")
        engine.tell("speaking", "还在说")
        await until(pilot, lambda: "还在说" in record_text(screen))
        await pilot.press("space")
        await until(pilot, lambda: "说完即暂停" in text_of(pilot))
        assert engine.waits.is_set()
        engine.end(CALL)
        await until(pilot, lambda: screen.controller.shown.total == 1 and screen.controller.moving == "paused")
        assert not engine.waits.is_set() and len(engine.calls) == 1 and "说完即暂停" not in text_of(pilot)
        await speaking(pilot, engine, screen)
        await pilot.press("q")
        await until(pilot, lambda: engine.closed)
    assert engine.cancels and sum(isinstance(record.event, ModelCalled) for record in stored()) == 1
    assert "还在说" not in json.dumps([r.event.data() for r in stored()], ensure_ascii=False), "it was not the reply"


async def test_x_stops_the_turn_and_nothing_of_it_is_kept(pack: Path, engine: SlowEngine) -> None:
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        before = len(stored())
        await speaking(pilot, engine, screen, "不进记录的话")
        await pilot.press("x")
        await until(pilot, lambda: screen.controller.turn is not None and screen.controller.turn.phase == "stopped")
        await until(pilot, lambda: "问题仍待回答" in record_text(screen) and "■ 本轮已停" in text_of(pilot))
        assert "不进记录的话" not in record_text(screen) and len(stored()) <= before + 2
        assert not any(isinstance(record.event, ModelCalled) for record in stored())
        await speaking(pilot, engine, screen, "再说一遍")
        assert [asks[0].digest() for asks in engine.calls] == [engine.calls[0][0].digest()] * 2
        await pilot.press("x")
        await until(pilot, lambda: screen.controller.turn is not None and not screen.controller.speaking)
        pilot.app.live.seat("k-1", Seated(seat="agent", policy="gold/1"))
        await until(pilot, lambda: screen.controller.turn is None and "本轮已停" not in text_of(pilot))
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1)
        assert len(engine.calls) == 2 and not any(isinstance(record.event, ModelCalled) for record in stored())
    assert "不进记录的话".encode() not in list_runs()[0].read_bytes()
    assert "不进记录的话" not in json.dumps([r.event.data() for r in stored()], ensure_ascii=False)


async def test_the_reader_at_the_end_follows_and_the_one_elsewhere_stays(pack: Path, engine: SlowEngine) -> None:
    async with desk((80, 24)) as pilot:
        screen = await begun(pilot, talk(pack))
        record = screen.query_one(Transcript)
        await pilot.press("n")
        await until(pilot, engine.waits.is_set)
        engine.tell("speaking", "\n".join(f"第{n}行" for n in range(60)))
        await until(pilot, lambda: "第59行" in text_of(pilot))
        await pilot.press("home")
        await until(pilot, lambda: record.scroll_offset.y == 0)
        engine.tell("speaking", "\n".join(f"再{n}行" for n in range(40)))
        await until(pilot, lambda: "再39行" in record_text(screen))
        assert record.scroll_offset.y == 0 and "问题" in text_of(pilot) and "模型正在作答" in text_of(pilot)
        await pilot.press("end")
        await until(pilot, lambda: "再39行" in text_of(pilot))
        engine.tell("speaking", "\n最后一行")
        await until(pilot, lambda: "最后一行" in text_of(pilot))
        await pilot.press("pageup")
        await until(pilot, lambda: record.scroll_offset.y < record.max_scroll_y - 1)
        place = record.scroll_offset.y
        engine.tell("speaking", "\n又一行" * 5)
        await until(pilot, lambda: record_text(screen).count("又一行") == 5)
        assert record.scroll_offset.y == place
        engine.end(ANSWER)
        await until(pilot, lambda: screen.controller.over)


async def test_an_engine_that_is_away_is_said_and_the_question_stays_open(
    pack: Path, engine: SlowEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "WAITS", (0.01,))
    said: list[str] = []
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        monkeypatch.setattr(pilot.app, "say", lambda text, *_: said.append(text))
        for times, key in enumerate(("n", "space"), 1):
            for _ in range(2):
                engine.end(Unavailable("no server answers at here"))
            await pilot.press(key)
            await until(pilot, lambda: isinstance(pilot.app.screen, ProblemScreen) and "就此停住" in text_of(pilot))
            assert len(said) == times and said[-1].endswith("1 秒后重试。")
            await pilot.press("enter")
            await until(pilot, lambda: pilot.app.screen is screen and screen.controller.moving == "paused")
            assert "问题仍待回答" in record_text(screen)
            assert not any(isinstance(record.event, EngineFailed | Stopped) for record in stored())
        await pilot.press("n")
        await until(pilot, lambda: len(engine.calls) == 5)
        engine.end(ANSWER)
        await until(pilot, lambda: screen.controller.over and screen.controller.turn is None)


async def test_a_step_that_was_cut_short_is_shown_whole_when_it_is_taken_up(
    pack: Path, engine: SlowEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def cut(self: Driver) -> None:
        raise KeyboardInterrupt

    engine.end(CALL)
    with monkeypatch.context() as patch, start_run(talk(pack)) as run:
        patch.setattr(Driver, "resume", cut)
        with pytest.raises(KeyboardInterrupt):
            run.scheduler.step("k-1")
    assert isinstance(stored()[-1].event, ModelCalled)
    async with desk() as pilot:
        screen = await opened(pilot, list_runs()[0])
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1)
        assert [record.seq for record in screen.controller.shown.records] == list(
            range(len(screen.controller.shown.records))
        )
        assert (
            any(isinstance(record.event, ModelCalled) for record in screen.controller.shown.records)
            and len(engine.calls) == 1
        )


# the box of a person


async def seated(pilot: Pilot[Any], pack: Path, **options: Any) -> tuple[EpisodeScreen, AnswerBox]:
    """A person sits in the tested seat of the first episode and has been asked."""
    screen = await begun(pilot, talk(pack, **options))
    pilot.app.live.seat("k-1", Seated(seat="agent", policy="human/1", engine=HUMAN), ask=True)
    box = screen.query_one(AnswerBox)
    await until(pilot, lambda: box.is_open and box.query_one(AnswerText).has_focus)
    return screen, box


async def test_lines_are_typed_pasted_and_sent_and_what_acts_on_a_terminal_goes(
    pack: Path, engine: SlowEngine
) -> None:
    async with desk() as pilot:
        screen, box = await seated(pilot, pack)
        pilot.app.screen.focused.post_message(Paste("一、判令返还\r\n二、\x1b]52;c;QQ==\x07利息\u202e"))
        await until(pilot, lambda: box.query_one(AnswerText).text)
        assert box.query_one(AnswerText).text == "一、判令返还\n二、␛利息⍰" and box.is_open
        box.query_one(AnswerText).text = ""
        await pilot.press("enter", *"yi", "enter", *"er")
        assert box.is_open and box.query_one(AnswerText).text == "\nyi\ner", "Enter begins a line"
        await pilot.press("f5")
        await until(pilot, lambda: screen.controller.over)
    assert [r.event.text for r in stored() if isinstance(r.event, ModelCalled)] == ["yi\ner"]


async def test_a_draft_waits_at_its_episode_and_comes_back_where_it_could_not_be_taken(
    pack: Path, engine: SlowEngine, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(self: Any, episode: str, text: str) -> None:
        raise TaskError("no room on the disk", "Free some.")

    async with desk() as pilot:
        screen, box = await seated(pilot, pack, limit=2)
        await pilot.press(*"caogao")
        await pilot.press("escape", "right_square_bracket")
        await until(pilot, lambda: screen.controller.episode == "k-2")
        assert not box.is_open
        await pilot.press("left_square_bracket")
        await until(pilot, lambda: screen.controller.episode == "k-1" and box.is_open)
        assert box.query_one(AnswerText).text == "caogao"
        await pilot.press("escape")
        await until(pilot, lambda: "草稿仍在" in text_of(pilot))
        assert screen.query_one(Transcript).has_focus
        await pilot.press("tab")
        assert box.query_one(AnswerText).has_focus
        monkeypatch.setattr(Scheduler, "answer", refuse)
        await pilot.press("f5")
        await until(pilot, lambda: "no room on the disk" in text_of(pilot))
        await pilot.press("escape")
        await until(pilot, lambda: box.is_open)
        assert box.query_one(AnswerText).text == "caogao"


# how it looks


async def test_an_open_turn_looks_as_stored(
    pack: Path,
    engine: SlowEngine,
    clock: Clock,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    for timed in (tools, with_tools):
        monkeypatch.setattr(timed, "time", SimpleNamespace(perf_counter=lambda: 0.0))
    chances = tuple(
        TokenChance(c, -0.02 if c not in "查法" else -1.4, ((c, -0.02), ("看", -1.3))) for c in "先查法院"
    )
    async with desk() as pilot:
        screen = await begun(pilot, talk(pack))
        await until(pilot, lambda: screen.controller.keeper is not None)
        engine.end(Reply(CALL, Usage(1955, 0, 96, 4123.0, "fresh"), "length", THOUGHT, tuple(range(96)), chances))
        await pilot.press("n")
        await until(pilot, lambda: screen.controller.shown.total == 1 and screen.controller.turn is None)
        await pilot.press("n")
        await until(pilot, engine.waits.is_set)
        engine.tell("reading", done=317, total=317)
        engine.tell("thinking", THOUGHT[:4], 4)
        await until(pilot, lambda: (turn := screen.controller.turn) is not None and turn.thoughts == 4)
        clock.now += 3
        engine.tell("thinking", THOUGHT[4:] * 3, 90)
        engine.tell("speaking", "查到负责人是陆知行，可以作答。", 100)
        await until(pilot, lambda: (turn := screen.controller.turn) is not None and turn.words == 15)
        await until(pilot, lambda: screen.query_one("#scores")._step is not None)
        screen.show_turn()
        await pilot.pause()
        await same_as_stored(pilot, "turn")
        await pilot.press("x")
        await until(pilot, lambda: screen.controller.turn.phase == "stopped" and screen.controller.moving == "paused")
        await pilot.pause()
        await same_as_stored(pilot, "stopped")
