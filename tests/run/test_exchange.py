"""Engines are kept full: nobody waits for the slowest, what finds nobody is tried again, and records stay the
same."""

from __future__ import annotations

import random
import threading
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

import pytest

from models.engine import Ask, Busy, EngineError, Listener, Reply, Unavailable, Usage
from store.journal import Journal
from tasks.episode import exchange
from tasks.episode.events import Seated
from tasks.episode.scheduler import EngineUnavailable, Notice, RecordsCommitted, Scheduler
from tasks.episode.state import digest
from tasks.run.reading import read_episode
from tests.run.test_driver import Counting, Log, begin, new
from tests.support.patience import PATIENCE

EPISODES = 6
Says = Callable[[Ask, int], Reply | EngineError]


class Many:
    """Each call in a thread of its own; `says` gets the Ask and the number of the call of its episode, from 1."""

    def __init__(self, says: Says, width: int = EPISODES) -> None:
        self.says, self.width = says, width
        self.lock = threading.Lock()
        self.calls: Counter[str] = Counter()
        self.now = self.most = 0
        self.batches: list[int] = []
        self.cancelled = threading.Event()

    def describe(self) -> dict[str, object]:
        return {"kind": "many"}

    def at_once(self) -> int:
        return self.width

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        (ask,) = asks
        with self.lock:
            self.batches.append(1)
            self.calls[ask.episode] += 1
            number = self.calls[ask.episode]
            self.now += 1
            self.most = max(self.most, self.now)
        try:
            return [self.says(ask, number)]
        finally:
            with self.lock:
                self.now -= 1

    def cancel(self) -> None:
        self.cancelled.set()

    def close(self) -> None: ...


def words(ask: Ask) -> Reply:
    return Reply(f"答{ask.messages[-1].content}", Usage(generated=2))


def digests(scheduler: Scheduler) -> list[str]:
    with Journal.open(scheduler.journal.path) as journal:
        return [digest(read_episode(journal, row.id)) for row in journal.episodes()]


def played(path: Path, says: Says, width: int = EPISODES, *, parallel: int = EPISODES) -> tuple[Scheduler, Many]:
    engine = Many(says, width)
    with new(path, EPISODES) as journal:
        scheduler = begin(journal, engine)
        scheduler.run(parallel=parallel)
        journal.check()
    return scheduler, engine


def notices(scheduler: Scheduler) -> list[Notice]:
    log = scheduler.watchers[0]
    assert isinstance(log, Log)
    return log.notices


@pytest.fixture
def short_waits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exchange, "WAITS", (0.01,) * 8)


def test_a_slow_episode_holds_up_nobody(tmp_path: Path) -> None:
    """The first call of one episode is not answered before every other episode has ended."""
    others = threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        if ask.episode == "0" and number == 1:
            assert others.wait(PATIENCE)
        return words(ask)

    class Ends:
        ended = 0

        def notify(self, notice: Notice) -> None:
            if isinstance(notice, RecordsCommitted) and notice.state.stopped is not None:
                self.ended += 1
                if self.ended == EPISODES - 1:
                    others.set()

    with new(tmp_path / "r.moot", EPISODES) as journal:
        scheduler = begin(journal, Many(says))
        scheduler.watchers.append(Ends())
        scheduler.run(parallel=2)
    assert not scheduler.episodes.open


def shuffled(path: Path, seed: int, parallel: int) -> tuple[Scheduler, Many]:
    """Replies come as a lot decides."""
    chance = random.Random(seed)
    gates = {str(n): threading.Semaphore(0) for n in range(EPISODES)}
    over = threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        assert gates[ask.episode].acquire(timeout=PATIENCE)
        return words(ask)

    def open_gates() -> None:
        while not over.wait(0.001):
            gates[chance.choice(list(gates))].release()

    helper = threading.Thread(target=open_gates)
    helper.start()
    try:
        return played(path, says, parallel=parallel)
    finally:
        over.set()
        helper.join()


@pytest.mark.parametrize("parallel", [2, 6])
def test_the_order_of_replies_changes_no_record(tmp_path: Path, parallel: int) -> None:
    wanted = digests(played(tmp_path / "one.moot", lambda ask, _: words(ask), parallel=1)[0])
    for seed in range(3):
        scheduler, engine = shuffled(tmp_path / f"{seed}.moot", seed, parallel)
        assert digests(scheduler) == wanted and engine.most <= parallel


