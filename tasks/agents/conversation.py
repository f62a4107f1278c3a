"""A conversation that only grows at its end, and the calls that are put in it.

What has been sent is not changed, so an engine evaluates nothing but the new suffix: the card, then in turn what the
model said and what it was told. Reasoning of a model is no part of it. When all of it outgrows the room of the seat,
what the model was told before is shortened in one go, and stays so until there is no room again. Sizes in characters.
"""

from __future__ import annotations

from collections.abc import Generator, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from models.engine import Ask, Message, SamplingSettings, ToolInfo
from models.schema import Schema, violation
from tasks.agents import native
from tasks.agents.prompts import PHRASES, phrase
from tasks.agents.reading import ParsedReply, Reader, first_object
from tasks.episode.events import ActionParsed
from tasks.episode.seats import Sent, View, Yield, ask, emit
from tasks.episode.with_tools import shortened

BEGUN = 240
"""Of what was told and is shortened."""


@dataclass(frozen=True, slots=True)
class CallSpec:
    """One kind of call: its prompt's name, how its reply is read, under which schema, how often it is tried."""

    prompt: str
    read: Reader
    settings: SamplingSettings
    schema: Schema | None = None
    tries: int = 1


class Conversation:
    """Messages so far, and what has been heard since the model last spoke. room: for all of them and the tools, 0 for
    no end of it.

    With `tools` the model calls them in its own form: what is heard first after a call is its result. words: the
    table from which complaints are taken.
    """

    def __init__(self, card: str, room: int = 0, tools: tuple[ToolInfo, ...] = (), words: str = PHRASES) -> None:
        self._words = words
        self._room = room and max(1, room - native.tools_size(tools))
        self._messages = [Message("system", card)]
        self._heard: list[str] = []
        self._tools = tools

    def hear(self, text: str) -> None:
        """Something the model is told in its next prompt; nothing for ''."""
        if text:
            self._heard.append(text)

    def say(self, replies: Iterable[str], call: CallSpec) -> None:
        """What the model said to a call: its replies in order, each after the first an answer to a complaint."""
        before: str | None = None
        for text in replies:
            if before is not None:
                self.hear(self._complaint(call.read(before)))
            self._close()
            self._messages.append(Message("assistant", text))
            before = text

    @property
    def last(self) -> str:
        """What was said or told last."""
        return self._heard[-1] if self._heard else self._messages[-1].content

    def messages(self) -> tuple[Message, ...]:
        """The prompt as it stands."""
        self._close()
        kept = fitted(self._messages, self._room) if self._room else tuple(self._messages)
        return native.structured(kept, self._tools) if self._tools else kept

    def _close(self) -> None:
        if self._tools and self._heard and native.turn_of(self._messages[-1].content, self._tools).tool is not None:
            self._messages.append(Message("user", self._heard.pop(0)))
        if self._heard:
            self._messages.append(Message("user", "\n".join(self._heard)))
            self._heard = []

    def _complaint(self, read: ParsedReply) -> str:
        """What a model is told of a reply that could not be read."""
        return phrase("turn", "repair", words=self._words, note=read.note)

    def put(self, view: View, call: CallSpec) -> Generator[Yield, Sent, ParsedReply]:
        """Make a call at the end of the conversation; a reply that cannot be read is complained of, then asked
        again."""
        complaints: list[str] = []
        while True:
            reply = yield from ask(
                Ask(
                    view.seat,
                    self.messages(),
                    call.prompt,
                    schema=call.schema,
                    settings=call.settings,
                    tools=self._tools,
                )
            )
            text = native.words(reply)
            read = call.read(text)
            self.say([text], call)
            if read.result != "rejected" or len(complaints) + 1 >= call.tries:
                break
            complaints.append(read.note)
            self.hear(self._complaint(read))
        if complaints and read.result != "rejected":
            return replace(read, result="repaired", note=f"重问{len(complaints)}次后可读：{complaints[0]}")
        return read


def structured(
    seat: str,
    messages: tuple[Message, ...],
    prompt: str,
    schema: Schema,
    settings: SamplingSettings,
    parent: int | None,
) -> Generator[Yield, Sent, dict[str, Any] | None]:
    """A reply under a schema; a bad one is complained of once, then None. What was not plain sailing is recorded."""
    complaint = ""
    for attempt in range(2):
        reply = yield from ask(Ask(seat, messages, prompt, schema=schema, settings=settings, parent=parent))
        value, note = first_object(reply.text)
        reason = (violation(schema, value) if isinstance(value, dict) else note) or ""
        if not reason:
            note = f"重问{attempt}次后可读：{complaint}" if attempt else note
            if note:
                yield from emit(ActionParsed(seat=seat, result="repaired", note=note), parent)
            return dict(value)
        complaint = reason
        again = Message("user", phrase("turn", "repair-object", note=reason))
        messages = (*messages, Message("assistant", reply.text), again)
    yield from emit(ActionParsed(seat=seat, result="rejected", note=complaint), parent)
    return None


def fitted(messages: Sequence[Message], room: int) -> tuple[Message, ...]:
    """A conversation within its room: where it had none left, all that had been told since the question keeps head
    and tail.

    Every message is looked at as when it was new, so what came later changes nothing before it.
    """
    kept: list[Message] = []
    size = 0
    for message in messages:
        size += len(message.content)
        kept.append(message)
        if size > room and message.role == "user":
            told = [at for at, one in enumerate(kept) if one.role == "user"][1:]
            for at in told[:-1]:
                kept[at] = replace(kept[at], content=shortened(kept[at].content, BEGUN))
            size = sum(len(one.content) for one in kept)
            if size > room and told:
                kept[-1] = replace(
                    message, content=shortened(message.content, max(BEGUN, len(message.content) - (size - room)))
                )
                size = sum(len(one.content) for one in kept)
    return tuple(kept)
