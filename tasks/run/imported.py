"""Predictions made elsewhere become a run like any other: a journal with attempts, answers and ends.

From there on there is one way to score, show and report. Nothing is invented: no thoughts, no tool calls, no times of
the original run; tokens only as reported. A task without a prediction and the published word for an exception are errors.
"""

from __future__ import annotations

import platform
import sys
import time
from collections.abc import Sequence
from dataclasses import dataclass
from importlib import metadata
from pathlib import Path
from typing import Any

from store import places
from store.journal import SUFFIX, EpisodeRow, Journal
from tasks.benchmark import Question, benchmark
from tasks.episode.events import Answered, AttemptStarted, Event, Record, Seated, StepEnded, Stopped, TokensReported
from tasks.episode.records import entry_of
from tasks.episode.with_tools import SEAT
from tasks.run.header import FORMAT, file_hash, now
from tasks.run.spec import RunSpec, fresh_id
from tasks.scoring.predicted import Predictions

AGENT = "imported"
POLICY = "imported/1"


@dataclass(frozen=True, slots=True)
class Sources:
    """The files of a run made elsewhere; `tokens` only where the benchmark knows such a file."""

    benchmark: str
    dataset: Path
    predictions: Path
    tokens: Path | None = None


@dataclass(frozen=True, slots=True)
class Imported:
    """What was read: tasks, the record of each, and notes for a person."""

    questions: list[Question]
    records: list[list[Record]]
    notes: tuple[str, ...]


def read_run(sources: Sources) -> Imported:
    """Read and match the files; `BadInput` and `NotFound` name what is wrong with them."""
    bench = benchmark(sources.benchmark)
    questions = list(bench.load(sources.dataset))
    found = bench.predictions(questions, sources.predictions, sources.tokens)
    at = time.time()
    records = [_records(sources.benchmark, question, found, at) for question in questions]
    return Imported(questions, records, found.notes)


def _records(bench: str, question: Question, found: Predictions, at: float) -> list[Record]:
    start = AttemptStarted(benchmark=bench, task_id=question.id, attempt=1, seed=0, card=question.card)
    happened: list[Event] = []
    prediction, tokens = found.answers.get(question.id), found.tokens.get(question.id)
    if tokens is not None:
        happened.append(TokensReported(seat=SEAT, prompt=tokens.prompt, generated=tokens.generated))
    if prediction is None:
        happened.append(Stopped(outcome="error", reason="no prediction for this task"))
    else:
        happened.append(Answered(seat=SEAT, res=prediction.res, summary=prediction.summary))
        happened.append(
            Stopped(outcome="error", reason="the prediction stands for an exception")
            if prediction.failed
            else Stopped(outcome="finished", reason="answered")
        )
    happened.append(StepEnded())
    events = [(0, start), (0, Seated(seat=SEAT, policy=POLICY)), *((1, event) for event in happened)]
    return [Record(seq, step, None, at, event) for seq, (step, event) in enumerate(events)]


def save_run(sources: Sources, imported: Imported, *, out: Path | None = None, argv: Sequence[str] = ()) -> Path:
    """Write the run file and return its path; it must not exist yet."""
    spec = RunSpec(benchmark=sources.benchmark, agent=AGENT, pack="", tasks=str(sources.dataset.absolute()))
    name = out.stem if out else fresh_id(spec)
    path = out or places.runs() / f"{name}{SUFFIX}"
    rows = [EpisodeRow(question.id, position, question.id) for position, question in enumerate(imported.questions)]
    with Journal.create(path, _header(name, spec, sources, argv), rows) as journal:
        entries = [
            entry_of(journal.attempts(row.id)[0].id, record)
            for row, records in zip(rows, imported.records, strict=True)
            for record in records
        ]
        journal.append(entries)
    return path


def _header(name: str, spec: RunSpec, sources: Sources, argv: Sequence[str]) -> dict[str, Any]:
    origin = {"file": sources.predictions.name, "sha256": file_hash(sources.predictions)}
    if sources.tokens:
        origin |= {"tokens_file": sources.tokens.name, "tokens_sha256": file_hash(sources.tokens)}
    try:
        version = metadata.version("mootbench")
    except metadata.PackageNotFoundError:
        version = "unknown"
    return {
        "format": FORMAT,
        "run": name,
        "created": now(),
        "spec": spec.model_dump(mode="json"),
        "tasks": {"file": sources.dataset.name, "sha256": file_hash(sources.dataset)},
        "pack": {"name": "", "hash": "", "path": None, "provenance": [], "jurisdiction": ""},
        "prompts": {},
        "engines": {},
        "limits": {},
        "imported": origin,
        "versions": {"moot": version, "python": sys.version.split()[0], "platform": platform.platform()},
        "command": list(argv),
    }