@pytest.mark.usefixtures("short_waits")
@pytest.mark.parametrize("width", [1, EPISODES])
def test_a_server_that_comes_back_costs_no_episode_anything(tmp_path: Path, width: int) -> None:
    wanted = digests(played(tmp_path / "whole.moot", lambda ask, _: words(ask))[0])
    tries = iter(range(1000))

    def says(ask: Ask, number: int) -> Reply | EngineError:
        return Unavailable("no server answers") if 4 <= next(tries) < 4 + width else words(ask)

    scheduler, engine = played(tmp_path / "r.moot", says, width)
    assert digests(scheduler) == wanted and not scheduler.lost and engine.most <= width
    assert any(isinstance(notice, EngineUnavailable) and notice.seconds is not None for notice in notices(scheduler))


@pytest.mark.usefixtures("short_waits")
def test_a_server_that_stays_away_pauses_the_run(tmp_path: Path) -> None:
    """No episode becomes an error; who needs no server goes on; the same file goes on when it is back."""
    wanted = digests(played(tmp_path / "whole.moot", lambda ask, _: words(ask))[0])
    path = tmp_path / "r.moot"
    engine = Many(lambda ask, number: Unavailable("no server answers") if number > 2 else words(ask))
    with new(path, EPISODES) as journal:
        scheduler = begin(journal, engine)
        scheduler.run(parallel=EPISODES)
        assert str(scheduler.lost["scripted:x"]) == "no server answers"
        assert all(driver.ask is not None and not driver.stopped for driver in scheduler.episodes.values())
        assert not any(e.event.tag == "engine_failed" for d in scheduler.episodes.values() for e in d.state.records)
    (last,) = [
        notice for notice in notices(scheduler) if isinstance(notice, EngineUnavailable) and notice.seconds is None
    ]
    assert last.spec == "scripted:x"
    with Journal.open(path, write=True) as journal:
        scheduler = begin(journal, Many(lambda ask, _: words(ask)))
        scheduler.run(parallel=EPISODES)
        assert digests(scheduler) == wanted


@pytest.mark.parametrize("by", ["interrupt", "pause"])
def test_a_wait_for_a_server_can_be_broken_off(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, by: str) -> None:
    """By a person, or by the scheduler that looks now and then whether it is to go on."""
    monkeypatch.setattr(exchange, "WAITS", (PATIENCE,))
    monkeypatch.setattr(exchange, "POLL", 0.01)
    with new(tmp_path / "r.moot", 2) as journal:
        scheduler = begin(journal, Many(lambda ask, _: Unavailable("no server answers")))

        class Impatient:
            def notify(self, notice: Notice) -> None:
                if isinstance(notice, EngineUnavailable) and by == "interrupt":
                    threading.Thread(target=scheduler.interrupt).start()

        def go_on() -> bool:
            return by == "interrupt" or not any(isinstance(n, EngineUnavailable) for n in notices(scheduler))

        scheduler.watchers.append(Impatient())
        scheduler.run(parallel=2, go_on=go_on)
        assert not scheduler.lost and all(driver.ask is not None for driver in scheduler.episodes.values())


@pytest.mark.usefixtures("short_waits")
@pytest.mark.parametrize(
    ("error", "times", "finished"),
    [
        (Busy("busy"), exchange.ALONE + 3, EPISODES),
        (Busy("busy"), 10**9, EPISODES - 1),
        (Unavailable("no server answers"), 10**9, EPISODES - 1),
    ],
)
def test_a_question_that_is_turned_away_by_lot_is_no_fault_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, error: EngineError, times: int, finished: int
) -> None:
    """But one that is turned away for ever does not hold up the run."""
    monkeypatch.setattr(exchange, "THROTTLED", times + 1 if finished == EPISODES else exchange.ALONE + 1)
    left = [times]

    def says(ask: Ask, number: int) -> Reply | EngineError:
        if ask.episode == "0" and left[0]:
            left[0] -= 1
            return error
        return words(ask)

    scheduler, _ = played(tmp_path / "r.moot", says, 2, parallel=2)
    outcomes = [scheduler.episodes.outcome(name) for name in scheduler.episodes]
    assert outcomes.count("finished") == finished and all(outcomes)


@pytest.mark.usefixtures("short_waits")
def test_episodes_at_a_lost_engine_give_up_their_places(tmp_path: Path) -> None:
    """With one place: those behind a lost engine stand, all others end, and none begins that would only stand."""
    here, gone = Many(lambda ask, _: words(ask)), Many(lambda ask, _: Unavailable("no server answers"))
    with new(tmp_path / "r.moot", EPISODES) as journal:
        scheduler = begin(journal, here)
        scheduler.engines["scripted:y"] = gone
        lost = [str(number) for number in range(0, EPISODES, 2)]
        for episode in lost:
            scheduler.seat(episode, Seated(seat="agent", policy="talk/1", engine="scripted:y"))
        scheduler.run(parallel=1)
        assert [name for name, driver in scheduler.episodes.items() if not driver.stopped] == lost
        assert [scheduler.episodes[name].ask is not None for name in lost] == [True, False, False]


