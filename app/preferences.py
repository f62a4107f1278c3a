"""What the user chose for the desk on this machine: its language and its colours. Kept in the user's configuration.

MOOT_LANG goes before the language that is kept here. A file that cannot be read counts as none, one that cannot be
written is no failure of the desk: the choice then holds until it closes.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from app.strings import set_language
from store import places
from store.errors import StoreError
from store.files import BY_HAND, read_whole, written_whole


class Preferences(BaseModel):
    """The choices; '' is what the system says."""

    model_config = ConfigDict(frozen=True, extra="ignore")
    language: Literal["", "zh", "en"] = ""
    theme: Literal["moot-dark", "moot-light"] = "moot-dark"


def file_of_preferences() -> Path:
    """Where the choices are kept."""
    return places.config() / "desk.json"


def preferences() -> Preferences:
    """What was chosen; the defaults where nothing was, or where the file cannot be read."""
    try:
        return Preferences.model_validate_json(read_whole(file_of_preferences(), BY_HAND))
    except (StoreError, ValidationError):
        return Preferences()


def prefer(**chosen: str) -> Preferences:
    """Keep choices beside those that were made before.

    Raises:
        StoreError: the file cannot be written.
        ValidationError: there is no such language or theme.
    """
    made = Preferences.model_validate({**preferences().model_dump(), **chosen})
    with written_whole(file_of_preferences(), parents=True) as file:
        file.write(made.model_dump_json(indent=1) + "\n")
    return made


def speak_as_preferred() -> None:
    """Speak the language that was chosen, unless MOOT_LANG names one."""
    if not os.environ.get("MOOT_LANG"):
        set_language(preferences().language or None)
