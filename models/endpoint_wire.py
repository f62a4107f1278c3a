"""What an OpenAI-compatible server is sent, and what is made of its answer: pure, without a connection.

Servers differ in the format: the reader of the stream is total. A line that is no JSON is passed over;
fields of the wrong type count as absent. What servers say when they cannot or will not answer is recognised by
phrase, since they agree on no codes; every phrase stands in a table with the servers that use it. Units: tokens as
the server counts them, times in milliseconds.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.calls import Pieces, read, written
from models.engine import (
    Ask,
    EngineError,
    Finish,
    Message,
    Phase,
    Reply,
    Settings,
    TokenChance,
    Tool,
    Usage,
    tools_data,
)
from models.llama.reasoning import Splitter, silent, split
from models.repetition import EVERY, loops

PIECES, CHARACTERS = 8, 256
"""Of a reply, for each token that it may have, by a wide margin: the reading of one with more ends there."""
LOWEST = -9999.0
"""Stands for a log-probability of minus infinity, which JSON cannot hold."""

REPETITIONS = 2000
"""The longest repetition that the grammars of llama.cpp know (MAX_REPETITION_THRESHOLD). Builds from July 2026 on
refuse a bound of exactly this size ("failed to parse grammar"), older ones every larger one too."""

ESTIMATED_FROM = 20
"""Likeliest tokens asked for where the entropy is wanted, which no server tells: the most that common servers
give."""

SPEECH = ("content", "refusal")
REASONING = ("reasoning_content", "reasoning")
"""Where servers put what a model says and thinks: the first key that holds text counts. Servers that were not told
how a model marks its reasoning leave the marks in what it says: they are taken out here."""
LONE_CLOSER = "</think>"
"""In speech without an opening mark: the template of the server opened the block, so all before it was reasoning."""


EXTRAS: Mapping[str, tuple[object, ...]] = {
    "stream_options": ({"include_usage": True},),
    "top_k": (0, -1),
    "min_p": (0.0,),
    "repeat_penalty": (1.0,),
    "repetition_penalty": (1.0,),
    "return_progress": (True,),
}
"""Fields beyond the common interface -> the neutral forms that are tried in turn; then the field is left out.

`repeat_penalty` is llama-server's name, `repetition_penalty` vLLM's; each ignores the other's. Servers' own defaults
are not neutral (top_k 40, min_p 0.05), so all are sent. Older vLLM and SGLang know only -1 for top_k,
llama-cpp-python only 0. With `return_progress` llama-server tells how much of the prompt it has read."""


SHOWN = 300
"""Characters of a server's own words that a sentence quotes."""

OVERFLOW = re.compile(
    "|".join(
        (
            r"exceed_context_size_error|available context size|context size has been exceeded",  # llama-server
            r"maximum context length|context_length_exceeded",  # vLLM, SGLang, the hosted originals
            r"context length is only|passed \d+ input tokens",  # vLLM
            r"longer than the model's context length",  # SGLang
            r"exceeds? (the )?(model'?s )?context (window|length)",  # llama-cpp-python, Ollama
            r"context the overflows|context length of only",  # LM Studio
            r"max_new_tokens` must be <=|max_seq_len",  # TGI, TabbyAPI
            r"(prompt|input) is too long",
        )
    ),
    re.IGNORECASE,
)
"""A prompt, or a prompt and its reply, that does not fit the context."""

TOKENS_LEFT = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # vLLM, llama-cpp-python
        r"maximum context length is (?P<context>\d+) tokens.*?\((?P<prompt>\d+) in the messages",
        r"maximum context length is (?P<context>\d+) tokens.*?has (?P<prompt>\d+) input tokens",  # vLLM
        r"maximum context length of (?P<context>\d+) tokens.*?(?P<prompt>\d+) tokens from the input",  # SGLang
        r"passed (?P<prompt>\d+) input tokens.*?context length is only (?P<context>\d+)",  # vLLM
    )
)
"""Servers that refuse because prompt and longest reply together do not fit say how much room there is."""

SCHEMA = re.compile(r"response_format|json.?schema|schema|grammar|guided|structured", re.IGNORECASE)
"""A server that cannot enforce a schema."""


TOOLS = re.compile(r"tool[_ -]?(choice|call|parser|use)|\btools?\b|jinja", re.IGNORECASE)
"""A server that was started without calls of tools (vLLM: a parser, llama-server: jinja), or whose model knows
none."""


