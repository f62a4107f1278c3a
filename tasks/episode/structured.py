"""Asks a helper's seat for a reply under a schema: one complaint about a bad one, then nothing; what went wrong is
recorded."""

from __future__ import annotations

from collections.abc import Generator, Mapping
from typing import Any

from models.engine import Ask, Message, Settings
from models.schema import violation
from tasks.episode.actions import Sent, Yield, ask, emit
from tasks.episode.events import ActionParsed
from tasks.legalsearch.agents.phrases import phrase
from tasks.legalsearch.agents.reading import first_object

TRIES = 2


def structured(
    seat: str,
    messages: tuple[Message, ...],
    prompt: str,
    schema: Mapping[str, Any],
    settings: Settings,
    parent: int | None,
) -> Generator[Yield, Sent, dict[str, Any] | None]:
    """A reply under a schema; a bad one is complained of once, then None. What was not plain sailing is recorded."""
    complaint = ""
    for attempt in range(TRIES):
        reply = yield from ask(Ask(seat, messages, prompt, schema=schema, settings=settings, parent=parent))
        value, note = first_object(reply.text)
        reason = (violation(schema, value) if isinstance(value, dict) else note) or ""
        if not reason:
            note = f"重问{attempt}次后可读：{complaint}" if attempt else note
            if note:
                yield from emit(ActionParsed(seat=seat, result="repaired", note=note), parent)
            return dict(value)
        complaint = reason
        again = Message("user", phrase("seat", "repair", note=reason))
        messages = (*messages, Message("assistant", reply.text), again)
    yield from emit(ActionParsed(seat=seat, result="rejected", note=complaint), parent)
    return None
