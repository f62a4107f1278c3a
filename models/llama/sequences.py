"""Prefix reuse: one sequence per (episode, seat) in a pool of streams, offloading to ordinary memory, copies.

A prompt is evaluated in chunks that follow from its own structure alone (`plan`), never from what happened to be in
memory before: framed text in chunks of `CHUNK` from its start, the model's own tokens one by one as it drew them.
Memory is reused only up to a border that both evaluations share. So a call gives the same bytes fresh, on a reused
prefix, after offloading, or after a restart. Units: tokens and positions as in `native`; sizes in bytes.
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
class Segment:
    """A stretch of a prompt: `generated` are the engine's own tokens of an earlier turn, the rest is framed text."""

    tokens: tuple[int, ...]
    generated: bool = False


@dataclass(frozen=True, slots=True)
class PrefillPlan:
    """A prompt as token ids and the borders of its chunks: 0 < borders, the last one is the length."""

    tokens: tuple[int, ...]
    borders: tuple[int, ...]


def plan(runs: Iterable[Segment]) -> PrefillPlan:
    """How a prompt is evaluated."""
    tokens: list[int] = []
    borders: list[int] = []
    for run in runs:
        start, grain = len(tokens), 1 if run.generated else CHUNK
        tokens += run.tokens
        borders += range(start + grain, len(tokens), grain)
        if len(tokens) > start:
            borders.append(len(tokens))
    return PrefillPlan(tuple(tokens), tuple(borders))


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
class SequenceMemory:
    """What is known of a sequence: its tokens in order, the borders of the chunks in which they were evaluated.

    `checkpoints` are saved states (position, bytes) to which a model that cannot roll back can still return.
    """

    tokens: list[int] = field(default_factory=list)
    borders: list[int] = field(default_factory=list)
    checkpoints: list[tuple[int, bytes]] = field(default_factory=list)

    def shared(self, wanted: PrefillPlan) -> int:
        """Tokens that both have, up to a common border; never the whole prompt: its last chunk gives the answer."""
        same = common_length(self.tokens, wanted.tokens)
        common = takewhile(lambda pair: pair[0] == pair[1], zip(self.borders, wanted.borders[:-1], strict=False))
        return max((border for border, _ in common if border <= same), default=0)

    def usable(self, wanted: PrefillPlan, rolls_back: bool) -> int:
        """How much of it can be reused for a prompt."""
        shared = self.shared(wanted)
        if rolls_back or shared == len(self.tokens):
            return shared
        return max((at for at, _ in self.checkpoints if at <= shared and at in wanted.borders[:-1]), default=0)

    def cut(self, length: int) -> None:
        """Forget from position `length` on."""
        del self.tokens[length:]
        del self.borders[bisect_right(self.borders, length) :]
        self.checkpoints = [checkpoint for checkpoint in self.checkpoints if checkpoint[0] <= length]

    def grow(self, tokens: Sequence[int]) -> None:
        """One more evaluated chunk."""
        self.tokens += tokens
        self.borders.append(len(self.tokens))

    def copy(self) -> SequenceMemory:
        """The same, to go another way."""
        return SequenceMemory(list(self.tokens), list(self.borders), list(self.checkpoints))


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
class StreamMatch:
    """Where a prompt goes on: its stream, how many of its tokens are there, and where they came from."""

    stream: int
    reused: int
    origin: Origin


