"""Looks through a built site for what a browser would fetch from elsewhere; links that a reader follows are fine.

    python packaging/site_check.py FOLDER

Exit code 1 where something is found, or where FOLDER holds no page.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from html.parser import HTMLParser
from pathlib import Path

LOADING = {
    "script": ("src",), "img": ("src", "srcset"), "iframe": ("src",), "source": ("src", "srcset"),
    "video": ("src", "poster"), "audio": ("src",), "embed": ("src",), "object": ("data",), "input": ("src",),
    "base": ("href",),
}  # fmt: skip
"""Element -> attributes whose address is fetched without being asked."""
KEPT_RELS = {"canonical", "author", "license", "search", "index", "next", "prev", "help", "alternate"}
"""What a `<link>` may name without anything being fetched from it."""
OUTSIDE = re.compile(r"\s*(?:https?:|wss?:)?//", re.IGNORECASE)
PICTURE = re.compile(
    r"""<(?:image|use|script|feImage|\w*:?link)\b[^>]*?(?:href|src)\s*=\s*["']\s*((?:https?:)?//[^"']*)""",
    re.IGNORECASE,
)
"""What a picture in SVG fetches."""
STYLE = re.compile(r"(?:url\(\s*['\"]?|@import\s+['\"])\s*((?:https?:)?//[^'\")\s]*)", re.IGNORECASE)
SCRIPT = re.compile(
    r"(?:fetch\(|importScripts\(|new Worker\(|import\(|\.open\([^)]*?,|\.src\s*=)\s*['\"`]((?:https?:)?//[^'\"`]*)",
    re.IGNORECASE,
)


class _Loads(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []
        self.inside = ""

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = {name: value or "" for name, value in attrs}
        wanted = LOADING.get(tag, ())
        if tag == "link" and not set(given.get("rel", "").split()) <= KEPT_RELS:
            wanted = ("href",)
        for name in wanted:
            parts = given.get(name, "").split(",") if name == "srcset" else [given.get(name, "")]
            self.found += [part.strip() for part in parts if OUTSIDE.match(part)]
        self.found += STYLE.findall(given.get("style", ""))
        self.inside = tag if tag in ("style", "script") else ""

    def handle_endtag(self, tag: str) -> None:
        self.inside = ""

    def handle_data(self, data: str) -> None:
        if self.inside:
            self.found += (STYLE if self.inside == "style" else SCRIPT).findall(data)


def loads(name: str, text: str) -> list[str]:
    """Addresses beyond the site that a browser fetches by itself from a page, a style, a script or a picture."""
    if name.endswith(".css"):
        return STYLE.findall(text)
    if name.endswith(".js"):
        return SCRIPT.findall(text)
    if name.endswith(".svg"):
        return PICTURE.findall(text) + STYLE.findall(text)
    reader = _Loads()
    reader.feed(text)
    return reader.found


def outside(folder: Path) -> Iterator[str]:
    """A line for each such address in a folder."""
    for path in sorted(folder.rglob("*")):
        if path.suffix in (".html", ".css", ".js", ".svg"):
            for address in loads(path.name, path.read_text(encoding="utf-8", errors="replace")):
                yield f"{path.relative_to(folder)}: {address}"


def main() -> int:
    """Say what was found."""
    folder = Path(sys.argv[1])
    pages = len(list(folder.rglob("*.html")))
    found = list(outside(folder))
    print("\n".join([*found, f"{folder}: {pages} pages, {len(found)} loads from elsewhere"]))
    return 1 if found or not pages else 0


if __name__ == "__main__":
    sys.exit(main())
