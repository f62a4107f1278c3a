"""The grader's seat on the command line: opened only when episodes have ended."""

from __future__ import annotations

from collections.abc import Sequence

from app.cli.notes import note
from store.journal import Journal
from tasks.benchmark import Benchmark, Question
from tasks.errors import UsageError
from tasks.run.engines import open_engine
from tasks.run.reading import GRADER
from tasks.run.rescoring import StoredRun
from tasks.scoring.grader import grade_run


def grade(journal: Journal, bench: Benchmark, questions: Sequence[Question], spec: str) -> None:
    """Grade the ended episodes of an open run; says how many, and how many gradings failed."""
    engine = open_engine(spec)
    try:
        rows = grade_run(journal, bench, {question.id: question for question in questions}, engine, spec, _progress)
    finally:
        engine.close()
    failed = sum(bool(row.settings.get("failed")) for row in rows)
    n = len(rows)
    note(
        f"{n} answers graded by {spec}, {failed} gradings failed and are missing"
        if failed
        else f"{n} answers graded by {spec}"
    )


def grade_stored(run: StoredRun, seats: Sequence[str]) -> None:
    """Grade a stored run with the grader that `--seat grader=SPEC` names."""
    for pair in seats:
        role, _, spec = pair.partition("=")
        if role != GRADER or role not in run.bench.graders or ":" not in spec:
            raise UsageError(
                f"'{pair}' names no grader for {run.bench.name}",
                "Write --seat grader=SPEC." if run.bench.graders else "Its scores need none.",
            )
        with Journal.open(run.path, write=True) as journal:
            grade(journal, run.bench, run.questions, spec)


def _progress(done: int, total: int) -> None:
    if done < total:
        note(f"{done} of {total} graded")
