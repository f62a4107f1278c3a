"""Why a task is corrected or rejected: a list as data, the codes of which stand in the log."""

from __future__ import annotations

import tomllib
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

OTHER = "other"
"""The code that says nothing without a note."""


@dataclass(frozen=True, slots=True)
class Cause:
    """One reason: its code, and its words in both languages."""

    code: str
    zh: str
    en: str


@cache
def causes() -> dict[str, Cause]:
    """Code -> cause, in the order in which people are offered them."""
    text = files("tasks.verifying").joinpath("causes.toml").read_text(encoding="utf-8")
    return {entry["code"]: Cause(**entry) for entry in tomllib.loads(text)["cause"]}
