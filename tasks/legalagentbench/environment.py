"""Tool calls of a LegalAgentBench episode: every call is answered at once from the pack."""

from __future__ import annotations

import time

from tasks.actions import Steps, emit
from tasks.environment import SEAT, Caller
from tasks.events import ToolCalled, ToolReturned
from tasks.legalagentbench.tools import Toolbox
from tasks.plain import plain, plain_text
from tasks.state import State


def caller(toolbox: Toolbox) -> Caller:
    """Carries out the calls of an episode with these tools."""

    def call(state: State, tool: str, arguments: object) -> Steps:
        del state
        asked = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(arguments)))
        started = time.perf_counter()
        result = toolbox.call(tool, arguments)
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
        yield from emit(returned, parent=asked)

    return call
