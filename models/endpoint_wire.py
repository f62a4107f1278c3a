"""What an OpenAI-compatible server is sent, and what is made of its answer: pure, without a connection.

Servers differ in the format: the reader of the stream is total. A line that is no JSON is passed over;
fields of the wrong type count as absent. What servers say when they cannot or will not answer is recognised by
phrase, since they agree on no codes; every phrase stands in a table with the servers that use it. Units: tokens as
the server counts them, times in milliseconds.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from models.calls import CallAssembler, read, written
from models.engine import (
    REMEDIES,
    Ask,
    EngineError,
    Finish,
    Message,
    Phase,
    Reply,
    SamplingSettings,
    TokenChance,
    ToolInfo,
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
    "cache_prompt": (False,),
}
"""Fields beyond the common interface -> the neutral forms that are tried in turn; then the field is left out.

`repeat_penalty` is llama-server's name, `repetition_penalty` vLLM's; each ignores the other's. Servers' own defaults
are not neutral (top_k 40, min_p 0.05), so all are sent. Older vLLM and SGLang know only -1 for top_k,
llama-cpp-python only 0. With `return_progress` llama-server tells how much of the prompt it has read; without
`cache_prompt` it reads all of it, which is asked for `Ask.uncached` alone."""


STREAMED = ("stream_options", "return_progress")
"""Fields that belong to a stream."""
SHOWN = 300
"""Characters of a server's own words that a sentence quotes."""

OVERFLOW = re.compile(
    "|".join(
        (
            r"exceed_context_size_error|available context size|context size has been exceeded",  # llama-server
            r"context shift is disabled|input( \(\d+ tokens\))? is too large to process",  # llama-server
            r"max(imum)? context size",  # llama-server
            r"max(imum)? context length|context_length_exceeded",  # vLLM, SGLang, Ollama, the hosted originals
            r"context length is only|passed \d+ input tokens|maximum model length",  # vLLM
            r"longer than the model's context length",  # SGLang
            r"exceeds? (the )?(model'?s )?context (window|length)|ContextWindowExceeded",  # llama-cpp-python, Ollama
            r"context the overflows|context length of only|greater than the context length",  # LM Studio
            r"max_new_tokens` must be <=|max_seq_len|must have less than \d+ tokens",  # TGI, TabbyAPI, TEI
            r"(prompt|input)( is)? too long",
        )
    ),
    re.IGNORECASE,
)
"""A prompt, or a prompt and its reply, that does not fit the context."""

COUNTED = tuple(
    re.compile(pattern, re.IGNORECASE | re.DOTALL)
    for pattern in (
        # vLLM, llama-cpp-python
        r"maximum context length is (?P<context>\d+) tokens.*?\((?P<prompt>\d+) in the messages",
        r"maximum context length is (?P<context>\d+) tokens.*?has (?P<prompt>\d+) input tokens",  # vLLM
        r"maximum context length of (?P<context>\d+) tokens.*?(?P<prompt>\d+) tokens from the input",  # SGLang
        r"passed (?P<prompt>\d+) input tokens.*?context length is only (?P<context>\d+)",  # vLLM
        r"\(length (?P<prompt>\d+)\).*?maximum model length of (?P<context>\d+)",  # vLLM
        r"input \((?P<prompt>\d+) tokens\).*?context length \((?P<context>\d+)",  # SGLang
        r"request \((?P<prompt>\d+) tokens\).*?context size \((?P<context>\d+)",  # llama-server
        r"tokens \((?P<prompt>\d+)\) exceed context window of (?P<context>\d+)",  # llama-cpp-python
        r"first (?P<prompt>\d+) tokens.*?context length of only (?P<context>\d+)",  # LM Studio
        r"\((?P<prompt>\d+) of (?P<context>\d+) tokens\)",  # `message_of`
    )
)
"""Servers that refuse a prompt, or a prompt and its longest reply, say how long it is and how much room there is."""
NEAR, NEAR_ESTIMATED = 0.9, 0.5
"""Shares of a context from which on a prompt may fill it, by a count and by an estimate; below, what the server lacks
is shared with other calls."""

