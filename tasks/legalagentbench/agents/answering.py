"""The end of a task: answer and summary, and what is done to both before they are scored (paper §5, stage 4)."""

from __future__ import annotations

import re
from collections.abc import Generator
from typing import Literal

from models.engine import Ask, Message, Settings
from tasks.agents.conversation import Call, Conversation
from tasks.agents.modes import Mode
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Answer, Sent, Yield, ask, emit
from tasks.episode.events import ActionParsed
from tasks.episode.seats import View
from tasks.legalagentbench.agents import reading
from tasks.legalagentbench.agents.acting import PAPER
from tasks.legalagentbench.schemas import answer_schema

PROMPT = "answer-summary/1"
Outcome = Literal["finished", "turn_limit"]

DIGIT_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
"""Removed from both texts, as the published runs did before scoring."""
SCHEMA = answer_schema()
"""What a lean reply to the call for the answer has to satisfy."""


def answer_call(prompt: str, mode: Mode) -> Call:
    """The call for answer and summary in one."""
    settings = Settings(max_tokens=4096)
    if mode != "lean":
        return Call(prompt, reading.answer, settings)
    return Call(prompt, reading.structured(SCHEMA, reading.answer_loosely), settings, SCHEMA, tries=2)


def answered(res: str, summary: str = "", outcome: Outcome = "finished") -> Answer:
    """The answer as it is scored: no comma between two digits."""
    return Answer(DIGIT_COMMA.sub("", res), DIGIT_COMMA.sub("", summary or res), outcome)


def conclude(
    view: View, talk: Conversation, mode: Mode, *, final: str = "", outcome: Outcome = "finished"
) -> Generator[Yield, Sent, Answer]:
    """One more call in the conversation gives both texts. If it cannot be read, `final` stands."""
    talk.hear(fill(PROMPT, form=phrase(mode, "answer-summary")))
    return (yield from concluded(view, talk, answer_call(PROMPT, mode), final, outcome))


def concluded(
    view: View, talk: Conversation, call: Call, final: str, outcome: Outcome
) -> Generator[Yield, Sent, Answer]:
    """Puts a call for the answer and reads it; the record says when it could not be read as asked.

    What cannot be read is still an answer if it is no broken JSON; otherwise the final action's text stands.
    """
    read = yield from talk.put(view, call)
    if read.result != "ok":
        yield from emit(ActionParsed(seat=view.seat, result=read.result, note=f"作答：{read.note}"))
    if read.value is None:
        text = talk.last.strip()
        return answered(final if final and text[:1] in ("", "{") else text, outcome=outcome)
    return answered(read.value["answer"], read.value["summary"], outcome)


def paper_answer(view: View, scratchpad: str, outcome: Outcome = "finished") -> Generator[Yield, Sent, Answer]:
    """Two calls on the question and the scratchpad: the answer, then the answer with every detail."""
    texts = []
    for prompt in ("answer/1", "summary/1"):
        text = fill(prompt, question=str(view.card["question"]), scratchpad=scratchpad)
        reply = yield from ask(Ask(view.seat, (Message("user", text),), prompt, settings=PAPER))
        texts.append(reply.text.strip())
    res, summary = texts
    return answered(res, summary, outcome)
