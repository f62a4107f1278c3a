"""Single flipped bits all over run files: every reading of the file is as before, or refused with a sentence.

    bench_run_flips.py [--count N] [--seed S] [--only REGION] [--seconds S]

Regions are the rows of each table and index, the schema, SQLite's header, its trees and what is free. Every reading
of the intact file (show, export, report, agreement, list, score) is compared with that of the flipped one. Prints
counts by region and outcome, and exits 1 when one flip came through silently or made a traceback.
"""

from __future__ import annotations

import argparse
import contextlib
import io
import json
import os
import pickle
import random
import shutil
import sys
import tempfile
import time
from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
sys.path.insert(0, str(Path(__file__).resolve().parents[2]))

from store.journal import SUFFIX  # noqa: E402
from tests.support.forked import forked  # noqa: E402
from tests.support.hostile_drive import warm  # noqa: E402
from tests.support.hostile_runs import Base, make_bases  # noqa: E402
from tests.support.sqlite_pages import HEADER, look  # noqa: E402

BASES = ("rules", "graded", "model", "unfinished", "trial")
TIMES = 2
"""How often the regions of rows come for each time of the others."""
Reading = tuple[int, str, str]
"""Exit code, stdout, stderr."""
Spot = tuple[str, str, int]
"""Base, region, offset of a byte."""


def regions(base: Base) -> dict[str, list[tuple[int, int]]]:
    """Region -> (offset, length) of its bytes; human scores and those of rules are apart."""
    pages = look(base.path)
    found: dict[str, list[tuple[int, int]]] = {"sqlite header": [(0, HEADER)], "trees": list(pages.trees)}
    for name, spans in pages.rows.items():
        region = name
        if name.startswith("sqlite_autoindex") or name == "scores_of_attempt":
            region = "indexes"
        elif name == "scores" and base.name == "graded":
            region = "scores of people"
        found.setdefault(region, []).extend(spans)
    taken = bytearray(len(pages.data))
    for spans in found.values():
        for start, length in spans:
            taken[start : start + length] = b"\1" * length
    free, start = [], 0
    while (start := taken.find(0, start)) >= 0:
        end = taken.find(1, start)
        end = len(taken) if end < 0 else end
        free.append((start, end - start))
        start = end
    return {**found, "between and free": free}


def spots(bases: Mapping[str, Base], seed: int, only: Sequence[str]) -> Iterator[Spot]:
    """Bytes without end, the regions in turn."""
    rng = random.Random(seed)
    maps = {name: regions(base) for name, base in bases.items()}
    names = sorted({region for found in maps.values() for region in found})
    names = [region for region in names if not only or region.startswith(tuple(only))]
    rows = [region for region in names if region not in ("trees", "between and free", "sqlite header")]
    while True:
        for region in names + rows * (TIMES - 1):
            base = rng.choice([name for name, found in maps.items() if found.get(region)])
            spans = maps[base][region]
            start, length = rng.choices(spans, [length for _, length in spans])[0]
            yield base, region, start + rng.randrange(max(1, length))


def readings(path: Path, base: Base) -> list[list[str]]:
    """The command lines that read a run; the last one also writes."""
    run = str(path)
    episodes = [["show", run, str(row[0]), "--json"] for row in base.content.episodes]
    return [
        ["list", "--json"], ["show", run, "--json"], *episodes, ["export", run, "--to", "jsonl"],
        ["report", run, "--format", "json"],
        ["agreement", run, "--json"], ["score", run, "--json"],
    ]  # fmt: skip


def read_all(commands: Sequence[Sequence[str]]) -> list[Reading]:
    """What each command says, in this process."""
    from app.cli.main import main

    found = []
    for arguments in commands:
        out, err = io.TextIOWrapper(io.BytesIO(), "utf-8"), io.TextIOWrapper(io.BytesIO(), "utf-8")
        code = 0
        with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
            try:
                main(list(arguments))
            except SystemExit as ended:
                code = ended.code if isinstance(ended.code, int) else 0
        for stream in (out, err):
            stream.flush()
            stream.seek(0)
        found.append((code, out.read(), err.read()))
    return found


