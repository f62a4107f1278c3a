"""What has happened so far, read from the records of a View: one Turn a completed step."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import groupby
from typing import Any

from tasks.agents.native import words
from tasks.agents.phrases import observed, phrase
from tasks.episode.events import ActionParsed, ModelCalled, Planned, Record, Seated, Thought, ToolCalled, ToolReturned
from tasks.episode.seats import View


@dataclass
class Turn:
    """One completed step of the seat, whoever sat in it. `policy` is the name of the policy that made it.

    said: prompt and reply of each model call, in order. plan: the plan as it stood when the action was chosen, if one
    was made in this step. tool is None when no tool was called; rejected then says why, if an action was refused.
    """

    policy: str
    said: list[tuple[str, str]] = field(default_factory=list)
    thought: str = ""
    plan: tuple[str, ...] = ()
    tool: str | None = None
    input: Any = None
    observation: str = ""
    status: str = "ok"
    rejected: str | None = None

    def replies(self, prompt: str) -> list[str]:
        """The replies to this prompt."""
        return [text for asked, text in self.said if asked == prompt]

    @property
    def seen(self) -> str:
        """What a model reads after this turn; '' when there was neither a tool nor a refusal."""
        if self.tool is not None:
            return phrase("turn", "observation", observation=observed(self.observation, self.status))
        return phrase("turn", "rejected", note=self.rejected) if self.rejected is not None else ""


def turns(view: View) -> list[Turn]:
    """The completed steps in order. Steps in which nothing was done or refused are left out."""
    made: list[Turn] = []
    policy = ""
    for step, records in groupby(view.history, key=lambda record: record.step):
        turn = Turn(policy)
        for record in records:
            event = record.event
            if isinstance(event, Seated) and event.seat == view.seat:
                policy = event.policy
            elif step and getattr(event, "seat", None) == view.seat:
                _add(turn, record)
        if turn.tool is not None or turn.rejected is not None:
            made.append(turn)
    return made


def _add(turn: Turn, record: Record) -> None:
    match record.event:
        case ModelCalled(human=False) as event:
            turn.said.append((event.prompt, words(event)))
        case Thought() as event:
            turn.thought = event.text
        case Planned() as event:
            turn.plan = event.steps
        case ToolCalled() as event:
            turn.tool, turn.input = event.tool, event.input
        case ToolReturned() as event:
            turn.observation, turn.status = event.observation, event.status
        case ActionParsed(result="rejected") as event:
            turn.rejected = event.note
