"""Leaving when another program asks: the terminal is given back, the run in motion closed in order, the exit code
says why.

The desk runs in a pseudo-terminal before an engine that comes to no end.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from pathlib import Path

import pyte
import pytest

from store.journal import Journal
from tests.cli.conftest import Moot, moot, server  # noqa: F401  fixtures
from tests.house.test_pty_hostile import Desk, desk, records_of
from tests.support.fake_endpoint import Call, FakeServer, chunk
from tests.support.patience import PATIENCE

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(sys.platform == "win32", reason="signals and pseudo-terminals of POSIX"),
]

ROOT = Path(__file__).resolve().parents[2]
OFF = ("?1000", "?1003", "?1006", "?2004", "?1049")
"""Modes that the desk switches on: buttons and moves of the mouse, their form, paste in brackets, alternate
screen."""
DESK = """
import sys
import pytest
from app.guard import install_guard
from app.desk.shell import Desk
from tests.support.slow_engine import SlowEngine, install, talk
install_guard()
install(pytest.MonkeyPatch(), SlowEngine()).tell('speaking', '答：北京', episode='1')

class Talking(Desk):
    async def on_mount(self):
        await self.start(talk('bare', tasks=sys.argv[1]), everything=False)

desk = Talking()
desk.run()
sys.exit(desk.return_code)
"""


@pytest.fixture
def tasks(moot_home: Path) -> Path:
    from tests.support.court_run_fixture import prepare_courts

    prepare_courts(moot_home)
    path = moot_home / "tasks.json"
    gold = {"answer": "北京", "key": ["北京"], "key_middle": [], "type": "1-1", "way": ""}
    path.write_text(json.dumps([{"id": 1, "question": "公司在哪里？", **gold}]), "utf-8")
    return path


def opened_run(home: Path) -> Path:
    (path,) = (home / "runs").glob("*.moot")
    return path


def ended(opened: Desk) -> int:
    """Read to the end, and hold the last words to what a shell expects of its terminal."""
    code = opened.finish()
    for mode in OFF:
        on, off = (opened.stream.rfind(f"\x1b[{mode}{sign}".encode()) for sign in "hl")
        assert 0 <= on < off, f"{mode} was left on"
    assert (
        opened.stream.rfind(b"\x1b[?25h") > opened.stream.rfind(b"\x1b[?25l")
        and pyte.modes.DECTCEM in opened.screen.mode
    )
    assert b"Traceback" not in opened.stream
    return code


@pytest.mark.parametrize("name", ["SIGTERM", "SIGHUP"])
def test_a_signal_gives_the_terminal_back_and_closes_the_run(name: str, tasks: Path, moot_home: Path) -> None:
    with desk("-c", DESK, str(tasks)) as opened:
        opened.wait(lambda text: "公司在哪里" in text)
        opened.type("n")
        opened.wait(lambda text: "发言中" in text)
        opened.process.send_signal(getattr(signal, name))
        if name == "SIGHUP":  # the terminal is gone: nobody reads any more
            assert opened.process.wait(PATIENCE) == 128 + signal.SIGHUP
        else:
            assert ended(opened) == 128 + getattr(signal, name)
    path = opened_run(moot_home)
    assert not path.with_name(f"{path.name}-wal").exists(), "the file was closed in order"
    with Journal.open(path, write=True) as journal:
        assert journal.episodes() and not journal.attempts("1")[0].number > 1
    assert records_of(path)


@pytest.mark.parametrize(("name", "watch"), [("SIGTERM", "none"), ("SIGHUP", "json")])
def test_a_run_ends_after_the_open_step_and_goes_on(moot: Moot, server: FakeServer, name: str, watch: str) -> None:  # noqa: F811
    def babble(call: Call) -> None:
        call.begin()
        while call.write(chunk({"content": "再"})) and not server.closing.wait(0.01):
            pass

    speak, server.chat = server.chat, babble
    before = f"run legalagentbench --agent react --model endpoint:{server.spec} --pack kill --watch {watch} --tasks"
    with running(*before.split(), moot.spec["tasks"]) as process:
        while not server.busy:
            assert process.poll() is None and not server.closing.wait(0.02)
        process.send_signal(getattr(signal, name))
        _, said = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "Traceback" not in said
    assert "已停止，尚有 3 局未完成。用 `moot resume" in said
    server.chat = speak
    moot("resume", moot.path().stem, "--json")
    assert moot.code == 0 and '"error": 0' in moot.out


def test_a_run_that_waits_for_a_person_leaves_too(moot: Moot) -> None:  # noqa: F811
    before = "run legalagentbench --agent human --pack kill --limit 1 --watch plain --tasks"
    with running(*before.split(), moot.spec["tasks"], stdin=subprocess.PIPE) as process:
        assert process.stderr is not None
        said = ""
        while "题" not in said and "Question" not in said:
            said += process.stderr.readline()
            assert process.poll() is None, said
        while not asleep(process.pid):
            assert process.poll() is None
        process.send_signal(signal.SIGTERM)
        _, rest = process.communicate(timeout=PATIENCE)
    assert process.returncode == 1 and "已停止，尚有 1 局未完成" in rest


SLOW_WRITER = """
import signal, sys, time
from pathlib import Path
import click
from app.cli import main
from store.files import written_whole

@click.command()
def slow():
    with written_whole(Path(sys.argv[1])) as file:
        file.write("half")
        file.flush()
        print("writing", flush=True)
        time.sleep(3600)

main.cli.commands["slow"] = slow
main.LazyGroup.get_command = lambda self, context, name: slow
main.main(["slow"])
"""


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_command_that_is_ended_leaves_no_half_file(tmp_path: Path, number: signal.Signals) -> None:
    out = tmp_path / "out.txt"
    out.write_text("old", "utf-8")
    command, pipe = [sys.executable, "-c", SLOW_WRITER, str(out)], subprocess.PIPE
    with subprocess.Popen(command, cwd=ROOT, stdout=pipe, stderr=pipe, text=True) as process:
        assert process.stdout is not None and process.stdout.readline() == "writing\n"
        process.send_signal(number)
        process.communicate(timeout=PATIENCE)
    assert process.returncode == (130 if number == signal.SIGINT else 128 + number)
    assert [path.name for path in tmp_path.iterdir()] == ["out.txt"] and out.read_text("utf-8") == "old"


def running(*arguments: str, stdin: int | None = subprocess.DEVNULL) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "app.cli.main", *arguments]
    return subprocess.Popen(
        command, cwd=ROOT, stdin=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ}
    )


def asleep(number: int) -> bool:
    """Whether a process waits for something; where that cannot be seen it is taken to."""
    try:
        return Path(f"/proc/{number}/stat").read_text("utf-8").rpartition(")")[2].split()[0] == "S"
    except OSError:
        return True
