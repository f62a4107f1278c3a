"""Sequences: what is reused of a prompt, in which chunks the rest is evaluated, offloading, copies, eviction."""

from __future__ import annotations

import random

import pytest

from models.llama.sequences import CHUNK, Segment, StreamPool, plan

pytestmark = pytest.mark.slow


class FakeStreams:
    """Streams as lists of tokens; `read` is what evaluating would do."""

    def __init__(self, rolls_back: bool = True) -> None:
        self.held: dict[int, tuple[int, ...]] = {}
        self.rolls_back = rolls_back
        self.parked = 0

    def cut(self, stream: int, length: int) -> bool:
        if not self.rolls_back:
            return False
        self.held[stream] = self.held.get(stream, ())[:length]
        return True

    def clear(self, stream: int) -> None:
        self.held[stream] = ()

    def save(self, stream: int) -> bytes:
        self.parked += 1
        return repr(self.held.get(stream, ())).encode()

    def restore(self, stream: int, saved: bytes) -> bool:
        self.held[stream] = tuple(eval(saved.decode()))
        return True

    def read(self, stream: int, tokens: tuple[int, ...]) -> None:
        self.held[stream] = (*self.held.get(stream, ()), *tokens)


class Harness:
    """Makes calls against a pool as the server does, and checks that memory is what the pool believes."""

    def __init__(self, count: int, *, rolls_back: bool = True, limit: int = 1 << 20) -> None:
        self.streams = FakeStreams(rolls_back)
        self.pool = StreamPool(self.streams, count, rolls_back=rolls_back, limit=limit)

    def call(self, key: tuple[str, str], runs: list[Segment], reply: tuple[int, ...] = ()) -> tuple[int, str]:
        wanted = plan(runs)
        found = self.pool.find(key, wanted)
        memory = self.pool.memory(key)
        assert self.streams.held.get(found.stream, ()) == tuple(memory.tokens) == wanted.tokens[: found.reused]
        at = found.reused
        for border in wanted.borders:
            if border > at:
                self.streams.read(found.stream, wanted.tokens[at:border])
                memory.grow(wanted.tokens[at:border])
                at = border
        self.pool.checkpoint(key)
        for token in reply:
            self.streams.read(found.stream, (token,))
            memory.grow((token,))
        assert tuple(memory.borders) == plan([*runs, Segment(reply, generated=True)]).borders
        return found.reused, found.origin


def text(start: int, length: int) -> Segment:
    return Segment(tuple(range(start, start + length)))


def test_a_plan_cuts_text_into_chunks_from_its_start_and_speech_into_single_tokens() -> None:
    made = plan([text(0, CHUNK + 10), Segment((1, 2, 3), generated=True), text(5, 4)])
    assert made.borders == (CHUNK, CHUNK + 10, CHUNK + 11, CHUNK + 12, CHUNK + 13, CHUNK + 17)
    assert len(made.tokens) == CHUNK + 17
    assert plan([]).borders == () and plan([Segment(()), text(0, 1)]).borders == (1,)


def test_a_prompt_that_is_all_there_still_evaluates_its_last_chunk() -> None:
    harness = Harness(1)
    harness.call(("e", "a"), [text(0, CHUNK + 10)])
    assert harness.call(("e", "a"), [text(0, CHUNK + 10)]) == (CHUNK, "kept")


def test_what_was_parked_comes_back_and_what_was_lost_says_so() -> None:
    harness = Harness(1)
    runs = {name: [text(number * 1000, 100)] for number, name in enumerate("abc")}
    for name in "abc":
        harness.call((name, "agent"), runs[name], (1,))
    more = [*runs["a"], Segment((1,), generated=True), text(5000, 2)]
    assert harness.call(("a", "agent"), more) == (101, "restored")
    small = Harness(1, limit=10)
    for name in "ab":
        small.call((name, "agent"), runs[name], (1,))
    assert small.call(("a", "agent"), more) == (0, "evicted")


def test_a_seat_that_begins_another_conversation_leaves_its_card_to_others() -> None:
    harness = Harness(3)
    choosing, acting = text(0, 600), text(5000, 600)
    harness.call(("1", "agent"), [choosing], (1, 2))
    assert harness.call(("1", "agent"), [acting], (3,)) == (0, "fresh")
    assert harness.call(("2", "agent"), [text(0, 512), text(9000, 9)]) == (512, "copied")
    assert harness.call(("2", "agent"), [text(5000, 512), text(9000, 9)]) == (512, "copied")


@pytest.mark.parametrize("seed", range(12))
@pytest.mark.parametrize("rolls_back", [True, False])
def test_memory_is_always_what_the_pool_believes(seed: int, rolls_back: bool) -> None:
    chance = random.Random(seed)
    harness = Harness(chance.randint(1, 4), rolls_back=rolls_back, limit=chance.choice([0, 2000, 1 << 20]))
    stories: dict[tuple[str, str], list[Segment]] = {}
    for _ in range(60):
        key = (str(chance.randint(0, 3)), chance.choice("ab"))
        runs = stories.setdefault(key, [text(chance.choice([0, 0, 100]), chance.randint(1, 600))])
        if chance.random() < 0.2:
            del runs[1 + 2 * chance.randint(0, len(runs) // 2) :]
        reply = tuple(chance.randint(0, 5) for _ in range(chance.randint(0, 4)))
        harness.call(key, runs, reply)
        runs += [Segment(reply, generated=True), text(chance.randint(0, 9), chance.randint(1, 300))]
