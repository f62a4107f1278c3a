"""Stand-ins for a library of real models, for tests and pictures of the desk: the sizes are those of common files."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

from app.desk.models.listing import ModelLibrary, ModelLine
from models.llama.header import read_header
from models.llama.library import LibraryEntry

FREE = 6_400_000_000
"""Bytes of memory that are free in the stand-in."""


def stand_in(tiny: Path, name: str, parameters: int, quantisation: str, size: int, **changes: Any) -> ModelLine:
    """A model of a real size, made from the header of a tiny one."""
    header = replace(
        read_header(tiny), architecture="qwen2", quantisation=quantisation, parameters=parameters, size=size,
        weights=size,
        context=32_768, layers=28, heads=28, heads_kv=4, embedding=3584, key_length=128, value_length=128,
        vocabulary=152_064, **changes,
    )  # fmt: skip
    entry = LibraryEntry(
        name=name, path=f"/home/li/models/{name}.gguf", copied=False, size=size, mtime=0, sha256="7d" * 32,
        architecture="qwen2", quantisation=quantisation, parameters=parameters, context=32_768,
        has_template=header.template is not None, is_embedding=False, recurrent=False,
    )  # fmt: skip
    return ModelLine(entry, Path(entry.path), header)


def stand_in_shelf(tiny: Path, missing: str) -> ModelLibrary:
    """Three models: one that fits well, one that fits alone, and one whose file is `missing` (the sentence says
    so)."""
    small = stand_in(tiny, "stand-in-1.5b", 1_544_000_000, "Q4_K_M", 986_000_000)
    large = stand_in(tiny, "stand-in-7b", 7_616_000_000, "Q4_K_M", 4_683_000_000)
    gone = stand_in(tiny, "stand-in-4b", 4_022_000_000, "Q8_0", 4_280_000_000)
    return ModelLibrary((small, large, replace(gone, header=None, fault=missing)), FREE)
