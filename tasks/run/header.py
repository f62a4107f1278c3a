"""The header of a run: everything needed to judge the result, and to refuse a resume that would mix two
experiments."""

from __future__ import annotations

import json
import platform
import re
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from importlib import metadata
from pathlib import Path
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, StringConstraints, ValidationError

from models.specs import on_another_machine
from store import identity
from store.errors import BadInput, DamagedData
from store.journal import Journal
from tasks.benchmark import benchmark, benchmarks
from tasks.episode.with_tools import SEAT
from tasks.errors import RecordMismatch, UsageError
from tasks.run.spec import RunSpec
from tasks.task_files import task_files

FORMAT = 1


HeaderData = Mapping[str, Any]
"""The header of a run as JSON has it: of any release, so nothing in it is sure."""


def _check_local(path: str) -> str:
    """A run file must not make this machine ask another one for a file, as a path of Windows can."""
    if on_another_machine(path):
        raise ValueError("it names a file on another machine")
    return path


def _check_name(run: str) -> str:
    """Files are called after a run: what it is called is no path."""
    if re.search(r"[/\\\0]", run):
        raise ValueError("it is called like a path")
    return run


LocalPath = Annotated[str, AfterValidator(_check_local)]


def now() -> str:
    """The present moment, UTC, to the second."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def release() -> str:
    """Of Moot."""
    try:
        return metadata.version("mootbench")
    except metadata.PackageNotFoundError:
        return "unknown"


def versions() -> dict[str, str]:
    """What a run is made with: our release, Python, the platform."""
    return {"moot": release(), "python": sys.version.split()[0], "platform": platform.platform()}


def file_hash(path: Path) -> str:
    """sha256 of a file's bytes; of a folder of task files, of their names and bytes in order. What was seen is not
    read again."""
    files = task_files(path)
    if path.is_dir():
        found = identity.fingerprints(files)
        parts = [(file.relative_to(path).as_posix(), one.sha256) for file, one in found.items()]
        return sha256(json.dumps(parts).encode()).hexdigest()
    return identity.sha256(path)


@contextmanager
def unchanged(task_file: Path) -> Iterator[str]:
    """The hash of a task file that is read inside the block; `RecordMismatch` where it is another one when the block
    ends."""
    digest = file_hash(task_file)
    yield digest
    if file_hash(task_file) != digest:
        raise RecordMismatch(f"task file {task_file} changed while it was read", "Try again when nobody writes it.")


_Facts = ConfigDict(extra="allow", allow_inf_nan=False)


class TaskFacts(BaseModel):
    """The task file of a run; `fictional` where its tasks say so themselves."""

    model_config = _Facts
    file: str = ""
    sha256: str = ""
    fictional: bool | None = None


class PackFacts(BaseModel):
    """The pack of a run; `path` where it did not lie among the installed ones."""

    model_config = _Facts
    name: str = ""
    hash: str = ""
    path: LocalPath | None = None
    provenance: list[str] = []
    jurisdiction: str = ""


class ParentFacts(BaseModel):
    """The run that this one was forked from; seat, policy and engine: who came in, '' where everybody stayed."""

    model_config = _Facts
    run: str
    episode: str
    step: int
    digest: str = ""
    seat: str = ""
    policy: str = ""
    engine: str = ""


class PartFacts(BaseModel):
    """One of the files that a merged run was made of.

    state: sha256 over the ends of its chains; sha256: of its bytes, '' where a log lay beside it.
    """

    model_config = _Facts
    run: str
    state: str
    sha256: str = ""
    episodes: int
    shard: tuple[int, int] | None = None
    created: str = ""
    versions: dict[str, str] = {}


class MergedFacts(BaseModel):
    """What a merged run was made of. missing: episodes of the task file that were in no part."""

    model_config = _Facts
    parts: list[PartFacts]
    missing: int = 0


class SuiteFacts(BaseModel):
    """The suite that this run is a member of, and which: what stands for its spec there."""

    model_config = _Facts
    name: str
    member: str


class Header(BaseModel):
    """The header of a run file as every reader may rely on it, whoever wrote the file.

    Releases add keys, so unknown ones stay and missing ones have a default; what is there has its type.
    """

    model_config = _Facts
    format: int = FORMAT
    run: Annotated[str, StringConstraints(min_length=1, max_length=300), AfterValidator(_check_name)]
    created: Annotated[str, StringConstraints(max_length=100)] = ""
    spec: dict[str, Any]
    tasks: TaskFacts = TaskFacts()
    pack: PackFacts = PackFacts()
    prompts: dict[str, str] = {}
    engines: dict[str, dict[str, Any]] = {}
    limits: dict[str, float | None] = {}
    versions: dict[str, str] = {}
    command: list[str] = []
    parent: ParentFacts | None = None
    imported: dict[str, str] | None = None
    merged: MergedFacts | None = None
    suite: SuiteFacts | None = None
    seed_ignored: list[str] = []
    """SPECs of models on servers that drew anew with the same seed."""


def tested(header: Mapping[str, Any]) -> tuple[str, str]:
    """Who is tested, with which model: the newcomer of a fork, else whom the spec names."""
    parent = header.get("parent") or {}
    if parent.get("seat") == SEAT:
        return str(parent["policy"]).partition("/")[0], str(parent["engine"])
    spec = header.get("spec") or {}
    return str(spec.get("agent") or ""), str(spec.get("model") or "")


_OPTIONAL = ("parent", "imported", "merged", "suite")


def header_of(journal: Journal) -> dict[str, Any]:
    """The header of a run file, checked: the keys of `Header`, `parent`, `imported`, `merged`, `suite` only where
    they say something.

    Raises:
        Damaged: it is not the header of a run.
    """
    raw = journal.header
    try:
        header = Header.model_validate(raw)
        spec = RunSpec.model_validate(header.spec)
        for path in (
            spec.tasks or "",
            spec.pack,
            # a text of several lines names no file
            *(text for text in spec.settings.values() if isinstance(text, str) and "\n" not in text),
        ):
            _check_local(path)
    except ValidationError as error:
        first = error.errors()[0]
        where = ".".join(map(str, first["loc"])) or "spec"
        raise DamagedData(
            f"{journal.path}: its header is not that of a run: {where}: {first['msg']}", "Use an earlier copy."
        ) from error
    except ValueError as error:
        raise DamagedData(
            f"{journal.path}: its header is not that of a run: {error}", "Use an earlier copy."
        ) from error
    made = header.model_dump(mode="json")
    made["spec"] = {**header.spec, **spec.model_dump(mode="json")}
    for key in _OPTIONAL:
        if made[key] is None:
            del made[key]
    if made["tasks"]["fictional"] is None:
        del made["tasks"]["fictional"]
    return made


def spec_of(header: HeaderData) -> RunSpec:
    """What the run was asked to do; `BadInput` when the header does not say."""
    try:
        spec = RunSpec.model_validate(header["spec"])
        if spec.benchmark not in benchmarks():
            return spec
        bench = benchmark(spec.benchmark)
        bench.settings.of(spec.settings, bench.name)
        return spec
    except UsageError as error:  # a setting, or a package, that is not here
        raise BadInput(f"run {header.get('run', '?')}: {error.title}", error.hint) from error
    except (KeyError, ValidationError) as error:
        raise BadInput(
            f"run {header.get('run', '?')}: its header does not say what was run", "Use an earlier copy."
        ) from error


def is_fictional(header: HeaderData) -> bool:
    """Whether what a run shows is marked 虚构数据: by its tasks where they say so themselves, else by its pack."""
    told = header.get("tasks", {}).get("fictional")
    return bool("authored" in header.get("pack", {}).get("provenance", ()) if told is None else told)


def size_of(header: Mapping[str, Any]) -> float | None:
    """Parameters of the tested model in billions, where its engine says them."""
    facts = header.get("engines", {}).get(str(header.get("spec", {}).get("model") or ""), {})
    count = facts.get("parameters") if isinstance(facts, Mapping) else None
    return count / 1e9 if isinstance(count, int | float) and not isinstance(count, bool) and count > 0 else None


def refuse_imported(header: HeaderData) -> None:
    """An imported run can be shown and scored, but nothing of it can run again."""
    if "imported" in header:
        origin = header["imported"].get("file", "elsewhere")
        raise UsageError(
            f"run {header['run']} was imported from {origin}", "Only a run that was made here can go on."
        )


def description_hash(description: Mapping[str, Any]) -> str:
    """Hash of what an engine says of itself: the same for a fresh description and for one read from a header."""
    return sha256(
        json.dumps(description, ensure_ascii=False, sort_keys=True, default=list).encode("utf-8", "surrogatepass")
    ).hexdigest()