SCHEMA_FORMS = (("json_schema", True), ("json_object", True), ("json_schema", False), ("json_object", False))
"""Types of `response_format`, and whether the schema keeps its bounds: tried in turn, then the reply is free text.
llama-cpp-python and older servers know `json_object` alone, with the schema beside it."""
GRAMMAR = re.compile(r"grammar|repetition|\b(max|min)(Length|Items)\b|pattern", re.IGNORECASE)
"""A server that takes schemas and cannot keep a bound of this one."""
BOUNDS = frozenset({"minLength", "maxLength", "minItems", "maxItems", "minimum", "maximum", "multipleOf", "pattern"})

SCHEMA = re.compile(r"response_format|json.?object|schema|grammar|guided|structured", re.IGNORECASE)
"""A server that cannot enforce a schema."""


TOOLS = re.compile(r"tool[_ -]?(choice|call|parser|use)|\btools?\b|jinja", re.IGNORECASE)
"""A server that was started without calls of tools (vLLM: a parser, llama-server: jinja), or whose model knows
none."""


def clean_text(text: str) -> str:
    """The text with surrogate pairs joined and lone surrogates replaced: what every JSON reader takes."""
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def request_body(
    ask: Ask, model: str, *, refused: Mapping[str, int] | None = None, most: int | None = None, stream: bool = True
) -> dict[str, Any]:
    """The JSON body of a chat completion.

    Args:
        ask: the question; all of its settings are passed explicitly.
        model: name of the model on the server.
        refused: name of a field of `EXTRAS` -> how many of its neutral forms the server did not take; so too of
            `response_format` (`SCHEMA_FORMS`) and `tools` (with bounds).
        most: tokens that may be generated, where that is less than the settings allow.
        stream: whether the reply comes piece by piece.
    """
    settings, refused = ask.settings, refused or {}
    body: dict[str, object] = {
        "model": model,
        "messages": [_message(message) for message in ask.messages],
        "stream": stream,
        "temperature": settings.temperature,
        "top_p": settings.top_p,
        "max_tokens": most_tokens(settings) if most is None else min(most, most_tokens(settings)),
        "seed": settings.seed,
    }
    for name, forms in EXTRAS.items():
        if (not stream and name in STREAMED) or (name == "cache_prompt" and not ask.uncached):
            continue
        tried = refused.get(name, 0)
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
    form = refused.get("response_format", 0)
    if ask.schema is not None and form < len(SCHEMA_FORMS):
        kind, bounds = SCHEMA_FORMS[form]
        schema = within_repetitions(ask.schema, bounds=bounds)
        named = {"json_schema": {"name": "reply", "strict": True, "schema": schema}}
        body["response_format"] = {"type": kind, **(named if kind == "json_schema" else {"schema": schema})}
    if ask.tools:
        body["tools"] = within_repetitions(tools_data(ask.tools), bounds="tools" not in refused)
        body["tool_choice"] = "auto" if ask.schema is None else "none"
    return body


def within_repetitions(schema: Any, *, bounds: bool = True) -> Any:
    """A schema without bounds of `REPETITIONS` or more, since servers make grammars of bounds; or without any.

    A bound of exactly so many is lowered by one, a larger maximum left out: such a reply is measured by who reads it,
    against the schema as it was.
    """
    if isinstance(schema, list | tuple):
        return [within_repetitions(part, bounds=bounds) for part in schema]
    if not isinstance(schema, Mapping):
        return schema
    made: dict[str, Any] = {}
    for name, rule in schema.items():
        if not bounds and name in BOUNDS and not isinstance(rule, Mapping):  # one that is names a property
            continue
        if name in ("minLength", "minItems") and isinstance(rule, int):
            made[name] = min(rule, REPETITIONS - 1)
        elif name in ("maxLength", "maxItems") and isinstance(rule, int) and rule >= REPETITIONS:
            if rule == REPETITIONS:
                made[name] = REPETITIONS - 1
        else:
            made[name] = rule if name in ("const", "enum") else within_repetitions(rule, bounds=bounds)
    return made


def next_schema_form(tried: int, text: str) -> int:
    """The form of `SCHEMA_FORMS` to try after one that was refused in these words: without bounds where they speak of
    a grammar, of another type else."""
    return tried + (2 if GRAMMAR.search(text) and SCHEMA_FORMS[tried][1] else 1)


