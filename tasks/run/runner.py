"""Runs of many episodes: start, resume, fork, verify. One journal file a run."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property, partial
from pathlib import Path

from models.engine import Ask, Engine, EngineError, Roomy, Several, TellsTools
from models.errors import BadEngine
from models.sampling import bare, sampled
from store import places
from store.errors import StoreError
from store.journal import SUFFIX, EpisodeRow, Journal, ScoreRow
from store.pack import Pack
from store.replies import Replies, file_of_replies
from store.run_file import reading
from tasks.agents.budgets import with_room
from tasks.agents.modes import split
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.episode.driver import INFRASTRUCTURE, Driver
from tasks.episode.events import AttemptStarted, ModelCalled, Record, Seated
from tasks.episode.program import Program
from tasks.episode.records import record_of
from tasks.episode.scheduler import HUMAN, Scheduler
from tasks.episode.state import completed, digest, fold
from tasks.episode.watcher import Watcher
from tasks.errors import RecordMismatch, UsageError
from tasks.run.brief import seal
from tasks.run.budget import Budget
from tasks.run.cached import KnownReplies
from tasks.run.cast import Cast, check_seat
from tasks.run.engines import open_engine, run_path
from tasks.run.experiment import check_same, make_header
from tasks.run.header import description_hash, header_of, now, refuse_imported, spec_of, unchanged
from tasks.run.plan import choose, episodes_of, limits_of, refuse_narrow, task_file
from tasks.run.reading import GRADER, Results, episode_of, grades, read_episode, stopped_of
from tasks.run.spec import RunSpec, fresh_id
from tasks.scoring.added import added_rows, with_added
from tasks.scoring.context import ScoreContext
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Result

SCORED_AT_ONCE = 200
"""Episodes whose scores are written in one transaction."""


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
    budget: Budget = field(default_factory=Budget)
    """What it may spend; replaced before it goes on."""
    known: KnownReplies | None = None
    """Replies of earlier runs, where they are taken."""
    rows: dict[str, EpisodeRow] = field(default_factory=dict)
    """Its episodes by id; filled when it begins or goes on."""
    new_attempt: bool = False
    """Whether unfinished episodes begin anew."""

    @cached_property
    def by_id(self) -> Mapping[str, Question]:
        """Its questions by id."""
        return {question.id: question for question in self.questions}

    @cached_property
    def cast(self) -> Cast:
        """Who sits where when an episode begins."""
        return Cast.of(self.bench, self.spec)

    def go(self, go_on: Callable[[], bool] = lambda: True) -> None:
        """Drive all episodes to their ends, until `go_on` says no, or until its budget is spent."""
        budget = self.budget
        if budget.begin(self.journal):
            self.scheduler.watchers.append(budget)
        self.scheduler.run(parallel=self.spec.parallel, go_on=lambda: budget.spent() is None and go_on())

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

    def results(self) -> Sequence[Result]:
        """What the episodes came to, the last attempt of each; read from the journal whenever one is looked at."""
        return Results(lambda: nullcontext(self.journal), self.bench)

    def summary(self) -> Summary:
        """What the run came to as it stands."""
        asked = {row.task_id for row, _ in self.journal.walk()}
        context = ScoreContext(pack=self.pack, graded=grades(self.journal), spec=self.spec)
        questions, results = [q for q in self.questions if q.id in asked], self.results()
        made = self.bench.summary(self.id, questions, results, context)
        return with_added(made, {q.id: (q, q.cluster) for q in questions}, results)

    def record_scores(self) -> None:
        """Append the scores of finished episodes that have none by rules yet."""
        context = ScoreContext(pack=self.pack, spec=self.spec)
        unscored = self.scheduler.episodes.unscored
        while unscored:
            batch = unscored[:SCORED_AT_ONCE]
            self.journal.add_scores([row for name in batch for row in self._score_rows(name, context)])
            del unscored[: len(batch)]

    def _score_rows(self, name: str, context: ScoreContext) -> Sequence[ScoreRow]:
        row, attempt = self.rows[name], self.journal.attempts(name)[-1].id
        if {score.scorer for score in self.journal.scores(attempt)} - {GRADER, HUMAN}:
            return ()
        question, state = self.by_id[row.task_id], fold(read_episode(self.journal, name))
        result = self.bench.result(row.task_id, row.epoch, state)
        return [
            *self.bench.score_rows(attempt, question, result, context),
            *added_rows(self.bench.name, attempt, question, result),
        ]

    def troubles(self) -> list[EngineError | StoreError]:
        """What does not keep the run from going on, but should be known: servers that are away, a cache that is no
        use."""
        engines = {id(engine): engine for engine in self.engines.values()}.values()
        away = [error for engine in engines if isinstance(engine, Several) for error in engine.away()]
        return [*away, *(self.known.replies.troubles if self.known is not None else ())]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave everything in order; the run can be resumed or read. One that has ended is sealed."""
        _close(self.engines)
        with suppress(StoreError):  # a full disk, say: lists then read the run itself
            if self.rows and not self.scheduler.episodes.open:
                seal(self.journal)
        self.journal.close()
        self.pack.close()
        if self.known is not None:
            self.known.replies.close()


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
        engines = _engines(spec, *cast.engines)
        check_calls([cast.tested], engines)
        seated = ((question, [_roomed(sits, engines) for sits in cast.at(question)]) for question in chosen)
        refuse_narrow(bench, seated, spec)
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
    run.rows = {row.id: row for row in rows}
    run.scheduler.episodes.expect(run.rows)
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
    run.new_attempt = new_attempt
    try:
        for row, attempts in journal.walk():
            _look_at(run, row, attempts[-1].id)
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
    run.rows[row.id] = row
    driver = _driver(run, row.id, attempt.id)
    driver.load(kept)
    driver.fresh.extend(kept)
    driver.texts.update(texts)
    if newcomer is not None:
        driver.seat(run.described(newcomer))
    run.scheduler.add(driver)
    return run


