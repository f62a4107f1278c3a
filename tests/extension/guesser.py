"""An agent from elsewhere: says the same thing every time, whatever the benchmark."""

from __future__ import annotations

import moot


@moot.agent("guesser/1", benchmarks=("legalagentbench", "legalsearch"))
class Guesser:
    """Guesses."""

    name = "guesser/1"

    def move(self, view: moot.View) -> moot.Move:
        """The answer at once."""
        yield from ()
        return moot.Answer("北京")
