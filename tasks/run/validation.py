"""Checks a task file record by record, so that whoever writes tasks sees all faults at once and not the first one."""

from __future__ import annotations

import importlib
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers.reading import records
from tasks.courts.casefile.loading import CaseFault, case_records
from tasks.courts.casefile.upstream import upstream_env
from tasks.errors import UsageError
from tasks.task_files import check_layout

READERS: dict[str, str] = {
    "legalagentbench": "tasks.legalagentbench.questions:read_question",
    "legalsearch": "tasks.legalsearch.questions:read_question",
    "courts": "tasks.courts.casefile.questions:read_questions",
}
"""Benchmark -> the function that reads one record of its task files: a task, or the tasks of one that holds
several."""


@dataclass(frozen=True, slots=True)
class ValidationReport:
    """What a check found. `faults` make the file unusable, `notes` do not; `groups`: tasks by kind."""

    benchmark: str
    tasks: int
    groups: Mapping[str, int]
    faults: tuple[str, ...]
    notes: tuple[str, ...]


def benchmark_of(fields: Mapping[str, object]) -> str:
    """The benchmark whose task a record looks like: a schema of cases is the courts', keywords to find
    LegalAgentBench's."""
    if str(fields.get("schema", "")).startswith("j1") or upstream_env(fields) is not None:
        return "courts"
    return "legalagentbench" if "key" in fields or "key_middle" in fields else "legalsearch"


def benchmark_in(path: Path) -> str:
    """The benchmark whose tasks a file holds, by its first record; TOML and folders are the courts'."""
    if path.is_dir() or path.suffix == ".toml":
        return "courts"
    _, first = next(records(path, str(path)), (0, {}))
    return benchmark_of(first)


def validate(path: Path, benchmark: str = "") -> ValidationReport:
    """Check every record of a task file.

    Args:
        path: the file, as JSON lines or an array, plain or gzipped; of the courts also TOML, or a folder of case
            files.
        benchmark: whose tasks they are; "" decides by the first record.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is no JSON or no TOML; the title names the line.
        UsageError: there is no such benchmark.
    """
    if benchmark and benchmark not in READERS:
        raise UsageError(f"unknown benchmark '{benchmark}'", f"Known: {', '.join(READERS)}.")
    faults: list[str] = []
    seen: dict[str, str] = {}
    groups: Counter[str] = Counter()
    pairs: Counter[str] = Counter()
    count = 0
    told: list[str] = []
    if path.is_dir() or path.suffix == ".toml":
        benchmark = benchmark or "courts"
        check_layout(benchmark, path)
    for where, fields in _records(path, benchmark):
        benchmark = benchmark or benchmark_of(fields)
        try:
            read = reader(benchmark)(where, fields)
        except BadInput as error:
            count += 1
            faults += [str(error)] if not isinstance(error, CaseFault) else error.lines
            continue
        for question in read if isinstance(read, tuple) else (read,):
            count += 1
            if question.id in seen:
                faults.append(f"{where}: task {question.id} stands {_there(path, seen[question.id])} already")
            seen.setdefault(question.id, where)
            gold = getattr(question, "gold", None)
            groups[question.group] += 1
            told += [f"{question.id}: {note}" for note in getattr(question, "notes", ())]
            if pair := getattr(gold, "pair", ""):
                pairs[pair] += 1
    if not count:
        faults.append(f"{path}: no tasks in it")
    told += (f"pair {pair} has {n} members instead of 2" for pair, n in sorted(pairs.items()) if n != 2)
    return ValidationReport(benchmark, count, dict(groups), tuple(faults), tuple(told))


def _records(path: Path, benchmark: str) -> Iterator[tuple[str, dict[str, Any]]]:
    if benchmark == "courts":
        return case_records(path)
    return ((f"{path}, line {line}", fields) for line, fields in records(path, str(path)))


def _there(path: Path, where: str) -> str:
    """Where a record stands, seen from the same file."""
    _, line, number = where.partition(f"{path}, line ")
    return f"on line {number}" if line else f"in {where}"


def reader(benchmark: str) -> Callable[[str, dict[str, Any]], Any]:
    """The function that reads one record of a benchmark."""
    module, name = READERS[benchmark].split(":")
    found: Callable[[str, dict[str, object]], object] = getattr(importlib.import_module(module), name)
    return found
