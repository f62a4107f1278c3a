"""The importer of a format, of ours or of an installed package: `import_pack(source, name, progress) -> Path`."""

from __future__ import annotations

from typing import cast

from store.importers import Import
from tasks import registry


def importer(name: str) -> Import:
    """The importer of a format; `_` and `-` are the same.

    Raises:
        UsageError: there is no such format, or none that can be loaded.
    """
    return cast(Import, registry.load("importers", name.lower().replace("_", "-")))
