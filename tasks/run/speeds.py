"""How fast a local model reads and speaks on this machine, in tokens a second: what `moot models check --speed`
measured, kept beside the library by the sha256 of the file, so that a plan need not guess.

Nothing is told of a model that was not measured, nor of another machine.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from pydantic import BaseModel, ConfigDict, PositiveFloat, ValidationError

from models.llama.library import digest
from store import places
from store.errors import StoreError
from store.files import BY_HAND, read_whole, written_whole
from tasks.run.header import now

FOLDER = "benches"


class Speed(BaseModel):
    """Tokens a second: read, spoken by one call, spoken by so many calls together; when it was measured, and with how
    many threads."""

    model_config = ConfigDict(frozen=True, allow_inf_nan=False)
    prefill: PositiveFloat
    decode: PositiveFloat
    together: dict[int, PositiveFloat] = {}
    measured: str = ""
    threads: int = 0

    def speaking(self, parallel: int) -> tuple[int, float]:
        """With how many calls together speaking was measured, the most up to `parallel`, and the tokens a second of
        all of them; one by itself was measured at greater length."""
        fits = [n for n in self.together if 1 < n <= parallel]
        return (max(fits), self.together[max(fits)]) if fits else (1, self.decode)


def keep(sha256: str, found: Mapping[str, Any]) -> None:
    """Keep what was measured of a model.

    Args:
        sha256: of its file.
        found: prefill, decode, together and threads, as `models.llama.speed.measure` gives them.

    Raises:
        StoreError: it cannot be written.
    """
    made = Speed(**found, measured=now())
    with written_whole(_file(sha256), parents=True) as stream:
        json.dump(made.model_dump(mode="json"), stream)


def speed_of(model: Path) -> Speed | None:
    """What was measured of a model file on this machine; None where nothing was, or nothing that can be read."""
    if not (places.models() / FOLDER).is_dir():
        return None  # its sha256 need not be known
    try:
        return Speed.model_validate_json(read_whole(_file(digest(model, places.models())), BY_HAND))
    except (StoreError, OSError, ValidationError):
        return None


def _file(sha256: str) -> Path:
    return places.models() / FOLDER / f"{sha256}.json"
