"""What a local model costs through the engine, beside plain llama.cpp calls in the same run: ratios, not seconds.

Three parts: prompt tokens of a hearing against the chat API of llama-cpp-python and a client without memory; reading
and speaking of one call; several calls decoding together. The fourth, the cost of scheduler and journal, is
`tasks.run.overhead`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

from models.errors import BadEngine
from models.llama.benching import hearing, speed, talk
from models.llama.benching.process import RawProcess
from models.llama.engine import LlamaEngine, LlamaSettings
from models.llama.header import Header, read_header
from models.llama.sequences import CHUNK
from models.llama.template import ChatTemplate, append_only

Tell = Callable[[str, int, int], object]
"""Told of progress: the part that is measured, how many of its repeats are done, and of how many."""


@dataclass(frozen=True, slots=True)
class Sizes:
    """How much is measured. `speech` is the length of a turn of the hearing, `spoken` of a timed reply, in tokens."""

    turns: int = 20
    seats: int = 3
    repeats: int = 7
    threads: int = 0
    speech: int = 24
    prompt: int = 512
    spoken: int = 64
    context: int = 4096
    numbers: tuple[int, ...] = (1, 4, 8)


QUICK = {"turns": 6, "repeats": 3, "speech": 8, "prompt": 128, "spoken": 16}
"""What `--quick` makes smaller."""
NARROW = 512
"""Context of the sequences that decode together: short, so that eight of them fit."""


@dataclass(frozen=True, slots=True)
class Pair:
    """The engine and the plain loops, open over the same file with the same settings."""

    engine: LlamaEngine
    raw: RawProcess
    length: int


@contextmanager
def pair(path: Path, sizes: Sizes, *, context: int, streams: int, library: Path) -> Iterator[Pair]:
    """Open both; the engine decides about threads, the loops follow it."""
    settings = LlamaSettings(ctx=context, threads=sizes.threads, slots=streams)
    engine = LlamaEngine(path, settings, parallel=streams, library=library)
    try:
        engine.load()
        shape = {"length": context, "streams": streams, "threads": engine.threads, "batch": CHUNK}
        with RawProcess(path, **shape) as raw:
            yield Pair(engine, raw, context)
    finally:
        engine.close()


def template_of(header: Header, raw: RawProcess) -> ChatTemplate:
    """The template as the engine uses it."""
    bos, eos = raw.names([header.bos, header.eos])
    return ChatTemplate(header.template, bos, eos)


def check(path: Path, sizes: Sizes) -> tuple[Header, int]:
    """The file's header and the context to measure with. BadEngine when the file or the sizes do not fit."""
    header = read_header(path)
    if header.is_embedding:
        raise BadEngine(f"'{path.name}' is an embedding model, it cannot speak", "`moot models embed` uses it.")
    context = min(header.context or sizes.context, sizes.context)
    if (needed := sizes.prompt + sizes.spoken) > context:
        hint = "Use --quick." if QUICK["prompt"] + QUICK["spoken"] <= context else ""
        raise BadEngine(f"'{path.name}' takes {context} tokens, too few to be measured with {needed}", hint)
    if not 1 <= sizes.seats <= len(talk.CARDS):
        raise BadEngine(f"a hearing has 1 to {len(talk.CARDS)} seats, not {sizes.seats}")
    return header, context


def prompt_tokens(both: Pair, header: Header, sizes: Sizes, tell: Tell) -> dict[str, Any]:
    """The hearing by our engine, by the chat API and by a client without memory."""
    template = template_of(header, both.raw)
    played = hearing.hold(
        both.engine, turns=sizes.turns, seats=sizes.seats, speech=sizes.speech,
        tell=lambda done: tell("hearing", done, sizes.turns),
    )  # fmt: skip
    tell("clients", 0, 0)
    found = hearing.compare(played, template, both.raw, length=both.length, speech=sizes.speech)
    return {"turns": sizes.turns, "seats": sizes.seats, "template_append_only": append_only(template), **found}


def single(both: Pair, sizes: Sizes, tell: Tell) -> dict[str, Any]:
    """Reading and speaking of one call."""
    return speed.single(
        both.engine, both.raw, repeats=sizes.repeats, prompt=sizes.prompt, speech=sizes.spoken,
        tell=lambda done: tell("single", done, sizes.repeats),
    )  # fmt: skip


def parallel(path: Path, header: Header, sizes: Sizes, tell: Tell, library: Path) -> list[dict[str, Any]]:
    """Several calls decoding together."""
    context = min(header.context or NARROW, NARROW)
    with pair(path, sizes, context=context, streams=max(sizes.numbers), library=library) as both:
        return speed.parallel(
            both.engine, both.raw, numbers=sizes.numbers, repeats=sizes.repeats, speech=sizes.spoken,
            tell=lambda done: tell("parallel", done, sizes.repeats),
        )  # fmt: skip


def sizes_data(sizes: Sizes, context: int) -> dict[str, object]:
    """What was measured, as data."""
    return {**asdict(sizes), "context": context, "numbers": list(sizes.numbers)}


def described(engine: LlamaEngine) -> dict[str, Any]:
    """What the engine says of itself, without the text of its template."""
    return {name: value for name, value in engine.describe().items() if name != "template"}
