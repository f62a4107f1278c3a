"""A model in any seat of a court: its card, the record as it went through it, and what is asked of it now.

Under `law` a reply is an object under a schema, in the mode `free` and everywhere under `j1` plain text. A lean reply that
cannot be read is complained of once; then what was said is spoken as it is and reaches nobody in particular.
"""

from __future__ import annotations

from models.engine import Ask, Message, Settings
from tasks.agents.modes import split
from tasks.courts.agents.model import replies
from tasks.courts.agents.model.cards import card, card_of, form_of
from tasks.courts.agents.model.phrases import phrase
from tasks.courts.agents.model.talking import conversation
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say, ask, emit
from tasks.episode.events import ActionParsed
from tasks.episode.with_tools import SEAT

TRIES = 2
MOST_TOKENS = {"tested": 4096, "other": 2048}
"""Of a reply, reasoning included; the published runs allow the tested model 4,096."""


class ModelSeat:
    """Plays any role that its view describes. Temperature and entropies are for the tested seat; others play greedily."""

    def __init__(self, name: str, *, temperature: float = 0.0, entropy: bool = False) -> None:
        self.name = name
        self._tested = Settings(temperature=temperature, entropy=entropy, max_tokens=MOST_TOKENS["tested"])
        self._other = Settings(max_tokens=MOST_TOKENS["other"])

    def move(self, view: CourtView) -> Move:
        """One utterance, or one call of a tool."""
        form = form_of(view, split(self.name)[1])
        messages = conversation(
            view, card(view, form),
            lambda turn, reply: replies.own_words(turn, reply, view, form),
            lambda lookup: replies.own_call(lookup, view, form),
        )  # fmt: skip
        settings = self._tested if view.seat == SEAT else self._other
        prompt = card_of(view)
        if form == "free":
            reply = yield from ask(Ask(view.seat, messages, prompt, settings=settings))
            return replies.free_action(reply.text, view)
        return (yield from _lean(view, messages, prompt, settings))


def _lean(view: CourtView, messages: tuple[Message, ...], prompt: str, settings: Settings) -> Move:
    schema = replies.schema_of(view)
    complaint, text = "", ""
    for _ in range(TRIES):
        reply = yield from ask(Ask(view.seat, messages, prompt, schema=schema, settings=settings))
        text = reply.text
        read = replies.read_lean(text, view, schema)
        if read.result != "rejected":
            note = f"重问后可读：{complaint}" if complaint else read.note
            result = "repaired" if complaint else read.result
            yield from emit(ActionParsed(seat=view.seat, result=result, note=note))
            return replies.lean_action(read.value, view)
        complaint = read.note
        again = Message("user", phrase("cue", "repair", note=complaint))
        messages = (*messages, Message("assistant", text or replies.SILENT), again)
    yield from emit(ActionParsed(seat=view.seat, result="rejected", note=complaint))
    return Say(replies.cleaned(text), routed="")
