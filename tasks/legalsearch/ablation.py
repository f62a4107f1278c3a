"""Ablations: the same tasks under settings that differ in one thing, each a stored run, compared task by task.

An axis is a setting with the values to try; the default of a setting is that of `moot run`. Each axis is varied by
itself against the default, or all are crossed. Differences are paired: the mean over tasks of (score under the
setting less score under the default), in points from -100 to 100, with a 95 % interval over clusters of tasks. The
tasks, the agent, the pack and the seed are the same, so what a task is worth cancels out.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import product
from pathlib import Path
from typing import Any

from store.errors import StoreError
from store.journal import SUFFIX, Journal
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.episode.driver import INFRASTRUCTURE
from tasks.episode.watcher import Watcher
from tasks.errors import RecordMismatch, UsageError
from tasks.legalsearch.kinds import KINDS
from tasks.legalsearch.questions import by_id
from tasks.legalsearch.scoring import BENCHMARK
from tasks.legalsearch.settings import settings_of
from tasks.legalsearch.temporal import Data
from tasks.run.cast import Cast
from tasks.run.engines import open_engine
from tasks.run.experiment import check_same
from tasks.run.header import description_hash, header_of, spec_of
from tasks.run.opened import Run
from tasks.run.plan import task_file
from tasks.run.reading import stopped_of
from tasks.run.rescoring import StoredRun, pack_of
from tasks.run.runner import resume_run, start_run
from tasks.run.spec import RunSpec
from tasks.scoring.context import ScoreContext
from tasks.scoring.statistics import (
    DRAWS,
    MANY_CLUSTERS,
    Interval,
    cluster_bootstrap,
    cluster_error,
    t_quantile,
    wilson,
)

ALL = "all"
_SWITCH: Mapping[str, bool] = {"on": True, "off": False}
RULES = ("compat", "strict")
INDIFFERENT = frozenset({"parallel", "budget_tokens", "budget_seconds", "cache", "tasks", "pack"})
"""Fields of a spec that do not change what a run is: the hashes of task file and pack stand for the last two."""

Choice = tuple[tuple[str, str], ...]
"""(axis, value) pairs that differ from the default; () is the default itself."""


@dataclass(frozen=True, slots=True)
class Axis:
    """A setting that can be varied. `read` makes the value of the spec's field out of the word."""

    field: str
    default: str
    values: tuple[str, ...]
    read: Callable[[str], Any] = str
    more: bool = False
    """Whether several values may be joined by '+'."""


def _channels(word: str) -> tuple[str, ...]:
    return () if word == ALL else tuple(word.split("+"))


AXES: Mapping[str, Axis] = {
    "window": Axis("window", "on", ("on", "off", "newest")),
    "tools": Axis("tools", "on", ("on", "rag", "web", "off")),
    "law_filter": Axis("law_filter", "on", ("on", "off"), _SWITCH.__getitem__),
    "abstain": Axis("abstain", "on", ("on", "off"), _SWITCH.__getitem__),
    "channels": Axis("channels", ALL, (ALL, "exact", "keyword", "dense", "bm25"), _channels, more=True),
}


def parse_axes(texts: Sequence[str]) -> dict[str, tuple[str, ...]]:
    """Axes as written, `window=on,off` each; a bare `window` means all of its values. The default is always among
    them.

    Raises:
        UsageError: an axis or a value is not known, or an axis is named twice.
    """
    found: dict[str, tuple[str, ...]] = {}
    for text in texts:
        name, equals, rest = text.partition("=")
        name = name.strip().replace("-", "_")
        axis = AXES.get(name)
        if axis is None:
            raise UsageError(f"there is no axis '{name}'", f"Axes: {', '.join(AXES)}.")
        if name in found:
            raise UsageError(f"axis '{name}' is named twice", f"Write --over {name}=A,B.")
        values = [part.strip() for part in rest.split(",") if part.strip()] if equals else list(axis.values)
        for value in values:
            parts = value.split("+") if axis.more else [value]
            if (
                not set(parts) <= set(axis.values)
                or (len(parts) > 1 and ALL in parts)
                or len(set(parts)) < len(parts)
            ):
                raise UsageError(f"axis '{name}' has no value '{value}'", f"Values: {', '.join(axis.values)}.")
        if not values:
            raise UsageError(f"axis '{name}' names no values", f"Values: {', '.join(axis.values)}.")
        found[name] = tuple(dict.fromkeys((axis.default, *values)))
    if not found:
        raise UsageError("no axis to vary", "For example --over window=on,off,newest.")
    return found


