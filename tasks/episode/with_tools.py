"""An episode of one tested seat with tools: a step is one move of its policy and what the called tool answers."""

from __future__ import annotations

from collections.abc import Callable

from tasks.episode.actions import Answer, CallTool, Steps, emit
from tasks.episode.events import Answered, Stopped
from tasks.episode.plain import plain_text
from tasks.episode.seats import Policy, View
from tasks.episode.state import State

SEAT = "agent"

Caller = Callable[[State, str, object], Steps]
"""Carries out a tool call: yields `ToolCalled`, whatever Asks the tool puts to other seats, and `ToolReturned`."""


class ToolEpisode:
    """Asks the policy in the seat for a move and carries it out. `policy_named` gives the policy of a name
    ("rules/1")."""

    def __init__(self, policy_named: Callable[[str], Policy], caller: Caller, max_turns: int | None = None) -> None:
        self._policy_named = policy_named
        self._caller = caller
        self._max_turns = max_turns

    def step(self, state: State) -> Steps:
        """One move of the agent and what comes of it."""
        policy = self._policy_named(state.seats[SEAT].policy)
        view = View(SEAT, state.card, state.records, state.steps + 1, self._max_turns)
        match (yield from policy.move(view)):
            case CallTool(tool, arguments):
                yield from self._caller(state, tool, arguments)
            case Answer(res, summary, outcome, abstained):
                said, more = plain_text(res), plain_text(summary or res)
                yield from emit(Answered(seat=SEAT, res=said, summary=more, abstained=abstained))
                reason = {
                    "finished": "answered",
                    "turn_limit": f"limit of {state.steps} turns reached",
                    "token_limit": "limit of tokens reached",
                }[outcome]
                yield from emit(Stopped(outcome=outcome, reason=reason))