def characters(ask: Ask) -> int:
    """Characters of all that the server reads for a question."""
    told = json.dumps(tools_data(ask.tools), ensure_ascii=False) if ask.tools else ""
    carried = (call.name + call.arguments for message in ask.messages for call in message.calls)
    return sum(len(message.content) for message in ask.messages) + sum(map(len, carried)) + len(told)


def most_tokens(settings: SamplingSettings) -> int:
    """What a server may generate: it counts reasoning and reply together, and closes no reasoning for us."""
    return settings.max_tokens + settings.reasoning


def wanted_extra(settings: SamplingSettings, name: str) -> object:
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


FIRST_HALF = re.compile(r"(?<!\\)\\u[dD][89abAB][0-9a-fA-F]{2}(?=\")")
SECOND_HALF = re.compile(r"(?<=\")(?=\\u[dD][c-fC-F][0-9a-fA-F]{2})")
"""Escapes of one character in UTF-16 that a server took apart: at the end of one text, and before another."""


def join_halves(first: str, event: str) -> tuple[str, str]:
    """The JSON text of an event with the half of a character that earlier ones left over, and without one that it
    leaves; and that. Servers that count text in such halves end a piece after one."""
    event = SECOND_HALF.sub(lambda _: first, event) if first else event
    return FIRST_HALF.sub("", event), next(iter(FIRST_HALF.findall(event)), first)


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
    calls: CallAssembler = field(default_factory=CallAssembler)
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
    prompt: int = 0
    """Tokens of the prompt where the server tells how many of them it has read."""
    _pieces: int = 0
    _size: int = 0
    _read: int = 0
    _spoken: int = 0
    _splitter: Splitter = field(default_factory=Splitter)

    def take(self, data: Mapping[str, Any]) -> list[News]:
        """Note what an object says; returns what is new."""
        if data.get("error") or data.get("object") == "error" or (data.get("detail") and not data.get("choices")):
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
            self.prompt = fresh[-1].total
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
            elif "message" in choice and "delta" not in choice:  # whole, though its end has no name
                self.finish = self.finish or "stop"
            self._spoken += len(spoken)
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

    def size(self, asked: int, density: float) -> tuple[int, int]:
        """Tokens of a prompt of so many characters and of what came, by so many tokens a character."""
        return self.prompt or math.ceil(asked * density), math.ceil(self._size * density)

    def usage(self, milliseconds: float, together: int, asked: int = 0, density: float = 0.0) -> Usage:
        """Tokens as the server reports them; those it had in its cache were not evaluated. What it does not report is
        estimated (`size`)."""
        read, came = self.size(asked, density) if self.estimated else (0, 0)
        details = _object(self.counts.get("prompt_tokens_details"))
        prompt = _count(self.counts.get("prompt_tokens")) or read
        reused = min(prompt, _count(details.get("cached_tokens")) or _count(self.timings.get("cache_n")))
        generated = _count(self.counts.get("completion_tokens")) or came
        more = _object(self.counts.get("completion_tokens_details"))
        reasoned = min(generated, _count(more.get("reasoning_tokens")))
        return Usage(prompt - reused, reused, generated, round(milliseconds, 3), batch=together, reasoned=reasoned)

    def reply(
        self,
        settings: SamplingSettings,
        usage: Usage,
        *,
        finish: Finish | None = None,
        note: str = "",
        tools: tuple[ToolInfo, ...] = (),
        context: int = 0,
    ) -> Reply:
        """The reply as it stands; `finish` overrules what the server said. context: of the server, 0 where it states
        none.

        Calls that the server left in the text are read there where `tools` may be called; calls that nobody asked for
        are put into the text, for whoever reads that. What is all in the field for reasoning is the reply.
        """
        if finish is None:
            finish, more = self._ending(settings, usage, context)
            note = "; ".join(filter(None, (note, more)))
        if self.estimated:
            note = "; ".join(filter(None, (note, f"the server reported {REMEDIES['tokens_estimated']}")))
        self._keep([News(*part) for part in self._splitter.finish()])
        text, reasoning = "".join(self.text), "".join(self.reasoning)
        if LONE_CLOSER in text and not reasoning:
            reasoning, text = split(text, opened=True)
        calls = self.calls.whole()
        wanted = settings.reasoning and not isinstance(parse_json(reasoning), dict)
        if finish == "stop" and reasoning and not (self._spoken or calls or wanted):
            text, reasoning = reasoning, ""
            note = "; ".join(filter(None, (note, REMEDIES["reply_in_reasoning"])))
        if tools and not calls:
            text, calls = read(text, tools)
        elif calls and not tools:
            text, calls = written(text, calls), ()
        note = "; ".join(filter(None, (note, silent(finish, text, reasoning, bool(calls), usage.generated))))
        return Reply(text, usage, finish, reasoning, logprobs=tuple(self.chances), note=note, calls=calls)

    @property
    def estimated(self) -> bool:
        """Whether there is a reply, or the beginning of one, of which the server counted no token, or none of its
        prompt: some leave out what they had in their cache."""
        read, came = (_count(self.counts.get(name)) for name in ("prompt_tokens", "completion_tokens"))
        return self.known and not (read and (came or not self._size))

    def _ending(self, settings: SamplingSettings, usage: Usage, context: int) -> tuple[Finish, str]:
        if self.finish == "repetition":
            return "repetition", ""
        if self.over:
            return "length", f"the server went on far beyond {self.tokens} tokens and was cut off"
        if self.finish == "length" and not self.estimated and 0 < usage.generated < most_tokens(settings):
            tokens = usage.evaluated + usage.reused + usage.generated
            if usage.generated >= self.tokens or tokens >= NEAR * context:
                return "context_full", f"the context of the server is full: {tokens} tokens"
            return "length", f"the server ended the reply at {usage.generated} tokens {REMEDIES['server_cut']}"
        note = "a filter of the server cut the reply" if self.finish == "content_filter" else ""
        return "length" if self.finish == "length" else "stop", note


