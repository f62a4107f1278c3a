"""Tokens of a task as whoever ran it counted them: an imported run has no model calls to count."""

from __future__ import annotations

from typing import ClassVar

from tasks.episode.events.base import Event


class TokensReported(Event):
    """`prompt` and `generated` in the provider's tokens."""

    tag: ClassVar[str] = "tokens_reported"
    seat: str
    prompt: int
    generated: int
