"""What a call of a tool costs as a pack grows: milliseconds of processor, p50 and p95, over all 28 lookups and 3
retrievers.

A number is a scale: a pack of so many times four thousand drawn rows (places and courts do not grow), without texts,
is built for it and thrown away; without any argument 1 and 10. Of the second pack on, each line ends with the
exponent by which p95 grew since the one before: 0 where it does not depend on the rows, 1 where it grows as they do.

    python tests/bench/bench_lookups.py [PACK|SCALE ...]
"""

from __future__ import annotations

import math
import os
import random
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT), str(ROOT / "packaging" / "train")]

from maker import rows_of  # noqa: E402

from store.builder import PackBuilder  # noqa: E402
from store.pack import Pack  # noqa: E402
from store.schema import LOOKUPS  # noqa: E402
from tasks.legalagentbench.construct.tree import PLACES  # noqa: E402
from tasks.legalagentbench.tools import RETRIEVERS, Toolbox  # noqa: E402

EACH = 150
"""Calls of each tool."""
ASKED = (
    "保证期间届满保证人是否承担责任",
    "解除劳动合同的经济补偿",
    "抵押财产转让",
    "违约金过高",
    "法定代表人越权担保",
)


@contextmanager
def opened(name: str) -> Iterator[Pack]:
    """A pack of the user, or one of drawn rows at a scale."""
    if not name.replace(".", "").isdigit():
        with Pack.open(name) as pack:
            yield pack
        return
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        with PackBuilder(
            "drawn", jurisdiction="虚构法域", source="drawn", licence="MIT", coverage="complete", as_of=""
        ) as builder:
            for table, rows in rows_of(float(name), 2026).items():
                for row in rows:
                    builder.add_row(table, row, "authored")
        with Pack.open("drawn") as pack:
            yield pack


def lookups(pack: Pack, rng: random.Random) -> list[tuple[str, dict[str, Any]]]:
    """Calls that find something: all lookups, with values drawn from the pack."""
    found = []
    for tool, lookup in LOOKUPS.items():
        if len(lookup.parameters) > 1:
            every = sorted({tuple(row.cells[c] for c in PLACES[lookup.table]) for row in pack.rows(lookup.table)})
        else:
            every = [(value,) for value in pack.distinct(lookup.table, lookup.match[0][0])]
        for values in rng.choices(every, k=EACH):
            found.append((tool, {**dict(zip(lookup.parameters, values, strict=True)), "columns": []}))
    rng.shuffle(found)
    return found


def spent(toolbox: Toolbox, calls: list[tuple[str, dict[str, Any]]]) -> list[float]:
    """Milliseconds of processor of each call, in order of size."""
    times = []
    for tool, given in calls:
        began = time.process_time()
        result = toolbox.call(tool, given)
        times.append((time.process_time() - began) * 1000)
        if result.status != "ok":
            raise SystemExit(f"{tool} {given}: {result.status}")
    return sorted(times)


def main() -> None:
    """A line a pack and group of tools."""
    before: dict[str, tuple[int, float]] = {}
    for name in sys.argv[1:] or ["1", "10"]:
        with opened(name) as pack:
            toolbox, rng = Toolbox(pack), random.Random(7)
            texts = [{"identifier": text, "k": 5} for text in ASKED] * (EACH // len(ASKED))
            retrievers = RETRIEVERS if any(pack.counts()["documents"].values()) else ()
            groups = {
                "lookups": lookups(pack, rng),
                **{tool: [(tool, given) for given in texts] for tool in retrievers},
            }
            rows = sum(pack.counts()["tables"].values())
            for group, calls in groups.items():
                times = spent(toolbox, calls)
                p50, p95 = times[len(times) // 2], times[len(times) * 95 // 100]
                speed = 1000 * len(times) / sum(times)
                line = (
                    f"{name:12} {rows:8} rows  {group:26} n {len(times):5}  p50 {p50:7.3f}  p95 {p95:7.3f}  "
                    f"{speed:7.0f} a second"
                )
                if group in before and before[group][0] != rows:
                    was, cost = before[group]
                    line += f"  exponent {math.log(p95 / cost) / math.log(rows / was):5.2f}"
                before[group] = (rows, p95)
                print(line)


if __name__ == "__main__":
    main()