def test_a_pause_lets_steps_end_and_begins_none(tmp_path: Path) -> None:
    asked = threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        asked.set()
        return words(ask)

    with new(tmp_path / "r.moot", 2) as journal:
        scheduler = begin(journal, Many(says))
        scheduler.run(parallel=2, go_on=lambda: not asked.is_set())
        assert {driver.state.steps for driver in scheduler.episodes.values()} <= {0, 1, 2}
        assert not any(driver.in_step for driver in scheduler.episodes.values()) and not asked.clear()  # type: ignore[func-returns-value]
        scheduler.run(parallel=2)
        assert all(driver.stopped for driver in scheduler.episodes.values())


def test_a_defect_of_an_engine_ends_the_run_and_nothing_stays_in_flight(tmp_path: Path) -> None:
    stop = threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        if ask.episode == "0":
            raise ZeroDivisionError("a defect")
        assert stop.wait(PATIENCE)
        return Reply("", finish="cancelled")

    engine = Many(says)
    engine.cancelled = stop
    with new(tmp_path / "r.moot", 2) as journal:
        scheduler = begin(journal, engine)
        with pytest.raises(ZeroDivisionError):
            scheduler.run(parallel=2)
        assert engine.now == 0
        journal.check()


def test_two_seats_with_one_engine_stand_in_one_line(tmp_path: Path) -> None:
    class Alone(Counting):
        now = most = 0

        def answer(self, asks, listen=None):  # type: ignore[no-untyped-def]
            self.now += 1
            self.most = max(self.most, self.now)
            replies = super().answer(asks, listen)
            self.now -= 1
            return replies

    engine = Alone()
    with new(tmp_path / "r.moot", EPISODES) as journal:
        scheduler = begin(journal, engine)
        scheduler.engines["scripted:y"] = engine
        for number in range(0, EPISODES, 2):
            scheduler.seat(str(number), Seated(seat="agent", policy="talk/1", engine="scripted:y"))
        scheduler.run(parallel=EPISODES)
    assert engine.most == 1 and engine.batches == [EPISODES] * 4


def test_who_does_not_hear_the_first_word_is_told_again(tmp_path: Path) -> None:
    """A call that is on its way while it is cancelled begins as if nobody had said anything."""
    told = 0
    heard, begun = threading.Event(), threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        begun.set()
        assert heard.wait(PATIENCE)
        return Reply("", finish="cancelled")

    class Deaf(Many):
        def cancel(self) -> None:
            nonlocal told
            told += 1
            if told > 3:
                heard.set()

    with new(tmp_path / "r.moot") as journal:
        scheduler = begin(journal, Deaf(says))
        stopper = threading.Thread(target=lambda: (begun.wait(PATIENCE), scheduler.interrupt()))
        stopper.start()
        scheduler.run()
        stopper.join()
        assert scheduler.episodes["0"].ask is not None and told > 3


def test_a_watcher_may_end_an_episode_while_its_call_is_in_flight(tmp_path: Path) -> None:
    cancelled = threading.Event()

    def says(ask: Ask, number: int) -> Reply:
        if ask.episode == "0":
            assert cancelled.wait(PATIENCE)
        return words(ask)

    with new(tmp_path / "r.moot", 2) as journal:
        scheduler = begin(journal, Many(says))

        class Ends:
            def notify(self, notice: Notice) -> None:
                if isinstance(notice, RecordsCommitted) and notice.episode == "1" and not cancelled.is_set():
                    scheduler.cancel("0")
                    cancelled.set()

        scheduler.watchers.append(Ends())
        scheduler.run(parallel=2)
        outcomes = [driver.state.stopped.outcome for driver in scheduler.episodes.values() if driver.state.stopped]
        assert outcomes == ["cancelled", "finished"]


@pytest.mark.usefixtures("short_waits")
def test_somebody_else_may_sit_where_an_engine_was_given_up(tmp_path: Path) -> None:
    with new(tmp_path / "r.moot") as journal:
        scheduler = begin(journal, Many(lambda ask, _: Unavailable("no server answers")))
        for _ in range(2):
            assert not scheduler.step("0") and scheduler.lost
        scheduler.engines["scripted:y"] = Counting()
        scheduler.seat("0", Seated(seat="agent", policy="talk/1", engine="scripted:y"))
        scheduler.run()
        assert scheduler.episodes["0"].stopped
