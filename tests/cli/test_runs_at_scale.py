"""Runs with a cache of replies, within a budget: as a user starts them, and what is recorded."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from store.cache import Cache, file_of
from store.journal import Journal
from tasks.episode import exchange
from tests.cli.conftest import Moot
from tests.support.fake_endpoint import MODEL, Call, FakeServer, chunk, drip
from tests.support.kill_harness import CALL, END, digests

pytestmark = pytest.mark.slow


def play(call: Call) -> None:
    """Call a tool twice, then answer: what is said follows from the question alone."""
    turns = sum(message["role"] == "assistant" for message in call.body["messages"])
    call.speak(*(END if turns >= 2 else CALL), cached=7)


@pytest.fixture
def server(server: FakeServer) -> FakeServer:
    server.chat = play
    return server


def called(path: Path) -> list[dict[str, Any]]:
    with Journal.open(path) as journal:
        return [
            entry.data
            for row in journal.episodes()
            for attempt in journal.attempts(row.id)
            for entry in journal.entries(attempt.id, "model_called")
        ]


def test_a_seat_takes_one_server(moot: Moot, server: FakeServer) -> None:
    several = f"endpoint:{server.url},http://127.0.0.1:9#{MODEL}"
    moot.run(several).refused(2, "a seat takes one server, and the SPEC names several. Put a proxy before them")
    assert not server.seen


# --- a cache of replies ---------------------------------------------------------------------------------------------


def test_a_second_run_takes_its_replies_from_the_first(moot: Moot, server: FakeServer) -> None:
    first = moot.run(f"endpoint:{server.spec}", "--cache").block()
    path, asked = moot.path(), len(server.asked)
    assert "缓存" not in moot.err and asked == len(called(path)) > 9
    second = moot.run(f"endpoint:{server.spec}", "--cache", "--parallel", "3").block()
    assert len(server.asked) == asked, "nobody was asked"
    assert f"{asked} 条回答取自此前评测的缓存" in moot.err
    assert {**second, "run": ""} == {**first, "run": ""} and digests(moot.path()) == digests(path)
    for one, other in zip(called(path), called(moot.path()), strict=True):
        assert other["origin"] == "cached" and one.get("origin", "") != "cached"
        assert other["milliseconds"] == 0 and other["evaluated"] == 0
        assert other["reused"] == one["evaluated"] + one["reused"] and other["generated"] == one["generated"] > 0
    assert "取自缓存" in moot("show", second["run"], "1").out
    assert moot("show", second["run"], "--verify", "--json").code == 0
    moot.run(f"endpoint:{server.spec}").block()
    assert len(server.asked) == 2 * asked, "without --cache the server is asked"
    kept = next(one for one in json.loads(moot("doctor", "--json").out)["checks"] if one["key"] == "replies")
    assert f"{file_of('replies')}：{asked} 条回答" in kept["detail"]
    file_of("replies").unlink()
    moot.run(f"endpoint:{server.spec}", "--cache").block()
    assert len(server.asked) == 3 * asked


def test_only_replies_that_ended_are_kept(moot: Moot, server: FakeServer) -> None:

    def babble(call: Call) -> None:
        call.begin()
        drip(server, call, chunk({"content": "再"}))

    server.chat = babble
    moot.run(f"endpoint:{server.spec}", "--cache", "--max-seconds", "0.3", "--parallel", "3").block()
    server.chat = lambda call: call.refuse(500, "out of memory")
    moot.run(f"endpoint:{server.spec}", "--cache").block(code=1)
    with Cache(file_of("replies")) as replies:
        assert replies.size()[0] == 0


def test_a_damaged_cache_is_said_and_the_run_is_whole(moot: Moot, server: FakeServer) -> None:
    file_of("replies").parent.mkdir(parents=True, exist_ok=True)
    file_of("replies").write_bytes(b"nothing that a database holds" * 500)
    block = moot.run(f"endpoint:{server.spec}", "--cache").block()
    assert block["outcomes"]["finished"] == 3
    assert moot.err.count(str(file_of("replies"))) == 1 and "A new one was begun." in moot.err
    asked = len(server.asked)
    moot.run(f"endpoint:{server.spec}", "--cache").block()
    assert len(server.asked) == asked and "damaged" not in moot.err


def test_a_run_that_was_cut_goes_on_with_the_cache(moot: Moot, server: FakeServer) -> None:
    moot.run(f"endpoint:{server.spec}", "--cache").block()
    moot.run(f"endpoint:{server.spec}", "--cache", "--budget-seconds", "1e-9")
    assert moot.code == 1 and not called(moot.path())
    assert json.loads(moot("resume", moot.path().stem, "--budget-seconds", "1e9", "--json").out)["n"] == 3
    assert all(call["origin"] == "cached" for call in called(moot.path()))


# --- a budget -------------------------------------------------------------------------------------------------------


def tokens_of(path: Path) -> int:
    return sum(call["evaluated"] + call["reused"] + call["generated"] for call in called(path))


def test_a_run_stands_when_its_tokens_are_spent_and_goes_on_with_more(moot: Moot, server: FakeServer) -> None:
    moot.run(f"endpoint:{server.spec}").block()
    whole, wanted = tokens_of(moot.path()), digests(moot.path())
    least = min(call["evaluated"] + call["reused"] + call["generated"] for call in called(moot.path()))
    asked = len(server.asked)
    moot.run(f"endpoint:{server.spec}", "--budget-tokens", str(least + 1))
    path = moot.path()
    stood = len(server.asked)
    assert moot.code == 1 and moot.out == "" and asked < stood < 2 * asked, "the step in which it is spent ends"
    assert f"the budget of the run is spent: {tokens_of(path)} of {least + 1} tokens" in moot.err
    assert "stopped with 3 episodes unfinished. `moot resume" in moot.err
    assert moot("resume", path.stem, "--json").code == 1 and "--budget-tokens" in moot.err
    assert len(server.asked) == stood, "nothing is left of it"
    assert moot("resume", path.stem, "--budget-tokens", str(whole // 2), "--json").code == 1
    assert moot("resume", path.stem, "--budget-tokens", str(whole + 1), "--json").code == 0, moot.err
    assert tokens_of(path) == whole and digests(path) == wanted, "nothing was asked twice"


def test_what_failed_before_is_part_of_what_was_spent(moot: Moot, server: FakeServer) -> None:
    """An attempt that ended in an error, and the one that took its calls over, count each call once."""

    def fail_later(call: Call) -> None:
        assistant = sum(message["role"] == "assistant" for message in call.body["messages"])
        call.refuse(500, "out of memory") if assistant else play(call)

    server.chat = fail_later
    moot.run(f"endpoint:{server.spec}").block(code=1)
    path, used = moot.path(), tokens_of(moot.path())
    server.chat = play
    assert moot("resume", path.stem, "--budget-tokens", str(used), "--json").code == 1
    assert f"the budget of the run is spent: {used} of {used} tokens" in moot.err
    assert moot("resume", path.stem, "--budget-tokens", str(used), "--json").code == 1
    assert f"the budget of the run is spent: {used} of {used} tokens" in moot.err, "the copies count for nothing"


def test_a_run_stands_when_its_time_is_over_even_while_it_waits(
    moot: Moot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "POLL", 0.01)
    monkeypatch.setattr(exchange, "WAITS", (300.0,))
    server.chat = lambda call: call.refuse(502, "nobody behind")
    moot.run(f"endpoint:{server.spec}", "--budget-seconds", "0.2")
    assert moot.code == 1 and "the time of the run is over: 0.2 seconds" in moot.err
    assert "3 episodes unfinished" in moot.err
    server.chat = play
    assert moot("resume", moot.path().stem, "--budget-seconds", "1e9", "--json").code == 0, moot.err


def test_a_fork_has_no_part_in_the_budget_of_its_run(moot: Moot, server: FakeServer) -> None:
    block = moot.run(f"endpoint:{server.spec}", "--budget-tokens", "1000000").block()
    with Journal.open(moot.path()) as journal:
        assert journal.header["spec"]["budget_tokens"] == 1_000_000
    assert moot("fork", block["run"], "1", "--turn", "1", "--json").code == 0
    with Journal.open(moot.path()) as journal:
        assert journal.header["spec"]["budget_tokens"] is None


@pytest.mark.parametrize("option", ["--budget-tokens=viel", "--budget-seconds=0"])
def test_no_budget_at_all_is_a_wrong_call(moot: Moot, server: FakeServer, option: str) -> None:
    assert moot.run(f"endpoint:{server.spec}", option).code == 2 and moot.out == ""
