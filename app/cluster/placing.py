"""What a shard asks of the node that plays it, in the units of Ray: processors, and bytes of memory.

A model of llama.cpp takes its threads and the memory that `moot models check` states; everything else (rules, servers
that answer elsewhere, records) takes one processor. No engine computes on a GPU in this process: those stand behind
servers.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path

from models.llama.engine import FEWEST_SLOTS, parse_settings
from models.llama.header import read_header
from models.llama.memory import default_context, estimate
from models.sampling import bare

SMALL = 600_000_000
"""Bytes that a run takes beside its models."""
PER_SHARD = 100
"""Tasks of a shard where nobody says how many shards there are to be."""


@dataclass(frozen=True, slots=True)
class Need:
    """Processors and bytes of memory of a shard."""

    processors: int
    memory: int

    def fits(self, resources: Mapping[str, float]) -> bool:
        """Whether a node with these resources can hold it."""
        return self.processors <= resources.get("CPU", 0) and self.memory <= resources.get("memory", 0)

    def times(self, resources: Mapping[str, float]) -> int:
        """How many of them a node can hold."""
        return int(min(resources.get("CPU", 0) // self.processors, resources.get("memory", 0) // self.memory))


def need_of(specs: Iterable[str], files: Mapping[str, Path], parallel: int) -> Need:
    """What a shard needs whose seats are held by the engines of these SPECs.

    Args:
        specs: of engines; those that differ in sampling alone are one.
        files: name in a SPEC -> where the file lies here.
        parallel: episodes that go on at a time.
    """
    processors, memory = 1, SMALL
    for spec in dict.fromkeys(map(bare, specs)):
        kind, _, rest = spec.partition(":")
        name, _, text = rest.partition("#")
        if kind != "llama":
            continue
        header, chosen = read_header(files[name]), parse_settings(text)
        context = chosen.ctx or default_context(header)
        memory += estimate(header, context, chosen.slots or max(FEWEST_SLOTS, parallel)).total
        processors = max(processors, chosen.threads or max(1, (os.cpu_count() or 2) - 1))
    return Need(processors, memory)


def shards_for(tasks: int, places: int) -> int:
    """How many shards where nobody says: enough for every place at once, and none of more than PER_SHARD tasks."""
    return min(tasks, max(places, -(-tasks // PER_SHARD), 1))
