"""Replies of earlier runs in place of calls: `--cache`.

A reply is taken only where it would be the same: the question with its settings, tools and seed, the tokens of
earlier turns, and all that the engine says of itself. Nothing is taken or kept above temperature 0, and nothing kept
but a reply that ended by itself or at its number of tokens. What is taken says so: its usage has no time, nothing
evaluated, and the origin `cached`.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from hashlib import sha256

from pydantic import TypeAdapter, ValidationError
from pydantic_core import PydanticSerializationError

from models.engine import Ask, Engine, Reply, Usage
from store.replies import Replies
from tasks.run.header import description_hash

FORM = 1
"""Of what is kept; another one is not read."""
WHOLE = frozenset({"stop", "length"})
"""How a reply ends that would end so again."""
_REPLY: TypeAdapter[Reply] = TypeAdapter(Reply)


class KnownReplies:
    """The cache as a run uses it; `engines` by SPEC, as they are when a question is asked."""

    def __init__(self, replies: Replies, engines: Mapping[str, Engine]) -> None:
        self.replies = replies
        self._engines = engines
        self.taken = 0
        """Replies that were taken from it."""
        self._described: dict[str, str] = {}

    def found(self, spec: str, ask: Ask) -> Reply | None:
        """What was answered before; None where that is not known."""
        if ask.settings.temperature > 0 or (text := self.replies.get(self._key(spec, ask))) is None:
            return None
        try:
            reply = _REPLY.validate_json(text)
        except ValidationError:  # of another release
            return None
        self.taken += 1
        usage = reply.usage
        tokens = Usage(
            reused=usage.evaluated + usage.reused,
            generated=usage.generated,
            reasoned=usage.reasoned,
            origin="cached",
        )
        return replace(reply, usage=tokens)

    def keep(self, spec: str, ask: Ask, reply: Reply) -> None:
        """Remember a reply for other runs."""
        if ask.settings.temperature > 0 or reply.finish not in WHOLE:
            return
        try:
            text = _REPLY.dump_json(reply)
        except (PydanticSerializationError, UnicodeEncodeError):  # half of a character: no text that can be kept
            return
        self.replies.put(self._key(spec, ask), text)

    def _key(self, spec: str, ask: Ask) -> bytes:
        if spec not in self._described:
            self._described[spec] = description_hash(self._engines[spec].describe())
        payload = [FORM, self._described[spec], ask.digest(), ask.turns]
        return sha256(json.dumps(payload).encode("utf-8", "surrogatepass")).digest()
