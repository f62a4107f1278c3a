"""A benchmark from elsewhere: the tasks, tools and scores of LegalAgentBench, with a setting and an agent of its own."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from store.pack import Pack
from tasks.agents.echo import EchoPolicy
from tasks.episode.actions import Answer, Move
from tasks.episode.seats import Policy, View
from tasks.episode.with_tools import ToolEpisode
from tasks.legalagentbench.benchmark import LegalAgentBench
from tasks.run.spec import RunSpec
from tasks.settings import Settings, setting


class RiddleSettings(Settings):
    """How the guesser speaks."""

    shout: bool = setting(False, "Whether the guesser shouts.")
    guess: str = setting("猜不到", "What the guesser says.", metavar="WORDS")


class Guesser:
    """Says the same thing every time."""

    name = "guesser/1"

    def __init__(self, words: str) -> None:
        self.words = words

    def move(self, view: View) -> Move:
        """The answer at once."""
        yield from ()
        return Answer(self.words)


class Riddles(LegalAgentBench):
    """Riddles about companies."""

    name = "riddles"
    agents = {"rules": ("guesser/1", False), "echo": ("echo/1", False)}
    settings = RiddleSettings

    def program(self, pack: Pack, questions: Sequence[Any], spec: RunSpec) -> ToolEpisode:
        """Two agents, no tools."""
        chosen = RiddleSettings.of(spec.settings, self.name)
        words = chosen.guess + "！" * chosen.shout
        makers: dict[str, Callable[[], Policy]] = {"guesser/1": lambda: Guesser(words), "echo/1": EchoPolicy}
        return ToolEpisode(lambda name: makers[name](), lambda state, tool, given: iter(()), spec.max_turns)
