"""How the work of a reader grows with its text: a ratio of processor times, which no other work on the machine disturbs."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4
LEAST = 0.02
"""Seconds below which a small text costs nothing that could be compared."""


def assert_linear(read: Callable[[str], object], unit: str, size: int) -> None:
    """A text of `size` characters costs at most three times its share of a text of a quarter; squared growth is four times."""

    def cost(length: int) -> float:
        text = unit * (length // len(unit))
        begun = time.thread_time()
        read(text)
        return time.thread_time() - begun

    read(unit)
    small = min(cost(size // TIMES), cost(size // TIMES))
    large = cost(size)
    if large > 3 * TIMES * max(small, LEAST):
        large = min(large, cost(size))
    assert large <= 3 * TIMES * max(small, LEAST), f"{unit[:20]!r}: {TIMES} times the text costs {large / small:.1f} times as much"
