"""Policies without a model that sit in the tested seat of any benchmark: a person, the reference, and the floor
`echo`."""

from __future__ import annotations

import json
from collections.abc import Mapping

from models.engine import Ask, Message
from tasks.episode.actions import Answer, CallTool, Move, Nothing, ask, emit
from tasks.episode.events import ActionParsed, ToolReturned
from tasks.episode.seats import View


class EchoPolicy:
    """Answers every question with itself: whatever scores above it has done something."""

    name = "echo/1"

    def move(self, view: View) -> Move:
        """One move: the question as the answer."""
        yield from ()
        return Answer(str(view.card["question"]))


class GoldPolicy:
    """Recites the gold answer, by explicit grant; it walks no path. granted: task id -> answer."""

    def __init__(self, name: str, granted: Mapping[str, str]) -> None:
        self.name = name
        self._granted = granted

    def move(self, view: View) -> Move:
        """The answer."""
        yield from ()
        return Answer(self._granted[str(view.card["id"])])


class HumanPolicy:
    """Puts the question and the last observation to the person in the seat. What is typed is either an answer or,
    beginning with a slash, a tool call: `/get_company_info {"identifier": "…", "columns": []}`."""

    name = "human/1"

    def move(self, view: View) -> Move:
        """One move, as typed."""
        shown = [Message("user", str(view.card["question"]))]
        shown += [Message("tool", r.event.observation) for r in view.history if isinstance(r.event, ToolReturned)]
        reply = yield from ask(Ask(view.seat, tuple(shown), prompt="human/1"))
        text = reply.text.strip()
        if not text.startswith("/"):
            return Answer(text)
        tool, _, rest = text[1:].partition(" ")
        try:
            arguments = json.loads(rest) if rest.strip() else {}
        except (ValueError, RecursionError) as error:
            note = f"工具参数应为 JSON：{error}"
            yield from emit(ActionParsed(seat=view.seat, result="rejected", note=note))
            return Nothing()
        return CallTool(tool, arguments)
