"""A thousand hostile run files through every command and the desk: no traceback, no kill, no hang, the library whole.

    bench_hostile_runs.py [--count N] [--seed S] [--only KIND] [--fast] [--no-desk] [--jobs N] [--memory GB]
    [--seconds S]

Prints failures by kind and command and by the line that failed, the peak memory and the slowest command; exits 1 on
any.
"""

from __future__ import annotations

import argparse
import os
import pickle
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterable, Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from tests.support.hostile_desk import drive_desk  # noqa: E402
from tests.support.hostile_drive import COMMANDS, Command, Stage, warm  # noqa: E402
from tests.support.hostile_runs import GOOD, Base, Hostile, hostile_runs, make_bases  # noqa: E402

Row = tuple[str, str, str, tuple[str, ...], int, int, float]
"""Case, kind, command, faults, exit code, kB, seconds."""


def main() -> int:
    """Exit code 0 when every promise held."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=1000)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument(
        "--only", action="append", default=[], help="only kinds whose name begins so; may be repeated"
    )
    parser.add_argument("--command", action="append", default=[], help="only commands whose name begins so")
    parser.add_argument("--fast", action="store_true", help="fewer commands, no large files")
    parser.add_argument("--no-desk", action="store_true")
    parser.add_argument("--desk", action="store_true", help="the desk alone")
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--memory", type=float, default=3.0)
    parser.add_argument("--seconds", type=float, default=60.0)
    parser.add_argument("--keep", type=Path, help="keep the files here")
    options = parser.parse_args()
    commands = [
        one
        for one in COMMANDS
        if (one.fast or not options.fast) and (not options.command or one.name.startswith(tuple(options.command)))
    ]
    with tempfile.TemporaryDirectory(prefix="moot-hostile-") as folder:
        home = Path(folder)
        os.environ |= {"MOOT_HOME": str(home), "MOOT_LANG": "en", "TZ": "UTC"}
        warm()
        from tasks.sample.build import build_sample

        build_sample()
        bases = make_bases(home / "bases")
        started = time.monotonic()
        cases = hostile_runs(
            options.seed, options.count, options.keep or home / "cases", bases, options.only, large=not options.fast
        )
        print(
            f"{len(cases)} files of {len({case.kind for case in cases})} kinds in {time.monotonic() - started:.1f} s",
            flush=True,
        )
        limits = {"memory": int(options.memory * (1 << 30)), "seconds": options.seconds}
        started = time.monotonic()
        rows = [] if options.desk else _driven(home, bases, cases, commands, options.jobs, limits)
        if not options.no_desk and not options.command:
            rows += [
                (case.name, case.kind, what, faults, 0, peak, seconds)
                for case, what, faults, peak, seconds in drive_desk(
                    home, [bases[name] for name in GOOD], cases, patience=options.seconds
                )
            ]
        return _tell(rows, time.monotonic() - started)


def _driven(
    home: Path,
    bases: dict[str, Base],
    cases: Sequence[Hostile],
    commands: Sequence[Command],
    jobs: int,
    limits: dict[str, float],
) -> list[Row]:
    """Shares of the cases, each in a process and a home of its own."""
    files, pids = [], []
    for job in range(jobs):
        files.append(home / f"rows-{job}")
        own = home / f"home-{job}"
        shutil.copytree(home / "packs", own / "packs")
        if (home / "cache").is_dir():
            shutil.copytree(home / "cache", own / "cache")
        pid = os.fork()
        if pid == 0:
            code = 1
            try:
                os.environ["MOOT_HOME"] = str(own)
                _share(own, [bases[name] for name in GOOD], cases[job::jobs], commands, files[-1], limits)
                code = 0
            finally:
                os._exit(code)
        pids.append(pid)
    for pid in pids:
        if os.waitpid(pid, 0)[1]:
            sys.exit("a share of the files was not driven to its end")
    rows: list[Row] = []
    for file in files:
        with file.open("rb") as stream:
            while True:
                try:
                    rows.append(pickle.load(stream))
                except EOFError:
                    break
    return rows


def _share(
    home: Path,
    good: Sequence[Base],
    cases: Iterable[Hostile],
    commands: Sequence[Command],
    file: Path,
    limits: dict[str, float],
) -> None:
    stage = Stage(home, good, memory=int(limits["memory"]), seconds=limits["seconds"])
    with file.open("wb") as stream:
        for number, case in enumerate(cases):
            for verdict in stage.drive(case, commands):
                done = verdict.done
                pickle.dump(
                    (case.name, case.kind, verdict.command, verdict.faults, done.code, done.peak, done.seconds),
                    stream,
                )
            if number % 50 == 49:
                print(f"  {number + 1} files", file=sys.stderr, flush=True)


def _tell(rows: Sequence[Row], seconds: float) -> int:
    """Tables; 1 when anything failed."""
    failed = [row for row in rows if row[3]]
    by_kind: dict[str, Counter[str]] = defaultdict(Counter)
    for row in failed:
        by_kind[row[1]][row[2]] += 1
    print(f"\n{'kind':24} {'files':>5} {'bad':>5}  failures by command")
    for kind, counts in sorted(by_kind.items(), key=lambda pair: -sum(pair[1].values())):
        files = {row[0] for row in rows if row[1] == kind}
        bad = {row[0] for row in failed if row[1] == kind}
        print(
            f"{kind:24} {len(files):5} {len(bad):5}  "
            f"{', '.join(f'{command} {n}' for command, n in counts.most_common())}"
        )
    lines: dict[str, list[Row]] = defaultdict(list)
    for row in failed:
        for fault in row[3]:
            lines[fault.split(": ")[0]].append(row)
    print(f"\n{len(lines)} different faults")
    for fault, hit in sorted(lines.items(), key=lambda pair: -len({row[0] for row in pair[1]})):
        commands, kinds = Counter(row[2] for row in hit), Counter(row[1] for row in hit)
        print(
            f"{len({row[0] for row in hit}):5} files {len(hit):6} calls  {fault}\n"
            f"{'':19}{', '.join(name for name, _ in commands.most_common(5))} | "
            f"{', '.join(name for name, _ in kinds.most_common(5))} | e.g. {hit[0][0]}"
        )
    print(
        f"\n{'command':24} {'calls':>6} {'failed':>6} {'exit 0':>6} {'1':>6} {'2':>6} {'slowest':>8} {'peak MB':>8}"
    )
    for command in dict.fromkeys(row[2] for row in rows):
        mine = [row for row in rows if row[2] == command]
        codes = Counter(row[4] for row in mine if not row[3])
        print(
            f"{command:24} {len(mine):6} {sum(bool(row[3]) for row in mine):6} {codes[0]:6} {codes[1]:6} "
            f"{codes[2]:6} {max(row[6] for row in mine):7.1f}s {max(row[5] for row in mine) / 1024:8.0f}"
        )
    slow, big = max(rows, key=lambda row: row[6]), max(rows, key=lambda row: row[5])
    print(
        f"\n{len({row[0] for row in rows})} files, {len(rows)} calls in {seconds:.0f} s; failed: "
        f"{len({row[0] for row in failed})} files, {len(failed)} calls"
    )
    print(f"slowest {slow[6]:.1f} s: {slow[2]} {slow[0]}; peak {big[5] / 1024:.0f} MB: {big[2]} {big[0]}")
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
