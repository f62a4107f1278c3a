"""Reading over a model's shoulder: the prompt that a model in a seat would get at a step of a stored episode.

The step is begun with a model in that seat, whoever sat there, and goes no further than its first question. Nothing
is written and no engine is opened. Tokens are those that the density of the seat's engine says, or of any model that
knows Chinese.
"""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from models.engine import Ask
from store.errors import DamagedData
from store.journal import EpisodeRow, Journal
from store.pack import Pack
from tasks.agents.budgets import ContextBudget
from tasks.benchmark import Benchmark, benchmark
from tasks.episode.driver import Driver, reply_of
from tasks.episode.events import Answered, ModelCalled, Record, Seated, ToolCalled
from tasks.episode.seats import Program
from tasks.episode.state import State, completed, fold
from tasks.errors import RecordMismatch, UsageError
from tasks.run.cast import Cast, seat_later
from tasks.run.engines import run_path
from tasks.run.header import HeaderData, header_of, refuse_imported, spec_of
from tasks.run.plan import check_same, limits_of, task_file
from tasks.run.reading import episode_of, read_episode
from tasks.run.spec import RunSpec


@dataclass(frozen=True, slots=True)
class StoredEpisode:
    """An episode as it stands in its file."""

    header: HeaderData
    row: EpisodeRow
    records: list[Record]
    spec: RunSpec
    bench: Benchmark

    @classmethod
    def of(cls, name: str | Path, episode: str) -> StoredEpisode:
        """The last attempt of an episode; `UsageError` where it was played elsewhere, and is only shown here."""
        with Journal.open(run_path(name)) as journal:
            header = header_of(journal)
            refuse_imported(header)
            row, records = episode_of(journal, episode)
        spec = spec_of(header)
        return cls(header, row, records, spec, benchmark(spec.benchmark))


@contextmanager
def program_of(header: HeaderData, *, other_prompts: bool = False) -> Iterator[Program]:
    """The rules that the episodes of a run were played by, as long as the pack is open.

    Args:
        header: of the run.
        other_prompts: whether prompts may have changed since.

    Raises:
        RecordMismatch: the task file or the pack is not that of the run.
    """
    spec = spec_of(header)
    bench = benchmark(spec.benchmark)
    with Pack.open(header.get("pack", {}).get("path") or spec.pack) as pack:
        tasks = task_file(spec, pack)
        check_same(header, bench, spec, pack, tasks, other_prompts)
        yield bench.program(pack, bench.load(tasks), spec)


def verify(name: str | Path, episode: str | None = None) -> dict[str, int]:
    """Run an episode, or all of a run, again against the record and compare every event; returns the number of steps
    that agree, by episode.

    Raises:
        RecordMismatch: they differ. Damaged: an event holds half a character, which no run of ours has written.
        UsageError: the run was played elsewhere, and is only shown here.
    """
    with Journal.open(run_path(name)) as journal:
        header = header_of(journal)
        refuse_imported(header)
        names = [row.id for row in journal.episodes()] if episode is None else [episode_of(journal, episode)[0].id]
        with program_of(header) as program:
            return {one: _verified(one, read_episode(journal, one), program) for one in names}


def _verified(episode: str, records: Sequence[Record], program: Program) -> int:
    try:
        return _played(episode, records, program)
    except UnicodeEncodeError:
        raise DamagedData(f"an event of episode {episode} holds half a character", "Use an earlier copy.") from None


def _played(episode: str, records: Sequence[Record], program: Program) -> int:
    driver = Driver(episode, 0, program, time.time, time.perf_counter)
    driver.recorded = list(completed(records))
    while driver.recorded:
        event = driver.recorded[0].event
        if driver.recorded[0].step == 0 or event.tag in ("seated", "limit_hit") or driver.stopped:
            driver.note(event, driver.recorded[0].parent)
        elif event.tag == "stopped":
            driver.note(event)
        else:
            driver.advance()
        if driver.ask is not None:
            raise RecordMismatch(f"episode {driver.episode}: the record ends inside a step", "Resume the run first.")
    if driver.fresh:
        raise RecordMismatch(
            f"episode {driver.episode}: running it again yields more than its record", "See `moot show`."
        )
    return driver.state.steps


READER = "llama:reader"
"""The SPEC of a model that is never opened."""


