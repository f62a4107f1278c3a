"""What hostile servers cost: for each flood the outcome, seconds and peak memory of a call; then what a huge cell
weighs.

`bench_servers.py`. Each flood is met by a fresh process. Fails when a call ends otherwise than with a bounded reply
or a sentence, when it takes more memory than `MOST`, or when a record grows with every turn. Units: MB of resident
memory beyond those of the same process before the call, MB of a run file.
"""

from __future__ import annotations

import gzip
import json
import multiprocessing
import os
import resource
import socket
import sys
import tempfile
import threading
import time
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from models.endpoint import open_endpoint  # noqa: E402
from models.engine import Ask, EngineError, Message, Settings  # noqa: E402
from models.errors import BadEngine  # noqa: E402
from models.specs import Opening  # noqa: E402
from tests.support.fake_endpoint import MODEL, chunk, raw_server  # noqa: E402

MOST = 300
"""MB that a call may take."""
LISTED = json.dumps({"data": [{"id": MODEL}]}).encode()
JSON = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n"
STREAM = b"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\n"
CHUNKED = STREAM[:-2] + b"Transfer-Encoding: chunked\r\n\r\n"
PACKED = STREAM[:-2] + b"Content-Encoding: gzip, gzip\r\n\r\n"
ROW = {"token": "a", "logprob": -1, "top_logprobs": [{"token": "b", "logprob": -2}] * 200}


@cache  # made where they are sent: they must not weigh on the process that is measured
def floods() -> dict[str, tuple[bytes, bytes, int]]:
    """Name -> what a server begins with, what it repeats, how often."""
    return {
        "one event of 60 MB": (STREAM + b"data: ", b"x" * 1_000_000, 60),
        "60 MB of comments": (STREAM, b": ping\n" * 100_000, 90),
        "60 MB of blank lines": (STREAM, b"\n" * 1_000_000, 60),
        "lists in lists in one line": (STREAM + b'data: {"choices":[', b"[]," * 300_000, 40),
        "a whole reply of empty objects": (JSON + b"[", b"{}," * 300_000, 40),
        "alternatives of tokens": (
            STREAM,
            chunk({"content": "a"}, choice={"logprobs": {"content": [ROW] * 20}}),
            200,
        ),
        "text without end": (STREAM, chunk({"content": "a" * 100_000}), 600),
        "one character a piece": (STREAM, chunk({"content": "a"}) * 1000, 600),
        "chunks of one byte": (CHUNKED, b"1\r\n\n\r\n" * 10_000, 100),
        "headers without end": (STREAM[:-2], b"X: y\r\n" * 10_000, 600),
        "a bomb of 15 GB": (PACKED, gzip.compress(gzip.compress(b"\n" * 1_000_000) * 15_000), 1),
        "early hints for ever": (b"", b"HTTP/1.1 103 Early Hints\r\n\r\n" * 1000, 10**9),
    }


@cache
def lists() -> dict[str, bytes]:
    """Name -> the list of models."""
    return {
        "a list of a million models": b'{"data": [' + b"{}," * 1_000_000 + b"{}]}",
        "a list of 60 MB": b'{"data": [' + b'{"id": "m"}, ' * 4_000_000 + b"{}]}",
        "a name of 3 MB": b'{"data": [{"id": "' + b"m" * 3_000_000 + b'"}]}',
    }


def peak() -> float:
    """MB that this process has held at most (on Linux what its parent held does not count)."""
    status = Path("/proc/self/status")
    if status.exists():
        return (
            next(int(line.split()[1]) for line in status.read_text().splitlines() if line.startswith("VmHWM")) / 1024
        )
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / (1024 if sys.platform != "darwin" else 1024**2)


