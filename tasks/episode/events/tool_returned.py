"""A tool answered. Its parent is the `ToolCalled`."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.episode.events.base import Event


class ToolReturned(Event):
    """`observation` is the whole text that came back, `value` the same as data (None after an error). A model is shown a very
    long text shortened, as `tasks.episode.observations` says; where it is given the same one again, that is what stands here too.

    `status` is one of ok, no_data, bad_column, call_error, math_error, outside_pack. `unknown` counts cells that the
    pack does not hold, `provenance` the classes of the rows shown ("authored" means fictional data).
    """

    tag: ClassVar[str] = "tool_returned"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds"})
    seat: str
    tool: str
    status: str
    observation: str
    value: Any = None
    complete: bool = True
    unknown: int = 0
    provenance: tuple[str, ...] = ()
    milliseconds: float = 0.0
