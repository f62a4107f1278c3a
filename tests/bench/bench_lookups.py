"""What a call of a tool costs as a pack grows: milliseconds of processor, p50 and p95, over all 28 lookups and 3
retrievers.

Build the packs first; without any named, the sample's authored core is measured. Of the second pack on, each line
ends with the exponent by which p95 grew since the one before: 0 where it does not depend on the rows, 1 where it
grows as they do.

    python tests/bench/bench_lookups.py [PACK ...]          moot data build sample --scale 1 --name s1
"""

from __future__ import annotations

import math
import random
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
sys.path.insert(0, str(ROOT))

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
    for name in sys.argv[1:] or ["sample"]:
        with Pack.open(name) as pack:
            toolbox, rng = Toolbox(pack), random.Random(7)
            texts = [{"identifier": text, "k": 5} for text in ASKED] * (EACH // len(ASKED))
            groups = {
                "lookups": lookups(pack, rng),
                **{tool: [(tool, given) for given in texts] for tool in RETRIEVERS},
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
