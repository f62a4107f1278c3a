"""How much memory a model needs before it is loaded, and whether this machine has it. All sizes are bytes.

The estimate is the sum of three parts, checked against the buffers that llama.cpp reports
(tests/models/test_gguf_memory.py):

- weights: all tensors of the file. They are mapped, so they count as used only while they are; types that llama.cpp
  repacks for the processor live in a second copy, whose originals the system may drop from its cache.
- cache: for each sequence, its context (in steps of 256 tokens) times the bytes of keys and values per token in half
  precision, and the recurrent state, in full precision, whatever the length.
- work: the larger of the logits of one chunk (256 × vocabulary × 4) and its attention scores and mask
  (context × 256 × (heads + 1) × 4), six rows of the model's width per token of the chunk beside them, one row of
  logits for each sequence, the vocabulary as llama.cpp keeps it (about 350 bytes a token), and 64 MB for the process
  itself.

Flash attention is off and every sequence has a stream of its own, as `native.py` opens a context.
"""

from __future__ import annotations

import ctypes
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

from models.errors import BadEngine
from models.llama.header import Header

DEFAULT_CONTEXT = 8192
"""Tokens of a sequence where nothing else is said, or less where the model was trained for less."""
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


def default_context(header: Header) -> int:
    """Tokens of a sequence where nothing else is said."""
    return min(DEFAULT_CONTEXT, header.context)


def kv_bytes_per_token(header: Header) -> int:
    """Keys and values of one token over all layers that have a cache, in half precision.

    Where a model compresses both into one (multi-head latent attention), only the keys are kept. Without flash
    attention values are laid out for the widest layer.
    """
    keys = sum(header.kv_heads) * header.key_length
    layers = sum(1 for heads in header.kv_heads if heads)
    latent = bool(header.metadata.get(f"{header.architecture}.attention.key_length_mla"))
    values = 0 if latent else layers * max(header.kv_heads) * header.value_length
    return HALF * (keys + values)


def state_bytes(header: Header) -> int:
    """The recurrent state of one sequence, in full precision; 0 for a model without one."""
    return FULL * header.state_layers * (_convolution(header) + _state(header))


def _number(header: Header, key: str) -> int:
    value = header.metadata.get(f"{header.architecture}.{key}", 0)
    return value if isinstance(value, int) and 0 <= value < 1 << 24 else 0


def _convolution(header: Header) -> int:
    """Numbers a layer keeps of the last few tokens: of token shift, short convolution, delta or state-space kind."""
    kernel = max(_number(header, "ssm.conv_kernel") - 1, 0)
    if _number(header, "wkv.head_size"):
        return (_number(header, "token_shift_count") or 2) * header.embedding
    if _number(header, "shortconv.l_cache"):
        return header.embedding * (_number(header, "shortconv.l_cache") - 1)
    if _number(header, "kda.head_dim"):
        return 3 * (kernel or 3) * header.heads * _number(header, "kda.head_dim")
    wide = _number(header, "ssm.inner_size") + 2 * _number(header, "ssm.group_count") * _number(
        header, "ssm.state_size"
    )
    return kernel * wide


def _state(header: Header) -> int:
    """Numbers of a layer's state."""
    if head := _number(header, "wkv.head_size"):
        return header.embedding * head
    if head := _number(header, "kda.head_dim"):
        return head * head * header.heads
    return _number(header, "ssm.state_size") * _number(header, "ssm.inner_size")


def estimate(header: Header, ctx: int, slots: int) -> Need:
    """What the model needs with `slots` sequences of `ctx` tokens each."""
    length = ctx + -ctx % STEP
    rows = max(CHUNK, slots)
    logits = FULL * rows * header.vocabulary
    scores = FULL * rows * (header.heads + 1) * (length if any(header.kv_heads) else rows)
    work = max(logits, scores) + FULL * rows * WIDTHS * header.embedding
    work += FULL * slots * header.vocabulary + TOKEN * header.vocabulary + PROCESS
    return Need(header.weights, slots * (length * kv_bytes_per_token(header) + state_bytes(header)), work)


def fitting(header: Header, ctx: int, slots: int, free: int) -> list[tuple[int, int]]:
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


def refuse_too_large(header: Header, ctx: int, slots: int, free: int | None = None) -> None:
    """Raise `BadEngine` when the model does not fit into the memory that is free, saying what would.

    Where the system does not say how much is free, nothing is refused.
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
    room = free - (estimate(header, SMALLEST_CONTEXT, 1).total - need.weights)
    hint = (
        f"A model file of up to {gigabytes(room)} would fit: a smaller model or a stronger quantisation."
        if room > 0
        else ""
    )
    raise BadEngine(title, hint or "Close other programs first.")


def gigabytes(size: int) -> str:
    """A size as people say it."""
    return f"{size / 1e9:.1f} GB" if size >= 1e9 else f"{size / 1e6:.0f} MB"


# --- what is free ---------------------------------------------------------------------------------------------------


def available() -> int:
    """Bytes of memory that can be had now without swapping; 0 where the system does not say.

    Linux: what /proc/meminfo calls available, or what is left to the container. macOS: free, inactive and speculative
    pages of `vm_stat`. Windows: available physical memory.
    """
    try:
        if sys.platform == "win32":
            return _windows()
        if sys.platform == "darwin":
            listed = subprocess.run(["/usr/bin/vm_stat"], capture_output=True, text=True, timeout=5, check=True)
            return _vm_stat(listed.stdout)
        return _linux(Path("/"))
    except (OSError, ValueError, subprocess.SubprocessError):
        return 0


def _linux(root: Path) -> int:
    text = (root / "proc/meminfo").read_text(encoding="ascii")
    fields = dict(line.split(":", 1) for line in text.splitlines() if ":" in line)
    free = int(fields["MemAvailable"].split()[0]) * 1024 if "MemAvailable" in fields else 0
    group = root / "sys/fs/cgroup"
    try:
        limit = int((group / "memory.max").read_text(encoding="ascii"))
        used = int((group / "memory.current").read_text(encoding="ascii"))
        lines = (group / "memory.stat").read_text(encoding="ascii").splitlines()
        cached = next((int(line.split()[1]) for line in lines if line.startswith("inactive_file ")), 0)
    except (OSError, ValueError):
        return free
    return max(0, min(free, limit - used + cached))


def _vm_stat(text: str) -> int:
    """Free memory from what `vm_stat` prints: the size of a page in its first line, then counts of pages."""
    first, *lines = text.splitlines()
    page = int(first.split("page size of", 1)[1].split()[0])
    counts = {name.strip(): value.strip(" .") for name, _, value in (line.partition(":") for line in lines)}
    return page * sum(int(counts.get(f"Pages {kind}", "0")) for kind in ("free", "inactive", "speculative"))


class _Status(ctypes.Structure):
    """MEMORYSTATUSEX of the Windows API."""

    _fields_ = (
        ("length", ctypes.c_uint32),
        ("load", ctypes.c_uint32),
        ("total", ctypes.c_uint64),
        ("free", ctypes.c_uint64),
        ("rest", ctypes.c_uint64 * 5),
    )


def _windows() -> int:
    status = _Status(length=ctypes.sizeof(_Status))
    kernel = getattr(ctypes, "windll").kernel32  # noqa: B009 - absent elsewhere, which mypy knows
    return int(status.free) if kernel.GlobalMemoryStatusEx(ctypes.byref(status)) else 0
