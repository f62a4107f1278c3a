"""The `gold` reference: reads the reference answer, by explicit grant, and walks the path where it carries arguments.

It shows what a perfect agent would score (the ceiling) and that a task can be solved with the tools.
"""

from __future__ import annotations

from collections.abc import Mapping

from tasks.episode.actions import Answer, CallTool, Move, emit
from tasks.episode.events import Planned, Thought, ToolReturned
from tasks.episode.seats import View
from tasks.legalagentbench.questions import Gold


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
