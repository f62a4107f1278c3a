"""Which tasks of which file a run plays, and within which limits: turns, tokens, seconds of the machine."""

from __future__ import annotations

import os
from collections.abc import Iterable, Iterator, Sequence
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from typing import Any

from models.engine import Engine
from store import places
from store.errors import BadInput, NotFound
from store.journal import EpisodeRow
from store.pack import Pack
from tasks.benchmark import Benchmark, Question
from tasks.episode.driver import Limits
from tasks.errors import RecordMismatch, UsageError
from tasks.run.cast import Cast
from tasks.run.header import FORMAT, HeaderData, file_hash, now, spec_of, versions
from tasks.run.spec import RunSpec
from tasks.task_files import check_layout

STEPS_A_TURN = 8
"""Steps that a turn of several speakers may take before the backstop ends the episode."""
BACKSTOP_TURNS = 400
"""Turns of an episode whose agent stops by itself."""


def task_file(spec: RunSpec, pack: Pack) -> Path:
    """The task file of a run: as given, else the pack's own."""
    if spec.tasks is not None:
        path = named_file(spec.tasks)
        check_layout(spec.benchmark, path)
        return path
    default = pack.task_file(spec.benchmark)
    if default is None:
        raise UsageError(f"pack '{pack.name}' has no tasks for {spec.benchmark}", "Give --tasks FILE.")
    return default


def stored_task_file(header: HeaderData) -> Path:
    """The task file of a run, unchanged since; an imported run needs no pack to find it."""
    spec = spec_of(header)
    if spec.tasks is not None:
        path = Path(spec.tasks)
        if not path.is_file() and not path.is_dir():
            raise NotFound(f"the run's task file is gone: {path}", "Put it back: the keys to score by are in it.")
    else:
        with Pack.open(header["pack"].get("path") or spec.pack) as pack:
            found = pack.task_file(spec.benchmark)
        if found is None:
            raise NotFound(f"pack '{spec.pack}' has no tasks for {spec.benchmark} any more", "Build it again.")
        path = found
    recorded, now = header["tasks"]["sha256"], file_hash(path)
    if now != recorded:
        raise RecordMismatch(
            f"task file {path} changed since the run: recorded {recorded[:12]}, now {now[:12]}",
            "Restore the recorded task file.",
        )
    return path


def named_file(tasks: str) -> Path:
    """The file or folder of tasks that a command or a run names; a pipe or device would never come to an end."""
    path = Path(tasks)
    if os.path.isfile(path) or os.path.isdir(path):
        return path
    if os.path.lexists(path):
        raise BadInput(f"{path} is neither a file nor a folder of task files", "Give --tasks FILE.")
    raise NotFound(f"no task file at {path}", "Give --tasks FILE.")


def choose(bench: Benchmark, questions: Sequence[Question], spec: RunSpec) -> list[Question]:
    """The questions to run, in the order of the file: those that are named, of them those of the types and settings,
    of them a sample.

    A shard takes every n-th of those that the run would play as a whole, so that tasks that are sorted by difficulty
    are spread evenly.

    Raises:
        UsageError: a task or a type is not in the file, or none is left.
    """
    known = {question.id for question in questions}
    for wanted in spec.task_ids:
        if wanted not in known:
            raise UsageError(
                f"no task '{wanted}' in the task file",
                "Give the task file of that run: --tasks FILE." if spec.only else f"It has {len(questions)} tasks.",
            )
    named = [q for q in questions if not spec.task_ids or q.id in spec.task_ids]
    chosen = _of_types(bench.among(named, questions, spec), questions, spec.types)
    whole = sample(chosen, spec.limit, spec.task_seed)
    if spec.shard is None:
        return whole
    number, shards = spec.shard
    if number > len(whole):
        raise UsageError(f"shard {number}/{shards} has no task: {len(whole)} are chosen", "Make fewer shards.")
    return whole[number - 1 :: shards]


def _of_types(chosen: Sequence[Question], questions: Sequence[Question], types: Sequence[str]) -> Sequence[Question]:
    """Of the questions `chosen`, those of the types; all where none is named."""
    there = dict.fromkeys(question.group for question in questions)
    for wanted in types:
        if wanted not in there:
            raise UsageError(f"no task of type '{wanted}' in the task file", f"The task file has {', '.join(there)}.")
    found = [question for question in chosen if not types or question.group in types]
    if chosen and not found:
        raise UsageError(
            f"none of the chosen tasks is of type {', '.join(types)}",
            f"They are of {', '.join(dict.fromkeys(question.group for question in chosen))}.",
        )
    return found


def episodes_of(questions: Iterable[Question], epochs: int) -> Iterator[EpisodeRow]:
    """The episodes of a run: every question `epochs` times, in order. Names are those of the whole run in every
    shard."""
    played = ((question, epoch) for question in questions for epoch in range(epochs))
    for position, (question, epoch) in enumerate(played):
        name = question.id if epochs == 1 else f"{question.id}#{epoch + 1}"
        yield EpisodeRow(name, position, question.id, epoch)