class StreamPool:
    """Streams and their sequences. The least recently used one is offloaded to ordinary memory, then evicted."""

    def __init__(self, streams: Streams, count: int, *, rolls_back: bool, limit: int) -> None:
        self._streams = streams
        self._rolls_back = rolls_back
        self._limit = limit
        """Bytes that offloaded sequences may take."""
        self._free = list(range(count))
        self._active: OrderedDict[Key, tuple[int, SequenceMemory]] = OrderedDict()
        self._offloaded: OrderedDict[Key, tuple[SequenceMemory, bytes]] = OrderedDict()
        self._evicted: OrderedDict[Key, None] = OrderedDict()
        self._detached = 0

    def memory(self, key: Key) -> SequenceMemory:
        """What is known of a sequence in a stream."""
        return self._active[key][1]

    def find(self, key: Key, wanted: PrefillPlan, busy: Callable[[Key], bool] = lambda key: False) -> StreamMatch:
        """Give a prompt its stream, with as much of it in memory as can be had. `busy` sequences keep their
        stream."""
        own = self._known().get(key)
        mine = own.usable(wanted, self._rolls_back) if own else 0
        if own is not None and mine < WORTH_COPYING <= len(own.tokens):
            self._detach(key)
            mine = 0
        source, best = self._best(wanted)
        if source is not None and source != key and best >= mine + WORTH_COPYING:
            return self._copied(key, source, best, busy)
        if key in self._active:
            stream, memory = self._active[key]
            self._active.move_to_end(key)
            return StreamMatch(stream, self._return_to(stream, memory, mine), "kept" if mine else "fresh")
        if key in self._offloaded and mine:
            memory, saved = self._offloaded.pop(key)
            stream = self._stream(busy)
            if self._streams.restore(stream, saved):
                self._active[key] = (stream, memory)
                return StreamMatch(stream, self._return_to(stream, memory, mine), "restored")
            self._streams.clear(stream)
            self._free.append(stream)
        self._offloaded.pop(key, None)
        origin: Origin = "evicted" if key in self._evicted else "fresh"
        self._evicted.pop(key, None)
        stream = self._stream(busy)
        self._active[key] = (stream, SequenceMemory())
        return StreamMatch(stream, 0, origin)

    def checkpoint(self, key: Key) -> None:
        """Keep a way back to this point, for a model whose memory cannot be rolled back."""
        if not self._rolls_back:
            stream, memory = self._active[key]
            memory.checkpoints = [(len(memory.tokens), self._streams.save(stream))]

    def drop(self, key: Key) -> None:
        """Forget a sequence: its stream is in an unknown state."""
        self._offloaded.pop(key, None)
        active = self._active.pop(key, None)
        if active is not None:
            self._streams.clear(active[0])
            self._free.append(active[0])

    def _known(self) -> dict[Key, SequenceMemory]:
        active = {key: memory for key, (_, memory) in self._active.items()}
        return {**active, **{key: memory for key, (memory, _) in self._offloaded.items()}}

    def _best(self, wanted: PrefillPlan) -> tuple[Key | None, int]:
        best: tuple[Key | None, int] = (None, 0)
        for key, memory in self._known().items():
            usable = memory.usable(wanted, self._rolls_back)
            if usable > best[1]:
                best = (key, usable)
        return best

    def _copied(self, key: Key, source: Key, length: int, busy: Callable[[Key], bool]) -> StreamMatch:
        """Begin with what another sequence holds, by way of ordinary memory: `llama_memory_seq_cp` copies whole
        streams (at a context of 8,192 as long as 1,500 tokens take here), and only at the next evaluation, before
        which a save of the copy reads what was there before."""
        if source in self._active:
            at, original = self._active[source]
            saved = self._streams.save(at)
            self._active.move_to_end(source)
        else:
            original, saved = self._offloaded[source]
        memory = original.copy()
        if key in self._active:
            stream = self._active[key][0]
        else:
            self._offloaded.pop(key, None)
            stream = self._stream(busy)
        if not self._streams.restore(stream, saved):
            self._streams.clear(stream)
            memory = SequenceMemory()
        self._evicted.pop(key, None)
        self._active[key] = (stream, memory)
        self._active.move_to_end(key)
        reused = self._return_to(stream, memory, length) if memory.tokens else 0
        return StreamMatch(stream, reused, "copied" if reused else "fresh")

    def _detach(self, key: Key) -> None:
        """The seat begins another conversation: what it had stays for whoever begins like it (the same card, say)."""
        self._detached += 1
        detached = (key[0], f"{key[1]}#{self._detached}")
        if key in self._active:
            self._active[detached] = self._active.pop(key)
        else:
            self._offloaded[detached] = self._offloaded.pop(key)

    def _return_to(self, stream: int, memory: SequenceMemory, length: int) -> int:
        """Forget what follows position `length`; gives where the sequence really stands then."""
        if length == len(memory.tokens):
            return length
        if length and self._rolls_back and self._streams.cut(stream, length):
            memory.cut(length)
            return length
        saved = next((state for at, state in memory.checkpoints if at == length), None)
        if length and saved is not None and self._streams.restore(stream, saved):
            memory.cut(length)
            return length
        self._streams.clear(stream)
        memory.cut(0)
        return 0

    def _stream(self, busy: Callable[[Key], bool]) -> int:
        """A free stream, or that of a sequence not in use, which is offloaded.

        llama.cpp decodes neighbouring streams in one pass and splits all others, so calls of one batch get
        neighbours; the first of them takes the lowest free stream, or that of the sequence unused for longest.
        """
        used = [stream for key, (stream, _) in self._active.items() if busy(key)]

        def distance(stream: int) -> int:
            return min((abs(stream - other) for other in used), default=0)

        if self._free:
            stream = min(self._free, key=lambda one: (distance(one), one))
            self._free.remove(stream)
            return stream
        idle = [(key, stream) for key, (stream, _) in self._active.items() if not busy(key)]
        key, stream = min(idle, key=lambda one: distance(one[1]))
        _, memory = self._active.pop(key)
        self._offload(key, memory, self._streams.save(stream))
        self._streams.clear(stream)
        return stream

    def _offload(self, key: Key, memory: SequenceMemory, saved: bytes) -> None:
        if len(saved) > self._limit:
            self._note_eviction(key)
            return
        self._offloaded[key] = (memory, saved)
        while self._offloaded_bytes() > self._limit:
            oldest, _ = self._offloaded.popitem(last=False)
            self._note_eviction(oldest)

    def _note_eviction(self, key: Key) -> None:
        self._evicted[key] = None
        while len(self._evicted) > 10_000:
            self._evicted.popitem(last=False)

    def _offloaded_bytes(self) -> int:
        return sum(
            len(saved) + sum(len(checkpoint) for _, checkpoint in memory.checkpoints)
            for memory, saved in self._offloaded.values()
        )
