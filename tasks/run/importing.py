"""The importer of a format, of ours or of an installed package: `import_pack(source, name, progress) -> Path`."""

from __future__ import annotations

from typing import cast

from store.errors import NotFound
from store.importers import Import
from tasks import registry


def importer(name: str) -> Import:
    """The importer of a format; `_` and `-` are the same.

    Raises:
        NotFound: there is no such format.
        UsageError: it cannot be loaded, or is no importer.
    """
    wanted, known = name.lower().replace("_", "-"), registry.names("importers")
    if wanted not in known:
        raise NotFound(f"There is no import format named {name}", f"Formats: {', '.join(known)}.")
    found = registry.load("importers", wanted)
    if not callable(found):
        raise registry.unusable("importers", wanted, "this is no function that imports")
    return cast(Import, found)