def turns_of(bench: Benchmark, spec: RunSpec) -> int:
    """Turns after which an episode ends, or after which a model method asks for the answer."""
    return spec.max_turns or (bench.turns if spec.model else BACKSTOP_TURNS)


def limits_of(bench: Benchmark, spec: RunSpec) -> Limits:
    """The limits of an episode. A model method keeps its own turn limit, after which it has one more turn to answer
    in.

    Where a turn takes several steps, the rules of the episode count turns, and the steps have a backstop alone.
    """
    if not bench.turn_is_step:
        steps = max(BACKSTOP_TURNS, STEPS_A_TURN * (spec.max_turns or 0))
        return Limits(steps, spec.max_tokens, spec.max_seconds)
    turns = spec.max_turns or BACKSTOP_TURNS
    return Limits(turns + 1 if spec.model else turns, spec.max_tokens, spec.max_seconds)


def sample(questions: Sequence[Question], size: int | None, seed: int) -> list[Question]:
    """So many of the questions, in their order; all where there are no more, or `size` is None.

    Within a group the seed says who comes first. Groups take turns by the method of Webster and Sainte-Laguë: the
    k-th of a group of m comes at (k - 1/2) / m, so each has the share that it has among all, to a task or so.
    """
    if size is None or size >= len(questions):
        return list(questions)
    drawn = sorted(questions, key=lambda question: (question.group, _lot(question, seed)))
    turns: list[tuple[float, str, str]] = []
    for _, found in groupby(drawn, key=lambda question: question.group):
        members = list(found)
        turns += [((2 * k + 1) / len(members), _lot(one, seed), one.id) for k, one in enumerate(members)]
    chosen = {name for _, _, name in sorted(turns)[:size]}
    return [question for question in questions if question.id in chosen]


def _lot(question: Question, seed: int) -> str:
    return sha256(f"{seed} {question.id}".encode("utf-8", "surrogatepass")).hexdigest()


def make_header(
    name: str, spec: RunSpec, bench: Benchmark, pack: Pack, task_file: Path, tasks_hash: str,
    questions: Sequence[Question],
    engines: dict[str, Engine], argv: Sequence[str],
) -> dict[str, Any]:  # fmt: skip
    """Hashes of task file (`tasks_hash`: as it was read), pack, prompts and engines; settings, limits, versions,
    command line."""
    settings = bench.settings.of(spec.settings, bench.name).model_dump(mode="json")
    tasks = str(Path(spec.tasks).absolute()) if spec.tasks else None
    return {
        "format": FORMAT,
        "run": name,
        "created": now(),
        "spec": {**spec.model_dump(mode="json"), **settings, "tasks": tasks},
        "tasks": {"file": task_file.name, "sha256": tasks_hash, **_fictional(questions)},
        "pack": {
            "name": pack.name, "hash": pack.hash, "path": _pack_path(pack),
            "provenance": sorted(pack.provenance), "jurisdiction": pack.manifest.jurisdiction,
        },
        "prompts": Cast.of(bench, spec).prompts(),
        "engines": {model: engine.describe() for model, engine in engines.items()},
        "limits": {"turns": turns_of(bench, spec), "tokens": spec.max_tokens, "seconds": spec.max_seconds},
        "versions": versions(),
        "command": list(argv),
    }  # fmt: skip


def check_same(
    header: HeaderData, bench: Benchmark, spec: RunSpec, pack: Pack, task_file: Path, new_attempt: bool
) -> None:
    """Refuse to mix two experiments; `new_attempt`: prompts may differ, which nothing that is kept was asked with."""
    found = {"task file": file_hash(task_file), "pack": pack.hash}
    recorded = {"task file": header["tasks"]["sha256"], "pack": header["pack"]["hash"]}
    for what, present_hash in found.items():
        if present_hash != recorded[what]:
            raise RecordMismatch(
                f"{what} changed since the run began: recorded {recorded[what][:12]}, now {present_hash[:12]}",
                f"Restore the recorded {what}, or start a new run.",
            )
    if new_attempt:
        return
    present = Cast.of(bench, spec).prompts()
    if gone := header["prompts"].keys() - present.keys():
        raise RecordMismatch(
            f"run {header['run']} was made with prompts of an earlier release: {', '.join(sorted(gone))}",
            "It can be read and scored; start a new run, or begin its unfinished episodes anew with --new-attempt.",
        )
    for prompt, present_hash in present.items():
        before = header["prompts"].get(prompt)
        if before != present_hash:
            raise RecordMismatch(
                f"prompt {prompt} changed since the run began: recorded {str(before)[:12]}, now {present_hash[:12]}",
                "Restore the prompt, or begin the unfinished episodes anew with --new-attempt.",
            )


def _pack_path(pack: Pack) -> str | None:
    """Where the pack lies if not among the installed ones."""
    return None if pack.path.parent == places.packs() else str(pack.path.absolute())


def _fictional(questions: Sequence[Question]) -> dict[str, bool]:
    told = [question.fictional for question in questions if hasattr(question, "fictional")]
    return {"fictional": any(told)} if told else {}
