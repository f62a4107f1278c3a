"""An event that this release does not know: shown as it is, never a crash."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.episode.events.base import Event


class Unknown(Event):
    """`name` is the tag found in the journal, `content` its data."""

    tag: ClassVar[str] = "unknown"
    name: str
    content: Any = None
