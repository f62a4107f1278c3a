"""The filter stage: which tables a seat thinks it needs, and the tools that come with them."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event


class ToolsChosen(Event):
    """`tables` with those that are always added, `tools` in the order offered.

    `result` says how the choice was read: as written, after repair or a second try, or not at all (then all tables are
    there); `note` names the repair or the reason.
    """

    tag: ClassVar[str] = "tools_chosen"
    seat: str
    tables: tuple[str, ...]
    tools: tuple[str, ...]
    result: Literal["ok", "repaired", "rejected"] = "ok"
    note: str = ""
