"""Large stores: a list of many runs, and a run of many episodes that is listed, opened, filtered, scored and played.

    bench_stores.py [--runs 1000,10000] [--episodes 1000,10000,100000] [--played 200,1000]

Every figure is of a process of its own: seconds of its processor time (they depend on the machine), MB of memory at
its peak above those of a process that has only loaded the same modules, run files opened. The last column is how a
figure grows between the two largest sizes: 1 is in proportion, 0 not at all. Exits 1 when one grows faster than it
may.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import resource
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

TASKS = 20
SQUARE = 1.35
"""An exponent above this is a square in the making; a busy machine adds some."""
FLAT = 8.0
"""MB at most that a run may take more for each tenfold of its episodes: what is kept an episode is its name and how
it ended. Scores keep a few numbers of each; see `MOST`."""
MOST: Mapping[str, float] = {"score": 90.0, "report": 90.0}
"""Operation -> MB at most for 100,000 episodes, where something of every episode is kept on purpose."""


def peak() -> float:
    """MB at most that this process has held."""
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024


def template() -> None:
    """A run of a few tasks, whose events the large ones are made of, and a small one that is copied."""
    from store import places
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    for name, limit in (("template", TASKS), ("small", 2)):
        spec = RunSpec(benchmark="legalagentbench", limit=limit, parallel=TASKS)
        with start_run(spec, out=places.runs() / f"{name}.moot") as run:
            run.go()
            run.record_scores()


def made(name: str) -> Path:
    """A run that `template` made."""
    from store import places

    return places.runs() / f"{name}.moot"


def make_run(episodes: int) -> Path:
    """A run of so many episodes, written through the journal; its scores are written and it is sealed later."""
    from dataclasses import replace

    from store import places
    from store.journal import EpisodeRow, Journal
    from tasks.run.header import header_of

    with Journal.open(made("template")) as journal:
        header = header_of(journal)
        tasks = [row.task_id for row in journal.episodes()]
        events = {row.task_id: journal.entries(journal.attempts(row.id)[-1].id) for row in journal.episodes()}
    repeats = math.ceil(episodes / TASKS)
    rows = [
        EpisodeRow(f"{task}#{epoch + 1}", epoch * TASKS + place, task, epoch)
        for epoch in range(repeats)
        for place, task in enumerate(tasks)
    ][:episodes]
    path = places.runs() / f"large-{episodes}.moot"
    header = {**header, "run": path.stem, "spec": {**header["spec"], "epochs": repeats}}
    with Journal.create(path, header, rows) as journal:
        for start in range(0, len(rows), 200):
            journal.append(
                replace(entry, attempt=number)
                for number, row in enumerate(rows[start : start + 200], start + 1)
                for entry in events[row.task_id]
            )
    return path


def copies(runs: int) -> None:
    """The small run under many names; that is what lists meet."""
    source = made("small")
    for number in range(runs):
        shutil.copyfile(source, source.with_name(f"copy-{number:06}.moot"))


# --- what is measured, each in a process of its own ---


@contextmanager
def counting() -> Iterator[list[str]]:
    """Run files that are opened."""
    from store import run_file

    opened: list[str] = []
    look = run_file.look

    def counted(path: Path, *, write: bool) -> None:
        opened.append(path.name)
        look(path, write=write)

    run_file.look = counted
    yield opened
    run_file.look = look


def do_list(_: Path) -> int:
    """All runs of the machine."""
    from tasks.run.listing import runs

    return sum(1 for _ in runs())


def do_line(path: Path) -> int:
    """The line of one run in a list."""
    from tasks.run.listing import read_run

    return read_run(path).n


def do_seal(path: Path) -> int:
    """What a run came to, read and sealed into it."""
    from store.journal import Journal
    from tasks.run.listing import store_totals

    with Journal.open(path, write=True) as journal:
        store_totals(journal)
    return 1


def do_show(path: Path, *more: str) -> int:
    """`moot show RUN`."""
    from app.cli.main import cli

    with open(os.devnull, "w", encoding="utf-8") as nowhere:
        sys.stdout = nowhere
        cli.main(["show", str(path), "--json", *more], standalone_mode=False)
        sys.stdout = sys.__stdout__
    return 1


def do_score(path: Path) -> int:
    """All scores of all episodes appended."""
    from tasks.run.rescoring import append_scores, read_stored

    return append_scores(read_stored(path))


def do_report(path: Path) -> int:
    """What a run came to."""
    from tasks.run.rescoring import read_stored, summary_of

    return int(summary_of(read_stored(path)).tally.n)


def do_play(episodes: str) -> int:
    """So many episodes played; the memory is that of a run in motion."""
    from tasks.run.runner import start_run
    from tasks.run.spec import RunSpec

    spec = RunSpec(benchmark="legalagentbench", agent="echo", limit=TASKS, epochs=int(episodes) // TASKS, parallel=16)
    with start_run(spec) as run:
        run.go()
        run.record_scores()
        run.journal.path.unlink()
        return len(run.scheduler.episodes)


WHAT: Mapping[str, Callable[..., int]] = {
    "list": do_list,
    "line": do_line,
    "seal": do_seal,
    "show": do_show,
    "filter": lambda path: do_show(path, "--outcome", "turn_limit"),
    "score": do_score,
    "report": do_report,
    "play": do_play,
    "template": lambda _: template() or 0,
    "copies": lambda n: copies(int(n)) or 0,
    "make": lambda n: bool(make_run(int(n))),
}


def child(what: str, given: str) -> None:
    """Do one thing, and print what it took."""
    import tasks.run.listing
    import tasks.run.runner  # noqa: F401  # the modules are no part of what is measured

    argument = Path(given) if "/" in given else given
    before = peak()
    with counting() as opened:
        started = time.process_time()
        n = WHAT[what](argument)
        seconds = time.process_time() - started
    print(json.dumps({"seconds": seconds, "mb": peak() - before, "opened": len(opened), "n": n}))


def measured(what: str, given: object) -> dict[str, float]:
    """One thing in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "--child", what, str(given)], capture_output=True, text=True, check=False
    )
    if done.returncode:
        raise SystemExit(f"{what} {given}: {done.stderr[-2000:]}")
    found: dict[str, float] = json.loads(done.stdout.splitlines()[-1])
    print(f"  {what} {Path(str(given)).name}: {found}", file=sys.stderr, flush=True)
    return found


