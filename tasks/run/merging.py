"""Several runs of one experiment over disjoint tasks become one run, whoever played which: shards of a cluster, of
Slurm, runs on sticks.

What was played is compared first (`differences` names the first that matters), then every episode gets the place that
it would have had in one run: the seed of a call follows from run seed, episode, seat and number of the call, so
events, and with them digests and scores, are those of one machine. Times are those of the parts.
"""

from __future__ import annotations

import json
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store import identity
from store.errors import DamagedData, StoreError
from store.files import real_path
from store.journal import EpisodeRow, Journal, RunPart, merge_files, text_hash
from tasks.benchmark import Question, benchmark
from tasks.episode.events import Stopped
from tasks.errors import RecordMismatch, UsageError
from tasks.run.engines import run_path
from tasks.run.header import HeaderData, MergedFacts, PartFacts, header_of, now, spec_of
from tasks.run.listing import store_totals
from tasks.run.plan import choose, episodes_of, stored_task_file
from tasks.run.spec import RunSpec

PARTIAL = ("shard", "task_ids", "types", "only")
"""Settings that say which part of the tasks a run plays."""
EVERY: dict[str, object] = {"task_ids": [], "types": [], "only": ""}
"""Of those, what stands for all tasks: of parts that differ in them the whole is nothing less."""
LOCAL = (*PARTIAL, "tasks", "pack", "parallel", "benchmark", "budget_tokens", "budget_seconds")
"""Settings that may differ between the parts: the files are compared by their hashes, and no result follows from how
many episodes went on at a time (engines of whose description it is a part say so themselves)."""
_NOBODY = -1
_SHOWN = 80
"""Characters of a value in a sentence."""


@dataclass(frozen=True, slots=True)
class MergedRun:
    """What came of it. missing: episodes of the experiment that are in no part; unfinished: those that `resume` goes
    on with."""

    path: Path
    run: str
    parts: int
    episodes: int
    missing: int
    unfinished: int


def merge_runs(
    names: Sequence[str | Path],
    out: Path,
    *,
    partial: bool = False,
    argv: Sequence[str] = (),
    at: RunSpec | None = None,
) -> MergedRun:
    """Write one run file that holds the episodes of all; there whole or not at all.

    Args:
        names: runs, by path or id.
        out: the file; must not exist.
        partial: take what there is: episodes may be missing, or unfinished.
        argv: the command line that merges.
        at: whose paths of task file and pack are recorded; default: of the first part whose files are here.

    Raises:
        RecordMismatch: two runs are not of one experiment; names the first difference.
        UsageError: an episode is in two runs, in none, or unfinished; or a run was made elsewhere, or is a fork.
        Damaged: a part is not as it was written.
    """
    paths = [run_path(name) for name in names]
    header, facts = _compared(paths)
    header, questions = _at_home(header, paths, at)
    spec = spec_of(header)
    bench = benchmark(spec.benchmark)
    whole = choose(bench, questions, spec)
    places = _Places(whole, spec.epochs)
    for number, path in enumerate(paths):
        with Journal.open(path) as journal:
            for row, _ in journal.walk():
                places.take(row, number, paths)
    missing = places.missing()
    if missing and not partial:
        raise UsageError(
            f"{missing} of {places.total} episodes are in none of the runs, the first is {places.first_missing()}",
            f"Add {_missing_shards(facts) or 'the runs that hold them'}; --partial takes what there is.",
        )
    unfinished = 0

    def accept(journal: Journal, row: EpisodeRow, events: list[tuple[Any, ...]]) -> None:
        nonlocal unfinished
        if any(event[-2] == Stopped.tag for event in events):
            return
        unfinished += 1
        if not partial:
            raise UsageError(
                f"episode {row.id} of {journal.path} is unfinished",
                "`moot resume` that run first; with --partial the merged run can be resumed.",
            )

    header |= {
        "run": out.stem,
        "created": now(),
        "command": list(argv),
        "merged": MergedFacts(parts=facts, missing=missing).model_dump(mode="json"),
    }
    parts = (RunPart(path, fact.state) for path, fact in zip(paths, facts, strict=True))
    merge_files(out, header, parts, places.of, accept)
    if not unfinished:
        with Journal.open(out, write=True) as journal:
            store_totals(journal)
    return MergedRun(out, out.stem, len(paths), places.total - missing, missing, unfinished)


def difference(one: HeaderData, other: HeaderData) -> tuple[str, str, str] | None:
    """The first thing in which two headers are not of one experiment: what, how the one has it, how the other."""
    ours, theirs = _experiment(one), _experiment(other)
    for what in {**ours, **theirs}:
        if (here := ours.get(what)) != (there := theirs.get(what)):
            return what, _brief(here), _brief(there)
    return None


def _experiment(header: HeaderData) -> dict[str, object]:
    """What must agree, by name, what weighs most first."""
    settings = {name: value for name, value in header["spec"].items() if name not in LOCAL}
    return {
        "benchmark": header["spec"]["benchmark"],
        "task file": header["tasks"]["sha256"],
        "pack": header["pack"]["hash"],
        **{f"setting {name}": value for name, value in settings.items()},
        **{f"prompt {name}": value for name, value in header["prompts"].items()},
        **{
            f"engine {spec}, {name}": value
            for spec, said in header["engines"].items()
            for name, value in said.items()
        },
        **{f"limit of {name}": value for name, value in header["limits"].items()},
        "release of Moot": header["versions"].get("moot"),
    }


