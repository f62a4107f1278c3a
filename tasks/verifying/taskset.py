"""A task file as people verify it: its records, the hash by which decisions are bound to it, and the articles that a
task cites.

The hash is taken over what the records say, not over bytes: the same tasks packed, or with other line ends, are the
same set. Whether an article was in force is asked for the day that a task states, else for the one up to which its
pack tells the law. Windows come from the statutes of the pack, else from the index and the list of laws that come
with Moot.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from hashlib import sha256
from pathlib import Path
from typing import Any, Literal

from store import places
from store.errors import BadInput
from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.model import ArticleNumber, LawVersion
from store.text.citation import citations
from store.text.dates import parse_date
from tasks.courts.casefile.law import Laws, all_laws, shipped_laws
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


Force = Literal["in_force", "not_yet", "ended", "no_article", "no_day", "unknown"]
DAYS = ("day", "date", "as_of")
"""Fields in which a record may state its day."""


@dataclass(frozen=True, slots=True)
class TaskCitation:
    """An article as a task cites it. version: the one that decides, None where the law is not known."""

    law: str
    number: ArticleNumber
    force: Force
    version: LawVersion | None = None

    @property
    def good(self) -> bool:
        """Whether nothing speaks against it."""
        return self.force == "in_force"


def day_of(task: Task, pack: Pack | None) -> date | None:
    """The day of a task: its own, else that of the pack."""
    stated = [str(task.record[name]) for name in DAYS if task.record.get(name)]
    days = (parse_date(text) for text in (*stated, pack.manifest.as_of if pack is not None else ""))
    return next((day for day in days if day is not None), None)


def laws_of(pack: Pack | None) -> tuple[Laws, ...]:
    """Where laws are looked up, in this order."""
    return (*((StatuteBook(pack),) if pack is not None else ()), shipped_laws(), all_laws())


def cited(task: Task, day: date | None, laws: Sequence[Laws]) -> tuple[TaskCitation, ...]:
    """Every article that question, answer or keys cite by law and number, in order, once."""
    texts = [text for value in task.texts.values() for text in ([value] if isinstance(value, str) else value)]
    named = {(one.law, one.number): None for text in texts for one in citations(text) if one.law}
    return tuple(_cited(law, number, day, laws) for law, number in named)


def _cited(law: str, number: ArticleNumber, day: date | None, laws: Iterable[Laws]) -> TaskCitation:
    known = next((found for one in laws if (found := _having(law, number, one)) is not None), None)
    if known is None:
        return TaskCitation(law, number, "unknown")
    every, having = known
    if day is None:
        return TaskCitation(law, number, "no_day" if having else "no_article", (having or every)[-1])
    now = next((version for version in every if version.covers(day)), None)
    if now is not None:
        return TaskCitation(law, number, "in_force" if now in having else "no_article", now)
    started = [version for version in every if version.valid_from is not None and version.valid_from <= day]
    return TaskCitation(law, number, "ended" if started else "not_yet", started[-1] if started else every[0])


def _having(law: str, number: ArticleNumber, laws: Laws) -> tuple[list[LawVersion], list[LawVersion]] | None:
    """All versions of a law, and those that have the article; None where the law is not known."""
    official = getattr(laws, "official", None)
    every = laws.versions(law) or laws.versions((official(law) if official else None) or law)
    return (every, [one for one in every if number in laws.numbers(one.law, one.label)]) if every else None


@contextmanager
def pack_of(tasks: TaskSet) -> Iterator[Pack | None]:
    """The pack after which constructed tasks are numbered; None where there is none.

    Raises:
        StoreError: the pack cannot be opened.
    """
    found = _numbered_after(tasks)
    if not found:
        yield None
        return
    with Pack.open(found) as pack:
        yield pack


def _numbered_after(tasks: TaskSet) -> str:
    parts = tasks.tasks[0].id.split("-")
    for end in range(len(parts) - 1, 0, -1):
        name = "-".join(parts[:end])
        if all(task.id.startswith(f"{name}-") for task in tasks.tasks) and (places.packs() / name).is_dir():
            return name
    return ""
