"""Decisions of reviewers about tasks: an append-only log of JSON lines beside the task file.

Each line names the hash of the task set, so that a log of another set is refused. A reviewer who thinks again appends
another line, and the last one counts.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from pathlib import Path
from typing import Any, Literal

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, Field

from store.errors import BadInput
from store.files import release_lock, written_whole
from store.importers.reading import records
from store.tables import beside
from tasks.episode.plain import plain_text
from tasks.errors import UsageError
from tasks.verifying.taskset import TaskSet, Text, named

OTHER = "other"
"""The code that says nothing without a note."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason: its code, and its words in both languages."""

    code: str
    zh: str
    en: str


@cache
def causes() -> dict[str, Cause]:
    """Code -> cause, in the order in which people are offered them."""
    return {entry["code"]: Cause(**entry) for entry in beside(__package__, "causes")["cause"]}


Verdict = Literal["accept", "correct", "reject"]
VERDICTS: tuple[Verdict, ...] = ("accept", "correct", "reject")
SCHEMA: Literal["moot-verify/1"] = "moot-verify/1"
SUFFIX = ".reviews.jsonl"
PATIENCE = 5.0
"""Seconds to wait for another desk that writes to the log."""


class Decision(BaseModel):
    """One line of a log.

    at: UTC. fields: what stands there instead, of a correction. consensus: not one reviewer's word but what the
    reviewers of a task agreed on after they had disagreed.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", strict=True)

    at: str
    task: str
    author: str = Field(min_length=1)
    verdict: Verdict
    causes: tuple[str, ...] = ()
    fields: Mapping[str, str | tuple[str, ...]] = {}
    note: str = ""
    consensus: bool = False

    def line(self, tasks: TaskSet) -> dict[str, Any]:
        """The line of the log."""
        return {"schema": SCHEMA, "set": tasks.hash, "file": tasks.path.name, **self.model_dump(mode="json")}


def log_of(path: Path) -> Path:
    """Where the log of a task file lies."""
    return path.with_name(path.name + SUFFIX)


def decisions_of(tasks: TaskSet) -> tuple[Decision, ...]:
    """All decisions about a task set, in the order in which they came; () where nobody has begun.

    Raises:
        BadInput: as for `read_log`.
    """
    path = log_of(tasks.path)
    return read_log(path, tasks) if path.exists() else ()


def read_log(path: Path, tasks: TaskSet) -> tuple[Decision, ...]:
    """The decisions of a log, in its order.

    Raises:
        NotFound: there is no such file.
        BadInput: a line is none of a log, or is about another task set; the title names the line, or both sets.
    """
    return tuple(_decision(f"{path}, line {line}", fields, path, tasks) for line, fields in records(path, str(path)))


def _decision(where: str, fields: dict[str, Any], path: Path, tasks: TaskSet) -> Decision:
    data = {name: value for name, value in fields.items() if name not in ("schema", "set", "file")}
    digest, file = str(fields.get("set")), str(fields.get("file"))
    if fields.get("schema") == SCHEMA and digest != tasks.hash:
        raise BadInput(
            f"{path} is about the task set {named(plain_text(file), plain_text(digest))}, not about {tasks.name}",
            "Take the log of this set, or the task file that was reviewed.",
        )
    try:
        if fields.get("schema") != SCHEMA:
            raise ValueError
        # Through JSON: strict reading takes lists for tuples there.
        decision = Decision.model_validate_json(json.dumps(data))
    except ValueError:
        raise BadInput(
            f"{where}: this is no line of a log of reviewers", "Mend the line, or take the log from before."
        ) from None
    try:
        _check(decision, tasks)
    except (UsageError, BadInput) as error:
        raise BadInput(f"{where}: {error.title}", "Mend the line, or take the log from before.") from None
    return decision


def decide(
    tasks: TaskSet, task_id: str, verdict: Verdict, author: str, *, why: Sequence[str] = (), note: str = "",
    fields: Mapping[str, Text] | None = None, consensus: bool = False,
) -> Decision:  # fmt: skip
    """Append what somebody decided about a task; on disk when it returns.

    Args:
        tasks: the set.
        task_id: of the task.
        verdict: accept, correct or reject.
        author: who decides.
        why: codes of causes.
        note: in words.
        fields: what stands there instead; those that say what the task says already are left out.
        consensus: it settles a disagreement.

    Raises:
        UsageError: something is missing, or means nothing together.
        BadInput: the log cannot be read, or what is corrected is no task any more.
        StoreError: the log cannot be written.
    """
    task = tasks.task(task_id)
    changed = {name: _plain(value) for name, value in (fields or {}).items()}
    changed = {name: value for name, value in changed.items() if value != task.texts.get(name)}
    author, note = " ".join(plain_text(author).split()), plain_text(note).strip()
    if not author:
        raise UsageError("a decision needs its author", "Give --author.")
    if consensus and len({one.author for one in decisions_of(tasks) if one.task == task.id}) < 2:
        raise UsageError(
            f"nobody disagrees about task {task.id}: it has no two reviewers", "A consensus follows two decisions."
        )
    decision = Decision(
        at=datetime.now(UTC).isoformat(timespec="milliseconds"), task=task.id, author=author, verdict=verdict,
        causes=tuple(dict.fromkeys(why)), fields=changed, note=note, consensus=consensus,
    )  # fmt: skip
    _check(decision, tasks)
    _append(tasks, [decision])
    return decision


def _plain(value: Text) -> Text:
    if isinstance(value, str):
        return plain_text(value).strip()
    return tuple(text for part in value if (text := plain_text(part).strip()))


def _check(decision: Decision, tasks: TaskSet) -> None:
    task, verdict, known = tasks.task(decision.task), decision.verdict, causes()
    for code in decision.causes:
        if code not in known:
            raise UsageError(f"unknown reason '{plain_text(code)}'", f"Known: {', '.join(known)}.")
    if not decision.author.strip():
        raise UsageError("a decision needs its author", "Give --author.")
    if verdict == "accept" and (decision.fields or decision.causes):
        raise UsageError("an accepted task has no reasons and no corrections", "Use correct or reject.")
    if verdict == "reject" and decision.fields:
        raise UsageError("a rejected task has no corrections", "Use correct, or leave the corrections out.")
    if verdict == "reject" and not decision.causes:
        raise UsageError("a rejection needs a reason", f"Give one of: {', '.join(known)}.")
    if OTHER in decision.causes and not decision.note:
        raise UsageError("the reason 'other' needs a note", "Say in words what is wrong.")
    if verdict != "correct":
        return
    if not decision.fields:
        raise UsageError(f"nothing is corrected in task {task.id}", "Change question, answer or keys, or accept it.")
    for name, value in decision.fields.items():
        if name not in task.texts or isinstance(value, str) is not isinstance(task.texts[name], str):
            raise UsageError(
                f"task {task.id} has no field '{plain_text(name)}' of this kind",
                f"It has: {', '.join(task.texts)}.",
            )
    tasks.corrected(task, decision.fields)


def add_log(tasks: TaskSet, other: Path) -> tuple[tuple[Decision, ...], list[str]]:
    """Take over what another reviewer has decided elsewhere; what is known already is left out. Gives what came, and
    those of its authors who had spoken here before: from now on the words that came count as their last ones.

    Raises:
        BadInput: it is no log, or is about another task set.
        StoreError: the log cannot be written.
    """
    before = {one.author for one in decisions_of(tasks)}
    came = _append(tasks, read_log(other, tasks), known=True)
    return came, sorted(before & {one.author for one in came})


def _append(tasks: TaskSet, new: Iterable[Decision], known: bool = False) -> tuple[Decision, ...]:
    """The old bytes stay as they are, the new lines follow; both are there whole or not at all. `known` ones are left
    out."""
    path = log_of(tasks.path)
    lock = FileLock(f"{path}.lock", timeout=PATIENCE)
    try:
        lock.acquire()
    except (OSError, Timeout):
        raise UsageError(f"the log {path} cannot be written now", "Is somebody else writing? Try again.") from None
    try:
        earlier = decisions_of(tasks)
        seen = {one.model_dump_json() for one in earlier} if known else set()
        added = tuple(one for one in new if one.model_dump_json() not in seen)
        before = path.read_bytes() if path.exists() else b""
        lines = [json.dumps(one.line(tasks), ensure_ascii=False).encode("utf-8", "replace") for one in added]
        with written_whole(path, binary=True, beside=True) as file:
            file.write(before + (b"" if not before or before.endswith(b"\n") else b"\n"))
            file.write(b"".join(line + b"\n" for line in lines))
    finally:
        with suppress(OSError):
            release_lock(lock)
    return added
