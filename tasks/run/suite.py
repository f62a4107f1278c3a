"""A suite: runs that belong together, as a TOML file names them: every benchmark with every agent, model and seed of
a block, under common settings.

A member is known by what stands for its spec, so that a suite that is played again goes on with what is there: its
file among the runs is called after the suite and the member. Nothing is played here.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from hashlib import sha256
from itertools import product
from math import prod
from pathlib import Path
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from models.errors import BadEngine
from store import places
from store.errors import BadInput, MootError, NotFound, StoreError
from store.files import read_text, toml_of
from store.journal import SUFFIX, Journal
from store.pack import Pack
from store.run_file import reading
from tasks.benchmark import Benchmark, benchmark
from tasks.episode.scheduler import HUMAN
from tasks.errors import BadSetting, RecordMismatch, TaskError, UsageError
from tasks.run.cast import Cast, first_model_agent, formed
from tasks.run.header import header_of, spec_of
from tasks.run.plan import check_same, task_file
from tasks.run.spec import PARALLEL_RULES, RunSpec
from tasks.settings import shown, text_of

OWN = frozenset("benchmark agent model seed settings shard only".split())
"""What a run has and the settings of a suite have not: it stands in the blocks, is no part of a suite, or has a newer
name."""
INDIFFERENT = frozenset({"parallel", "budget_tokens", "budget_seconds"})
"""Settings from which no result follows: a suite goes on where they are changed."""
DIGITS = 8
MEMBERS = 2000
"""Runs that a suite may have."""
MOST = 5
"""Faults of a suite that are named."""
_RUNS = re.compile(r"\s*\[\[\s*runs\s*\]\]")
_NAME = re.compile(r"[^\W_][\w.-]{0,39}")


def _listed(given: object) -> object:
    return [given] if isinstance(given, str | int) else given


Names = Annotated[tuple[str, ...], BeforeValidator(_listed), Field(min_length=1)]
_STRICT = ConfigDict(extra="forbid", frozen=True)


class RunsBlock(BaseModel):
    """A [[runs]] of the file: every benchmark with every agent, every model, every seed. No agents: the one that
    plays by default; no models: none."""

    model_config = _STRICT
    benchmarks: Names
    agents: Names = ("",)
    models: Names = ("",)
    seeds: Annotated[tuple[int, ...], BeforeValidator(_listed), Field(min_length=1)] = (0,)
    settings: dict[str, Any] = {}


class SuiteFile(BaseModel):
    """The file: its name (default: what the file is called), settings of all runs, the runs."""

    model_config = _STRICT
    name: str = ""
    settings: dict[str, Any] = {}
    runs: Annotated[list[RunsBlock], Field(min_length=1)]


class Faults:
    """What is wrong with a suite: all of it is told at once, each fault once."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.found: dict[str, str] = {}

    def add(self, place: str, error: MootError, where: str = "") -> None:
        """A fault at a place of the file; `where` is `:7`, its line. Hints that name options of `moot run` say
        nothing in a file."""
        hint = "" if "--" in error.hint else error.hint
        self.found.setdefault(f"suite {self.file}{where}, {place}: {error.title}", hint)

    def check(self) -> None:
        """Go on where there is none.

        Raises:
            UsageError: there are some.
        """
        if not self.found:
            return
        titles = list(self.found)[:MOST]
        more = [f"and {len(self.found) - MOST} more"] if len(self.found) > MOST else []
        hint = next(iter(self.found.values())) if len(self.found) == 1 else ""
        raise UsageError("\n".join([*titles, *more]), hint or "Correct the file; `moot suite run --help` shows one.")


@dataclass(frozen=True, slots=True)
class SuiteRun:
    """A run of the suite. id: what stands for its spec; place: the block that names it, as errors say it."""

    id: str
    suite: str
    spec: RunSpec
    place: str

    @property
    def run(self) -> str:
        """The id of its run."""
        return f"{self.suite}-{self.id}"

    @property
    def path(self) -> Path:
        """Its file, there or not."""
        return places.runs() / f"{self.run}{SUFFIX}"

    @property
    def facts(self) -> dict[str, str]:
        """What its header says of it."""
        return {"name": self.suite, "member": self.id}


