"""Who sits where. A later `Seated` for the same seat replaces the earlier one."""

from __future__ import annotations

from typing import ClassVar

from tasks.events.base import Event


class Seated(Event):
    """`policy` is the policy's name and version ("rules/1"), `engine` the SPEC behind it or ''."""

    tag: ClassVar[str] = "seated"
    seat: str
    policy: str
    engine: str = ""