def clean_text(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced: what every JSON reader takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def request_body(
    ask: Ask, model: str, *, refused: Mapping[str, int] | None = None, most: int | None = None
) -> dict[str, Any]:
    """The JSON body of a chat completion.

    Args:
        ask: the question; all of its settings are passed explicitly.
        model: name of the model on the server.
        refused: name of a field of `EXTRAS` -> how many of its neutral forms the server did not take.
        most: tokens that may be generated, where that is less than the settings allow.
    """
    settings = ask.settings
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message) for message in ask.messages],
        "stream": True,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": most_tokens(settings) if most is None else min(most, most_tokens(settings)),
        "seed": settings.seed,
    }
    for name, forms in EXTRAS.items():
        tried = (refused or {}).get(name, 0)
        wanted = wanted_extra(settings, name)
        if wanted is not None:
            body[name] = wanted
        elif tried < len(forms):
            body[name] = forms[tried]
    if stops := [clean_text(stop) for stop in settings.stop if stop]:
        body["stop"] = stops
    likeliest = settings.logprobs or (ESTIMATED_FROM if settings.entropy else 0)
    if likeliest > 0:
        body |= {"logprobs": True, "top_logprobs": likeliest}
    if not settings.thinking:
        body["chat_template_kwargs"] = {"enable_thinking": False}
    if ask.schema is not None:
        schema = {"name": "reply", "strict": True, "schema": within_repetitions(ask.schema)}
        body["response_format"] = {"type": "json_schema", "json_schema": schema}
    if ask.tools:
        body["tools"] = within_repetitions(tools_data(ask.tools))
        body["tool_choice"] = "auto" if ask.schema is None else "none"
    return body