@dataclass(frozen=True, slots=True)
class Suite:
    """A suite as it was read."""

    name: str
    file: Path
    members: Sequence[SuiteRun]


def read_suite(file: Path) -> Suite:
    """Read a suite; nothing that it names is opened but task texts of settings.

    Raises:
        BadInput: the file cannot be read, or is no TOML.
        UsageError: what it asks for means nothing; says where.
    """
    try:
        text = read_text(file)
    except NotFound as error:
        raise BadInput(error.title, "Name a TOML file of runs.") from None
    try:
        given = SuiteFile.model_validate(toml_of(file, text))
    except ValidationError as error:
        first = error.errors()[0]
        where = f"{file}{_line(text, first['loc'])}"
        raise UsageError(
            f"suite {where}, {_place(first['loc'])}: {first['msg']}",
            f"Known there: {', '.join(_known(first['loc']))}."
            if first["type"] == "extra_forbidden"
            else "Correct it; `moot suite run --help` shows a file.",
        ) from error
    name = given.name or file.stem
    if not _NAME.fullmatch(name):
        where = f"{file}{_line(text, ('name',))}"
        raise UsageError(
            f"suite {where}, name: '{name}' cannot name a suite",
            "Give a `name` of 1 to 40 letters, digits, '-', '_' and '.'.",
        )
    asked_for = sum(prod(map(len, (b.benchmarks, b.agents, b.models, b.seeds))) for b in given.runs)
    if asked_for > MEMBERS:
        raise UsageError(f"suite {file}, runs: {asked_for} runs, at most {MEMBERS}", "Make it several suites.")
    members: dict[str, SuiteRun] = {}
    faults = Faults(file)
    for number, block in enumerate(given.runs, 1):
        place = f"runs[{number}]"
        for who in product(block.benchmarks, block.agents, block.models, block.seeds):
            bad: list[tuple[str, BadSetting]] = []
            try:
                asked, spec = _specs(file, given, block, bad, *who)
            except (TaskError, BadEngine, StoreError) as error:
                faults.add(place, error, _line(text, ("runs", number - 1)))
                continue
            finally:
                for key, one in bad:
                    inside = ("runs", number - 1) if key in block.settings else ()
                    loc = (*inside, "settings", key)
                    faults.add(_place(loc), one, _line(text, loc))
            member = SuiteRun(_identity(asked), name, spec, place)
            if before := members.get(member.id):
                again = UsageError(
                    f"the run '{line_of(spec)}' stands in {before.place} already", "Leave one of them out."
                )
                faults.add(place, again, _line(text, ("runs", number - 1)))
            members[member.id] = member
    faults.check()
    return Suite(name, file, list(members.values()))


def line_of(spec: RunSpec) -> str:
    """A member in one line."""
    return " · ".join(filter(None, (spec.benchmark, spec.agent, spec.model, f"seed {spec.seed}")))


def check_member(member: SuiteRun) -> Mapping[str, Any]:
    """See whether the file that lies where a member belongs is that member; its header.

    Raises:
        RecordMismatch: it was asked for something else, forked, merged or imported.
    """
    with reading(member.path), Journal.open(member.path) as journal:
        header = header_of(journal)
    stored, bench = spec_of(header), benchmark(member.spec.benchmark)
    asked = formed(bench, member.spec)
    fixed = bench.settings.of(asked.settings, bench.name).begun(datetime.now().astimezone().date())
    asked = asked.having(**{name: stored.settings[name] for name in fixed.keys() & stored.settings.keys()})
    others = {"parent", "merged", "imported"} & header.keys()
    if others or stored.benchmark != bench.name or _meant(bench, stored) != _meant(bench, asked):
        raise RecordMismatch(f"{member.path} holds another run than {member.run}", "Move it away or remove it.")
    return header


def _meant(bench: Benchmark, spec: RunSpec) -> dict[str, object]:
    """All from which results follow, wherever the task file lies: whoever takes a run up looks at its hash."""
    own = bench.settings.of(spec.settings, bench.name).model_dump()
    return {**spec.model_dump(exclude={*INDIFFERENT, "tasks", "settings"}), **own}


