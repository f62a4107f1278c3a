"""A step further from a trained model: does it gain by what it says itself?

    python packaging/train/further.py FOLDER [--out FILE.json] [--tasks N] [--samples K] [--steps N]

FOLDER is one that train.py has left. The model answers N tasks of a fresh jurisdiction K times each, at temperature
1, through llama.cpp and `moot run`. From the same weights then go on, for as many steps at the same small rate:
training on the fresh conversations of `gold` ("gold", what the time would have bought otherwise), on its own right
answers ("sampling": right is all keys, strict), and on all its answers weighed by the advantage within the group of a
task ("grpo": the formula of the rewards of `moot export --to rollouts`, one round, so the ratio of policies is 1 and
there is nothing to clip). FILE gets success by cell before and after so many steps; the curve stands there also where
it falls. Seconds are those of the process.
"""

from __future__ import annotations

import argparse
import json
import time
from collections.abc import Iterable, Sequence
from functools import partial
from itertools import cycle
from pathlib import Path
from random import Random
from typing import Any

import batches
import convert
import evaluate
import network
from rollouts import HOPS, SEED, Maker, Split, fresh, tasks_of
from train import compiled, examined, success
from vocabulary import END, Vocabulary

from models.engine import Message
from moot import Event, RunRecord, open_run
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.events import ModelCalled, ToolCalled, ToolReturned
from tasks.legalagentbench.agents.history import Turn
from tasks.legalagentbench.agents.react import COMPACT
from tasks.legalsearch.rewards import group_advantages

RATE = 0.05
"""Share of the learning rate: the model is at its end of training, where the rate was 0.02 to 0.1."""
LOOKS = 4
"""How often success is measured on the way."""
EACH = 50
"""Tasks a cell."""


def said(question: str, events: Iterable[Event], words: Vocabulary) -> batches.Turns:
    """The tokens of a rollout as the model drew them; 1 for its own."""
    ids, own = words.turns(
        [Message("system", fill(COMPACT)), Message("user", phrase("turn", "question", question=question))]
    )
    speaks = words.turns([Message("assistant", "")])[0][0]
    given: Any = None
    for event in events:
        if isinstance(event, ModelCalled):
            ids += [speaks, *event.tokens, END]
            own += [False, *[True] * (len(event.tokens) + 1)]
        elif isinstance(event, ToolCalled):
            given = event.input
        elif isinstance(event, ToolReturned):
            seen = Turn("", tool=event.tool, input=given, observation=event.observation, status=event.status).seen
            heard, silent = words.turns([Message("user", seen)])
            ids, own = ids + heard, own + silent
    return ids, own


def rolled(
    place: Path, model: Path, count: int, samples: int, words: Vocabulary
) -> list[list[tuple[batches.Turns, float]]]:
    """The rollouts of each task with their rewards: 1 where all keys stand in the answer, else 0."""
    place.mkdir(parents=True, exist_ok=True)
    land, other = (fresh(f"further/{which}", words.letters) for which in "ab")
    rng = Random("further")
    many = list(tasks_of(Maker(land, rng, Split(SEED), other), rng, count, HOPS))
    path = place / "tasks.jsonl"
    lines = (json.dumps({"id": f"t{n}", **task}, ensure_ascii=False) for n, task in enumerate(many))
    path.write_text("\n".join(lines), encoding="utf-8")
    runs: list[RunRecord] = []
    with evaluate.home(place):
        if not (place / "packs" / "further").exists():
            evaluate.build(land, "further")
        for sample in range(samples):
            out = place / f"{sample}.run"
            if not out.exists():
                drawn = ("--seed", str(sample), "--parallel", "4")
                evaluate.run("react", str(model.resolve()), path, "further", out, ",temperature=1", *drawn)
            runs.append(open_run(out))
        right = [evaluate.solved(run.path) for run in runs]
    return [
        [
            (said(task["question"], run.events(f"t{n}"), words), float(f"t{n}" in solved))
            for run, solved in zip(runs, right, strict=True)
        ]
        for n, task in enumerate(many)
    ]


def arms(
    groups: Sequence[Sequence[tuple[batches.Turns, float]]], words: Vocabulary
) -> dict[str, list[batches.Turns]]:
    """What each way of going on is trained on."""
    land, other = (fresh(f"further/gold/{which}", words.letters) for which in "ab")
    rng = Random("further/gold")
    maker = Maker(land, rng, Split(SEED), other)
    gold = [words.turns(maker.conversation(task)) for task in tasks_of(maker, rng, len(groups), HOPS)]
    right = [turns for group in groups for turns, reward in group if reward]
    weighed = [
        (ids, [advantage * mine for mine in own])
        for group in groups
        for ((ids, own), _), advantage in zip(group, group_advantages([reward for _, reward in group]), strict=True)
        if advantage
    ]
    return {"gold": gold, "sampling": right, "grpo": weighed}


def goes_on(
    begun: Any, shape: network.Shape, many: list[batches.Turns], steps: int, cells: Any, name: str
) -> list[dict[str, Any]]:
    """Success by cell before, on the way and after `steps` steps; the conversations are gone through as often as
    needed."""
    step, choose = compiled(shape)
    measured = partial(success, choose)
    weights, state = begun, network.still(begun)
    points = [{"step": 0, "success": {cell: measured(weights, one) for cell, one in cells.items()}}]
    packed = cycle(batches.packed(many, Random(f"further/{name}")))
    began = time.process_time()
    for number in range(1, steps + 1):
        weights, state, _ = step(weights, state, next(packed), float(number), RATE)
        if number % max(1, steps // LOOKS) == 0:
            spent = time.process_time() - began
            found = {cell: measured(weights, one) for cell, one in cells.items()}
            points.append({"step": number, "cpu": round(spent, 1), "success": found})
            print(name, json.dumps(points[-1]), flush=True)
    return points


def main() -> None:
    """The command."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--out", type=Path)
    parser.add_argument("--tasks", type=int, default=300)
    parser.add_argument("--samples", type=int, default=8)
    parser.add_argument("--steps", type=int, default=120)
    given = parser.parse_args()
    weights, shape, words, done = convert.trained(given.folder)
    place = given.folder.resolve() / "further"
    place.mkdir(exist_ok=True)
    model = place / "policy.gguf"
    convert.write(model, weights, shape, words)
    groups = rolled(place, model, given.tasks, given.samples, words)
    rewards = [[reward for _, reward in group] for group in groups]
    ways, cells = arms(groups, words), examined(words, EACH)
    found = {
        "from_step": done["step"], "tasks": len(groups), "samples": given.samples, "steps": given.steps, "rate": RATE,
        "each": EACH,
        "right": sum(map(sum, rewards)) / sum(map(len, rewards)),
        "groups_that_differ": sum(0 < sum(group) < len(group) for group in rewards),
        "conversations": {name: len(many) for name, many in ways.items()},
        "curves": {name: goes_on(weights, shape, many, given.steps, cells, name) for name, many in ways.items()},
    }  # fmt: skip
    print(json.dumps({name: value for name, value in found.items() if name != "curves"}, indent=1))
    if given.out:
        given.out.write_text(json.dumps(found, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
