"""A scorer from elsewhere: how short an answer is."""

from __future__ import annotations

import moot


@moot.scorer("brevity/1", label=("简洁", "Brevity"))
def brevity(question: object, result: moot.Result) -> float | None:
    """1 for nothing, 0 for a hundred characters or more."""
    return 1 - min(len(result.res), 100) / 100
