"""Speed of the engine beside plain loops over the same model with the same settings, repeat by repeat.

The engine is measured from outside, its pipe, template and tokenizer included. Reading is timed by calls for one
token, speaking by what further tokens add to such a call. Every call begins a new episode, so nothing is reused.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any, Protocol

from models.engine import Ask, Engine, EngineError, Message, Reply
from models.llama.benching.figures import Pairs, spread
from models.llama.benching.hearing import ask
from models.llama.benching.process import RawProcess
from models.llama.benching.talk import counting, reading

Messages = tuple[Message, ...]


class Speaking(Engine, Protocol):
    """An engine that can say how it tokenises a prompt."""

    def tokens_of(self, messages: Messages, thinking: bool = True) -> list[int]:
        """The token ids of a prompt."""
        ...


class Clock:
    """Times calls of an engine; every call gets an episode and a prompt of its own."""

    def __init__(self, engine: Speaking) -> None:
        self.engine = engine
        self._numbers: Iterator[int] = count(1000)

    def long_prompt(self, sentences: int) -> Messages:
        """A prompt of so many sentences, unlike any other."""
        return reading(next(self._numbers), sentences)

    def short_prompts(self, number: int) -> list[Messages]:
        """Prompts of about equal length that share no beginning."""
        return [counting(next(self._numbers)) for _ in range(number)]

    def tokens_of(self, messages: Messages) -> list[int]:
        """The token ids that a call with these messages evaluates."""
        return self.engine.tokens_of(messages, thinking=False)

    def time(self, prompts: list[Messages], tokens: int) -> tuple[float, list[Reply]]:
        """Milliseconds of one joint call for up to so many tokens each, and the replies. Raises EngineError."""
        asks: list[Ask] = [
            ask("seat", messages, tokens, episode=f"bench-{next(self._numbers)}") for messages in prompts
        ]
        started = time.perf_counter()
        replies = self.engine.answer(asks)
        took = (time.perf_counter() - started) * 1000
        heard = []
        for reply in replies:
            if isinstance(reply, EngineError):
                raise reply
            heard.append(reply)
        return took, heard

    def speaking(self, number: int, tokens: int) -> tuple[float, int, list[list[int]]]:
        """Tokens a second of `number` calls decoding together, how many calls shared a batch, and their prompts' ids.

        The first call is not timed: it brings the model back into the caches of the machine, as reading does for the
        plain loop. Where noise swallows the difference (tiny models) the whole call counts.
        """
        self.time(self.short_prompts(number), 1)
        first, _ = self.time(self.short_prompts(number), 1)
        prompts = self.short_prompts(number)
        whole, replies = self.time(prompts, tokens)
        said = sum(reply.usage.generated - 1 for reply in replies)
        if said < number:
            raise EngineError(
                "the model says too little to be timed", "A chat model that answers at length is needed."
            )
        ids = [self.tokens_of(messages) for messages in prompts]
        speaking = whole - first if whole > first else whole
        return said * 1000 / speaking, max(reply.usage.batch for reply in replies), ids


def sentences_for(clock: Clock, tokens: int) -> int:
    """How many sentences make a prompt of about so many tokens."""
    sentences = 1
    while len(clock.tokens_of(reading(0, sentences))) < tokens and sentences < tokens:
        sentences += 1
    return sentences


def single(
    engine: Speaking, raw: RawProcess, *, repeats: int, prompt: int, speech: int, tell: Callable[[int], object]
) -> dict[str, Any]:
    """One call at a time: {"prefill", "decode"}, each with speeds and their ratio."""
    clock = Clock(engine)
    prefill, decode = Pairs(), Pairs()
    length = sentences_for(clock, prompt)
    clock.time(clock.short_prompts(1), 2)
    for repeat in range(repeats):
        tell(repeat + 1)
        messages = clock.long_prompt(length)
        ids = clock.tokens_of(messages)
        clock.time(clock.short_prompts(1), 1)
        took, replies = clock.time([messages], 1)
        if replies[0].usage.evaluated != len(ids):
            raise EngineError(
                "the engine did not evaluate the whole of a new prompt", "This is a defect; please report it."
            )
        raw.run("speed", tokens=ids[:32], generate=1)
        plain = raw.run("speed", tokens=ids, generate=1)
        prefill.add(len(ids) * 1000 / took, len(ids) * 1000 / plain["prefill"])
        speed, _, prompts = clock.speaking(1, speech)
        plain = raw.run("speed", tokens=prompts[0], generate=speech)
        decode.add(speed, (speech - 1) * 1000 / plain["decode"])
    return {"prefill": prefill.data(), "decode": decode.data()}


def parallel(
    engine: Speaking, raw: RawProcess, *, numbers: tuple[int, ...], repeats: int, speech: int,
    tell: Callable[[int], object],
) -> list[dict[str, Any]]:  # fmt: skip
    """Several calls at once: speed of all together, beside the plain batched loop and beside one call of ours."""
    clock = Clock(engine)
    pairs = {number: Pairs() for number in numbers}
    shared = dict.fromkeys(numbers, 1)
    clock.time(clock.short_prompts(max(numbers)), 2)
    for repeat in range(repeats):
        tell(repeat + 1)
        for number in numbers:
            speed, shared[number], prompts = clock.speaking(number, speech)
            plain = raw.run("together", prompts=prompts, generate=speech)
            pairs[number].add(speed, number * (speech - 1) * 1000 / plain["decode"])
    one = pairs[numbers[0]].ours
    return [
        {
            "n": number,
            "batch": shared[number],
            **pairs[number].data(),
            "relative": spread([many / single for many, single in zip(pairs[number].ours, one, strict=True)]),
            "raw_relative": spread([a / b for a, b in zip(pairs[number].raw, pairs[numbers[0]].raw, strict=True)]),
        }
        for number in numbers
    ]
