"""Vectors of a given model in the place of those that were fitted to the pack.

A pack is never changed where it stands: a copy beside it gets the new vectors and a new manifest and takes its place.
Files that stay the same are linked, not copied, where the file system can.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike, NDArray

from store import identity
from store import manifest as manifests
from store.errors import BadInput, StoreError
from store.pack import Pack
from store.placing import StagingFolder
from store.search.indexing import KIND, VECTORISER, Progress, array_file
from store.search.vectors import FILE, dated, unit, write

BATCH = 64
"""Articles that are embedded at once."""
LONGEST = 2_000
"""Characters of an article that are embedded."""

_SQL = (
    "SELECT v.valid_from, v.valid_to, l.short, l.name, a.part, a.chapter, a.section, a.title,"
    " coalesce(a.text, '') FROM articles a"
    " JOIN law_versions v ON v.id = a.version JOIN laws l ON l.id = v.law WHERE a.id > ? ORDER BY a.id LIMIT ?"
)


def reembed(
    pack_path: str | Path,
    embed: Callable[[Sequence[str]], ArrayLike],
    describe: Mapping[str, object],
    progress: Progress | None = None,
) -> Path:
    """Give the articles of a pack the vectors of `embed` (texts -> one vector each, all of one length); gives its
    path.

    describe: what the manifest says of the model, at least its `kind`; `dimensions` is added. Whoever opens the pack
    then passes the same model to be asked, otherwise its dense channel is silent. With `years` the years in which an
    article applied stand before its text, and those that a question names before the question (`dated`): what this is
    worth, a bench of both packs says.

    Raises:
        BadInput: the pack has no articles, the description no kind, or a vector is not what it should be.
        StoreError: the folder cannot be written.
    """
    if not describe.get("kind") or describe["kind"] == KIND:
        raise BadInput(
            f"{describe.get('kind', '')!r} is no kind of a model", "Describe it, e.g. {'kind': 'gguf', …}."
        )
    with Pack.open(pack_path, verify=True) as pack:
        if not pack.manifest.counts.statutes:
            raise BadInput(f"Pack {pack.name} has no articles to embed")
        vectors = _embedded(pack, embed, bool(describe.get("years")), progress)
        return _replaced(pack, vectors, {**describe, "dimensions": vectors.shape[1]})


def _embedded(
    pack: Pack, embed: Callable[[Sequence[str]], ArrayLike], years: bool, progress: Progress | None
) -> NDArray[np.float32]:
    size, done = pack.manifest.counts.statutes, 0
    vectors: NDArray[np.float32] | None = None
    while done < size:
        rows = pack.reader.all(_SQL, (done, BATCH))
        texts = [
            dated(first if years else "", last if years else "", " ".join(filter(None, (short or name, *rest))))[
                :LONGEST
            ]
            for first, last, short, name, *rest in rows
        ]
        found = np.asarray(embed(texts), np.float32)
        if vectors is None and found.ndim == 2:
            vectors = np.zeros((size, found.shape[1]), np.float32)
        if vectors is None or found.shape != (len(texts), vectors.shape[1]) or not np.isfinite(found).all():
            raise BadInput(f"The model gave no usable vectors for articles {done + 1} to {done + len(texts)}")
        vectors[done : done + len(texts)] = unit(found)
        done += len(texts)
        if progress is not None:
            progress("embedding articles", done, size)
    assert vectors is not None
    return vectors


def _replaced(pack: Pack, vectors: NDArray[np.float32], embedder: dict[str, object]) -> Path:
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
