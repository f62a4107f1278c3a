"""Draws the pictures of the desk in docs/screens: Home and Episode, two sizes, two languages, on the sample pack.

    python packaging/screens.py [FOLDER]

Textual's SVG names fonts on a server; that block is taken out, so that no browser goes on line for them, and the
widths of Chinese texts are set right.
"""

from __future__ import annotations

import asyncio
import html
import os
import re
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
sys.path.insert(0, str(ROOT))

SIZES = ((120, 40), (80, 24))
LANGUAGES = ("zh", "en")
CELL = 12.2
"""Width of a cell in Textual's picture."""
FONTS = "'DejaVu Sans Mono', 'Noto Sans Mono CJK SC', 'Sarasa Mono SC', Menlo, Consolas, monospace"
SIZE = f"{CELL / 0.602:.2f}px"
"""At this size a character of the first font is one cell wide."""


def offline(svg: str) -> str:
    """The picture without anything that is fetched, every character in its cell."""
    svg = re.sub(r"@font-face\s*{[^}]*}", "", svg)
    svg = re.sub(r"font-family:\s*Fira Code[^;]*;", f"font-family: {FONTS};", svg)
    svg = svg.replace("font-size: 20px;", f"font-size: {SIZE};")
    svg = re.sub(r'x="([0-9.]+)" y="([0-9.]+)" textLength="[^"]*"( [^>]*)?>([^<]*)<', _placed, svg)
    return re.sub(r"[ \t]+$", "", svg, flags=re.MULTILINE)


def _placed(match: re.Match[str]) -> str:
    """A text whose characters stand where a terminal puts them; Textual counts characters, not cells."""
    from rich.cells import cell_len

    x, y, rest, content = float(match.group(1)), match.group(2), match.group(3) or "", match.group(4)
    text = html.unescape(content)
    blanks = len(text) - len(text.lstrip("\u00a0"))
    if 0 < blanks < len(text):
        x, text = x + blanks * CELL, text[blanks:]
        content = html.escape(text, quote=False)
    if text.isascii():
        return f'x="{x:g}" y="{y}"{rest}>{content}<'
    places = " ".join(f"{x + cell_len(text[:index]) * CELL:g}" for index in range(len(text)))
    return f'x="{places}" y="{y}"{rest}>{content}<'


def runs() -> None:
    """What the pictures show: whole runs of the rules agent and of the reference, and the demo after its steps."""
    from app.ready import demo_run, ensure_sample
    from tasks.runner import start_run
    from tasks.spec import RunSpec

    ensure_sample()
    for agent in ("gold", "rules"):
        with start_run(RunSpec(benchmark="legalagentbench", agent=agent, parallel=16)) as run:
            run.go()
            run.record_scores()
    with demo_run() as run:
        run.go()
        run.record_scores()


async def draw(folder: Path) -> None:
    """Every picture."""
    from app import strings
    from app.shell import Desk

    runs()
    for language in LANGUAGES:
        strings.set_language(language)
        for size in SIZES:
            app = Desk()
            app.animation_level = "none"
            async with app.run_test(size=size) as pilot:
                await pilot.pause(1)
                name = f"{language}-{size[0]}x{size[1]}.svg"
                (folder / f"home-{name}").write_text(offline(app.export_screenshot(title="Moot")), encoding="utf-8")
                await pilot.press("enter")
                await pilot.pause(1.5)
                await pilot.press("b")
                await pilot.press("up", "up") if size[0] < 100 else None
                await pilot.pause(1)
                (folder / f"episode-{name}").write_text(offline(app.export_screenshot(title="Moot")), encoding="utf-8")
                await app.action_quit()


def main() -> None:
    """Draw into docs/screens, or the folder given."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "docs" / "screens"
    folder.mkdir(parents=True, exist_ok=True)
    os.environ["TZ"] = "UTC"
    if hasattr(time, "tzset"):
        time.tzset()
    with tempfile.TemporaryDirectory() as home:
        os.environ["MOOT_HOME"] = home
        asyncio.run(draw(folder))
    print("\n".join(str(path) for path in sorted(folder.glob("*.svg"))))


if __name__ == "__main__":
    main()
