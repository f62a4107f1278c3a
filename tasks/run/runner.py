"""Runs of many episodes: start, resume, fork, verify. One journal file a run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from functools import cached_property
from pathlib import Path
from typing import Any

from models.engine import Ask, Engine, Roomy, TellsTools
from models.errors import BadEngine
from models.sampling import bare, sampled
from store import places
from store.errors import StoreError
from store.journal import SUFFIX, EpisodeRow, Journal, ScoreRow
from store.pack import Pack
from store.run_file import reading
from tasks.agents.budgets import with_room
from tasks.agents.modes import split
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.episode.driver import INFRASTRUCTURE, Driver
from tasks.episode.events import AttemptStarted, ModelCalled, Seated
from tasks.episode.program import Program
from tasks.episode.records import record_of
from tasks.episode.scheduler import HUMAN, Scheduler
from tasks.episode.state import completed, digest, fold
from tasks.episode.watcher import Watcher
from tasks.errors import RecordMismatch, UsageError
from tasks.run.cast import Cast, check_seat
from tasks.run.engines import open_engine, run_path
from tasks.run.experiment import check_same, make_header
from tasks.run.header import description_hash, header_of, now, refuse_imported, spec_of, unchanged
from tasks.run.plan import choose, episodes_of, limits_of, refuse_narrow, task_file
from tasks.run.reading import GRADER, episode_of, grades, results_of
from tasks.run.spec import RunSpec, fresh_id
from tasks.run.stored import Stored
from tasks.scoring.added import added_rows, with_added
from tasks.scoring.context import ScoreContext
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Result


@dataclass
class Run:
    """An open run: journal, scheduler, and the questions with their gold (for scorers)."""

    id: str
    spec: RunSpec
    bench: Benchmark
    journal: Journal
    scheduler: Scheduler
    questions: list[Question]
    pack: Pack
    engines: dict[str, Engine]
    program: Program | None = None
    """The rules of its episodes; made when the first is opened."""

    @cached_property
    def cast(self) -> Cast:
        """Who sits where when an episode begins."""
        return Cast.of(self.bench, self.spec)

    def go(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Drive all episodes to their ends, or until `go_on` says no."""
        self.scheduler.run(parallel=self.spec.parallel, go_on=go_on)

    def open(self, spec: str) -> None:
        """Open the engine of a SPEC for a seat that changes hands ('' and `human` need none); the run closes it.

        Raises:
            BadEngine: the SPEC names no engine, or its file is not what it should be.
        """
        if spec and spec != HUMAN and spec not in self.engines:
            self.engines[spec] = _engine(spec, self.engines, self.spec.parallel)
            self.scheduler.engines = dict(self.engines)

    def seat(self, episode: str, seated: Seated) -> None:
        """Somebody takes a seat between two turns; the record says which file or model is behind a SPEC."""
        self.open(seated.engine)
        check_calls([seated], self.engines)
        self.scheduler.seat(episode, self.described(seated))

    def described(self, seated: Seated) -> Seated:
        """The newcomer with the hash of what its engine says of itself."""
        engine = self.engines.get(seated.engine)
        known = seated.model_copy(update={"described": description_hash(engine.describe()) if engine else ""})
        return _roomed(known, self.engines)

    def results(self) -> list[Result]:
        """What the episodes came to, the last attempt of each."""
        return results_of(self.journal, self.bench)

    def summary(self) -> Summary:
        """What the run came to as it stands."""
        asked = {row.task_id for row in self.journal.episodes()}
        context = ScoreContext(pack=self.pack, graded=grades(self.journal), spec=self.spec)
        questions, results = [q for q in self.questions if q.id in asked], self.results()
        made = self.bench.summary(self.id, questions, results, context)
        return with_added(made, {q.id: (q, q.cluster) for q in questions}, results)

    def record_scores(self) -> None:
        """Append the scores of finished episodes that have none by rules yet."""
        questions = {question.id: question for question in self.questions}
        context = ScoreContext(pack=self.pack, spec=self.spec)
        rows: list[ScoreRow] = []
        for row, result in zip(self.journal.episodes(), self.results(), strict=True):
            attempt = self.journal.attempts(row.id)[-1]
            by_rules = {score.scorer for score in self.journal.scores(attempt.id)} - {GRADER, HUMAN}
            if self.scheduler.episodes[row.id].stopped and not by_rules:
                rows += self.bench.score_rows(attempt.id, questions[row.task_id], result, context)
                rows += added_rows(self.bench.name, attempt.id, questions[row.task_id], result)
        if rows:
            self.journal.add_scores(rows)

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave everything in order; the run can be resumed or read."""
        _close(self.engines)
        self.journal.close()
        self.pack.close()


def start_run(
    spec: RunSpec, watchers: Sequence[Watcher] = (), *, out: Path | None = None, argv: Sequence[str] = ()
) -> Run:
    """Prepare a new run: everything is checked before the file is written."""
    bench = benchmark(spec.benchmark)
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
        casts = {question.id: cast.at(question) for question in chosen}
        engines = _engines(spec, *cast.engines)
        check_calls([cast.tested], engines)
        casts = {name: [_roomed(sits, engines) for sits in sitting] for name, sitting in casts.items()}
        refuse_narrow(bench, ((question, casts[question.id]) for question in chosen), spec)
        name = out.stem if out else fresh_id(spec)
        path = out or places.runs() / f"{name}{SUFFIX}"
        rows = list(episodes_of(chosen, spec.epochs))
        header = make_header(name, spec, bench, pack, tasks, tasks_hash, chosen, engines, argv)
        journal = Journal.create(path, header, rows)
    except BaseException:
        _close(engines)
        pack.close()
        raise
    run = _open(name, spec, bench, journal, pack, questions, engines, watchers)
    run.program = program
    cards = {question.id: question.card for question in chosen}
    for row in rows:
        (attempt,) = journal.attempts(row.id)
        driver = _driver(run, row.id, attempt.id)
        _begin(driver, spec, row, cards[row.task_id], attempt.number, casts[row.task_id])
        run.scheduler.episodes[row.id] = driver
    return run


def resume_run(name: str | Path, watchers: Sequence[Watcher] = (), *, new_attempt: bool = False) -> Run:
    """Take up an interrupted run where its record ends. `new_attempt` begins unfinished episodes anew."""
    path = run_path(name)
    with reading(path):
        return _resumed(path, watchers, new_attempt)


def _resumed(path: Path, watchers: Sequence[Watcher], new_attempt: bool) -> Run:
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
    try:
        for row in journal.episodes():
            _take_up(run, row, new_attempt)
    except BaseException:
        run.close()
        raise
    return run


def fork_run(
    name: str | Path,
    episode: str,
    step: int,
    watchers: Sequence[Watcher] = (),
    *,
    newcomer: Seated | None = None,
    engine: str = "",
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
        ended = f" to go on from: it ended in step {ended_in}" if ended_in == step else ""
        raise UsageError(f"episode {episode} has no step {step}{ended}", f"Choose 0 to {available}.")
    spec = spec_of(header)
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
        check_seat(newcomer, seats, episode)
    sitting = {**seats, **({newcomer.seat: newcomer} if newcomer else {})}
    engines = _engines(spec, engine, *(sits.engine for sits in sitting.values()))
    check_calls(sitting.values(), engines)
    header = {
        **header, "run": fresh, "created": now(), "command": list(argv), "spec": spec.model_dump(mode="json"),
        "parent": {"run": header["run"], "episode": row.id, "step": step, "digest": digest(kept)},
    }  # fmt: skip
    journal = Journal.create(
        out or places.runs() / f"{fresh}{SUFFIX}", header, [EpisodeRow(row.id, 0, row.task_id, row.epoch)]
    )
    run = _open(fresh, spec, bench, journal, pack, questions, engines, watchers)
    (attempt,) = journal.attempts(row.id)
    driver = _driver(run, row.id, attempt.id)
    driver.load(kept)
    driver.fresh.extend(kept)
    driver.texts.update(texts)
    if newcomer is not None:
        driver.seat(run.described(newcomer))
    run.scheduler.add(driver)
    return run


def verify_episode(name: str | Path, episode: str) -> int:
    """Run an episode again against its record and compare every event; returns the number of steps that agree."""
    stored = Stored.of(name, episode)
    with stored.program() as program:
        driver = Driver(stored.row.id, 0, program, time.time, time.perf_counter)
        driver.recorded = list(completed(stored.records))
        while driver.recorded:
            event = driver.recorded[0].event
            if driver.recorded[0].step == 0 or event.tag in ("seated", "limit_hit") or driver.stopped:
                driver.note(event, driver.recorded[0].parent)
            elif event.tag == "stopped":
                driver.note(event)
            else:
                driver.advance()
            if driver.ask is not None:
                raise RecordMismatch(
                    f"episode {driver.episode}: the record ends inside a step", "Resume the run first."
                )
        if driver.fresh:
            raise RecordMismatch(
                f"episode {driver.episode}: running it again yields more than its record", "See `moot show`."
            )
        return driver.state.steps


def _open(
    name: str, spec: RunSpec, bench: Benchmark, journal: Journal, pack: Pack, questions: list[Question],
    engines: dict[str, Engine], watchers: Sequence[Watcher],
) -> Run:  # fmt: skip
    return Run(name, spec, bench, journal, Scheduler(journal, engines, watchers), questions, pack, engines)


def _engines(spec: RunSpec, *specs: str) -> dict[str, Engine]:
    """SPEC -> its engine, for every model that sits in the run from its beginning."""
    opened: dict[str, Engine] = {}
    try:
        for name in dict.fromkeys(name for name in specs if name and name != HUMAN):
            opened[name] = _engine(name, opened, spec.parallel)
    except BaseException:
        _close(opened)
        raise
    return opened


def _roomed(sits: Seated, engines: Mapping[str, Engine]) -> Seated:
    """A sitter with the room of his engine."""
    engine = engines.get(sits.engine)
    return with_room(sits, engine.room()) if isinstance(engine, Roomy) else sits


def check_calls(sitting: Iterable[Seated], engines: Mapping[str, Engine]) -> None:
    """See whether the model of a seat that calls tools natively can be given tools.

    Raises:
        BadEngine: it cannot.
    """
    for sits in sitting:
        engine = engines.get(sits.engine)
        if split(sits.policy)[1] == "native" and isinstance(engine, TellsTools):
            engine.check_tools()


def _engine(spec: str, opened: Mapping[str, Engine], parallel: int) -> Engine:
    """The engine of a SPEC; seats that differ in how they speak share the one of their model."""
    same = next((engine for known, engine in opened.items() if bare(known) == bare(spec)), None)
    sampled(Ask("", (), ""), spec)  # says what is wrong with the settings before anything starts
    return same or open_engine(spec, parallel=parallel)


def _close(engines: Mapping[str, Engine]) -> None:
    for engine in {id(engine): engine for engine in engines.values()}.values():
        engine.close()


def _sit(run: Run, episode: str, seats: Mapping[str, Seated], check: bool = True) -> None:
    """Open the engines of the seats of an episode that goes on; with `check`, refuse one that differs from its record."""
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


def _driver(run: Run, episode: str, attempt: int) -> Driver:
    scheduler = run.scheduler
    return Driver(
        episode, attempt, _program(run), scheduler.clock, scheduler.stopwatch, limits_of(run.bench, run.spec)
    )


def _begin(
    driver: Driver, spec: RunSpec, row: EpisodeRow, card: dict[str, Any], number: int, sitting: Sequence[Seated]
) -> None:
    """The setting up: not committed alone but together with the first step."""
    started = AttemptStarted(
        benchmark=spec.benchmark, task_id=row.task_id, attempt=number, seed=spec.seed + row.epoch, card=card
    )
    driver.note(started, step=0)
    for sits in sitting:
        driver.note(sits, step=0)


def _take_up(run: Run, row: EpisodeRow, new_attempt: bool) -> None:
    journal, spec = run.journal, run.spec
    attempt = journal.attempts(row.id)[-1]
    records = [record_of(entry) for entry in journal.entries(attempt.id)]
    question = next((question for question in run.questions if question.id == row.task_id), None)
    if question is None:
        raise RecordMismatch(f"task {row.task_id} is not in the task file any more", "Use the recorded file.")
    state = fold(records)
    if records and state.card and state.card != question.card and state.stopped is None:
        raise RecordMismatch(f"task {row.task_id} differs from its record", "Use the recorded task file.")
    failed = state.stopped is not None and state.stopped.reason.startswith(INFRASTRUCTURE)
    anew = state.stopped is None and (new_attempt or not records)
    kept = completed(records, state.steps - 1) if failed else records
    begin_with = run.cast.at(question)
    if failed or state.stopped is None:
        _sit(run, row.id, {s.seat: s for s in begin_with} if anew else fold(kept).seats, check=not new_attempt)
    if failed or (anew and records):
        attempt = journal.begin_attempt(row.id, state.stopped.reason if state.stopped else "new attempt")
    driver = _driver(run, row.id, attempt.id)
    run.scheduler.episodes[row.id] = driver
    if anew:
        _begin(driver, spec, row, question.card, attempt.number, [_roomed(sits, run.engines) for sits in begin_with])
    else:
        driver.load(kept)
    if failed:
        driver.fresh.extend(kept)
        run.scheduler.add(driver)
