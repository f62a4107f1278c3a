"""A plan: what the seat means to do, step by step."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Planned(Event):
    """`steps` in order; `tools` names the tool of each step ('' for none) so that a screen can show hops."""

    tag: ClassVar[str] = "planned"
    seat: str
    steps: tuple[str, ...]
    tools: tuple[str, ...] = ()
