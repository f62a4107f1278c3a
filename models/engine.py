"""The Engine protocol: Asks in, Replies out.

Nobody below the scheduler calls an engine: policies, tools and environments yield an `Ask` and are sent a `Reply`.
Units: tokens are the engine's own, times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from json import dumps
from typing import Any, Literal, Protocol

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "cancelled", "context_full"]


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt. `content` is plain text: special tokens in it are never interpreted."""

    role: Role
    content: str


@dataclass(frozen=True, slots=True)
class Settings:
    """Sampling settings, always passed in full and recorded with the call."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()
    seed: int = 0
    """Set by the scheduler from run seed, episode, seat and call number: a call repeats alone or in a batch."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to whoever sits in `seat`: a model or a human.

    `prompt` names the prompt file and version ("react/1"); it is shown when a resumed step differs from its record.
    `schema` is a JSON schema that the reply has to satisfy, or None for free text.
    """

    seat: str
    messages: tuple[Message, ...]
    prompt: str
    schema: Mapping[str, Any] | None = None
    settings: Settings = field(default_factory=Settings)
    parent: int | None = None
    """Sequence number of the event that this call belongs to (a model call inside a tool is its child)."""
    attempt: int = 1
    """How often this call has been tried, this time included; set by the scheduler, not part of the digest."""

    def seeded(self, seed: int) -> Ask:
        """The same Ask with its sampling seed set."""
        return replace(self, settings=replace(self.settings, seed=seed))

    def digest(self) -> str:
        """Hash of all that determines the reply apart from the engine: messages, schema, settings."""
        payload = [
            [[m.role, m.content] for m in self.messages],
            self.schema,
            [getattr(self.settings, name) for name in Settings.__slots__],
        ]
        return sha256(dumps(payload, ensure_ascii=False, sort_keys=True, default=list).encode()).hexdigest()


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of one call: prompt tokens evaluated and reused, tokens generated, milliseconds."""

    evaluated: int = 0
    reused: int = 0
    generated: int = 0
    milliseconds: float = 0.0


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `finish` says why generation ended."""

    text: str
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"


class EngineError(Exception):
    """The engine failed (not the model's answer): counted as infrastructure, the call may be tried again."""

    exit_code = 1

    def __init__(self, title: str, hint: str = "") -> None:
        super().__init__(f"{title}. {hint}" if hint else title)
        self.title = title
        self.hint = hint


class Engine(Protocol):
    """Answers a batch of Asks, one result each, in order; a failed call is an `EngineError` in its place."""

    def describe(self) -> dict[str, Any]:
        """Everything needed to judge the result: kind, file hash, build, template, sampler."""
        ...

    def answer(self, asks: Sequence[Ask]) -> list[Reply | EngineError]:
        """Answer all Asks; the list has the same length and order."""
        ...

    def close(self) -> None:
        """Free what the engine holds; calling it twice is harmless."""
        ...
