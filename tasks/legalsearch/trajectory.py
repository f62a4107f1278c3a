"""An episode as one tagged text: what the reward, the format check and a trainer read.

Where a model spoke in tagged text (modes free and paper) the trajectory is its own words, with what its tools
answered between them. Everything else (lean and native rounds, rules, a human, the gold reference) is rendered in the
same tags from its events: every plan, call and answer after the thought that came before it, an empty one where
nothing was thought. In rendered parts and in the responses of tools nothing but these tags can be taken for a tag;
the published form (paper mode) leaves responses as they are.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import groupby

from tasks.agents.modes import Mode, method, split
from tasks.episode.events import (
    Answered,
    Event,
    LimitHit,
    ModelCalled,
    Planned,
    Record,
    Seated,
    Thought,
    ToolCalled,
    ToolReturned,
)
from tasks.legalsearch.agents.reading import defused
from tasks.legalsearch.agents.spoken import Piece, Source, pieces
from tasks.legalsearch.agents.talking import response

METHODS = frozenset({"search", "direct-law", "direct-law-cot"})
"""Methods whose free and paper modes speak in tagged text."""


def trajectory_tokens(records: Sequence[Record], seat: str = "agent") -> list[Piece]:
    """The tagged text of an episode, of as much of it as the records hold, in pieces whose texts joined are the
    trajectory.

    A piece of a model is one token where the record holds tokens, else a whole reply. Entropies are in nats, at the
    moment the token was drawn; of lean rounds there are none, because their JSON is not the text shown here.
    """
    writer = _Writer(seat)
    policy = ""
    for step, group in groupby(records, key=lambda record: record.step):
        events = [record.event for record in group]
        if step:
            writer.step(policy, events)
        seated = (event.policy for event in events if isinstance(event, Seated) and event.seat == seat)
        policy = next(iter(reversed(list(seated))), policy)
    return writer.finish()


class _Writer:
    """Puts pieces together; a tool's response in paper mode waits until the model has really been given it."""

    def __init__(self, seat: str) -> None:
        self._seat = seat
        self._pieces: list[Piece] = []
        self._waiting = ""
        self._thoughts: list[str] = []

    def step(self, policy: str, events: Iterable[Event]) -> None:
        """One step of the episode."""
        mode: Mode = split(policy)[1]
        tagged = method(policy) in METHODS and mode in ("free", "paper")
        for event in events:
            if isinstance(event, LimitHit) and event.kind == "tokens" and mode == "paper":
                self._waiting = ""  # the response that would pass the limit is never added
            if getattr(event, "seat", None) != self._seat:
                continue
            if isinstance(event, ToolReturned):
                self._flush()
                hinted = event.status if method(policy) in METHODS else ""
                self._waiting = response(event.observation, hinted, paper=mode == "paper")
                if mode != "paper":
                    self._flush()
            elif not tagged:
                self._render(event)
            elif isinstance(event, ModelCalled) and not event.human:
                self._leave_off()
                self._add(pieces(event))

    def finish(self) -> list[Piece]:
        """All pieces."""
        self._flush()
        self._leave_off()
        return self._pieces

    def _leave_off(self) -> None:
        """A thought after which nothing was done."""
        if self._thoughts:
            self._write(self._think())

    def _render(self, event: Event) -> None:
        match event:
            case Thought():
                self._thoughts.append(defused(event.text.strip()))
            case Planned():
                steps = "\n".join(f"{number}. {defused(step)}" for number, step in enumerate(event.steps, 1))
                self._act("plan", steps)
            case ToolCalled():
                call = {"name": event.tool, "arguments": event.input}
                self._act("tool_call", defused(json.dumps(call, ensure_ascii=False)))
            case Answered():
                self._act("answer", defused(event.res))

    def _act(self, tag: str, text: str) -> None:
        self._write(f"{self._think()}\n<{tag}>\n{text}\n</{tag}>")

    def _think(self) -> str:
        text = "\n".join(filter(None, self._thoughts))
        self._thoughts.clear()
        return f"<think>\n{text}\n</think>" if text else "<think></think>"

    def _flush(self) -> None:
        waiting, self._waiting = self._waiting, ""
        if waiting:
            self._write(waiting, "tool")

    def _write(self, text: str, source: Source = "rendered") -> None:
        self._add([Piece(text, source)])

    def _add(self, more: Sequence[Piece]) -> None:
        """More pieces, on a new line."""
        if not any(piece.text for piece in more):
            return
        if self._waiting:
            self._flush()
        if self._pieces and not self._pieces[-1].text.endswith("\n"):
            self._pieces.append(Piece("\n", "rendered"))
        self._pieces += more
