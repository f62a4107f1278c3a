"""What is on disk, as the desk lists it: runs, episodes of a run, packs. Slow; called from workers.

A damaged file is a line of the list, never a failure of the list.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from app.desk.episode.scores import Scorekeeper
from app.desk.messages import EpisodeLine, RunFacts
from store import manifest as manifests
from store import places
from store.errors import StoreError
from store.journal import Journal, ScoreRow
from tasks.episode.events import Record
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import fold
from tasks.errors import TaskError
from tasks.legalsearch.kinds import IN_DOMAIN, OUT_OF_DOMAIN
from tasks.run.header import header_of, is_fictional
from tasks.run.reading import list_runs, outcome_of, read_episode


@dataclass(frozen=True)
class RunLine:
    """One run in the list; `error` says what is wrong with it.

    Rates are means over scored episodes, from 0 to 1, None when there are none; `unscored` says that there are answers all
    the same. `measure` is what the rates are: '' the answer rate, a task of LegalSearch, the mean of its domain, or `OVERALL`.
    """

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
    measure: str = ""
    unscored: bool = False
    fictional: bool = False
    parent: str = ""
    process: int | None = None
    """The other process that plays the run at this moment."""
    pace: float | None = None
    """Episodes that end there a minute."""
    error: str = ""

    @property
    def finished(self) -> int:
        """Episodes that are over."""
        return self.n - self.outcomes.get("unfinished", 0)


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
    jurisdiction: str = ""
    error: str = ""


@dataclass(frozen=True)
class StoredRun:
    """A run file as read: facts, its episodes, and the rates of those that were scored (None: the scorer cannot say)."""

    facts: RunFacts
    episodes: tuple[EpisodeLine, ...]
    scores: dict[str, tuple[float | None, float | None]]
    questions: dict[str, str]
    uncovered: bool = False
    """Whether no hash vouches for header, attempts and scores: an earlier release began the run."""


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
            header = header_of(journal)
            outcomes: Counter[str] = Counter()
            scored: list[Sequence[ScoreRow]] = []
            computed = _computed(journal)
            for row in journal.episodes():
                attempts = journal.attempts(row.id)
                outcomes[outcome_of(journal, row.id)] += 1
                if attempts:
                    scored.append(computed.get(row.id) or journal.scores(attempts[-1].id))
            rates = [found for rows in scored if (found := _rates(rows))]
            measure, compat, strict = _of_run(rates) if rates else _of_trials(scored)
    except (StoreError, TaskError, OSError) as error:
        return RunLine(path, path.stem, error=getattr(error, "title", None) or str(error))
    spec = header["spec"]
    known = bool(rates) or measure == OVERALL
    return RunLine(
        path, path.stem, spec["benchmark"], spec["agent"], spec["model"], header["pack"]["name"], header["created"],
        sum(outcomes.values()), dict(outcomes), compat, strict, measure, known and compat is None and strict is None,
        is_fictional(header), header.get("parent", {}).get("run", ""),
    )  # fmt: skip


@dataclass(frozen=True, slots=True)
class _Rates:
    """One scored attempt; `task` is its task of LegalSearch, '' elsewhere."""

    task: str
    compat: float | None
    strict: float | None


def _rates(rows: Iterable[ScoreRow]) -> _Rates | None:
    """The newest rate under each rule; None where nothing was scored."""
    found: dict[str, float | None] = {}
    task = ""
    for row in rows:
        if row.scorer in ("compat", "strict") and isinstance(row.value, dict):
            found[row.scorer] = row.value.get("score", row.value.get("success"))
            task = str(row.settings.get("task", "")) if isinstance(row.settings, dict) else ""
    return _Rates(task, found.get("compat"), found.get("strict")) if found else None


def _computed(journal: Journal) -> Mapping[str, list[ScoreRow]]:
    """The scores of an imported run that has none on record; nothing where its task file is gone or changed."""
    if "imported" not in header_of(journal) or any(row.scorer != HUMAN for row in journal.scores()):
        return {}
    try:
        return Scorekeeper(facts_of(journal)).rows(journal)
    except (StoreError, TaskError, OSError):
        return {}


def _of_run(rates: Sequence[_Rates]) -> tuple[str, float | None, float | None]:
    """What sums up a run: the mean over its episodes, or over the tasks of one domain, as published."""
    by_task: dict[str, list[_Rates]] = {}
    for one in rates:
        by_task.setdefault(one.task, []).append(one)
    compat = {task: _mean(one.compat for one in members) for task, members in by_task.items()}
    strict = {task: _mean(one.strict for one in members) for task, members in by_task.items()}
    if len(by_task) < 2:
        return next(((task, compat[task], strict[task]) for task in by_task), ("", None, None))
    scored = [task for task in by_task if compat[task] is not None or strict[task] is not None]
    inside = any(task in IN_DOMAIN for task in scored or by_task)
    tasks = [task for task in by_task if task in (IN_DOMAIN if inside else OUT_OF_DOMAIN)]
    name = "in_domain" if inside else "out_of_domain"
    return name, _mean(compat[task] for task in tasks), _mean(strict[task] for task in tasks)


OVERALL = "overall"
"""The measure of a courts run: the mean of its columns."""


def _of_trials(scored: Sequence[Sequence[ScoreRow]]) -> tuple[str, float | None, float | None]:
    """What sums up a run of the courts; ('', None, None) where nothing was scored."""
    rows = [row for one in scored for row in one if row.scorer.endswith(("_compat", "_strict"))]
    if not rows:
        return "", None, None
    from tasks.courts.scores.of_run.stored import stored_overall

    found = stored_overall(rows)
    return OVERALL, found["compat"], found["strict"]


def _mean(values: Iterable[float | None]) -> float | None:
    numbers = [value for value in values if value is not None]
    return sum(numbers) / len(numbers) if numbers else None


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
        computed = _computed(journal)
        uncovered = bool(journal.uncovered)
        for row in journal.episodes():
            state = fold(read_episode(journal, row.id))
            outcome = state.stopped.outcome if state.stopped else ""
            episodes.append(EpisodeLine(row.id, row.task_id, state.steps, outcome))
            questions[row.id] = str(state.card.get("question", ""))
            rows = computed.get(row.id) or journal.scores(journal.attempts(row.id)[-1].id)
            found = _rates(rows)
            measure, compat, strict = ("", found.compat, found.strict) if found else _of_trials([rows])
            if found or measure:
                scores[row.id] = (compat, strict)
    return StoredRun(facts, tuple(episodes), scores, questions, uncovered)


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
    header = header_of(journal)
    return RunFacts(header["run"], journal.path, header)


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
                sum(counts.documents.values()), counts.statutes, counts.pages, dict(counts.tasks), manifest.jurisdiction,
            )
        )  # fmt: skip
    return found


def has_sample() -> bool:
    """Whether the fictional sample pack is there."""
    return (places.packs() / "sample" / manifests.FILE).is_file()
