"""Two themes of the desk's own: ink and paper. Every colour on the screen comes from one of them."""

from __future__ import annotations

from textual.theme import Theme

DARK = Theme(
    name="moot-dark",
    dark=True,
    primary="#7aa7dd",
    secondary="#8fc1b5",
    accent="#dcb26b",
    warning="#e3a857",
    error="#e5737c",
    success="#92c47c",
    foreground="#d9dee4",
    background="#13171c",
    surface="#1a2027",
    panel="#232b34",
)
LIGHT = Theme(
    name="moot-light",
    dark=False,
    primary="#2c5c97",
    secondary="#2f6f62",
    accent="#8f5410",
    warning="#9a5b00",
    error="#b0261e",
    success="#2b7033",
    foreground="#1d2126",
    background="#fbfaf6",
    surface="#f2f0ea",
    panel="#e6e2d8",
)