def choices(axes: Mapping[str, Sequence[str]], *, cross: bool = False) -> list[Choice]:
    """The combinations, the default first: each axis by itself, or all of them crossed."""
    if cross:
        every = product(*[[(name, value) for value in values] for name, values in axes.items()])
        made = [tuple(pair for pair in pairs if pair[1] != AXES[pair[0]].default) for pairs in every]
    else:
        made = [((name, value),) for name, values in axes.items() for value in values if value != AXES[name].default]
    return list(dict.fromkeys([(), *made]))


def name_of(choice: Choice) -> str:
    """`default`, `window-off`, `window-off-tools-rag`: the name of the run file."""
    return "-".join(f"{name.replace('_', '-')}-{value}" for name, value in choice) or "default"


def spec_for(base: RunSpec, choice: Choice) -> RunSpec:
    """The run of a combination."""
    return base.having(**{AXES[name].field: AXES[name].read(value) for name, value in choice})


def check_plan(base: RunSpec, plan: Sequence[Choice]) -> None:
    """Refuse before anything runs what could not run: `UsageError` or `NotFound`, as `moot run` would say it."""
    if base.benchmark != BENCHMARK:
        raise UsageError(f"'{base.benchmark}' has no ablations", f"Only {BENCHMARK} has.")
    given = settings_of(base)
    for name, axis in AXES.items():
        if getattr(given, axis.field) != axis.read(axis.default):
            raise UsageError(f"the default of {name} is varied from, not set", f"Leave it to --over {name}=….")
    bench = benchmark(base.benchmark)
    for choice in plan:
        Cast.of(bench, spec_for(base, choice))
    with Pack.open(base.pack) as pack:
        task_file(base, pack)


def open_choice(
    base: RunSpec, choice: Choice, folder: Path, watchers: Sequence[Watcher] = (), argv: Sequence[str] = ()
) -> Run | None:
    """The run of a combination, new or taken up again; None when its file is there and finished.

    Raises:
        StoreError: the file is there and holds another run.
        RecordMismatch: it holds the same run of other tasks, another pack, prompts or model.
    """
    path = folder / f"{name_of(choice)}{SUFFIX}"
    spec = spec_for(base, choice)
    if not path.exists():
        return start_run(spec, watchers, out=path, argv=argv)
    with Journal.open(path) as journal:
        header, unfinished = header_of(journal), _unfinished(journal)
    recorded = spec_of(header)
    if not settings_of(spec).today:
        spec = spec.having(today=settings_of(recorded).today)
    if _essence(recorded) != _essence(spec) or "imported" in header:
        raise StoreError(f"{path} holds another run", "Give another --out, or move it away.")
    if unfinished:
        return resume_run(path, watchers)
    _check_finished(header, spec)
    return None


def _essence(spec: RunSpec) -> dict[str, object]:
    return {**spec.model_dump(exclude=set(INDIFFERENT)), **settings_of(spec).model_dump()}


def _check_finished(header: Data, spec: RunSpec) -> None:
    """Whoever takes up a run checks the same; of a finished one nobody else would."""
    with Pack.open(spec.pack) as pack:
        check_same(header, benchmark(spec.benchmark), spec, pack, task_file(spec, pack), False)
    for name, described in header.get("engines", {}).items():
        engine = open_engine(name)
        try:
            now = engine.describe()
        finally:
            engine.close()
        if description_hash(now) != description_hash(described):
            raise RecordMismatch(f"engine {name} differs from that of run {header['run']}", "Give another --out.")


def _unfinished(journal: Journal) -> bool:
    stops = (stopped_of(journal, attempts[-1].id) for _, attempts in journal.walk())
    return any(stopped is None or stopped.reason.startswith(INFRASTRUCTURE) for stopped in stops)


@dataclass(frozen=True, slots=True)
class Scored:
    """A run with the score of every task, by rule: task id -> mean over its epochs from 0 to 1, None where it has
    none."""

    name: str
    scores: Mapping[str, Mapping[str, float | None]]
    kinds: Mapping[str, str]
    clusters: Mapping[str, str]


