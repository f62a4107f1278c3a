"""Direct: one call without any tool. What a model knows by heart, a line to compare the methods with."""

from __future__ import annotations

from tasks.agents.budgets import Budget
from tasks.agents.conversation import Conversation
from tasks.agents.modes import split
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Move
from tasks.episode.seats import View
from tasks.legalagentbench.agents.answering import answer_call, concluded

PROMPT = "direct/1"


class DirectPolicy:
    """Answers at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """The answer."""
        talk = Conversation(fill(PROMPT, form=phrase(self._mode, "direct")), Budget.at(view).characters())
        talk.hear(phrase("turn", "question", question=str(view.card["question"])))
        return (yield from concluded(view, talk, answer_call(PROMPT, self._mode), "", "finished"))
