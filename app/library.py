"""What is on disk, as the desk lists it: runs, episodes of a run, packs. Slow; called from workers.

A damaged file is a line of the list, never a failure of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from app.messages import EpisodeLine, RunFacts
from store import manifest as manifests
from store import places
from store.errors import StoreError
from store.journal import Journal
from tasks.events import Record
from tasks.runner import list_runs, read_episode
from tasks.state import fold


@dataclass(frozen=True)
class RunLine:
    """One run in the list. Rates are means over scored episodes, None when there are none; `error` says what is wrong."""

    path: Path
    id: str
    benchmark: str = ""
    agent: str = ""
    model: str = ""
    pack: str = ""
    created: str = ""
    n: int = 0
    outcomes: dict[str, int] = field(default_factory=dict)
    compat: float | None = None
    strict: float | None = None
    fictional: bool = False
    parent: str = ""
    error: str = ""

    @property
    def finished(self) -> int:
        """Episodes that are over."""
        return self.n - self.outcomes.get("unfinished", 0)


@dataclass(frozen=True)
class PackLine:
    """One pack in the list; counts of rows, texts and tasks."""

    name: str
    provenance: tuple[str, ...] = ()
    rows: int = 0
    documents: int = 0
    tasks: dict[str, int] = field(default_factory=dict)
    jurisdiction: str = ""
    error: str = ""


@dataclass(frozen=True)
class StoredRun:
    """A run file as read: facts, its episodes, and the answer rates of those that have scores."""

    facts: RunFacts
    episodes: tuple[EpisodeLine, ...]
    scores: dict[str, tuple[float | None, float | None]]
    questions: dict[str, str]


_read: dict[tuple[str, int, int], RunLine] = {}


def runs() -> Iterator[RunLine]:
    """All runs, newest first."""
    for path in list_runs():
        try:
            stat = path.stat()
        except OSError:
            continue
        key = (str(path), stat.st_mtime_ns, stat.st_size)
        line = _read.get(key)
        if line is None:
            line = read_run(path)
            if line.finished == line.n and not path.with_name(f"{path.name}-wal").exists():
                _read[key] = line
        yield line


def read_run(path: Path) -> RunLine:
    """The line of one run file."""
    try:
        with Journal.open(path) as journal:
            header = journal.header
            outcomes: Counter[str] = Counter()
            rates: dict[str, list[float]] = {"compat": [], "strict": []}
            for row in journal.episodes():
                attempts = journal.attempts(row.id)
                entries = journal.entries(attempts[-1].id) if attempts else []
                stopped = [entry.data.get("outcome", "error") for entry in entries if entry.tag == "stopped"]
                outcomes[stopped[-1] if stopped else "unfinished"] += 1
                for scorer, value in _success(journal, attempts[-1].id).items() if attempts else ():
                    if value is not None:
                        rates[scorer].append(value)
    except (StoreError, OSError, KeyError, TypeError, ValueError, AttributeError) as error:
        return RunLine(path, path.stem, error=getattr(error, "title", None) or str(error) or type(error).__name__)
    spec, pack, parent = header.get("spec", {}), header.get("pack", {}), header.get("parent") or {}
    means = {scorer: sum(values) / len(values) if values else None for scorer, values in rates.items()}
    return RunLine(
        path, str(header.get("run", path.stem)), str(spec.get("benchmark", "")), str(spec.get("agent", "")),
        str(spec.get("model", "")), str(pack.get("name", "")), str(header.get("created", "")), sum(outcomes.values()),
        dict(outcomes), means["compat"], means["strict"], "authored" in pack.get("provenance", ()),
        str(parent.get("run", "")),
    )  # fmt: skip


def _success(journal: Journal, attempt: int) -> dict[str, float | None]:
    """The newest answer rate of each rule."""
    found: dict[str, float | None] = {}
    for row in journal.scores(attempt):
        if row.scorer in ("compat", "strict") and isinstance(row.value, dict):
            found[row.scorer] = row.value.get("success")
    return found


def read_stored(path: Path) -> StoredRun:
    """A run file with the list of its episodes.

    Raises:
        StoreError: it cannot be read.
    """
    with Journal.open(path) as journal:
        facts = facts_of(journal)
        episodes: list[EpisodeLine] = []
        scores: dict[str, tuple[float | None, float | None]] = {}
        questions: dict[str, str] = {}
        for row in journal.episodes():
            state = fold(read_episode(journal, row.id))
            outcome = state.stopped.outcome if state.stopped else ""
            episodes.append(EpisodeLine(row.id, row.task_id, state.steps, outcome))
            questions[row.id] = str(state.card.get("question", ""))
            found = _success(journal, journal.attempts(row.id)[-1].id)
            scores[row.id] = (found.get("compat"), found.get("strict"))
    return StoredRun(facts, tuple(episodes), scores, questions)


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
        return facts_of(journal), episodes, chosen, records


def facts_of(journal: Journal) -> RunFacts:
    """What never changes about a run."""
    header: dict[str, Any] = journal.header
    return RunFacts(str(header.get("run", journal.path.stem)), journal.path, header)


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
                sum(counts.documents.values()), dict(counts.tasks), manifest.jurisdiction,
            )
        )  # fmt: skip
    return found


def has_sample() -> bool:
    """Whether the fictional sample pack is there."""
    return (places.packs() / "sample" / manifests.FILE).is_file()
