"""The articles that a task cites, and whether they were in force on its day.

The day is the one that a task states, else the one up to which its pack tells the law. Windows come from the statutes
of the pack, else from the index and the list of laws that come with Moot.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import date
from typing import Literal

from store import places
from store.pack import Pack
from store.statutes.book import StatuteBook
from store.statutes.model import ArticleNumber, LawVersion
from store.text.citation import citations
from store.text.dates import parse_date
from tasks.courts.casefile.law import Laws, all_laws, shipped_laws
from tasks.verifying.taskset import Task, TaskSet

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
