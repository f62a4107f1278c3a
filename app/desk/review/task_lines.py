"""A task under verification in lines: what it asks and answers, its path, the law that it cites, and what reviewers
said."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path

from app.cli.common import bounds, number, percent
from app.desk.episode.renderers import Line, many, one
from app.strings import t
from app.words import call_words, law_words, verdict_words
from store.errors import StoreError
from tasks.verifying.citing import Cited, cited, day_of, laws_of, pack_of
from tasks.verifying.decisions import SUFFIX, Decision, decisions_of
from tasks.verifying.standing import STATUSES, PairAgreement, Standing, Status, agreement, standings, visible_to
from tasks.verifying.taskset import Task, TaskSet, read_set

SIGNS: dict[Status, tuple[str, str]] = {
    "open": ("○", "dim"), "once": ("✔", "good"), "agreed": ("✔", "good"), "disputed": ("≠", "warn"),
    "settled": ("✔", "good"),
}  # fmt: skip
"""How a task that one has decided stands -> sign and role."""


@dataclass(frozen=True, slots=True)
class SetReview:
    """A task set with all that was said of it."""

    tasks: TaskSet
    standings: dict[str, Standing]
    agreement: tuple[PairAgreement, ...]

    @property
    def counts(self) -> str:
        """How many tasks stand how."""
        found = Counter(one.status for one in self.standings.values())
        return t("show.comma").join(f"{t(f'verify.status.{name}')} {found[name]}" for name in STATUSES if found[name])


@dataclass(frozen=True, slots=True)
class TaskReview:
    """One task with the law that it cites. day: on which the law is looked at, None where it is not known."""

    task: Task
    day: date | None
    laws: tuple[Cited, ...]


def begun() -> list[str]:
    """The task files of this folder that somebody has begun to verify."""
    logs = sorted(Path.cwd().glob(f"*{SUFFIX}"))
    return [str(found) for log in logs if (found := log.with_name(log.name.removesuffix(SUFFIX))).is_file()]


def open_set(path: Path) -> SetReview:
    """A task file and its log. Slow; called from workers.

    Raises:
        StoreError, UsageError: one of them cannot be read, or the log is about another set.
    """
    return with_log(read_set(path))


def with_log(tasks: TaskSet) -> SetReview:
    """A task set with its log as it is now."""
    found = standings(tasks, decisions_of(tasks))
    return SetReview(tasks, found, tuple(agreement(list(found.values()))))


def look(tasks: TaskSet, task: Task) -> TaskReview:
    """The law that a task cites. Slow; called from workers."""
    with ExitStack() as stack:
        try:
            pack = stack.enter_context(pack_of(tasks))
        except StoreError:
            pack = None
        day = day_of(task, pack)
        return TaskReview(task, day, cited(task, day, laws_of(pack)))


def task_lines(review: TaskReview) -> Iterator[Line]:
    """Question, answer, keys, path, law."""
    task = review.task
    for name, value in task.texts.items():
        if not value:
            continue
        yield ((t(f"verify.field.{name}"), "label"),)
        if isinstance(value, str):
            yield from many(value)
        else:
            yield from ((("· ", "dim"), (one(text), "value")) for text in value)
        yield ()
    if review.laws:
        yield ((t("verify.laws", day=review.day or t("verify.no_day")), "label"),)
        for law in review.laws:
            sign, role = ("✔", "good") if law.good else ("✘", "bad")
            yield ((f"{sign} ", role), (one(law_words(law)), "text"))
        yield ()
    calls = task.record.get("path")
    if isinstance(calls, list) and calls:
        yield ((t("verify.path"), "label"),)
        yield from (((f"{n}. ", "dim"), (one(call_words(call)), "text")) for n, call in enumerate(calls, 1))


def said_lines(found: SetReview, standing: Standing, author: str) -> Iterator[Line]:
    """The decisions that somebody may see, newest first, then how far reviewers agree."""
    seen, hidden = visible_to(standing, author)
    if not standing.decisions:
        yield ((t("verify.status.open"), "dim"),)
    for decision in reversed(seen):
        yield from _decision(decision)
    if hidden:
        yield ((t("verify.blind", n=hidden), "dim"),)
    if standing.status == "disputed" and seen:
        yield ((t("review_screen.to_settle"), "warn"),)
    for pair in found.agreement:
        yield ()
        yield ((f"{one(pair.first)} – {one(pair.second)}", "label"), (f"  {pair.n}", "dim"))
        equal, kappa = pair.equal, pair.kappa
        share = (100 * equal.interval.low, 100 * equal.interval.high) if equal.interval else None
        yield ((f"{t('verify.equal')} {percent(equal.value)} {bounds(share)}", "text"),)
        span = (kappa.interval.low, kappa.interval.high) if kappa.interval else None
        yield ((f"{t('verify.kappa')} {number(kappa.value)} {bounds(span, 2)}", "text"),)


def _decision(one_: Decision) -> Iterator[Line]:
    role = {"accept": "good", "correct": "warn", "reject": "bad"}[one_.verdict]
    who = t("review_screen.consensus") if one_.consensus else ""
    yield ((f"{one(one_.author)} ", "label"), (who, "mark"), (one(verdict_words(one_)), role))
    yield ((f"  {one_.at[:16].replace('T', ' ')} UTC", "dim"),)
    for name, value in one_.fields.items():
        text = value if isinstance(value, str) else " · ".join(value)
        yield ((f"  {t(f'verify.field.{name}')}：", "dim"), (one(text), "text"))
    if one_.note:
        yield from ((("  ", "text"), *line) for line in many(one_.note))
