"""Nothing asks for the network: the whole product in use, with every socket call of every process written down.

Three witnesses of one flow: an audit hook in each Python process that is started (children included), a network
namespace of the kernel without any network, and a trace of the system calls (which sees native code too). Where the
machine has not all three the others tell what they saw.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any, NamedTuple

import pytest
from filelock import FileLock

from tests.conftest import everywhere
from tests.support.fake_endpoint import fake_server
from tests.support.kill_harness import CALL, END

ROOT = Path(__file__).resolve().parents[2]

pytestmark = pytest.mark.slow

WITNESS = """
import json, os, sys
_file = os.open(os.environ["MOOT_WITNESS"], os.O_WRONLY | os.O_APPEND | os.O_CREAT)

def _note(event, args):
    if event == "socket.__new__":
        said = [int(args[1])]
    elif event.startswith("socket."):
        said = [repr(arg) for arg in args if not hasattr(arg, "fileno")]
    elif event == "subprocess.Popen":
        said = [os.path.basename(str(args[0])), [str(arg) for arg in args[1]]]
    elif event in ("os.system", "os.exec", "os.posix_spawn"):
        said = [repr(args)]
    else:
        return
    os.write(_file, (json.dumps([os.getpid(), event, said]) + "\\n").encode())

sys.addaudithook(_note)
"""
"""Becomes `sitecustomize`: Python imports it before anything else, in every process."""

FLOW = """
import asyncio, contextlib, io, json, sys
from app.cli.main import main
from app.guard import is_installed

printed = []
for line in json.loads(sys.argv[1]):
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        try:
            main(line)
        except SystemExit as end:
            assert not end.code, (line, end.code)
    printed.append(out.getvalue())

async def look():
    from app.desk.shell import Desk

    app = Desk()
    async with app.run_test(size=(100, 30)) as pilot:
        for _ in range(15_000):
            if app.home_screen is None or app.home_screen._loaded:
                break
            await pilot.pause(0.02)
        await app.depart()

if sys.argv[2] == "desk":
    asyncio.run(look())