def _brief(value: object) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _SHOWN else f"a text with the hash {text_hash(text)[:12]}"


def _compared(paths: Sequence[Path]) -> tuple[dict[str, Any], list[PartFacts]]:
    """The header that all parts agree with, for all tasks that any of them had, and where each comes from."""
    first: dict[str, Any] = {}
    facts = []
    for path in paths:
        digest = identity.sha256(path)
        with Journal.open(path) as journal:
            header = header_of(journal)
            _refuse(header, journal)
            fact = PartFacts(
                run=header["run"], state=journal.state(), sha256="" if _has_log(path) else digest,
                episodes=journal.count(), shard=header["spec"].get("shard"),
                created=header["created"], versions=header["versions"],
            )  # fmt: skip
        facts.append(fact)
        if not first:
            first = header
            continue
        if found := difference(first, header):
            what, here, there = found
            raise RecordMismatch(
                f"{path} is of another experiment than {paths[0]}: {what} is {there}, not {here}",
                "Merge runs of one experiment alone.",
            )
        for name, every in EVERY.items():
            if header["spec"].get(name) != first["spec"].get(name):
                first["spec"][name] = every
        first["seed_ignored"] = sorted({*first["seed_ignored"], *header["seed_ignored"]})
        if header["tasks"].get("fictional"):
            first["tasks"]["fictional"] = True
    first["spec"] |= {"shard": None, "budget_tokens": None, "budget_seconds": None}  # of the parts, not of the whole
    return first, facts


def _refuse(header: HeaderData, journal: Journal) -> None:
    """Only what was played from its beginning can be a part."""
    if "imported" in header or "parent" in header:
        raise UsageError(
            f"{journal.path} was imported, or forked from another run",
            "Only runs that were played from the beginning can be merged.",
        )


def _has_log(path: Path) -> bool:
    log = real_path(path).with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _at_home(
    header: dict[str, Any], paths: Sequence[Path], at: RunSpec | None
) -> tuple[dict[str, Any], list[Question]]:
    """The header with paths of this machine, and the questions of its task file."""
    missed: Exception | None = None
    for where in [at.model_dump(mode="json")] if at else _wheres(paths):
        placed = {
            **header,
            "spec": {**header["spec"], "tasks": where["tasks"], "pack": where["pack"]},
            "pack": {**header["pack"], "path": where.get("path")},
        }
        try:
            return placed, list(benchmark(header["spec"]["benchmark"]).load(stored_task_file(placed)))
        except DamagedData:
            raise
        except (StoreError, RecordMismatch) as error:
            missed = missed or error
    assert missed is not None
    raise missed


def _wheres(paths: Sequence[Path]) -> Iterator[Mapping[str, Any]]:
    for path in paths:
        with Journal.open(path) as journal:
            header = header_of(journal)
        yield {**header["spec"], "path": header["pack"].get("path")}


class _Places:
    """Who has which episode of the whole experiment: four bytes an episode."""

    def __init__(self, questions: Sequence[Question], epochs: int) -> None:
        self._questions = questions
        self._epochs = epochs
        self._index = {question.id: number for number, question in enumerate(questions)}
        self.total = len(questions) * epochs
        self._owners = array("i", [_NOBODY]) * self.total

    def of(self, row: EpisodeRow) -> int:
        """Where an episode stands in the whole, from 0."""
        return self._index[row.task_id] * self._epochs + row.epoch

    def take(self, row: EpisodeRow, owner: int, paths: Sequence[Path]) -> None:
        """Note that an episode is in a run; `UsageError` where it belongs to none, or to another already."""
        if row.task_id not in self._index or not 0 <= row.epoch < self._epochs:
            raise UsageError(
                f"episode {row.id} of {paths[owner]} is none of the {self.total} that the runs would play together",
                "Merge runs with the same --limit.",
            )
        before = self._owners[self.of(row)]
        if before != _NOBODY:
            raise UsageError(
                f"episode {row.id} is in both {paths[before]} and {paths[owner]}", "Leave one of them out."
            )
        self._owners[self.of(row)] = owner

    def missing(self) -> int:
        """How many episodes nobody has."""
        return self._owners.count(_NOBODY)

    def first_missing(self) -> str:
        """The first of them by name."""
        position = self._owners.index(_NOBODY)
        question = self._questions[position // self._epochs]
        return list(episodes_of([question], self._epochs))[position % self._epochs].id


def _missing_shards(facts: Sequence[PartFacts]) -> str:
    """The shards that are not among the parts, where all are shards of as many; else ''."""
    found = [fact.shard for fact in facts if fact.shard is not None]
    sizes = {size for _, size in found}
    if len(found) < len(facts) or len(sizes) != 1:
        return ""
    (size,) = sizes
    gone = sorted(set(range(1, size + 1)) - {number for number, _ in found})
    few = ", ".join(f"{number}/{size}" for number in gone[:5])
    return f"shard {few}{', …' if len(gone) > 5 else ''}" if gone else ""
