"""Imports examinations in the layouts in which three public benchmarks of Chinese law are given out, as packs of
tasks.

| format | a file | a record |
|---|---|---|
| lawbench | a JSON list, its name is the task (3-1.json) | instruction, question, answer |
| lexeval | JSON lines, its name is the task (1_1.jsonl) | input, answer; instruction may stand before |
| disc-law-eval | JSON lines | question, options or A, B, …, answer; subjective: input or question, output or answer |

A record that lacks what scoring needs is left out, named with its line and counted, in the file `exams.json` of the
pack and while importing; a file of which no record is left, and what keeps the rest of a file from being read, is
refused.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Any

from store.builder import PackBuilder
from store.errors import BadInput
from store.importers import Progress
from store.importers.reading import entered, head, labelled_files, records

REPORT = "exams.json"
BENCHMARK = "exams"
NAMED = 20
"""At most so many left out lines of a file are named; all are counted."""
LETTERS = "ABCDEFGHIJ"

Fields = Mapping[str, Any]


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
    given = fields.get("options", fields.get("choices"))
    if isinstance(given, str) and given.strip():
        return [given.strip()]
    if isinstance(given, list):
        given = dict(zip(LETTERS, given, strict=False))
    if not isinstance(given, Mapping):
        given = fields
    found = [f"{letter}: {text}" for letter in LETTERS if (text := _words(given, letter))]
    return found if len(found) > 1 else []


def _lawbench(fields: Fields) -> tuple[str, str]:
    return "\n".join(part for part in (_words(fields, "instruction"), _words(fields, "question")) if part), _words(
        fields, "answer"
    )


def _lexeval(fields: Fields) -> tuple[str, str]:
    asked = (_words(fields, "instruction"), _words(fields, "input", "question"))
    return "\n".join(part for part in asked if part), _words(fields, "answer", "output")


def _disc(fields: Fields) -> tuple[str, str]:
    asked = _words(fields, "question", "input", "instruction")
    return "\n".join([asked, *_options(fields)]) if asked else "", _words(fields, "answer", "output", "reference")


LAYOUTS: Mapping[str, Callable[[Fields], tuple[str, str]]] = {
    "lawbench": _lawbench, "lexeval": _lexeval, "disc-law-eval": _disc,
}  # fmt: skip
"""Format -> what reads question and answer of a record; '' for what is not there."""


def _read(layout: str, path: Path, label: str, left_out: dict[str, dict[str, object]]) -> Iterator[str]:
    """The tasks of a file as lines, and what was left out of it."""
    bad: dict[int | str, str] = {}

    def keep(error: BadInput) -> None:
        bad[len(bad)] = error.title

    seen = number = 0
    name = path.name.split(".")[0]
    for line, fields in records(path, label, keep):
        number += 1
        question, answer = LAYOUTS[layout](fields)
        if not question or not answer:
            keep(BadInput(f"{label}, line {line}, object {number}: a question or an answer is missing"))
            continue
        seen += 1
        task = {
            "id": f"{label.rsplit('.', 1)[0]}#{number}",
            "suite": layout,
            "task": name,
            "question": question,
            "answer": answer,
        }
        yield json.dumps(task, ensure_ascii=False)
    if bad:
        left_out[label] = {"records": len(bad), "said": list(bad.values())[:NAMED]}
    if not seen:
        first = next(iter(bad.values()), f"{label}: no records in it")
        raise BadInput(f"{label}: no record is a task of {layout}; {first}", "See the layouts of `moot data import`.")


def _import(layout: str, source: Path, name: str, progress: Progress) -> Path:
    """Build a pack of tasks.

    Raises:
        NotFound: nothing is there.
        BadInput: a file is damaged, or holds no task of this layout.
    """
    with entered(source) as root:
        files = [(path, label) for path, label in labelled_files(root) if path == root or _is_json(path)]
        if not files:
            raise BadInput(f"{source} holds no JSON file", "Give the folder of the task files, or one of them.")
        left_out: dict[str, dict[str, object]] = {}
        with PackBuilder(
            name, jurisdiction="CN", source=f"{layout}: {source.name}", licence="", coverage="harvest", as_of=""
        ) as builder:
            for path, label in files:
                progress(label, 0, None)
                builder.add_tasks(BENCHMARK, list(_read(layout, path, label, left_out)))
            for label, found in left_out.items():
                progress(f"{label}: {found['records']} records left out", 0, 0)
            told = {"format": layout, "files": len(files), "left_out": left_out}
            builder.add_file(REPORT, json.dumps(told, ensure_ascii=False, indent=1).encode())
            return builder.finish()


def _is_json(path: Path) -> bool:
    return path.suffix in (".json", ".jsonl", ".gz") and head(path).lstrip(b"\xef\xbb\xbf \t\r\n")[:1] in (b"[", b"{")


lawbench, lexeval, disc_law_eval = (partial(_import, layout) for layout in LAYOUTS)
