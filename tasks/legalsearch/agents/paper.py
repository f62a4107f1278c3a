"""The published loop of the search agent (paper §3.1 and appendix A; its code where the paper is silent).

One model call a round, tagged text, read strictly. The system prompt is our own, with the tools as Hermes schemas
and, as in the published one, today's date; like that one it says nothing of dates in queries, which the paper counts.
The loop ends when a round cannot be run, after 15 rounds, or at 28,671 tokens of response, what tools answered
included; the round that ends it is the last word, and the first tagged answer of the whole text is the answer.
Published rounds after a plan begin with an opened think tag; here the model opens it.

Tokens: what engines report. Where they report no prompt, and for a response that no call has read yet, an estimate.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from models.engine import Ask, Message, SamplingSettings
from tasks.agents.history import Step
from tasks.episode.events import LimitHit, ModelCalled
from tasks.episode.seats import Answer, CallTool, Card, Move, Nothing, View, ask, emit
from tasks.legalsearch.agents.acting import tell
from tasks.legalsearch.agents.briefing import Briefing, instruction, system
from tasks.legalsearch.agents.reading import first_answer, read_strictly
from tasks.legalsearch.agents.talking import TURNS, pasts, response
from tasks.legalsearch.agents.trajectory_pieces import spoken

PROMPT = "search-paper/1"
RESPONSE_TOKENS = 28_671
MOST_ROUNDS = 29
"""Generations that the published loop never passes; a bound only where a run allows more than 15 rounds."""
_WIDE, _NARROW = 0.65, 0.3
"""Tokens of a Chinese and of any other character, as tokenisers of the Qwen family come to on the average: the
estimate."""


def step(view: View, brief: Briefing, settings: SamplingSettings) -> Move:
    """One round of the published loop."""
    past = pasts(view)
    messages = conversation(view, brief, past)
    used = response_tokens(past)
    turns = min(view.max_turns or TURNS, MOST_ROUNDS)
    if view.step > turns:
        return Answer(_answer(messages), outcome="turn_limit")
    if past and past[-1].tool is not None and used >= RESPONSE_TOKENS:
        yield from emit(LimitHit(kind="tokens", limit=RESPONSE_TOKENS, used=used))
        return Answer(_answer(messages[:-1]), outcome="token_limit")
    room = replace(settings, max_tokens=max(1, RESPONSE_TOKENS - used))
    reply = yield from ask(Ask(view.seat, messages, PROMPT, settings=room))
    text = spoken(reply)
    words = (*messages, Message("assistant", text))
    said = read_strictly(text, first=not any(one.calls for one in past))
    spent = used + (reply.usage.generated or estimated(text))
    if not said.stop and (spent >= RESPONSE_TOKENS or view.step == turns):
        yield from tell(view.seat, said, "ok", "")
        if spent >= RESPONSE_TOKENS:
            yield from emit(LimitHit(kind="tokens", limit=RESPONSE_TOKENS, used=spent))
        return Answer(_answer(words), outcome="token_limit" if spent >= RESPONSE_TOKENS else "turn_limit")
    yield from tell(view.seat, said, said.result, said.note)
    if said.stop:
        return Answer(_answer(words))
    return Nothing() if said.tool is None else CallTool(said.tool, said.arguments)


def conversation(view: View, brief: Briefing, past: Sequence[Step]) -> tuple[Message, ...]:
    """All messages so far. What others did in the seat stands there as if a model had written it."""
    messages = [
        Message("system", system(PROMPT, brief, "paper")),
        Message("user", agent_question(view.card)),
    ]
    for one in past:
        words = [spoken(called) for called in one.calls] or [as_written(one)]
        messages += [Message("assistant", text) for text in words]
        if one.tool is not None:
            messages.append(Message("user", response(one.observation, one.status, paper=True)))
    return tuple(messages)


def agent_question(card: Card) -> str:
    """What the agent is asked: the instruction for agents with tools, then the question."""
    return f"{instruction(card)}\n{card['question']}"


def as_written(past: Step) -> str:
    """A round in tags that nobody wrote in tags."""
    thought = "\n".join(past.thoughts)
    parts = [f"<think>\n{thought}\n</think>"]
    if past.plan:
        parts.append("<plan>\n" + "\n".join(past.plan) + "\n</plan>")
    if past.tool is not None:
        call = json.dumps({"name": past.tool, "arguments": past.input}, ensure_ascii=False)
        parts.append(f"<tool_call>\n{call}\n</tool_call>")
    return "\n".join(parts)


def response_tokens(past: Sequence[Step]) -> int:
    """Tokens of the response so far, tool answers included.

    The prompt of the last call is the first prompt and all that came between, if the engine counts prompts; what came
    after the last call is estimated.
    """
    calls = [(number, called) for number, one in enumerate(past) for called in one.calls]
    if not calls:
        return sum(_told(one) for one in past)
    (first_at, first), (last_at, last) = calls[0], calls[-1]
    before = sum(_told(one) for one in past[:first_at])
    after = _told(past[last_at], said=False) + sum(_told(one) for one in past[last_at + 1 :])
    read_first, read_last = first.evaluated + first.reused, last.evaluated + last.reused
    if read_first and read_last >= read_first:
        return before + read_last - read_first + _said(last) + after
    return before + sum(_told(one) for one in past[first_at:last_at]) + _said(last) + after


def _told(past: Step, *, said: bool = True) -> int:
    words = sum(map(_said, past.calls)) or estimated(as_written(past)) if said else 0
    heard = estimated(response(past.observation, past.status, paper=True)) if past.tool is not None else 0
    return words + heard


def _said(called: ModelCalled) -> int:
    return called.generated or estimated(spoken(called))


def estimated(text: str) -> int:
    """About how many tokens a text has."""
    wide = sum(character >= "\u2e80" for character in text)
    return ceil(wide * _WIDE + (len(text) - wide) * _NARROW)


def _answer(messages: Sequence[Message]) -> str:
    """The published reading: the first tagged answer of everything after the question; '' without one."""
    return first_answer("\n".join(message.content for message in messages[2:])) or ""
