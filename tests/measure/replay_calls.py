"""Asks the 37 tools again what recorded runs asked them, and compares every answer to the byte.

    python tests/measure/replay_calls.py CALLS --pack NAME --json

The proof that lookups, checks, order, calculators and error texts are those of the published runs. Retrievers are
counted apart: their ranking came from an embedding model of which no trace is left, so only overlap can be compared.
"""

from __future__ import annotations

import argparse
import ast
import json
from collections import Counter
from pathlib import Path
from typing import Any

from store.importers.reading import records
from store.pack import Pack
from tasks.legalagentbench.tools import RETRIEVERS, Toolbox

STATUSES = ("ok", "no_data", "bad_column", "call_error", "math_error")


def replay(toolbox: Toolbox, path: Path) -> tuple[dict[str, Any], list[str]]:
    """Call every tool again: the counts, and a line for each call whose text or status differs.

    Args:
        toolbox: the tools over the pack that was made from these runs.
        path: JSON lines of tool, input (as the action parser gave it), status and observation; plain or gzipped.

    Returns:
        `{"by_status": {S: {"calls", "same"}}, "retrievers": {"calls", "same_top", "overlap"}}`, and the lines.
    """
    calls, same, retrieved = Counter[str](dict.fromkeys(STATUSES, 0)), Counter[str](), Counter[str]()
    overlaps: list[float] = []
    differing = []
    for line, entry in records(path, str(path)):
        result = toolbox.call(entry["tool"], entry["input"])
        status, observation = entry["status"], entry["observation"]
        if entry["tool"] in RETRIEVERS:
            wanted = ast.literal_eval(observation) if observation.startswith("[") else []
            given = result.value if isinstance(result.value, list) else []
            retrieved["calls"] += 1
            retrieved["same_top"] += wanted[:1] == given[:1] != []
            if wanted:
                overlaps.append(len(set(wanted) & set(given)) / len(set(wanted)))
            continue
        calls[status] += 1
        if (result.status, result.observation) == (status, observation):
            same[status] += 1
        else:
            differing.append(f"line {line}: {entry['tool']} {status} → {result.status} {result.observation[:200]}")
    overlap = round(sum(overlaps) / len(overlaps), 4) if overlaps else None
    counts = {
        "by_status": {status: {"calls": count, "same": same[status]} for status, count in calls.items()},
        "retrievers": {"calls": retrieved["calls"], "same_top": retrieved["same_top"], "overlap": overlap},
    }
    return counts, differing


def main() -> None:
    """The command line."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("calls", type=Path, metavar="CALLS")
    parser.add_argument("--pack", default="legalagentbench")
    parser.add_argument("--json", action="store_true", help="the counts alone")
    given = parser.parse_args()
    with Pack.open(given.pack) as pack:
        counts, differing = replay(Toolbox(pack), given.calls)
    print(json.dumps(counts, ensure_ascii=False))
    if not given.json:
        print("\n".join(differing))


if __name__ == "__main__":
    main()
