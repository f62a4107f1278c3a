"""`moot run --dry-run`: what would run, what it would use, and what it could find. Nothing is written, no model is
loaded: of a local one the vocabulary counts, a server is asked for its context and tokenizer."""

from __future__ import annotations

import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import click

from app.cli.common import say
from app.cli.driving import lowered_lines, named, sampling_lines
from app.strings import t
from app.strings.sentences import translated
from app.terminal import json_text
from models.engine import ContextLimits, EngineError, HasContextLimits
from models.errors import BadEngine
from models.llama.engine import take_of
from models.llama.memory import available, gigabytes
from models.sampling import DENSITY, bare, context_of, named_context
from store import places
from store.errors import BadParameter, StoreError
from store.pack import Pack
from tasks.agents.budgets import with_limits
from tasks.benchmark import Question
from tasks.benchmark import benchmark as load_benchmark
from tasks.run.cast import Cast, sampled
from tasks.run.engines import file_of, open_engine
from tasks.run.estimate import Estimate, estimate, speed_of
from tasks.run.fitting import Casts, Fitting, fitted
from tasks.run.plan import choose, task_file
from tasks.run.reading import GRADER
from tasks.run.spec import RunSpec
from tasks.scoring.paired import POWER, detectable_before
from tasks.scoring.statistics import independent_at_least

DISAGREE = (0.2, 0.3)
"""Shares of tasks that only one of two agents solves, for which the difference that can be found is said."""
MOST_IDS = 20
"""Tasks that are named; JSON has all."""
Data = dict[str, Any]


def dry_run(spec: RunSpec, as_json: bool) -> None:
    """Print the plan of a run: its tasks, its costs, the difference that it could find."""
    bench = load_benchmark(spec.benchmark)
    spec = sampled(bench, spec, ask=False)
    cast = Cast.of(bench, spec)
    with Pack.open(spec.pack) as pack:
        path = task_file(spec, pack)
        questions = bench.load(path)
    chosen = choose(bench, questions, spec)
    cast.check(chosen)
    limits = {engine: _limits(engine) for engine in cast.engines}
    casts = [
        (question, [with_limits(sits, limits.get(sits.engine, ContextLimits(0))) for sits in cast.at(question)])
        for question in chosen
    ]
    fits = fitted(bench, casts, spec)
    seats = {sits.seat: sits.engine or sits.policy for sits in cast.others}
    plan = {
        "benchmark": spec.benchmark, "agent": spec.agent, "policy": cast.tested.policy, "model": spec.model,
        "pack": spec.pack,
        "tasks": str(path), "n": len(chosen) * spec.epochs, "seats": seats,
        "task_ids": [question.id for question in chosen],
        "context": {task: sizes for task, sizes in fits.needs.items() if sizes},
        "fits": {group: {"n": n, "of": of} for group, _, n, of in _fit(fits, casts)},
        "reply": fits.lowered, "density": {engine: one.density or None for engine, one in limits.items()},
    }  # fmt: skip
    found = estimate(cast, questions, chosen)
    costs, can_find = _costs(cast, found, len(chosen) * spec.epochs), _detectable(chosen)
    types = {name: sum(q.group == name for q in chosen) for name in dict.fromkeys(q.group for q in chosen)}
    if as_json:
        click.echo(json_text({**plan, "types": types, "estimate": costs, "detectable": can_find}))
        return
    for line in _plan_lines(spec, path, chosen, seats):
        say(line)
    found_lines = (*_context_lines(fits, casts, limits), *sampling_lines(cast), *_types(types))
    for line in (*found_lines, *_cost_lines(cast, costs), _detectable_line(can_find)):
        say(line)


def _plan_lines(spec: RunSpec, path: Path, chosen: Sequence[Question], seats: Mapping[str, str]) -> Iterator[str]:
    """What would run, in words: who is tested on what, which tasks, who sits beside."""
    comma, whom = t("show.comma"), (spec.agent, *([spec.model] if spec.model else []))
    yield t("planned.run", benchmark=named("benchmark", spec.benchmark), agent=" · ".join(
        (named("policy", whom[0]), *whom[1:])), pack=spec.pack,
    )  # fmt: skip
    n = len(chosen)
    again = t("planned.epochs", n=spec.epochs, total=n * spec.epochs) if spec.epochs > 1 else ""
    yield t("planned.tasks", n=n, file=path, again=again)
    ids = comma.join(question.id for question in chosen[:MOST_IDS])
    yield t("planned.ids.more" if n > MOST_IDS else "planned.ids", ids=ids)
    if seats:
        yield t("planned.seats", seats=comma.join(f"{named('seat', seat)}: {who}" for seat, who in seats.items()))


