"""The grader's seat on the command line: opened only when episodes have ended."""

from __future__ import annotations

from collections.abc import Sequence
from logging import WARNING

from app import log
from app.cli.notes import note
from models.engine import Ask, Engine, EngineError, Listener, Reply
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
        known = {question.id: question for question in questions}
        rows = grade_run(journal, bench, known, _Logged(engine, spec, journal.path.stem), spec, _progress)
    finally:
        engine.close()
    failed = sum(bool(row.settings.get("failed")) for row in rows)
    n = len(rows)
    note(
        f"{n} answers graded by {spec}, {failed} gradings failed and are missing"
        if failed
        else f"{n} answers graded by {spec}"
    )


class _Logged:
    """A grader's engine whose calls go into the log: they belong to no episode, so no watcher hears of them."""

    def __init__(self, engine: Engine, spec: str, run: str) -> None:
        self._engine = engine
        self._about = {"run": run, "seat": GRADER, "engine": spec}
        self.describe, self.cancel, self.close = engine.describe, engine.cancel, engine.close

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """As the engine answers."""
        answers = self._engine.answer(asks, listen)
        for ask, answer in zip(asks, answers, strict=True):
            where = {**self._about, "episode": ask.episode}
            if isinstance(answer, Reply):
                log.say("call", {**where, **log.cost(answer.usage), "finish": answer.finish})
            else:
                log.say("call_failed", {**where, "try": ask.attempt, "said": log.own_words(answer.title)}, WARNING)
        return answers


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