def in_child(commands: Sequence[Sequence[str]], seconds: float) -> tuple[list[Reading], str]:
    """The readings, and how the child failed or ''."""

    def call() -> None:
        found = read_all(commands)
        sys.__stdout__.flush()
        sys.__stdout__.buffer.write(pickle.dumps(found))

    done = forked(call, seconds=seconds)
    return ([], done.fault) if done.fault or done.code else (pickle.loads(done.out), "")


def outcome(
    before: Sequence[Reading], after: Sequence[Reading], fault: str, commands: Sequence[Sequence[str]]
) -> tuple[str, str]:
    """same, refused, different or crash; and where."""
    if fault:
        return "crash", fault
    refused = False
    for (_, old, _), (code, new, said), command in zip(before, after, commands, strict=True):
        if code in (1, 2) and said.strip() and len(said) < 2000:
            refused = True
        elif code:
            return "crash", f"exit code {code} without a sentence: {command[0]}"
        elif new != old:
            if command[0] == "list" and all("error" in row for row in json.loads(new)["runs"]):
                refused = True
                continue
            return "different", f"{command[0]}: {difference(old, new)}"
    return ("refused" if refused else "same"), ""


def difference(old: str, new: str) -> str:
    """The first place where two texts differ."""
    at = next((place for place, (a, b) in enumerate(zip(old, new, strict=False)) if a != b), min(len(old), len(new)))
    return f"{old[max(0, at - 30) : at + 15]!r} is now {new[max(0, at - 5) : at + 15]!r}"


def main() -> int:
    """Exit code 0 when no flip came through."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--count", type=int, default=400)
    parser.add_argument("--seed", type=int, default=12)
    parser.add_argument("--only", action="append", default=[], help="only regions whose name begins so")
    parser.add_argument("--seconds", type=float, default=120.0)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="moot-flips-") as folder:
        home = Path(folder)
        os.environ |= {"MOOT_HOME": folder, "MOOT_LANG": "en", "TZ": "UTC"}
        warm()
        from tasks.sample.build import build_sample

        build_sample()
        bases = make_bases(home / "bases", BASES)
        (home / "runs").mkdir(exist_ok=True)
        path = home / "runs" / f"flipped{SUFFIX}"
        intact: dict[str, list[Reading]] = {}
        for name, base in bases.items():
            for _ in range(2):
                shutil.copyfile(base.path, path)
                intact[name], fault = in_child(readings(path, base), options.seconds)
                if fault or any(code for code, _, _ in intact[name]):
                    sys.exit(f"the intact run {name} is not readable: {fault or intact[name]}")
        counts: dict[str, Counter[str]] = defaultdict(Counter)
        bad, started = [], time.monotonic()
        rng = random.Random(options.seed + 1)
        for number, (name, region, at) in enumerate(spots(bases, options.seed, options.only)):
            if number == options.count:
                break
            data, bit = bytearray(bases[name].path.read_bytes()), rng.randrange(8)
            data[at] ^= 1 << bit
            for left in path.parent.iterdir():
                left.unlink()
            path.write_bytes(data)
            commands = readings(path, bases[name])
            what, where = outcome(intact[name], *in_child(commands, options.seconds), commands)
            counts[region][what] += 1
            if what in ("different", "crash"):
                bad.append((region, what, f"{name} byte {at} bit {bit}: {where}"))
        return tell(counts, bad, time.monotonic() - started)


def tell(counts: Mapping[str, Counter[str]], bad: Sequence[tuple[str, str, str]], seconds: float) -> int:
    """The table; 1 when anything came through."""
    kinds = ("same", "refused", "different", "crash")
    print(f"{'region':20} {'flips':>6}" + "".join(f"{kind:>11}" for kind in kinds))
    total: Counter[str] = Counter()
    for region, found in sorted(counts.items()):
        total += found
        print(f"{region:20} {sum(found.values()):6}" + "".join(f"{found[kind]:11}" for kind in kinds))
    print(
        f"{'all':20} {sum(total.values()):6}"
        + "".join(f"{total[kind]:11}" for kind in kinds)
        + f"   in {seconds:.0f} s"
    )
    for region, what, where in bad:
        print(f"  {region}: {what}: {where[:230]}")
    return 1 if bad else 0


if __name__ == "__main__":
    sys.exit(main())
