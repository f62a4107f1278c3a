"""The Engine protocol: Asks in, Replies out.

Nobody below the scheduler calls an engine: policies, tools and environments yield an `Ask` and are sent a `Reply`.
Units: tokens are the engine's own, times are milliseconds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from hashlib import sha256
from json import dumps
from typing import Any, Literal, Protocol, runtime_checkable

from store.errors import MootError

Role = Literal["system", "user", "assistant", "tool"]
Finish = Literal["stop", "length", "repetition", "cancelled", "context_full", "time_limit"]
Origin = Literal["", "fresh", "kept", "copied", "restored", "evicted", "cached"]
"""Where the memory of a call came from: nothing to reuse; still in place; copied from another sequence; brought back
from ordinary memory; or evicted because other sequences needed the stream (and so evaluated again). `cached`: there
was no call, the reply is one of an earlier run."""
Phase = Literal["loading", "reading", "thinking", "speaking"]


@dataclass(frozen=True, slots=True)
class ToolInfo:
    """A tool as a model is told of it: its name, what it does, the JSON schema of its parameters (an object)."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A call that a model made. `arguments` is the JSON text of an object, as far as it wrote one; `id` may be ''."""

    name: str
    arguments: str
    id: str = ""


@dataclass(frozen=True, slots=True)
class Message:
    """One message of a prompt. `content` is plain text: special tokens in it are never interpreted.

    `calls` are those that an assistant made in this message, `answers` the id of the call whose result a tool message
    is: so a template writes history in the form that its model was trained with.
    """

    role: Role
    content: str
    calls: tuple[ToolCall, ...] = ()
    answers: str = ""

    def carried(self) -> list[object]:
        """What the message holds beside its content, as data: [] for one without calls."""
        if not self.calls and not self.answers:
            return []
        return [[[call.name, call.arguments, call.id] for call in self.calls], self.answers]


@dataclass(frozen=True, slots=True)
class SamplingSettings:
    """Sampling settings, always passed in full and recorded with the call."""

    temperature: float = 0.0
    top_p: float = 1.0
    top_k: int = 0
    max_tokens: int = 1024
    stop: tuple[str, ...] = ()
    seed: int = 0
    """Set by the scheduler from run seed, episode, seat and call number: a call repeats alone or in a batch."""
    min_p: float = 0.0
    repeat_penalty: float = 1.0
    logprobs: int = 0
    """How many of the likeliest tokens to report at each place, with their natural log-probabilities; 0 = none."""
    thinking: bool = True
    """Whether a template that knows a thinking mode may use it."""
    reasoning: int = 0
    """Tokens of reasoning after which it is closed and speech begins, beside `max_tokens`, which then counts speech
    alone;
    0: reasoning is part of `max_tokens`."""
    entropy: bool = False
    """Whether to report the entropy of every generated token, and the token's text and log-probability with it."""


@dataclass(frozen=True, slots=True)
class Ask:
    """A question to whoever sits in `seat`: a model or a human.

    `prompt` names the prompt file and version ("react/1"); it is shown when a resumed step differs from its record.
    `schema` is a JSON schema that the reply has to satisfy, or None for free text. `tools` may be called in the form
    that the model was trained with; with a schema they are told and not called.
    """

    seat: str
    messages: tuple[Message, ...]
    prompt: str
    schema: Mapping[str, Any] | None = None
    settings: SamplingSettings = field(default_factory=SamplingSettings)
    parent: int | None = None
    """Sequence number of the event that this call belongs to (a model call inside a tool is its child)."""
    attempt: int = 1
    """How often this call has been tried, this time included; set by the scheduler, not part of the digest."""
    episode: str = ""
    """Set by the scheduler, not part of the digest: an engine keeps one sequence per (episode, seat)."""
    step: int = 0
    """Number of the step that asks, from 1; set by the scheduler, not part of the digest."""
    turns: tuple[tuple[str, tuple[int, ...]], ...] = ()
    """Earlier replies of the seat as (text, generated tokens), from the record; not part of the digest. An engine
    that has lost them (after a restart) puts the very tokens into the prompt instead of tokenising the text again."""
    seconds: float | None = None
    """How long the call may take, counted from `Engine.answer`; then it ends with finish `time_limit` and what it
    has. None: as long as it needs. Set by the scheduler, not part of the digest."""
    tools: tuple[ToolInfo, ...] = ()
    uncached: bool = False
    """Whether the prompt is to be read anew, whatever a server has of it; not part of the digest."""

    def seeded(self, seed: int) -> Ask:
        """The same Ask with its sampling seed set."""
        return replace(self, settings=replace(self.settings, seed=seed))

    def digest(self) -> str:
        """Hash of all that determines the reply apart from the engine: messages, schema, settings, tools."""
        payload: list[object] = [
            [[m.role, m.content, *m.carried()] for m in self.messages],
            self.schema,
            recorded_settings(self.settings),
            tools_data(self.tools),
        ]
        text = dumps(payload, ensure_ascii=False, sort_keys=True, default=list)
        return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def recorded_settings(settings: SamplingSettings) -> dict[str, object]:
    """Settings as data for a record."""
    return {name: getattr(settings, name) for name in SamplingSettings.__slots__}


def tools_data(tools: Sequence[ToolInfo]) -> list[dict[str, Any]]:
    """Tools as data, in the form that templates and servers know."""
    return [
        {"type": "function", "function": {"name": t.name, "description": t.description, "parameters": t.parameters}}
        for t in tools
    ]