def _open(
    name: str, spec: RunSpec, bench: Benchmark, journal: Journal, pack: Pack, questions: list[Question],
    engines: dict[str, Engine], watchers: Sequence[Watcher],
) -> Run:  # fmt: skip
    known = KnownReplies(Replies(file_of_replies()), engines) if spec.cache else None
    scheduler = Scheduler(journal, engines, watchers, known=known)
    budget = Budget(spec.budget_tokens, spec.budget_seconds)
    run = Run(name, spec, bench, journal, scheduler, questions, pack, engines, budget=budget, known=known)
    run.scheduler.episodes.begin = partial(_taken_up, run)
    run.scheduler.episodes.read = partial(_read, run)
    return run


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


def _read(run: Run, episode: str) -> Driver:
    """An episode that is over, as its record has it."""
    attempt = run.journal.attempts(episode)[-1].id
    driver = _driver(run, episode, attempt)
    driver.load([record_of(entry) for entry in run.journal.entries(attempt)])
    return driver


def _look_at(run: Run, row: EpisodeRow, attempt: int) -> None:
    """Note how an episode of a run that goes on stands; what would keep it from going on is said at once."""
    run.rows[row.id] = row
    run.scheduler.episodes.expect((row.id,))
    if row.task_id not in run.by_id:
        raise RecordMismatch(f"task {row.task_id} is not in the task file any more", "Use the recorded file.")
    stopped = stopped_of(run.journal, attempt)
    if stopped is not None and not stopped.reason.startswith(INFRASTRUCTURE):
        run.scheduler.episodes.over(row.id, stopped.outcome, stopped.reason)
    else:
        _Left.of(run, row.id)


@dataclass(frozen=True, slots=True)
class _Left:
    """What is left of an episode that goes on: the records that stand, and whether its last attempt failed, or nothing
    of it counts any more."""

    attempt: int
    records: list[Record]
    kept: list[Record]
    failed: str
    anew: bool

    @classmethod
    def of(cls, run: Run, episode: str) -> _Left:
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
        _sit(run, episode, seats, check=not run.new_attempt)
        return cls(attempt, records, kept, state.stopped.reason if state.stopped else "", anew)


def _taken_up(run: Run, episode: str) -> Driver:
    """An episode that begins or goes on: its first attempt, the one that was left, or another after one that failed."""
    left = _Left.of(run, episode)
    attempt = left.attempt
    if left.failed or (left.anew and left.records):
        attempt = run.journal.begin_attempt(episode, left.failed or "new attempt").id
    driver = _driver(run, episode, attempt)
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
        driver.note(_roomed(sits, run.engines), step=0)
