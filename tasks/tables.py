"""Tables of words and patterns as TOML beside the module that reads them."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def beside(package: str, name: str) -> Mapping[str, Any]:
    """The table `name`.toml of a package, read once."""
    return tomllib.loads(files(package).joinpath(f"{name}.toml").read_text(encoding="utf-8"))
