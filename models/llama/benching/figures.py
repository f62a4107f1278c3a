"""Ratios of interleaved repeats: what is compared is measured side by side, and the median counts.

A machine drifts (heat, other programs), so seconds of one moment say little beside seconds of another; the ratio
within a repeat does. Times are milliseconds, speeds tokens a second.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from statistics import median
from typing import Any


def spread(values: Sequence[float]) -> dict[str, float]:
    """Median, lowest and highest of the repeats."""
    return {"median": round(median(values), 4), "low": round(min(values), 4), "high": round(max(values), 4)}


@dataclass
class Pairs:
    """Speeds of ours and of the plain loop, one pair a repeat."""

    ours: list[float] = field(default_factory=list)
    raw: list[float] = field(default_factory=list)

    def add(self, ours: float, raw: float) -> None:
        """One repeat."""
        self.ours.append(ours)
        self.raw.append(raw)

    def data(self) -> dict[str, Any]:
        """Speeds, and the spread of their ratio over the repeats."""
        return {
            "tokens_per_second": round(median(self.ours), 2),
            "raw_tokens_per_second": round(median(self.raw), 2),
            "ratio": spread([a / b for a, b in zip(self.ours, self.raw, strict=True)]),
        }
