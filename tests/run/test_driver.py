"""Steps, asks, replays: the driver and the scheduler over a small program of their own."""

from __future__ import annotations

from pathlib import Path

import pytest

from models.engine import Ask, EngineError, Message
from models.scripted import Script, ScriptedEngine
from store.errors import StoreError
from store.journal import EpisodeRow, Journal
from tasks.episode.driver import Driver, Limits
from tasks.episode.events import (
    Answered,
    AttemptStarted,
    LimitHit,
    ModelCalled,
    Said,
    Seated,
    Stopped,
    Thought,
    entry_of,
    record_of,
)
from tasks.episode.scheduler import HUMAN, Notice, RecordsCommitted, Scheduler, SeatWaiting
from tasks.episode.seats import Steps, ask, emit
from tasks.episode.state import State, digest
from tasks.errors import RecordMismatch, TaskError


class Talk:
    """Asks the engine three times in three steps, twice in the second."""

    def __init__(self, prompt: str = "talk/1", words: str = "说") -> None:
        self.prompt = prompt
        self.words = words

    def step(self, state: State) -> Steps:
        number = state.steps + 1
        yield from emit(Thought(seat="agent", text=f"第{number}步"))
        for turn in range(2 if number == 2 else 1):
            heard = yield from ask(Ask("agent", (Message("user", f"{self.words}{number}.{turn}"),), self.prompt))
            yield from emit(Said(seat="agent", text=heard.text))
        if number == 3:
            yield from emit(Answered(seat="agent", res="完", summary="完"))
            yield from emit(Stopped(outcome="finished"))


class Log:
    def __init__(self) -> None:
        self.notices: list[Notice] = []

    def notify(self, notice: Notice) -> None:
        self.notices.append(notice)


class Counting(ScriptedEngine):
    def __init__(self, **options: object) -> None:
        super().__init__(Script.model_validate({"otherwise": ["甲", "乙", "丙"], **options}))
        self.batches: list[int] = []

    def answer(self, asks, listen=None):  # type: ignore[no-untyped-def]
        self.batches.append(len(asks))
        return super().answer(asks, listen)


def begin(
    journal: Journal,
    engine: object,
    program: object = None,
    *,
    limits: Limits | None = None,
    spec: str = "scripted:x",
):  # type: ignore[no-untyped-def]
    scheduler = Scheduler(journal, {"scripted:x": engine} if engine else {}, [Log()])  # type: ignore[dict-item,list-item]
    for row in journal.episodes():
        attempt = journal.attempts(row.id)[-1]
        driver = Driver(
            row.id, attempt.id, program or Talk(), scheduler.clock, scheduler.stopwatch, limits or Limits()
        )  # type: ignore[arg-type]
        stored = [record_of(e) for e in journal.entries(attempt.id)]
        if stored:
            driver.load(stored)
        else:
            card = {"id": row.task_id}
            driver.note(AttemptStarted(benchmark="b", task_id=row.task_id, attempt=1, seed=7, card=card), step=0)
            driver.note(Seated(seat="agent", policy="talk/1", engine=spec), step=0)
        scheduler.add(driver)
    return scheduler


def new(path: Path, episodes: int = 1) -> Journal:
    return Journal.create(path, {"run": "r"}, [EpisodeRow(str(n), n, str(n)) for n in range(episodes)])


def whole(tmp_path: Path, name: str = "whole", **options: object) -> list:  # type: ignore[type-arg]
    with new(tmp_path / f"{name}.moot") as journal:
        scheduler = begin(journal, Counting(**options))
        scheduler.run()
        return list(scheduler.episodes["0"].state.records)


