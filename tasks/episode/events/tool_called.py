"""A tool is called, with the input as the tool gets it."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.episode.events.base import Event


class ToolCalled(Event):
    """`input` is JSON data: usually an object, whatever the caller gave."""

    tag: ClassVar[str] = "tool_called"
    seat: str
    tool: str
    input: Any = None
