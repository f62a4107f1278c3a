"""Which part of a prompt is in memory already: one sequence per (episode, seat), a pool of streams, parking, copies.

A prompt is evaluated in chunks that follow from its own structure alone (`plan`), never from what happened to be in
memory before: framed text in chunks of `CHUNK` from its start, the model's own words one by one as it spoke them.
Memory is reused only up to a border that both evaluations share. So a call gives the same bytes fresh, on a reused
prefix, after parking, or after a restart. Units: tokens and positions as in `native`; sizes in bytes.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import takewhile
from typing import Protocol

from models.engine import Origin

CHUNK = 256
WORTH_COPYING = 32
"""Tokens that another sequence must save before its memory is copied."""
Key = tuple[str, str]
"""(episode, seat)."""


@dataclass(frozen=True, slots=True)
class Run:
    """A stretch of a prompt: `spoken` are the engine's own tokens of an earlier turn, the rest is framed text."""

    tokens: tuple[int, ...]
    spoken: bool = False


@dataclass(frozen=True, slots=True)
class Plan:
    """A prompt as token ids and the borders of its chunks: 0 < borders, the last one is the length."""

    tokens: tuple[int, ...]
    borders: tuple[int, ...]


def plan(runs: Iterable[Run]) -> Plan:
    """How a prompt is evaluated."""
    tokens: list[int] = []
    borders: list[int] = []
    for run in runs:
        start, grain = len(tokens), 1 if run.spoken else CHUNK
        tokens += run.tokens
        borders += range(start + grain, len(tokens), grain)
        if len(tokens) > start:
            borders.append(len(tokens))
    return Plan(tuple(tokens), tuple(borders))


def common_length(one: Sequence[int], other: Sequence[int]) -> int:
    """Length of the longest common beginning; compares slices, which is quick for thousands of tokens."""
    low, high = 0, min(len(one), len(other))
    while low < high:
        middle = (low + high + 1) // 2
        if tuple(one[low:middle]) == tuple(other[low:middle]):
            low = middle
        else:
            high = middle - 1
    return low


@dataclass
class Memory:
    """What is known of a sequence: its tokens in order, the borders of the chunks in which they were evaluated.

    `marks` are saved states (position, bytes) to which a model that cannot roll back can still return.
    """

    tokens: list[int] = field(default_factory=list)
    borders: list[int] = field(default_factory=list)
    marks: list[tuple[int, bytes]] = field(default_factory=list)

    def shared(self, wanted: Plan) -> int:
        """Tokens that both have, up to a common border; never the whole prompt: its last chunk gives the answer."""
        same = common_length(self.tokens, wanted.tokens)
        common = takewhile(lambda pair: pair[0] == pair[1], zip(self.borders, wanted.borders[:-1], strict=False))
        return max((border for border, _ in common if border <= same), default=0)

    def usable(self, wanted: Plan, rolls_back: bool) -> int:
        """How much of it can be reused for a prompt."""
        shared = self.shared(wanted)
        if rolls_back or shared == len(self.tokens):
            return shared
        return max((at for at, _ in self.marks if at <= shared and at in wanted.borders[:-1]), default=0)

    def cut(self, length: int) -> None:
        """Forget from position `length` on."""
        del self.tokens[length:]
        del self.borders[bisect_right(self.borders, length) :]
        self.marks = [mark for mark in self.marks if mark[0] <= length]

    def grow(self, tokens: Sequence[int]) -> None:
        """One more evaluated chunk."""
        self.tokens += tokens
        self.borders.append(len(self.tokens))

    def copy(self) -> Memory:
        """The same, to go another way."""
        return Memory(list(self.tokens), list(self.borders), list(self.marks))


class Streams(Protocol):
    """What `native.Context` offers here."""

    def cut(self, stream: int, length: int) -> bool:
        """Forget from a position on."""
        ...

    def clear(self, stream: int) -> None:
        """Forget all."""
        ...

    def save(self, stream: int) -> bytes:
        """The memory of one stream."""
        ...

    def restore(self, stream: int, saved: bytes) -> bool:
        """Bring it back."""
        ...


@dataclass(frozen=True, slots=True)
class Found:
    """Where a prompt goes on: its stream, how many of its tokens are there, and where they came from."""

    stream: int
    reused: int
    origin: Origin


