"""Runs on an endpoint as a user starts them: scores, what is recorded, hosts that may be reached, servers that are
down."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path

import pytest

from store.journal import Journal
from tasks.episode import exchange
from tests.cli.conftest import Moot
from tests.support.fake_endpoint import MODEL, Call, FakeServer, chunk, drip, fake_server
from tests.support.kill_harness import END, prepare
from tests.support.patience import PATIENCE

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow

KEY = "sk-secret-0123456789"


def test_a_run_on_an_endpoint(moot: Moot, server: FakeServer, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MOOT_API_KEY", KEY)
    block = moot.run(f"endpoint:{server.spec}", "--parallel", "3").block()
    assert block["n"] == 3 == sum(block["outcomes"].values())
    with Journal.open(moot.path()) as journal:
        (engine,) = journal.header["engines"].values()
        assert engine["kind"] == "endpoint" and engine["url"] == f"{server.url}/v1"
        attempt = journal.attempts("1")[-1]
        called = next(entry.data for entry in journal.entries(attempt.id) if entry.tag == "model_called")
    assert called["reused"] == 7 and called["evaluated"] > 0 and called["generated"] > 0
    assert KEY.encode() not in moot.path().read_bytes()
    assert server.seen[-1][1]["Authorization"] == f"Bearer {KEY}"


def test_a_server_that_is_down_is_said_before_anything_is_written(moot: Moot) -> None:
    with fake_server() as gone:
        spec = gone.spec
    moot.run(f"endpoint:{spec}").refused(1, "no server answers at", "Start it or correct the address")


def test_another_host_is_refused_unless_it_is_named(moot: Moot) -> None:
    moot.run("endpoint:http://192.0.2.7:8000#m").refused(2, "is not this machine", "--allow-host 192.0.2.7")
    moot.run("endpoint:http://host.invalid#m", "--allow-host", "box.invalid").refused(
        2, "--allow-host host.invalid", "moot config hosts allow host.invalid"
    )
    for wrong in ("http://box", "box:8000", "*", "a b", "", "127.1", "fe80::1%eth0"):
        moot.run("endpoint:http://box#m", "--allow-host", wrong).refused(2, "is no host")
    moot.run("endpoint:http://me:geheim@127.0.0.1#m").refused(2, "MOOT_API_KEY")
    assert "geheim" not in moot.err


def test_the_guard_speaks_up_where_the_flag_did_not_open_it(moot: Moot, monkeypatch: pytest.MonkeyPatch) -> None:
    """Both walls must be opened: the engine's own and that of the sockets."""
    monkeypatch.setattr("app.hosts.open_hosts", lambda hosts: None)
    moot.run("endpoint:http://192.0.2.9:8000#m", "--allow-host", "192.0.2.9")
    moot.refused(1, "cannot reach http://192.0.2.9:8000/v1", "Network use refused")


def test_no_run_says_where_it_may_reach(moot: Moot, server: FakeServer) -> None:
    """What was allowed for one command is neither stored nor handed on."""
    block = moot.run(f"endpoint:{server.spec}", "--allow-host", "192.0.2.17", "--allow-host", "[2001:db8::1]").block()
    assert moot("fork", block["run"], "1", "--turn", "0", "--allow-host", "192.0.2.18", "--json").code == 0, moot.err
    for path in (moot.home / "runs").glob("*.moot"):
        with Journal.open(path) as journal:
            header = journal.header
        assert "allow_hosts" not in header["spec"]
    assert not (moot.home / "config").exists()


def test_a_server_that_fails_is_no_fault_of_the_model_and_the_run_goes_on(moot: Moot, server: FakeServer) -> None:
    def fail(call: Call) -> None:
        call.refuse(500, "out of memory")

    speak, server.chat = server.chat, fail
    block = moot.run(f"endpoint:{server.spec}").block(code=1)
    assert block["outcomes"]["error"] == 3
    assert "3 of 3 episodes ended in an error, most often: engine failed, 3 times" in moot.err
    shown = moot("show", block["run"], "1")
    assert "failed (500): out of memory" in shown.out
    server.lists(MODEL, owned_by="somebody else")
    moot("resume", block["run"])
    assert moot.code == 1 and "differs from its record" in moot.err
    server.lists(MODEL)
    server.chat = speak
    assert moot("resume", block["run"], "--json").block()["outcomes"]["error"] == 0