def within_repetitions(schema: Any) -> Any:
    """A schema without bounds of `REPETITIONS` or more, since servers make grammars of bounds.

    A bound of exactly so many is lowered by one, a larger maximum left out: such a reply is measured by who reads it,
    against the schema as it was.
    """
    if isinstance(schema, list | tuple):
        return [within_repetitions(part) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for name, rule in schema.items():
        if name in ("minLength", "minItems") and isinstance(rule, int):
            made[name] = min(rule, REPETITIONS - 1)
        elif name in ("maxLength", "maxItems") and isinstance(rule, int) and rule >= REPETITIONS:
            if rule == REPETITIONS:
                made[name] = REPETITIONS - 1
        else:
            made[name] = rule if name in ("const", "enum") else within_repetitions(rule)
    return made


def most_tokens(settings: Settings) -> int:
    """What a server may generate: it counts reasoning and reply together, and closes no reasoning for us."""
    return settings.max_tokens + settings.reasoning


def wanted_extra(settings: Settings, name: str) -> object:
    """What the settings ask of a field of `EXTRAS`; None where they leave it neutral."""
    value = getattr(settings, {"repetition_penalty": "repeat_penalty"}.get(name, name), None)
    return value if value is not None and value != EXTRAS[name][0] else None


def _message(message: Message) -> dict[str, Any]:
    made: dict[str, Any] = {"role": message.role, "content": clean_text(message.content)}
    if message.role == "tool":
        made["tool_call_id"] = message.answers or "0"
    if message.calls:
        made["tool_calls"] = [
            {"id": one.id, "type": "function", "function": {"name": one.name, "arguments": clean_text(one.arguments)}}
            for one in message.calls
        ]
    return made


def parse_json(text: str | bytes) -> Any:
    """The value of a JSON text; None when it is none. Halves of characters, which no encoding writes, become question
    marks."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return None
    mark: Any = "\\ud" if isinstance(text, str) else b"\\ud"
    if mark in text.lower():
        value = json.loads(json.dumps(value, ensure_ascii=False).encode("utf-8", "replace"))
    return value


class News(NamedTuple):
    """What is new of a reply: text of a phase, or how many tokens of the prompt have been read."""

    phase: Phase
    text: str = ""
    done: int = 0
    total: int = 0


@dataclass
class Collector:
    """Gathers one reply from the objects of a stream, or from the one object of a server that does not stream."""

    tokens: int = 2**31
    """How many tokens the reply may have."""
    text: list[str] = field(default_factory=list)
    reasoning: list[str] = field(default_factory=list)
    chances: list[TokenChance] = field(default_factory=list)
    calls: Pieces = field(default_factory=Pieces)
    finish: str = ""
    error: dict[str, Any] | None = None
    """The object in which the server reported an error inside the stream."""
    counts: Mapping[str, Any] = field(default_factory=dict)
    timings: Mapping[str, object] = field(default_factory=dict)
    known: bool = False
    """Whether anything looked like a chat completion."""
    progress: int = 0
    """Counts what was new: text, tokens, progress with the prompt, the finish, the counts. All else keeps nobody
    waiting."""
    over: bool = False
    """Whether there is enough: a loop, or far more than the tokens that the reply may have."""
    _pieces: int = 0
    _size: int = 0
    _read: int = 0
    _splitter: Splitter = field(default_factory=Splitter)

    def take(self, data: Mapping[str, Any]) -> list[News]:
        """Note what an object says; returns what is new."""
        if data.get("error") or data.get("object") == "error":
            self.error = dict(data)
            return []
        if counts := _object(data.get("usage")):
            self.progress += not self.counts
            self.counts = counts
        self.timings = _object(data.get("timings")) or self.timings
        choices = data.get("choices")
        if not isinstance(choices, list):
            return []
        self.known = True
        fresh: list[News] = []
        if progress := _object(data.get("prompt_progress")):
            fresh.append(News("reading", "", _count(progress.get("processed")), _count(progress.get("total"))))
            self.progress += fresh[-1].done > self._read
            self._read = max(self._read, fresh[-1].done)
        for choice in map(_object, choices[:1]):
            said = _object(choice.get("delta")) or _object(choice.get("message"))
            if thought := next(filter(None, (_text(said.get(name)) for name in REASONING)), ""):
                fresh.append(News("thinking", thought))
            if spoken := next(filter(None, (_text(said.get(name)) for name in SPEECH)), ""):
                fresh += [News(*part) for part in self._splitter.feed(spoken)]
            called = self.calls.take(said.get("tool_calls"))
            chances = _chances(_object(choice.get("logprobs")).get("content"))
            self.chances += chances
            if isinstance(choice.get("finish_reason"), str):
                self.progress += not self.finish
                self.finish = choice["finish_reason"]
            size = len(thought) + len(spoken) + called
            self._count_up(max(len(chances), bool(size)), size)
        return self._keep(fresh)

    def _count_up(self, pieces: int, characters: int) -> None:
        self.progress += pieces > 0
        self._pieces += pieces
        self._size += characters
        if self._pieces > PIECES * self.tokens or self._size > CHARACTERS * self.tokens:
            self.over, self.finish = True, "length"

    def _keep(self, fresh: list[News]) -> list[News]:
        for news in fresh:
            (self.text if news.phase == "speaking" else self.reasoning).append(news.text)
        if fresh and self._pieces % EVERY == 0 and loops("".join(self.text or self.reasoning)):
            self.over, self.finish = True, "repetition"
        return fresh

    def usage(self, milliseconds: float, together: int) -> Usage:
        """Tokens as the server reports them; those it had in its cache were not evaluated."""
        details = _object(self.counts.get("prompt_tokens_details"))
        prompt = _count(self.counts.get("prompt_tokens"))
        reused = min(prompt, _count(details.get("cached_tokens")) or _count(self.timings.get("cache_n")))
        generated = _count(self.counts.get("completion_tokens"))
        more = _object(self.counts.get("completion_tokens_details"))
        reasoned = min(generated, _count(more.get("reasoning_tokens")))
        return Usage(prompt - reused, reused, generated, round(milliseconds, 3), batch=together, reasoned=reasoned)

    def reply(
        self,
        settings: Settings,
        usage: Usage,
        *,
        finish: Finish | None = None,
        note: str = "",
        tools: tuple[Tool, ...] = (),
    ) -> Reply:
        """The reply as it stands; `finish` overrules what the server said.

        Calls that the server left in the text are read there where `tools` may be called; calls that nobody asked for
        are put into the text, for whoever reads that.
        """
        if finish is None:
            finish, more = self._ending(settings, usage)
            note = "; ".join(filter(None, (note, more)))
        self._keep([News(*part) for part in self._splitter.finish()])
        text, reasoning = "".join(self.text), "".join(self.reasoning)
        if LONE_CLOSER in text and not reasoning:
            reasoning, text = split(text, opened=True)
        calls = self.calls.whole()
        if tools and not calls:
            text, calls = read(text, tools)
        elif calls and not tools:
            text, calls = written(text, calls), ()
        note = "; ".join(filter(None, (note, silent(finish, text, reasoning, bool(calls), usage.generated))))
        return Reply(text, usage, finish, reasoning, logprobs=tuple(self.chances), note=note, calls=calls)

    def _ending(self, settings: Settings, usage: Usage) -> tuple[Finish, str]:
        if self.finish == "repetition":
            return "repetition", ""
        if self.over:
            return "length", f"the server went on far beyond {self.tokens} tokens and was cut off"
        if self.finish == "length" and 0 < usage.generated < most_tokens(settings):
            tokens = usage.evaluated + usage.reused + usage.generated
            return "context_full", f"the context of the server is full: {tokens} tokens"
        notes = ["a filter of the server cut the reply"] if self.finish == "content_filter" else []
        if not self.counts:
            notes.append("the server reported no token counts")
        return "length" if self.finish == "length" else "stop", "; ".join(notes)


def message_of(data: Any, depth: int = 0) -> str:
    """The sentence of an error object of a server with its code in words, '' when there is none."""
    if isinstance(data, str) or depth > 5:
        return data if isinstance(data, str) else ""
    for key in ("error", "message", "detail", "msg"):
        found = data.get(key) if isinstance(data, Mapping) else None
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str | Mapping) and found:
            code = data.get("code")
            said = message_of(found, depth + 1)
            return f"{said} ({code})" if isinstance(code, str) and code else said
    return ""


def _object(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, Mapping) else {}


def _text(value: object) -> str:
    if isinstance(value, list):  # parts of a message
        return "".join(_text(_object(part).get("text")) for part in value)
    return value if isinstance(value, str) else ""


def _count(value: object) -> int:
    return value if isinstance(value, int) and not isinstance(value, bool) and 0 <= value < 2**53 else 0


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float) or value != value:
        return None
    return float(min(0.0, max(LOWEST, value)))


def _chances(content: object) -> list[TokenChance]:
    found: list[TokenChance] = []
    for entry in map(_object, content if isinstance(content, list) else ()):
        chance = _number(entry.get("logprob"))
        if chance is None or not isinstance(entry.get("token"), str):
            continue
        top = [
            (other["token"], other_chance)
            for other in map(_object, entry["top_logprobs"] if isinstance(entry.get("top_logprobs"), list) else ())
            if isinstance(other.get("token"), str) and (other_chance := _number(other.get("logprob"))) is not None
        ]
        found.append(TokenChance(entry["token"], chance, tuple(sorted(top, key=lambda pair: -pair[1]))))
    return found


class Refused(EngineError):
    """A server that is well does not take this question: another one would do no better."""


def words_of(raw: bytes, content_type: str, secret: str = "") -> str:
    """What a server's error body says, on one line, cut, and without the key it may have echoed."""
    text = raw.decode("utf-8", "replace")
    if "html" in content_type or text.lstrip()[:1] == "<":
        return ""
    return shown(message_of(parse_json(text)) or text, secret)


def shown(text: str, secret: str = "") -> str:
    """A server's own words, fit for a sentence and a record."""
    line = " ".join((text.replace(secret, "***") if secret else text).split())
    return line if len(line) <= SHOWN else f"{line[:SHOWN]}…"


def code_of(error: Mapping[str, object]) -> int:
    """The status inside an error object of a stream; 500 when it says none."""
    inner = error.get("error")
    code = inner.get("code") if isinstance(inner, Mapping) else error.get("code")
    return code if isinstance(code, int) and not isinstance(code, bool) and 400 <= code < 600 else 500


def is_overflow(text: str) -> bool:
    """Whether the words speak of a full context."""
    return OVERFLOW.search(text) is not None


def reply_tokens_left(text: str) -> int:
    """Tokens that a reply may have beside the prompt, as the words say; 0 when they do not say or there are none."""
    for pattern in TOKENS_LEFT:
        found = pattern.search(text)
        if found:
            return max(0, int(found["context"][:12]) - int(found["prompt"][:12]))
    return 0


def about_schema(prompt: str, text: str) -> Refused:
    """The error of a server that cannot keep a reply to a schema."""
    said = f": {text}" if text else ""
    return Refused(
        f"the server cannot keep the reply to '{prompt}' to its schema{said}",
        "Run with --calls free: free text, read by the forgiving parser.",
    )


def about_tools(text: str) -> Refused:
    """The error of a server that takes no tools."""
    return Refused(
        f"the server does not take tools: {text}", "Run with --calls schema, or start it with calls of tools."
    )
