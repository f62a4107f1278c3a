"""The search agent of LegalSearch (paper §3.1): think and plan, think and call a tool, think and answer.

One model call a move. The first round plans and calls nothing; the answer ends the task; after the last turn one more
call asks for it, except in the published loop, which just ends.
"""

from __future__ import annotations

from models.engine import Settings
from tasks.agents.modes import Mode, split
from tasks.episode.actions import Move
from tasks.episode.seats import View
from tasks.legalsearch.agents import paper, talking
from tasks.legalsearch.agents.briefing import Briefing


class SearchPolicy:
    """Plans, searches, answers.

    Args:
        name: "search/1", "search/1+native", "search/1+free" or "search/1+paper".
        brief: what its system prompt tells; a briefing without tools: plan and answer only.
        temperature: of the sampling; 1 for rollouts.
        entropy: record the entropy of every token where the engine sees all logits.
    """

    def __init__(
        self, name: str, brief: Briefing | None = None, temperature: float = 0.0, entropy: bool = False
    ) -> None:
        self.name = name
        self._mode: Mode = split(name)[1]
        self._brief = brief or Briefing()
        stop = talking.STOP if self._mode in ("free", "native") else ()
        self._settings = Settings(temperature=temperature, max_tokens=talking.MOST_TOKENS, stop=stop, entropy=entropy)

    def move(self, view: View) -> Move:
        """One round."""
        if self._mode == "paper":
            return (yield from paper.step(view, self._brief, self._settings))
        return (yield from talking.step(view, self.name, self._mode, self._brief, self._settings))