def meet(url: str, queue: Any) -> None:
    """One call, in a process of its own."""
    os.environ["MOOT_ENDPOINT_TIMEOUT"] = "5"
    import httpx  # noqa: F401

    before, started = peak(), time.monotonic()
    try:
        engine = open_endpoint(Opening(f"{url}#{MODEL}", 1, ()))
        ask = Ask("agent", (Message("user", "谁？"),), "bench/1", settings=Settings(max_tokens=1024))
        (result,) = engine.answer([ask])
        said = str(result) if isinstance(result, EngineError) else f"{result.finish}: {len(result.text)} characters"
    except (EngineError, BadEngine) as error:
        said = str(error)
    queue.put((said, time.monotonic() - started, peak() - before))


def flood(name: str) -> tuple[str, float, float]:
    """How a call ends before this flood, its seconds and MB."""

    def speak(sock: socket.socket, closing: threading.Event) -> None:
        path = sock.recv(65536).split()[1]
        if path != b"/v1/chat/completions":
            return sock.sendall(
                JSON + lists().get(name, LISTED) if path == b"/v1/models" else b"HTTP/1.1 404 No\r\n\r\n"
            )
        first, again, times = floods()[name]
        sock.sendall(first)
        while times and not closing.is_set():
            sock.sendall(again)
            times -= 1
        return None

    context = multiprocessing.get_context("spawn")
    with raw_server(speak) as url:
        queue = context.Queue()
        process = context.Process(target=meet, args=(url, queue))
        process.start()
        try:
            return queue.get(timeout=300)  # type: ignore[no-any-return]
        except Exception:
            return "no end within 300 seconds", 300.0, 0.0
        finally:
            process.kill()
            process.join()


def weigh(turns: int, paper: bool) -> float:
    """MB of the record of an agent that asks for the same cell of a million characters in every turn."""
    from store.builder import PackBuilder
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        os.environ["MOOT_HOME"] = folder
        with PackBuilder(
            "huge", jurisdiction="虚构法域", source="bench", licence="MIT", coverage="complete", as_of="2026-01-01"
        ) as pack:
            pack.add_row(
                "CompanyInfo", {"公司名称": "甲公司", "经营范围": "合同约定的内容如下，" * 100_000}, "authored"
            )
        call = '```json\n{"action": "get_company_info", "action_input": {"identifier": "甲公司", "columns": []}}\n```'
        task = {
            "id": 1,
            "question": "甲公司？",
            "answer": "甲",
            "key": ["甲"],
            "key_middle": [],
            "type": "1-1",
            "way": "get_company_info",
        }
        (home / "script.json").write_text(json.dumps({"otherwise": [call]}), encoding="utf-8")
        (home / "tasks.json").write_text(json.dumps([task]), encoding="utf-8")
        spec = RunSpec(
            benchmark="legalagentbench", agent="react", model=f"scripted:{home / 'script.json'}", pack="huge",
            tasks=str(home / "tasks.json"), max_turns=turns, paper=paper, free=not paper,
        )  # fmt: skip
        with start_run(spec, out=home / "r.moot") as run:
            run.go()
        return (home / "r.moot").stat().st_size / 1e6


def main() -> int:
    """Print a line a flood and a line a form; 1 when a promise broke."""
    broken = []
    for name in (*floods(), *lists()):
        said, seconds, megabytes = flood(name)
        good = "Traceback" not in said and "no end" not in said and megabytes <= MOST
        print(f"{name:32} {seconds:6.1f} s {megabytes:6.0f} MB  {said[:110]}", flush=True)
        broken += [] if good else [name]
    for paper in (False, True):
        sizes = {turns: weigh(turns, paper) for turns in (1, 10)}
        print(
            f"a cell of a million characters, {'paper' if paper else 'free'}: "
            + ", ".join(f"{t} turns {mb:.1f} MB" for t, mb in sizes.items())
        )
        broken += [] if sizes[10] < sizes[1] + 40 else ["record"]
    if broken:
        print(f"broken: {', '.join(broken)}", file=sys.stderr)
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main())
