"""Prompt tokens of a hearing: how many are evaluated, and how many were new to the seat that was asked.

New tokens are counted from the record alone: those of the rendered prompt behind the seat's own last words, all of
them in its first prompt. What the engine remembers plays no part in that count.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from models.engine import Ask, Engine, EngineError, Message, Settings, Usage
from models.llama.benching import talk
from models.llama.benching.process import RawProcess
from models.llama.template import ChatTemplate

PROMPT = "bench/hearing"
"""Name of the prompt in the calls of a benchmark."""


@dataclass(frozen=True, slots=True)
class Turn:
    """One call of the hearing and what it cost, in milliseconds and tokens."""

    seat: str
    messages: tuple[Message, ...]
    words: str
    usage: Usage
    milliseconds: float


def ask(seat: str, messages: tuple[Message, ...], tokens: int, *, episode: str, step: int = 0) -> Ask:
    """A call at temperature 0 for up to so many tokens."""
    settings = Settings(temperature=0.0, max_tokens=tokens, thinking=False)
    return Ask(seat, messages, PROMPT, settings=settings, episode=episode, step=step)


def hold(
    engine: Engine,
    *,
    turns: int,
    seats: int,
    speech: int,
    tell: Callable[[int], object] = bool,
    episode: str = "hearing",
) -> list[Turn]:
    """Play the hearing with an engine: each seat in turn says up to `speech` tokens. Raises EngineError."""
    names = talk.seats(seats)
    record: list[tuple[str, str]] = []
    played = []
    for number in range(turns):
        tell(number + 1)
        seat = names[number % len(names)]
        messages = talk.prompt(seat, record)
        started = time.perf_counter()
        reply = engine.answer([ask(seat, messages, speech, episode=episode, step=number + 1)])[0]
        took = (time.perf_counter() - started) * 1000
        if isinstance(reply, EngineError):
            raise reply
        if reply.finish == "context_full":
            raise EngineError(f"the context is full after {number} turns", "Give fewer --turns.")
        record.append((seat, reply.text))
        played.append(Turn(seat, messages, reply.text, reply.usage, took))
    return played


def new_tokens(played: Sequence[Turn], template: ChatTemplate, raw: RawProcess) -> list[int]:
    """How many tokens of each prompt its seat had not seen; the model's own tokenizer counts them."""
    texts = []
    for turn in played:
        pieces = template.pieces(turn.messages, thinking=False)
        own = max((at for at, message in enumerate(turn.messages) if message.role == "assistant"), default=-1)
        seen = max(
            (at for at, piece in enumerate(pieces) if piece.message is not None and piece.message <= own), default=-1
        )
        texts.append(("".join(piece.text for piece in pieces[seen + 1 :]), seen < 0))
    counts = raw.count([(text, True) for text, _ in texts])
    return [count + (raw.adds_bos and first) for count, (_, first) in zip(counts, texts, strict=True)]


def grows(played: Sequence[Turn], template: ChatTemplate) -> bool:
    """Whether every prompt of a seat begins with its last one and the reply to it: nothing was rewritten."""
    before: dict[str, str] = {}
    for turn in played:
        text = "".join(piece.text for piece in template.pieces(turn.messages, thinking=False))
        if not text.startswith(before.get(turn.seat, "")):
            return False
        before[turn.seat] = text + turn.words
    return True


def compare(
    played: Sequence[Turn], template: ChatTemplate, raw: RawProcess, *, length: int, speech: int
) -> dict[str, Any]:
    """The record again by other clients, and evaluated tokens of all in proportion to what was new."""
    fresh = new_tokens(played, template, raw)
    total = sum(fresh)
    by_seat = {
        seat: round(
            sum(turn.usage.evaluated for turn in played if turn.seat == seat)
            / sum(count for count, turn in zip(fresh, played, strict=True) if turn.seat == seat),
            4,
        )
        for seat in dict.fromkeys(turn.seat for turn in played)
    }
    evaluated = sum(turn.usage.evaluated for turn in played)
    took = sum(turn.milliseconds for turn in played)
    result: dict[str, Any] = {
        "append_only": grows(played, template),
        "new": total,
        "engine": {**_waste(evaluated, total, took), "by_seat": by_seat},
    }
    calls = [
        {"messages": [[m.role, m.content] for m in turn.messages], "max_tokens": turn.usage.generated or speech}
        for turn in played
    ]
    for name, stateless in (("chat_api", False), ("stateless", True)):
        try:
            rows = raw.chat(calls, length=length, stateless=stateless)
        except EngineError as error:
            result[name] = {"failed": str(error)}
            continue
        result[name] = _waste(sum(row["evaluated"] for row in rows), total, sum(row["ms"] for row in rows))
    return result


def _waste(evaluated: int, new: int, took: float) -> dict[str, object]:
    return {"evaluated": evaluated, "ratio": round(evaluated / new, 4), "milliseconds": round(took, 1)}
