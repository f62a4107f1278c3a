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
    later: ClassVar[frozenset[str]] = frozenset()
    """Fields that a later release added: written only where they say something, so that old digests hold."""

    def data(self) -> dict[str, Any]:
        """The event as JSON-ready data, without its tag."""
        return self.model_dump(mode="json", exclude=self._silent())

    def essence(self) -> dict[str, Any]:
        """The event as data without times: what two runs of the same episode must agree on."""
        return self.model_dump(mode="json", exclude=self._silent() | self.timing)

    def _silent(self) -> set[str]:
        fields = type(self).model_fields
        return {name for name in self.later if getattr(self, name) == fields[name].default}


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