@dataclass(frozen=True, slots=True)
class Usage:
    """Cost of one call: prompt tokens evaluated and reused, tokens generated, milliseconds.

    `reasoned` is how many of the generated tokens were reasoning, 0 where nobody says. `batch` is how many calls were
    decoded together, `origin` where the reused memory came from.
    """

    evaluated: int = 0
    reused: int = 0
    generated: int = 0
    milliseconds: float = 0.0
    origin: Origin = ""
    batch: int = 1
    reasoned: int = 0


@dataclass(frozen=True, slots=True)
class TokenChance:
    """One generated token with its natural log-probability, and the likeliest alternatives, likeliest first."""

    text: str
    logprob: float
    top: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Reply:
    """What came back. `finish` says why generation ended, `note` says it in a sentence where that helps.

    `text` is speech alone; a reasoning block of the model is in `reasoning`. `tokens` are the ids of all generated
    tokens, reasoning included, as far as the engine knows them. `calls` are the calls of tools that it made, in
    order; `text` is then what it said beside them.

    `entropies` (where `SamplingSettings.entropy` asks and the engine sees all logits) are in nats, one for each of
    `tokens`, of the softmax over the whole vocabulary of the logits as the model gives them: at temperature 1, before
    any cut, penalty or grammar, so of the policy itself. `logprobs` then has a row a token as well, whose texts
    joined are all that was generated, reasoning with its marks included; a token that ends inside a character has
    what is complete by then.
    """

    text: str
    usage: Usage = field(default_factory=Usage)
    finish: Finish = "stop"
    reasoning: str = ""
    tokens: tuple[int, ...] = ()
    logprobs: tuple[TokenChance, ...] = ()
    note: str = ""
    entropies: tuple[float, ...] = ()
    calls: tuple[ToolCall, ...] = ()


@dataclass(frozen=True, slots=True)
class Delta:
    """News of a call in flight, for the eye alone: never journalled, replaced by the committed turn.

    `text` is what came since the last Delta of the call; `done` of `total` counts percent while loading, prompt
    tokens while reading, and afterwards the tokens generated so far (0: the engine does not count them).
    """

    episode: str
    seat: str
    phase: Phase
    text: str = ""
    done: int = 0
    total: int = 0


Listener = Callable[[Delta], None]


REMEDIES: Mapping[str, str] = {
    "tokens_estimated": "no token counts: estimated",
    "schema_relaxed": "schema relaxed",
    "reply_in_reasoning": "the reply came in the reasoning field",
    "server_short": "the server ran short of context",
    "server_cut": "by a limit of its own",
}
"""What is done where a server cannot do its part: flag of the attempt -> words in the note of a reply."""


def remedies(note: str) -> set[str]:
    """The flags of `REMEDIES` that the note of a reply speaks of."""
    return {flag for flag, words in REMEDIES.items() if words in note}


class EngineError(MootError):
    """The engine failed (not the model's answer): counted as infrastructure, the call may be tried again."""


class Unavailable(EngineError):
    """Nobody answers just now, whatever is asked: a server that is down, or busy. The same call may succeed later."""


class Busy(Unavailable):
    """Somebody is there and takes no more for now. `wait`: seconds for which he asks to be left alone, None where he
    does not say."""

    def __init__(self, title: str, hint: str = "", wait: float | None = None) -> None:
        super().__init__(title, hint)
        self.wait = wait


@dataclass(frozen=True, slots=True)
class ContextLimits:
    """The context of an engine: `context` in tokens, `density` in tokens a character of court Chinese (0: not
    counted), `trained`: tokens that its model was trained for (0: nobody says)."""

    context: int
    density: float = 0.0
    trained: int = 0


@runtime_checkable
class HasContextLimits(Protocol):
    """An engine that knows its limits; one that does not has those that its SPEC says."""

    def context_limits(self) -> ContextLimits:
        """Context and density, always the same for one file and settings."""
        ...


@runtime_checkable
class Engine(Protocol):
    """Answers a batch of Asks, one result each, in order; a failed call is an `EngineError` in its place.

    Each call keeps to `Ask.seconds`; one that takes no time to speak of (a record, a script without delays) need not
    look.
    """

    def describe(self) -> dict[str, object]:
        """Everything needed to judge the result: kind, file hash, build, template, sampler."""
        ...

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """Answer all Asks; the list has the same length and order. `listen` is told of calls in flight."""
        ...

    def cancel(self) -> None:
        """Stop the calls in flight, from any thread: their replies come with finish `cancelled`. Harmless when
        idle."""
        ...

    def close(self) -> None:
        """Free what the engine holds; calling it twice is harmless."""
        ...


@runtime_checkable
class ConcurrentEngine(Protocol):
    """An engine whose `answer` may be called by many threads, each with one Ask, and answers each as soon as it
    can."""

    def at_once(self) -> int:
        """How many calls it is put at a time, 1 or more."""
        ...


@runtime_checkable
class HasTroubles(Protocol):
    """An engine that does without something that its server cannot do."""

    def troubles(self) -> list[EngineError]:
        """What it found out since it was opened, a sentence each."""
        ...


@runtime_checkable
class SeedCapability(Protocol):
    """An engine that may draw anew with one seed, and can tell before anything is asked."""

    def ignores_seed(self) -> bool:
        """Whether two equal calls with one seed differ; False where that cannot be found out."""
        ...


@runtime_checkable
class ToolCapability(Protocol):
    """An engine that may be unable to put tools to its model, and can tell before anything is asked."""

    def check_tools(self) -> None:
        """Try it with one tool; `BadEngine` says in a sentence why it cannot be."""
        ...
