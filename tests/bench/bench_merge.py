"""Merging runs of ten thousand and of a hundred thousand episodes: seconds, memory and bytes, and how they grow.

    python -m tests.bench.bench_merge [EPISODES ...]

Each episode has the events of one that a scripted model played, and its score. Prints a line of JSON for each size:
seconds and peak memory of a process that does nothing but merge four shards, bytes an event and an episode of the
merged file.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tempfile
import time
from dataclasses import replace
from itertools import islice
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from store.journal import EpisodeRow, Journal  # noqa: E402
from tasks.run.merging import merge_runs  # noqa: E402
from tasks.run.plan import episodes_of  # noqa: E402
from tasks.run.runner import start_run  # noqa: E402
from tasks.run.spec import RunSpec  # noqa: E402
from tests.support.kill_harness import prepare  # noqa: E402

SHARDS = 4
TASKS = 1000
BATCH = 500


def built(folder: Path, episodes: int) -> list[Path]:
    """Shards whose episodes are copies of one that was played."""
    os.environ["MOOT_HOME"] = str(folder)
    spec = {**prepare(folder, tasks=TASKS), "epochs": episodes // TASKS, "max_turns": 2}
    tasks = Path(spec["tasks"])
    tasks.write_text(
        json.dumps([{**task, "hops": 1} for task in json.loads(tasks.read_text("utf-8"))]), encoding="utf-8"
    )
    questions: list[Any] = []
    with start_run(RunSpec.model_validate({**spec, "first": 1, "epochs": 1}), out=folder / "one.moot") as run:
        run.go()
        run.record_scores()
        questions += run.questions
        attempt = run.journal.attempts("1")[0].id
        header, entries, scores = run.journal.header, run.journal.entries(attempt), run.journal.scores(attempt)
        texts = [json.loads(text) for _, text in run.journal.texts()]
    header["spec"] = {**header["spec"], "first": None, "epochs": spec["epochs"]}
    paths = []
    for number in range(1, SHARDS + 1):
        header["spec"]["shard"] = [number, SHARDS]
        rows = list(episodes_of(questions[number - 1 :: SHARDS], spec["epochs"]))
        paths.append(folder / f"{number}.moot")
        with Journal.create(paths[-1], {**header, "run": f"{number}"}, rows) as journal:
            _filled(journal, rows, entries, scores, texts)
    return paths


def _filled(journal: Journal, rows: list[EpisodeRow], entries: Any, scores: Any, texts: list[str]) -> None:
    left = iter(rows)
    while batch := list(islice(left, BATCH)):
        attempts = [journal.attempts(row.id)[0].id for row in batch]
        journal.append((replace(entry, attempt=to) for to in attempts for entry in entries), texts)
        journal.add_scores(replace(score, attempt=to) for to in attempts for score in scores)


def measured(folder: Path) -> dict[str, Any]:
    """Merge what lies there, in this process."""
    before = _peak()
    began, spent = time.perf_counter(), time.process_time()
    made = merge_runs(sorted(folder.glob("[0-9].moot")), folder / "merged.moot")
    seconds, spent = time.perf_counter() - began, time.process_time() - spent
    peak = _peak()
    with Journal.open(made.path) as journal:
        events = len(journal.entries(journal.attempts("1#1")[0].id)) * made.episodes
    size = made.path.stat().st_size
    return {
        "episodes": made.episodes, "events": events, "seconds": round(seconds, 1), "cpu_seconds": round(spent, 1),
        "peak_mb": round(peak / 1e6), "above_start_mb": round((peak - before) / 1e6),
        "bytes_an_event": round(size / events), "bytes_an_episode": round(size / made.episodes),
    }  # fmt: skip


def _peak() -> int:
    """Most bytes of memory that this process has held (Linux)."""
    (line,) = (line for line in Path("/proc/self/status").read_text().splitlines() if line.startswith("VmHWM"))
    return int(line.split()[1]) * 1024


def main(sizes: list[int]) -> None:
    for episodes in sizes:
        with tempfile.TemporaryDirectory() as name:
            built(Path(name), episodes)
            subprocess.run(
                [sys.executable, "-m", "tests.bench.bench_merge", "--one", name],
                check=True, env={**os.environ, "MOOT_HOME": name},
            )  # fmt: skip


if __name__ == "__main__":
    if sys.argv[1:2] == ["--one"]:
        print(json.dumps(measured(Path(sys.argv[2]))))
    else:
        main([int(size) for size in sys.argv[1:]] or [10_000, 100_000])
