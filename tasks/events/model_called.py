"""A model call: the only thing in an episode that cannot be computed again, so it is committed at once."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.events.base import Event


class ModelCalled(Event):
    """`messages` are (role, hash of the content); the journal keeps each content once.

    `asked` is the digest of the Ask (messages, schema, settings), `call` the number of the call in the episode.
    """

    tag: ClassVar[str] = "model_called"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds", "evaluated", "reused"})
    seat: str
    call: int
    prompt: str
    asked: str
    messages: tuple[tuple[str, str], ...]
    settings: dict[str, Any]
    text: str
    finish: str
    human: bool = False
    evaluated: int = 0
    reused: int = 0
    generated: int = 0
    milliseconds: float = 0.0
