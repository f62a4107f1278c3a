"""A Ray of two nodes on this machine, a run of Moot on it, and whoever plays a shard killed in the middle.

    python -m tests.support.on_two_nodes OUT.moot KILL SHARDS BENCHMARK [options of `moot run`]

KILL: none; worker: the process that plays; node: one node with all that runs on it. It is done when a fourth of the
episodes is over. Ends with a line of JSON on stdout: {"killed": pid or node, "episodes": over when it happened,
"seconds"}. Slots: two processors a node. Tests start it as a process of its own, for Ray stays in a process that it
was loaded into.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

os.environ.update(RAY_ENABLE_WINDOWS_OR_OSX_CLUSTER="0", RAY_USAGE_STATS_ENABLED="0")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
os.environ["PYTHONPATH"] = str(Path(__file__).resolve().parents[2])

from ray.cluster_utils import Cluster as Nodes  # noqa: E402

from app.cli import cluster, watcher  # noqa: E402
from app.cli.main import cli  # noqa: E402
from app.cluster import Cluster, Report  # noqa: E402
from app.guard import install_guard  # noqa: E402

EACH: dict[str, Any] = {
    "num_cpus": 2, "object_store_memory": 80_000_000, "include_dashboard": False, "memory": 8_000_000_000,
}  # fmt: skip


def main(out: str, kill: str, shards: str, *rest: str) -> None:
    nodes = Nodes(initialize_head=True, head_node_args=EACH)
    second = nodes.add_node(**{name: value for name, value in EACH.items() if name != "include_dashboard"})
    nodes.wait_for_nodes()
    install_guard()
    done: dict[str, Any] = {"killed": None, "episodes": 0}
    plain = Cluster.play

    def play(self: Cluster, order: Any, before: Any, need: Any, keep: Any, watch: Callable[..., Any]) -> list[str]:
        def watched(reports: dict[int, Report]) -> None:
            watch(reports)
            over = sum(sum(outcomes.values()) for outcomes, _ in reports.values())
            if kill == "none" or done["killed"] is not None or over < watching.total / 4:
                return
            if kill == "node":
                nodes.remove_node(second, allow_graceful=False)
                done.update(killed="node", episodes=over)
            elif players := subprocess.run(["pgrep", "-f", "^ray::_shard"], capture_output=True, text=True).stdout:
                os.kill(int(players.split()[0]), signal.SIGKILL)
                done.update(killed=int(players.split()[0]), episodes=over)

        return plain(self, order, before, need, keep, watched)

    class watching:  # noqa: N801
        total = 0

    class Counting(watcher.Progress):
        def __init__(self, total: int, *given: Any) -> None:
            watching.total = total
            super().__init__(total, *given)

    Cluster.play = play  # type: ignore[method-assign]
    cluster.Progress = Counting  # type: ignore[misc]
    began = time.perf_counter()
    try:
        cli.main(
            ["run", *rest, "--on", f"ray:{nodes.address}", "--shards", shards, "--out", out, "--json"],
            standalone_mode=False,
        )
    finally:
        print(json.dumps({**done, "seconds": round(time.perf_counter() - began, 2)}), flush=True)
        nodes.shutdown()


if __name__ == "__main__":
    main(*sys.argv[1:])