def _limits(engine: str) -> ContextLimits:
    """The limits that an engine states; the context that its SPEC names where it cannot be opened."""
    with suppress(BadEngine, EngineError, StoreError, OSError):
        opened = open_engine(engine)
        try:
            if isinstance(opened, HasContextLimits):
                return opened.context_limits()
        finally:
            opened.close()
    return ContextLimits(context_of(engine) if engine.startswith("llama:") else named_context(engine))


def _fit(fits: Fitting, casts: Casts) -> Iterator[tuple[str, dict[str, list[int]], int | None, int]]:
    """Of every type of task: what each seat needs, how many fit (None: a model does not say its context), how many
    there are."""
    for group in dict.fromkeys(question.group for question, _ in casts):
        tasks = {question.id: cast for question, cast in casts if question.group == group}
        sizes: dict[str, list[int]] = {}
        for task in tasks:
            for seat, size in fits.needs[task].items():
                sizes.setdefault(seat, []).append(size)
        unknown = any(sits.seat in sizes and not sits.context for cast in tasks.values() for sits in cast)
        if sizes:
            yield group, sizes, None if unknown else sum(task not in fits.narrow for task in tasks), len(tasks)


def _context_lines(fits: Fitting, casts: Casts, limits: Mapping[str, ContextLimits]) -> Iterator[str]:
    """The context that each type of task needs, what was lowered for it, and what was assumed."""
    comma = t("show.comma")
    for group, sizes, n, of in _fit(fits, casts):
        ranges = (f"{named('seat', seat)} {min(found):,}–{max(found):,}" for seat, found in sizes.items())
        said = t("run.context", group=group, sizes=comma.join(ranges))
        yield said if n is None else said + t("run.fit", n=n, of=of)
    yield from lowered_lines(fits.lowered)
    if any(fits.needs.values()):
        for engine, found in limits.items():
            if not found.density:
                yield t("run.assumed", model=bare(engine), density=DENSITY)


def _costs(cast: Cast, found: Estimate, n: int) -> Data:
    """What is known of the costs of `n` episodes, as data; what is not known is None. Hours are those of one model:
    tokens at its speed with as many calls together as were measured, up to those of the run."""
    spec = cast.spec
    speeds = {engine: _speed(engine) for engine in cast.engines}
    hours, tokens = None, found.tokens
    if tokens and len(speeds) == 1 and (speed := next(iter(speeds.values()))):
        together = [value for calls, value in speed["together"].items() if 1 < int(calls) <= spec.parallel]
        seconds = tokens["read"] / speed["prefill"] + tokens["written"] / max(together, default=speed["decode"])
        hours = seconds / 3600
    bounds = [spec.budget_tokens, None if spec.max_tokens is None else spec.max_tokens * n]
    memory, reason = _memory(cast)
    return {
        "tokens": None if tokens is None else {name: round(count) for name, count in tokens.items()},
        "tokens_at_most": min((bound for bound in bounds if bound is not None), default=None),
        "hours": hours,
        "memory": {"bytes": memory, "free": available() or None, "why": reason},
        "disk": {"bytes": None if found.size is None else round(found.size), "free": _free()},
        "from": [{"run": found.run, "model": found.model, "episodes": found.episodes}] if found.run else [],
        "unknown_types": list(found.missing),
        "speeds": {engine: speed for engine, speed in speeds.items() if speed},
        "unmeasured": [engine for engine, speed in speeds.items() if not speed],
    }


def _speed(engine: str) -> Data | None:
    try:
        named = file_of(engine) if engine.startswith("llama:") else None
        return speed_of(named[1]) if named else None
    except (BadEngine, OSError):
        return None


def _memory(cast: Cast) -> tuple[int | None, str]:
    try:
        local = [spec for spec in cast.engines if spec.startswith("llama:")]
        files = dict(filter(None, map(file_of, local)))
        return take_of(local, files, cast.spec.parallel)[1], ""
    except BadParameter:  # the run would refuse it, too
        raise
    except (BadEngine, StoreError, OSError) as error:
        return None, str(error)


