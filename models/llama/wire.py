"""What parent and child say to each other: JSON lines over pipes of their own.

Parent: hello, load, answer, tokens, tokenize, embed, cancel, prove. Child: hello, beat, delta, reply, failed, done,
result.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from models.engine import Ask, Message, Reply, Settings, TokenChance, Tool, ToolCall, Usage, recorded_settings


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is loaded. `context` is the length of one sequence, `slots` how many are held; `parking` in bytes.

    `together` is how many calls may decode in one batch: 0 = measure it when it first matters.
    """

    path: str
    context: int
    slots: int
    threads: int
    parking: int
    template: str | None = None
    together: int = 0


@dataclass(frozen=True, slots=True)
class Call:
    """An Ask on its way to the child, with the grammar of its schema and earlier turns of the seat (text, tokens)."""

    ask: Ask
    grammar: str = ""
    turns: tuple[tuple[str, tuple[int, ...]], ...] = field(default=())


def line(data: Mapping[str, Any]) -> bytes:
    """One message as a line."""
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def told(error: Exception) -> str:
    """What the child says of an error that it ran into."""
    words = "the memory of this machine does not suffice" if isinstance(error, MemoryError) else str(error)
    return (words or type(error).__name__)[:2000]


def options_data(options: Options) -> dict[str, Any]:
    """Options as JSON data."""
    return asdict(options)


def call_data(call: Call) -> dict[str, Any]:
    """A call as JSON data."""
    ask = call.ask
    return {
        "episode": ask.episode,
        "seat": ask.seat,
        "messages": [[message.role, message.content, *message.carried()] for message in ask.messages],
        "tools": [asdict(tool) for tool in ask.tools],
        "settings": recorded_settings(ask.settings),
        "grammar": call.grammar,
        "turns": [[text, list(tokens)] for text, tokens in call.turns],
        "seconds": ask.seconds,
    }


def call_of(data: Mapping[str, Any]) -> Call:
    """The call of JSON data."""
    settings = {**data["settings"], "stop": tuple(data["settings"]["stop"])}
    ask = Ask(
        data["seat"], tuple(map(_message, data["messages"])), prompt="", settings=Settings(**settings),
        episode=data["episode"], seconds=data.get("seconds"), tools=tuple(Tool(**tool) for tool in data["tools"]),
    )  # fmt: skip
    return Call(ask, data["grammar"], tuple((text, tuple(tokens)) for text, tokens in data["turns"]))


def _message(data: Sequence[Any]) -> Message:
    role, content, *more = data
    calls, answers = more or ([], "")
    return Message(role, content, tuple(ToolCall(*call) for call in calls), answers)


def reply_data(reply: Reply) -> dict[str, Any]:
    """A reply as JSON data."""
    return {
        "text": reply.text,
        "usage": asdict(reply.usage),
        "finish": reply.finish,
        "reasoning": reply.reasoning,
        "tokens": list(reply.tokens),
        "logprobs": [[chance.text, chance.logprob, chance.top] for chance in reply.logprobs],
        "note": reply.note,
        "entropies": list(reply.entropies),
    }


def reply_of(data: Mapping[str, Any]) -> Reply:
    """The reply of JSON data."""
    return Reply(
        data["text"], Usage(**data["usage"]), data["finish"], data["reasoning"], tuple(data["tokens"]),
        tuple(TokenChance(text, chance, tuple((other, p) for other, p in top)) for text, chance,
            top in data["logprobs"]),
        data["note"], tuple(data.get("entropies", ())),
    )  # fmt: skip
