"""Looks through a built site for what a browser would fetch from elsewhere; links that a reader follows are fine.

    python packaging/site_check.py FOLDER

Exit code 1 where something is found, or where FOLDER holds no page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

OUTSIDE = r"(?:https?:|wss?:)?//"
ELEMENT = re.compile(
    r"<(?:script|img|iframe|source|video|audio|embed|object|input|base|image|use|feImage)\b[^>]*?\s"
    rf"(?:src|srcset|poster|data|(?:xlink:)?href)\s*=\s*[\"'](?:[^\"']*,)?\s*{OUTSIDE}[^>]*>"
    r"|<link\b(?![^>]*\brel=[\"'](?:canonical|author|license|search|index|next|prev|help|alternate)[\"'])"
    rf"[^>]*?\shref\s*=\s*[\"']{OUTSIDE}[^>]*>",
    re.IGNORECASE,
)
STYLE = re.compile(rf"(?:url\(\s*['\"]?|@import\s+['\"])\s*{OUTSIDE}[^'\")\s]*", re.IGNORECASE)
SCRIPT = re.compile(
    r"(?:fetch\(|importScripts\(|new Worker\(|import\(|\.open\([^)]*?,|\.src\s*=)\s*['\"`]"
    rf"{OUTSIDE}[^'\"`]*",
    re.IGNORECASE,
)
INLINE = re.compile(r"<script\b[^>]*>(.*?)</script>", re.IGNORECASE | re.DOTALL)


def loads(name: str, text: str) -> list[str]:
    """What of a page, a style, a script or a picture a browser fetches by itself from beyond the site."""
    if name.endswith(".css"):
        return STYLE.findall(text)
    if name.endswith(".js"):
        return SCRIPT.findall(text)
    return ELEMENT.findall(text) + STYLE.findall(text) + SCRIPT.findall("\n".join(INLINE.findall(text)))


def outside(folder: Path) -> Iterator[str]:
    """A line for each such address in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".css", ".js", ".svg"):
            for address in loads(path.name, path.read_text(encoding="utf-8", errors="replace")):
                yield f"{path.relative_to(folder)}: {address}"


if __name__ == "__main__":
    pages = len(list(Path(sys.argv[1]).rglob("*.html")))
    found = list(outside(Path(sys.argv[1])))
    print("\n".join([*found, f"{sys.argv[1]}: {pages} pages, {len(found)} loads from elsewhere"]))
    sys.exit(1 if found or not pages else 0)
