"""Nothing asks for the network: a whole small flow with every socket call of the process written down."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[1]

FLOW = """
import contextlib, io, json, sys
calls = []
def note(event, args):
    if event == "socket.__new__":
        if args[1] in (2, 10, 23, 30):  # AF_INET and the numbers of AF_INET6
            calls.append([event, int(args[1])])
    elif event.startswith("socket."):
        calls.append([event, repr(args[1:])])
sys.addaudithook(note)

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
print(json.dumps({"calls": calls, "guard": is_installed(), "printed": printed}))
"""

COMMANDS = [
    ["data", "build", "sample"],
    ["data", "list", "--json"],
    ["tools", "list", "--json"],
    ["run", "legalagentbench", "--agent", "rules", "--limit", "4", "--json"],
    ["run", "legalagentbench", "--agent", "gold", "--limit", "4", "--json"],
    ["list", "--json"],
]


def flow(*prefix: str) -> dict[str, object]:
    done = subprocess.run(
        [*prefix, sys.executable, "-c", FLOW, json.dumps(COMMANDS)],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, encoding="utf-8", check=False,
    )  # fmt: skip
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert isinstance(found, dict)
    return found


def test_a_whole_flow_makes_no_network_call() -> None:
    found = flow()
    assert found["guard"] is True
    assert found["calls"] == []
    printed = found["printed"]
    assert isinstance(printed, list)
    assert json.loads(printed[3])["n"] == 4
    assert len(json.loads(printed[-1])["runs"]) == 2


def test_it_works_on_a_machine_without_any_network() -> None:
    """The same in an empty network namespace of the kernel: not even loopback is up."""
    unshare = shutil.which("unshare")
    if unshare is None or subprocess.run([unshare, "-rn", "true"], capture_output=True, check=False).returncode:
        pytest.skip("this machine cannot make a network namespace")
    assert flow(unshare, "-rn")["calls"] == []