def exponent(sizes: list[int], figures: list[float]) -> float:
    """How a figure grows between the two largest sizes."""
    if len(sizes) < 2 or min(figures[-2:]) <= 0:
        return 0.0
    return math.log(figures[-1] / figures[-2]) / math.log(sizes[-1] / sizes[-2])


def told(name: str, sizes: list[int], found: list[dict[str, float]]) -> tuple[float, float]:
    """A line a thing; gives the exponent of its time and the growth of its memory in MB a tenfold."""
    time_grows = exponent(sizes, [one["seconds"] for one in found])
    tenfold = math.log10(sizes[-1] / sizes[-2]) if len(sizes) > 1 else 1.0
    more = (found[-1]["mb"] - found[-2]["mb"]) / tenfold if len(sizes) > 1 else 0.0
    cells = "  ".join(
        f"{size:>7,}: {one['seconds']:8.2f} s {one['mb']:6.1f} MB {one['opened']:>6} opened"
        for size, one in zip(sizes, found, strict=True)
    )
    print(f"{name:<14} {cells}   time^{time_grows:.2f}", flush=True)
    return time_grows, more


def many_runs(sizes: list[int], faults: list[str]) -> None:
    """Lists over copies of a small run."""
    first, again = [], []
    for size in sizes:
        measured("copies", size)
        time.sleep(2.5)  # what is younger is not remembered
        first.append(measured("list", "x"))
        again.append(measured("list", "x"))
    told("list, first", sizes, first)
    told("list, again", sizes, again)
    if any(one["opened"] for one in again):
        faults.append("a list opened files that it had seen")


def many_episodes(sizes: list[int], faults: list[str]) -> None:
    """One large run after another."""
    from store.journal import Journal

    found: dict[str, list[dict[str, float]]] = {}
    for size in sizes:
        measured("make", size)
        path = Path(os.environ["MOOT_HOME"]) / "runs" / f"large-{size}.moot"
        with Journal.open(path) as journal:
            events = sum(len(journal.entries(number)) for number in range(1, TASKS + 1)) * size / TASKS
        print(
            f"{size:,} episodes: {path.stat().st_size / events:.0f} bytes an event, "
            f"{path.stat().st_size / size:.0f} an episode"
        )
        for name, what in (
            ("line, unsealed", "line"), ("score", "score"), ("line, sealed", "line"), ("show", "show"),
            ("filter", "filter"), ("report", "report"),
        ):  # fmt: skip
            found.setdefault(name, []).append(measured(what, path))
        path.unlink()
    for name, figures in found.items():
        grows, more = told(name, sizes, figures)
        if grows > SQUARE:
            faults.append(f"{name} grows with the power {grows:.2f} of the episodes")
        if more > MOST.get(name, FLAT * 3):
            faults.append(f"{name} takes {more:.1f} MB more for each tenfold of the episodes")


def main() -> int:
    """Measure in a home of its own."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--runs", default="1000,10000")
    parser.add_argument("--episodes", default="1000,10000,100000")
    parser.add_argument("--played", default="200,2000")
    parser.add_argument("--child", nargs=2)
    given = parser.parse_args()
    if given.child:
        child(*given.child)
        return 0
    faults: list[str] = []
    sizes = {name: [int(n) for n in getattr(given, name).split(",") if n] for name in ("runs", "episodes", "played")}
    with tempfile.TemporaryDirectory(prefix="moot-stores-") as folder:
        os.environ["MOOT_HOME"] = folder
        moot = [sys.executable, "-m", "app.cli.main", "data", "build", "sample"]
        subprocess.run(moot, check=True, capture_output=True, cwd=Path(__file__).resolve().parents[2])
        measured("template", "x")
        if sizes["played"]:
            grows, more = told("play", sizes["played"], [measured("play", n) for n in sizes["played"]])
            if grows > SQUARE or more > FLAT:
                faults.append(f"a run in motion: time^{grows:.2f}, {more:.1f} MB more for each tenfold")
        if sizes["episodes"]:
            many_episodes(sizes["episodes"], faults)
        if sizes["runs"]:
            many_runs(sizes["runs"], faults)
    for fault in faults:
        print(f"fault: {fault}", file=sys.stderr)
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
