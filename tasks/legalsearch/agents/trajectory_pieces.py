"""What a model really said in one call: an engine parts a leading think block from the speech, the protocol has both.

`spoken` puts them together again in one fixed writing, for prompts. `pieces` gives the very text as it was generated,
token by token with entropies in nats, where the record holds the tokens.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from typing import Literal, NamedTuple

from models.engine import Reply
from tasks.episode.events import ModelCalled

Source = Literal["model", "tool", "rendered"]
BROKEN = "\ufffd"
"""Stands in a token's text where the token ends inside a character."""
_OPEN, _CLOSE = "<think>\n", "\n</think>\n"


class TrajectoryPiece(NamedTuple):
    """A stretch of a trajectory. `entropy` in nats of the token as the model drew it, None where nobody knows.

    `exact` says that it is over the whole vocabulary; otherwise the likeliest tokens alone give an estimate from
    below.
    """

    text: str
    source: Source
    entropy: float | None = None
    exact: bool = False


def spoken(call: Reply | ModelCalled) -> str:
    """The reply of a call with its think block, as the protocol writes it.

    A think block that the model was cut off in stays open. Reasoning before a reply that has a think block of its own
    is the model's private affair and no part of it.
    """
    if not _shown(call):
        return call.text
    if not call.text and call.finish != "stop":
        return f"{_OPEN}{call.reasoning}"
    return f"{_OPEN}{call.reasoning}{_CLOSE}{call.text}"


def _shown(call: Reply | ModelCalled) -> str:
    """The reasoning that belongs to the reply."""
    return "" if call.text.lstrip().startswith("<think>") else call.reasoning.strip()


def pieces(call: ModelCalled) -> list[TrajectoryPiece]:
    """The reply token by token; one piece without entropy where the record has no tokens, or none that fit the
    reply."""
    entropies = _entropies(call)
    texts = [str(row[0]) for row in call.logprobs]
    if not texts:
        return [TrajectoryPiece(spoken(call), "model")]
    fitted = _fitted(texts, call)
    if fitted is None:
        return [TrajectoryPiece(spoken(call), "model")]
    before, tokens = fitted
    first = [TrajectoryPiece(before, "rendered")] if before else []
    made = (TrajectoryPiece(text, "model", *entropy) for text, entropy in zip(tokens, entropies, strict=True))
    return [*first, *(piece for piece in made if piece.text or piece.entropy is not None)]


def _entropies(call: ModelCalled) -> list[tuple[float | None, bool]]:
    if len(call.entropies) == len(call.logprobs):
        return [(value, True) for value in call.entropies]
    return [(entropy_of_top([chance for _, chance in top]) if top else None, False) for _, _, top in call.logprobs]


def entropy_of_top(logprobs: Sequence[float]) -> float:
    """The entropy in nats that the most likely tokens tell: never more than the truth, as the rest counts as one
    token."""
    shares = [math.exp(min(0.0, value)) for value in logprobs]
    rest = max(0.0, 1.0 - math.fsum(shares))
    return max(0.0, -math.fsum(share * math.log(share) for share in [*shares, rest] if share > 0))


def _fitted(texts: Sequence[str], call: ModelCalled) -> tuple[str, list[str]] | None:
    """What stands before the first token, and the text of each token; None where they are not those of the reply."""
    joined = "".join(texts)
    reasoning, text = _shown(call), call.text
    if not reasoning:
        return _cut(texts, joined, text, private=bool(call.reasoning.strip()))
    at = joined.find(reasoning)
    end = at + len(reasoning)
    if at < 0:
        if BROKEN in joined and (whole := _aligned(texts, spoken(call))) is not None:
            return "", whole
        only = _cut(texts, joined, text)  # a server that keeps the reasoning, and its tokens, to itself
        return (f"{_OPEN}{call.reasoning}{_CLOSE}", only[1]) if only else None
    said = joined.find(text.strip(), end) if text.strip() else len(joined)
    if said < 0:
        return None
    opener, closer = joined[:at], joined[end:said]
    kept = opener.strip() in ("", "<think>") and (closer.strip() in ("</think>", "") or not text)
    parts = [(0, at, opener if kept else _OPEN), (at, end, reasoning), (end, said, closer if kept else _CLOSE)]
    tail = said + len(text.strip())
    rest = joined[tail:] if not joined[tail:].strip() else ""
    parts += [(said, tail, text.strip()), (tail, len(joined), rest)]
    return ("" if opener.strip() else _OPEN), _spread(texts, parts)


def _cut(texts: Sequence[str], joined: str, text: str, *, private: bool = False) -> tuple[str, list[str]] | None:
    """The tokens of a speech; what came after a stop string is left out, and `private` reasoning before it."""
    if joined == text:
        return "", list(texts)
    if BROKEN in joined:
        aligned = _aligned(texts, text)
        return None if aligned is None else ("", aligned)
    at = (joined.rfind(text) if private else joined.find(text)) if text else -1
    if at < 0 or (joined[:at].strip() and not private):
        return None
    return "", _spread(texts, [(0, at, ""), (at, at + len(text), text), (at + len(text), len(joined), "")])


def _spread(texts: Sequence[str], parts: Iterable[tuple[int, int, str]]) -> list[str]:
    """The text of each token when stretches (start, end) of their join are replaced.

    A stretch that stays as it is keeps its borders; another goes to the token in which it begins, or to the next one.
    """
    made = [""] * len(texts)
    starts: list[int] = []
    total = 0
    for text in texts:
        starts.append(total)
        total += len(text)
    joined = "".join(texts)
    index = 0
    for start, end, new in parts:
        if start == end:
            continue
        while index + 1 < len(texts) and starts[index + 1] <= start:
            index += 1
        if joined[start:end] != new:
            made[index] += new
            continue
        at, token = start, index
        while at < end:
            stop = min(end, starts[token] + len(texts[token]))
            made[token] += joined[at:stop]
            at = max(at, stop)
            if at < end:
                token += 1
    return made


def _aligned(texts: Sequence[str], target: str) -> list[str] | None:
    """Tokens whose texts are broken inside characters, laid along the text that they make up; None where they are not
    its.

    A character goes to the first of the tokens that share it.
    """
    made: list[str] = []
    at, broken = 0, 0
    taker: int | None = None
    for index, text in enumerate(texts):
        core = text.strip(BROKEN)
        if not core or BROKEN in core:
            made.append("")
            taker = index if taker is None else taker
            broken += len(text)
            continue
        if taker is None and text.startswith(BROKEN):
            taker, broken = index, 1
        found = target.find(core, at, at + len(core) + broken)
        if found < 0:
            return None
        made.append(core)
        if taker is not None:
            made[taker] = target[at:found] + core if taker == index else made[taker] + target[at:found]
        at = found + len(core)
        taker, broken = (index, 1) if text.endswith(BROKEN) else (None, 0)
    if taker is not None:
        made[taker] += target[at:]
        at = len(target)
    return made if not target[at:].strip() else None
