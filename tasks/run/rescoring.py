"""Score a stored run again: from its record and its task file alone, without the pack it ran on.

Scores are appended, never changed; each row names its scorer, version, settings and author, so several scorings and
human judgements of one attempt stand side by side.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from itertools import chain
from pathlib import Path

from store.errors import DamagedData, StoreError
from store.journal import Journal, ScoreRow
from store.pack import Pack
from store.run_file import reading
from tasks.benchmark import Benchmark, Question, benchmark
from tasks.errors import RecordMismatch, UsageError
from tasks.run.engines import run_path
from tasks.run.header import HeaderData, header_of, spec_of, unchanged
from tasks.run.listing import store_totals
from tasks.run.plan import stored_task_file
from tasks.run.reading import attempts_of, grades, is_scored, score, summarise
from tasks.scoring.metrics import Summary
from tasks.scoring.result import Grade, ScoreContext, ScoredAttempt


@dataclass(frozen=True, slots=True)
class StoredRun:
    """A run on disk: header, and the questions that it asked. Its episodes are read whenever they are looked at."""

    path: Path
    header: HeaderData
    bench: Benchmark
    questions: list[Question]
    graded: Mapping[tuple[str, int], Grade] = field(default_factory=dict)

    @property
    def attempts(self) -> Iterator[ScoredAttempt]:
        """The last attempts at its episodes in order, with their score rows on record."""
        with Journal.open(self.path) as journal:
            yield from attempts_of(journal, self.bench)


def read_stored(name: str | Path) -> StoredRun:
    """Read a run and its task file; `RecordMismatch` when the task file is not the one that was run."""
    path = run_path(name)
    with Journal.open(path) as journal:
        header = header_of(journal)
        bench = benchmark(str(header["spec"]["benchmark"]))
        tasks = stored_task_file(header)
        with unchanged(tasks) as digest:
            questions = bench.load(tasks)
        if digest != header["tasks"]["sha256"]:
            raise RecordMismatch(f"task file {tasks} changed while it was read", "Try again when nobody writes it.")
        asked = {row.task_id for row, _ in journal.walk()}
        graded = grades(journal) if bench.graders else {}
    asked_for = [question for question in questions if question.id in asked]
    return StoredRun(path, header, bench, asked_for, graded)


def summary_of(run: StoredRun) -> Summary:
    """What a stored run came to."""
    with reading(run.path), pack_of(run.header) as pack, Journal.open(run.path) as journal:
        return summarise(journal, run.bench, run.questions, ScoreContext(pack, run.graded, spec_of(run.header)))


@contextmanager
def pack_of(header: HeaderData) -> Iterator[Pack | None]:
    """The pack of a run, if it is still here as it was; scoring does without where it is not."""
    recorded = header.get("pack") or {}
    try:
        pack = Pack.open(recorded.get("path") or recorded["name"]) if recorded.get("name") else None
    except DamagedData:
        raise  # what is scored without it would not be the same score
    except StoreError:
        pack = None
    if pack is None or pack.hash != recorded.get("hash"):
        if pack is not None:
            pack.close()
        yield None
        return
    with pack:
        yield pack


def append_scores(run: StoredRun, scorers: Sequence[str] = ()) -> int:
    """Score every ended episode again and append the rows; returns how many. No scorers named means all.

    Raises:
        UsageError: a scorer is none of this benchmark; nothing was appended.
    """
    questions = {question.id: question for question in run.questions}
    known: dict[str, None] = {}
    with reading(run.path), pack_of(run.header) as pack:
        context = ScoreContext(pack=pack, graded=run.graded, spec=spec_of(run.header))

        def chosen() -> Iterator[ScoreRow]:
            for one in run.attempts:
                question = questions[one.result.task_id]
                for row in score(run.bench, one.attempt, question, one.result, context) if one.ended else ():
                    known[row.scorer] = None
                    # One that has no rows yet gets all: by a part of them it would count as scored.
                    if not scorers or row.scorer in scorers or not is_scored(one.rows, run.bench.scorers):
                        yield row
            for scorer in scorers:
                if known and scorer not in known:
                    raise UsageError(f"unknown scorer '{scorer}' for {run.bench.name}", f"Known: {', '.join(known)}.")

        rows = chosen()
        first = next(rows, None)
        if first is None:
            return 0
        with Journal.open(run.path, write=True) as journal:
            appended = journal.add_scores(chain((first,), rows))
            store_totals(journal)
    return appended


def renew_scores(journal: Journal, bench: Benchmark, questions: Mapping[str, Question]) -> int:
    """Append the rows of ended attempts that are others now that a grader has spoken; returns how many. The journal
    is open for writing."""
    header = header_of(journal)
    with pack_of(header) as pack:
        context = ScoreContext(pack, grades(journal), spec_of(header))
        changed = [
            row
            for one in attempts_of(journal, bench)
            if one.ended and (question := questions.get(one.result.task_id)) is not None
            for row in score(bench, one.attempt, question, one.result, context)
            if row.scorer not in one.rows or _said(row) != _said(one.rows[row.scorer])
        ]
    return journal.add_scores(changed)


def _said(row: ScoreRow) -> str:
    return json.dumps([row.version, row.settings, row.value, row.evidence], sort_keys=True, default=list)
