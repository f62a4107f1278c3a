"""An open run: journal, scheduler, engines, and what it came to so far. Whoever closes it can resume it."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from itertools import chain

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from models.engine import (
    Ask,
    ContextLimits,
    Engine,
    EngineError,
    HasContextLimits,
    HasTroubles,
    Reply,
    SeedCapability,
    ToolCapability,
    Usage,
)
from models.sampling import bare, drawn_by, sampled
from store.cache import Cache
from store.errors import StoreError
from store.journal import EpisodeRow, Journal, ScoreRow
from store.pack import Pack
from tasks.agents.budgets import with_limits
from tasks.agents.modes import split
from tasks.benchmark import Benchmark, Question
from tasks.episode.events import ModelCalled, Seated, record_of
from tasks.episode.scheduler import HUMAN, Notice, RecordsCommitted, Scheduler
from tasks.episode.seats import Program
from tasks.episode.state import fold
from tasks.episode.with_tools import SEAT
from tasks.errors import TaskError
from tasks.run.cast import Cast, drawn
from tasks.run.engines import open_engine
from tasks.run.header import description_hash
from tasks.run.listing import store_totals
from tasks.run.reading import grade_of, grades, is_scored, read_episode, score, summarise
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Summary
from tasks.scoring.result import ScoreContext, newest

SCORED_EVERY = 1.0
"""Seconds after which the attempts that have ended are scored while others go on."""
SCORED_FOR = 0.2
"""Seconds after which that goes on later: while it scores, nobody plays."""
SCORED_AT_ONCE = 200
"""Episodes whose scores are written in one transaction."""


class RunBudget:
    """Tokens and seconds, None for as many as it takes. Watches the run whose budget it is."""

    def __init__(
        self,
        tokens: int | None = None,
        seconds: float | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.tokens, self.seconds = tokens, seconds
        self._clock = clock
        self._used = 0
        self._began: float | None = None

    def having(self, tokens: int | None, seconds: float | None) -> RunBudget:
        """Another one, with what is given here in place of what was given before."""
        return RunBudget(tokens or self.tokens, seconds or self.seconds, self._clock)

    def begin(self, journal: Journal) -> bool:
        """Count what the record of the run holds, and begin the sitting. False where that was done before."""
        if self._began is not None:
            return False
        self._began = self._clock()
        self._used = _recorded(journal) if self.tokens is not None else 0
        return True

    def notify(self, notice: Notice) -> None:
        """Count what is on disk."""
        if isinstance(notice, RecordsCommitted):
            self._used += sum(_tokens(record.event) for record in notice.records)

    def spent(self) -> TaskError | None:
        """What is spent, in a sentence; None while something is left."""
        if self.tokens is not None and self._used >= self.tokens:
            return TaskError(
                f"the budget of the run is spent: {self._used} of {self.tokens} tokens",
                "Raise it with --budget-tokens.",
            )
        if self.seconds is not None and self._began is not None and self._clock() - self._began >= self.seconds:
            return TaskError(
                f"the time of the run is over: {self.seconds:g} seconds",
                "It has them anew when it is taken up again.",
            )
        return None


def _recorded(journal: Journal) -> int:
    """Tokens of all calls; one that a later attempt took over from an earlier one, with its time, is counted once."""
    used = 0
    for row in journal.episodes():
        entries = (e for attempt in journal.attempts(row.id) for e in journal.entries(attempt.id, ModelCalled.tag))
        used += sum(_tokens(event) for event in {(e.at, e.seq): record_of(e).event for e in entries}.values())
    return used


def _tokens(event: object) -> int:
    if not isinstance(event, ModelCalled) or event.origin == "cached":
        return 0
    return event.evaluated + event.reused + event.generated


FORM = 1
"""Of what is kept; another one is not read."""
WHOLE = frozenset({"stop", "length", "repetition"})
"""How a reply ends that would end so again."""
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)


class CachedReplies:
    """The cache as a run uses it; `engines` by SPEC, as they are when a question is asked."""

    def __init__(self, replies: Cache, engines: Mapping[str, Engine]) -> None:
        self.replies = replies
        self._engines = engines
        self.taken = 0
        """Replies that were taken from it."""
        self._described: dict[str, str] = {}

    def found(self, spec: str, ask: Ask) -> Reply | None:
        """What was answered before; None where that is not known."""
        if ask.settings.temperature > 0 or (text := self.replies.get(self._key(spec, ask))) is None:
            return None
        try:
            reply = _REPLY.validate_json(text)
        except ValidationError:  # of another release
            return None
        self.taken += 1
        usage = reply.usage
        tokens = Usage(
            reused=usage.evaluated + usage.reused,
            generated=usage.generated,
            reasoned=usage.reasoned,
            origin="cached",
        )
        return replace(reply, usage=tokens)

    def keep(self, spec: str, ask: Ask, reply: Reply) -> None:
        """Remember a reply for other runs."""
        if ask.settings.temperature > 0 or reply.finish not in WHOLE:
            return
        try:
            text = _REPLY.dump_json(reply)
        except (PydanticSerializationError, UnicodeEncodeError):  # half of a character: no text that can be kept
            return
        self.replies.put({self._key(spec, ask): text})

    def _key(self, spec: str, ask: Ask) -> bytes:
        if spec not in self._described:
            self._described[spec] = description_hash(self._engines[spec].describe())
        payload = [FORM, self._described[spec], ask.digest(), ask.turns]
        return sha256(json.dumps(payload).encode("utf-8", "surrogatepass")).digest()


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
    budget: RunBudget = field(default_factory=RunBudget)
    """What it may spend; replaced before it goes on."""
    known: CachedReplies | None = None
    """Replies of earlier runs, where they are taken."""
    rows: dict[str, EpisodeRow] = field(default_factory=dict)
    """Its episodes by id; filled when it begins or goes on."""
    new_attempt: bool = False
    """Whether unfinished episodes begin anew."""
    lowered: Mapping[str, int] = field(default_factory=dict)
    """Seat -> tokens of a reply, where a new run keeps fewer of them so that its tasks fit."""

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
        scored = time.monotonic()

        def goes_on() -> bool:
            nonlocal scored
            if self.scheduler.episodes.unscored and time.monotonic() - scored >= SCORED_EVERY:
                try:
                    self.record_scores(SCORED_FOR)
                    scored = time.monotonic()
                except Exception:  # a scorer that fails is said when everything is played
                    scored = math.inf
            return budget.spent() is None and go_on()

        self.scheduler.run(parallel=self.spec.parallel, go_on=goes_on)
        self.record_scores()

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
        seated = drawn(seated, self.bench, self.spec)
        self.open(seated.engine)
        check_calls([seated], self.engines)
        self.scheduler.seat(episode, self.described(seated))

    def described(self, seated: Seated) -> Seated:
        """The newcomer with the hash of what its engine says of itself."""
        engine = self.engines.get(seated.engine)
        known = seated.model_copy(update={"described": description_hash(engine.describe()) if engine else ""})
        return limited(known, self.engines)

    def summary(self) -> Summary:
        """What the run came to as it stands."""
        self.record_scores()
        asked = {row.task_id for row, _ in self.journal.walk()}
        context = ScoreContext(pack=self.pack, graded=grades(self.journal), spec=self.spec)
        return summarise(self.journal, self.bench, [q for q in self.questions if q.id in asked], context)

    def record_scores(self, seconds: float = math.inf) -> None:
        """Append the scores of finished episodes that the rules of today have not scored: of one at least, and after
        so many seconds of no further one."""
        unscored, end = self.scheduler.episodes.unscored, time.monotonic() + seconds
        while unscored:
            made: list[Sequence[ScoreRow]] = []
            while len(made) < min(SCORED_AT_ONCE, len(unscored)) and (not made or time.monotonic() < end):
                made.append(self._score_rows(unscored[len(made)]))
            self.journal.add_scores(chain.from_iterable(made))
            del unscored[: len(made)]
            if time.monotonic() >= end:
                break

    def _score_rows(self, name: str) -> Sequence[ScoreRow]:
        row, attempt = self.rows[name], self.journal.attempts(name)[-1].id
        kept = self.journal.scores(attempt)
        if is_scored(newest(kept), self.bench.scorers):
            return ()
        question, state = self.by_id[row.task_id], fold(read_episode(self.journal, name))
        context = ScoreContext(self.pack, {(row.task_id, row.epoch): grade_of(kept)}, self.spec)
        return score(self.bench, attempt, question, self.bench.result(row.task_id, row.epoch, state), context)

    def troubles(self) -> list[EngineError | StoreError]:
        """What does not keep the run from going on, but should be known: a cache that is no use, what a server cannot
        do."""
        found: list[EngineError | StoreError] = list(self.known.replies.troubles) if self.known is not None else []
        engines = {id(engine): engine for engine in self.engines.values()}.values()
        return found + [
            trouble for engine in engines if isinstance(engine, HasTroubles) for trouble in engine.troubles()
        ]

    def __enter__(self) -> Run:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Leave everything in order; the run can be resumed or read. One that has ended is sealed."""
        close_engines(self.engines)
        with suppress(StoreError):  # a full disk, say: lists then read the run itself
            if self.rows and not self.scheduler.episodes.open:
                store_totals(self.journal)
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


