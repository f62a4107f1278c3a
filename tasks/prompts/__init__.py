"""Prompts: files with a name and a version, never strings in code. `load("react/1")` reads `react-1.txt`."""

from __future__ import annotations

from functools import lru_cache
from hashlib import sha256
from importlib.resources import files


@lru_cache(maxsize=64)
def load(name: str) -> str:
    """The text of a prompt; fields stand in it as {field}."""
    stem, version = name.split("/")
    return (files("tasks.prompts") / f"{stem}-{version}.txt").read_text(encoding="utf-8")


def fill(name: str, **values: str) -> str:
    """A prompt with its fields filled; values are inserted as they are and never read as fields again."""
    text = load(name)
    parts: list[str] = []
    while text:
        before, brace, rest = text.partition("{")
        parts.append(before)
        if not brace:
            break
        field, closing, after = rest.partition("}")
        if closing and field in values:
            parts.append(values[field])
            text = after
        else:
            parts.append(brace)
            text = rest
    return "".join(parts)


def digest(name: str) -> str:
    """Hash of a prompt file, for the header of a run."""
    return sha256(load(name).encode()).hexdigest()
