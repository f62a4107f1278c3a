"""Task files: the question that a seat may see, and the gold that only scorers and the reference get.

Reads the published evaluation files, the rows a trainer reads (data_source, prompt, reward_model, extra_info), and
task files of packs, which may add `pair` (two questions on the same facts at different dates share it) and `cluster`.
JSON lines or an array, plain or gzipped, told apart by content.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from store.text.citation import citations, parse_number
from tasks.legalsearch.settings import KINDS, TaskKind
from tasks.task_files import TaskRecord, read_tasks

PROMPTS = ("system_prompt", "system_prompt_cot", "task_prompt", "deepresearch_task_prompt")
"""Prompt texts that a record may carry; all of them are part of the card."""

_OPTION = re.compile(r"^[ \t]*([A-Za-z])[ \t]*[:：.．、][ \t]*(.*?)[ \t]*$", re.MULTILINE)
_YEAR = re.compile("[0-9]{4}年")
_ISO = re.compile("[0-9]{4}-[0-9]{2}-[0-9]{2}")


@dataclass(frozen=True, slots=True)
class LawGold:
    """What a right answer is. cluster: questions that share it are no independent draws; pair: '' or the pair's name.

    basis: the articles that the answer follows from, as (law, key of the number, day); day: the day asked about. Both
    are empty where the file does not tell, as the published ones do not.
    """

    answer: str
    cluster: str
    pair: str = ""
    basis: tuple[tuple[str, str, str], ...] = ()
    day: str = ""


@dataclass(frozen=True, slots=True)
class LawQuestion:
    """A task: `card` (id, type, question and the prompts of the file) is all that a seat may see of it."""

    id: str
    card: dict[str, Any]
    gold: LawGold

    @property
    def group(self) -> str:
        """The id of its task."""
        return self.kind.id

    @property
    def cluster(self) -> str:
        """Tasks that share it are no independent draws."""
        return self.gold.cluster

    @property
    def kind(self) -> TaskKind:
        """Which of the 13 tasks it is."""
        return KINDS[self.card["type"]]

    @property
    def text(self) -> str:
        """The question without its instructions."""
        return str(self.card["question"])

    @property
    def options(self) -> dict[str, str]:
        """Letter -> text of the options; {} where there are none."""
        return options(self.text) if self.kind.form == "letters" else {}

    @property
    def temporal(self) -> bool:
        """Whether it names a year: the published count of questions with temporal context."""
        return _YEAR.search(self.text) is not None


def by_id(questions: Iterable[object]) -> dict[str, LawQuestion]:
    """Id -> question, of those that are of this benchmark."""
    return {question.id: question for question in questions if isinstance(question, LawQuestion)}


def options(question: str) -> dict[str, str]:
    """The options of a multiple-choice question, A onwards without a gap.

    An option goes on over the lines until the next one. Options begin at the last line that begins with A.
    """
    marks = list(_OPTION.finditer(question))
    starts = [index for index, mark in enumerate(marks) if mark[1].upper() == "A"]
    found: dict[str, str] = {}
    for index in range(starts[-1], len(marks)) if starts else ():
        mark = marks[index]
        if ord(mark[1].upper()) != ord("A") + len(found):
            break
        end = marks[index + 1].start() if index + 1 < len(marks) else len(question)
        found[mark[1].upper()] = "".join(line.strip() for line in question[mark.start(2) : end].splitlines())
    return found


def load_questions(path: Path) -> list[LawQuestion]:
    """All tasks of a file, in its order.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken or a task lacks what scoring needs; the title names file, line and field.
    """
    return [question for _, _, question in read_tasks(path, read_question)]


def read_question(where: str, fields: dict[str, object]) -> LawQuestion:
    """One record; `where` names file and line. Raises BadInput as `load_questions` does."""
    item = TaskRecord(where, fields)
    return _training_row(item) if "reward_model" in fields else _evaluation_record(item)


def _evaluation_record(item: TaskRecord) -> LawQuestion:
    prompts = {name: item.text(name, "") for name in PROMPTS if name in item.fields}
    return _question(item, item.id(), item.text("type"), item.text("question"), item.text("answer"), prompts)


def _training_row(item: TaskRecord) -> LawQuestion:
    """A row for a trainer: its question carries the instruction in front, which belongs to the prompts."""
    extra = _inner(item, "extra_info")
    prompts = {name: extra.text(name, "") for name in PROMPTS if name in extra.fields}
    question = extra.text("question")
    instruction = prompts.get("deepresearch_task_prompt", "").strip()
    if instruction and question.lstrip().startswith(instruction):
        question = question.lstrip()[len(instruction) :].lstrip("\n")
    kind = item.text("data_source") if "data_source" in item.fields else extra.text("type")
    return _question(
        extra, extra.id("index"), kind, question, _inner(item, "reward_model").text("ground_truth"), prompts
    )


def _inner(item: TaskRecord, name: str) -> TaskRecord:
    value = item.fields.get(name)
    if not isinstance(value, dict):
        raise item.fail(f"field {name!r} is missing or no object", "A training row has reward_model and extra_info.")
    return TaskRecord(f"{item.where}, {name}", value)


def _question(
    item: TaskRecord, task_id: str, kind: str, text: str, answer: str, prompts: dict[str, str]
) -> LawQuestion:
    kind, answer = kind.strip().lower(), answer.strip()
    if kind not in KINDS:
        raise item.fail(f"task {task_id} is of the unknown type {kind!r}", f"Known: {', '.join(KINDS)}.")
    if not text.strip():
        raise item.fail(f"task {task_id} has no question", "A task has id, type, question and answer.")
    if KINDS[kind].form == "letters":
        known = options(text)
        if not known:
            raise item.fail(
                f"field 'question' of task {task_id} lists no options", 'Write one a line, from A on: "A: …".'
            )
        if not set(answer) <= set(known):
            raise item.fail(
                f"field 'answer' of task {task_id} names options that the question lacks",
                f"Write letters of {''.join(known)} without blanks.",
            )
    pair = item.text("pair", "").strip()
    cluster = item.text("cluster", "").strip() or pair or _cluster(kind, text) or task_id
    card = {"id": task_id, "type": kind, "question": text, **prompts}
    return LawQuestion(task_id, card, LawGold(answer, cluster, pair, _basis(item), _day(item.fields.get("day"))))


def _basis(item: TaskRecord) -> tuple[tuple[str, str, str], ...]:
    """The articles of the answer; what names none in a way that can be read is left out."""
    entries = item.fields.get("basis")
    found = []
    for entry in entries if isinstance(entries, list) else ():
        law, article = (entry.get("law"), entry.get("article")) if isinstance(entry, dict) else (None, None)
        number = parse_number(article) if isinstance(article, str) else None
        if isinstance(law, str) and number is not None:
            found.append((law, number.key, _day(entry.get("day"))))
    return tuple(found)


def _day(value: object) -> str:
    """A day as YYYY-MM-DD; '' for anything else."""
    return value if isinstance(value, str) and _ISO.fullmatch(value) else ""


def _cluster(kind: str, text: str) -> str:
    """Recitals of one article at several dates share most of their words."""
    if kind != "lar":
        return ""
    cited = citations(text)
    return f"{cited[0].law or ''}{cited[0].number.chinese}" if cited else ""
