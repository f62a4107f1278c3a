"""Vectors of a given model in the place of those that were fitted to the pack.

A pack is never changed where it stands: a copy beside it gets the new vectors and a new manifest and takes its place.
Files that stay the same are linked, not copied, where the file system can.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from store import identity
from store import manifest as manifests
from store.errors import BadInput, StoreError, TextTooLong
from store.pack import Pack
from store.placing import StagingFolder
from store.search.bigrams import Floats
from store.search.indexing import KIND, VECTORISER, Progress, array_file
from store.search.vectors import FILE, Embed, unit, write

BATCH = 32
"""Articles that are embedded at once: what servers take in one request."""

_SQL = (
    "SELECT l.short, l.name, a.part, a.chapter, a.section, a.title, coalesce(a.text, '') FROM articles a"
    " JOIN law_versions v ON v.id = a.version JOIN laws l ON l.id = v.law WHERE a.id > ? ORDER BY a.id LIMIT ?"
)


def reembed(
    pack_path: str | Path,
    embed: Embed,
    describe: Mapping[str, object],
    progress: Progress | None = None,
) -> Path:
    """Give the articles of a pack the vectors of `embed` (texts -> one vector each, all of one length); gives its
    path.

    An article for which `embed` raises TextTooLong is embedded in parts. describe: what the manifest says of the
    model, at least its `kind`; `dimensions` is added, and `parts`, the number of articles in parts, if there are any.
    Whoever opens the pack then passes the same model to be asked, otherwise its dense channel is silent.

    Raises:
        BadInput: the pack has no articles, the description no kind, or a vector is not what it should be.
        TextTooLong: the model does not take a single character.
        StoreError: the folder cannot be written.
    """
    if not describe.get("kind") or describe["kind"] == KIND:
        raise BadInput(
            f"{describe.get('kind', '')!r} is no kind of a model", "Describe it, e.g. {'kind': 'gguf', …}."
        )
    with Pack.open(pack_path, verify=True) as pack:
        if not pack.manifest.counts.statutes:
            raise BadInput(f"Pack {pack.name} has no articles to embed")
        size, vectors = pack.manifest.counts.statutes, ArticleVectors(embed)
        while len(vectors.rows) < size:
            rows = pack.reader.all(_SQL, (len(vectors.rows), BATCH))
            vectors.add([" ".join(filter(None, (short or name, *rest))) for short, name, *rest in rows])
            if progress is not None:
                progress("embedding articles", len(vectors.rows), size)
        found = np.stack(vectors.rows)
        parts = {"parts": vectors.parts} if vectors.parts else {}
        return _replaced(pack, found, {**describe, "dimensions": found.shape[1], **parts})


class ArticleVectors:
    """Vectors of articles in their order, of length 1. An article that the model does not take whole is halved until
    it takes the parts: its vector is the mean of theirs, weighted by their characters."""

    def __init__(self, embed: Embed) -> None:
        self._embed = embed
        self.rows: list[Floats] = []
        self.parts = 0
        """Articles that were embedded in parts."""

    def add(self, texts: Sequence[str]) -> None:
        """Embed the next articles."""
        try:
            self.rows += list(unit(self._vectors(texts)))
        except TextTooLong:
            if len(texts) == 1:
                self.rows += list(unit(self._in_parts(texts[0])))
                self.parts += 1
            else:
                middle = len(texts) // 2
                self.add(texts[:middle])
                self.add(texts[middle:])

    def _vectors(self, texts: Sequence[str]) -> Floats:
        found = np.asarray(self._embed(texts), np.float32)
        width, done = (self.rows[0] if self.rows else found).shape[-1:], len(self.rows)
        if found.shape != (len(texts), *width) or not np.isfinite(found).all():
            raise BadInput(f"The model gave no usable vectors for articles {done + 1} to {done + len(texts)}")
        return found

    def _in_parts(self, text: str) -> Floats:
        """The vector of a text times its length, or the sum of those of its halves."""
        try:
            return len(text) * unit(self._vectors([text]))
        except TextTooLong:
            if len(text) < 2:
                raise
            middle = len(text) // 2
            return self._in_parts(text[:middle]) + self._in_parts(text[middle:])


def _replaced(pack: Pack, vectors: Floats, embedder: dict[str, object]) -> Path:
    destination, old = pack.path, pack.manifest
    gone = {FILE, *map(array_file, VECTORISER)}
    staging: StagingFolder | None = None
    try:
        staging = StagingFolder(destination)
        folder = staging.folder
        files = {file: digest for file, digest in old.files.items() if file not in gone}
        for file in files:
            (folder / file).parent.mkdir(parents=True, exist_ok=True)
            _link(destination / file, folder / file)
        write(folder / FILE, vectors)
        files[FILE] = identity.read_all(folder / FILE)
        sizes = {file: (folder / file).stat().st_size for file in files}
        manifests.write(folder, old.model_copy(update={"files": files, "sizes": sizes, "embedder": embedder}))
        staging.commit()
    except OSError as error:
        raise StoreError(f"Pack {old.name} could not be written again: {error.strerror or error}") from None
    finally:
        if staging is not None:
            staging.clear()
    return destination


def _link(source: Path, target: Path) -> None:
    try:
        os.link(source, target)
    except OSError:
        shutil.copyfile(source, target)
