"""An open run: journal, scheduler, engines, and what it came to so far. Whoever closes it can resume it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import nullcontext, suppress
from dataclasses import dataclass, field
from functools import cached_property

from models.engine import Ask, Engine, EngineError, Roomy, TellsTools
from models.sampling import bare, sampled
from store.errors import StoreError
from store.journal import EpisodeRow, Journal, ScoreRow
from store.pack import Pack
from tasks.agents.budgets import with_room
from tasks.agents.modes import split
from tasks.benchmark import Benchmark, Question
from tasks.episode.events import Seated
from tasks.episode.program import Program
from tasks.episode.scheduler import HUMAN, Scheduler
from tasks.episode.state import fold
from tasks.run.brief import BESIDE, seal
from tasks.run.budget import Budget
from tasks.run.cached import KnownReplies
from tasks.run.cast import Cast
from tasks.run.engines import open_engine
from tasks.run.header import description_hash
from tasks.run.reading import GRADER, Results, grades, read_episode
from tasks.run.spec import RunSpec
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
            self.engines[spec] = engine_for(spec, self.engines, self.spec.parallel)
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
        return roomed(known, self.engines)

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
        if {score.scorer for score in self.journal.scores(attempt)} - {GRADER, *BESIDE}:
            return ()
        question, state = self.by_id[row.task_id], fold(read_episode(self.journal, name))
        result = self.bench.result(row.task_id, row.epoch, state)
        return [
            *self.bench.score_rows(attempt, question, result, context),
            *added_rows(self.bench.name, attempt, question, result),
        ]

    def troubles(self) -> list[EngineError | StoreError]:
        """What does not keep the run from going on, but should be known: a cache that is no use."""
        return list(self.known.replies.troubles) if self.known is not None else []

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave everything in order; the run can be resumed or read. One that has ended is sealed."""
        close_engines(self.engines)
        with suppress(StoreError):  # a full disk, say: lists then read the run itself
            if self.rows and not self.scheduler.episodes.open:
                seal(self.journal)
        self.journal.close()
        self.pack.close()
        if self.known is not None:
            self.known.replies.close()


def open_engines(spec: RunSpec, *specs: str) -> dict[str, Engine]:
    """SPEC -> its engine, for every model that sits in the run from its beginning."""
    opened: dict[str, Engine] = {}
    try:
        for name in dict.fromkeys(name for name in specs if name and name != HUMAN):
            opened[name] = engine_for(name, opened, spec.parallel)
    except BaseException:
        close_engines(opened)
        raise
    return opened


def roomed(sits: Seated, engines: Mapping[str, Engine]) -> Seated:
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


def engine_for(spec: str, opened: Mapping[str, Engine], parallel: int) -> Engine:
    """The engine of a SPEC; seats that differ in how they speak share the one of their model."""
    same = next((engine for known, engine in opened.items() if bare(known) == bare(spec)), None)
    sampled(Ask("", (), ""), spec)  # says what is wrong with the settings before anything starts
    return same or open_engine(spec, parallel=parallel)


def close_engines(engines: Mapping[str, Engine]) -> None:
    """Close each engine once; two SPECs may share one."""
    for engine in {id(engine): engine for engine in engines.values()}.values():
        engine.close()
