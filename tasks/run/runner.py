"""Runs of many episodes: start, resume, fork. One journal file a run."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from models.engine import Engine
from models.errors import BadEngine
from store import places
from store.cache import Cache, file_of
from store.errors import StoreError
from store.journal import SUFFIX, EpisodeRow, Journal
from store.pack import Pack
from store.run_file import reading
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.episode.driver import INFRASTRUCTURE, Driver
from tasks.episode.events import AttemptStarted, ModelCalled, Record, Seated, record_of
from tasks.episode.scheduler import Scheduler, Watcher
from tasks.episode.seats import Program
from tasks.episode.state import completed, digest, fold
from tasks.errors import RecordMismatch, UsageError
from tasks.run.cast import Cast, check_seat, drawn, formed, sampled
from tasks.run.engines import run_path
from tasks.run.fitting import fitted, refuse_narrow
from tasks.run.header import description_hash, header_of, now, refuse_imported, spec_of, unchanged
from tasks.run.opened import (
    CachedReplies,
    Run,
    RunBudget,
    check_calls,
    close_engines,
    engine_for,
    limited,
    limits_at,
    open_engines,
    seeds_ignored,
)  # fmt: skip
from tasks.run.plan import check_same, choose, episodes_of, limits_of, make_header, task_file
from tasks.run.reading import episode_of, read_episode, stopped_of
from tasks.run.spec import RunSpec, fresh_id


def sit(run: Run, episode: str, seats: Mapping[str, Seated], check: bool = True) -> None:
    """Open the engines of the seats of an episode that goes on; with `check`, refuse one that differs from its
    record."""
    header = header_of(run.journal)["engines"]
    for sits in seats.values():
        try:
            run.open(sits.engine)
        except (BadEngine, StoreError) as error:
            raise UsageError(
                f"episode {episode}: the engine of seat {sits.seat} cannot be opened: {error.title}",
                error.hint
                or "Bring it back, or seat somebody else: `moot fork RUN EPISODE --turn K --seat ROLE=rules`.",
            ) from error
        known = header.get(sits.engine)
        recorded = sits.described or (description_hash(known) if known else "")
        if check and recorded and recorded != run.described(sits).described:
            raise RecordMismatch(
                f"engine {sits.engine} differs from its record", "Use the recorded file, or --new-attempt."
            )


def _program(run: Run) -> Program:
    if run.program is None:
        run.program = run.bench.program(run.pack, run.questions, run.spec)
    return run.program


def driver_of(run: Run, episode: str, attempt: int) -> Driver:
    """The driver of an attempt, which knows nothing of it yet."""
    scheduler = run.scheduler
    return Driver(
        episode, attempt, _program(run), scheduler.clock, scheduler.stopwatch, limits_of(run.bench, run.spec)
    )


def read_over(run: Run, episode: str) -> Driver:
    """An episode that is over, as its record has it."""
    attempt = run.journal.attempts(episode)[-1].id
    driver = driver_of(run, episode, attempt)
    driver.load([record_of(entry) for entry in run.journal.entries(attempt)])
    return driver


def look_at(run: Run, row: EpisodeRow, attempt: int) -> None:
    """Note how an episode of a run that goes on stands; what would keep it from going on is said at once."""
    run.rows[row.id] = row
    run.scheduler.episodes.expect((row.id,))
    if row.task_id not in run.by_id:
        raise RecordMismatch(f"task {row.task_id} is not in the task file any more", "Use the recorded file.")
    stopped = stopped_of(run.journal, attempt)
    if stopped is not None and not stopped.reason.startswith(INFRASTRUCTURE):
        run.scheduler.episodes.over(row.id, stopped.outcome, stopped.reason)
    else:
        _EpisodeRemainder.of(run, row.id)


@dataclass(frozen=True, slots=True)
class _EpisodeRemainder:
    """What is left of an episode that goes on: the records that stand, and whether its last attempt failed, or
    nothing of it counts any more."""

    attempt: int
    records: list[Record]
    kept: list[Record]
    failed: str
    anew: bool

    @classmethod
    def of(cls, run: Run, episode: str) -> _EpisodeRemainder:
        """From the record of its last attempt; what is seated must be here, and be what it was."""
        row, journal = run.rows[episode], run.journal
        question, attempt = run.by_id[row.task_id], journal.attempts(episode)[-1].id
        records = [record_of(entry) for entry in journal.entries(attempt)]
        state = fold(records)
        if records and state.card and state.card != question.card and state.stopped is None:
            raise RecordMismatch(f"task {row.task_id} differs from its record", "Use the recorded task file.")
        anew = state.stopped is None and (run.new_attempt or not records)
        kept = completed(records, state.steps - 1) if state.stopped is not None else records
        seats = {s.seat: s for s in run.cast.at(question)} if anew else fold(kept).seats
        sit(run, episode, seats, check=not run.new_attempt)
        return cls(attempt, records, kept, state.stopped.reason if state.stopped else "", anew)


def taken_up(run: Run, episode: str) -> Driver:
    """An episode that begins or goes on: its first attempt, the one that was left, or another after one that
    failed."""
    left = _EpisodeRemainder.of(run, episode)
    attempt = left.attempt
    if left.failed or (left.anew and left.records):
        attempt = run.journal.begin_attempt(episode, left.failed or "new attempt").id
    driver = driver_of(run, episode, attempt)
    if left.anew:
        _begin(run, driver)
    else:
        driver.load(left.kept)
    if left.failed:
        driver.fresh.extend(left.kept)
        run.scheduler.add(driver)
    return driver


def _begin(run: Run, driver: Driver) -> None:
    """The setting up: not committed alone but together with the first step."""
    row, spec = run.rows[driver.episode], run.spec
    question, number = run.by_id[row.task_id], len(run.journal.attempts(row.id))
    started = AttemptStarted(
        benchmark=spec.benchmark, task_id=row.task_id, attempt=number, seed=spec.seed + row.epoch, card=question.card
    )
    driver.note(started, step=0)
    for sits in run.cast.at(question):
        driver.note(limited(sits, run.engines), step=0)


def start_run(
    spec: RunSpec,
    watchers: Sequence[Watcher] = (),
    *,
    out: Path | None = None,
    argv: Sequence[str] = (),
    suite: Mapping[str, str] | None = None,
) -> Run:
    """Prepare a new run: everything is checked before the file is written. `suite`: what its header says of the suite
    that it is a member of."""
    bench = benchmark(spec.benchmark)
    spec = formed(bench, spec)
    spec = sampled(bench, spec)
    cast = Cast.of(bench, spec)
    if cast.engines:
        day = datetime.now().astimezone().date()
        spec = spec.having(**bench.settings.of(spec.settings, bench.name).begun(day))
    pack = Pack.open(spec.pack)
    engines: dict[str, Engine] = {}
    try:
        tasks = task_file(spec, pack)
        with unchanged(tasks) as tasks_hash:
            questions = list(bench.load(tasks))
        chosen = choose(bench, questions, spec)
        program = bench.program(pack, questions, spec)
        cast.check(chosen)
        engines = open_engines(spec, *cast.engines)
        check_calls([cast.tested], engines)
        whole = choose(bench, questions, spec.model_copy(update={"shard": None}))  # shards play with equal replies
        seated = [(question, [limited(sits, engines) for sits in cast.at(question)]) for question in whole]
        found = fitted(bench, seated, spec)
        refuse_narrow(found, seated, lambda sits: limits_at(sits, engines).trained)
        spec = found.spec
        cast = Cast.of(bench, spec)
        engines = {name: engine_for(name, engines, spec.parallel) for name in cast.engines}
        name = out.stem if out else fresh_id(spec)
        path = out or places.runs() / f"{name}{SUFFIX}"
        rows = list(episodes_of(chosen, spec.epochs))
        header = make_header(name, spec, bench, pack, tasks, tasks_hash, chosen, engines, argv)
        header |= {"suite": dict(suite)} if suite else {}
        header["seed_ignored"] = seeds_ignored(bench, spec, (cast.tested, *cast.others), engines)
        journal = Journal.create(path, header, rows)
    except BaseException:
        close_engines(engines)
        pack.close()
        raise
    run = _open(name, spec, bench, journal, pack, questions, engines, watchers)
    run.program, run.lowered = program, found.lowered
    run.rows = {row.id: row for row in rows}
    run.scheduler.episodes.expect(run.rows)
    return run


def resume_run(
    name: str | Path, watchers: Sequence[Watcher] = (), *, new_attempt: bool = False, tasks: Collection[str] = ()
) -> Run:
    """Take up an interrupted run where its record ends. `new_attempt` begins unfinished episodes anew; `tasks`: ids
    of those that go on, () for all; `UsageError` where the run does not play one of them."""
    path = run_path(name)
    with reading(path):
        return _resumed(path, watchers, new_attempt, frozenset(tasks))


def _resumed(path: Path, watchers: Sequence[Watcher], new_attempt: bool, wanted: frozenset[str]) -> Run:
    journal = Journal.open(path, write=True)
    try:
        header = header_of(journal)
        refuse_imported(header)
        spec = spec_of(header)
        bench = benchmark(spec.benchmark)
        pack = Pack.open(header.get("pack", {}).get("path") or spec.pack)
        tasks = task_file(spec, pack)
        with unchanged(tasks):
            check_same(header, bench, spec, pack, tasks, new_attempt)
            questions = list(bench.load(tasks))
    except BaseException:
        journal.close()
        raise
    run = _open(str(header["run"]), spec, bench, journal, pack, questions, {}, watchers)
    run.new_attempt = new_attempt
    try:
        for row, attempts in journal.walk():
            if not wanted or row.task_id in wanted:
                look_at(run, row, attempts[-1].id)
        if unknown := sorted(wanted - {row.task_id for row in run.rows.values()}):
            raise UsageError(f"run {run.id} plays no task '{unknown[0]}'", "`moot show RUN` lists its episodes.")
    except BaseException:
        run.close()
        raise
    return run


def fork_run(
    name: str | Path,
    episode: str,
    step: int,
    *,
    newcomer: Seated | None = None,
    out: Path | None = None,
    argv: Sequence[str] = (),
) -> Run:
    """A new run with one episode that shares the first `step` steps of an old one and goes on from there.

    `argv` is the command line that forks.

    Raises:
        UsageError: the episode has no such step, or no seat for the newcomer.
    """
    path = run_path(name)
    with Journal.open(path) as old:
        header = header_of(old)
        refuse_imported(header)
        row, records = episode_of(old, episode)
    ended_in = next(
        (r.step for r in records if r.event.tag == "stopped" and records[-1].event.tag == "step_ended"), None
    )
    available = ended_in - 1 if ended_in else fold(completed(records)).steps
    if not 0 <= step <= available:
        if ended_in == step:
            raise UsageError(
                f"episode {episode} ended in step {step}: there is nothing to go on from", f"Choose 0 to {available}."
            )
        raise UsageError(f"episode {episode} has no step {step}", f"Choose 0 to {available}.")
    spec = spec_of(header).model_copy(update={"budget_tokens": None, "budget_seconds": None})  # of the run it left
    bench = benchmark(spec.benchmark)
    pack = Pack.open(header.get("pack", {}).get("path") or spec.pack)
    tasks = task_file(spec, pack)
    with unchanged(tasks):
        check_same(header, bench, spec, pack, tasks, True)
        questions = list(bench.load(tasks))
    fresh = out.stem if out else fresh_id(spec)
    kept = [
        record
        for record in completed(records, step)
        if record.event.tag != "stopped" and record.event.tag != "limit_hit"
    ]
    with Journal.open(path) as old:
        named = (name for record in kept if isinstance(record.event, ModelCalled) for name in record.event.texts)
        found = ((name, old.text(name)) for name in dict.fromkeys(named))
        texts = {name: text for name, text in found if text is not None}
    seats = fold(kept).seats
    if newcomer is not None:
        newcomer = drawn(newcomer, bench, spec)
        check_seat(newcomer, seats, episode)
    sitting = {**seats, **({newcomer.seat: newcomer} if newcomer else {})}
    engines = open_engines(spec, *(sits.engine for sits in sitting.values()))
    check_calls(sitting.values(), engines)
    header = {
        **header, "run": fresh, "created": now(), "command": list(argv), "spec": spec.model_dump(mode="json"),
        "parent": {
            "run": header["run"], "episode": row.id, "step": step, "digest": digest(kept),
            **({"seat": newcomer.seat, "policy": newcomer.policy, "engine": newcomer.engine} if newcomer else {}),
        },
    }  # fmt: skip
    header.pop("suite", None)  # a fork is no member
    header["seed_ignored"] = seeds_ignored(bench, spec, sitting.values(), engines)
    journal = Journal.create(
        out or places.runs() / f"{fresh}{SUFFIX}", header, [EpisodeRow(row.id, 0, row.task_id, row.epoch)]
    )
    with nothing_left(journal):
        run = _open(fresh, spec, bench, journal, pack, questions, engines, ())
        (attempt,) = journal.attempts(row.id)
        run.rows[row.id] = row
        driver = driver_of(run, row.id, attempt.id)
        driver.load(kept)
        driver.fresh.extend(kept)
        driver.texts.update(texts)
        if newcomer is not None:
            driver.seat(run.described(newcomer))
        run.scheduler.add(driver)
        return run


@contextmanager
def nothing_left(fork: Journal) -> Iterator[None]:
    """A fork that fails before its first step of its own leaves no file behind."""
    try:
        yield
    except Exception:
        fork.close()
        own = 0
        with suppress(StoreError), Journal.open(fork.path) as journal:
            steps = (fold(read_episode(journal, row.id)).steps for row in journal.episodes())
            own = max(steps, default=0) - header_of(journal)["parent"]["step"]
        if own < 1:
            fork.path.unlink()
        raise


def _open(
    name: str, spec: RunSpec, bench: Benchmark, journal: Journal, pack: Pack, questions: list[Question],
    engines: dict[str, Engine], watchers: Sequence[Watcher],
) -> Run:  # fmt: skip
    known = CachedReplies(Cache(file_of("replies")), engines) if spec.cache else None
    scheduler = Scheduler(journal, engines, watchers, known=known)
    budget = RunBudget(spec.budget_tokens, spec.budget_seconds)
    run = Run(name, spec, bench, journal, scheduler, questions, pack, engines, budget=budget, known=known)
    run.scheduler.episodes.begin = partial(taken_up, run)
    run.scheduler.episodes.read = partial(read_over, run)
    return run