def limited(sits: Seated, engines: Mapping[str, Engine]) -> Seated:
    """Who sits there, with the context of its engine."""
    engine = engines.get(sits.engine)
    return with_limits(sits, limits_at(sits, engines)) if isinstance(engine, HasContextLimits) else sits


def limits_at(sits: Seated, engines: Mapping[str, Engine]) -> ContextLimits:
    """The limits of the engine of a seat; 0 where it states none."""
    engine = engines.get(sits.engine)
    return engine.context_limits() if isinstance(engine, HasContextLimits) else ContextLimits(0)


def check_calls(sitting: Iterable[Seated], engines: Mapping[str, Engine]) -> None:
    """See whether the model of a seat that calls tools natively can be given tools.

    Raises:
        BadEngine: it cannot.
    """
    for sits in sitting:
        engine = engines.get(sits.engine)
        if split(sits.policy)[1] == "native" and isinstance(engine, ToolCapability):
            engine.check_tools()


def seeds_ignored(
    bench: Benchmark, spec: RunSpec, sitting: Iterable[Seated], engines: Mapping[str, Engine]
) -> list[str]:
    """The SPECs of models that are sampled on a server that ignores the seed; each is asked before anything else."""
    heat = getattr(bench.settings.of(spec.settings, bench.name), "temperature", None) or 0.0  # of the tested seat
    sampling = (
        sits.engine
        for sits in sitting
        if drawn_by(sits.engine).get("temperature", heat if sits.seat == SEAT else 0.0) > 0
    )
    found = ((name, engines.get(name)) for name in dict.fromkeys(sampling))
    return [name for name, engine in found if isinstance(engine, SeedCapability) and engine.ignores_seed()]


def engine_for(spec: str, opened: Mapping[str, Engine], parallel: int) -> Engine:
    """The engine of a SPEC; seats that differ in how they speak share the one of their model."""
    same = next((engine for known, engine in opened.items() if bare(known) == bare(spec)), None)
    sampled(Ask("", (), ""), spec)  # says what is wrong with the settings before anything starts
    return same or open_engine(spec, parallel=parallel)


def close_engines(engines: Mapping[str, Engine]) -> None:
    """Close each engine once; two SPECs may share one."""
    for engine in {id(engine): engine for engine in engines.values()}.values():
        engine.close()
