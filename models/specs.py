"""What stands in the SPEC of an engine on the command line: `llama:FILE_OR_NAME`,
`endpoint:URL#MODEL`, `scripted:FILE`.

`tasks.run.engines` opens them, and the one that reads records: `recorded:RUN`.
"""

from __future__ import annotations

import os
from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from pathlib import Path

from models.errors import BadEngine


@dataclass(frozen=True, slots=True)
class Opening:
    """What an engine is opened with.

    `rest` is the SPEC after its kind, `library` the folder of GGUF files, `hosts` what may be reached beyond this
    machine: each host with the name of the environment variable that holds the key bound to it, '' for none.
    """

    rest: str
    parallel: int = 1
    hosts: Mapping[str, str] = field(default_factory=dict)
    library: Path | None = None


FORMS = "llama:FILE_OR_NAME, endpoint:URL#MODEL, scripted:FILE, recorded:RUN"


def check_file(name: str) -> None:
    """Refuse what exists and is no plain file: a SPEC may come from a run file of somebody else, and a pipe or a
    device would be read for ever; a path of Windows that names another machine would even ask it.

    Raises:
        BadEngine: it is a folder, a pipe, a device, or on another machine.
    """
    if on_another_machine(name):
        raise BadEngine(f"{name} is on another machine", "Copy the file to this one.")
    path = Path(name)
    if os.path.exists(path) and not path.is_file():  # a name that no file can have is none that exists
        raise BadEngine(
            f"{path} is a folder, no file" if path.is_dir() else f"{path} is no file", "Name a plain file."
        )


def on_another_machine(path: str) -> bool:
    """Whether Windows would ask another machine for this path: it begins with two slashes of either kind."""
    return len(path) > 1 and path[0] in "/\\" and path[1] in "/\\"


def check_spec(spec: str, known: Collection[str]) -> tuple[str, str]:
    """The kind of a SPEC and what stands after it; `BadEngine` when it is of no `known` kind."""
    kind, colon, rest = spec.partition(":")
    if not colon or kind not in known or not rest:
        meant = f"Did you mean llama:{spec}? " if spec and (not colon or spec.lower().endswith(".gguf")) else ""
        more = "".join(f", {name}:…" for name in known if f"{name}:" not in FORMS)
        raise BadEngine(f"'{spec}' names no engine", f"{meant}Known: {FORMS}{more}.")
    return kind, rest