def scored(name: str, run: StoredRun) -> Scored:
    """The scores of a stored run, task by task."""
    questions = by_id(run.questions)
    values: dict[str, dict[str, list[float | None]]] = {rule: {} for rule in RULES}
    with pack_of(run.header) as pack:
        context = ScoreContext(pack=pack, graded=run.graded)
        for played in run.played:
            task = played.result.task_id
            for row in run.bench.score_rows(played.attempt, questions[task], played.result, context):
                if row.scorer in RULES:
                    values[row.scorer].setdefault(task, []).append(row.value["score"])
    return Scored(
        name,
        {rule: {task: _mean(given) for task, given in tasks.items()} for rule, tasks in values.items()},
        {task: question.group for task, question in questions.items()},
        {task: question.cluster for task, question in questions.items()},
    )


def _mean(values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    return math.fsum(known) / len(known) if known else None


@dataclass(frozen=True, slots=True)
class Difference:
    """Mean paired difference in points, its interval, how many tasks are better, worse and of equal score."""

    mean: float
    interval: Interval
    n: int
    better: int
    worse: int

    def as_dict(self) -> Data:
        """As JSON data."""
        return {
            "mean": round(self.mean, 10), "interval": [round(self.interval.low, 10), round(self.interval.high, 10)],
            "method": self.interval.method, "n": self.n, "better": self.better, "worse": self.worse,
            "equal": self.n - self.better - self.worse,
        }  # fmt: skip


def differences(base: Scored, other: Scored) -> dict[str, dict[str, Data]]:
    """Rule -> task -> difference of `other` to `base` over the questions that both have scores of."""
    made: dict[str, dict[str, dict[str, object]]] = {}
    for rule in RULES:
        pairs = _pairs(base.scores[rule], other.scores[rule])
        by_kind = {kind: [task for task in pairs if base.kinds[task] == kind] for kind in KINDS}
        made[rule] = {
            kind: difference([pairs[task] for task in tasks], [base.clusters[task] for task in tasks]).as_dict()
            for kind, tasks in by_kind.items()
            if tasks
        }
    return made


def _pairs(base: Mapping[str, float | None], other: Mapping[str, float | None]) -> dict[str, float]:
    return {
        task: 100 * (given - before)
        for task, before in base.items()
        if before is not None and (given := other.get(task)) is not None
    }


def difference(points: Sequence[float], clusters: Sequence[str]) -> Difference:
    """Mean of paired differences with its interval: bootstrap over many clusters, t over few.

    Without spread, Wilson says which share of other clusters the ones at hand cannot exclude; those may differ by
    anything.
    """
    mean, count = math.fsum(points) / len(points), len(set(clusters))
    if max(points) - min(points) < 1e-9 or count < 2:
        _, others = wilson(0, count)
        low, high = mean - others * (100.0 + mean), mean + others * (100.0 - mean)
        interval = Interval(max(-100.0, low), min(100.0, high), f"Wilson over {count} clusters (no spread)")
    elif count < MANY_CLUSTERS:
        width = t_quantile(0.975, count - 1) * cluster_error(points, clusters)
        interval = Interval(max(-100.0, mean - width), min(100.0, mean + width), f"clustered t, {count - 1} df")
    else:
        interval = Interval(*cluster_bootstrap(points, clusters), f"cluster bootstrap, {DRAWS} draws, seed 0")
    better, worse = sum(value > 1e-9 for value in points), sum(value < -1e-9 for value in points)
    return Difference(mean, interval, len(points), better, worse)


@dataclass(slots=True)
class Outcome:
    """One combination when it has run: its score block, its temporal analysis, its differences to the default."""

    choice: Choice
    path: Path
    reused: bool
    block: Data
    analysis: Data
    difference: Data | None = field(default=None)

    def as_dict(self) -> Data:
        """As JSON data; `difference` is None for the default."""
        block, aware = self.block, self.analysis["awareness"]["all"]
        return {
            "name": name_of(self.choice),
            "settings": {name: dict(self.choice).get(name, axis.default) for name, axis in AXES.items()},
            "run": str(self.path),
            "reused": self.reused,
            "n": block["n"],
            "outcomes": {name: count for name, count in block["outcomes"].items() if count},
            "flags": {name: count for name, count in block["flags"].items() if count},
            **{rule: block[rule] for rule in RULES},
            "intervals": block["intervals"],
            "overall": block.get("overall"),
            "wrong_version": block["wrong_version"],
            "lar_by_year": block["lar_by_year"],
            "awareness": {name: aware[name] for name in ("calls", "queries", "aware", "explicit", "share")},
            "consistency": self.analysis["consistency"],
            "difference": self.difference,
        }
