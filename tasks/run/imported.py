"""Predictions made elsewhere become a run like any other: a journal with attempts, answers and ends.

From there on there is one way to score, show and report. Nothing is invented: no thoughts, no tool calls, no times of
the original run; tokens only as reported. A task without a prediction and the published word for an exception are
errors.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store import places
from store.errors import BadInput
from store.files import real_path
from store.journal import SUFFIX, EpisodeRow, Journal
from store.labels import change, check_name
from tasks.benchmark import Question, benchmark
from tasks.episode.events import (
    Answered,
    AttemptStarted,
    Event,
    Record,
    Seated,
    StepEnded,
    Stopped,
    TokensReported,
    entry_of,
)
from tasks.episode.state import IMPORTED
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.run.header import FORMAT, file_hash, now, versions
from tasks.run.listing import store_totals
from tasks.run.reading import attempts_of, scored
from tasks.run.spec import RunSpec, fresh_id
from tasks.scoring.result import Predictions, ScoreContext

AGENT = "imported"
POLICY = f"{IMPORTED}1"
ENDINGS = (".jsonl", ".json", ".jsonl.gz", ".json.gz")
"""How files end that are looked at in a folder; what they hold is seen when they are read."""
TOKENS = ".tokens"
"""How the name of a token file ends, before its ending."""


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


def sources_of(name: str, dataset: Path, given: Sequence[Path], tokens: Path | None = None) -> list[Sources]:
    """The prediction files that are meant: a file as it is, of a folder all that end like one, in order of their
    names.

    Beside a file of a folder its tokens may lie: `react_x.tokens.jsonl` belongs to `react_x.jsonl`.

    Raises:
        UsageError: `tokens` is given for several files.
        BadInput: a folder holds no prediction files.
    """
    found: list[Sources] = []
    for path in given:
        found += _in_folder(name, dataset, path) if path.is_dir() else [Sources(name, dataset, path, tokens)]
    if tokens is not None and (len(given) > 1 or given[0].is_dir()):
        raise UsageError(
            "--tokens belongs to one prediction file", "In a folder, name it like the predictions: x.tokens.jsonl."
        )
    return found


def _in_folder(name: str, dataset: Path, folder: Path) -> list[Sources]:
    files = {
        path.name: path
        for path in sorted(folder.iterdir())
        if path.name.endswith(ENDINGS) and path.is_file() and real_path(path) != real_path(dataset)
        if not path.name.startswith(".")
    }
    beside = {_stem(file).removesuffix(TOKENS): path for file, path in files.items() if _stem(file).endswith(TOKENS)}
    found = [
        Sources(name, dataset, path, beside.get(_stem(file)))
        for file, path in files.items()
        if not _stem(file).endswith(TOKENS)
    ]
    if not found:
        raise BadInput(f"{folder} holds no prediction files", f"They end in {' or '.join(ENDINGS[:2])}.")
    return found


def _stem(file: str) -> str:
    return next((file.removesuffix(ending) for ending in ENDINGS if file.endswith(ending)), file)


def method_and_model(sources: Sources) -> dict[str, str]:
    """Method and model as the name METHOD_MODEL of a prediction file says them; {} where it is of another form.

    The methods are those of the benchmark's own agents, so nothing is guessed of any other name.
    """
    stem = _stem(sources.predictions.name)
    for agent, (_, needs_model) in benchmark(sources.benchmark).agents.items():
        for spelled in dict.fromkeys((agent, agent.replace("-", "_"))):
            if needs_model and stem.startswith(f"{spelled}_") and (model := stem.removeprefix(f"{spelled}_").strip()):
                return {"method": agent, "model": model}
    return {}


def name_run(path: Path, sources: Sources) -> str:
    """Call an imported run what its file is called, on this machine; '' where the name is taken or is none."""
    name = _stem(sources.predictions.name)
    with suppress(BadInput):
        kept = check_name(name)
        return change(path, lambda label: label.model_copy(update={"name": kept})).name
    return ""


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
    path = out or places.runs() / f"{fresh_id(spec)}{SUFFIX}"
    while out is None and path.exists():  # several may come in one second
        path = places.runs() / f"{fresh_id(spec)}{SUFFIX}"
    name = path.stem
    rows = [EpisodeRow(question.id, position, question.id) for position, question in enumerate(imported.questions)]
    journal = Journal.create(path, _header(name, spec, sources, argv), rows)
    try:
        with journal:
            entries = [
                entry_of(journal.attempts(row.id)[0].id, record)
                for row, records in zip(rows, imported.records, strict=True)
                for record in records
            ]
            journal.append(entries)
            bench, asked, context = benchmark(spec.benchmark), imported.questions, ScoreContext(spec=spec)
            found = scored(bench, asked, attempts_of(journal, bench), context)
            journal.add_scores([row for one in found for row in one.rows.values()])
            store_totals(journal)
    except BaseException:
        path.unlink()
        raise
    return path


def _header(name: str, spec: RunSpec, sources: Sources, argv: Sequence[str]) -> dict[str, Any]:
    origin = {"file": sources.predictions.name, "sha256": file_hash(sources.predictions), **method_and_model(sources)}
    if sources.tokens:
        origin |= {"tokens_file": sources.tokens.name, "tokens_sha256": file_hash(sources.tokens)}
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
        "versions": versions(),
        "command": list(argv),
    }
