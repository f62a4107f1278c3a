"""From a SPEC on the command line to an engine: `llama:FILE_OR_NAME`, `endpoint:URL#MODEL`, `scripted:FILE`.

`tasks.run.engines` adds those that read records: `recorded:RUN` and `recorded-log:FILE`. Modules are imported on use: most
commands need none of them.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import cast

from models.engine import Engine
from models.errors import BadEngine


@dataclass(frozen=True, slots=True)
class Opening:
    """What an engine is opened with.

    `rest` is the SPEC after its kind, `library` the folder of GGUF files, `hosts` what may be reached beyond this machine:
    each host with the name of the environment variable that holds the key bound to it, '' for none.
    """

    rest: str
    parallel: int = 1
    hosts: Mapping[str, str] = field(default_factory=dict)
    library: Path | None = None


KINDS: dict[str, str] = {
    "llama": "models.llama.engine:open_llama",
    "endpoint": "models.endpoint:open_endpoint",
    "scripted": "models.scripted:open_scripted",
}
"""Kind of SPEC -> the function that opens it from an `Opening`."""
FORMS = "llama:FILE_OR_NAME, endpoint:URL#MODEL, scripted:FILE, recorded:RUN, recorded-log:FILE"


def open_engine(
    spec: str, *, parallel: int = 1, hosts: Mapping[str, str] | None = None, library: Path | None = None
) -> Engine:
    """The engine of a SPEC; `BadEngine` says what is wrong, `ForeignHost` which of `hosts` is missing."""
    kind, colon, rest = spec.partition(":")
    if not colon or kind not in KINDS or not rest:
        meant = f"Did you mean llama:{spec}? " if spec and (not colon or spec.lower().endswith(".gguf")) else ""
        raise BadEngine(f"'{spec}' names no engine", f"{meant}Known: {FORMS}.")
    if kind != "endpoint":
        check_file(rest.partition("#")[0])
    module, function = KINDS[kind].split(":")
    opener = cast(Callable[[Opening], Engine], getattr(importlib.import_module(module), function))
    return opener(Opening(rest, parallel, hosts or {}, library))


def check_file(name: str) -> None:
    """Refuse what exists and is no plain file: a SPEC may come from a run file of somebody else, and a pipe or a device
    would be read for ever; a path of Windows that names another machine would even ask it.

    Raises:
        BadEngine: it is a folder, a pipe, a device, or on another machine.
    """
    if on_another_machine(name):
        raise BadEngine(f"{name} is on another machine", "Copy the file to this one.")
    path = Path(name)
    if path.exists() and not path.is_file():
        raise BadEngine(f"{path} is no file", "Name a plain file.")


def on_another_machine(path: str) -> bool:
    """Whether Windows would ask another machine for this path: it begins with two slashes of either kind."""
    return len(path) > 1 and path[0] in "/\\" and path[1] in "/\\"
