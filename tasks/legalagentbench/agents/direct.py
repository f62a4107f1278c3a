"""Direct: one call without any tool. What a model knows by heart, a line to compare the methods with."""

from __future__ import annotations

from collections.abc import Mapping

from tasks.agents.budgets import Budget
from tasks.agents.conversation import Conversation
from tasks.agents.modes import split
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Answer, CallTool, Move, emit
from tasks.episode.events import Planned, Thought, ToolReturned
from tasks.episode.seats import View
from tasks.legalagentbench.agents.answering import answer_call, concluded
from tasks.legalagentbench.questions import Gold

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


class GoldPolicy:
    """Walks the recorded calls of the task, then gives the reference answer with all observations as its summary."""

    name = "gold/1"

    def __init__(self, granted: Mapping[str, Gold]) -> None:
        self._granted = granted

    def move(self, view: View) -> Move:
        """The next call of the path, or the answer."""
        gold = self._granted[str(view.card["id"])]
        observations = [r.event.observation for r in view.history if isinstance(r.event, ToolReturned)]
        if not observations and gold.path:
            tools = tuple(tool for tool, _ in gold.calls) or gold.path
            yield from emit(Planned(seat=view.seat, steps=tools, tools=tools))
        done = len(observations)
        if done < len(gold.calls):
            tool, arguments = gold.calls[done]
            text = f"参照路径第{done + 1}步，共{len(gold.calls)}步。"
            yield from emit(Thought(seat=view.seat, text=text))
            return CallTool(tool, arguments)
        return Answer(gold.answer, "\n".join([gold.answer, *observations]))
