"""Imports examinations in the layouts in which three public benchmarks of Chinese law are given out, as packs of
tasks.

A file (JSON lines or array, CSV, workbook) is a task and gives it its name; a record is one question. `LAYOUTS` has
the fields of each format. A record that lacks what scoring needs is left out, named with its line and counted, in the
file `exams.json` of the pack and while importing; files and fields that are not read are named there. Refused: a file
of which no record is left, what keeps the rest of a file from being read, and a record with fields that only another
format reads.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import entered
from store.importers.tables import files_of, parts
from store.worker import Worker

REPORT = "exams.json"
BENCHMARK = "exams"
NAMED = 20
"""At most so many left out lines of a file are named; all are counted."""
LETTERS = "ABCDEFGHIJ"

Fields = Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ExamLayout:
    """The fields of a format's records. Of names in one tuple the first counts that holds something.

    question: the parts of a question, in order; letters: whether options stand in fields of their own.
    """

    question: tuple[tuple[str, ...], ...]
    answer: tuple[str, ...]
    letters: bool = False

    @property
    def fields(self) -> frozenset[str]:
        """All that is read of a record."""
        options = (*_LISTS, *LETTERS, *(f"选项{letter}" for letter in LETTERS)) if self.letters else ()
        return frozenset((*(name for names in self.question for name in names), *self.answer, *options))

    def task(self, fields: Fields) -> tuple[str, str]:
        """Question and answer of a record; '' for what is not there."""
        asked = [part for names in self.question if (part := _words(fields, *names))]
        options = _options(fields) if self.letters and asked else []
        return "\n".join([*asked, *options]), _words(fields, *self.answer)


_LISTS = ("options", "choices", "选项")
LAYOUTS: Mapping[str, ExamLayout] = {
    "lawbench": ExamLayout((("instruction",), ("question",)), ("answer",)),
    "lexeval": ExamLayout((("instruction",), ("input",)), ("answer",)),
    "disc-law-eval": ExamLayout(
        (("question", "input", "题目", "题干", "问题"),), ("answer", "output", "reference", "答案"), letters=True
    ),
}
"""Format -> the fields of its records."""
_KNOWN = frozenset[str]().union(*(layout.fields for layout in LAYOUTS.values()), ("rubrics", "Rubrics"))
"""What makes a task in some format; tasks that are graded by rubrics no importer reads."""


def _words(fields: Fields, *names: str) -> str:
    """The first of these fields that holds a text that is not blank; a number stands for its digits."""
    for name in names:
        value = fields.get(name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            value = str(value)
        if isinstance(value, str) and value.strip():
            return value.strip()
    return ""


def _options(fields: Fields) -> list[str]:
    """The options of a choice: an object of letters, a list in order, or fields A, B, … of the record."""
    given = next((fields[name] for name in _LISTS if fields.get(name)), None)
    if isinstance(given, str) and given.strip():
        return [given.strip()]
    if isinstance(given, list):
        given = dict(zip(LETTERS, given, strict=False))
    if not isinstance(given, Mapping):
        given = fields
    found = [f"{letter}: {text}" for letter in LETTERS if (text := _words(given, letter, f"选项{letter}"))]
    return found if len(found) > 1 else []


def _check_format(name: str, fields: Fields, where: str) -> None:
    """Refuse a record of another format: what this one does not read of it would be lost."""
    given = {field for field in _KNOWN & fields.keys() if fields[field] not in (None, "", [], {})}
    if unread := sorted(given - LAYOUTS[name].fields):
        other = next((f"moot data import {one} PATH" for one in LAYOUTS if given <= LAYOUTS[one].fields), "")
        hint = f"Records with these fields are read by: {other}." if other else "No importer reads such records."
        raise BadInput(f"{where}: {name} does not read the field {'、'.join(unread)}", hint)


def _read(
    layout: str, path: Path, label: str, worker: Worker, left_out: dict[str, dict[str, object]], progress: Progress
) -> Iterator[str]:
    """The tasks of a file as lines; what was left out of it is named and counted."""
    bad: list[str] = []

    def keep(error: BadInput) -> None:
        bad.append(error.title)

    unread: set[str] = set()
    seen = number = 0
    for part in parts(path, label, worker, keep):
        for where, fields in part.rows:
            number += 1
            _check_format(layout, fields, where)
            unread |= fields.keys() - LAYOUTS[layout].fields
            question, answer = LAYOUTS[layout].task(fields)
            if not question or not answer:
                keep(BadInput(f"{where}, object {number}: a question or an answer is missing"))
                continue
            seen += 1
            task = {
                "id": f"{label.rsplit('.', 1)[0]}#{number}",
                "suite": layout,
                "task": path.name.split(".")[0],
                "question": question,
                "answer": answer,
            }
            yield json.dumps(task, ensure_ascii=False)
        bad.extend(part.left_out)
    if bad:
        left_out[label] = {"records": len(bad), "said": bad[:NAMED]}
        progress(f"{label}: {len(bad)} records left out", 0, 0)
    if unread:
        progress(f"left out: {label}: fields {'、'.join(sorted(unread)):.200} (no part of a question)", 0, 0)
    if not seen:
        first = bad[0] if bad else f"{label}: no records in it"
        raise BadInput(f"{label}: no record is a task of {layout}; {first}", "See the layouts of `moot data import`.")


def _import(layout: str, source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of tasks.

    Raises:
        NotFound: nothing is there.
        BadInput: a file is damaged, or holds no task of this layout.
    """
    with Worker() as worker, entered(source) as root:
        files = files_of(root, progress)
        if not files:
            raise BadInput(f"{source} holds no task file", "Give the folder of the task files, or one of them.")
        left_out: dict[str, dict[str, object]] = {}
        with PackBuilder(
            name, jurisdiction="CN", source=f"{layout}: {source.name}", licence="", coverage="harvest", as_of=""
        ) as builder:
            for path, label in files:
                progress(label, 0, None)
                builder.add_tasks(BENCHMARK, list(_read(layout, path, label, worker, left_out, progress)))
            told = {"format": layout, "files": len(files), "left_out": left_out}
            builder.add_file(REPORT, json.dumps(told, ensure_ascii=False, indent=1).encode())
            return builder.finish()


lawbench, lexeval, disc_law_eval = (partial(_import, layout) for layout in LAYOUTS)
