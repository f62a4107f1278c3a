"""Texts of the LegalKnowledge corpus: a heading, then a short explanation, as the fictional jurisdiction has it."""

from __future__ import annotations

from store.tables import beside


def knowledge() -> list[str]:
    """All entries, led by their topic."""
    topics = beside(__package__, "data/knowledge")["topic"]
    return [f"{topic['title']} {entry}" for topic in topics for entry in topic["entries"]]
