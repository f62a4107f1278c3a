"""What a turn costs beside the model: the hearing of the benchmark, played by the scheduler into a journal on disk.

After every turn the plain llama.cpp loops do the same work (as many tokens read and spoken, in the same memory); what
the turn took longer is overhead of pipe, prompt, sampling, scheduler and journal. Times are milliseconds.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

from models.engine import Ask, Engine, EngineError, Listener, Reply
from models.llama.benching import talk
from models.llama.benching.figures import spread
from models.llama.benching.hearing import ask as hearing_ask
from models.llama.benching.process import RawProcess
from store.journal import EpisodeRow, Journal
from tasks.episode.actions import Steps, ask, emit
from tasks.episode.driver import Driver
from tasks.episode.events import AttemptStarted, Said, Seated, Stopped
from tasks.episode.scheduler import Scheduler
from tasks.episode.state import State

SPEC = "llama:bench"
EPISODE = "overhead"


@dataclass(frozen=True, slots=True)
class Hearing:
    """The rules of the hearing: one seat speaks a step."""

    turns: int
    seats: tuple[str, ...]
    speech: int

    def step(self, state: State) -> Steps:
        """Ask the next seat with its card and the record so far."""
        said = [record.event for record in state.records if isinstance(record.event, Said)]
        seat = self.seats[len(said) % len(self.seats)]
        messages = talk.prompt(seat, [(event.seat, event.text) for event in said])
        reply = yield from ask(hearing_ask(seat, messages, self.speech, episode=""))
        yield from emit(Said(seat=seat, text=reply.text))
        if len(said) + 1 == self.turns:
            yield from emit(Stopped(outcome="finished"))


class Timed:
    """An engine that notes each call and how long it took."""

    def __init__(self, engine: Engine) -> None:
        self.engine = engine
        self.calls: list[tuple[Ask, Reply, float]] = []

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """Answer, with the clock running."""
        started = time.perf_counter()
        replies = self.engine.answer(asks, listen)
        took = (time.perf_counter() - started) * 1000
        self.calls += [(a, reply, took) for a, reply in zip(asks, replies, strict=True) if isinstance(reply, Reply)]
        return replies

    def describe(self) -> dict[str, object]:
        """As the engine does."""
        return self.engine.describe()

    def cancel(self) -> None:
        """As the engine does."""
        self.engine.cancel()

    def close(self) -> None:
        """Nothing: whoever opened the engine closes it."""


def overhead(
    engine: Engine,
    raw: RawProcess,
    folder: Path,
    *,
    turns: int,
    seats: int,
    speech: int,
    tell: Callable[[int], object],
) -> dict[str, Any]:
    """Share of a turn that is no work of the model, median over the turns with its spread.

    `milliseconds` are medians a turn: the whole of it, the plain loops for the same tokens, and scheduler and journal
    alone. Raises EngineError when the engine fails.
    """
    timed, names = Timed(engine), talk.seats(seats)
    program = Hearing(turns, names, speech)
    whole: list[float] = []
    plain: list[float] = []
    with Journal.create(folder / "overhead.moot", {"run": EPISODE}, [EpisodeRow(EPISODE, 0, EPISODE)]) as journal:
        scheduler = Scheduler(journal, {SPEC: timed})
        driver = Driver(EPISODE, journal.attempts(EPISODE)[-1].id, program, scheduler.clock, scheduler.stopwatch)
        driver.note(AttemptStarted(benchmark="bench", task_id=EPISODE, attempt=1, seed=0, card={}), step=0)
        for name in names:
            driver.note(Seated(seat=name, policy="bench/1", engine=SPEC), step=0)
        scheduler.add(driver)
        loops = _Loops(raw, names)
        while not driver.stopped:
            tell(len(whole) + 1)
            started = time.perf_counter()
            scheduler.step(EPISODE)
            whole.append((time.perf_counter() - started) * 1000)
            if len(timed.calls) < len(whole):
                reason = driver.state.stopped.reason if driver.state.stopped else "the engine gave no reply"
                raise EngineError(reason)
            call, reply, _ = timed.calls[-1]
            plain.append(loops.again(call, reply))
    beside = [turn - took for turn, (_, _, took) in zip(whole, timed.calls, strict=True)]
    return {
        "turns": len(whole),
        "share": spread([(turn - model) / turn for turn, model in zip(whole, plain, strict=True)]),
        "scheduler_share": spread([part / turn for part, turn in zip(beside, whole, strict=True)]),
        "milliseconds": {
            "turn": round(median(whole), 3),
            "raw": round(median(plain), 3),
            "scheduler": round(median(beside), 3),
        },
    }


class _Loops:
    """The same work by the plain loops: one sequence a seat."""

    def __init__(self, raw: RawProcess, names: Sequence[str]) -> None:
        self._raw = raw
        self._streams = {name: number for number, name in enumerate(names)}
        self._cut: set[str] = set()

    def again(self, call: Ask, reply: Reply) -> float:
        """Milliseconds. A turn that was cut at its limit left its last token unread; it is read with the next one."""
        usage, words = reply.usage, list(reply.tokens)
        unread = [words[0]] if call.seat in self._cut and words else []
        (self._cut.add if reply.finish == "length" else self._cut.discard)(call.seat)
        tokens = [words[at % len(words)] for at in range(usage.evaluated - len(unread))] if words else []
        took = self._raw.run(
            "turn", stream=self._streams[call.seat], keep=usage.reused, singly=unread, tokens=tokens,
            spoken=words + [0] * (reply.finish == "stop"),
        )  # fmt: skip
        return took["prefill"] + took["decode"]
