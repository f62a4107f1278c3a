"""Trains the network: `python packaging/train/train.py FOLDER`; goes on where an interrupted training stood.

FOLDER holds checkpoint.npz (weights, momenta, how far it is) and curve.json (loss in nats, success by cell). Learning
rate: up over 30 steps, level, down to 2 % over DECAY steps. About one core, float32: the same seed gives the same
weights on the same processor and the same versions.
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from functools import partial
from pathlib import Path
from random import Random
from typing import Any

os.environ.setdefault(
    "XLA_FLAGS",
    " ".join(
        (
            "--xla_cpu_multi_thread_eigen=false",
            "intra_op_parallelism_threads=1",
            "--xla_gpu_deterministic_ops=true",
            "--xla_gpu_autotune_level=0",
        )
    ),
)
os.environ.setdefault("OMP_NUM_THREADS", "1")

try:
    import jax
    import jax.numpy as jnp
except ModuleNotFoundError:
    sys.exit("Training needs JAX, which is not installed. Say: pip install '.[train]'")
import batches
import network
import numpy as np
from rollouts import SEED, Maker, Split, fresh, tasks_of, wordings
from vocabulary import Vocabulary, vocabulary

jax.config.update("jax_default_matmul_precision", "highest")

STEPS, DECAY = 4_000, 1_750
"""Steps, and how many of them the rate falls over in the end."""
CELLS = {
    "known": Split(SEED), "held wordings": Split(SEED, "held"), "held paths": Split(SEED, "known", True),
    "constructor": Split(SEED, "constructor"),
}  # fmt: skip
"""What success is measured on: wordings trained on, held out, paths held out, the constructor's own wordings."""
EACH = 25
"""Tasks a cell in the curve."""
EVERY = 16
"""Chunks between two measurements."""
WORKERS = max(1, min(4, (os.cpu_count() or 1) - 1))
"""Processes that make batches ahead."""


def rate(step: int, steps: int, decay: int) -> float:
    """Share of the learning rate at a step, counted from 1."""
    return min(1.0, step / 30) * max(0.02, min(1.0, (steps - step) / decay))


def examined(words: Vocabulary, each: int = EACH) -> dict[str, list[batches.Turns]]:
    """So many conversations of unseen jurisdictions by cell and hops."""
    rng = Random("examined")
    land, other = (fresh(f"examined/{which}", words.letters) for which in "ab")
    cells = {}
    for cell, split in CELLS.items():
        maker = Maker(land, rng, split, other)
        for hops in (1, 2, 3):
            if not (split.held_paths and hops == 1):
                many = tasks_of(maker, rng, each, (hops,), 0.0)
                cells[f"{cell} {hops}"] = [words.turns(maker.conversation(task)) for task in many]
    return cells


def success(choose: Callable[..., Any], weights: Any, many: list[batches.Turns]) -> float:
    """Share of conversations in which every own token is the likeliest one: what greedy decoding would say."""
    right = []
    for tokens, own in many:
        size = -len(tokens) % 128 + len(tokens)
        ids = np.zeros((1, size), np.int32)
        ids[0, : len(tokens)] = tokens
        best = np.asarray(choose(weights, ids))
        right.append(all(best[n - 1] == tokens[n] for n, mine in enumerate(own) if mine))
    return sum(right) / len(right)


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


def compiled(shape: network.Shape) -> tuple[Callable[..., Any], Callable[..., Any]]:
    """One step (weights, state, batch, its number, share of the rate) -> (weights, state, loss), and the likeliest
    next tokens (weights, ids of one row)."""
    mask = network.free(shape)

    @jax.jit
    def step(weights: Any, state: Any, batch: Any, number: Any, share: Any) -> Any:
        found, gradients = jax.value_and_grad(network.loss)(weights, shape, batch)
        return *network.better(weights, state, gradients, number, share, mask), found

    @jax.jit
    def choose(weights: Any, ids: Any) -> Any:
        said = network.hidden(weights, shape, ids, jnp.ones_like(ids))[0]
        return jnp.argmax(said @ weights["embedding"].T, -1)

    return step, choose


def train(
    folder: Path, steps: int = STEPS, decay: int = DECAY, seed: int = SEED, shape: network.Shape | None = None,
    each: int = EVERY, tasks: int = 400, copies: int = 60, workers: int = WORKERS,
) -> Any:  # fmt: skip
    """Train to `steps`; success is measured after every `each` chunks. Returns the weights."""
    folder.mkdir(parents=True, exist_ok=True)
    words, plan = vocabulary(folder / "vocabulary.json"), batches.Plan(seed, tasks, copies)
    (folder / "wordings.toml").write_text(wordings(seed, "known"), encoding="utf-8")
    shape = shape or network.Shape(len(words))
    weights = network.begin(shape, seed)
    state = network.still(weights)
    done: dict[str, float] = {"chunk": 0, "step": 0, "seconds": 0.0, "cpu": 0.0, "tokens": 0, "own": 0}
    curve: list[dict[str, Any]] = []
    if (kept := folder / "checkpoint.npz").exists():
        weights, state, done = load(kept, weights, state)
        curve = json.loads((folder / "curve.json").read_text(encoding="utf-8"))
        print(f"goes on at step {done['step']:.0f}", flush=True)

    step, choose = compiled(shape)
    cells = examined(words) if each else {}
    measured = partial(success, choose)
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
        point = {**done, "loss": loss, "rate": share}
        if cells and (done["chunk"] % each == 0 or done["step"] == steps):
            point["success"] = {cell: measured(weights, many) for cell, many in cells.items()}
        curve.append(point)
        save(kept, weights, state, done)
        (folder / "curve.json").write_text(json.dumps(curve, indent=1) + "\n", encoding="utf-8")
        print(json.dumps(point), flush=True)
    chunks.close()
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(f"trained: {done['step']:.0f} steps, {done['cpu'] / 60:.1f} CPU minutes, {peak / 1024:.0f} MB", flush=True)
    return weights


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--decay", type=int, default=DECAY)
    parser.add_argument("--seed", type=int, default=SEED)
    parser.add_argument("--each", type=int, default=EVERY)
    given = parser.parse_args()
    train(given.folder, given.steps, given.decay, given.seed, each=given.each)


if __name__ == "__main__":
    main()
