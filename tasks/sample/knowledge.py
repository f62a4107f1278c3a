"""Texts of the LegalKnowledge corpus: a heading, then a short explanation, as the fictional jurisdiction has it."""

from __future__ import annotations

import tomllib
from importlib.resources import files


def knowledge() -> list[str]:
    """All entries, led by their topic."""
    text = files("tasks.sample").joinpath("data/knowledge.toml").read_text(encoding="utf-8")
    return [f"{topic['title']} {entry}" for topic in tomllib.loads(text)["topic"] for entry in topic["entries"]]
