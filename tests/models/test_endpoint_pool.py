"""Several servers behind one seat: who is asked, who is left alone and for how long, and who may not join the
others."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
from hypothesis import given
from hypothesis import strategies as st

from models.endpoint import EndpointEngine
from models.endpoint_pool import RESTS, Member, Pool
from models.endpoint_server import Server, read_address, read_addresses
from models.engine import Ask, Busy, EngineError, Message, Reply, Several, Unavailable
from models.errors import BadEngine, ForeignHost
from tasks.run import engines
from tasks.run.engines import open_engine
from tasks.run.header import description_hash
from tests.support.fake_endpoint import MODEL, Call, FakeServer, fake_server
from tests.support.patience import PATIENCE


class Clock:
    """Seconds that pass when a test says so."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def two() -> Iterator[list[FakeServer]]:
    with ExitStack() as stack:
        yield [stack.enter_context(fake_server()) for _ in range(2)]


def spec_of(servers: list[FakeServer]) -> str:
    return f"endpoint:{','.join(server.url for server in servers)}#{MODEL}"


def opened(servers: list[FakeServer], *, parallel: int = 4) -> EndpointEngine:
    made = open_engine(spec_of(servers), parallel=parallel)
    assert isinstance(made, EndpointEngine) and isinstance(made, Several)
    return made


def at(clock: Clock, servers: list[FakeServer]) -> EndpointEngine:
    """The same with a clock of the test."""
    pool = Pool([Member(Server(read_address(server.spec))) for server in servers], clock)
    pool.meet()
    return EndpointEngine(pool, together=4)


def ask(text: str = "原告是谁？") -> Ask:
    return Ask("agent", (Message("user", text),), "react/2")


def one(engine: EndpointEngine, text: str = "原告是谁？") -> Reply | EngineError:
    (found,) = engine.answer([ask(text)])
    return found


def refuse(status: int, **headers: str) -> object:
    return lambda call: call.refuse(
        status, "no", headers={name.replace("_", "-"): value for name, value in headers.items()}
    )


def asked(servers: list[FakeServer]) -> list[int]:
    return [len(server.asked) for server in servers]


def test_the_least_busy_is_asked(two: list[FakeServer]) -> None:
    """Four calls wait for each other: they are all in flight, two at each server."""
    together = threading.Barrier(4, timeout=PATIENCE)

    def answer(call: Call) -> None:
        together.wait()
        call.speak("好")

    for server in two:
        server.chat = answer
    engine = opened(two)
    found = engine.answer([ask(str(n)) for n in range(4)])
    assert all(isinstance(reply, Reply) and reply.text == "好" for reply in found)
    assert [server.busiest for server in two] == [2, 2] and engine.away() == []
    engine.close()


