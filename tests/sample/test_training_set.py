"""Tasks for training a small model: a jurisdiction of its own, and splits that hold out what they say."""

from __future__ import annotations

from pathlib import Path

import pytest

from tasks.sample.training import SPLITS, training_set


@pytest.mark.slow
def test_splits_hold_out_forms_entities_and_paths(moot_home: Path) -> None:
    made = training_set(3, (3, 2, 0, 0, 0))
    assert made.pack.is_dir() and tuple(made.tasks) == SPLITS
    ids = [task["id"] for tasks in made.tasks.values() for task in tasks]
    assert len(ids) == len(set(ids)) and all(made.tasks.values())
    chains = {
        split: {tuple(step["tool"] for step in task["path"]) for task in tasks if task["hops"] == 2}
        for split, tasks in made.tasks.items()
    }
    assert not chains["path"] & (chains["train"] | chains["phrasing"] | chains["entity"])