def test_publish_comes_after_commit(tmp_path: Path) -> None:
    with new(tmp_path / "r.moot") as journal:
        seen: list[int] = []

        class Check:
            def notify(self, notice: Notice) -> None:
                if isinstance(notice, RecordsCommitted):
                    with Journal.open(tmp_path / "r.moot") as reader:
                        seqs = {e.seq for e in reader.entries(1)}
                    assert {r.seq for r in notice.records} <= seqs
                    seen.extend(r.seq for r in notice.records)

        scheduler = begin(journal, Counting())
        scheduler.watchers.append(Check())
        scheduler.run()
        assert seen == list(range(2, len(scheduler.episodes["0"].state.records)))


def test_resume_after_every_event_gives_the_same_episode(tmp_path: Path) -> None:
    """Cut the record anywhere a kill could leave it; what follows is the same."""
    records = whole(tmp_path, failure_rate=0.3)
    wanted = digest(records)
    for cut in range(2, len(records)):
        if isinstance(records[cut - 1].event, Stopped):
            continue  # written in one transaction with the end of its step
        path = tmp_path / f"cut{cut}.moot"
        with new(path) as journal:
            journal.append([entry_of(1, record) for record in records[:cut]])
            engine = Counting(failure_rate=0.3)
            scheduler = begin(journal, engine)
            scheduler.run()
            assert digest(scheduler.episodes["0"].state.records) == wanted
            left = sum(isinstance(r.event, ModelCalled) or r.event.tag == "engine_failed" for r in records[cut:])
            assert sum(engine.batches) == left, "a recorded reply is never asked for again"


def test_a_changed_prompt_stops_with_one_line(tmp_path: Path) -> None:
    records = whole(tmp_path)
    cut = next(i for i, r in enumerate(records) if isinstance(r.event, ModelCalled) and r.step == 2) + 1
    with new(tmp_path / "c.moot") as journal:
        journal.append([entry_of(1, record) for record in records[:cut]])
        scheduler = begin(journal, Counting(), Talk("talk/2", "讲"))
        with pytest.raises(RecordMismatch, match=r"step 2: prompt differs, talk/1 → talk/2"):
            scheduler.run()
        assert len(journal.entries(1)) == cut


def test_limits_end_the_episode_by_name(tmp_path: Path) -> None:
    for number, (limits, outcome) in enumerate(
        [(Limits(turns=2), "turn_limit"), (Limits(tokens=1), "token_limit"), (Limits(seconds=1e-9), "time_limit")]
    ):
        with new(tmp_path / f"{number}.moot") as journal:
            scheduler = begin(journal, Counting(), limits=limits)
            scheduler.run()
            state = scheduler.episodes["0"].state
            assert state.stopped is not None and state.stopped.outcome == outcome
            assert [r.event.tag for r in state.records][-2:] == ["limit_hit", "stopped"]


def test_the_limit_of_seconds_reaches_a_call_in_flight(tmp_path: Path) -> None:
    """The call would take twenty seconds. What it had by then is on record, and the record can be compared with a
    second run of it."""
    with new(tmp_path / "r.moot", 2) as journal:
        slow = {"delay_ms": [20_000, 20_000]}
        scheduler = begin(journal, Counting(**slow), limits=Limits(seconds=1.0))
        scheduler.run(parallel=2)
        for driver in scheduler.episodes.values():
            records = driver.state.records
            assert [r.event.tag for r in records][2:] == [
                "thought",
                "model_called",
                "step_ended",
                "limit_hit",
                "stopped",
            ]
            called, _, hit, stopped = (r.event for r in records[-4:])
            assert isinstance(called, ModelCalled) and called.finish == "time_limit"
            assert isinstance(hit, LimitHit) and (hit.kind, hit.limit) == ("seconds", 1.0) and hit.used > 0
            assert isinstance(stopped, Stopped) and stopped.outcome == "time_limit"
            assert stopped.reason == "limit of 1 seconds reached"
        wanted = digest(scheduler.episodes["0"].state.records)
        stored = [record_of(e) for e in journal.entries(1)]
    for limits in (Limits(), Limits(seconds=1.0)):
        again = Driver("0", 1, Talk(), lambda: 0.0, lambda: 0.0, limits)
        again.recorded = list(stored)
        for record in stored[:2]:
            again.note(record.event, step=0)
        again.advance()
        assert again.stopped and not again.fresh and digest(again.state.records) == wanted


