"""Short phrases of the conversation (prompt file phrases/1), by group and name."""

from __future__ import annotations

from tasks.agents.prompts import fill_text, table
from tasks.episode.observations import shortened

NAME = "phrases/1"


def phrase(group: str, name: str, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(NAME)[group].get(name, "")
    return fill_text(text, **values)


def observed(observation: str, status: str = "ok") -> str:
    """What a model reads of a tool: the observation, shortened where it is very long, with a hint where the tool gave
    nothing.

    Upstream's loop, too, appends likely causes to the two commonest errors; the words are our own.
    """
    return shortened(observation) + phrase("hint", status)
