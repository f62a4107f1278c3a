"""Where packs, runs and caches live. `MOOT_HOME` overrides all of them."""

from __future__ import annotations

import os
from pathlib import Path

import platformdirs


def home() -> Path:
    """The folder that holds everything Moot keeps."""
    override = os.environ.get("MOOT_HOME")
    return Path(override) if override else Path(platformdirs.user_data_dir("moot", appauthor=False))


def packs() -> Path:
    """One folder a corpus pack."""
    return home() / "packs"


def runs() -> Path:
    """One journal file a run."""
    return home() / "runs"


def models() -> Path:
    """The library of GGUF files: a catalogue, and the files that were copied in."""
    return home() / "models"


def config() -> Path:
    """What the user decided for this machine; nothing that comes from elsewhere is ever put there."""
    if os.environ.get("MOOT_HOME"):
        return home() / "config"
    return Path(platformdirs.user_config_dir("moot", appauthor=False))


def logs() -> Path:
    """What runs in the background say."""
    if os.environ.get("MOOT_HOME"):
        return home() / "logs"
    return Path(platformdirs.user_log_dir("moot", appauthor=False))


def cache() -> Path:
    """Caches of Moot and of its libraries; safe to delete."""
    if os.environ.get("MOOT_HOME"):
        return home() / "cache"
    return Path(platformdirs.user_cache_dir("moot", appauthor=False))
