"""Tasks to train and test a small model on: a fresh fictional jurisdiction a seed, and tasks on it with a split.

Companies, people, firms, amounts and cases follow the seed; places and courts are those of every sample pack.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from random import Random
from typing import Any

from store.pack import Pack
from tasks.legalagentbench.construct.compose import Composer, Parts, shipped_parts
from tasks.legalagentbench.construct.generate import construct_set, generator
from tasks.legalagentbench.construct.plans import Plan, Skeleton
from tasks.sample.build import build_sample

SPLITS = ("train", "phrasing", "entity", "path")
"""train: known forms, entities and paths; the others hold out forms of wording, entities or paths, and only those."""
HELD = 5
"""One entity and one path in so many is held out."""


@dataclass(frozen=True)
class TrainingSet:
    """pack: folder of the jurisdiction, for the runner; tasks: task lines by split."""

    pack: Path
    tasks: dict[str, list[dict[str, Any]]]


def training_set(
    seed: int, distribution: Sequence[int] = (40, 40, 30, 0, 0), *, scale: float = 0.5, split_seed: int = 0, held: int = 4,
) -> TrainingSet:  # fmt: skip
    """Builds the jurisdiction of a seed as pack `fresh-SEED` and constructs tasks on it.

    Args:
        seed: of the jurisdiction and of the draw of tasks.
        distribution: tasks wanted of 1 to 5 hops in the split `train`; the other splits get a `held`-th of it.
        scale: of the jurisdiction, 0.5 to 50.
        split_seed: what decides which forms and paths are held out: keep it the same over all seeds of a training.
        held: how much smaller than `train` the other splits are.

    Returns:
        The pack and the tasks; a task is in one split only, its id begins with the name of the split.
    """
    path = build_sample(f"fresh-{seed}", scale, seed)
    tasks = {}
    with Pack.open(path) as pack:
        for split in SPLITS:
            keep = "held" if split == "phrasing" else "known"
            made = generator(pack, lambda rng: Parts(shipped_parts(), rng), seed)
            made.rng.seed(f"{seed}/{split}")
            made.composer = Composer(Parts(shipped_parts(), Random(f"{seed}/{split}"), keep, split_seed), made.rng)
            made.prefix = f"{split}-{seed}"
            made.allowed = _only(split, split_seed)
            share = 1 if split == "train" else held
            wanted = [-(-count // share) for count in distribution]
            tasks[split] = construct_set(made, (*wanted, *(0,) * (6 - len(wanted)))).tasks
    return TrainingSet(path, tasks)


def _only(split: str, seed: int) -> Any:
    def allowed(plan: Plan | Skeleton, entity: tuple[str, ...] | None) -> bool:
        tools = plan.tools if isinstance(plan, Skeleton) else tuple(step.tool for step in plan.steps)
        if entity is None:
            return len(tools) == 1 or _held(seed, *tools) == (split == "path")
        return _held(seed, *entity) == (split == "entity")

    return allowed


def _held(seed: int, *parts: str) -> bool:
    return sha256(f"{seed}/{'/'.join(parts)}".encode()).digest()[0] % HELD == 0
