"""A model in any seat of a court: its card, the record as it went through it, and what is asked of it now.

Under `law` a reply is an object under a schema; of a lawyer or the procurator, in the modes `free` and `native`, and
everywhere under `j1` it is plain text. For a reply that says nothing of its own a seat that the run does not measure
is asked once more (`law`). One that cannot be read is complained of once; then what was said is spoken as it is and
reaches nobody in particular. A document or judgment that a limit of tokens ended is continued once; what is still not
finished then is marked. Limits in tokens.
"""

from __future__ import annotations

from collections.abc import Generator
from dataclasses import replace

from models.engine import Ask, Message, Reply, SamplingSettings
from tasks.agents import native
from tasks.agents.modes import split
from tasks.agents.prompts import fill_text, table
from tasks.courts.agents.model import replies
from tasks.courts.agents.model.card import NATIVE, Form, card, card_of, definitions, form_of, phrase
from tasks.courts.agents.model.conversation import conversation
from tasks.courts.play.view import CourtView, fault_of, is_document
from tasks.episode.events import ActionParsed, StageEntered
from tasks.episode.seats import Action, CallTool, Move, Say, Sent, Yield, ask, emit
from tasks.episode.with_tools import SEAT

TRIES = 2
CUT = ("length", "repetition")
"""How a reply ends that its model did not end."""
SPOKEN = 400
"""Tokens of a turn under `law` in which nothing long is due."""
EARLY = ("", "opening", "investigation")
"""Stages of a trial in which no judgment is due."""
WARMER = 0.7
"""Temperature at which a seat that is not measured is asked once more for a reply that says nothing of its own."""
OTHERS = 2048
"""Tokens of a reply of a seat that is not tested, unless its SPEC says otherwise."""


class ModelSeat:
    """Plays any role that its view describes. Temperature and entropies are for the tested seat; how others are
    sampled their SPECs say."""

    def __init__(self, name: str, *, temperature: float = 0.0, entropy: bool = False) -> None:
        self.name = name
        self._tested = SamplingSettings(temperature=temperature, entropy=entropy)

    def move(self, view: CourtView) -> Move:
        """One utterance, or one call of a tool."""
        form = form_of(view, split(self.name)[1])
        plain: Form = "lean" if form == "lean" else "free"
        tools = definitions(view.offered) if form == "native" else ()
        messages = conversation(
            view, card(view, form),
            lambda turn, reply: replies.own_words(turn, reply, view, plain),
            lambda lookup: replies.own_call(lookup, view, plain),
            native.tools_size(tools),
        )  # fmt: skip
        room = view.budget.reply
        most = min(_most(view), room)
        settings = replace(
            self._tested if view.seat == SEAT else SamplingSettings(),
            max_tokens=most,
            reasoning=room - most if most == SPOKEN else 0,  # a short turn leaves the rest to a model that reasons
        )
        asked = Ask(view.seat, messages, card_of(view), settings=settings)
        if form == "native":
            asked = replace(asked, messages=native.structured(messages, tools), tools=tools)
        action, reply = yield from _asked(view, asked, form)
        if not view.measured and view.profile == "law" and _degenerate(view, action, reply):
            # Greedy it would say the same again; what it says now is heard, whatever it is.
            warmer = replace(asked, settings=replace(settings, temperature=WARMER))
            action, reply = yield from _asked(view, warmer, form)
        if reply.finish == "length" and isinstance(action, Say):
            return (yield from _finished(view, asked, plain, action))
        return action


def _most(view: CourtView) -> int:
    """Tokens of a turn. The document of a draft may come with any turn, a judgment comes after the investigation: one
    before it is continued with all the room that there is (`_finished`), so that neither is cut."""
    if view.seat != SEAT:
        return OTHERS
    stages = (record.event.stage for record in reversed(view.history) if isinstance(record.event, StageEntered))
    early = view.role == "judge" and next(stages, "") in EARLY
    short = view.profile == "law" and (early or view.here.kind in ("advice", "talk"))
    return SPOKEN if short else view.budget.reply


