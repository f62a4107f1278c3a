"""llama.cpp's functions (`lib`), without the rest of their Python package: nobody here needs its chat formats with jinja2,
nor its cache on disk, which together take a third of the start of a child."""

from __future__ import annotations

import importlib
import importlib.util
import sys
from typing import Any

PACKAGE = "llama_cpp"


def _functions() -> Any:
    if PACKAGE in sys.modules or (spec := importlib.util.find_spec(PACKAGE)) is None:
        return importlib.import_module(PACKAGE)
    sys.modules[PACKAGE] = importlib.util.module_from_spec(
        spec
    )  # a place for the module below, not carried out itself
    try:
        return importlib.import_module(f"{PACKAGE}.{PACKAGE}")
    finally:
        del sys.modules[PACKAGE]


lib = _functions()
