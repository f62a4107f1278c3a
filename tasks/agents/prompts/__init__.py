"""Prompts: files with a name and a version, never strings in code. `load("react/1")` reads `react-1.txt`.

Short phrases and few-shot examples are tables in TOML files of the same naming; `table("examples/1")` reads one.
"""

from __future__ import annotations

import tomllib
from functools import lru_cache
from hashlib import sha256
from importlib.resources import files
from typing import Any

SUFFIXES = (".txt", ".toml")


@lru_cache(maxsize=64)
def load(name: str) -> str:
    """The text of a prompt; fields stand in it as {field}."""
    stem, version = name.split("/")
    folder = files("tasks.agents.prompts")
    for suffix in SUFFIXES:
        file = folder / f"{stem}-{version}{suffix}"
        if file.is_file():
            return file.read_text(encoding="utf-8")
    raise FileNotFoundError(f"{stem}-{version}.txt")


@lru_cache(maxsize=8)
def table(name: str) -> dict[str, Any]:
    """A prompt file that is a table."""
    return tomllib.loads(load(name))


def fill(name: str, **values: str) -> str:
    """A prompt with its fields filled, without the newline at its end."""
    return fill_text(load(name).removesuffix("\n"), **values)


def fill_text(text: str, /, **values: str) -> str:
    """A text with its fields filled; values are inserted as they are and never read as fields again."""
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


PHRASES = "phrases/1"
"""Short phrases of the conversation, by group and name."""
COMPACT = "compact/1"
"""Those of `--calls compact`, on which the bundled model was trained: they never change."""


def phrase(group: str, name: str, /, *, words: str = PHRASES, **values: str) -> str:
    """A phrase of a table of words with its fields filled; '' when there is none of that name."""
    text: str = table(words)[group].get(name, "")
    return fill_text(text, **values)
