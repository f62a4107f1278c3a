"""Direct: one call without any tool. What a model knows by heart, a line to compare the methods with."""

from __future__ import annotations

from tasks.actions import Move
from tasks.policies.model.answering import answer_call, concluded
from tasks.policies.model.conversation import Conversation
from tasks.policies.model.modes import split
from tasks.policies.model.phrases import phrase
from tasks.prompts import fill
from tasks.seats import View

PROMPT = "direct/1"


class DirectPolicy:
    """Answers at once."""

    def __init__(self, name: str) -> None:
        self.name = name
        _, self._mode = split(name)

    def move(self, view: View) -> Move:
        """The answer."""
        talk = Conversation(fill(PROMPT, form=phrase(self._mode, "direct")))
        talk.hear(phrase("turn", "question", question=str(view.card["question"])))
        return (yield from concluded(view, talk, answer_call(PROMPT, self._mode), "", "finished"))
