"""Short phrases of the seats of a court (prompt file court-phrases/2), by group and name."""

from __future__ import annotations

from tasks.agents.prompts import fill_text, table

NAME = "court-phrases/2"


def phrase(group: str, name: str, /, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(NAME)[group].get(name, "")
    return fill_text(text.strip("\n"), **values)
