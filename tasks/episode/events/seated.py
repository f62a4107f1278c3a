"""Who sits where. A later `Seated` for the same seat replaces the earlier one."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class Seated(Event):
    """`policy` is the policy's name and version ("rules/1"), `engine` the SPEC behind it or ''.

    `described` is the hash of what the engine of a newcomer says of itself; engines that sit from the beginning are
    described in the header of the run.
    """

    tag: ClassVar[str] = "seated"
    later: ClassVar[frozenset[str]] = frozenset({"described"})
    seat: str
    policy: str
    engine: str = ""
    described: str = ""