def check_ended(member: SuiteRun) -> None:
    """See whether a run that has ended is still one of this suite: as asked for, of the same task file and pack.

    Raises:
        RecordMismatch: it is not.
    """
    header = check_member(member)
    spec = spec_of(header)
    with Pack.open(header["pack"].get("path") or spec.pack) as pack:
        check_same(header, benchmark(spec.benchmark), spec, pack, task_file(spec, pack), True)


def _specs(
    file: Path,
    given: SuiteFile,
    block: RunsBlock,
    bad: list[tuple[str, BadSetting]],
    name: str,
    agent: str,
    model: str,
    seed: int,
) -> tuple[RunSpec, RunSpec]:
    """The spec of a member as it is written, which stands for it wherever the file lies, and as it is played;
    settings that cannot be go to `bad`, by the key that the file writes, and are left out."""
    bench = benchmark(name)
    written = {key.replace("-", "_"): key for key in {**given.settings, **block.settings}}
    settings = {key.replace("-", "_"): value for key, value in {**given.settings, **block.settings}.items()}
    common = RunSpec.model_fields.keys() - OWN
    for key in list(settings):
        if key not in common and key not in bench.settings.model_fields:
            known = ", ".join(sorted({*common, *bench.settings.model_fields}))
            bad.append((written[key], BadSetting(f"{name} has no setting '{key}'", f"Known: {known}.")))
            del settings[key]
    for key, field in bench.settings.model_fields.items():
        if key in settings and shown(field, "from_file"):
            settings[key] = text_of(str(file.parent / str(settings[key])))
    seats = settings.get("seats", {})
    alone = not (model or (isinstance(seats, Mapping) and any(":" in str(who) for who in seats.values())))
    own = {
        "benchmark": name, "model": model, "seed": seed,
        "agent": agent or (first_model_agent(bench) if model else "rules")
    }  # fmt: skip
    try:
        asked = RunSpec.model_validate({"parallel": PARALLEL_RULES if alone else 1, **settings, **own})
    except ValidationError as error:
        for one in error.errors():
            key = str(next(iter(one["loc"]), "settings"))
            bad.append((written.get(key, key), BadSetting(one["msg"], "Correct it.")))
        asked = RunSpec.model_validate(own)
    if HUMAN in (asked.agent, *asked.seats.values()):
        raise UsageError("nobody can sit in the runs of a suite", "Choose agents that play by themselves.")
    Cast.of(bench, asked)
    tasks = None if asked.tasks is None else str((file.parent / asked.tasks).absolute())
    return asked, asked.model_copy(update={"tasks": tasks})


def _identity(spec: RunSpec) -> str:
    """What stands for a spec: settings at their defaults do not count, so that a release may add some."""
    given = spec.model_dump(mode="json", exclude_defaults=True, exclude=set(INDIFFERENT))
    return sha256(json.dumps(given, ensure_ascii=False, sort_keys=True).encode()).hexdigest()[:DIGITS]


def _line(text: str, loc: Sequence[int | str]) -> str:
    """`:7`, the line of a place as editors take it: that of its key, else of its [[runs]]; '' where it is written
    otherwise than a line for each."""
    lines = list(enumerate(text.splitlines(), 1))
    heads = [number for number, line in lines if _RUNS.match(line)]
    block = next((step for step in loc if isinstance(step, int)), None)
    if block is not None and block >= len(heads):
        return ""
    least = 0 if block is None else heads[block]
    most = next((number for number in heads if number > least), len(lines) + 1)
    keys = [re.compile(rf"\s*[\"']?{re.escape(step)}[\"']?\s*=") for step in loc if isinstance(step, str)]
    named = [number for number, line in lines if least < number < most and keys and keys[-1].match(line)]
    found = named[0] if len(named) == 1 else least
    return f":{found}" if found else ""


def _place(loc: Sequence[int | str]) -> str:
    """Where in the file: runs[2].agents; counted from 1."""
    return "".join(_steps(loc)).lstrip(".") or "the file"


def _steps(loc: Sequence[int | str]) -> Iterator[str]:
    for step in loc:
        yield f"[{step + 1}]" if isinstance(step, int) else f".{step}"


def _known(loc: Sequence[int | str]) -> list[str]:
    return list((RunsBlock if len(loc) > 1 else SuiteFile).model_fields)
