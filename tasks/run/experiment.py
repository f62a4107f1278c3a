"""What one experiment is: hashes of task file, pack, prompts and engines, settings, limits, versions; written when a
run begins, and compared before one goes on, so that two experiments are never mixed in one file.
"""

from __future__ import annotations

import platform
import sys
from collections.abc import Sequence
from importlib import metadata
from pathlib import Path
from typing import Any

from models.engine import Engine
from store import places
from store.pack import Pack
from tasks.benchmark import Benchmark, Question
from tasks.errors import RecordMismatch
from tasks.run.cast import Cast
from tasks.run.header import FORMAT, HeaderData, file_hash, now
from tasks.run.plan import turns_of
from tasks.run.spec import RunSpec


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
        "versions": {"moot": _version("mootbench"), "python": sys.version.split()[0],
            "platform": platform.platform()},
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


def _version(distribution: str) -> str:
    try:
        return metadata.version(distribution)
    except metadata.PackageNotFoundError:
        return "unknown"
