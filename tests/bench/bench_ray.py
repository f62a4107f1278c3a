"""One run four ways: in one process, on a Ray of two nodes, on it with a worker killed in the middle, and as four
shards that are merged by hand.

    python -m tests.bench.bench_ray [TASKS]

A scripted model answers after 5 to 60 ms, two calls at a time in each process. Prints seconds of each; exits 1 where
digests of episodes or scores differ from those of one process. Needs the extra [ray].
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

from store.journal import Journal  # noqa: E402
from tasks.episode.state import digest  # noqa: E402
from tasks.run.reading import read_episode  # noqa: E402
from tasks.run.rescoring import read_stored, summary_of  # noqa: E402
from tests.support.kill_harness import prepare  # noqa: E402

SHARDS = 4


def outcome(path: Path) -> tuple[list[tuple[str, str]], dict[str, Any]]:
    """Digest of each episode, and the scores."""
    with Journal.open(path) as journal:
        digests = [(row.id, digest(read_episode(journal, row.id))) for row in journal.episodes()]
    return digests, {**summary_of(read_stored(path)).block(), "run": ""}


def command(*arguments: object) -> str:
    """A command of Moot, or a module of the tests; what it said."""
    done = subprocess.run(
        [sys.executable, "-m", *map(str, arguments)], cwd=ROOT, capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(done.stderr[-4000:])
    return done.stdout


def ways(folder: Path, options: Sequence[str]) -> dict[str, Path]:
    """Plays the run each way; a line each."""
    paths = {name: folder / f"{name}.moot" for name in ("one", "ray", "killed", "merged")}
    run = ("app.cli.main", "run", "legalagentbench", *options)
    began = time.perf_counter()
    command(*run, "--out", paths["one"], "--json")
    print(f"one process: {time.perf_counter() - began:.1f} s", flush=True)
    for name, kill in (("ray", "none"), ("killed", "worker")):
        said = command("tests.support.on_two_nodes", paths[name], kill, SHARDS, "legalagentbench", *options)
        told = json.loads(said.strip().splitlines()[-1])
        print(
            f"two nodes, kill {kill}: {told['seconds']:.1f} s, killed after {told['episodes']} episodes", flush=True
        )
    shards = [folder / f"shard{n}.moot" for n in range(1, SHARDS + 1)]
    for n, shard in enumerate(shards, 1):
        command(*run, "--shard", f"{n}/{SHARDS}", "--out", shard, "--json")
    began = time.perf_counter()
    command("app.cli.main", "merge", *shards, "--out", paths["merged"])
    print(f"merging {SHARDS} shards: {time.perf_counter() - began:.1f} s", flush=True)
    return paths


def main(tasks: int) -> int:
    """Exit code 0 when all ways came to the same."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.environ["MOOT_HOME"] = name
        spec = prepare(folder, tasks=tasks)
        script = Path(spec["model"].removeprefix("scripted:"))
        script.write_text(
            json.dumps({**json.loads(script.read_text("utf-8")), "delay_ms": [5, 60]}), encoding="utf-8"
        )
        options = [
            "--agent", "react", "--model", spec["model"], "--pack", "kill", "--tasks", spec["tasks"], "--seed", "5",
            "--max-turns", "12", "--parallel", "2",
        ]  # fmt: skip
        found = {name: outcome(path) for name, path in ways(folder, options).items()}
    other = [name for name, one in found.items() if one != found["one"]]
    print(f"{tasks} tasks: differ from one process: {', '.join(other) or 'none'}")
    return int(bool(other))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 300))