def message_of(data: Any, depth: int = 0) -> str:
    """The sentence of an error object of a server with its code in words, '' when there is none."""
    if isinstance(data, str) or depth > 5:
        return data if isinstance(data, str) else ""
    for key in ("error", "message", "detail", "msg"):
        found = data.get(key) if isinstance(data, Mapping) else None
        if isinstance(found, list) and found:
            found = found[0]
        if isinstance(found, str | Mapping) and found:
            code, place = data.get("code"), data.get("loc")  # FastAPI says which field it is beside the message
            code = ".".join(map(str, place)) if isinstance(place, list) else code
            said = message_of(found, depth + 1)
            if prompt := _count(data.get("n_prompt_tokens")):  # llama-server
                said += f" ({prompt} of {_count(data.get('n_ctx'))} tokens)"
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


class RequestRefused(EngineError):
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
    """The status inside an error object of a body; 200, with which it came, when it says none."""
    inner = error.get("error")
    code = str(inner.get("code") if isinstance(inner, Mapping) else error.get("code"))
    return int(code) if re.fullmatch("[45][0-9][0-9]", code) else 200


def is_overflow(text: str) -> bool:
    """Whether the words speak of a full context."""
    return OVERFLOW.search(text) is not None


def counts_in(text: str) -> tuple[int, int]:
    """Tokens of the prompt and of the context, as the words say; 0 and 0 when they do not."""
    found = next(filter(None, (pattern.search(text) for pattern in COUNTED)), None)
    return (int(found["prompt"][:12]), int(found["context"][:12])) if found else (0, 0)


def reply_tokens_left(text: str) -> int:
    """Tokens that a reply may have beside the prompt, as the words say; 0 when they do not say or there are none."""
    prompt, context = counts_in(text)
    return max(0, context - prompt)


def about_schema(prompt: str, text: str) -> RequestRefused:
    """The error of a server that cannot keep a reply to a schema."""
    said = f": {text}" if text else ""
    return RequestRefused(
        f"the server cannot keep the reply to '{prompt}' to its schema{said}",
        "Run with --calls free: free text, read by the forgiving parser.",
    )


def about_tools(text: str) -> RequestRefused:
    """The error of a server that takes no tools."""
    return RequestRefused(
        f"the server does not take tools: {text}", "Run with --calls schema, or start it with calls of tools."
    )