def test_a_dead_one_is_left_alone_and_tried_again_by_one_call(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    speak, two[0].chat = two[0].chat, refuse(502)  # type: ignore[assignment]
    assert isinstance(one(engine), Reply) and asked(two) == [1, 1], "the other one answers"
    (away,) = engine.away()
    assert "failed (502)" in str(away)
    for _ in range(5):
        assert isinstance(one(engine), Reply)
    assert asked(two) == [1, 6], "nobody asks it before it has rested"
    clock.now = RESTS[0]
    assert isinstance(one(engine), Reply) and asked(two) == [2, 7], "it is tried, in vain"
    clock.now += RESTS[0] / 2
    assert isinstance(one(engine), Reply) and asked(two) == [2, 8], "it rests longer the second time"
    clock.now += RESTS[1]
    gate, begun = threading.Event(), threading.Event()

    def slowly(call: Call) -> None:
        begun.set()
        assert gate.wait(PATIENCE)
        speak(call)

    two[0].chat = slowly
    trial = threading.Thread(target=lambda: one(engine))
    trial.start()
    assert begun.wait(PATIENCE)
    assert isinstance(one(engine), Reply) and asked(two) == [3, 9], "one call is enough for a trial"
    gate.set()
    trial.join()
    assert engine.away() == []
    assert isinstance(one(engine), Reply) and asked(two) == [4, 9], "it is back"
    engine.close()


def test_where_nobody_answers_all_have_been_asked(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    for server in two:
        server.chat = refuse(502)  # type: ignore[assignment]
    for calls in (1, 2):
        found = one(engine)
        assert isinstance(found, Unavailable) and not isinstance(found, Busy)
        assert str(found).startswith("none of the 2 servers behind the seat answers: the server at http")
        assert asked(two) == [calls, calls], "servers that rest are asked where nobody else is left"
    engine.close()


def test_who_asks_to_be_left_alone_is(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    two[0].chat = refuse(429, Retry_After="100")  # type: ignore[assignment]
    two[1].chat = refuse(503, Retry_After="70")  # type: ignore[assignment]
    found = one(engine)
    assert isinstance(found, Busy) and found.wait == pytest.approx(70) and asked(two) == [1, 1]
    clock.now = 69.0
    found = one(engine)
    assert isinstance(found, Busy) and found.wait == pytest.approx(1) and asked(two) == [1, 1], "nobody was asked"
    two[1].chat = lambda call: call.speak("好")
    clock.now = 71.0
    assert isinstance(one(engine), Reply) and asked(two) == [1, 2]
    engine.close()


def test_whoever_was_asked_last_says_why_though_others_were_answered_meanwhile(clock: Clock) -> None:
    """Another call may clear what was noted of a server before this one asks for it."""
    pool = Pool([Member(Server(read_address(f"http://127.0.0.{n}#m")), "m", {}) for n in (1, 2)], clock)
    for member in pool.members:
        pool.failed(member, Unavailable("gone"))
        pool.well(member)
    assert "nobody answers" in str(pool.nobody()) and "gone too" in str(pool.nobody(Unavailable("gone too")))
    pool.failed(pool.members[0], Busy("busy", wait=9.0))
    pool.well(pool.members[0])
    assert [str(why) for why in pool.away()] == ["busy"], "who asked to be left alone still is"
    pool.close()


def test_a_busy_server_is_waited_for_only_where_there_is_no_other(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    two[0].chat = refuse(429, Retry_After="0.01")  # type: ignore[assignment]
    assert isinstance(one(engine), Reply) and asked(two) == [1, 1]
    alone = at(clock, two[:1])
    assert isinstance(one(alone), Busy) and asked(two)[0] > 2
    for made in (engine, alone):
        made.close()


@pytest.mark.parametrize(
    ("said", "least", "most"),
    [("7200", 3600, 3600), ("1e9", 3600, 3600), ("Wed, 21 Oct 2099 07:28:00 GMT", 3600, 3600), ("31", 31, 31)],
)
def test_a_wait_has_a_bound(clock: Clock, two: list[FakeServer], said: str, least: float, most: float) -> None:
    engine = at(clock, two[:1])
    two[0].chat = refuse(503, Retry_After=said)  # type: ignore[assignment]
    found = one(engine)
    assert isinstance(found, Busy) and found.wait is not None and least <= found.wait <= most
    assert "is busy (503)" in str(found)
    engine.close()


def test_a_question_that_is_refused_takes_no_server_out(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    for server in two:
        server.chat = refuse(400)  # type: ignore[assignment]
    for _ in range(3):
        found = one(engine)
        assert isinstance(found, EngineError) and not isinstance(found, Unavailable)
    assert engine.away() == [] and sum(asked(two)) == 3, "another server would do no better"
    engine.close()


def test_a_server_that_fails_at_once_does_not_swallow_all_calls(two: list[FakeServer], clock: Clock) -> None:
    engine = at(clock, two)
    two[0].chat = refuse(500)  # type: ignore[assignment]
    assert isinstance(one(engine), EngineError)
    for _ in range(5):
        assert isinstance(one(engine), Reply)
    assert asked(two) == [1, 5]
    engine.close()


def test_who_is_away_at_first_joins_later(two: list[FakeServer], clock: Clock) -> None:
    pages = two[0].pages.pop("/v1/models")
    two[0].page("/v1/models", {"error": "loading"}, status=503)
    engine = at(clock, two)
    assert len(engine.away()) == 1 and engine.describe()["servers"][0] == {  # type: ignore[index]
        "url": f"{two[0].url}/v1",
        "away": True,
    }
    assert isinstance(one(engine), Reply) and asked(two) == [0, 1]
    two[0].page("/v1/models", b"<html>starting</html>", kind="text/html")
    clock.now = RESTS[0]
    assert isinstance(one(engine), Reply) and asked(two) == [0, 2], "what is not ready yet costs no question anything"
    two[0].pages["/v1/models"] = pages
    clock.now += RESTS[1]
    assert isinstance(one(engine), Reply) and asked(two) == [1, 2] and engine.away() == []
    engine.close()


def test_who_comes_back_with_another_model_is_not_asked(two: list[FakeServer], clock: Clock) -> None:
    two[0].page("/v1/models", {"error": "loading"}, status=503)
    engine = at(clock, two)
    two[0].lists(MODEL, size=7)
    clock.now = RESTS[0]
    assert isinstance(one(engine), Reply)
    clock.now = 1e9
    assert isinstance(one(engine), Reply) and asked(two) == [0, 2]
    (why,) = engine.away()
    assert "differ in size: - at" in str(why) and ", 7 at" in str(why)
    engine.close()


def test_servers_with_different_models_are_refused_at_the_start(two: list[FakeServer]) -> None:
    for facts, words in (({"size": 7}, "differ in size"), ({"max_model_len": 4096}, "differ in max_model_len")):
        two[1].lists(MODEL, **facts)
        with pytest.raises(BadEngine, match=words) as refused:
            opened(two)
        assert "\n" not in str(refused.value)
    two[1].lists("another")
    with pytest.raises(BadEngine, match="has no model 'falsch-7b'"):
        opened(two)
    with pytest.raises(BadEngine, match=r"differ in model: falsch-7b at .*, another at"):
        open_engine(spec_of(two).partition("#")[0])
    two[1].chat = two[0].chat
    with pytest.raises(BadEngine, match="stands in the SPEC twice"):
        open_engine(spec_of([two[0], two[0]]))


def test_what_is_recorded_does_not_depend_on_who_was_there(two: list[FakeServer], clock: Clock) -> None:
    for server, version in zip(two, ("0.9.1", "0.9.2"), strict=True):
        server.page("/version", {"version": version})
    whole = at(clock, two).describe()
    assert whole["urls"] == [f"{server.url}/v1" for server in two] and whole["model"] == MODEL
    assert [said["version"] for said in whole["servers"]] == ["0.9.1", "0.9.2"]  # type: ignore[index, attr-defined]
    two[1].page("/v1/models", {"error": "down"}, status=503)
    half = at(clock, two).describe()
    assert half != whole and description_hash(half) == description_hash(whole)
    two[0].lists(MODEL, size=7)
    assert description_hash(at(clock, two).describe()) != description_hash(whole)


def test_nobody_there_at_the_start(two: list[FakeServer]) -> None:
    for server in two:
        server.page("/v1/models", {"error": "down"}, status=502)
    with pytest.raises(Unavailable, match="none of the 2 servers behind the seat answers"):
        opened(two)


def test_every_host_is_asked_about_before_anything_is_sent(
    two: list[FakeServer], monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted: list[str] = []

    def admit(refusal: ForeignHost) -> str:
        wanted.append(refusal.host)
        if refusal.host == "192.0.2.8":
            raise refusal
        return "BOX_KEY"

    monkeypatch.setattr(engines, "admit", admit)
    with pytest.raises(ForeignHost):
        open_engine(f"endpoint:{two[0].url},http://192.0.2.7,http://192.0.2.8#m")
    assert wanted == ["192.0.2.7", "192.0.2.8"] and two[0].seen == []


def test_each_host_has_its_own_key() -> None:
    found = read_addresses("http://127.0.0.1:1,http://box:2#m", {"box": "BOX_KEY"})
    assert [(address.base, address.model, address.key) for address in found] == [
        ("http://127.0.0.1:1/v1", "m", "MOOT_API_KEY"),
        ("http://box:2/v1", "m", "BOX_KEY"),
    ]
    for wrong in ("http://127.0.0.1,127.0.0.2#m", "http://127.0.0.1,#m", ",http://127.0.0.1#m"):
        with pytest.raises(BadEngine, match="is no address of a server"):
            read_addresses(wrong)


@given(st.lists(st.tuples(st.sampled_from(["take", "well", "failed", "shut", "release", "pass"]), st.integers(0, 3))))
def test_a_pool_keeps_count_and_asks_nobody_it_must_not(doings: list[tuple[str, int]]) -> None:
    clock = Clock()
    pool = Pool([Member(Server(read_address(f"http://127.0.0.{n}#m")), "m", {}) for n in range(1, 5)], clock)
    taken: list[Member] = []
    for doing, which in doings:
        member = pool.members[which]
        if doing == "take":
            found = pool.take([member.url])
            open_ = [m for m in pool.members if m is not member and m.shut_until <= clock.now]
            assert (found is None) == (not open_)
            if found is not None:
                assert found in open_
                taken.append(found)
        elif doing == "well":
            pool.well(member)
        elif doing == "failed":
            pool.failed(member, Unavailable("no server answers"))
            assert member.rests_until - clock.now <= RESTS[-1]
        elif doing == "shut":
            pool.failed(member, Busy("busy", wait=5.0))
        elif doing == "release" and taken:
            pool.release(taken.pop())
        elif doing == "pass":
            clock.now += which
        assert [m.busy for m in pool.members] == [taken.count(m) for m in pool.members]
        assert len(pool.away()) == sum(m.why is not None for m in pool.members)
    pool.close()
