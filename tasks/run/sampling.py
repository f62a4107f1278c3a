"""A sample of the tasks of a run: some of every group, the same for the same seed wherever the tasks stand in their
file.

A sample says more about a benchmark than its first tasks, which are often all of one kind. It is nested: a larger one
of the same seed holds the smaller.
"""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from itertools import groupby

from tasks.benchmark import Question


def sample(questions: Sequence[Question], size: int | None, seed: int) -> list[Question]:
    """So many of the questions, in their order; all where there are no more, or `size` is None.

    Within a group the seed says who comes first. Groups take turns by the method of Webster and Sainte-Laguë: the
    k-th of a group of m comes at (k - 1/2) / m, so each has the share that it has among all, to a task or so.
    """
    if size is None or size >= len(questions):
        return list(questions)
    drawn = sorted(questions, key=lambda question: (question.group, _lot(question, seed)))
    turns: list[tuple[float, str, str]] = []
    for _, found in groupby(drawn, key=lambda question: question.group):
        members = list(found)
        turns += [((2 * k + 1) / len(members), _lot(one, seed), one.id) for k, one in enumerate(members)]
    chosen = {name for _, _, name in sorted(turns)[:size]}
    return [question for question in questions if question.id in chosen]


def _lot(question: Question, seed: int) -> str:
    return sha256(f"{seed} {question.id}".encode("utf-8", "surrogatepass")).hexdigest()
