"""`moot run … --on ray[:HOST:PORT]`: what is asked for is looked at here, played elsewhere, merged and scored
here."""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Any

import click

from app.cli.driving import finish, interruptible
from app.cli.notes import note
from app.cli.progress import Progress
from app.cluster.hub import Look, forget, shard_file
from app.cluster.on_ray import Cluster, address_of, connected
from app.cluster.parcels import Parcel
from app.cluster.placing import Need, need_of, shards_for
from app.cluster.shard import Order
from app.strings import t
from app.terminal import clean
from models.errors import ForeignHost
from store import places
from store.files import naming, written_whole
from store.journal import SUFFIX
from store.pack import Pack
from tasks.benchmark import benchmark
from tasks.episode.scheduler import HUMAN
from tasks.errors import UsageError
from tasks.run import engines
from tasks.run.cast import Cast
from tasks.run.merging import merge_runs
from tasks.run.plan import choose, task_file
from tasks.run.runner import resume_run
from tasks.run.spec import RunSpec, fresh_id

COPIED = 15.0
"""Seconds between two copies of the journal of a shard: what is lost with a node is at most as much, or a twentieth
of the time that the copy takes, whatever is longer."""
PLAN = "plan.json"


def run_on(
    on: str, spec: RunSpec, out: Path | None, shards: int | None, watch: str, as_json: bool, max_failures: int | None
) -> None:
    """Play a run in shards, merge them, and print what came of it. Exits with 1 where episodes are left."""
    address = address_of(on)
    if watch != "none":
        raise UsageError("--watch and --on exclude each other", "Look at the merged run with `moot show`.")
    if spec.shard:
        raise UsageError("--shard and --on exclude each other", "The shards are made by --shards N.")
    if spec.cache or spec.budget_tokens or spec.budget_seconds:
        raise UsageError("a cache and a budget are of one machine", "Leave --cache and --budget-… out.")
    spec, parcels, hosts, need, tasks = _looked_at(spec)
    path = out or places.runs() / f"{fresh_id(spec)}{SUFFIX}"
    if path.exists():
        raise UsageError(f"run file already exists: {path}", "Give another --out, or resume it.")
    folder = path.with_name(f"{path.name}.shards")
    began = time.perf_counter()
    with connected(address) as ray:
        cluster = Cluster(ray)
        room, nodes = cluster.room(need)
        if not room:
            _say_no_room(address, need)
        order = Order(
            spec.model_dump(mode="json"),
            parcels,
            hosts,
            shards or shards_for(tasks, room),
            COPIED,
            tuple(sys.argv[1:]),
        )
        if order.shards > tasks:
            raise UsageError(f"{order.shards} shards are more than the {tasks} tasks", "Make fewer shards.")
        order = _planned(folder, order)
        total = tasks * spec.epochs
        said = t("cluster.started", n=total, shards=order.shards, nodes=nodes, room=min(room, order.shards))
        click.echo(clean(said, multiline=False), err=True)
        progress = Progress(total, sys.stderr)
        done = 0

        def watched(look: Look) -> None:
            nonlocal done
            done = sum(look.outcomes.values())
            for sentence in look.said:
                progress.say(sentence)
            progress.count(look.outcomes, look.tokens)

        with interruptible(cluster.stop):
            refs = cluster.submit(order, (str(folder), order.shards, parcels, max_failures), need)
            failed = cluster.wait(refs, watched)
    for sentence in dict.fromkeys(failed):
        note(sentence)
    if failed or done < total:
        note(f"stopped with {total - done} episodes unfinished. The same command with --out {path} goes on.")
        sys.exit(1)
    merge_runs(
        [shard_file(folder, number, order.shards) for number in range(1, order.shards + 1)], path,
        argv=sys.argv[1:], at=spec,
    )  # fmt: skip
    forget(folder)
    with resume_run(path) as made:
        finish(made, as_json, time.perf_counter() - began, total)


def _looked_at(spec: RunSpec) -> tuple[RunSpec, dict[str, Parcel], dict[str, str], Need, int]:
    """Everything that can be wrong with a run, seen before any other machine is asked; the run as every shard begins
    it, the files that it names, the hosts that its engines reach, what a shard needs, and the number of tasks."""
    bench = benchmark(spec.benchmark)
    cast = Cast.of(bench, spec)
    if HUMAN in {spec.agent, *spec.seats.values()}:
        raise UsageError("a person sits at one machine", "Leave --on out.")
    chosen_settings = bench.settings.of(spec.settings, bench.name)
    if cast.engines:
        spec = spec.having(**chosen_settings.begun(datetime.now().astimezone().date()))
    fields = type(chosen_settings).model_fields.items()
    named = [
        str(value)
        for name, field in fields
        if _names_pack(field.json_schema_extra) and (value := getattr(chosen_settings, name))
    ]
    with Pack.open(spec.pack) as pack:
        tasks = task_file(spec, pack)
        chosen = choose(bench, bench.load(tasks), spec)
        cast.check(chosen)
        parcels = {spec.pack: Parcel.of(pack.path)}
    for name in named:
        with Pack.open(name) as other:
            parcels[name] = Parcel.of(other.path)
    if spec.tasks is not None:
        spec = spec.model_copy(update={"tasks": str(Path(spec.tasks).absolute())})
        parcels[str(spec.tasks)] = Parcel.of(tasks)
    files = dict(filter(None, map(engines.file_of, cast.engines)))
    parcels |= {name: Parcel.of(path) for name, path in files.items()}
    with _noted() as hosts:
        for model in cast.engines:
            if not model.startswith("llama:"):  # which may be too large for this machine
                engines.open_engine(model).close()
    return spec, parcels, hosts, need_of(cast.engines, files, spec.parallel), len(chosen)


def _names_pack(extra: object) -> bool:
    return isinstance(extra, Mapping) and extra.get("metavar") == "PACK"


@contextmanager
def _noted() -> Iterator[dict[str, str]]:
    """The hosts to which a person at this machine consents inside the block, with the variables of their keys."""
    found: dict[str, str] = {}
    before = engines.admit

    def noted(refusal: ForeignHost) -> str:
        found[refusal.host] = before(refusal)
        return found[refusal.host]

    engines.admit = noted
    try:
        yield found
    finally:
        engines.admit = before


def _say_no_room(address: str, need: Need) -> None:
    """No node can hold a shard now: one of this machine never will, a cluster may grow."""
    processors, size = need.processors, f"{need.memory / 1e9:.1f}"
    if not address:
        raise UsageError(
            f"a shard needs {processors} processors and {size} GB of memory, more than this machine has",
            "Choose a smaller model or context.",
        )
    note(f"no node has the {processors} processors and {size} GB of memory that a shard needs: it waits for one")


def _planned(folder: Path, order: Order) -> Order:
    """The order, noted beside the copies of its shards; one that was noted there before goes on with as many shards.

    Raises:
        UsageError: the copies are of another run.
    """
    plan: dict[str, Any] = {
        "spec": order.spec,
        "parcels": {name: parcel.id for name, parcel in order.parcels.items()},
    }
    file = folder / PLAN
    with naming(folder):
        folder.mkdir(parents=True, exist_ok=True)
    if file.exists():
        known = json.loads(file.read_text("utf-8"))
        shards = known.pop("shards", 0)
        if known != json.loads(json.dumps(plan)):
            raise UsageError(f"{folder} holds shards of another run", "Give another --out, or remove it.")
        return Order(order.spec, order.parcels, order.hosts, shards, order.every, order.argv)
    with written_whole(file) as stream:
        json.dump({**plan, "shards": order.shards}, stream, ensure_ascii=False)
    return order
