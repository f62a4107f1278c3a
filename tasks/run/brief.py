"""What a run came to in brief, for lists: how its episodes ended, and the figures that sum it up (shares from 0 to
1).

It is made by one walk over the journal, an episode at a time, and sealed into the file when the run ends, so that no
list reads a run twice. A seal that does not hold any more, or says nothing that a brief could, is as if it were not
there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from store.errors import StoreError
from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.benchmark import benchmark
from tasks.episode.episodes import UNFINISHED
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import fold
from tasks.errors import TaskError, UsageError
from tasks.run.header import HeaderData, header_of, spec_of
from tasks.run.plan import stored_task_file
from tasks.run.reading import answered_by_people, grades, read_episode, stopped_of
from tasks.scoring.closeness import SCORER
from tasks.scoring.context import ScoreContext
from tasks.scoring.overall import Summing, mean_of, summing_of

Count = Annotated[int, Field(ge=1)]
Short = Annotated[str, Field(max_length=100)]


class Brief(BaseModel):
    """What a run came to. outcomes: how many episodes ended how, open ones as `unfinished`; measure, compat, strict:
    as `Overall` has them; scored: whether anything was; people: episodes in which a person answered from the tested
    seat."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)
    outcomes: dict[Short, Count]
    measure: Short = ""
    compat: float | None = None
    strict: float | None = None
    scored: bool = False
    people: Annotated[int, Field(ge=0)] = 0

    @property
    def n(self) -> int:
        """Episodes."""
        return sum(self.outcomes.values())

    @property
    def finished(self) -> int:
        """Episodes that are over."""
        return self.n - self.outcomes.get(UNFINISHED, 0)


def brief_of(journal: Journal) -> Brief:
    """What a run came to, as its summary says or as its rows do."""
    return _stored(journal) or _made(journal)


def _stored(journal: Journal) -> Brief | None:
    with suppress(ValidationError):
        if (stored := journal.summary()) is not None:
            return Brief.model_validate(stored)
    return None


def seal(journal: Journal) -> None:
    """Seal what an ended run came to, if that has not been done; the journal is open for writing."""
    if _stored(journal) is None:
        made = _made(journal)
        if made.finished == made.n:
            journal.keep_summary(made.model_dump(mode="json"))


def _made(journal: Journal) -> Brief:
    outcomes: Counter[str] = Counter()
    people, by_people = 0, answered_by_people(journal)

    def scored() -> Iterator[ScoreRow]:
        nonlocal people
        rows_of = scores_of(journal)
        for row, attempts in journal.walk():
            last = attempts[-1].id if attempts else None
            people += last in by_people
            stopped = None if last is None else stopped_of(journal, last)
            outcomes[UNFINISHED if stopped is None else stopped.outcome] += 1
            if last is not None:
                yield from rows_of(row, last)

    found = summing(header_of(journal))(scored())
    both = (None, None) if found is None else (found.compat, found.strict)
    return Brief(
        outcomes=dict(outcomes), measure=found.measure if found else "", compat=both[0], strict=both[1],
        scored=found is not None, people=people,
    )  # fmt: skip


def summing(header: HeaderData) -> Summing:
    """How runs of its benchmark are summed up; of one attempt it is its own rate, or the mean over its metrics."""
    with suppress(UsageError):  # of a package that is not here any more
        return summing_of(benchmark(str(header["spec"]["benchmark"])))
    return mean_of


BESIDE = frozenset({HUMAN, SCORER})
"""Scorers whose word stands beside the rules: an attempt that has no other is not scored yet."""

ScoresOf = Callable[[EpisodeRow, int], Sequence[ScoreRow]]
"""An episode and the id of its last attempt -> its scores."""


def scores_of(journal: Journal, *, played: bool = False) -> ScoresOf:
    """Where the scores of last attempts are found: on record; computed now for an imported run that came without any,
    and for one that is still `played`, as long as its task file is here as it was."""
    header = header_of(journal)

    def on_record(row: EpisodeRow, attempt: int) -> Sequence[ScoreRow]:
        return journal.scores(attempt)

    if not played and (
        "imported" not in header
        or any(
            row.scorer not in BESIDE
            for _, attempts in journal.walk()
            if attempts
            for row in journal.scores(attempts[-1].id)
        )
    ):
        return on_record
    try:
        return _computing(journal, header)
    except (StoreError, TaskError, OSError):
        return on_record


def _computing(journal: Journal, header: HeaderData) -> ScoresOf:
    bench = benchmark(str(header["spec"]["benchmark"]))
    questions: Mapping[str, Any] = {one.id: one for one in bench.load(stored_task_file(header))}
    context = ScoreContext(graded=grades(journal) if bench.graders else {}, spec=spec_of(header))

    def computed(row: EpisodeRow, attempt: int) -> Sequence[ScoreRow]:
        question, state = questions.get(row.task_id), fold(read_episode(journal, row.id))
        if question is None or state.stopped is None:
            return journal.scores(attempt)
        made = bench.score_rows(attempt, question, bench.result(row.task_id, row.epoch, state), context)
        return [*journal.scores(attempt), *made]

    return computed
