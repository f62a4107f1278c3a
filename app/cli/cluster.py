"""`moot run … --on ray[:HOST:PORT]`: what is asked for is looked at here, played elsewhere, merged and scored
here."""

from __future__ import annotations

import json
import shutil
import sys
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import datetime
from pathlib import Path

from app.cli.common import note, say
from app.cli.driving import finish, interruptible
from app.cli.watcher import Progress
from app.cluster import Cluster, Report, ShardResult, ShardSpec, address_of, connected
from app.strings import t
from models.errors import ForeignHost
from models.llama.engine import take_of
from store import places
from store.files import written_whole
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

PER_SHARD = 100
"""Tasks of a shard where nobody says how many shards there are to be."""


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
    spec, hosts, need, tasks = _looked_at(spec)
    path = out or places.runs() / f"{fresh_id(spec)}{SUFFIX}"
    if path.exists():
        raise UsageError(f"run file already exists: {path}", "Give another --out, or resume it.")
    folder = path.with_name(f"{path.name}.shards")
    began, total = time.perf_counter(), tasks * spec.epochs
    with connected(address) as ray:
        cluster = Cluster(ray)
        room, nodes = cluster.room(*need)
        if not room and not address:  # a cluster may grow
            what = f"{need[0]} processors and {need[1] / 1e9:.1f} GB of memory, more than this machine has"
            raise UsageError(f"a shard needs {what}", "Choose a smaller model or context.")
        wanted = min(tasks, shards or max(room, -(-tasks // PER_SHARD), 1))
        order = _planned(folder, ShardSpec(spec.model_dump(mode="json"), hosts, wanted, tuple(sys.argv[1:])))
        said = t("cluster.started", n=total, shards=order.shards, nodes=nodes, room=min(room, order.shards))
        say(said, err=True)
        progress = Progress(total, sys.stderr)
        stopped: list[str] = []

        def watched(reports: dict[int, Report]) -> None:
            outcomes: Counter[str] = Counter()
            for ended, _ in reports.values():
                outcomes.update(ended)
            progress.count(outcomes, sum(tokens for _, tokens in reports.values()))
            if max_failures is not None and outcomes["error"] >= max_failures:
                cluster.stop()

        def keep(number: int, played: ShardResult) -> None:
            with written_whole(order.file(folder, number, whole=not played.left), binary=True) as file:
                file.write(played.journal)
            if played.left:
                stopped.append(f"shard {number}/{order.shards}: {played.left} episodes are left {played.why}".strip())

        before = {
            number: part.read_bytes() if (part := order.file(folder, number, whole=False)).is_file() else b""
            for number in range(1, order.shards + 1)
            if not order.file(folder, number).is_file()
        }
        with interruptible(cluster.stop):
            failed = cluster.play(order, before, need, keep, watched)
    for sentence in dict.fromkeys([*failed, *stopped]):
        note(sentence)
    if failed or stopped:
        note(f"stopped before the end. The same command with --out {path} goes on.")
        sys.exit(1)
    files = [order.file(folder, number) for number in range(1, order.shards + 1)]
    merge_runs(files, path, argv=sys.argv[1:], at=spec)
    shutil.rmtree(folder, ignore_errors=True)
    with resume_run(path) as made:
        finish(made, as_json, time.perf_counter() - began, total)


def _looked_at(spec: RunSpec) -> tuple[RunSpec, dict[str, str], tuple[int, int], int]:
    """The run as every shard begins it, the hosts that it reaches, what a shard needs, and the number of tasks."""
    bench = benchmark(spec.benchmark)
    cast = Cast.of(bench, spec)
    if HUMAN in {spec.agent, *spec.seats.values()}:
        raise UsageError("a person sits at one machine", "Leave --on out.")
    if cast.engines:
        settings = bench.settings.of(spec.settings, bench.name)
        spec = spec.having(**settings.begun(datetime.now().astimezone().date()))
    if spec.tasks is not None:
        spec = spec.model_copy(update={"tasks": str(Path(spec.tasks).absolute())})
    with Pack.open(spec.pack) as pack:
        chosen = choose(bench, bench.load(task_file(spec, pack)), spec)
        cast.check(chosen)
    files = dict(filter(None, map(engines.file_of, cast.engines)))
    with _noted() as hosts:
        for model in cast.engines:
            if not model.startswith("llama:"):  # which may be too large for this machine
                engines.open_engine(model).close()
    return spec, hosts, take_of(cast.engines, files, spec.parallel), len(chosen)


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


def _planned(folder: Path, order: ShardSpec) -> ShardSpec:
    """The order, noted beside its shards; one that was noted there before goes on with as many shards."""
    file = folder / "plan.json"
    if not file.exists():
        with written_whole(file, parents=True) as stream:
            json.dump({"spec": order.spec, "shards": order.shards}, stream, ensure_ascii=False)
    known = json.loads(file.read_text("utf-8"))
    if known["spec"] != json.loads(json.dumps(order.spec)):
        raise UsageError(f"{folder} holds shards of another run", "Give another --out, or remove it.")
    return replace(order, shards=known["shards"])
