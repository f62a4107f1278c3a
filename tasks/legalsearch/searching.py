"""The search agent's tools outside of a run: for a trainer, or a notebook.

A run has a record that its tools read; here a `Trajectory` keeps as much of it as they need. Nobody sits beside the
agent: queries are read by rules, pages word for word. Texts are what the agent of a run with `--paper` reads.
"""

from __future__ import annotations

from pathlib import Path
from typing import Any

from models.engine import Ask
from store.pack import Pack
from tasks.episode.actions import Child
from tasks.episode.events import Event, Record, ToolReturned
from tasks.episode.observations import shortened
from tasks.episode.state import State, apply
from tasks.legalsearch.agents.briefing import function, system
from tasks.legalsearch.agents.paper import PROMPT
from tasks.legalsearch.benchmark import briefing_of, toolbox_of
from tasks.legalsearch.settings import settings_of
from tasks.legalsearch.toolbox import LawToolbox
from tasks.run.spec import RunSpec


class SearchTools:
    """The tools over a pack, as a run of `legalsearch` with these settings has them.

    Attributes:
        names: the tools on offer.
        schemas: their function schemas, in that order.
        system: the system prompt of the published loop, with the schemas in it.

    Raises:
        StoreError: there is no such pack, or it is damaged.
        UsageError: there is no such setting.
    """

    def __init__(self, pack: str | Path, **settings: Any) -> None:
        self._pack = Pack.open(pack)
        spec = RunSpec(benchmark="legalsearch", agent="search", pack=str(pack), paper=True, settings=settings)
        self._toolbox = toolbox_of(self._pack, spec)
        brief = briefing_of(self._toolbox, self._pack, settings_of(spec))
        self.names = brief.tools
        self.schemas = [function(tool, brief) for tool in brief.tools]
        self.system = system(PROMPT, brief, "paper")

    def trajectory(self, question: str) -> Trajectory:
        """A new trajectory on a question; its text tells the days of the case."""
        return Trajectory(self._toolbox, question)

    def close(self) -> None:
        """Let go of the pack."""
        self._pack.close()


class Trajectory:
    """The calls of one trajectory: a page opens only after it was found, and goes on where it was left."""

    def __init__(self, toolbox: LawToolbox, question: str) -> None:
        self._toolbox = toolbox
        self._state = State(card={"question": question})

    def call(self, tool: str, arguments: object) -> str:
        """What the agent reads of a call; a call that means nothing has an answer that says so."""
        steps, sent = self._toolbox.call(self._state, tool, arguments), None
        try:
            while True:
                item = steps.send(sent)
                assert not isinstance(item, Ask), "nobody sits beside the agent"
                sent = self._note(item.event if isinstance(item, Child) else item)
        except StopIteration:
            last = self._state.records[-1].event
            assert isinstance(last, ToolReturned)
            return shortened(last.observation)

    def _note(self, event: Event) -> int:
        seq = len(self._state.records)
        self._state = apply(self._state, Record(seq, 1, None, 0.0, event))
        return seq
