"""How full a server is kept: `bench_full_engines.py [--episodes 48,480] [--inspect PYTHON]`. A server answers after a
time of mean 0.25 s, as many calls at a time as it gets; the time is drawn from an exponential distribution, or from
one with a heavy tail (lognormal, sigma 1.5: one call in a hundred takes over 2.5 s). Episodes of 13 calls are played
at 16 and at 48 at a time.

Printed: the busy share (seconds that calls took at the server / seconds of the run / calls at a time), and the most
that the draw allows, since the last episodes leave places empty whoever plays them. Fails where less than `LEAST` of
that is reached. With an interpreter that has Inspect AI the same calls are played by it, right after each run.
"""

from __future__ import annotations

import argparse
import heapq
import itertools
import json
import math
import multiprocessing
import random
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from models.endpoint import open_endpoint  # noqa: E402
from models.engine import Ask, Message  # noqa: E402
from models.specs import Opening  # noqa: E402
from store.journal import EpisodeRow, Journal  # noqa: E402
from tasks.episode.driver import Driver, Limits  # noqa: E402
from tasks.episode.events import AttemptStarted, Said, Seated, Stopped  # noqa: E402
from tasks.episode.scheduler import Scheduler  # noqa: E402
from tasks.episode.seats import Steps, ask, emit  # noqa: E402
from tasks.episode.state import State  # noqa: E402
from tests.support.fake_endpoint import MODEL, Call, fake_server  # noqa: E402

CALLS, MEAN, SIGMA = 13, 0.25, 1.5
TOGETHER = (16, 48)
LEAST = 0.8
SPEC = "endpoint:server"
WHOLE = json.dumps({
    "id": "c", "object": "chat.completion", "created": 0, "model": MODEL,
    "choices": [{"index": 0, "finish_reason": "stop", "message": {"role": "assistant", "content": "好"}}],
    "usage": {"prompt_tokens": 9, "completion_tokens": 1, "total_tokens": 10},
}).encode()  # fmt: skip
"""The answer to who does not ask for a stream."""


DRAWS: dict[str, Callable[[random.Random], float]] = {
    "exponential": lambda dice: dice.expovariate(1 / MEAN),
    "heavy": lambda dice: dice.lognormvariate(math.log(MEAN) - SIGMA**2 / 2, SIGMA),
}


def latency(question: str) -> float:
    """Seconds that the answer to a question, "draw.episode.call", takes: the same in every run."""
    return DRAWS[question.partition(".")[0]](random.Random(question))


def serve(told: Connection) -> None:
    """The server, in a process of its own."""
    with fake_server() as server:

        def chat(call: Call) -> None:
            time.sleep(latency(call.body["messages"][-1]["content"]))
            if call.body.get("stream"):
                call.speak("好")
            else:
                call.send(WHOLE, kind="application/json")

        server.chat = chat
        told.send(server.spec)
        told.recv()


class Talk:
    """One question a step."""

    def step(self, state: State) -> Steps:
        number = state.steps + 1
        heard = yield from ask(Ask("agent", (Message("user", f"{state.task_id}.{number}"),), "talk/1"))
        yield from emit(Said(seat="agent", text=heard.text))
        if number == CALLS:
            yield from emit(Stopped(outcome="finished"))


def played(server: str, draw: str, episodes: int, together: int, folder: Path) -> float:
    """Seconds of a run."""
    engine = open_endpoint(Opening(server, together, {}, folder))
    rows = [EpisodeRow(str(n), n, f"{draw}.{n}") for n in range(episodes)]
    with Journal.create(folder / f"{draw}-{episodes}-{together}.moot", {"run": "r"}, rows) as journal:
        scheduler = Scheduler(journal, {SPEC: engine})
        for row in journal.episodes():
            attempt = journal.attempts(row.id)[-1]
            driver = Driver(row.id, attempt.id, Talk(), scheduler.clock, scheduler.stopwatch, Limits())
            card = {"id": row.task_id}
            driver.note(AttemptStarted(benchmark="b", task_id=row.task_id, attempt=1, seed=7, card=card), step=0)
            driver.note(Seated(seat="agent", policy="talk/1", engine=SPEC), step=0)
            scheduler.add(driver)
        began = time.perf_counter()
        scheduler.run(parallel=together)
        seconds = time.perf_counter() - began
        assert all(driver.stopped for driver in scheduler.episodes.values())
    engine.close()
    return seconds


def shortest(draw: str, episodes: int, together: int) -> float:
    """Seconds of the same draw where nothing but the server takes time."""
    ends = [0.0] * together
    for episode in range(episodes):
        took = sum(latency(f"{draw}.{episode}.{number}") for number in range(1, CALLS + 1))
        heapq.heapreplace(ends, ends[0] + took)
    return max(ends)


def beside(python: str, server: str, draw: str, episodes: int, together: int) -> float:
    """Seconds of the same calls played by Inspect AI."""
    url, _, model = server.removeprefix("endpoint:").partition("#")
    command = [python, str(Path(__file__).with_name("beside_inspect.py")), f"{url}/v1", model, draw]
    command += [str(number) for number in (episodes, together, CALLS)]
    return float(subprocess.run(command, check=True, capture_output=True, text=True).stdout.split()[-1])


def main() -> int:
    """A line a draw, number of episodes and number of calls at a time."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--episodes", default="48,480")
    parser.add_argument("--inspect", metavar="PYTHON")
    given = parser.parse_args()
    sizes = [int(size) for size in given.episodes.split(",")]
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,), daemon=True)
    process.start()
    low = False
    with tempfile.TemporaryDirectory() as folder:
        server = here.recv()
        for draw, episodes, together in itertools.product(DRAWS, sizes, TOGETHER):
            calls = itertools.product(range(episodes), range(1, CALLS + 1))
            work = sum(latency(f"{draw}.{episode}.{number}") for episode, number in calls)
            cpu = time.process_time()
            seconds = played(server, draw, episodes, together, Path(folder))
            cpu = time.process_time() - cpu
            least = shortest(draw, episodes, together)
            share = least / seconds
            low |= share < LEAST
            busy, most = work / seconds / together, work / least / together
            print(
                f"{draw}, {episodes} episodes, {together} at a time: busy {busy:.2f}, of {most:.2f} possible "
                f"({share:.2f}), {seconds:.1f} s; own processor time {1000 * cpu / episodes / CALLS:.2f} ms a call, "
                f"{100 * cpu / work:.2f} % of the calls' time",
                flush=True,
            )
            if given.inspect:
                seconds = beside(given.inspect, server, draw, episodes, together)
                print(f"    Inspect AI: busy {work / seconds / together:.2f}, {seconds:.1f} s", flush=True)
    here.send(None)
    process.join()
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
