"""The story of somebody who asks for advice, handed out turn by turn: with a question comes what belongs to it.

Sentences of the background go to the topic with which they share most pairs of characters; what belongs to none is
the core and comes first. What the other asked back is handed out at once. The same case gives the same portions.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from tasks.courts.scores.bigrams import bigrams, sentences

MOST = 0.6
"""Of the story, that one turn takes."""
BELONGS = 2
"""Pairs that a sentence and a topic share, from which on it belongs there."""
ANSWERS = 2
"""Pairs that a sentence and a question of the other share, from which on it may answer it."""
CORE = ""
"""The place of what belongs to no topic."""
_ASKS = ("？", "?", "吗", "呢")


def portions(background: str, topics: Sequence[Mapping[str, Any]]) -> Mapping[str, tuple[str, ...]]:
    """Id of a topic, or CORE -> its sentences, in the order of the story; the first sentence is core.

    No turn takes more than `MOST` of the story but for a single sentence, the core, half as much, counted with the
    first
    topic: what is too much for one waits for the next, the sentences that are nearest to it stay.

    Args:
        background: the story.
        topics: as JSON data, with id, question and aliases.
    """
    parts = [part.strip() for part in sentences(background)]
    asked = {str(topic["id"]): _pairs([topic["question"], *topic.get("aliases", ())]) for topic in topics}
    shared = {name: [len(bigrams(part) & pairs) for part in parts] for name, pairs in asked.items()}
    placed: dict[str, list[int]] = {CORE: [], **{name: [] for name in asked}}
    for at in range(len(parts)):
        best = max(shared, key=lambda name: shared[name][at], default=CORE)
        placed[best if at and best and shared[best][at] >= BELONGS else CORE].append(at)
    size, waiting = 0, list[int]()
    last = list(placed)[-1]
    for name in placed:
        mine = sorted([*placed[name], *waiting], key=lambda at: (-shared[name][at] if name else 0, at))
        most = MOST * len(background) / (1 if name else 2)
        placed[name], waiting = [], []
        for at in mine:
            kept = size + len(parts[at]) <= most or not placed[name] or name == last
            (placed[name] if kept else waiting).append(at)
            size += len(parts[at]) if kept else 0
        size = 0 if name else size
    return {name: tuple(parts[at] for at in sorted(own)) for name, own in placed.items() if own}


def answering(background: str, heard: Sequence[str]) -> tuple[str, ...]:
    """The sentence of the story nearest to each question in what was heard, in the order of the story."""
    parts = [part.strip() for part in sentences(background)]
    near: set[int] = set()
    for question in (part.strip() for text in heard for part in sentences(text)):
        if question.endswith(_ASKS):
            shared = [len(bigrams(part) & bigrams(question)) for part in parts]
            if max(shared, default=0) >= ANSWERS:
                near.add(shared.index(max(shared)))
    return tuple(parts[at] for at in sorted(near))


def _pairs(texts: Sequence[str]) -> frozenset[str]:
    return frozenset().union(*map(bigrams, texts))
