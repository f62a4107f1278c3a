"""What `moot run` is asked to do, as the spec of a run: who plays by default, which options go together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pydantic import ValidationError

from tasks.agents.modes import Calls
from tasks.benchmark import benchmark as load_benchmark
from tasks.errors import UsageError
from tasks.run.cast import check_sitter, first_model_agent, formed
from tasks.run.failing import failed_tasks
from tasks.run.spec import PARALLEL_RULES, RunSpec

ROLLOUT_TEMPERATURE = 1.0
"""At which the published rollouts were sampled."""
FAILED = "failed:"
"""What stands before a RUN whose failed tasks are meant."""


def asked(benchmark: str, options: dict[str, Any]) -> RunSpec:
    """The spec of the options of `moot run`; which tasks failed in another run is looked up here.

    Raises:
        UsageError: options that mean nothing together, or here.
    """
    agent, model = options["agent"], options["model"]
    bench = load_benchmark(benchmark)
    seats = seats_of(options["seats"])
    tested = next((seats.pop(name) for name in (bench.seat, *bench.aliases) if name in seats), None)
    if tested is not None:
        value = tested
        if value in bench.agents:
            agent = value
        else:
            check_sitter(bench, value)
            model = value
    agent = agent or (first_model_agent(bench) if model else "rules")
    settings = {name: options[name] for name in bench.settings.model_fields if options.get(name) is not None}
    sampling: dict[str, Any] = {}
    if options["rollouts"]:
        if options["epochs"] != 1:
            raise UsageError("--rollouts and --epochs both say how often a task is played", "Give one of them.")
        hot = settings.get("temperature") or ROLLOUT_TEMPERATURE
        sampling = {"temperature": hot, "epochs": options["rollouts"], "entropy": True}
        options = {**options, "epochs": options["rollouts"]}
    parallel = options["parallel"] or (
        1
        if model or "human" in (agent, *seats.values()) or any(":" in value for value in seats.values())
        else PARALLEL_RULES
    )
    only, task_ids = _only(benchmark, options["only"], options["task_ids"])
    names = (
        *("pack", "types", "limit", "first", "shard", "epochs", "seed", "paper", "cache"),
        *("max_turns", "max_tokens", "max_seconds", "budget_tokens", "budget_seconds"),
    )
    try:
        spec = RunSpec(
            benchmark=benchmark, agent=agent, model=model, tasks=options["tasks_file"], task_ids=task_ids, only=only,
            parallel=parallel, seats=seats,
            **{**_calls(options), **{name: options[name] for name in names}, **settings, **sampling},
        )  # fmt: skip
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", "See `moot run --help`.") from error
    return formed(bench, spec)


def _only(benchmark: str, only: str | None, task_ids: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """What is recorded of --only, and the tasks that are meant."""
    if only is None:
        return "", task_ids
    run = only.removeprefix(FAILED)
    if run == only or not run:
        raise UsageError(f"--only '{only}' is not failed:RUN", "For example --only failed:latest.")
    if task_ids:
        raise UsageError("--only and --task both say which tasks", "Give one of them.")
    found, failed = failed_tasks(run, benchmark)
    return f"{FAILED}{found}", failed


def _calls(options: Mapping[str, Any]) -> dict[str, Calls]:
    """How tools are called, where that is said; --paper beside it is refused."""
    said: Calls | None = options["calls"]
    if options["paper"] and said is not None:
        raise UsageError(f"--paper and --calls {said} exclude each other", "Give one of them.")
    return {"calls": said} if said else {}


def seats_of(pairs: Sequence[str]) -> dict[str, str]:
    """Role -> who sits there, of ROLE=SPEC."""
    seats = {}
    for pair in pairs:
        role, equals, value = pair.partition("=")
        if not equals or not value:
            raise UsageError(f"--seat '{pair}' is not ROLE=SPEC", "For example --seat agent=human.")
        seats[role] = value
    return seats
