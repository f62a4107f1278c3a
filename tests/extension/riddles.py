"""A benchmark from elsewhere: the tasks, tools and scores of LegalAgentBench, with a setting and an agent of its
own."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import moot


class RiddleSettings(moot.Settings):
    """How the guesser speaks."""

    shout: bool = moot.setting(False, "Whether the guesser shouts.")
    guess: str = moot.setting("猜不到", "What the guesser says.", metavar="WORDS")


class Shouter:
    """Says the same thing every time."""

    name = "shouter/1"

    def __init__(self, words: str) -> None:
        self.words = words

    def move(self, view: moot.View) -> moot.Move:
        """The answer at once."""
        yield from ()
        return moot.Answer(self.words)


class Riddles(moot.base("legalagentbench")):  # type: ignore[misc]
    """Riddles about companies."""

    name = "riddles"
    agents = {"rules": ("shouter/1", False)}
    settings = RiddleSettings

    def program(self, pack: moot.Pack, questions: Sequence[Any], spec: moot.RunSpec) -> moot.ToolEpisode:
        """One agent, no tools."""
        chosen = RiddleSettings.of(spec.settings, self.name)
        shouter = Shouter(chosen.guess + "！" * chosen.shout)
        return moot.ToolEpisode(lambda name: shouter, lambda state, tool, given: iter(()), spec.max_turns)
