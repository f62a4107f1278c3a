"""What is on disk, as the desk lists it: runs, episodes of a run, packs. Slow; called from workers.

A damaged file is a line of the list, never a failure of the list.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path

from app.desk.messages import EpisodeLine, RunFacts
from store import manifest as manifests
from store import places
from store.errors import StoreError
from store.journal import Journal
from tasks.benchmark import benchmark
from tasks.episode.events import Record
from tasks.episode.state import fold
from tasks.errors import TaskError
from tasks.run.comparing import labels_of
from tasks.run.header import header_of
from tasks.run.listing import RunLine, read_run, runs, summing
from tasks.run.plan import stored_task_file
from tasks.run.reading import read_episode, steps_by_people
from tasks.scoring.names import Names

__all__ = [
    "PackLine",
    "RunLine",
    "RunContents",
    "has_sample",
    "packs",
    "read_groups",
    "read_records",
    "read_run",
    "read_stored",
    "runs",
]


Rates = tuple[float | None, float | None]
"""Of an attempt, by the published rule and by the strict one; None: the scorer cannot say."""


@dataclass(frozen=True)
class PackLine:
    """One pack in the list; counts of rows, texts, articles, web pages and tasks."""

    name: str
    provenance: tuple[str, ...] = ()
    rows: int = 0
    documents: int = 0
    articles: int = 0
    pages: int = 0
    tasks: dict[str, int] = field(default_factory=dict)
    error: str = ""


@dataclass(frozen=True)
class RunContents:
    """A run file as read: its episodes, and the rates of those that were scored (None: the scorer cannot
    say)."""

    episodes: tuple[EpisodeLine, ...]
    scores: dict[str, Rates]
    questions: dict[str, str]
    n: int = 0
    """Episodes of the run; `episodes` holds the first of them."""


MOST = 2_000
"""Episodes of a run in a list on the desk; `moot show RUN` finds the others."""


def read_stored(path: Path) -> RunContents:
    """A run file with the list of its episodes, the first `MOST` of them.

    Raises:
        StoreError: it cannot be read.
    """
    with Journal.open(path) as journal:
        episodes: list[EpisodeLine] = []
        scores: dict[str, Rates] = {}
        questions: dict[str, str] = {}
        sum_up = summing(header_of(journal))
        for row, attempts in islice(journal.walk(), MOST):
            state = fold(read_episode(journal, row.id))
            outcome, reason = (state.stopped.outcome, state.stopped.reason) if state.stopped else ("", "")
            episodes.append(
                EpisodeLine(
                    row.id,
                    row.task_id,
                    state.steps,
                    outcome,
                    state.tokens,
                    state.milliseconds / 1000,
                    reason,
                    steps_by_people(state.records),
                )  # fmt: skip
            )
            questions[row.id] = str(state.card.get("question", ""))
            if found := sum_up(journal.scores(attempts[-1].id)):
                scores[row.id] = (found.compat, found.strict)
        n = journal.count()
    return RunContents(tuple(episodes), scores, questions, n)


def read_groups(path: Path) -> dict[str, Names]:
    """Task -> what the group is called in whose rows it counts; nothing where its task file is not here as it was."""
    with Journal.open(path) as journal:
        header = header_of(journal)
    try:
        bench = benchmark(str(header["spec"]["benchmark"]))
        questions = list(bench.load(stored_task_file(header)))
    except (StoreError, TaskError, OSError):
        return {}
    labels = labels_of(bench, questions)
    return {question.id: labels[question.group] for question in questions}


def read_records(path: Path, episode: str) -> tuple[RunFacts, tuple[EpisodeLine, ...], str, list[Record]]:
    """The records of an episode ('' means the first) with the facts of its run.

    Raises:
        StoreError: the file cannot be read.
    """
    with Journal.open(path) as journal:
        rows = journal.episodes()
        chosen = episode or (rows[0].id if rows else "")
        records = read_episode(journal, chosen)
        episodes = tuple(EpisodeLine(row.id, row.task_id, 0, "") for row in rows)
        header = header_of(journal)
        return RunFacts(header["run"], path, header), episodes, chosen, records


def packs() -> list[PackLine]:
    """All packs by name."""
    found: list[PackLine] = []
    for path in manifests.installed():
        try:
            manifest = manifests.read(path)
        except (StoreError, OSError, ValueError) as error:
            found.append(PackLine(path.name, error=getattr(error, "title", str(error))))
            continue
        counts = manifest.counts
        found.append(
            PackLine(
                manifest.name, tuple(manifest.provenance), sum(counts.tables.values()),
                sum(counts.documents.values()), counts.statutes, counts.pages, dict(counts.tasks),
            )
        )  # fmt: skip
    return found


def has_sample() -> bool:
    """Whether the fictional sample pack is there."""
    return (places.packs() / "sample" / manifests.FILE).is_file()
