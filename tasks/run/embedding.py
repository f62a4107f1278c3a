"""The model behind the vectors of a pack, found in the library by its sum: whoever searches the pack asks the same
one."""

from __future__ import annotations

from pathlib import Path

from models.errors import BadEngine
from models.llama.embedder import Embedder
from models.llama.library import entries
from store import identity, places
from store.pack import Pack

KIND = "gguf"


def described(path: Path, pooling: str | None) -> dict[str, str | None]:
    """What the manifest of a pack says of the model that embedded it."""
    return {"kind": KIND, "model": path.name, "sha256": identity.sha256(path), "pooling": pooling}


def embedder_of(pack: Pack) -> Embedder | None:
    """The model that a pack was embedded with; None where none is needed, or it is not in the library.

    Without it the dense channel of a search is silent, and the search says so.
    """
    about = pack.manifest.embedder or {}
    if about.get("kind") != KIND:
        return None
    try:
        known = [entry for entry in entries(places.models()) if entry.sha256 == about.get("sha256")]
    except BadEngine:
        return None
    for entry in known:
        if entry.state(places.models()) == "ok":
            return Embedder(entry.file(places.models()), about.get("pooling"))
    return None
