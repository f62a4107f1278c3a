"""Trains the network, going on where an interrupted training stood.

The folder holds checkpoint.npz (weights, momenta, how far it is), the vocabulary and the wordings. Learning rate: up
over 30 steps, level, down to 2 % over DECAY steps. About one core, float32: the same seed gives the same weights on
the same processor and the same versions.
"""

from __future__ import annotations

import json
import os
import resource
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import batches
import jax
import jax.numpy as jnp
import network
import numpy as np
from rollouts import SEED, wordings
from vocabulary import vocabulary

STEPS, DECAY = 4_000, 1_750
"""Steps, and how many of them the rate falls over in the end."""
WORKERS = max(1, min(4, (os.cpu_count() or 1) - 1))
"""Processes that make batches ahead."""


def rate(step: int, steps: int, decay: int) -> float:
    """Share of the learning rate at a step, counted from 1."""
    return min(1.0, step / 30) * max(0.02, min(1.0, (steps - step) / decay))


def save(path: Path, weights: Any, state: Any, done: dict[str, float]) -> None:
    """A checkpoint, in one move."""
    flat, _ = jax.tree.flatten((weights, state))
    part = path.with_suffix(".part.npz")
    np.savez(part, done=json.dumps(done), **{f"a{n}": np.asarray(leaf) for n, leaf in enumerate(flat)})
    os.replace(part, path)


def load(path: Path, weights: Any, state: Any) -> tuple[Any, Any, dict[str, float]]:
    """What `save` has written, in the shape of the arguments."""
    with np.load(path) as kept:
        flat, tree = jax.tree.flatten((weights, state))
        leaves = [jnp.asarray(kept[f"a{n}"]) for n in range(len(flat))]
        done = json.loads(str(kept["done"]))
    weights, state = jax.tree.unflatten(tree, leaves)
    return weights, state, done


def compiled(shape: network.Shape) -> Callable[..., Any]:
    """One step: weights, state, batch, its number, share of the rate -> weights, state, loss."""
    mask = network.free(shape)

    @jax.jit
    def step(weights: Any, state: Any, batch: Any, number: Any, share: Any) -> Any:
        found, gradients = jax.value_and_grad(network.loss)(weights, shape, batch)
        return *network.better(weights, state, gradients, number, share, mask), found

    return step


def train(
    folder: Path, steps: int = STEPS, decay: int = DECAY, seed: int = SEED, shape: network.Shape | None = None,
    tasks: int = 400, copies: int = 60, workers: int = WORKERS,
) -> Any:  # fmt: skip
    """Train to `steps`; gives the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    words, plan = vocabulary(folder / "vocabulary.json"), batches.Plan(seed, tasks, copies)
    (folder / "wordings.toml").write_text(wordings(seed, "known"), encoding="utf-8")
    shape = shape or network.Shape(len(words))
    weights = network.begin(shape, seed)
    state = network.still(weights)
    done: dict[str, float] = {"chunk": 0, "step": 0, "seconds": 0.0, "cpu": 0.0, "tokens": 0, "own": 0}
    if (kept := folder / "checkpoint.npz").exists():
        weights, state, done = load(kept, weights, state)
        print(f"goes on at step {done['step']:.0f}", flush=True)

    step = compiled(shape)
    chunks = batches.ahead(int(done["chunk"]), plan, words, workers)
    while done["step"] < steps:
        began, cpu = time.time(), time.process_time()
        losses = []
        many, elsewhere = next(chunks)
        for batch in many:
            if done["step"] == steps:
                break
            done["step"] += 1
            share = rate(int(done["step"]), steps, decay)
            weights, state, found = step(weights, state, batch, float(done["step"]), share)
            losses.append(found)
            done["tokens"] += int((batch[1] > 0).sum())
            done["own"] += int(batch[4].sum())
        done["chunk"] += 1
        loss = sum(map(float, losses)) / len(losses)
        done["seconds"] += time.time() - began
        done["cpu"] += time.process_time() - cpu + elsewhere
        save(kept, weights, state, done)
        print(json.dumps({**done, "loss": loss, "rate": share}), flush=True)
    chunks.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"trained: {done['step']:.0f} steps, {done['cpu'] / 60:.1f} CPU minutes, {peak / 1024:.0f} MB", flush=True)
    return weights
