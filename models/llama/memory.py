"""How much memory a model needs before it is loaded, and whether this machine has it. All sizes are bytes.

The estimate errs on the large side; a model that needs more all the same ends its process, and says so. It is the
sum of three parts, compared with the buffers that llama.cpp reports (tests/models/test_gguf_memory.py):

- weights: all tensors of the file. They are mapped, so they count as used only while they are; types that llama.cpp
  repacks for the processor live in a second copy, whose originals the system may drop from its cache.
- cache: for each sequence, its context (in steps of 256 tokens) times keys and values of all layers in half
  precision, and the recurrent state, in full precision, whatever the length. What a family shares or compresses is
  not taken off.
- work: the larger of the logits of one chunk (256 × vocabulary × 4) and its attention scores and mask
  (context × 256 × (heads + 1) × 4), six rows of the model's width per token of the chunk beside them, one row of
  logits for each sequence, the vocabulary as llama.cpp keeps it (about 350 bytes a token), and 64 MB for the process
  itself.

Flash attention is off and every sequence has a stream of its own, as `native.py` opens a context.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import psutil

from models.errors import BadEngine
from models.llama.header import GgufHeader

DEFAULT_CONTEXT = 8192
"""Tokens of a sequence where nothing else is said, or less where the model was trained for less: enough for ten steps
of the longest task, and small in memory."""
CHUNK, STEP = 256, 256
"""Tokens evaluated at a time; a context is a multiple of the step."""
HALF, FULL = 2, 4
"""Bytes of a number in half and in full precision."""
WIDTHS, TOKEN, PROCESS = 6, 350, 64_000_000
SMALLEST_CONTEXT = 1024
CONTEXTS = (131_072, 65_536, 32_768, 16_384, 8192, 6144, 4096, 3072, 2048, SMALLEST_CONTEXT)
"""Contexts that are proposed when something smaller has to be found."""


@dataclass(frozen=True, slots=True)
class Need:
    """Bytes that a model takes up."""

    weights: int
    cache: int
    work: int

    @property
    def total(self) -> int:
        """All of it."""
        return self.weights + self.cache + self.work


def default_context(header: GgufHeader) -> int:
    """Tokens of a sequence where nothing else is said."""
    return min(DEFAULT_CONTEXT, header.context)


def estimate(header: GgufHeader, ctx: int, slots: int) -> Need:
    """What the model needs with `slots` sequences of `ctx` tokens each."""
    length = ctx + -ctx % STEP
    rows = max(CHUNK, slots)
    logits = FULL * rows * header.vocabulary
    scores = FULL * rows * (header.heads + 1) * length
    work = max(logits, scores) + FULL * rows * WIDTHS * header.embedding
    work += FULL * slots * header.vocabulary + TOKEN * header.vocabulary + PROCESS
    layers = header.layers // max(1, header.number("full_attention_interval"))
    cache = HALF * length * layers * header.heads_kv * (header.key_length + header.value_length)
    return Need(header.weights, slots * (cache + _state_bytes(header)), work)


def _state_bytes(header: GgufHeader) -> int:
    """The recurrent state of one sequence at most, in full precision; 0 for a model without one."""
    if not header.recurrent:
        return 0
    state = header.number("ssm.state_size")
    wide = max(header.number("ssm.inner_size") + 2 * header.number("ssm.group_count") * state, header.embedding)
    deep = max(state, header.number("wkv.head_size"))
    return FULL * header.layers * wide * (deep + header.number("ssm.conv_kernel") + 2)


def fitting(header: GgufHeader, ctx: int, slots: int, free: int) -> list[tuple[int, int]]:
    """Contexts and numbers of sequences that fit and are no more than asked for: the longest context, the most
    sequences.

    Empty when the model does not fit at all.
    """
    lengths = [length for length in (ctx, *CONTEXTS) if length <= ctx]
    shorter = [(length, slots) for length in lengths]
    fewer = [(ctx, count) for count in range(slots, 0, -1)]
    one_short = [(length, 1) for length in lengths]

    def first(choices: list[tuple[int, int]]) -> list[tuple[int, int]]:
        return next(([one] for one in choices if estimate(header, *one).total <= free), [])

    return list(dict.fromkeys(first(shorter) + first(fewer))) or first(one_short)


def refuse_too_large(header: GgufHeader, ctx: int, slots: int, free: int | None = None) -> None:
    """Raise `BadEngine` when the model does not fit into the memory that is free, saying what would.

    free: bytes; 0 refuses nothing.
    """
    free = available() if free is None else free
    need = estimate(header, ctx, slots)
    if not free or need.total <= free:
        return
    title = (
        f"'{header.path.name}' needs about {gigabytes(need.total)} for {slots} × {ctx} tokens, "
        f"{gigabytes(free)} are free"
    )
    fits = fitting(header, ctx, slots, free)
    if fits:
        raise BadEngine(title, "Fits: " + " or ".join(f"#ctx={length},slots={count}" for length, count in fits) + ".")
    left = free - (estimate(header, SMALLEST_CONTEXT, 1).total - need.weights)
    hint = (
        f"A model file of up to {gigabytes(left)} would fit: a smaller model or a stronger quantisation."
        if left > 0
        else ""
    )
    raise BadEngine(title, hint or "Close other programs first.")


def gigabytes(size: int) -> str:
    """A size as people say it."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


def available(root: Path = Path("/")) -> int:
    """Bytes of memory that can be had now without swapping, or what is left to the container in which this runs."""
    free = int(psutil.virtual_memory().available)
    group = root / "sys/fs/cgroup"
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        used = int((group / "memory.current").read_text(encoding="ascii"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
    except (OSError, ValueError):
        return free
    cached = next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
    return max(0, min(free, limit - used + cached))
