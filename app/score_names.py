"""What scores are called wherever people read: by the interface's own words, else as reports and comparisons name them.
Codes stay in JSON."""

from __future__ import annotations

from app.strings import known, language, t
from tasks.scoring.names import MEASURES, measure_name


def score_name(name: str) -> str:
    """The name of a value in the current language, as the head of a row."""
    key = f"scores.{name}"
    said = t(key) if name not in MEASURES and known(key) else measure_name(name, language())
    return said[:1].upper() + said[1:]
