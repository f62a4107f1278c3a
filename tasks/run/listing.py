"""The list of runs: a line each, made of header and brief, remembered until the file changes. No journal is opened
twice.

A damaged file is a line of the list, never a failure of the list. Rates are shares from 0 to 1; moments are as the
header has them, UTC.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field, TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from store import labels, run_index
from store.errors import DamagedData, StoreError
from store.journal import Journal, ScoreRow
from store.writer import writer_of
from tasks.benchmark import benchmark
from tasks.episode.scheduler import UNFINISHED
from tasks.episode.with_tools import SEAT
from tasks.errors import TaskError, UsageError
from tasks.run.header import HeaderData, header_of, is_fictional, release, tested
from tasks.run.reading import human_steps, is_scored, stopped_of
from tasks.scoring.overall import Overall, Summing, mean_of
from tasks.scoring.result import newest

Count = Annotated[int, Field(ge=1)]
Short = Annotated[str, Field(max_length=100)]


class RunTotals(BaseModel):
    """What a run came to. outcomes: how many episodes ended how, open ones as `unfinished`; scorers: the versions of
    its benchmark's scorers when that was; measure, compat, strict: as `Overall` has them, of the attempts that those
    have scored; scored: whether any was; unscored: how many of those that are over were not; people: episodes in
    which a person answered from the tested seat: unless a person is who is tested, the means leave them out."""

    model_config = ConfigDict(extra="forbid", frozen=True, allow_inf_nan=False, strict=True)
    outcomes: dict[Short, Count]
    scorers: dict[Short, Short]
    measure: Short = ""
    compat: float | None = None
    strict: float | None = None
    scored: bool = False
    unscored: Annotated[int, Field(ge=0)] = 0
    people: Annotated[int, Field(ge=0)] = 0

    @property
    def n(self) -> int:
        """Episodes."""
        return sum(self.outcomes.values())

    @property
    def finished(self) -> int:
        """Episodes that are over."""
        return self.n - self.outcomes.get(UNFINISHED, 0)


def brief_of(journal: Journal) -> RunTotals:
    """What a run came to, as its summary says or as its rows do."""
    return _stored(journal) or _made(journal)


def _stored(journal: Journal) -> RunTotals | None:
    with suppress(ValidationError):
        if (stored := journal.summary()) is not None:
            brief = RunTotals.model_validate(stored)
            return brief if brief.scorers == _summing(header_of(journal))[1] else None
    return None


def store_totals(journal: Journal) -> None:
    """Seal what an ended run came to, if that has not been done; the journal is open for writing."""
    if _stored(journal) is None:
        made = _made(journal)
        if made.finished == made.n:
            journal.keep_summary(made.model_dump(mode="json"))


def _made(journal: Journal) -> RunTotals:
    outcomes: Counter[str] = Counter()
    people, by_people, unscored = 0, human_steps(journal), 0
    sum_up, scorers = _summing(header_of(journal))

    def scored() -> Iterator[ScoreRow]:
        nonlocal people, unscored
        for _, attempts in journal.walk():
            last = attempts[-1].id if attempts else None
            person = by_people.get(last) if last is not None else None
            people += person is not None and SEAT in person.steps
            stopped = None if last is None else stopped_of(journal, last)
            outcomes[UNFINISHED if stopped is None else stopped.outcome] += 1
            rows = {} if last is None else newest(journal.scores(last))
            if person is not None and not person.counted:
                continue
            if is_scored(rows, scorers):
                yield from rows.values()
            else:
                unscored += stopped is not None

    found = sum_up(scored())
    both = (None, None) if found is None else (found.compat, found.strict)
    return RunTotals(
        outcomes=dict(outcomes), scorers=dict(scorers), measure=found.measure if found else "", compat=both[0],
        strict=both[1], scored=found is not None, unscored=unscored, people=people,
    )  # fmt: skip


def _summing(header: HeaderData) -> tuple[Summing, Mapping[str, str]]:
    """How runs of its benchmark are summed up, and the versions of its scorers."""
    with suppress(UsageError):  # of a package that is not here any more
        bench = benchmark(str(header["spec"]["benchmark"]))
        return bench.overall, bench.scorers
    return mean_of, {}


def summing(header: HeaderData) -> Summing:
    """How the rows of one attempt are summed up: its own rate, or the mean over its metrics; None where the rules of
    today have not scored it."""
    sum_up, scorers = _summing(header)

    def of_attempt(rows: Iterable[ScoreRow]) -> Overall | None:
        found = newest(rows)
        return sum_up(found.values()) if is_scored(found, scorers) else None

    return of_attempt


STATES = ("finished", "unfinished", "running", "damaged")
"""A run has come to its end; it can be resumed; a process writes it now; its file cannot be read."""


@dataclass(frozen=True)
class RunLine:
    """One run in the list; `error` says what is wrong with it.

    Rates are means over scored episodes, None where there are none; `unscored` says that there are answers all the
    same: some wait for a grader, were left by a kill or scored by an older version, and a run that nobody plays has
    no rates until they are scored. `measure` is what the rates are: '' the answer rate, a task of LegalSearch, the
    mean of its domain, or the overall score of the courts. origin: the episode that it was forked from; source: the
    file that it was imported from. running: whether a process writes it now. process, pace: the other process that
    plays it at this moment, and the episodes that end there a minute, where somebody looked. name and tags are this
    machine's. tasks: sha256 of the task file. people: episodes in which a person answered from the tested seat.
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
    origin: dict[str, Any] | None = None
    source: str = ""
    error: str = ""
    running: bool = False
    process: int | None = None
    pace: float | None = None
    name: str = ""
    tags: tuple[str, ...] = ()
    tasks: str = ""
    people: int = 0
    release: str = ""
    """Of Moot, that read it."""

    @property
    def finished(self) -> int:
        """Episodes that are over."""
        return self.n - self.outcomes.get(UNFINISHED, 0)

    @property
    def parent(self) -> str:
        """The run that it was forked from, or ''."""
        return str((self.origin or {}).get("run", ""))

    @property
    def state(self) -> str:
        """One of `STATES`."""
        if self.error:
            return "damaged"
        return "running" if self.running else "unfinished" if self.finished < self.n else "finished"