def _free() -> int | None:
    folder: Path = places.runs()
    there = next((path for path in (folder, *folder.parents) if path.is_dir()), None)
    return shutil.disk_usage(there).free if there else None


def _detectable(chosen: Sequence[Question]) -> Data:
    """The smallest difference of success to another agent on the same tasks that they would show; None where none."""
    clusters = [question.cluster for question in chosen]
    effective = independent_at_least(clusters)
    found = {share: detectable_before(effective, share) for share in DISAGREE}
    return {
        "n": len(chosen),
        "clusters": len(set(clusters)),
        "effective_n": effective,
        "power": POWER,
        "differences": [
            {"disagree": share, "difference": value if value < share * (1 - 1e-9) else None}
            for share, value in found.items()
        ],
    }


def _types(types: Mapping[str, int]) -> Iterator[str]:
    if len(types) > 1:
        yield t("costs.types", types=t("show.comma").join(f"{name} {n}" for name, n in types.items()))


def _cost_lines(cast: Cast, costs: Data) -> Iterator[str]:
    """What the costs say to a person, a line each; what is not known is said to be so."""
    runs = t("show.comma").join(one["run"] for one in costs["from"])
    episodes = sum(one["episodes"] for one in costs["from"])
    missing = t("show.comma").join(costs["unknown_types"])
    if not cast.engines:
        yield t("costs.tokens.none")
    else:
        tokens = costs["tokens"]
        if tokens is None:
            yield t("costs.tokens.unknown", agent=cast.spec.agent, types=missing)
        else:
            sizes = {name: f"{count:,}" for name, count in tokens.items()}
            yield t("costs.tokens", runs=runs, n=episodes, **sizes)
        if others := {one["model"] for one in costs["from"]} - {cast.spec.model}:
            yield t("costs.tokens.others", models=t("show.comma").join(sorted(others)))
        if costs["tokens_at_most"] is not None:
            yield t("costs.tokens.most", n=f"{costs['tokens_at_most']:,}")
        if GRADER in cast.spec.seats:
            yield t("costs.grader")
        yield from _hour_lines(cast, costs)
    memory, disk = costs["memory"], costs["disk"]
    if memory["bytes"] is None:
        yield t("costs.memory.unknown", reason=translated(memory["why"]))
    else:
        yield t("costs.memory", size=_size(memory["bytes"]), free=_size(memory["free"]))
    if disk["bytes"] is None:
        yield t("costs.disk.unknown", types=missing, free=_size(disk["free"]))
    else:
        yield t("costs.disk", size=_size(disk["bytes"]), free=_size(disk["free"]), runs=runs)


def _hour_lines(cast: Cast, costs: Data) -> Iterator[str]:
    for spec in costs["unmeasured"]:
        kind, _, rest = spec.partition(":")
        if kind == "llama":
            yield t("costs.hours.unmeasured", model=spec, name=rest.partition("#")[0])
        else:
            yield t("costs.hours.elsewhere", model=spec)
    for spec, speed in costs["speeds"].items():
        yield t("costs.speed", model=spec, prefill=f"{speed['prefill']:.1f}", decode=f"{speed['decode']:.1f}",
                date=speed["measured"][:10])  # fmt: skip
    if costs["hours"] is not None:
        yield t("costs.hours", hours=f"{costs['hours']:.2g}")
    elif not costs["unmeasured"]:
        yield t("costs.hours.unknown")


def _size(size: int | None) -> str:
    if size is None:
        return t("costs.nobody")
    return gigabytes(size) if size >= 1e6 else f"{size / 1e3:.0f} kB"


def _detectable_line(found: Data) -> str:
    parts = [
        t("costs.difference", share=f"{one['disagree']:.0%}", points=f"{100 * one['difference']:.1f}")
        if one["difference"] is not None
        else t("costs.difference.none", share=f"{one['disagree']:.0%}")
        for one in found["differences"]
    ]
    return t(
        "costs.detectable", n=found["n"], clusters=found["clusters"], effective=f"{found['effective_n']:.1f}",
        power=f"{found['power']:.0%}", parts=t("costs.semicolon").join(parts),
    )  # fmt: skip
