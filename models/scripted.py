"""The scripted engine: replies drawn from a file by rule and chance, for tests, demos and kill tests.

Chance comes from the seed of each call, so a call gives the same reply alone, in a batch, or after a resume. File:
JSON

    {"delay_ms": [0, 5], "failure_rate": 0.05,
     "rules": [{"when": "text in the last message", "replies": ["...", "..."]}],
     "otherwise": ["..."]}

The first rule whose `when` occurs in the last message applies. Delays and failures are drawn too; a failed call is an
infrastructure error and succeeds when tried again unless it is drawn again. Tokens are counted as characters. Calls
of tools stand in a reply in any form that `models.calls` reads.
"""

from __future__ import annotations

import codecs
import json
import random
import threading
from collections.abc import Mapping, Sequence
from dataclasses import replace
from hashlib import sha256
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, ValidationError

from models.calls import read
from models.engine import Ask, ContextLimits, EngineError, Listener, Reply, Usage
from models.errors import BadEngine
from models.specs import Opening
from store.errors import BadInput, NotFound
from store.files import read_whole

LARGEST = 1 << 26
"""Bytes of a script: as many as the text of one value from elsewhere may have."""


class Rule(BaseModel):
    """Replies for prompts whose last message holds `when`."""

    model_config = ConfigDict(extra="forbid")
    when: str
    replies: list[str] = Field(min_length=1)


Delay = Annotated[float, Field(ge=0.0, le=86_400_000.0)]
"""Milliseconds, at most a day."""


class Script(BaseModel):
    """The file of a scripted engine."""

    model_config = ConfigDict(extra="forbid")
    delay_ms: tuple[Delay, Delay] = (0.0, 0.0)
    failure_rate: float = Field(default=0.0, ge=0.0, le=1.0)
    rules: list[Rule] = []
    otherwise: list[str] = Field(min_length=1)


def open_scripted(opening: Opening) -> ScriptedEngine:
    """The engine of `scripted:FILE`."""
    return ScriptedEngine.from_file(Path(opening.rest))


class ScriptedEngine:
    """Answers from a `Script`."""

    def __init__(self, script: Script, digest: str = "") -> None:
        self.script = script
        self._digest = digest
        self._closed = False
        self._cancelled = threading.Event()

    @classmethod
    def from_file(cls, path: Path) -> ScriptedEngine:
        """Read a script; `BadEngine` names the field that is wrong."""
        try:
            raw = read_whole(path, LARGEST)
        except (BadInput, NotFound) as error:
            raise BadEngine(f"cannot read script {path}: {error.title}", error.hint) from error
        try:
            return cls(Script.model_validate_json(raw.removeprefix(codecs.BOM_UTF8)), sha256(raw).hexdigest())
        except ValidationError as error:
            first = error.errors()[0]
            where = ".".join(str(part) for part in first["loc"]) or "file"
            raise BadEngine(f"script {path}: {where}: {first['msg']}", "See `moot run --help`.") from error

    def describe(self) -> dict[str, object]:
        """Kind and file hash."""
        return {"kind": "scripted", "sha256": self._digest}

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """One reply each, in order."""
        self._cancelled.clear()
        return [_closed() if self._closed else self._one(ask) for ask in asks]

    def cancel(self) -> None:
        """End the delay in flight and skip those that follow."""
        self._cancelled.set()

    def close(self) -> None:
        """Answer no more."""
        self._closed = True
        self.cancel()

    def _one(self, ask: Ask) -> Reply | EngineError:
        chance = random.Random(f"{ask.settings.seed}/{ask.attempt}")
        low, high = self.script.delay_ms
        delay = chance.uniform(low, high)
        late = ask.seconds is not None and delay / 1000 > ask.seconds
        pause = ask.seconds or 0.0 if late else delay / 1000
        if self._cancelled.wait(pause) if pause > 0 else self._cancelled.is_set():
            return Reply("", finish="cancelled")
        if late:
            return Reply("", finish="time_limit")
        if chance.random() < self.script.failure_rate:
            return EngineError("scripted failure")
        last = ask.messages[-1].content if ask.messages else ""
        replies = next((rule.replies for rule in self.script.rules if rule.when in last), self.script.otherwise)
        text = chance.choice(replies)
        prompt = sum(len(message.content) for message in ask.messages)
        said, calls = read(text, ask.tools) if ask.tools and ask.schema is None else (text, ())
        usage = Usage(evaluated=prompt, generated=len(text), milliseconds=round(delay, 3))
        return Reply(said, usage, calls=calls)


class RecordedEngine:
    """Answers with recorded replies, found by the digest of the Ask: nothing is computed, a new question fails."""

    def __init__(self, replies: Mapping[str, Reply], source: str, limits: ContextLimits | None = None) -> None:
        """`limits`: of the engine that gave the replies, so that prompts come out as they were."""
        self._replies = dict(replies)
        self._source = source
        self._limits = limits or ContextLimits(0)
        self._closed = False

    def context_limits(self) -> ContextLimits:
        """Those of the engine that gave the replies."""
        return self._limits

    def describe(self) -> dict[str, object]:
        """Kind, where the replies come from, and their hash."""
        payload = json.dumps(sorted((digest, reply.text) for digest, reply in self._replies.items())).encode()
        return {"kind": "recorded", "source": self._source, "sha256": sha256(payload).hexdigest()}

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """The recorded reply to each Ask."""
        return [_closed() if self._closed else self._one(ask) for ask in asks]

    def cancel(self) -> None:
        """Nothing is ever in flight for long."""

    def close(self) -> None:
        """Answer no more."""
        self._closed = True

    def _one(self, ask: Ask) -> Reply | EngineError:
        reply = self._replies.get(ask.digest())
        if reply is None:
            return EngineError("the record holds no reply to this prompt")
        usage = reply.usage
        spent = Usage(reused=usage.evaluated + usage.reused, generated=usage.generated, reasoned=usage.reasoned)
        return replace(reply, usage=spent)


def _closed() -> EngineError:
    return EngineError("this engine has been closed")
