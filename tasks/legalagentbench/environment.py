"""Tool calls of a LegalAgentBench episode: every call is answered at once from the pack."""

from __future__ import annotations

import time

from tasks.episode.actions import Steps, emit
from tasks.episode.events import ToolCalled
from tasks.episode.observations import returned
from tasks.episode.plain import plain
from tasks.episode.state import State
from tasks.episode.with_tools import SEAT, Caller
from tasks.legalagentbench.tools import Toolbox


def caller(toolbox: Toolbox) -> Caller:
    """Carries out the calls of an episode with these tools."""

    def call(state: State, tool: str, arguments: object) -> Steps:
        asked = yield from emit(ToolCalled(seat=SEAT, tool=tool, input=plain(arguments)))
        started = time.perf_counter()
        result = toolbox.call(tool, arguments)
        given = (result.status, result.observation, result.value, result.provenance)
        event = returned(state, tool, started, *given, complete=result.complete, unknown=result.unknown)
        yield from emit(event, parent=asked)

    return call
