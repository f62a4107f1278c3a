"""What scores are called wherever people read: by the interface's own words, else as reports and comparisons name
them. Codes stay in JSON."""

from __future__ import annotations

from app.strings import known, language, t
from tasks.scoring.names import DISTANCES, MEASURES, measure_name


def score_name(name: str) -> str:
    """The name of a value in the current language, as the head of a row."""
    key = f"scores.{name}"
    said = t(key) if name not in MEASURES and known(key) else measure_name(name, language())
    return said[:1].upper() + said[1:]


def score_figure(name: str, value: float) -> str:
    """A value of an episode as people read it: a share in points of 100, a distance of logarithms as it is."""
    return f"{value:.2f}" if name in DISTANCES else f"{100 * value:.1f}"