def test_a_server_that_goes_away_pauses_the_run(
    moot: Moot, server: FakeServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exchange, "WAITS", (0.01, 0.01))

    def leave(call: Call) -> None:
        call.refuse(502, "nobody behind") if len(server.asked) > 1 else speak(call)

    speak, server.chat = server.chat, leave
    moot.run(f"endpoint:{server.spec}", "--parallel", "2")
    assert moot.code == 1 and moot.out == ""
    assert moot.err.count("nobody behind。1 秒后重试。") >= 2
    assert "nobody behind。已试 3 次，等它作答的各局就此停住。" in moot.err
    assert "episodes unfinished. `moot resume" in moot.err
    server.chat = speak
    block = moot("resume", moot.path().stem, "--json").block()
    assert block["n"] == 3 and block["outcomes"]["error"] == 0
    with Journal.open(moot.path()) as journal:
        entries = [e for row in journal.episodes() for a in journal.attempts(row.id) for e in journal.entries(a.id)]
    assert not any(entry.tag == "engine_failed" for entry in entries)


def test_a_run_stops_after_so_many_failures_and_takes_them_up_again(moot: Moot, server: FakeServer) -> None:
    speak, server.chat = server.chat, lambda call: call.refuse(500, "out of memory")
    moot.run(f"endpoint:{server.spec}", "--max-failures", "2")
    assert moot.code == 1 and moot.out == ""
    assert "stopped with 1 episodes unfinished" in moot.err and "2 of 3 episodes ended in an error" in moot.err
    server.chat = speak
    block = moot("resume", moot.path().stem, "--max-failures", "1", "--json").block()
    assert block["n"] == 3 and block["outcomes"]["error"] == 0


def test_more_calls_than_sixteen_are_put_at_a_time(moot: Moot, server: FakeServer) -> None:
    moot.spec = prepare(moot.home, tasks=24)
    everybody = threading.Barrier(24, timeout=PATIENCE)

    def together(call: Call) -> None:
        everybody.wait()
        call.speak(*END)

    server.chat = together
    block = moot.run(f"endpoint:{server.spec}", "--parallel", "24").block()
    assert block["n"] == 24 and server.busiest == 24


def test_max_seconds_reaches_a_call_in_flight(moot: Moot, server: FakeServer) -> None:
    """A server that speaks for ever: the episode ends in time, the words so far are on record."""

    def babble(call: Call) -> None:
        call.begin()
        drip(server, call, chunk({"content": "再"}))

    server.chat = babble
    block = moot.run(f"endpoint:{server.spec}", "--max-seconds", "1.5", "--parallel", "3").block()
    assert block["outcomes"]["time_limit"] == 3 and block["outcomes"]["error"] == 0
    with Journal.open(moot.path()) as journal:
        entries = journal.entries(journal.attempts("1")[-1].id)
    called = next(entry.data for entry in entries if entry.tag == "model_called")
    assert called["finish"] == "time_limit" and set(called["text"]) <= {"再"}
    assert [entry.tag for entry in entries[-3:]] == ["step_ended", "limit_hit", "stopped"]
    assert moot("show", block["run"], "1", "--verify").code == 0, moot.err
    asked = len(server.asked)
    assert json.loads(moot("resume", block["run"], "--json").out)["outcomes"]["time_limit"] == 3
    assert len(server.asked) == asked


def test_errors_beside_answers_are_counted_and_the_run_did_its_work(moot: Moot, server: FakeServer) -> None:
    """Two of three episodes fail, each in its way; the reason named is that of most."""
    speak = server.chat

    def sometimes(call: Call) -> None:
        question = json.dumps(call.body, ensure_ascii=False)
        at = next(place for place, task in enumerate(questions) if task in question)
        return speak(call) if at == 0 else call.refuse(500, "out of memory")

    questions = [task["question"] for task in json.loads(Path(moot.spec["tasks"]).read_text("utf-8"))]
    server.chat = sometimes
    block = moot.run(f"endpoint:{server.spec}").block()
    assert block["outcomes"]["error"] == 2 and block["outcomes"]["finished"] == 1
    assert "2 of 3 episodes ended in an error, most often: engine failed" in moot.err
    assert moot("resume", moot.path().stem, "--json").code == 0
    server.chat = lambda call: call.refuse(500, "out of memory")
    assert moot("fork", moot.path().stem, "2", "--turn", "0", "--json").code == 1
    assert moot.out.startswith("{") and "1 of 1 episodes ended in an error" in moot.err


@pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
def test_ctrl_c_cuts_the_call_in_flight_and_the_run_goes_on(moot: Moot, server: FakeServer) -> None:
    def babble(call: Call) -> None:
        call.begin()
        while call.write(chunk({"content": "再"})) and not server.closing.wait(0.01):
            pass

    speak, server.chat = server.chat, babble
    arguments = ["--agent", "react", "--model", f"endpoint:{server.spec}", "--pack", "kill"]
    command = [sys.executable, "-m", "app.cli.main", "run", "legalagentbench", *arguments]
    command += ["--tasks", moot.spec["tasks"]]
    with subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        while not server.busy:
            assert process.poll() is None and not server.closing.wait(0.02)
        process.send_signal(signal.SIGINT)
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1
    assert "已停止，尚有 3 局未完成。用 `moot resume" in said and "Traceback" not in said
    server.chat = speak
    block = moot("resume", moot.path().stem, "--json").block()
    assert block["n"] == 3 and block["outcomes"]["error"] == 0


