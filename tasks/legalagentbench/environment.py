"""One LegalAgentBench episode: one seat, the tools, a question. A step is one move and its observation."""

from __future__ import annotations

import time
from collections.abc import Callable

from tasks.actions import Answer, CallTool, Steps, emit
from tasks.events import Answered, Stopped, ToolCalled, ToolReturned
from tasks.legalagentbench.tools import Toolbox
from tasks.plain import plain, plain_text
from tasks.seats import Policy, View
from tasks.state import State

SEAT = "agent"


class ToolEpisode:
    """Asks the policy in the seat for a move and carries it out. `policy_named` gives the policy of a name ("rules/1")."""

    def __init__(self, policy_named: Callable[[str], Policy], toolbox: Toolbox, max_turns: int | None = None) -> None:
        self._policy_named = policy_named
        self._toolbox = toolbox
        self._max_turns = max_turns

    def step(self, state: State) -> Steps:
        """One move of the agent and what comes of it."""
        policy = self._policy_named(state.seats[SEAT].policy)
        view = View(SEAT, state.card, state.records, state.steps + 1, self._max_turns)
        match (yield from policy.move(view)):
            case CallTool(tool, arguments):
                yield from self._call(tool, arguments)
            case Answer(res, summary, outcome):
                yield from emit(Answered(seat=SEAT, res=plain_text(res), summary=plain_text(summary or res)))
                reason = "answered" if outcome == "finished" else f"limit of {state.steps} turns reached"
                yield from emit(Stopped(outcome=outcome, reason=reason))

    def _call(self, tool: str, arguments: object) -> Steps:
        call = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(arguments)))
        started = time.perf_counter()
        result = self._toolbox.call(tool, arguments)
        returned = ToolReturned(
            seat=SEAT,
            tool=tool,
            status=result.status,
            observation=plain_text(result.observation),
            value=plain(result.value),
            complete=result.complete,
            unknown=result.unknown,
            provenance=result.provenance,
            milliseconds=round((time.perf_counter() - started) * 1000, 3),
        )
        yield from emit(returned, parent=call)
