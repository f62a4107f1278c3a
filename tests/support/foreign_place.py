"""A machine beside a network: what of it moves when a run that came from elsewhere names a host.

Run as a program inside a network namespace of its own (see `test_hosts_network.py`). The other machine is 10.9.0.1
with an OpenAI-compatible server, 10.9.0.53 is the resolver that /etc/resolv.conf names; it says that every name is
the other machine, `localhost` too. The witness is the kernel: packets over the loopback device, which carries both
addresses.

`serve` is that network; `use` is the person at the machine, whose terminal is a pty with the answers already typed.
"""

from __future__ import annotations

import asyncio
import contextlib
import io
import json
import os
import pty
import socket
import subprocess
import sys
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

HOST, RESOLVER, PORT, NAME = "10.9.0.1", "10.9.0.53", 8080, "box.example"
SECRET, BOUND = "sk-of-this-machine", "sk-of-the-box"
ANSWERS = "\nno\ny\n"
"""What the person types: Enter, no, yes."""


def answer_of(query: bytes) -> bytes:
    """Every name is the other machine; of version 6 there is nothing."""
    end = query.index(b"\0", 12) + 5
    found = query[end - 4 : end - 2] == b"\0\1"
    record = b"\xc0\x0c\0\1\0\1\0\0\0\1\0\4" + socket.inet_aton(HOST) if found else b""
    return query[:2] + b"\x81\x80\0\1\0" + bytes([found]) + b"\0\0\0\0" + query[12:end] + record


def resolve(server: socket.socket, asked: list[str]) -> None:
    while True:
        query, whose = server.recvfrom(512)
        asked.append(query[12 : query.index(b"\0", 12)].decode("ascii", "replace"))
        server.sendto(answer_of(query), whose)


def serve(home: str) -> None:
    """The network; prints what the person saw, and what the server and the resolver saw."""
    from tests.support.fake_endpoint import fake_server
    from tests.support.kill_harness import END

    asked: list[str] = []
    with socket.socket(type=socket.SOCK_DGRAM) as resolver, fake_server(HOST, PORT) as server:
        resolver.bind((RESOLVER, 53))
        threading.Thread(target=resolve, args=(resolver, asked), daemon=True).start()
        server.chat = lambda call: call.speak(*END)
        person, terminal = pty.openpty()
        os.write(person, ANSWERS.encode())
        variables = {
            **os.environ, "MOOT_HOME": home, "MOOT_LANG": "en", "MOOT_API_KEY": SECRET, "BOX_KEY": BOUND,
            "TERM": "dumb",
        }  # fmt: skip
        with subprocess.Popen(
            [sys.executable, __file__, "use", home],
            stdin=terminal,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=variables,
            text=True,
        ) as used:
            printed, said = used.communicate(timeout=300)
        assert used.returncode == 0, said[-3000:]
        requests = [(path, headers.get("Authorization", ""), headers["Host"]) for path, headers, _ in server.seen]
        told = SECRET in json.dumps([(path, headers, body) for path, headers, body in server.seen])
        print(
            json.dumps(
                {"steps": json.loads(printed.splitlines()[-1]), "asked": asked, "requests": requests, "told": told}
            )
        )


def packets() -> int:
    """Sent over the one device there is: its tenth number."""
    lines = Path("/proc/self/net/dev").read_text(encoding="ascii").splitlines()
    return int(next(line for line in lines if line.strip().startswith("lo:")).split()[10])


class Terminal(io.StringIO):
    """Keeps what is said, and is a terminal."""

    def isatty(self) -> bool:
        return True


class Person:
    """Uses the product; `steps` are the words of each command with its exit code, what it said, and packets that went
    out."""

    def __init__(self) -> None:
        self.steps: list[dict[str, Any]] = []

    def note(self, name: str, code: object, said: str, before: int) -> None:
        self.steps.append({"name": name, "code": code, "said": said, "packets": packets() - before})

    def types(self, *words: str, terminal: bool = False) -> None:
        from app.cli.main import main

        before, said = packets(), Terminal() if terminal else io.StringIO()
        stdin = sys.stdin if terminal else io.StringIO()
        kept, sys.stdin = sys.stdin, stdin
        try:
            with contextlib.redirect_stderr(said), contextlib.redirect_stdout(io.StringIO()):
                main(list(words))
        except SystemExit as end:
            self.note(" ".join(words), end.code, said.getvalue(), before)
        finally:
            sys.stdin = kept

    def at_the_desk(self, path: Path, *keys: str) -> None:
        """Home goes on with a run; the person answers the dialog with `keys`."""
        before = packets()
        seen = asyncio.run(self._at_the_desk(path, keys))
        self.note("desk", len(seen), " ".join(seen), before)

    async def _at_the_desk(self, path: Path, keys: tuple[str, ...]) -> list[str]:
        from textual.widgets import Static

        from app.desk.shell import Desk

        desk, questions = Desk(), []
        async with desk.run_test(size=(100, 30)) as pilot:

            async def until(true: Callable[[], object]) -> None:
                while not true():
                    await pilot.pause(0.02)

            await until(lambda: desk.home_screen is not None and desk.home_screen._loaded)
            await desk.resume(path)
            await until(lambda: desk.live is None or len(desk.screen_stack) > 1 or desk.live._mode == "paused")
            if type(desk.screen).__name__ == "HostScreen":
                await until(lambda: desk.focused is not None)
                questions.append(" ".join(str(part.content) for part in desk.screen.query(Static) if part.id is None))
                await pilot.press(*keys)
                await until(lambda: type(desk.screen).__name__ != "HostScreen")
                await until(lambda: desk.live is None or desk.live._mode == "paused")
                questions += [type(desk.screen).__name__] if len(desk.screen_stack) > 1 else []
            await desk.depart()
        return questions