# --- what a server cannot do ----------------------------------------------------------------------------------------


def uncounted(call: Call) -> None:
    """A server that reports no usage."""
    call.send(b"".join(chunk({"content": piece}) for piece in END) + chunk({}, "stop"))


@pytest.mark.chinese_sentences
def test_tokens_that_nobody_counts_are_estimated_marked_and_said_once(moot: Moot, server: FakeServer) -> None:
    server.chat = uncounted
    block = moot.run(f"endpoint:{server.spec}").block()
    assert moot.err.count("不报告词元数，改用估计数") == 1
    assert block["outcomes"]["finished"] == 3 == block["flags"]["tokens_estimated"] == block["tokens"]["estimated"]
    assert block["tokens"]["total"] > 0
    assert "（3 局为估计）" in moot("report", block["run"], "--format", "md").out
    with Journal.open(moot.path()) as journal:
        entries = journal.entries(journal.attempts("1")[-1].id)
    called = next(entry.data for entry in entries if entry.tag == "model_called")
    assert "no token counts: estimated" in called["note"] and called["evaluated"] > 0 < called["generated"]


def test_limits_and_budgets_hold_by_the_estimate(moot: Moot, server: FakeServer) -> None:
    server.chat = lambda call: call.send(chunk({"content": f"想一想{len(server.asked)}。"}, "stop"))
    block = moot.run(f"endpoint:{server.spec}", "--max-tokens", "10").block()
    assert block["outcomes"]["token_limit"] == 3
    moot.run(f"endpoint:{server.spec}", "--budget-tokens", "10", "--out", str(moot.home / "second.moot"))
    assert moot.code == 1 and "the budget of the run is spent" in moot.err, moot.err


def test_a_shared_context_is_no_failure_of_an_episode(moot: Moot, server: FakeServer) -> None:
    speak, together = server.chat, threading.Barrier(3, timeout=PATIENCE)
    server.page("/props", {"build_info": "b9", "total_slots": 4, "default_generation_settings": {"n_ctx": 60_000}})

    def share(call: Call) -> None:
        if len(server.asked) <= 3:
            together.wait()
        crowded = server.busy > 1
        call.send(chunk(error={"message": "Context size has been exceeded."})) if crowded else speak(call)

    server.chat = share
    block = moot.run(f"endpoint:{server.spec}", "--parallel", "3").block()
    assert block["outcomes"]["finished"] == 3 and block["outcomes"]["context_full"] == 0
    assert moot.err.count("ran short of context: it is sent fewer calls at a time") == 1
    assert block["flags"]["server_short"] > 0


def stating(server: FakeServer, context: int) -> None:
    server.page("/props", {"build_info": "b9", "total_slots": 4, "default_generation_settings": {"n_ctx": context}})


def without_schema(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    kind = call.body.get("response_format", {}).get("type")
    call.refuse(400, "response_format is not supported") if kind == "json_schema" else speak(call)


def without_bounds(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    call.refuse(400, "failed to parse grammar") if "maxLength" in json.dumps(call.body) else speak(call)


def without_counts(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    uncounted(call)


def without_props(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    server.pages.pop("/props", None)
    speak(call)


def with_less_context(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    stating(server, 1024)
    call.refuse(400, "Context size has been exceeded.")


def with_less_room(server: FakeServer, call: Call, speak: Callable[[Call], None]) -> None:
    stating(server, 1024)
    call.speak("好", finish="length")


@pytest.mark.parametrize(
    "change", [without_schema, without_bounds, without_counts, without_props, with_less_context, with_less_room]
)
def test_a_server_that_changes_in_mid_run_fails_no_healthy_episode(
    moot: Moot, server: FakeServer, change: Callable[[FakeServer, Call, Callable[[Call], None]], None]
) -> None:
    stating(server, 60_000)
    speak, less = server.chat, change in (with_less_context, with_less_room)
    server.chat = lambda call: speak(call) if len(server.asked) <= 4 else change(server, call, speak)
    block = moot.run(f"endpoint:{server.spec}", "--parallel", "1").block(int(less))
    assert {name for name, n in block["outcomes"].items() if n} == {"error" if less else "finished"}
    if less:
        assert "has a context of 1024 tokens now, and had 60000" in moot.err
        server.chat = speak
        stating(server, 60_000)
        assert moot("resume", block["run"], "--json").block()["outcomes"]["finished"] == 3
