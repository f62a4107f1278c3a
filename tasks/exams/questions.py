"""Tasks of examinations: question, gold, and by which metric an answer is scored."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from store.errors import BadInput
from store.importers.reading import read_each
from tasks.episode.plain import plain_text
from tasks.legalsearch.questions import options as listed

_LETTERS = re.compile(r"(?:(?:正确)?答案\s*[:：]?\s*)?([A-J](?:[\s,，、;；]*[A-J])*)[\s。.]*")


@dataclass(frozen=True, slots=True)
class Question:
    """One task. metric: see `metrics.toml`; options: letter -> text, {} where there are none."""

    id: str
    card: dict[str, Any]
    answer: str
    metric: str
    options: Mapping[str, str]

    @property
    def group(self) -> str:
        """Suite and task."""
        return f"{self.card['suite']}/{self.card['type']}"

    @property
    def cluster(self) -> str:
        """Each is a draw of its own."""
        return self.id


@cache
def _metrics() -> Mapping[str, Mapping[str, str]]:
    return tomllib.loads(Path(__file__).with_name("metrics.toml").read_text(encoding="utf-8"))


def gold_letters(answer: str) -> str:
    """The letters of a gold answer, sorted; '' where it is none of letters."""
    match = _LETTERS.fullmatch(answer.strip())
    return "".join(sorted(set(re.findall("[A-J]", match[1])))) if match else ""


def load_questions(path: Path) -> list[Question]:
    """All tasks of a file, in its order.

    Raises:
        NotFound: there is no such file.
        BadInput: the file is broken, or a task lacks a field or stands there twice.
    """
    found = read_each(path, _question, str(path))
    if not found:
        raise BadInput(f"{path}: no tasks in it", "Import some: moot data import lawbench PATH.")
    ids: set[str] = set()
    for one in found:
        if one.id in ids:
            raise BadInput(f"{path}: task {one.id} stands here a second time", "Remove one of the two.")
        ids.add(one.id)
    return found


def _question(label: str, line: int, fields: dict[str, Any]) -> Question:
    read = {}
    for name in ("id", "suite", "task", "question", "answer"):
        value = fields.get(name)
        if not isinstance(value, str) or not value.strip():
            raise BadInput(f"{label}, line {line}: field {name!r} is missing or no text", "Import the file again.")
        read[name] = plain_text(value).strip()
    letters, shown = gold_letters(read["answer"]), listed(read["question"])
    letters = letters if set(letters) <= set(shown or "ABCDEFGHIJ") else ""
    known = _metrics().get(read["suite"], {}).get(read["task"])
    metric = known or ("accuracy" if letters else "rouge_l")
    card = {"id": read["id"], "type": read["task"], "suite": read["suite"], "question": read["question"]}
    return Question(
        read["id"], card, letters or read["answer"], metric, (shown or dict.fromkeys(letters and "ABCDEFGHIJ", ""))
    )
