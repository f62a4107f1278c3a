"""A task file as people verify it: its records, and the hash by which decisions are bound to it.

The hash is taken over what the records say, not over bytes: the same tasks packed, or with other line ends, are the
same set.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from store.errors import BadInput
from tasks.errors import UsageError
from tasks.run.validation import benchmark_of, reader
from tasks.scoring.strict import strict_hit
from tasks.task_files import Fields, read_tasks

FIELDS = ("question", "answer", "key", "key_middle")
"""What a reviewer may correct, where a record has it as a text or a list of texts."""
Text = str | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Task:
    """One task: its id, its group, its record."""

    id: str
    group: str
    record: Mapping[str, Any]
    where: str

    @property
    def texts(self) -> dict[str, Text]:
        """The fields that can be corrected."""
        found: dict[str, Text] = {}
        for name in FIELDS:
            value = self.record.get(name)
            if isinstance(value, str):
                found[name] = value
            elif isinstance(value, list):
                found[name] = tuple(map(str, value))
        return found


@dataclass(frozen=True, slots=True)
class TaskSet:
    """The tasks of a file, in its order. `hash` is hex."""

    path: Path
    benchmark: str
    tasks: tuple[Task, ...]
    hash: str

    @property
    def name(self) -> str:
        """The file and the beginning of the hash, as sentences name a set."""
        return named(self.path.name, self.hash)

    def task(self, task_id: str) -> Task:
        """The task of this id.

        Raises:
            UsageError: there is none.
        """
        for task in self.tasks:
            if task.id == task_id:
                return task
        raise UsageError(f"There is no task {task_id[:60]} in {self.path}", f"It has {len(self.tasks)} tasks.")

    def corrected(self, task: Task, fields: Mapping[str, Text]) -> dict[str, Any]:
        """The record of a task with these fields instead.

        Raises:
            BadInput: what comes out is no task, or its answer does not hold its keys.
        """
        new = {name: list(value) if isinstance(value, tuple) else value for name, value in fields.items()}
        record = {**task.record, **new}
        reader(self.benchmark)(task.where, record)
        if isinstance(record.get("key"), list):
            for key in record["key"]:
                if not strict_hit(key, str(record.get("answer", ""))):
                    raise BadInput(
                        f"{task.where}: the answer does not hold the key '{key}'", "Correct the answer, or the key."
                    )
                if "key" in fields and key in str(record["question"]):
                    raise BadInput(f"{task.where}: the key '{key}' stands in the question", "Correct one of them.")
        return record


def named(file: str, digest: str) -> str:
    """A set as sentences name it."""
    return f"{file} ({digest[:12]})"


def read_set(path: Path) -> TaskSet:
    """The tasks of a file of LegalAgentBench or LegalSearch.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken, or a record is no task.
        UsageError: it holds cases of the courts.
    """
    found: dict[str, Task] = {}
    whole, benchmark = sha256(), ""

    def read(where: str, fields: Fields) -> Any:
        nonlocal benchmark
        benchmark = benchmark or benchmark_of(fields)
        if benchmark == "courts":
            raise UsageError(
                f"{path} holds cases of the courts, which are reviewed field by field",
                "Use `moot tasks validate --law`.",
            )
        return reader(benchmark)(where, fields)

    for where, fields, question in read_tasks(path, read):
        task = Task(question.id, question.group, fields, where)
        if not {"question", "answer"} <= set(task.texts):
            raise BadInput(f"{where}: field 'question' or 'answer' is missing or no text", "A reviewer reads both.")
        found[task.id] = task
        whole.update(json.dumps(fields, sort_keys=True, separators=(",", ":")).encode())
        whole.update(b"\n")
    return TaskSet(path, benchmark, tuple(found.values()), whole.hexdigest())
