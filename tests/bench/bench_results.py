"""The Board and a comparison over ten thousand stored episodes: seconds to the first rows, memory, and how that
compares with reading one run.

    python -m tests.bench.bench_results [EPISODES]

Runs are files of predictions whose answers are drawn: on the Board a run for each 150 tasks, for the comparison two
runs of half the episodes each. Prints a line of JSON for each phase; seconds are those of the processor, in a process
that does nothing else, imports left out; megabytes are those by which the phase raised the peak of the process.
"""

from __future__ import annotations

import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from store import identity  # noqa: E402
from tasks.run.board import entries, fields, places, printed  # noqa: E402
from tasks.run.comparing import compare, growing  # noqa: E402
from tasks.run.figures import figures_of  # noqa: E402
from tasks.run.imported import read_run, save_run, sources_of  # noqa: E402
from tasks.run.listing import runs  # noqa: E402
from tasks.run.rescoring import read_stored, summary_of  # noqa: E402

BOARD, LAB = 150, "legalagentbench"
MOST = {"board": 0.5, "comparison, its first part": 1.0}
"""Phase -> seconds of the processor at most: until a Board whose figures are remembered has its first rows, until a
comparison of runs that nobody has looked at has its first plot."""


def stored(folder: Path, tasks: int, many: int) -> list[Path]:
    """Runs on a file of so many tasks, each with answers of its own."""
    draw = random.Random(tasks)
    asked = [
        {"id": n, "question": f"第{n}家公司的代码？", "answer": f"代码为A{n}，法人为B{n}。",
            "key": [f"A{n}", f"B{n}"], "key_middle": [],
         "hops": n % 5 + 1, "way": f"{n // 2}"} for n in range(1, tasks + 1)
    ]  # fmt: skip
    folder.mkdir()
    (dataset := folder / "tasks.json").write_text(json.dumps(asked, ensure_ascii=False), "utf-8")
    for number in range(many):
        lines = [
            {"id": n, "res": draw.choice([f"A{n}，B{n}", f"A{n}", "不知道"]), "summary": ""}
            for n in range(1, tasks + 1)
        ]
        said = "\n".join(json.dumps(line, ensure_ascii=False) for line in lines)
        (folder / f"run{number}.jsonl").write_text(said, "utf-8")
    given = [folder / f"run{number}.jsonl" for number in range(many)]
    return [save_run(sources, read_run(sources)) for sources in sources_of(LAB, dataset, given)]


def board() -> int:
    """What the Board does until its rows have their figures; how many it has."""
    field = next(one for one in fields(runs()) if len(one.lines) > 2)
    figures = {line.path: figures_of(line.path) for line in field.lines}
    return len(entries(field, figures, printed(LAB), next(iter(places(figures.values())))))


def phase(name: str, paths: list[Path]) -> None:
    """One phase, measured."""
    work: dict[str, Callable[[], object]] = {
        "one run read": lambda: summary_of(read_stored(paths[0])),
        "board, figures not read yet": board,
        "board": board,
        "comparison, its first part": lambda: len(next(growing(*paths)).rows),
        "comparison": lambda: len(compare(paths)[0].rows),
        "half of a comparison read": lambda: summary_of(read_stored(paths[0])),
    }
    before, started = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss, time.process_time()
    work[name]()
    spent, peak = time.process_time() - started, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps({"phase": name, "seconds": round(spent, 2), "megabytes": round((peak - before) / 1024, 1)}))


def main(episodes: int) -> int:
    """All phases; 1 where one takes too long."""
    with tempfile.TemporaryDirectory() as folder:
        os.environ["MOOT_HOME"] = str(Path(folder) / "home")
        many = stored(Path(folder) / "board", BOARD, max(3, episodes // BOARD))
        two = stored(Path(folder) / "pair", episodes // 2, 2)
        time.sleep(identity.SETTLED / 1e9)  # figures of a file that was just written are not remembered
        took = {}
        for name in (
            "one run read",
            "board, figures not read yet",
            "board",
            "half of a comparison read",
            "comparison, its first part",
            "comparison",
        ):
            paths = two if "compar" in name else many[:1]
            command = [sys.executable, __file__, name, *map(str, paths)]
            line = subprocess.run(command, check=True, capture_output=True, text=True).stdout
            print(line, end="", flush=True)
            took[name] = json.loads(line)["seconds"]
    return int(any(took[name] > most for name, most in MOST.items()))


if __name__ == "__main__":
    if len(sys.argv) > 2:
        phase(sys.argv[1], [Path(name) for name in sys.argv[2:]])
    else:
        sys.exit(main(int(sys.argv[1]) if len(sys.argv) > 1 else 10_000))