def test_a_call_is_told_what_is_left_of_the_time(tmp_path: Path) -> None:
    """Each try of a call gets less; a person is never hurried."""
    told: list[float | None] = []
    now = 0.0

    class Failing(Counting):
        def answer(self, asks, listen=None):  # type: ignore[no-untyped-def]
            nonlocal now
            now += 4.0
            told.extend(ask.seconds for ask in asks)
            return [EngineError("unlucky")] if len(told) < 3 else super().answer(asks, listen)

    with new(tmp_path / "r.moot") as journal:
        scheduler = begin(journal, Failing())
        scheduler.stopwatch = lambda: now
        driver = scheduler.episodes["0"]
        driver.stopwatch, driver.limits = scheduler.stopwatch, Limits(seconds=10)
        scheduler.run()
        assert told == [10, 6, 2]
        assert driver.state.stopped is not None and driver.state.stopped.outcome == "time_limit"
    with new(tmp_path / "h.moot") as journal:
        scheduler = begin(journal, None, limits=Limits(seconds=10), spec=HUMAN)
        scheduler.run()
        scheduler.answer("0", "好")
        assert not scheduler.episodes["0"].stopped


def test_a_human_is_waited_for_and_his_time_is_not_counted(tmp_path: Path) -> None:
    with new(tmp_path / "r.moot") as journal:
        scheduler = begin(journal, None, limits=Limits(seconds=60), spec=HUMAN)
        scheduler.run()
        log = scheduler.watchers[0]
        assert isinstance(log, Log) and isinstance(log.notices[-1], SeatWaiting)
        scheduler.seat("0", _seat("x"))
        with pytest.raises(TaskError):
            scheduler.answer("0", "x")
        scheduler.seat("0", _seat(HUMAN))
        scheduler.run()
        for word in "一二三四":
            scheduler.answer("0", word)
            scheduler.run()
        state = scheduler.episodes["0"].state
        assert [r.event.text for r in state.records if isinstance(r.event, Said)] == list("一二三四")
        assert all(r.event.human for r in state.records if isinstance(r.event, ModelCalled))
        assert state.stopped is not None and state.stopped.outcome == "finished"


def _seat(engine: str) -> Seated:
    return Seated(seat="agent", policy="talk/1", engine=engine)


def test_a_defect_in_a_program_ends_its_episode_only(tmp_path: Path) -> None:
    class Broken(Talk):
        def step(self, state: State) -> Steps:
            if state.task_id == "1" and state.steps == 1:
                raise ZeroDivisionError("oops")
            yield from super().step(state)

    with new(tmp_path / "r.moot", 2) as journal:
        scheduler = begin(journal, Counting(), Broken())
        scheduler.run()
        outcomes = [d.state.stopped.outcome for d in scheduler.episodes.values() if d.state.stopped]
        assert outcomes == ["finished", "error"]


def test_a_full_disk_pauses_and_loses_nothing(tmp_path: Path) -> None:
    wanted = digest(whole(tmp_path))
    with new(tmp_path / "full.moot") as journal:
        scheduler = begin(journal, Counting())
        (pages,) = journal._database.execute("PRAGMA page_count").fetchone()
        journal._database.execute(f"PRAGMA max_page_count={pages}")
        acknowledged = 0
        with pytest.raises(StoreError, match="disk is full"):
            for number in range(200):
                journal.append([], [f"{number:06}" * 500])
                scheduler.step("0")
                acknowledged = len(journal.entries(1))
        assert len(journal.entries(1)) >= acknowledged
        journal.check()
        journal._database.execute("PRAGMA max_page_count=1000000")
        scheduler.run()
        records = scheduler.episodes["0"].state.records
        assert [record_of(e) for e in journal.entries(1)] == list(records)
        assert digest(records) == wanted
