"""The `echo` floor: repeats the question. Whatever scores above it has done something."""

from __future__ import annotations

from collections.abc import Generator

from tasks.episode.actions import Action, Answer, Sent, Yield
from tasks.episode.seats import View


class EchoPolicy:
    """Answers every question with itself."""

    name = "echo/1"

    def move(self, view: View) -> Generator[Yield, Sent, Action]:
        """One move: the question as the answer."""
        yield from ()
        return Answer(str(view.card["question"]))
