"""The words of a civil bench, as a table: each kind of turn with its forms."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from typing import Any


@cache
def bench_words() -> Mapping[str, Any]:
    """The table bench.toml."""
    return tomllib.loads(files(__package__).joinpath("bench.toml").read_text(encoding="utf-8"))
