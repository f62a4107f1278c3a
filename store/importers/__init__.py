"""Importers: one module a source format, each with `import_pack(source, name, progress) -> Path`.

Progress is called with a phase, how much of it is done and, when known, how much there is.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable
from pathlib import Path
from typing import cast

from store.errors import NotFound

Progress = Callable[[str, int, int | None], None]
Import = Callable[[Path, str, Progress], Path]

FORMATS: dict[str, tuple[str, str]] = {
    "legalagentbench": ("store.importers.legalagentbench", "a folder of harvested rows, lists, calls and documents"),
    "legalagentbench-logs": ("store.importers.legalagentbench_logs", "a checkout or folder of published run logs"),
    "law-markdown": ("store.importers.law.markdown", "national laws in Markdown, a file a version"),
    "law-text": ("store.importers.law.plaintext", "statutes as plain text, a file a version"),
    "law-json": ("store.importers.law.jsonfile", "laws, versions and articles in a small JSON layout"),
    "legalsearch": (
        "store.importers.law.legalsearch",
        "statutes by version: version list, article index, texts, chunks",
    ),
    "web": ("store.importers.web", "saved web pages: HTML, MHTML, Markdown or JSON lines with url, title, date"),
    "tables": ("store.importers.tables", "CSV, JSON lines, XLSX or SQLite with the upstream column names"),
}
"""Format -> (module, what it reads)."""


def importer(name: str) -> Import:
    """The importer of a format; `_` and `-` are the same.

    Raises:
        NotFound: there is no such format.
    """
    known = FORMATS.get(name.lower().replace("_", "-"))
    if known is None:
        raise NotFound(f"There is no import format named {name}", f"Formats: {', '.join(FORMATS)}.")
    return cast(Import, importlib.import_module(known[0]).import_pack)


def silent(phase: str, done: int, total: int | None) -> None:
    """A progress callback that says nothing."""