def shared(runs: Path, name: str, spec: str, home: Path) -> Path:
    """A run as somebody else sends it: its header says itself which hosts may be reached, as older releases wrote
    it."""
    from store.journal import EpisodeRow, Journal
    from store.pack import Pack
    from tasks.benchmark import benchmark
    from tasks.episode.events import AttemptStarted, Record, entry_of
    from tasks.run.cast import Cast
    from tasks.run.header import file_hash
    from tasks.run.plan import make_header, task_file
    from tasks.run.spec import RunSpec

    plan = RunSpec(
        benchmark="legalagentbench", agent="direct", model=spec, pack="kill", tasks=str(home / "tasks.json"), limit=1
    )
    bench = benchmark(plan.benchmark)
    with Pack.open("kill") as pack:
        tasks = task_file(plan, pack)
        (question,) = questions = list(bench.load(tasks))
        header = make_header(name, plan, bench, pack, tasks, file_hash(tasks), questions, {}, ())
    began = AttemptStarted(benchmark=plan.benchmark, task_id="1", attempt=1, seed=0, card=question.card)
    with Journal.create(runs / f"{name}.moot", header, [EpisodeRow("1", 0, "1", 0)]) as journal:
        (attempt,) = journal.attempts("1")
        events = enumerate((began, Cast.of(bench, plan).tested))
        journal.append([entry_of(attempt.id, Record(number, 0, None, 0.0, event)) for number, event in events])
    return runs / f"{name}.moot"


def use(home: Path) -> None:
    from tests.support.kill_harness import prepare

    prepare(home, tasks=1)
    runs = home / "runs"
    runs.mkdir()
    model = f"endpoint:http://{NAME}:{PORT}#falsch-7b"
    for name in ("one", "two", "three", "four"):
        shared(runs, name, model, home)
    address = shared(runs, "address", f"endpoint:http://{HOST}:{PORT}#falsch-7b", home)
    dotted = shared(runs, "dotted", f"endpoint:http://localhost.:{PORT}#falsch-7b", home)
    person = Person()
    person.types("resume", "one")
    person.types("resume", "address")
    person.types("resume", "dotted")
    person.types("fork", "one", "1", "--turn", "0")
    person.types(
        "run",
        "legalagentbench",
        "--agent",
        "react",
        "--model",
        model,
        "--pack",
        "kill",
        "--tasks",
        str(home / "tasks.json"),
    )
    person.types(
        "run",
        "legalagentbench",
        "--agent",
        "react",
        "--model",
        "recorded:one",
        "--pack",
        "kill",
        "--tasks",
        str(home / "tasks.json"),
        "--dry-run",
    )
    person.types("show", "one", "--verify")
    person.types("score", "one")
    person.types("doctor", "--json")
    person.at_the_desk(runs / "one.moot", "enter")
    person.at_the_desk(address, "escape")
    person.at_the_desk(dotted, "escape")
    person.types("resume", "one", terminal=True)
    person.types("resume", "one", terminal=True)
    assert not (home / "config").exists()
    person.types("resume", "one", "--allow-host", NAME)
    person.types("resume", "two", terminal=True)
    person.types("config", "hosts", "allow", NAME, "--key-env", "BOX_KEY")
    person.types("resume", "three")
    person.types("config", "hosts", "revoke", NAME)
    person.types("resume", "four")
    person.at_the_desk(runs / "four.moot", "f5", "enter")
    print(json.dumps(person.steps))


if __name__ == "__main__":
    serve(sys.argv[2]) if sys.argv[1] == "serve" else use(Path(sys.argv[2]))