class Pool:
    """Streams and who lives in them. The longest unused sequence is parked in ordinary memory, then forgotten."""

    def __init__(self, streams: Streams, count: int, *, rolls_back: bool, room: int) -> None:
        self._streams = streams
        self._rolls_back = rolls_back
        self._room = room
        """Bytes that parked sequences may take."""
        self._free = list(range(count))
        self._living: OrderedDict[Key, tuple[int, Memory]] = OrderedDict()
        self._parked: OrderedDict[Key, tuple[Memory, bytes]] = OrderedDict()
        self._lost: OrderedDict[Key, None] = OrderedDict()
        self._aside = 0

    def memory(self, key: Key) -> Memory:
        """What is known of a living sequence."""
        return self._living[key][1]

    def facts(self) -> dict[str, int]:
        """Living and parked sequences, and the bytes of the latter."""
        return {"living": len(self._living), "parked": len(self._parked), "parked_bytes": self._parked_bytes()}

    def find(self, key: Key, wanted: Plan, busy: Callable[[Key], bool] = lambda key: False) -> Found:
        """Give a prompt its stream, with as much of it in memory as can be had. `busy` sequences keep their
        stream."""
        own = self._known().get(key)
        mine = own.usable(wanted, self._rolls_back) if own else 0
        if own is not None and mine < WORTH_COPYING <= len(own.tokens):
            self._set_aside(key)
            mine = 0
        source, best = self._best(wanted)
        if source is not None and source != key and best >= mine + WORTH_COPYING:
            return self._copied(key, source, best, busy)
        if key in self._living:
            stream, memory = self._living[key]
            self._living.move_to_end(key)
            return Found(stream, self._return_to(stream, memory, mine), "kept" if mine else "fresh")
        if key in self._parked and mine:
            memory, saved = self._parked.pop(key)
            stream = self._stream(busy)
            if self._streams.restore(stream, saved):
                self._living[key] = (stream, memory)
                return Found(stream, self._return_to(stream, memory, mine), "restored")
            self._streams.clear(stream)
            self._free.append(stream)
        self._parked.pop(key, None)
        origin: Origin = "evicted" if key in self._lost else "fresh"
        self._lost.pop(key, None)
        stream = self._stream(busy)
        self._living[key] = (stream, Memory())
        return Found(stream, 0, origin)

    def mark(self, key: Key) -> None:
        """Keep a way back to this point, for a model whose memory cannot be rolled back."""
        if not self._rolls_back:
            stream, memory = self._living[key]
            memory.marks = [(len(memory.tokens), self._streams.save(stream))]

    def drop(self, key: Key) -> None:
        """Forget a sequence: its stream is in an unknown state."""
        self._parked.pop(key, None)
        living = self._living.pop(key, None)
        if living is not None:
            self._streams.clear(living[0])
            self._free.append(living[0])

    def _known(self) -> dict[Key, Memory]:
        living = {key: memory for key, (_, memory) in self._living.items()}
        return {**living, **{key: memory for key, (memory, _) in self._parked.items()}}

    def _best(self, wanted: Plan) -> tuple[Key | None, int]:
        best: tuple[Key | None, int] = (None, 0)
        for key, memory in self._known().items():
            usable = memory.usable(wanted, self._rolls_back)
            if usable > best[1]:
                best = (key, usable)
        return best

    def _copied(self, key: Key, source: Key, length: int, busy: Callable[[Key], bool]) -> Found:
        """Begin with what another sequence holds, by way of ordinary memory: `llama_memory_seq_cp` copies whole
        streams (at a context of 8,192 as long as 1,500 tokens take here), and only at the next evaluation, before
        which a save of the copy reads what was there before."""
        if source in self._living:
            at, original = self._living[source]
            saved = self._streams.save(at)
            self._living.move_to_end(source)
        else:
            original, saved = self._parked[source]
        memory = original.copy()
        if key in self._living:
            stream = self._living[key][0]
        else:
            self._parked.pop(key, None)
            stream = self._stream(busy)
        if not self._streams.restore(stream, saved):
            self._streams.clear(stream)
            memory = Memory()
        self._lost.pop(key, None)
        self._living[key] = (stream, memory)
        self._living.move_to_end(key)
        reused = self._return_to(stream, memory, length) if memory.tokens else 0
        return Found(stream, reused, "copied" if reused else "fresh")

    def _set_aside(self, key: Key) -> None:
        """The seat begins another conversation: what it had stays for whoever begins like it (the same card, say)."""
        self._aside += 1
        aside = (key[0], f"{key[1]}#{self._aside}")
        if key in self._living:
            self._living[aside] = self._living.pop(key)
        else:
            self._parked[aside] = self._parked.pop(key)

    def _return_to(self, stream: int, memory: Memory, length: int) -> int:
        """Forget what follows position `length`; gives where the sequence really stands then."""
        if length == len(memory.tokens):
            return length
        if length and self._rolls_back and self._streams.cut(stream, length):
            memory.cut(length)
            return length
        saved = next((state for at, state in memory.marks if at == length), None)
        if length and saved is not None and self._streams.restore(stream, saved):
            memory.cut(length)
            return length
        self._streams.clear(stream)
        memory.cut(0)
        return 0

    def _stream(self, busy: Callable[[Key], bool]) -> int:
        """A free stream, or that of a sequence not in use, which is parked.

        llama.cpp decodes neighbouring streams in one pass and splits all others, so calls of one batch get
        neighbours; the first of them takes the lowest free stream, or that of the sequence unused for longest.
        """
        used = [stream for key, (stream, _) in self._living.items() if busy(key)]

        def distance(stream: int) -> int:
            return min((abs(stream - other) for other in used), default=0)

        if self._free:
            stream = min(self._free, key=lambda one: (distance(one), one))
            self._free.remove(stream)
            return stream
        idle = [(key, stream) for key, (stream, _) in self._living.items() if not busy(key)]
        key, stream = min(idle, key=lambda one: distance(one[1]))
        _, memory = self._living.pop(key)
        self._park(key, memory, self._streams.save(stream))
        self._streams.clear(stream)
        return stream

    def _park(self, key: Key, memory: Memory, saved: bytes) -> None:
        if len(saved) > self._room:
            self._lose(key)
            return
        self._parked[key] = (memory, saved)
        while self._parked_bytes() > self._room:
            oldest, _ = self._parked.popitem(last=False)
            self._lose(oldest)

    def _lose(self, key: Key) -> None:
        self._lost[key] = None
        while len(self._lost) > 10_000:
            self._lost.popitem(last=False)

    def _parked_bytes(self) -> int:
        return sum(len(saved) + sum(len(mark) for _, mark in memory.marks) for memory, saved in self._parked.values())
