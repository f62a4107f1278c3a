"""Runs in the background as a user starts them: they go on without a terminal, are followed, stopped, killed and
resumed, and come to what they would have come to in a terminal. Every wait is for a fact."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from store.journal import Journal
from store.writer import writer_of, writers
from tasks.run.following import standing
from tests.support.fake_endpoint import Call, FakeServer, fake_server
from tests.support.kill_harness import CALL, END, MISS, digests, prepare
from tests.support.patience import PATIENCE
from tests.support.typed import Typed, moot

pytestmark = [pytest.mark.slow, pytest.mark.chinese_sentences]

ROOT = Path(__file__).resolve().parents[2]
FREE = 24
"""Calls that are answered before the server holds its breath: some episodes of eight are over by then, most are
not."""


def until(true: Callable[[], object]) -> None:
    end = time.monotonic() + PATIENCE
    while not true():
        assert time.monotonic() < end, "waited in vain"
        time.sleep(0.02)


class Home:
    """A home with a small pack, tasks and a server that can hold its answers; what plays in the background has a
    process of its own."""

    def __init__(self, home: Path, server: FakeServer) -> None:
        self.home = home
        self.tasks = prepare(home, 8)["tasks"]
        self.server = server
        self.open = threading.Event()
        self.answered, self.free = 0, FREE
        self.fail_every = 0
        server.chat = self.answer

    def answer(self, call: Call) -> None:
        """What follows from the prompt alone, in its time."""
        with self.server.lock:
            self.answered += 1
            fails = self.fail_every and self.answered % self.fail_every == 0
            number = self.answered
        while number > self.free and not self.open.is_set() and not self.server.closing.wait(0.01):
            pass
        told = str(call.body["messages"])
        if fails:
            return call.refuse(400, f"what was asked was: {told[:200]}")
        return call.speak(*(END if told.count("乙公司") > 1 else MISS if "甲公司" in told[-400:] else CALL))

    def more(self) -> None:
        """Some more answers."""
        self.free = self.answered + FREE // 2

    def moot(self, *arguments: str, code: int = 0) -> Typed:
        done = moot(*arguments)
        assert done.code == code, (arguments, done)
        return done

    def line(self, *more: str) -> list[str]:
        start = ["run", "legalagentbench", "--agent", "react", "--model", f"endpoint:{self.server.spec}"]
        return [
            *start,
            "--pack",
            "kill",
            "--tasks",
            self.tasks,
            "--parallel",
            "2",
            "--max-turns",
            "12",
            "--seed",
            "5",
            *more,
        ]

    def begin(self, *more: str) -> tuple[Path, dict[str, Any]]:
        begun = json.loads(self.moot(*self.line("--background", "--json", *more)).out)
        return Path(begun["path"]), begun

    def wanted(self) -> dict[str, str]:
        """What the same run comes to in a terminal; afterwards answers are held again."""
        self.open.set()
        path = self.home / "wanted.moot"
        self.moot(*self.line("--out", str(path)))
        self.open.clear()
        self.answered = 0
        return digests(path)


@pytest.fixture
def home(moot_home: Path) -> Iterator[Home]:
    with fake_server() as server:
        yield Home(moot_home, server)
    for writer in writers(moot_home / "runs").values():  # what a test that failed has left
        os.kill(writer.process, signal.SIGKILL)


def test_a_run_goes_on_alone_for_one_process_and_is_followed_to_its_end(home: Home) -> None:
    wanted = home.wanted()
    path, begun = home.begin()
    writer = writer_of(path)
    assert writer is not None and writer.process == begun["pid"] != os.getpid()
    for more in ((), ("--background",)):
        refused = home.moot("resume", begun["run"], *more, code=1)
        assert refused.err.count("\n") == 1 and "另一个进程正在写入" in refused.err and "moot attach" in refused.err
        assert refused.out == ""
    words = home.home / "words"
    command = [sys.executable, "-m", "app.cli.main", "attach", begun["run"], "--json", "--watch", "json"]
    with (
        words.open("wb") as said_to,
        subprocess.Popen(command, cwd=ROOT, stdout=subprocess.PIPE, stderr=said_to) as attached,
    ):
        until(lambda: "跟看" in words.read_text("utf-8"))
        home.open.set()
        printed, _ = attached.communicate(timeout=PATIENCE)
    assert attached.returncode == 0
    assert writer_of(path) is None, "attach ends with the run"
    block = json.loads(printed)
    assert block["n"] == 8 == sum(block["outcomes"].values())
    assert digests(path) == wanted
    said = Path(begun["output"]).read_text("utf-8")
    assert begun["run"] in said and "8" in said
    again = home.moot("attach", begun["run"], "--json")
    assert json.loads(again.out) == block and "没有进程在运行" in again.err
    lines = [json.loads(line) for line in words.read_text("utf-8").splitlines() if line.startswith("{")]
    assert lines
    with Journal.open(path) as journal:
        ends = {row.id: journal.entries(journal.attempts(row.id)[-1].id) for row in journal.episodes()}
    for line in lines:
        entry = ends[line["episode"]][line["seq"]]
        assert (line["tag"], line["data"]) == (entry.tag, entry.data), "followed is what is on disk"


def listed(path: Path) -> dict[str, Any]:
    (row,) = (one for one in moot("list", "--json").data["runs"] if one["path"] == str(path))
    return dict(row)


@pytest.mark.skipif(sys.platform == "win32", reason="kills with POSIX signals")
def test_a_run_is_stopped_by_a_word_goes_on_in_the_background_and_is_killed_and_resumed(home: Home) -> None:
    wanted = home.wanted()
    path, begun = home.begin()
    until(lambda: standing(path).ended >= 1)
    stopped = json.loads(home.moot("stop", "latest", "--json").out)
    assert stopped["pid"] == begun["pid"] and stopped["run"] == begun["run"]
    assert writer_of(path) is None and 0 < stopped["unfinished"] < 8
    row = listed(path)
    assert row["playing"] is None and row["n"] - row["finished"] == stopped["unfinished"]
    refused = home.moot("stop", "latest", code=1)
    assert refused.err.count("\n") == 1 and "没有进程在运行" in refused.err
    again = json.loads(home.moot("resume", "latest", "--background", "--json").out)
    assert again["path"] == begun["path"] and again["pid"] != begun["pid"]
    assert listed(path)["playing"]["pid"] == again["pid"]
    home.more()
    until(lambda: 8 - standing(path).ended < stopped["unfinished"])
    os.kill(again["pid"], signal.SIGKILL)
    until(lambda: writer_of(path) is None)
    left = home.moot("attach", "latest", code=1)
    assert "moot resume" in left.err and left.out == ""
    home.open.set()
    home.moot("resume", "latest")
    assert digests(path) == wanted


def test_what_is_wrong_before_the_beginning_is_said_here(home: Home) -> None:
    runs = home.home / "runs"
    wrong = home.moot(*home.line("--background", "--pack", "gone"), code=2)
    assert wrong.err.count("\n") == 1 and wrong.out == ""
    line = ("run", "legalagentbench", "--pack", "kill", "--tasks", home.tasks, "--background")
    assert home.moot(*line, "--model", "scripted:/gone", code=2).err.count("\n") == 1
    for seat in (("--agent", "human"), ("--seat", "agent=human")):
        person = home.moot(*line, *seat, code=2)
        assert person.err.count("\n") == 1 and "后台" in person.err
    assert not runs.exists() or list(runs.iterdir()) == []


def test_a_run_with_a_person_in_it_is_not_resumed_in_the_background(home: Home) -> None:
    line = ("run", "legalagentbench", "--pack", "kill", "--tasks", home.tasks)
    home.moot(*line, "--agent", "human", code=2)  # no input
    (path,) = (home.home / "runs").glob("*.moot")
    before = digests(path)
    refused = home.moot("resume", "latest", "--background", code=2)
    assert refused.err.count("\n") == 1 and "后台" in refused.err
    assert digests(path) == before and writer_of(path) is None
    home.moot(*line, "--task", "1")
    fork = home.moot("fork", "latest", "1", "--turn", "0", "--seat", "agent=human", "--background", code=2)
    assert "后台" in fork.err and len(list((home.home / "runs").glob("*.moot"))) == 2
