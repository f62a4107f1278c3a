"""The one owner of SVG: shapes and text on a plot that stands inside a page, without script, style sheet or
reference.

Coordinates are in user units, which are CSS pixels at full width; text is text, so that it can be selected and read
out. Colours hold on light and dark paper alike; ink is that of the page.
"""

from __future__ import annotations

import html

from tasks.reports.model import printable
from tasks.reports.words import width

OWN, LIMIT, GOOD, FAINT = "#3a7bd5", "#b45309", "#2f8f5b", "currentColor"
"""Our figures; floors and what others published; ceilings; everything that only helps to read."""
LONGEST = 46
"""Cells of a label; a longer one is cut, and said whole when it is pointed at."""


class Drawing:
    """A plot in the making. `str` of it is the fragment."""

    def __init__(self, wide: float, high: float, title: str, size: int = 12) -> None:
        self._parts = [
            f'<svg class="plot" viewBox="0 0 {wide:g} {high:g}" width="{wide:g}" height="{high:g}" role="img"'
            f' font-size="{size}" fill="currentColor">{_titled(title)}'
        ]

    def __str__(self) -> str:
        return "".join([*self._parts, "</svg>"])

    def text(self, x: float, y: float, said: str, anchor: str = "start", faint: bool = False) -> None:
        """A line of text on its base line; anchor: start, middle or end."""
        where = "" if anchor == "start" else f' text-anchor="{anchor}"'
        where += ' fill-opacity=".75"' if faint else ""
        shown = short(said)
        whole = _titled(said) if shown != printable(said) else ""
        self._parts.append(f'<text x="{x:.1f}" y="{y:.1f}"{where}>{_text(shown)}{whole}</text>')

    def line(
        self, x1: float, y1: float, x2: float, y2: float, stroke: str = FAINT, *, opacity: float = 1.0,
        thick: float = 1.0, dashed: bool = False,
    ) -> None:  # fmt: skip
        """A straight line."""
        more = f' stroke-opacity="{opacity:g}"' if opacity < 1 else ""
        more += f' stroke-width="{thick:g}"' if thick != 1 else ""
        more += ' stroke-dasharray="5 3"' if dashed else ""
        self._parts.append(f'<line x1="{x1:.1f}" y1="{y1:.1f}" x2="{x2:.1f}" y2="{y2:.1f}" stroke="{stroke}"{more}/>')

    def rect(
        self, x: float, y: float, wide: float, high: float, fill: str, *, opacity: float = 1.0, said: str = ""
    ) -> None:
        """A filled rectangle; `said` when it is pointed at."""
        look = f'fill="{fill}"' + (f' fill-opacity="{opacity:g}"' if opacity < 1 else "")
        self._parts.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{max(wide, 0):.1f}" height="{high:.1f}" {look}>'
            f"{_titled(said)}</rect>"
        )

    def dot(
        self, x: float, y: float, colour: str = OWN, *, hollow: bool = False, r: float = 4, opacity: float = 1.0,
        said: str = "",
    ) -> None:  # fmt: skip
        """A point."""
        look = f'fill="none" stroke="{colour}"' if hollow else f'fill="{colour}"'
        look += f' fill-opacity="{opacity:g}"' if opacity < 1 else ""
        self._parts.append(f'<circle cx="{x:.1f}" cy="{y:.1f}" r="{r:.1f}" {look}>{_titled(said)}</circle>')


def short(text: str) -> str:
    """A label that fits beside a plot."""
    text = printable(text)
    if width(text) <= LONGEST:
        return text
    kept = ""
    for sign in text:
        if width(kept + sign) >= LONGEST:
            break
        kept += sign
    return f"{kept}…"


def _titled(text: str) -> str:
    return f"<title>{_text(text)}</title>" if text else ""


def _text(text: str) -> str:
    return html.escape(printable(text))
