"""Task files: one record a task, as JSON lines or an array, plain or gzipped, told apart by content; for some
benchmarks also folders of files."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol, TypeVar

from store.errors import BadInput
from store.importers.reading import files_in, records
from tasks.episode.plain import plain_text
from tasks.errors import UsageError

Fields = dict[str, Any]


class TaskLike(Protocol):
    """A task as its benchmark reads it."""

    @property
    def id(self) -> str:
        """Its name, unique in a file."""


Q = TypeVar("Q", bound=TaskLike)


@dataclass(frozen=True, slots=True)
class TaskRecord:
    """One record as the file has it; `where` names file and line, for messages."""

    where: str
    fields: Fields

    def fail(self, what: str, hint: str) -> BadInput:
        """The error to raise for what is wrong here."""
        return BadInput(f"{self.where}: {what}", hint)

    def text(self, name: str, default: str | None = None) -> str:
        """A field as clean text; without a default it must be there and say something."""
        value = self.fields.get(name, default)
        if not isinstance(value, str) or (default is None and not value.strip()):
            raise self.fail(f"field {name!r} is missing or no text", "A task has id, question and answer.")
        return plain_text(value)

    def id(self, name: str = "id") -> str:
        """A field that names the task: a text, or a whole number as text."""
        value = self.fields.get(name)
        if isinstance(value, bool) or not isinstance(value, int | str) or not str(value).strip():
            raise self.fail(
                f"field {name!r} is missing: the task has no id", f'Give it a number or a name: "{name}": 1.'
            )
        return plain_text(str(value)).strip()


def read_tasks(path: Path, read: Callable[[str, Fields], Q]) -> Iterator[tuple[str, Fields, Q]]:
    """Every task of a file with its place (file and line) and its record, in the order of the file.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken or empty, a task lacks what `read` needs, or stands there twice.
    """
    ids: set[str] = set()
    for line, fields in records(path, str(path)):
        where = f"{path}, line {line}"
        task = read(where, fields)
        if task.id in ids:
            raise BadInput(f"{where}: task {task.id} stands here a second time", "Remove one of the two.")
        ids.add(task.id)
        yield where, fields, task
    if not ids:
        raise BadInput(f"{path}: no tasks in it", "A task file is a JSON array or has one JSON object a line.")


FOLDERS = frozenset({"courts"})
"""Benchmarks whose tasks may also stand in TOML, or in a folder of files."""
TASK_SUFFIXES = (".toml", ".json", ".jsonl")
"""The files of such a folder that hold tasks."""
MOST_FILES, MOST_BYTES = 10_000, 2 << 30
"""Of a folder of tasks, and of what its task files, or one alone, may hold."""


def task_files(path: Path) -> list[Path]:
    """The task files of a folder in a stable order; a file alone is its own.

    A run from elsewhere may name any path of this machine: neither all of a disk nor a file without end is read for
    it.

    Raises:
        BadInput: there is more than any set of tasks has.
    """
    files = [file for file in files_in(path, MOST_FILES) if file.suffix in TASK_SUFFIXES] if path.is_dir() else [path]
    size = 0
    for file in files:
        with suppress(OSError):  # whoever reads it says what is wrong
            size += file.stat().st_size
    if size > MOST_BYTES:
        raise BadInput(f"the tasks in {path} hold more than {MOST_BYTES >> 30} GiB", "Name a file of tasks.")
    return files


def check_layout(name: str, path: Path) -> None:
    """Refuse TOML and folders where a benchmark reads neither."""
    if name not in FOLDERS and (path.is_dir() or path.suffix == ".toml"):
        raise UsageError(f"{path}: {name} has no task files in TOML, nor folders of them", "Give a JSON file.")
