"""Prediction and token files of LegalAgentBench, as published with its runs and as any other program may write them.

A prediction is `{"id", "res", "summary"}`, a token line `{"id", "input_token", "output_token", "total_token"}`; JSON
lines or one array, plain or gzipped, told apart by content. Lines are matched to tasks by id, never by position.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeVar

from store.errors import BadInput
from store.importers.reading import read_each
from tasks.episode.plain import plain_text
from tasks.scoring.result import NAMED, TokenCount, last_of_each

SILENCE = "silence"
"""What the published code writes for answer and summary when a task ended in an exception."""

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class LabPrediction:
    """The answers of one task."""

    id: str
    res: str
    summary: str
    line: int = field(default=0, compare=False)
    """Where it stands in its file."""

    @property
    def failed(self) -> bool:
        """Whether this stands for an exception of the published code, not for an answer."""
        return self.res == SILENCE and self.summary == SILENCE


@dataclass(frozen=True, slots=True)
class MatchedPredictions:
    """What the files hold for the tasks asked about, by task id, and what a person should know about the rest."""

    predictions: dict[str, LabPrediction]
    tokens: dict[str, TokenCount]
    notes: tuple[str, ...]


def read_predictions(path: Path) -> list[LabPrediction]:
    """All lines of a prediction file, in order, duplicates included; `BadInput` names file and lines."""
    found = read_each(path, _prediction, str(path))
    if not found:
        raise BadInput(f"{path}: no predictions in it", 'Give lines of {"id": …, "res": "…", "summary": "…"}.')
    return found


def _prediction(label: str, line: int, fields: dict[str, Any]) -> LabPrediction:
    where = f"{label}, line {line}"
    texts = {}
    for name in ("res", "summary"):
        if not isinstance(fields.get(name), str):
            raise BadInput(f"{where}: field {name!r} is missing or no text", "A prediction has id, res and summary.")
        texts[name] = plain_text(fields[name])
    return LabPrediction(_id(fields, where), **texts, line=line)


def read_tokens(path: Path) -> list[tuple[str, TokenCount]]:
    """All lines of a token file, in order; blank lines are skipped, `BadInput` names file and lines."""
    return read_each(path, _token_count, str(path))


def _token_count(label: str, line: int, fields: dict[str, Any]) -> tuple[str, TokenCount]:
    where = f"{label}, line {line}"
    total = _count(fields, "total_token", where, None)
    generated = min(total, _count(fields, "output_token", where, 0))
    return _id(fields, where), TokenCount(total - generated, generated)


def match(
    task_ids: Sequence[str], predictions: Iterable[LabPrediction], tokens: Iterable[tuple[str, TokenCount]] = ()
) -> MatchedPredictions:
    """Sort lines to tasks by id; of lines with the same id the last one counts."""
    asked = set(task_ids)
    lines = [(prediction.id, prediction.line, prediction) for prediction in predictions]
    counts = [(name, 0, count) for name, count in tokens]
    chosen, notes = _last("prediction", asked, lines)
    counted, more = _last("token line", asked, counts)
    missing = [task_id for task_id in task_ids if task_id not in chosen]
    if missing:
        more.append(f"tasks without a prediction count as errors ({len(missing)}): {_named(missing)}")
    return MatchedPredictions(chosen, counted, (*notes, *more))


def _last(what: str, asked: set[str], lines: Sequence[tuple[str, int, T]]) -> tuple[dict[str, T], list[str]]:
    """Id -> the last value of each task that was asked, and what is to be said."""
    chosen, twice, extra = last_of_each(asked, lines)
    notes = []
    if extra:
        notes.append(f"{what}s left out, there is no such task ({len(extra)}): {_named(extra)}")
    if twice:
        notes.append(f"more than one {what} for an id, the last one counts ({len(twice)}): {_named(twice)}")
    return chosen, notes


def _named(ids: Sequence[str]) -> str:
    different = list(dict.fromkeys(ids))
    more = f" and {len(different) - NAMED} more" if len(different) > NAMED else ""
    return ", ".join(different[:NAMED]) + more


def _id(fields: dict[str, Any], where: str) -> str:
    value = fields.get("id")
    if value is None or (isinstance(value, str) and not value.strip()):
        raise BadInput(f"{where}: there is no id", 'Every line names its task: "id": 1.')
    if isinstance(value, bool) or not isinstance(value, int | str):
        raise BadInput(
            f"{where}: field 'id' is neither a whole number nor a text", 'Every line names its task: "id": 1.'
        )
    return plain_text(str(value)).strip()


def _count(fields: dict[str, Any], name: str, where: str, default: int | None) -> int:
    value = fields.get(name, default)
    if isinstance(value, bool) or not isinstance(value, int) or value < 0:
        raise BadInput(f"{where}: field {name!r} is missing or no count of tokens", "Write a whole number.")
    return value
