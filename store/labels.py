"""Names and tags that the user gave to runs: what this machine calls them, never a part of their record.

They stand in one JSON file beside the user's other decisions, by the file names of the runs in its folder. A run
keeps its id, so that whoever checks its record finds the same everywhere; on another machine it has no name.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable
from pathlib import Path

from filelock import FileLock, Timeout
from pydantic import BaseModel, ConfigDict, ValidationError

from store import places
from store.errors import BadInput, DamagedData, NotFound, StoreError
from store.files import read_whole, real_path, written_whole

FILE = "runs.json"
TAG = "tag:"
"""What stands before a tag where a run is named."""
LONGEST_NAME, LONGEST_TAG, MOST_TAGS = 80, 40, 20
_PATIENCE = 10.0
_LARGEST = 1 << 25
"""Bytes of the file: far more than anybody names."""


class RunLabel(BaseModel):
    """What a run is called here; '' and () where it is not."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    name: str = ""
    tags: tuple[str, ...] = ()


class _LabelsFile(BaseModel):
    model_config = ConfigDict(extra="forbid")
    version: int = 1
    runs: dict[str, RunLabel] = {}


def labels() -> dict[str, RunLabel]:
    """File name of a run -> what it is called.

    Raises:
        Damaged: the file is not as Moot writes it.
    """
    path = places.config() / FILE
    try:
        return _LabelsFile.model_validate_json(read_whole(path, _LARGEST)).runs
    except NotFound:
        return {}
    except (BadInput, ValidationError) as error:
        raise DamagedData(
            f"the names and tags of runs in {path} cannot be read",
            "Mend the file, or move it away: runs keep their ids.",
        ) from error


def change(path: Path, how: Callable[[RunLabel], RunLabel | None]) -> RunLabel:
    """Change what a run file of this machine is called; None forgets it. Gives what it is called now.

    Raises:
        BadInput: the run does not lie among those of this machine, or the name is taken.
    """
    if real_path(path.parent) != real_path(places.runs()):
        raise BadInput(
            f"{path} does not lie among the runs of this machine",
            f"Move it to {places.runs()} to give it a name or tags.",
        )
    file = places.config() / FILE
    try:
        file.parent.mkdir(parents=True, exist_ok=True)
        with FileLock(file.with_name(f".{FILE}.lock"), timeout=_PATIENCE):
            known = labels()
            made = how(known.get(path.name, RunLabel()))
            if made is not None and made.name:
                _check_free(made.name, path, known)
            known.pop(path.name, None)
            if made is not None and made != RunLabel():
                known[path.name] = made
            runs = {name: label.model_dump(mode="json") for name, label in sorted(known.items())}
            with written_whole(file) as stream:
                json.dump({"version": 1, "runs": runs}, stream, ensure_ascii=False, indent=1)
    except (Timeout, OSError) as error:
        raise StoreError(f"cannot write {file}: {error}", "Check the folder, or try again.") from error
    return made or RunLabel()


def _check_free(name: str, path: Path, known: dict[str, RunLabel]) -> None:
    for other, label in known.items():
        if label.name == name and other != path.name and (path.parent / other).exists():
            raise BadInput(f"another run is called '{name}': {Path(other).stem}", "Choose another name.")
    if any((path.parent / f"{name}{suffix}").exists() for suffix in ("", path.suffix)):
        raise BadInput(f"the name '{name}' is taken: it is the id of a run", "Choose another name.")


def check_name(name: str) -> str:
    """A name for a run, as it is kept.

    Raises:
        BadInput: it is empty, too long, or would be taken for something else.
    """
    kept = " ".join(name.split())
    if not 0 < len(kept) <= LONGEST_NAME or not kept.isprintable():
        raise BadInput(f"'{kept[:80]}' cannot name a run", f"Write 1 to {LONGEST_NAME} characters.")
    if kept == "latest" or kept.startswith(("-", TAG)) or any(sign in kept for sign in "/\\:"):
        raise BadInput(
            f"'{kept}' cannot name a run", "It must not be 'latest', begin with '-' or hold '/', '\\' or ':'."
        )
    return kept


def check_tags(tags: Iterable[str]) -> tuple[str, ...]:
    """Tags for a run, each once.

    Raises:
        BadInput: one is empty, too long, or would be taken for something else.
    """
    kept = tuple(dict.fromkeys(tags))
    for tag in kept:
        if not 0 < len(tag) <= LONGEST_TAG or not tag.isprintable() or any(sign in tag for sign in " ,:/\\"):
            raise BadInput(
                f"'{tag[:80]}' cannot be a tag",
                f"Write 1 to {LONGEST_TAG} characters without blanks, ',', ':', '/' or '\\'.",
            )
    if len(kept) > MOST_TAGS:
        raise BadInput(f"{len(kept)} tags are too many for a run", f"Give at most {MOST_TAGS}.")
    return kept
