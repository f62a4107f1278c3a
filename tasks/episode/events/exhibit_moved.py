"""An exhibit goes a step on its way: 已出示, 已质证, 采信 or 不采信."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class ExhibitMoved(Event):
    """`state` as courts say it; `reason`: what was said for it."""

    tag: ClassVar[str] = "exhibit_moved"
    exhibit: str
    title: str
    state: str
    reason: str = ""
