"""Task files: the question a seat may see, and the gold that only scorers and the reference get.

Reads upstream's array, JSON lines, and either of them gzipped, deciding by content. Upstream's slips in `way` are
read as they were meant: three dashes for four, type and way exchanged, names in 【】, trailing blanks. The hop group
comes from the position upstream scores by (ids 1 to 300), never from `type`; other files declare `hops`.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from store import places
from store.files import written_whole
from tasks.episode.plain import plain, plain_text
from tasks.errors import UsageError
from tasks.task_files import TaskRecord, read_tasks

WRITING = "writing"
ASKED = "asked"
"""Field and group of what a person asked (`asking`): nobody knows the answer, so there is nothing to score by."""
GROUPS: tuple[str, ...] = ("1-hop", "2-hop", "3-hop", "4-hop", "5-hop", WRITING)
"""The groups in the order of the published tables."""
UPSTREAM_RANGES: tuple[tuple[int, str], ...] = tuple(zip((80, 160, 220, 260, 280, 300), GROUPS, strict=True))
"""Last id of a group, and the group."""
ALIASES = {"get_legal_document_lawfirm_list": "get_legal_document_law_list"}
"""Names of the paper that differ from those of the data."""
CALCULATORS = frozenset({"get_sum", "get_rank", "get_subtraction", "get_multiplication", "get_division", "finish"})
"""Tools that no published path names."""

_TOOL = re.compile(r"get_[a-z_]+|legal_[a-z]+_retriever")


@dataclass(frozen=True, slots=True)
class LabGold:
    """What a right answer holds. Keys and middle keys are lists: duplicates count twice.

    path: tool names in order; calls: the same with arguments, when the task file has them. group: one of GROUPS, or
    ASKED. cluster: tasks that share it share a way to the answer and are no independent draws.
    """

    answer: str
    keys: tuple[str, ...]
    middle: tuple[str, ...]
    path: tuple[str, ...]
    calls: tuple[tuple[str, Any], ...]
    group: str
    cluster: str


@dataclass(frozen=True, slots=True)
class LabQuestion:
    """A task: `card` is all that a seat may see of it."""

    id: str
    card: dict[str, Any]
    gold: LabGold

    @property
    def group(self) -> str:
        """Its hop group."""
        return self.gold.group

    @property
    def cluster(self) -> str:
        """Tasks that share it are no independent draws."""
        return self.gold.cluster


def load_questions(path: Path) -> list[LabQuestion]:
    """All tasks of a file, by number.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken or a task lacks what scoring needs; the title names file and line.
    """
    questions = [question for _, _, question in read_tasks(path, read_question)]
    return sorted(questions, key=lambda question: _order(question.id))


def read_question(where: str, fields: dict[str, object]) -> LabQuestion:
    """One record; `where` names file and line. Raises BadInput as `load_questions` does."""
    return _question(TaskRecord(where, fields))


def _order(task_id: str) -> list[tuple[int, int, str]]:
    """Sorts numbers inside an id as numbers."""
    parts = re.split(r"([0-9]{1,18})", task_id)
    return [(0, int(part), "") if index % 2 else (1, 0, part) for index, part in enumerate(parts) if part]


def _question(item: TaskRecord) -> LabQuestion:
    task_id = item.id()
    keys = _texts(item, "key")
    if not keys and item.fields.get(ASKED) is not True:
        raise item.fail(f"task {task_id} has no keys", 'Scoring needs them: "key": ["…"].')
    calls = _calls(item)
    path = _path(item, calls)
    group = _group(item)
    gold = LabGold(
        answer=item.text("answer", ""),
        keys=keys,
        middle=_texts(item, "key_middle"),
        path=path,
        calls=calls,
        group=group,
        cluster=f"{WRITING}-{task_id}" if group == WRITING else ">".join(path) or f"task-{task_id}",
    )
    return LabQuestion(task_id, {"id": task_id, "question": item.text("question")}, gold)


def _texts(item: TaskRecord, name: str) -> tuple[str, ...]:
    value = item.fields.get(name)
    if value is None:
        return ()
    if not isinstance(value, list) or not all(isinstance(entry, str) and entry for entry in value):
        raise item.fail(f"field {name!r} is no list of texts", f'Write it as a list: "{name}": ["…", "…"].')
    return tuple(map(plain_text, value))


def _group(item: TaskRecord) -> str:
    if item.fields.get(ASKED) is True:
        return ASKED
    task_id, hops = item.fields["id"], item.fields.get("hops")
    if isinstance(task_id, str) and re.fullmatch(r"[1-9][0-9]{0,2}", task_id.strip()):
        task_id = int(task_id)
    if hops is None and isinstance(task_id, int) and 1 <= task_id <= UPSTREAM_RANGES[-1][0]:
        return next(group for last, group in UPSTREAM_RANGES if task_id <= last)
    group = WRITING if hops == WRITING else f"{hops}-hop"
    if group not in GROUPS or isinstance(hops, bool):
        raise item.fail(f"task {task_id} does not say its group", 'Add "hops": 1 to 5, or "writing".')
    return group


def _calls(item: TaskRecord) -> tuple[tuple[str, object], ...]:
    entries = item.fields.get("path")
    if entries is None:
        return ()
    if not isinstance(entries, list) or not all(
        isinstance(entry, dict) and isinstance(entry.get("tool"), str) for entry in entries
    ):
        raise item.fail("field 'path' is no list of calls", 'Write "path": [{"tool": "…", "input": {…}}].')
    return tuple((_canonical(entry["tool"]), plain(entry.get("input"))) for entry in entries)


def _canonical(tool: str) -> str:
    return ALIASES.get(tool, tool)


def _path(item: TaskRecord, calls: tuple[tuple[str, object], ...]) -> tuple[str, ...]:
    """Tool names of `way`, or of `type` where the two are exchanged, or of the calls.

    As in upstream's paths, a tool called for several entities in a row counts once and calculators do not count.
    """
    for name in ("way", "type"):
        value = item.fields.get(name)
        if isinstance(value, str) and _TOOL.search(value):
            names = (part.strip().strip("【】[] ") for part in re.split(r"-{3,}", value))
            return tuple(_canonical(part) for part in names if part)
    path: list[str] = []
    for tool, _ in calls:
        if tool not in CALCULATORS and path[-1:] != [tool]:
            path.append(tool)
    return tuple(path)


LONGEST_ASKED = 500
"""Characters of a question that a person asks."""


def question_file(text: str) -> Path:
    """The task file of a question that a person asks, alone and without gold: played, kept, forked and shown as every
    task is, and scored by nobody. The same for the same words; it lies beside the runs of this machine.

    Raises:
        UsageError: there is nothing asked, or it is too long.
    """
    question = " ".join(text.split())
    if not 0 < len(question) <= LONGEST_ASKED:
        raise UsageError(
            f"a question has 1 to {LONGEST_ASKED} characters, this one has {len(question)}",
            "Ask one thing in one sentence.",
        )
    name = f"{ASKED}-{sha256(question.encode('utf-8', 'replace')).hexdigest()[:8]}"
    path = places.home() / "asked" / f"{name}.json"
    if not path.is_file():
        with written_whole(path, parents=True) as file:
            json.dump({"id": name, ASKED: True, "question": question}, file, ensure_ascii=False)
    return path
