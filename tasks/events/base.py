"""The base of all events: frozen, tagged facts. Times and costs in milliseconds are facts but not part of a digest."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict


class Event(BaseModel):
    """One fact of an episode. Subclasses set `tag`, the name under which the journal keeps them for ever."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tag: ClassVar[str]
    timing: ClassVar[frozenset[str]] = frozenset()
    """Fields that depend on the clock or the machine: left out of `digest(episode)`."""

    def data(self) -> dict[str, Any]:
        """The event as JSON-ready data, without its tag."""
        return self.model_dump(mode="json")

    def essence(self) -> dict[str, Any]:
        """The event as data without times: what two runs of the same episode must agree on."""
        return self.model_dump(mode="json", exclude=set(self.timing))


@dataclass(frozen=True, slots=True)
class Record:
    """An event in its place.

    seq: position in the attempt, from 0, without gaps. step: number of the step it belongs to (0 = setting up).
    parent: seq of the event that caused it, or None. at: seconds since the epoch.
    """

    seq: int
    step: int
    parent: int | None
    at: float
    event: Event
