"""What has happened so far, read from records: one `Step` a completed step of a seat, whoever sat in it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tasks.agents.native import words
from tasks.episode.events import ActionParsed, ModelCalled, Planned, Record, Seated, Thought, ToolCalled, ToolReturned


@dataclass
class Step:
    """One completed step. policy: the name of the policy that made it; calls: its model calls in order; plan: as it
    stood when the action was chosen, if one was made in this step.

    tool is None when no tool was called; rejected then says why, if an action was refused or a round unreadable.
    """

    policy: str
    calls: list[ModelCalled] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    plan: tuple[str, ...] = ()
    tool: str | None = None
    input: Any = None
    observation: str = ""
    value: Any = None
    status: str = "ok"
    rejected: str | None = None

    def replies(self, prompt: str) -> list[str]:
        """The replies to this prompt, in order."""
        return [words(call) for call in self.calls if call.prompt == prompt]

    def add(self, event: object) -> None:
        """One more event of the seat."""
        match event:
            case ModelCalled(human=False):
                self.calls.append(event)
            case Thought():
                self.thoughts.append(event.text)
            case Planned():
                self.plan = event.steps
            case ToolCalled():
                self.tool, self.input = event.tool, event.input
            case ToolReturned():
                self.observation, self.status, self.value = event.observation, event.status, event.value
            case ActionParsed(result="rejected"):
                self.rejected = event.note


def steps_of(records: Sequence[Record], seat: str) -> list[Step]:
    """All steps after the setting up."""
    made: list[Step] = []
    policy = ""
    for number, group in groupby(records, key=lambda record: record.step):
        step = Step(policy)
        for event in (record.event for record in group):
            if isinstance(event, Seated) and event.seat == seat:
                policy = event.policy
                step.policy = step.policy or policy
            elif getattr(event, "seat", None) == seat:
                step.add(event)
        if number:
            made.append(step)
    return made
