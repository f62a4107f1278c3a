"""A run from elsewhere names a host: nothing is sent and nothing looked up before the person at this machine said
yes."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from tests.support.foreign_place import BOUND, HOST, NAME, RESOLVER, SECRET

ROOT = Path(__file__).resolve().parents[2]

pytestmark = [pytest.mark.slow, pytest.mark.skipif(sys.platform != "linux", reason="network namespaces of Linux")]
SET_UP = (
    f'mount --bind "$0" /etc/resolv.conf && ip link set lo up && ip addr add {HOST}/24 dev lo && ip addr add '
    f"{RESOLVER}/24 dev lo"
)


@pytest.fixture(scope="module")
def seen(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    """What happened on the machine, and what its neighbours saw."""
    folder = tmp_path_factory.mktemp("foreign")
    resolver = folder / "resolv.conf"
    resolver.write_text(f"nameserver {RESOLVER}\noptions timeout:1 attempts:1\n", encoding="ascii")
    home = folder / "home"
    home.mkdir()
    if shutil.which("unshare") is None or shutil.which("ip") is None:
        pytest.skip("this machine has no unshare or no ip")
    place = ["unshare", "-rnm", "sh", "-c"]
    if subprocess.run([*place, SET_UP, str(resolver)], capture_output=True, check=False).returncode:
        pytest.skip("the kernel of this machine allows no network namespace with addresses of its own")
    command = f'{SET_UP} && exec "$@"'
    done = subprocess.run(
        [*place, command, str(resolver), sys.executable, str(ROOT / "tests" / "support" / "foreign_place.py"),
            "serve", str(home)],
        cwd=ROOT, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False, timeout=600,
        env={**os.environ, "MOOT_HOME": str(home)},
    )  # fmt: skip
    assert done.returncode == 0, done.stderr[-4000:]
    found: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return found


def steps(seen: dict[str, Any], beginning: str) -> list[dict[str, Any]]:
    return [step for step in seen["steps"] if step["name"].startswith(beginning)]


def test_a_shared_run_sends_nothing_and_looks_nothing_up(seen: dict[str, Any]) -> None:
    refused = [
        step for step in seen["steps"] if step["code"] == 2 and step["name"] != "desk" and "[y/N]" not in step["said"]
    ]
    assert [step["name"].split()[0] for step in refused] == ["resume", "resume", "fork", "run", "resume"]
    for step in refused:
        host = HOST if "address" in step["name"] else NAME
        assert f"--allow-host {host}" in step["said"] and f"moot config hosts allow {host}" in step["said"]
        assert step["said"].count("\n") == 1, "one sentence"
    quiet = [*refused, *steps(seen, "show"), *steps(seen, "score"), *steps(seen, "doctor"), *steps(seen, "config")]
    assert [step["packets"] for step in quiet] == [0] * len(quiet)


def test_at_a_terminal_there_is_one_question_and_its_answer_is_no(seen: dict[str, Any]) -> None:
    enter, no = [step for step in steps(seen, "resume one") if "[y/N]" in step["said"]]
    for step in (enter, no):
        assert step["code"] == 2 and step["packets"] == 0
        assert step["said"].count("[y/N]") == 1
        assert f"Run one wants to reach host {NAME}" in step["said"] and "No key is sent" in step["said"]


def test_consent_reaches_the_host_and_only_a_key_that_is_bound_to_it(seen: dict[str, Any]) -> None:
    expected = ["/v1/models", "/props", "/version", "/api/version", "/v1/chat/completions"]
    by_key = {key: [path for path, sent, _ in seen["requests"] if sent == key] for key in ("", f"Bearer {BOUND}")}
    flights = [
        *steps(seen, "resume one --allow-host"),
        *steps(seen, "resume two"),
        *steps(seen, "resume three"),
        steps(seen, "desk")[-1],
    ]
    assert all(step["packets"] > 0 for step in flights)
    assert by_key[f"Bearer {BOUND}"] == expected, "the run that went after the key was bound"
    assert by_key[""] == expected * 3, "one command that named the host, a yes at the terminal, a yes on the desk"
    assert len(seen["requests"]) == len(expected) * 4 and seen["told"] is False, f"{SECRET} went to nobody"
    assert {host for *_, host in seen["requests"]} == {f"{NAME}:8080"}


def test_what_was_allowed_for_one_command_or_was_revoked_is_refused_again(seen: dict[str, Any]) -> None:
    names = [step["name"] for step in seen["steps"]]
    (two,), (four,) = steps(seen, "resume two"), steps(seen, "resume four")
    assert two["said"].count("[y/N]") == 1, "the flag of the command before was not remembered"
    assert (
        four["code"] == 2
        and four["packets"] == 0
        and names.index("resume four") > names.index(f"config hosts revoke {NAME}")
    )