def _asked(view: CourtView, asked: Ask, form: Form) -> Generator[Yield, Sent, tuple[Action, Reply]]:
    if form == "free":
        reply = yield from ask(asked)
        return replies.free_action(reply.text, view), reply
    if form == "native":
        return (yield from _native(view, asked))
    return (yield from _lean(view, replace(asked, schema=replies.schema_of(view))))


def _degenerate(view: CourtView, action: Action, reply: Reply) -> bool:
    """Whether a reply goes round in itself or says nothing of its own."""
    return isinstance(action, Say) and bool(reply.finish == "repetition" or fault_of(view, action.text, action.to))


def _native(view: CourtView, asked: Ask) -> Generator[Yield, Sent, tuple[Action, Reply]]:
    """Plain text is spoken, a call of a tool that is open is made; anything else is asked for once more."""
    said, note = "", ""
    for _ in range(TRIES):
        reply = yield from ask(asked)
        text = native.words(reply)
        turn = native.turn_of(replies.cleaned(text), asked.tools)
        said, note = turn.said, turn.rejected
        if not note and (turn.tool is None or turn.tool in view.tools):
            if turn.note:
                yield from emit(ActionParsed(seat=view.seat, result="repaired", note=turn.note))
            if turn.tool is None:
                return replies.free_action(said, view), reply
            return CallTool(turn.tool, turn.arguments), reply
        note = note or fill_text(table(NATIVE)["turn"]["closed"], tool=str(turn.tool)[:40])
        again = Message("user", phrase("cue", "repair", note=note))
        tried = (*asked.messages, Message("assistant", text or replies.SILENT), again)
        asked = replace(asked, messages=native.structured(tried, asked.tools))
    yield from emit(ActionParsed(seat=view.seat, result="rejected", note=note))
    return Say(replies.cleaned(said), routed=""), reply


def _lean(view: CourtView, asked: Ask) -> Generator[Yield, Sent, tuple[Action, Reply]]:
    schema = dict(asked.schema or {})
    complaint = ""
    for _ in range(TRIES):
        reply = yield from ask(asked)
        whole = replies.closed(reply.text) if reply.finish in CUT else reply.text
        read = replies.read_lean(whole, view, schema)
        if read.result != "rejected":
            note = f"重问后可读：{complaint}" if complaint else read.note
            result = "repaired" if complaint else read.result
            yield from emit(ActionParsed(seat=view.seat, result=result, note=note))
            return replies.lean_action(read.value, view), reply
        complaint = read.note
        again = Message("user", phrase("cue", "repair", note=complaint))
        asked = replace(asked, messages=(*asked.messages, Message("assistant", reply.text or replies.SILENT), again))
    yield from emit(ActionParsed(seat=view.seat, result="rejected", note=complaint))
    return Say(replies.cleaned(reply.text), routed=""), reply


def _finished(view: CourtView, asked: Ask, form: Form, said: Say) -> Generator[Yield, Sent, Say]:
    """What a limit of tokens cut off, said to its end where it is a document or judgment of the tested seat."""
    if view.seat != SEAT or not is_document(view, said.text):
        return replace(said, unfinished=True)
    before = Message("assistant", replies.repeated(said, view, form))
    messages = (*asked.messages, before, Message("user", phrase("cue", "go_on")))
    schema = replies.continuing(view) if form == "lean" else None
    settings = replace(asked.settings, max_tokens=view.budget.reply)
    reply = yield from ask(replace(asked, messages=messages, schema=schema, settings=settings))
    text = replies.closed(reply.text) if reply.finish == "length" and schema else reply.text
    rest = replies.rest_of(text, form)
    yield from emit(ActionParsed(seat=view.seat, result="repaired", note="到长度上限，续写一次"))
    return replace(said, text=replies.joined(said.text, rest), unfinished=reply.finish == "length")
