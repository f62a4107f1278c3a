"""How full a server is kept: `bench_full_engines.py`. A server answers after a time drawn from an exponential
distribution of mean 0.25 s, as many calls at a time as it gets; 48 episodes of 13 calls are played at 16 and at 48 at
a time.

Printed: the busy share (seconds that calls took at the server / seconds of the run / calls at a time), and the most
that the draw allows, since the last episodes leave places empty whoever plays them. Fails where less than `LEAST` of
that is reached.
"""

from __future__ import annotations

import heapq
import multiprocessing
import random
import sys
import tempfile
import time
from multiprocessing.connection import Connection
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from models.endpoint import open_endpoint  # noqa: E402
from models.engine import Ask, Message  # noqa: E402
from models.specs import Opening  # noqa: E402
from store.journal import EpisodeRow, Journal  # noqa: E402
from tasks.episode.actions import Steps, ask, emit  # noqa: E402
from tasks.episode.driver import Driver, Limits  # noqa: E402
from tasks.episode.events import AttemptStarted, Said, Seated, Stopped  # noqa: E402
from tasks.episode.scheduler import Scheduler  # noqa: E402
from tasks.episode.state import State  # noqa: E402
from tests.support.fake_endpoint import Call, fake_server  # noqa: E402

EPISODES, CALLS, MEAN = 48, 13, 0.25
TOGETHER = (16, 48)
LEAST = 0.8
SPEC = "endpoint:server"


def latency(question: str) -> float:
    """Seconds that the answer to a question takes: the same in every run."""
    return random.Random(question).expovariate(1 / MEAN)


def serve(told: Connection) -> None:
    """The server, in a process of its own."""
    with fake_server() as server:

        def chat(call: Call) -> None:
            time.sleep(latency(call.body["messages"][-1]["content"]))
            call.speak("好")

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


def played(server: str, together: int, folder: Path) -> float:
    """Seconds of a run."""
    engine = open_endpoint(Opening(server, together, {}, folder))
    rows = [EpisodeRow(str(n), n, str(n)) for n in range(EPISODES)]
    with Journal.create(folder / f"{together}.moot", {"run": "r"}, rows) as journal:
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


def shortest(together: int) -> float:
    """Seconds of the same draw where nothing but the server takes time."""
    ends = [0.0] * together
    for episode in range(EPISODES):
        took = sum(latency(f"{episode}.{number}") for number in range(1, CALLS + 1))
        heapq.heapreplace(ends, ends[0] + took)
    return max(ends)


def main() -> int:
    """A line a number of calls at a time."""
    context = multiprocessing.get_context("spawn")
    here, there = context.Pipe()
    process = context.Process(target=serve, args=(there,))
    process.start()
    work = sum(latency(f"{episode}.{number}") for episode in range(EPISODES) for number in range(1, CALLS + 1))
    low = False
    with tempfile.TemporaryDirectory() as folder:
        server = here.recv()
        for together in TOGETHER:
            seconds, least = played(server, together, Path(folder)), shortest(together)
            share = least / seconds
            low |= share < LEAST
            busy, most = work / seconds / together, work / least / together
            print(f"{together} at a time: busy {busy:.2f}, of {most:.2f} possible ({share:.2f}), {seconds:.1f} s")
    here.send(None)
    process.join()
    return 1 if low else 0


if __name__ == "__main__":
    sys.exit(main())
