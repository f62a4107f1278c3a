"""What a run of LegalSearch can set beyond the common settings."""

from __future__ import annotations

from typing import Literal

from tasks.run.spec import RunSpec
from tasks.settings import Settings, setting

Window = Literal["on", "off", "newest"]


class LegalSearchSettings(Settings):
    """How the search agent samples, what it may look up, and where."""

    temperature: float = setting(0.0, "Sampling temperature of the tested seat.", for_models=True, ge=0)
    entropy: bool = setting(
        False, "Record the entropy of every token of the tested seat, where the engine has full logits.", hidden=True
    )
    window: Window = setting(
        "on", "Search versions in force on the days asked for, all versions, or the newest only."
    )
    tools: Literal["on", "off", "rag", "web"] = setting("on", "Which tools the agent has.")
    channels: tuple[str, ...] = setting((), "Channels of the statute search; default: all.", metavar="C,...")
    law_filter: bool = setting(True, "Whether a law that a query names narrows the search.")
    web: str = setting("", "The pack with the web snapshot; default: the run's own pack.", metavar="PACK")


def settings_of(spec: RunSpec) -> LegalSearchSettings:
    """The settings of a run of LegalSearch."""
    return LegalSearchSettings.of(spec.settings, "legalsearch")