_LINE = TypeAdapter(RunLine)
_FAULTS = (StoreError, TaskError, OSError)


def runs(most: int | None = None) -> Iterator[RunLine]:
    """The runs of this machine, newest first, all or so many; only files that no list has seen as they are are
    opened."""
    files = run_index.run_files()[:most]
    known = run_index.remembered()
    called = _labels()
    fresh: dict[str, tuple[str, str]] = {}
    try:
        for file in files:
            mark, text = known.get(str(file.path), ("", ""))
            line = _parsed(text) if file.identity and mark == file.identity else None
            if line is None or line.release != release():  # it may have other scorers
                line = read_run(file.path)
                if file.stable and not line.error:
                    with suppress(PydanticSerializationError):  # a name that is no text
                        fresh[str(file.path)] = file.identity, _LINE.dump_json(line, exclude_defaults=True).decode()
            yield _called(line, called)
    finally:
        there = {str(file.path) for file in files}
        gone = [path for path in known if path not in there] if most is None else []
        if fresh or gone:
            run_index.remember(fresh, gone)


def read_run(path: Path) -> RunLine:
    """The line of one run file, as it stands now, without its name and tags."""
    try:
        with Journal.open(path) as journal:
            header = header_of(journal)
            brief = brief_of(journal)
    except _FAULTS as error:
        return RunLine(path, path.stem, error=getattr(error, "title", None) or str(error))
    spec = header["spec"]
    return RunLine(
        path, path.stem, spec["benchmark"], *tested(header), header["pack"]["name"], header["created"],
        brief.n, dict(brief.outcomes), brief.compat, brief.strict, brief.measure,
        brief.unscored > 0 or (brief.scored and brief.compat is None and brief.strict is None), is_fictional(header),
        header.get("parent"), str(header.get("imported", {}).get("file", "")),
        tasks=str(header["tasks"]["sha256"]), people=brief.people, release=release(),
    )  # fmt: skip


def _parsed(text: str) -> RunLine | None:
    try:
        return _LINE.validate_json(text)
    except ValidationError:
        return None


def _labels() -> Mapping[str, labels.RunLabel]:
    try:
        return labels.labels()
    except DamagedData:  # who changes a name hears of it; the list goes on without
        return {}


def _called(line: RunLine, called: Mapping[str, labels.RunLabel]) -> RunLine:
    label = called.get(line.path.name)
    running = not line.error and line.finished < line.n and writer_of(line.path) is not None
    if line.unscored and not running:
        line = replace(line, compat=None, strict=None)
    if label is None and not running:
        return line
    label = label or labels.RunLabel()
    return replace(line, name=label.name, tags=label.tags, running=running)


@dataclass(frozen=True, slots=True)
class RunFilter:
    """Which runs a list shows; '' and () ask for nothing. Parts of names count, in any case of letters; `text` is
    looked for in all that names a run; `since` is a day or a moment."""

    benchmark: str = ""
    agent: str = ""
    model: str = ""
    pack: str = ""
    state: str = ""
    tags: Sequence[str] = ()
    text: str = ""
    since: datetime | None = None

    def has(self, line: RunLine) -> bool:
        """Whether a run is wanted."""
        parts = (
            (self.benchmark, line.benchmark),
            (self.agent, line.agent),
            (self.model, line.model),
            (self.pack, line.pack),
        )
        if not all(wanted.lower() in there.lower() for wanted, there in parts):
            return False
        if self.state and line.state != self.state or not set(self.tags) <= set(line.tags):
            return False
        named = (line.id, line.name, *line.tags, line.benchmark, line.agent, line.model, line.source, line.pack)
        words = " ".join(named)
        if self.text.lower() not in words.lower():
            return False
        return self.since is None or ((when := moment(line.created)) is not None and when >= self.since)


def moment(text: str) -> datetime | None:
    """A day or a moment as ISO 8601 writes it; of this machine's clock where it names no zone; None where it is
    none."""
    try:
        return datetime.fromisoformat(text).astimezone(UTC)
    except (ValueError, OverflowError, OSError):
        return None


SORTS: Mapping[str, Any] = {
    "created": lambda line: line.created,
    "name": lambda line: line.name or line.id,
    "benchmark": lambda line: line.benchmark,
    "model": lambda line: line.model or line.agent,
    "n": lambda line: line.n,
    "left": lambda line: line.n - line.finished,
    "compat": lambda line: line.compat,
    "strict": lambda line: line.strict,
}
"""What runs can be sorted by -> its value; None comes last."""
DOWN = frozenset({"created", "n", "left", "compat", "strict"})
"""Those of which the largest comes first."""


def in_order(lines: Iterable[RunLine], by: str) -> list[RunLine]:
    """Runs sorted by one of `SORTS`, the other way round with '-' before it; equal ones stay as they come.

    Raises:
        UsageError: nothing is sorted by that.
    """
    name = by.removeprefix("-")
    if name not in SORTS:
        raise UsageError(
            f"runs cannot be sorted by '{name}'", f"Known: {', '.join(SORTS)}; '-' before it turns it round."
        )
    value = SORTS[name]
    there: list[RunLine] = []
    none: list[RunLine] = []
    for line in lines:
        (none if value(line) is None else there).append(line)
    return sorted(there, key=value, reverse=(name in DOWN) != by.startswith("-")) + none
