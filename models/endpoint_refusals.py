"""What servers say when they cannot or will not answer, recognised by phrase: they agree on no codes.

Pure: text in, verdict out. Every phrase stands in a table with the servers that use it.
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from models.endpoint_wire import message_of, parse_json
from models.engine import Busy, EngineError, Unavailable

BIND = (
    "Bind one to its host: `moot config hosts allow HOST --key-env NAME`, NAME being the environment variable "
    "with the key."
)
"""What helps where no key is bound to the host of a server."""
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

ROOM = tuple(
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


def room_of(text: str) -> int:
    """Tokens that a reply may have beside the prompt, as the words say; 0 when they do not say or there are none."""
    for pattern in ROOM:
        found = pattern.search(text)
        if found:
            return max(0, int(found["context"][:12]) - int(found["prompt"][:12]))
    return 0


def about_schema(prompt: str, text: str) -> Refused:
    """The error of a server that cannot keep a reply to a schema."""
    said = f": {text}" if text else ""
    return Refused(
        f"the server cannot keep the reply to '{prompt}' to its schema{said}",
        "Run with --free: free text, read by the forgiving parser.",
    )


def about_tools(text: str) -> Refused:
    """The error of a server that takes no tools."""
    return Refused(
        f"the server does not take tools: {text}", "Run with --calls schema, or start it with calls of tools."
    )


def about_status(
    status: int,
    text: str,
    *,
    url: str,
    keyed: bool,
    variable: str,
    location: str = "",
    wait: float | None = None,
) -> EngineError:
    """One sentence for a status that is no answer. `variable` of the environment holds the key for this server, if
    any; `wait`: seconds that the server asked for."""
    said = f": {text}" if text else ""
    if 300 <= status < 400:
        said = f"the server at {url} redirects to {shown(location)}" if location else f"the server at {url} redirects"
        return EngineError(said, "Give the final address; redirects are not followed.")
    if status in (401, 403):
        what = f"refuses the key in {variable}" if keyed else "asks for a key"
        put = f"Put it into the environment variable {variable}." if variable else BIND
        return EngineError(f"the server at {url} {what} ({status}){said}", "Correct it." if keyed else put)
    if status == 404:
        return EngineError(
            f"the server at {url} has no chat completions ({status}){said}", "The address usually ends in /v1."
        )
    if status == 429 or (status == 503 and wait is not None):
        return Busy(f"the server at {url} is busy ({status}){said}", "Lower --parallel, or try again later.", wait)
    if status == 503:  # without a word on how long it may as well be of whoever stands before a server that is down
        return Unavailable(f"the server at {url} is busy ({status}){said}", "Lower --parallel, or try again later.")
    if status == 502:  # what stands before the server finds nobody behind
        return Unavailable(f"the server at {url} failed ({status}){said}", "See the server's own log.")
    if status >= 500:
        return EngineError(f"the server at {url} failed ({status}){said}", "See the server's own log.")
    return Refused(f"the server at {url} refuses the request ({status}){said}", "See the server's own log.")
