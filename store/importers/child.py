"""The reading process: carries out one order after the other on files that strangers made, within hard limits.

Parsers of office files, PDF, HTML, archives and foreign databases were not written for enemies. They run here, in a
process that holds no more memory and computes no longer than `limits` says, and that hands back plain rows and texts.
Whatever a parser raises becomes a sentence; whatever kills the process is told by the parent (`process.py`).

Frames on the pipe: four bytes of length, then JSON. A list holds items; an object ends an order.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import os
import signal
import time
from collections.abc import Callable, Iterator
from typing import Any, BinaryIO, Final

from store.errors import NotFound, StoreError

MAX_RECORD: Final = 64 << 20
"""Bytes of one JSON record or one line."""
MAX_FILE: Final = 8 << 30
MAX_ARCHIVE: Final = 16 << 30
"""Bytes of everything in a zip archive."""
MAX_MEMBERS: Final = 20_000
MAX_RATIO: Final = 400
"""How many times its own size a file may unpack to, or its reader may give back."""
RATIO_COUNTS_FROM: Final = 16 << 20
"""A packed file may grow this far whatever its ratio."""
MAX_CELL: Final = 1_000_000
"""Characters of a cell of CSV: an open quotation mark would take the rest of the file as one."""

MEMORY: Final = 1 << 30
"""Bytes the reading process may hold."""
SECONDS: Final = 120
"""Processor time for a file up to its first row, and for each row after it."""
SECONDS_OF_PAGE: Final = 30
SILENCE: Final = 900
"""Seconds without a word from the reading process: the last resort where processor time cannot be bounded."""

SHOWN_NAMES: Final = 5
"""Names that a sentence lists before it only counts."""


def named(names: list[str] | tuple[str, ...], separator: str = "、") -> str:
    """The names for a sentence: a few of them in full, the others counted."""
    shown = separator.join(f"{name:.60}" for name in names[:SHOWN_NAMES])
    left = len(names) - SHOWN_NAMES
    return f"{shown} and {left:,} more" if left > 0 else shown


try:
    import resource
except ImportError:  # Windows: sizes, ratios and the parent's patience are what is left
    resource = None  # type: ignore[assignment]

LENGTH = 4
OVER_MEMORY = 86
"""Exit code: the memory did not suffice, and what is left of it is no place to go on."""
_FRAME = 64 << 10
_SAID = 160
_as_json = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode


def main() -> int:
    """Serve until the parent closes the pipe. Ctrl-C at the terminal is the parent's business."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    orders, answers = os.fdopen(os.dup(0), "rb"), os.fdopen(os.dup(1), "wb")
    with open(os.devnull, "rb") as nothing:
        os.dup2(nothing.fileno(), 0)
    os.dup2(2, 1)
    _bounded_memory()
    for raw in orders:
        _carry_out(json.loads(raw), answers)
    return 0


def _carry_out(order: dict[str, Any], answers: BinaryIO) -> None:
    meter = _Meter(order["seconds"])
    out = _Frames(answers, meter)
    try:
        for item in _function(order["function"])(*order["arguments"]):
            out.put(item)
        out.end({})
    except BrokenPipeError:
        os._exit(0)
    except NotFound as error:
        out.end({"missing": [error.title, error.hint]})
    except StoreError as error:
        out.end({"refused": [error.title, error.hint]})
    except MemoryError:
        os._exit(OVER_MEMORY)
    except OSError as error:
        out.end({"failed": error.strerror or str(error)[:_SAID]})
    except BaseException as error:  # whatever a library trips over in a stranger's file
        out.end({"failed": _described(error)})


def _described(error: BaseException) -> str:
    with contextlib.suppress(Exception):
        if said := " ".join(str(error).split())[:_SAID]:
            return f"{type(error).__name__}: {said}"
    return type(error).__name__


def _function(name: str) -> Callable[..., Iterator[Any]]:
    module, _, attribute = name.partition(":")
    found: Callable[..., Iterator[object]] = getattr(importlib.import_module(module), attribute)
    return found


class _Frames:
    """Items on their way to the parent, many in one frame. None is no item: it says that work goes on."""

    def __init__(self, stream: BinaryIO, meter: _Meter) -> None:
        self._stream = stream
        self._meter = meter
        self._held: list[str] = []
        self._size = 0

    def put(self, item: Any) -> None:
        self._meter.renew()
        if item is None:
            return
        text = _as_json(item)
        self._held.append(text)
        self._size += len(text)
        if self._size >= _FRAME:
            self._flush()

    def end(self, how: dict[str, object]) -> None:
        self._flush()
        self._write(json.dumps(how))
        self._stream.flush()

    def _flush(self) -> None:
        if self._held:
            text = f"[{','.join(self._held)}]"
            self._held, self._size = [], 0
            self._write(text)

    def _write(self, text: str) -> None:
        data = text.encode("utf-8", "surrogatepass")
        self._stream.write(len(data).to_bytes(LENGTH, "big"))
        self._stream.write(data)


class _Meter:
    """Processor time: so many seconds for each item, kept by the operating system, which no loop in C can ignore."""

    def __init__(self, seconds: float) -> None:
        self._seconds = seconds
        self._since = -2.0
        self.renew()

    def renew(self) -> None:
        now = time.process_time()
        if now - self._since > 1.0:
            self._since = now
            _limit("RLIMIT_CPU", int(now + self._seconds) + 1)


def _bounded_memory() -> None:
    # RLIMIT_DATA is what Linux counts best; other systems only know the address space.
    _limit("RLIMIT_DATA", MEMORY)
    _limit("RLIMIT_AS", MEMORY + (1 << 30))
    _limit("RLIMIT_FSIZE", MAX_FILE)
    _limit("RLIMIT_CORE", 0)


def _limit(kind: str, most: int) -> None:
    """Lower a limit of this process, as far as the system has it. The hard one stays, so that the next file starts
    anew."""
    if resource is None or not hasattr(resource, kind):
        return
    with contextlib.suppress(ValueError, OSError):
        which = getattr(resource, kind)
        hard = resource.getrlimit(which)[1]
        resource.setrlimit(which, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))
