"""What to run: benchmark, agent, engine, pack, tasks, limits. Checked before anything is written."""

from __future__ import annotations

import os
import re
import secrets
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, Field, SerializerFunctionWrapHandler, model_serializer, model_validator

from store.errors import BadInput, NotFound
from store.pack import Pack
from tasks.agents.modes import named
from tasks.benchmark import Benchmark, Question, check_layout
from tasks.episode.driver import Limits
from tasks.episode.events import Seated
from tasks.episode.scheduler import HUMAN
from tasks.errors import UsageError


class RunSpec(BaseModel):
    """What to run. Paths are as given; None means the default."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    benchmark: str
    agent: str = "rules"
    model: str = ""
    pack: str = "sample"
    tasks: str | None = None
    task_ids: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    epochs: int = Field(default=1, ge=1)
    seed: int = 0
    max_turns: int | None = Field(default=None, ge=1)
    max_tokens: int | None = Field(default=None, ge=1)
    max_seconds: float | None = Field(default=None, gt=0)
    parallel: int = Field(default=1, ge=1)
    paper: bool = False
    """The published call structure, free text; the default is the leaner form under grammar."""
    free: bool = False
    """Free text instead of grammar, read by the forgiving parser."""
    seats: dict[str, str] = Field(default_factory=dict)
    """Role -> who sits there, for seats other than the tested one: rules, human or the SPEC of a model."""
    settings: dict[str, Any] = Field(default_factory=dict)
    """What only this benchmark knows; its own model says what there is (`Benchmark.settings`). Stored, and given, flat
    beside the common settings."""

    @model_validator(mode="before")
    @classmethod
    def _gathered(cls, given: object) -> object:
        if not isinstance(given, dict):
            return given
        held = given.get("settings", {})
        if not isinstance(held, dict):
            return given
        common = {name: value for name, value in given.items() if name in cls.model_fields}
        own = {name: value for name, value in {**held, **given}.items() if name not in cls.model_fields}
        return {**common, "settings": own}

    @model_serializer(mode="wrap")
    def _flat(self, handler: SerializerFunctionWrapHandler) -> dict[str, object]:
        made: dict[str, Any] = handler(self)
        own = made.pop("settings", {})
        return {**made, **own}

    def having(self, **settings: object) -> RunSpec:
        """The same run under other settings of its benchmark."""
        return self.model_copy(update={"settings": {**self.settings, **settings}})


RECORDED_LOG = "recorded-log:"
"""How the SPEC of a published run log begins."""

STEPS_A_TURN = 8
"""Steps that a turn of several speakers may take before the backstop ends the episode."""
BACKSTOP_TURNS = 400
"""Turns of an episode whose agent stops by itself."""


def policy_of(bench: Benchmark, spec: RunSpec) -> tuple[str, bool]:
    """The policy of the tested seat, with its mode, and whether it needs a model; a pair without meaning is a `UsageError`."""
    _check_settings(bench, spec)
    log = spec.model.startswith(RECORDED_LOG)
    if log and spec.free:
        raise UsageError("a recorded log holds the published calls, --free makes others", "Leave --free out.")
    if spec.paper and spec.free:
        raise UsageError("--paper and --free exclude each other", "The published calls are free text already.")
    if spec.agent not in bench.agents:
        raise UsageError(f"unknown agent '{spec.agent}' for {bench.name}", f"Known: {', '.join(bench.agents)}.")
    policy, needs_model = bench.agents[spec.agent]
    if needs_model and not spec.model:
        raise UsageError(f"agent '{spec.agent}' needs a model", "Give --model SPEC, for example llama:FILE_OR_NAME.")
    if spec.model and not needs_model:
        raise UsageError(f"agent '{spec.agent}' uses no model", "Leave --model out.")
    if log:
        _check_log(spec)
    name = named(policy, paper=spec.paper or log, free=spec.free)
    if name != policy and not bench.modes(name):
        raise UsageError(f"agent '{spec.agent}' has no {'paper' if spec.paper else 'free'} form", "Leave the option out.")
    return name, needs_model


def _check_settings(bench: Benchmark, spec: RunSpec) -> None:
    """A setting or a seat that means nothing in a benchmark is refused, not ignored."""
    bench.settings.of(spec.settings, bench.name)
    known = [bench.seat, *bench.roles, *bench.graders]
    for role in spec.seats:
        if role == bench.seat or role in bench.aliases:
            raise UsageError(f"'{role}' is the tested seat", "Say who sits there with --agent and --model.")
        if role not in known:
            raise UsageError(f"{bench.name} has no seat '{role}'", _known_seats(bench, known))
        if role in bench.graders and ":" not in spec.seats[role]:
            raise UsageError(f"'{spec.seats[role]}' cannot sit in seat '{role}'", "Possible: SPEC of a model.")


def _known_seats(bench: Benchmark, known: Sequence[str]) -> str:
    """The seats of a benchmark, the tested one with its other names."""
    if len(known) == 1 and not bench.aliases:
        return f"Its only seat is '{bench.seat}'."
    also = f" ({', '.join(bench.aliases)})" if bench.aliases else ""
    return f"Its seats: {', '.join(role + also * (role == bench.seat) for role in known)}."


def check_sitter(bench: Benchmark, value: str) -> None:
    """Refuse what is neither an agent nor in the form of the SPEC of a model for the tested seat."""
    if value not in bench.agents and ":" not in value:
        alone = ", ".join(agent for agent, (_, needs_model) in bench.agents.items() if not needs_model)
        raise UsageError(f"'{value}' cannot sit in seat '{bench.seat}'", f"Possible: {alone}, or the SPEC of a model.")


def check_seat(sits: Seated, seats: Mapping[str, Seated], episode: str) -> None:
    """Refuse a newcomer to a seat that an episode has not."""
    if sits.seat not in seats:
        raise UsageError(f"episode {episode} has no seat '{sits.seat}'", f"Its seats: {', '.join(sorted(seats))}.")


def others(bench: Benchmark, spec: RunSpec) -> list[Seated]:
    """Who sits in the other seats of an episode when it begins; a seat that nobody named is kept by its rules."""
    return [_other(bench, role, spec.seats[role]) for role in bench.roles if role in spec.seats]


def sitting(bench: Benchmark, spec: RunSpec, question: Question) -> list[Seated]:
    """Who sits where when an episode of a question begins; seats that nobody named are kept by rules."""
    cast = bench.cast(question)
    if cast is None:
        return [seated(bench, spec), *others(bench, spec)]
    return [seated(bench, spec), *(_other(bench, role, spec.seats.get(role, "rules")) for role in cast)]


def check_cast(bench: Benchmark, spec: RunSpec, casts: Iterable[Sequence[Seated]]) -> None:
    """A seat that is named must exist in one of the chosen episodes; otherwise `UsageError`."""
    there = {sits.seat for cast in casts for sits in cast}
    for role in spec.seats:
        if role in bench.roles and role not in there:
            raise UsageError(f"no chosen task has a seat '{role}'", f"Seats here: {', '.join(sorted(there))}.")


def _other(bench: Benchmark, role: str, value: str) -> Seated:
    choices = bench.roles[role]
    if value in choices and not choices[value][1]:
        return Seated(seat=role, policy=choices[value][0], engine=HUMAN if value == HUMAN else "")
    if "model" not in choices or ":" not in value:
        known = ", ".join("SPEC of a model" if choice == "model" else choice for choice in choices)
        raise UsageError(f"'{value}' cannot sit in seat '{role}'", f"Possible: {known}.")
    return Seated(seat=role, policy=choices["model"][0], engine=value)


def first_model_agent(bench: Benchmark) -> str:
    """The agent that plays a model when nobody says how."""
    return next(agent for agent, (_, needs_model) in bench.agents.items() if needs_model)


def _check_log(spec: RunSpec) -> None:
    """A recorded log can only play the agent whose run it is."""
    from tasks.legalagentbench.recorded_log import check_method

    check_method(Path(spec.model.removeprefix(RECORDED_LOG)), spec.agent)


def newcomer(bench: Benchmark, seat: str, value: str, sitting: str) -> Seated:
    """Who takes a seat in a run that goes on.

    Args:
        bench: the benchmark of the run.
        seat: the seat.
        value: an agent without a model by name (rules, human, gold, echo), or the SPEC of a model.
        sitting: the policy that sat there before. A model takes over its method and mode if it was a method for models of
            this release, otherwise the first such method of the benchmark.
    """
    seat = bench.aliases.get(seat, seat)
    if seat in bench.roles:
        return _other(bench, seat, value)
    if seat != bench.seat:
        known = [bench.seat, *bench.roles]
        raise UsageError(f"{bench.name} has no seat '{seat}'", _known_seats(bench, known))
    if value in bench.agents:
        policy, needs_model = bench.agents[value]
        if needs_model:
            raise UsageError(f"agent '{value}' needs a model", f"Give its SPEC: --seat {seat}=llama:FILE.")
        return Seated(seat=seat, policy=policy, engine=HUMAN if value == "human" else "")
    check_sitter(bench, value)
    if value.startswith(RECORDED_LOG):
        return Seated(seat=seat, policy=_policy_of_log(bench, value), engine=value)
    first, _ = bench.agents[first_model_agent(bench)]
    return Seated(seat=seat, policy=sitting if bench.modes(sitting) else first, engine=value)


def _policy_of_log(bench: Benchmark, value: str) -> str:
    """The policy that asks what a recorded log answers."""
    from tasks.legalagentbench.recorded_log import method_of

    policy, _ = bench.agents[method_of(Path(value.removeprefix(RECORDED_LOG)))]
    return named(policy, paper=True)


def seated(bench: Benchmark, spec: RunSpec) -> Seated:
    """Who sits in the tested seat when an episode begins."""
    policy, needs_model = policy_of(bench, spec)
    engine = spec.model if needs_model else HUMAN if spec.agent == "human" else ""
    return Seated(seat=bench.seat, policy=policy, engine=engine)


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


def named_file(tasks: str) -> Path:
    """The file or folder of tasks that a command or a run names; a pipe or device would never come to an end."""
    path = Path(tasks)
    if os.path.isfile(path) or os.path.isdir(path):
        return path
    if os.path.lexists(path):
        raise BadInput(f"{path} is neither a file nor a folder of task files", "Give --tasks FILE.")
    raise NotFound(f"no task file at {path}", "Give --tasks FILE.")


def choose(bench: Benchmark, questions: Sequence[Question], spec: RunSpec) -> list[Question]:
    """The questions to run, in the order of the file."""
    known = {question.id for question in questions}
    for wanted in spec.task_ids:
        if wanted not in known:
            raise UsageError(f"no task '{wanted}' in the task file", f"It has {len(questions)} tasks.")
    chosen = [q for q in questions if not spec.task_ids or q.id in spec.task_ids]
    return list(bench.among(chosen, questions, spec))[: spec.limit]


def turns_of(bench: Benchmark, spec: RunSpec) -> int:
    """Turns after which an episode ends, or after which a model method asks for the answer."""
    return spec.max_turns or (bench.turns if spec.model else BACKSTOP_TURNS)


def limits_of(bench: Benchmark, spec: RunSpec) -> Limits:
    """The limits of an episode. A model method keeps its own turn limit, after which it has one more turn to answer in.

    Where a turn takes several steps, the rules of the episode count turns, and the steps have a backstop alone.
    """
    if not bench.turn_is_step:
        steps = max(BACKSTOP_TURNS, STEPS_A_TURN * (spec.max_turns or 0))
        return Limits(steps, spec.max_tokens, spec.max_seconds)
    turns = spec.max_turns or BACKSTOP_TURNS
    return Limits(turns + 1 if spec.model else turns, spec.max_tokens, spec.max_seconds)


def fresh_id(spec: RunSpec) -> str:
    """A new run id: local time, benchmark, agent, four random digits."""
    agent = re.sub(r"[^a-z0-9]+", "-", spec.agent.lower())
    return f"{datetime.now(UTC).astimezone():%Y%m%d-%H%M%S}-{spec.benchmark}-{agent}-{secrets.token_hex(2)}"
