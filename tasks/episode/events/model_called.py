"""A model call: the only thing in an episode that cannot be computed again, so it is committed at once."""

from __future__ import annotations

from typing import Any, ClassVar

from tasks.episode.events.base import Event


class ModelCalled(Event):
    """`messages` are (role, hash of the content); the journal keeps each content once.

    `asked` is the digest of the Ask (messages, schema, settings), `call` the number of the call in the episode.
    `text` is speech, `reasoning` what the model thought before it; `tokens` the ids of both as the engine generated them.
    `logprobs` holds a row a token: text, log-probability, [[text, log-probability], ...]. `schema_name` is the hash of
    the JSON schema (its text is kept once), '' for free text. `entropies` are in nats, one for each of `tokens`, exact: over
    the whole vocabulary, of the logits before any sampling setting or grammar. `origin` says where reused memory came from, `batch` how
    many calls were decoded together.
    """

    tag: ClassVar[str] = "model_called"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds", "evaluated", "reused", "origin", "batch"})
    later: ClassVar[frozenset[str]] = frozenset(
        {"reasoning", "tokens", "logprobs", "note", "schema_name", "origin", "batch", "entropies"}
    )
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
    reasoning: str = ""
    tokens: tuple[int, ...] = ()
    logprobs: tuple[tuple[str, float, tuple[tuple[str, float], ...]], ...] = ()
    note: str = ""
    schema_name: str = ""
    origin: str = ""
    batch: int = 1
    entropies: tuple[float, ...] = ()