print(json.dumps({"guard": is_installed(), "printed": printed}))
"""

COMMANDS = """\
data build sample
data list --json
data verify sample
tools list --json
run legalagentbench --agent rules --limit 2 --json --out {runs}/rules.moot
run legalagentbench --agent gold --limit 2 --json --out {runs}/gold.moot
run legalagentbench --agent react --model scripted:{script} --limit 2 --out {runs}/react.moot
run legalagentbench --agent react --model recorded:react --limit 2 --json
resume react --json
show rules --json
score rules --json
report rules gold --format html
report rules --format json
models list --json
list --json
""".splitlines()
MODEL = "llama:{gguf}#ctx=4096,reply=256,threads=1,slots=1"
LLAMA = [f"run legalagentbench --agent react --model {MODEL} --limit 1 --max-turns 1 --json"]
ENDPOINT = ["run legalagentbench --agent react --model endpoint:{endpoint} --limit 1 --json"]
OWN = ("app.cli.engine", "app.cli.main")
"""How Moot starts itself."""
HELPERS = {"fc-list", "uname"}
"""Programs that are asked about this machine: its fonts, its processor."""


class Place:
    """A home with what the flow needs, and what the witness wrote down."""

    def __init__(self, folder: Path) -> None:
        self.home = folder / "home"
        self.notes = folder / "witness.jsonl"
        self.notes.touch()
        self.site = folder / "site"
        self.site.mkdir(exist_ok=True)
        (self.site / "sitecustomize.py").write_text(WITNESS, encoding="utf-8")
        script = folder / "script.json"
        script.write_text(json.dumps({"otherwise": [CALL, END]}), encoding="utf-8")
        (self.home / "runs").mkdir(parents=True, exist_ok=True)
        self.names = {"runs": str(self.home / "runs"), "script": str(script), "gguf": "", "endpoint": ""}

    def flow(self, commands: list[str], *prefix: str, desk: bool = False) -> list[str]:
        """Use the product; what each command printed."""
        lines = [[word.format(**self.names) for word in line.split()] for line in commands]
        done = subprocess.run(
            [*prefix, sys.executable, "-c", FLOW, json.dumps(lines), "desk" if desk else ""],
            cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False,
            env={**os.environ, "MOOT_HOME": str(self.home), "PYTHONPATH": str(self.site),
                "MOOT_WITNESS": str(self.notes)},
        )  # fmt: skip
        assert done.returncode == 0, done.stderr[-3000:]
        found = json.loads(done.stdout.splitlines()[-1])
        assert found["guard"] is True
        printed: list[str] = found["printed"]
        return printed

    def said(self) -> list[tuple[int, str, list[Any]]]:
        return [tuple(json.loads(line)) for line in self.notes.read_text(encoding="utf-8").splitlines()]

    def beyond(self) -> list[tuple[int, str, list[Any]]]:
        """Every socket call but the making of Unix sockets."""
        unix = 1
        return [
            (pid, event, said)
            for pid, event, said in self.said()
            if event.startswith("socket.") and not (event == "socket.__new__" and said[0] == unix)
        ]


class Used(NamedTuple):
    """What was seen of a flow, and its system calls, where those could be had."""

    place: Place
    printed: list[str]
    doctor: str
    trace: Path | None


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """The flow, with a local model where llama.cpp is installed."""
    if importlib.util.find_spec("llama_cpp") is None:
        return COMMANDS
    from tests.support.gguf_files import tiny_llama

    gguf = str(tiny_llama(tmp_path_factory.mktemp("gguf") / "tiny.gguf"))
    return [*COMMANDS, *(line.replace("{gguf}", gguf) for line in LLAMA)]


def alone() -> list[str]:
    """The beginning of a command that runs without any network, not even loopback; empty where the kernel allows
    none."""
    unshare = shutil.which("unshare")
    for options in (["-rn"], ["-n"]) if unshare else ():
        if subprocess.run([unshare, *options, "true"], capture_output=True, check=False).returncode == 0:
            return [unshare, *options]
    return []


def traced(trace: Path) -> list[str]:
    """The beginning of a command whose system calls that speak of networks are written down; empty where nobody may
    trace."""
    strace = shutil.which("strace")
    line = [str(strace), "-f", "--seccomp-bpf", "-qq", "-e", "trace=socket,connect,bind,sendto,sendmsg,listen"]
    line += ["-o", str(trace)]
    control = [sys.executable, "-c", "import socket; socket.socket().close()"]
    if strace is None or subprocess.run([*line, *control], capture_output=True, check=False).returncode:
        return []
    assert "AF_INET" in trace.read_text(encoding="utf-8"), "the trace sees what there is"
    return line


@pytest.fixture(scope="module")
def used(tmp_path_factory: pytest.TempPathFactory, commands: list[str]) -> Used:
    """The product, used once in a session under all witnesses; `moot doctor`, whose proof makes a socket of the
    internet family, is not traced."""
    folder = everywhere(tmp_path_factory) / "used"
    seen, trace = folder / "seen.json", folder / "trace"
    with FileLock(f"{folder}.lock"):
        if not seen.is_file():
            folder.mkdir()
            place, apart, tracing = Place(folder), alone(), traced(trace)
            printed = place.flow(commands, *apart, *tracing, desk=True)
            (doctor,) = place.flow(["doctor --json"], *apart)
            seen.write_text(json.dumps([printed, doctor, bool(tracing)]), encoding="utf-8")
    printed, doctor, tracing = json.loads(seen.read_text(encoding="utf-8"))
    return Used(Place(folder), printed, doctor, trace if tracing else None)


def test_the_whole_product_makes_no_network_call(used: Used, commands: list[str]) -> None:
    proofs = used.place.beyond()
    assert [event for _, event, _ in proofs] == ["socket.__new__"] * 2, "nobody was called, nothing was looked up"
    assert len({pid for pid, _, _ in proofs}) == 2, (
        "doctor tried it, and the child that it asked; the guard let neither call"
    )
    rows = {
        check["key"]: check["status"] for check in json.loads(used.doctor)["checks"] if check["area"] == "offline"
    }
    assert rows == {"offline": "ok", "offline_child": "ok"}
    assert len(used.printed) == len(commands), "where the kernel allows it, without any network"
    assert len(json.loads(used.printed[len(COMMANDS) - 1])["runs"]) == 4
    if len(commands) > len(COMMANDS):
        assert json.loads(used.printed[-1])["n"] == 1


def test_moot_starts_nobody_but_itself(used: Used) -> None:
    place = used.place
    started = [said for _, event, said in place.said() if event == "subprocess.Popen"]
    others = {name for name, arguments in started if not set(OWN) & set(arguments)}
    assert others <= HELPERS
    assert [event for _, event, _ in place.said() if event in ("os.system", "os.exec")] == []
    assert any("_engine" in arguments for _, arguments in started)


def test_an_endpoint_is_reached_on_this_machine_and_nothing_else(used: Used, tmp_path: Path) -> None:
    place = Place(tmp_path)
    shutil.copytree(used.place.home / "packs", place.home / "packs")
    with fake_server() as server:
        server.chat = lambda call: call.speak(END)
        place.names["endpoint"] = server.spec
        block = json.loads(place.flow(ENDPOINT)[-1])
        assert block["n"] == 1 and server.asked
        port = server.http.server_port
    addresses = {
        text
        for _, event, said in place.beyond()
        if event in ("socket.connect", "socket.sendto", "socket.bind")
        for text in said
    }
    assert addresses == {f"('127.0.0.1', {port})"}
    looked_up = {said[0] for _, event, said in place.beyond() if event == "socket.getaddrinfo"}
    assert looked_up <= {"'127.0.0.1'"}


def test_the_system_calls_of_every_process_know_no_network(used: Used) -> None:
    """Native code too: llama.cpp, SQLite, usearch."""
    if used.trace is None:
        pytest.skip("this machine allows no trace of system calls")
    lines = used.trace.read_text(encoding="utf-8", errors="replace").splitlines()
    assert lines, "asyncio and the engines speak through sockets of this machine"
    assert [line for line in lines if re.search(r"AF_INET|AF_PACKET|AF_NETLINK|sin6?_addr", line)] == []