@dataclass(frozen=True, slots=True)
class SeatPrompt:
    """A prompt. policy: with its form; step: at which it is asked; budget: the room it was made for; parts:
    characters by part, as far as the benchmark tells its parts apart."""

    run: str
    episode: str
    seat: str
    policy: str
    step: int
    ask: Ask
    budget: ContextBudget
    parts: dict[str, int]


def would_read(name: str | Path, episode: str, seat: str, *, step: int | None = None, context: int = 0) -> SeatPrompt:
    """The prompt of a seat, in the form in which whoever sits there is asked, or under a schema.

    Args:
        name: the run.
        episode: its episode.
        seat: the seat by its name in the record, or by an alias of the benchmark.
        step: number of the step, from 1; default: the last at which the seat was asked.
        context: tokens of context of the model; 0: of whoever sits there.

    Raises:
        UsageError: there is no such seat or step, or the seat is not asked at that step.
        RecordMismatch: the task file or the pack is not that of the run.
    """
    stored = StoredEpisode.of(name, episode)
    bench, records = stored.bench, stored.records
    seat = bench.aliases.get(seat, seat)
    at = step or _last_step(records, seat, stored.row.id)
    state = fold(completed([record for record in records if record.step < at]))
    sits = _model(bench, state, seat, context)
    with program_of(stored.header, other_prompts=True) as program:
        limits = limits_of(bench, stored.spec)
        driver = Driver(stored.row.id, 0, program, time.time, time.perf_counter, limits, state)
        driver.seat(sits)
        ask = _asked(driver, [record for record in records if record.step == at], seat, at)
    run, parts = str(stored.header["run"]), bench.parts(ask.messages)
    return SeatPrompt(run, stored.row.id, seat, sits.policy, at, ask, ContextBudget.of(sits), parts)


def would_do(name: str | Path, episode: str) -> ToolCalled | Answered | None:
    """What the rules would do next in the tested seat of a stored episode; None where they would do nothing.

    Raises:
        UsageError: the benchmark's rules ask somebody else first.
        RecordMismatch: the task file or the pack is not that of the run.
    """
    stored = StoredEpisode.of(name, episode)
    bench = stored.bench
    state = fold(completed(stored.records))
    with program_of(stored.header, other_prompts=True) as program:
        limits = limits_of(bench, stored.spec)
        driver = Driver(stored.row.id, 0, program, time.time, time.perf_counter, limits, state)
        driver.seat(Cast.of(bench, RunSpec(benchmark=bench.name)).tested)
        seen = len(driver.state.records)
        driver.advance()
        made = [record.event for record in driver.state.records[seen:]]
    return next((event for event in made if isinstance(event, ToolCalled | Answered)), None)


def _last_step(records: Sequence[Record], seat: str, episode: str) -> int:
    steps = [record.step for record in records if record.step and getattr(record.event, "seat", None) == seat]
    if not steps:
        known = sorted(fold(records).seats)
        raise UsageError(f"seat '{seat}' is never asked in episode {episode}", f"Its seats: {', '.join(known)}.")
    return max(steps)


def _model(bench: Benchmark, state: State, seat: str, context: int) -> Seated:
    """A model in the seat: the one that sits there, or one of the method that the benchmark plays models with."""
    there = state.seats.get(seat)
    if there is None:
        raise UsageError(f"the episode has no seat '{seat}'", f"Its seats: {', '.join(sorted(state.seats))}.")
    if seat != bench.seat and "model" not in bench.roles.get(seat, ()):
        raise UsageError(f"seat '{seat}' is kept by rules alone", "No model reads there.")
    sits = there if ":" in there.engine else seat_later(bench, seat, READER, there.policy)
    return sits.model_copy(update={"context": context}) if context else sits


def _asked(driver: Driver, recorded: Sequence[Record], seat: str, step: int) -> Ask:
    """What the seat is asked; questions to others that come before are answered as they were."""
    replies = [record.event for record in recorded if isinstance(record.event, ModelCalled)]
    driver.advance()
    while (ask := driver.ask) is not None and ask.seat != seat:
        called = next((event for event in replies if event.seat == ask.seat), None)
        if called is None:
            break
        replies.remove(called)
        driver.reply(reply_of(called))
        driver.resume()
    if ask is None or ask.seat != seat:
        raise UsageError(f"seat '{seat}' is not asked at step {step}", "Leave --step out for the last time.")
    return ask
