"""Short phrases of the conversations of LegalSearch (prompt file law-phrases/1)."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.agents.modes import Mode
from tasks.agents.prompts import fill_text, table
from tasks.episode.seats import Card
from tasks.legalsearch.kinds import KINDS, Form

NAME = "law-phrases/1"
TOOLS = ("rag_retrieve", "web_search", "browse_webpage")
"""The tools of the protocol, in the order in which they are offered."""
ARGUMENT = {"rag_retrieve": "query", "web_search": "query", "browse_webpage": "url_list"}
"""Tool -> its one argument, a list of texts."""


def phrase(group: str, name: str, **values: str) -> str:
    """A phrase with its fields filled; '' when there is none of that name."""
    text: str = table(NAME)[group].get(name, "")
    return fill_text(text, **values)


def form_of(card: Card) -> Form:
    """The form of the answer that a task asks for; a task of an unknown type is answered freely, as a consultation
    is."""
    kind = KINDS.get(str(card.get("type", "")))
    return kind.form if kind else "consultation"


def instruction(card: Card, field: str = "deepresearch_task_prompt") -> str:
    """What the task file says of the answer; where it says nothing, our own words for the form of the task."""
    return str(card.get(field) or "").strip() or phrase("answer", form_of(card))


def call_forms(tools: Sequence[str], mode: Mode) -> str:
    """One line a tool: how it is called."""
    group = "lean" if mode == "lean" else "free"
    return "\n".join(
        phrase(group, "call", tool=tool, argument=ARGUMENT[tool], given=phrase("given", tool)) for tool in tools
    )
