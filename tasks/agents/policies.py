"""Policies without a model that sit in the tested seat of any benchmark: a person, the reference, the floor `echo`,
and a plain function `f(question, tools) -> answer` of a notebook.

A policy keeps nothing between its moves, so a function is called anew for every step: calls of tools that are on
record give what they gave, the first that is not becomes the move. It must therefore do the same for the same
results, and work of its own that costs much belongs into a cache (`functools.cache`).
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from models.engine import Ask, Message
from tasks.agents.history import Step, steps_of
from tasks.episode.events import ActionParsed, ToolReturned
from tasks.episode.seats import Answer, CallTool, Move, Nothing, View, ask, emit
from tasks.episode.with_tools import ToolResult
from tasks.errors import TaskError


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


class _Called(BaseException):
    """Leaves the function at a call that is not on record; no `except Exception` of its own holds it."""

    def __init__(self, tool: str, given: dict[str, object]) -> None:
        self.call = CallTool(tool, given)


class FunctionTools:
    """What the function calls: `tools.get_company_info(identifier="…", columns=[…])` gives status, observation (the
    text that a model would read) and value (the same as data, None where there is none)."""

    def __init__(self, steps: Sequence[Step]) -> None:
        self._steps = iter([step for step in steps if step.tool is not None])

    def __getattr__(self, name: str) -> Callable[..., ToolResult]:
        """A tool by its name."""
        if name.startswith("_"):
            raise AttributeError(name)

        def call(**given: object) -> ToolResult:
            step = next(self._steps, None)
            if step is None:
                raise _Called(name, given)
            return ToolResult(step.status, step.observation, step.value)

        return call


class FunctionPolicy:
    """Asks the function what comes next."""

    def __init__(self, name: str, function: Callable[[str, FunctionTools], str]) -> None:
        self.name = name
        self.function = function
        self.error: Exception | None = None
        """The first that the function has raised."""

    def move(self, view: View) -> Move:
        """The first call that is not on record, or the answer."""
        yield from ()
        if type(view) is not View:  # who speaks in a conversation needs more of it than a question
            raise TaskError(
                "A function answers questions; in this seat people talk", "Make a Policy with moot.agent."
            )
        try:
            answer = self.function(str(view.card["question"]), FunctionTools(steps_of(view.history, view.seat)))
        except _Called as called:
            return called.call
        except Exception as error:
            self.error = self.error or error
            raise
        if not isinstance(answer, str):
            self.error = self.error or TypeError(f"{self.name} returned {type(answer).__name__}, not a text")
            raise self.error
        return Answer(answer)
