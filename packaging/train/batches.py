"""Batches: conversations packed into rows, one chunk of them a fresh jurisdiction; the same chunk every time.

A chunk depends on its number and the seed alone, so an interrupted training goes on with the chunk it stood before.
"""

from __future__ import annotations

import time
from collections import deque
from collections.abc import Generator, Iterable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from itertools import count
from multiprocessing import get_context
from random import Random

import numpy as np
from rollouts import COMPACT, FINAL, WORDS, Maker, Split, action_object, fill, fresh, phrase, tasks_of
from vocabulary import END, Vocabulary

from models.engine import Message

ROWS, LENGTH = 12, 400
SAID = 214
"""Own tokens of a batch at most, by row."""
Turns = tuple[list[int], Sequence[float]]
"""Tokens of a conversation, and what each is worth as something to say: 0 for those of others, 1 for the agent's
own."""
Batch = tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray]


@dataclass(frozen=True)
class Plan:
    """What a training is made of; `tasks` a chunk."""

    seed: int
    tasks: int = 400
    copies: int = 60
    """Conversations that only copy: the first chunk holds nothing else."""
    rows: int = ROWS


def chunk(number: int, plan: Plan, words: Vocabulary) -> list[Turns]:
    """The conversations of a chunk, those that only copy among them."""
    rng = Random(f"chunk/{plan.seed}/{number}")
    if not number:
        return list(copies(plan.copies, rng, words))
    land, other = (fresh(f"{plan.seed}/{number}/{which}", words.letters) for which in "ab")
    maker = Maker(land, rng, Split(plan.seed, strange=f"{plan.seed}/{number}"), other)
    made = [words.turns(maker.conversation(task)) for task in tasks_of(maker, rng, plan.tasks)]
    return [*made, *copies(plan.copies, rng, words), *lists(plan.copies, rng, words)]


def ready(number: int, plan: Plan, words: Vocabulary) -> tuple[list[Batch], float]:
    """A chunk packed, and the processor seconds that it took."""
    began = time.process_time()
    made = packed(chunk(number, plan, words), Random(f"packed/{plan.seed}/{number}"), plan.rows)
    return made, time.process_time() - began


def ahead(
    first: int, plan: Plan, words: Vocabulary, workers: int
) -> Generator[tuple[list[Batch], float], None, None]:
    """The chunks from `first` on without end, made by other processes while the one before is trained on."""
    with ProcessPoolExecutor(workers, mp_context=get_context("spawn")) as pool:
        waiting = deque(pool.submit(ready, number, plan, words) for number in range(first, first + 2 * workers))
        try:
            for number in count(first + 2 * workers):
                yield waiting.popleft().result()
                waiting.append(pool.submit(ready, number, plan, words))
        finally:
            pool.shutdown(cancel_futures=True)


def copies(many: int, rng: Random, words: Vocabulary) -> Iterator[Turns]:
    """Random texts said twice: the second time is the agent's."""
    letters = [n for n, (_, kind) in enumerate(words.tokens) if kind == "character"]
    for _ in range(many):
        text = rng.choices(letters, k=rng.randint(20, 60))
        yield [2, *text, 3, *text, END], [False] * (len(text) + 2) + [True] * (len(text) + 1)


def lists(many: int, rng: Random, words: Vocabulary) -> Iterator[Turns]:
    """Lists of names that are alike, as a tool gives them and as an answer says them."""
    for _ in range(many):
        few, digits = rng.sample(words.letters, 6), rng.sample("0123456789", 4)
        begins = ["".join(rng.choices(few, k=rng.randint(1, 3))) for _ in range(2)]
        ends = [rng.choice(("有限公司", "号", "律师事务所", "人民法院"))] * 2
        names = [
            rng.choice(begins)
            + "".join(rng.choices(rng.choice((few, digits)), k=rng.randint(2, 5)))
            + rng.choice(ends)
            for _ in range(rng.randint(2, 6))
        ]
        column = rng.choice(("案号", "公司名称", "律师事务所名称", "法院名称"))
        seen = phrase("turn", "observation", words=WORDS, observation=str([{column: name} for name in names]))
        answer = "经查询，" + "；".join(f"{column}：{name}" for name in names) + "。"
        yield words.turns([
            Message("system", fill(COMPACT)), Message("user", seen),
            Message("assistant", action_object(FINAL, answer)),
        ])  # fmt: skip


def packed(many: Iterable[Turns], rng: Random, wide: int = ROWS) -> list[Batch]:
    """Conversations in batches of `wide` rows of LENGTH tokens; those that do not fit in a row are left out."""
    left = [one for one in many if len(one[0]) <= LENGTH]
    rng.shuffle(left)
    batches = []
    while left:
        rows: list[list[Turns]] = []
        for _ in range(wide):
            row, size = list[Turns](), 0
            for place in range(len(left) - 1, max(-1, len(left) - 40), -1):
                if size + len(left[place][0]) <= LENGTH:
                    size += len(left[place][0])
                    row.append(left.pop(place))
            rows.append(row)
        batches.append(_batch(rows))
    return batches[:-1] or batches


def _batch(rows: Sequence[Sequence[Turns]]) -> Batch:
    ids = np.zeros((len(rows), LENGTH), np.int32)
    segment = np.zeros((len(rows), LENGTH), np.int32)
    at, target, worth = list[int](), list[int](), list[float]()
    for number, row in enumerate(rows):
        begin = 0
        for which, (tokens, own) in enumerate(row, 1):
            end = begin + len(tokens)
            ids[number, begin:end], segment[number, begin:end] = tokens, which
            said = [n for n, mine in enumerate(own) if mine]
            at += [number * LENGTH + begin + n - 1 for n in said]
            target += [tokens[n] for n in said]
            worth += [own[n] for n in said]
            begin = end
    most = SAID * len(rows)
    at, target = at[:most], target[:most]
    weight = np.zeros(most, np.float32)
    weight[: len(at)] = worth[:most]
    spare = [0] * (most - len(at))
    return ids, segment, np.array(at + spare, np.int32), np.array(target + spare, np.int32), weight
