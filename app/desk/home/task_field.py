"""Choosing one task of a pack from a list, or none: then all of them may be played, or a sample."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from textual.widgets import Select

from app.desk.episode.renderers import one
from app.desk.widgets.field import Field, choice, plain
from app.strings import t
from app.terminal import truncate
from store.errors import StoreError
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.errors import TaskError

ALL = "*"
"""The value of the list's first line."""
ROOM = 48
"""Cells of a line of the list."""


@dataclass(frozen=True, slots=True)
class OfferedTask:
    """One task to choose: its id, the group in whose rows it counts, and how it is called in a list."""

    id: str
    group: str
    label: str


def offered_tasks(pack: str, name: str) -> list[OfferedTask]:
    """The tasks that a pack has for a benchmark; none where they cannot be read (the start of a run says why).

    Slow (files are read): called from workers.
    """
    try:
        with Pack.open(pack) as opened:
            path = opened.task_file(name)
            questions = benchmark(name).load(path) if path else ()
    except (StoreError, TaskError, OSError):
        return []
    return [
        OfferedTask(
            question.id,
            question.group,
            str(getattr(question, "heading", f"{question.id} {question.card['question']}")),
        )
        for question in questions
    ]


class TaskField(Field):
    """Gives the id of a task, '' for none. What can be offered comes later, from a worker: `offer`."""

    def __init__(self) -> None:
        super().__init__(t("new.task"), choice([(t("new.task.all"), ALL)], "task"), id="task-field")
        self._tasks: Sequence[OfferedTask] = ()

    @property
    def chosen(self) -> str:
        """The chosen task."""
        value = self.query_one("#task", Select).value
        return value if isinstance(value, str) and value != ALL else ""

    @property
    def groups(self) -> set[str]:
        """The groups that have tasks; none while nothing is known."""
        return {task.group for task in self._tasks}

    def offer(self, tasks: Sequence[OfferedTask], group: str = "") -> None:
        """Put these in the list, those of a group where one is named; what was chosen stays chosen where it can."""
        self._tasks = tasks
        kept = self.chosen
        shown = [task for task in tasks if group in ("", task.group)]
        select = self.query_one("#task", Select)
        lines = [(t("new.task.all"), ALL), *((truncate(one(task.label), ROOM), task.id) for task in shown)]
        select.set_options(plain(lines))
        select.value = kept if kept in {task.id for task in shown} else ALL

    def narrow(self, group: str) -> None:
        """Only tasks of this group; '' is all."""
        self.offer(self._tasks, group)
