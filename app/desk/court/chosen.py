"""Whether the cases that a new run asks for are in its pack: said in the desk's language, before anything starts."""

from __future__ import annotations

from app.desk.episode.renderers import one
from app.strings import t
from store.errors import StoreError
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.errors import TaskError
from tasks.run.plan import task_file
from tasks.run.spec import RunSpec


def fault_of_cases(spec: RunSpec) -> tuple[str, str]:
    """(field, sentence) of what is wrong with environment and case, ('', '') for nothing. Reads the task file.

    A task file that cannot be read is no fault of these fields; the start of the run says so.
    """
    if not spec.task_ids and not spec.settings.get("env"):
        return "", ""
    try:
        with Pack.open(spec.pack) as pack:
            questions = benchmark(spec.benchmark).load(task_file(spec, pack))
    except (StoreError, TaskError, OSError):
        return "", ""
    cards = {question.id: question.card for question in questions}
    env = spec.settings.get("env", "")
    for task in spec.task_ids:
        if task not in cards:
            return "task", t("new.task.absent", task=one(task), n=len(cards), first=one(next(iter(cards), "")))
        if env and cards[task].get("env") != env:
            return "task", t("new.task.elsewhere", task=one(task), env=env)
    if env and all(card.get("env") != env for card in cards.values()):
        return "env", t("new.env.absent", env=env)
    return "", ""
