"""The learning curve as a picture for the docs: success by processor minutes, an SVG of lines. No library draws
it."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

WIDTH, HEIGHT, LEFT, BOTTOM, TOP, RIGHT = 720, 360, 50, 44, 16, 190
COLOURS = ("#1b6ca8", "#d1495b", "#2e8b57", "#8a5fbf")


def drawn(points: list[dict[str, Any]]) -> str:
    """The SVG: a colour a cell, a dash a number of hops."""
    measured = [point for point in points if "success" in point]
    most = max(point["cpu"] for point in measured) / 60
    cells = list(measured[-1]["success"])
    groups = list(dict.fromkeys(cell.rsplit(" ", 1)[0] for cell in cells))

    def at(minutes: float, share: float) -> str:
        x = LEFT + (WIDTH - LEFT - RIGHT) * minutes / most
        return f"{x:.1f},{HEIGHT - BOTTOM - (HEIGHT - BOTTOM - TOP) * share:.1f}"

    out = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}" font-family="sans-serif" '
        f'font-size="12">',
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>',
    ]
    for share in (0, 0.25, 0.5, 0.75, 1):
        x, y = at(0, share).split(",")
        out += [
            f'<line x1="{x}" y1="{y}" x2="{WIDTH - RIGHT}" y2="{y}" stroke="#dddddd"/>',
            f'<text x="{LEFT - 8}" y="{float(y) + 4}" text-anchor="end">{share:g}</text>',
        ]
    for minutes in range(0, int(most) + 1, max(1, int(most) // 8)):
        x = at(minutes, 0).split(",")[0]
        out.append(f'<text x="{x}" y="{HEIGHT - BOTTOM + 18}" text-anchor="middle">{minutes}</text>')
    out.append(
        f'<text x="{(LEFT + WIDTH - RIGHT) / 2}" y="{HEIGHT - 8}" text-anchor="middle">CPU min / 处理器分钟</text>'
    )
    for number, cell in enumerate(cells):
        group, hops = cell.rsplit(" ", 1)
        colour = COLOURS[groups.index(group) % len(COLOURS)]
        dash = {"1": "", "2": "6 3", "3": "2 3"}[hops]
        line = " ".join(at(point["cpu"] / 60, point["success"][cell]) for point in measured)
        y = TOP + 14 + 17 * number
        out += [
            f'<polyline points="{line}" fill="none" stroke="{colour}" stroke-width="2" stroke-dasharray="{dash}"/>',
            f'<line x1="{WIDTH - RIGHT + 12}" y1="{y - 4}" x2="{WIDTH - RIGHT + 40}" y2="{y - 4}" stroke="{colour}"'
            f' stroke-width="2" stroke-dasharray="{dash}"/>',
            f'<text x="{WIDTH - RIGHT + 46}" y="{y}">{group}, {hops}</text>',
        ]
    return "\n".join([*out, "</svg>"]) + "\n"


def write(figures: Path) -> Path:
    """Draw the curve of a file of figures beside it."""
    path = figures.with_suffix(".svg")
    path.write_text(drawn(json.loads(figures.read_text(encoding="utf-8"))["curve"]), encoding="utf-8")
    return path


if __name__ == "__main__":
    print(write(Path(sys.argv[1])))
