"""The conversation of the search agent in the modes lean, native and free: plan, calls, answer; one model call a
round.

The card is the same for all tasks; question and form of the answer stand in the first message of the user. What
others did in the seat is told in words. Tokens: a lean reply is bounded by its schema, the rest is room for a model
that reasons first.
"""

from __future__ import annotations

import json
from collections.abc import Generator, Mapping, Sequence
from dataclasses import replace
from typing import Literal

from models.engine import Ask, SamplingSettings
from tasks.agents.budgets import ContextBudget
from tasks.agents.conversation import BEGUN, CallSpec, Conversation
from tasks.agents.history import Step, steps_of
from tasks.agents.modes import Mode, beside
from tasks.agents.native import words
from tasks.agents.prompts import fill
from tasks.agents.reading import ParsedReply
from tasks.agents.tags import defused, tagged
from tasks.episode.events import ActionParsed, Thought
from tasks.episode.seats import Answer, Card, Move, Sent, View, Yield, ask, emit
from tasks.episode.with_tools import SHOWN, shortened
from tasks.legalsearch.agents import schemas
from tasks.legalsearch.agents.acting import act, free_reader, lean_reader, native_reader, tell
from tasks.legalsearch.agents.briefing import Briefing, definitions, form_of, instruction, phrase, system
from tasks.legalsearch.agents.reading import Round, read_freely
from tasks.legalsearch.agents.trajectory_pieces import spoken
from tasks.legalsearch.questions import options

FIRST, ACT, LAST = "search-first/1", "search/1", "search-last/1"
NATIVE, CLOSE = "search-native/1", "search-close/1"
TURNS = 15
"""Rounds of a task (paper, table 3), unless a run sets its own."""
MOST_TOKENS = 4096
ROUND = 920
"""Tokens of a round: a thought of 120, an answer of 800; the rest of `MOST_TOKENS` is for a model that reasons."""
RESULT = 0.11
"""Of the room for the conversation that the result of one call may take: at 8,192 tokens some 630."""
OPENING, CLOSING = "<tool_response>\n", "\n</tool_response>"


def step(view: View, name: str, mode: Mode, brief: Briefing, settings: SamplingSettings) -> Move:
    """One round: a plan, a call or the answer; after the last turn the call for the answer."""
    calls = calls_for(view.card, mode, brief, settings)
    past = pasts(view)
    talk = conversation(view, name, mode, brief, past, calls)
    if view.step > (view.max_turns or TURNS):
        return (yield from _close(view, talk, mode, calls[LAST]))
    begun = any(one.plan or (one.tool is not None and one.policy == name) for one in past)
    read = yield from put(view, talk, calls[ACT if begun else FIRST], mode)
    said = read.value
    if mode == "native" and isinstance(said, Round) and said.tool is None and not said.plan:
        yield from tell(view.seat, said, read.result, read.note)
        return (yield from _close(view, talk, mode, calls[LAST], "finished"))
    return (yield from act(view.seat, read))


def calls_for(card: Card, mode: Mode, brief: Briefing, settings: SamplingSettings) -> dict[str, CallSpec]:
    """The three kinds of call, by prompt."""
    tools = brief.tools
    if beside(mode) != "lean":
        readers = {FIRST: free_reader(tools, first=True), ACT: free_reader(tools, first=False), LAST: read_last}
        return {prompt: CallSpec(prompt, reader, settings) for prompt, reader in readers.items()}
    form = form_of(card)
    answer = schemas.answer_schema(form, options(str(card["question"])) if form == "letters" else ())
    shapes = {FIRST: schemas.plan_schema(), ACT: schemas.act_schema(tools, answer), LAST: schemas.last_schema(answer)}
    made = {
        prompt: CallSpec(prompt, lean_reader(shape, form), settings, shape, 2) for prompt, shape in shapes.items()
    }
    if mode == "native":
        made[ACT] = CallSpec(NATIVE, native_reader(definitions(brief)), settings, tries=2)
        made[LAST] = replace(made[LAST], prompt=CLOSE)
    return made


def conversation(
    view: View, name: str, mode: Mode, brief: Briefing, past: Sequence[Step], calls: Mapping[str, CallSpec]
) -> Conversation:
    """The conversation up to this round, from the record."""
    native = mode == "native"
    asked = phrase("turn", "answer", wanted=wanted(view.card, mode))
    card = f"{system(NATIVE if native else ACT, brief, mode)}\n\n{asked}"
    budget = ContextBudget.at(view)
    talk = Conversation(card, budget.characters(), definitions(brief) if native else ())
    by_prompt = {call.prompt: call for call in calls.values()}
    talk.hear(fill(FIRST, question=str(view.card["question"])))
    for one in past:
        if one.policy == name and one.calls and one.calls[0].prompt in by_prompt:
            call = by_prompt[one.calls[0].prompt]
            talk.say([words(called) if beside(mode) == "lean" else spoken(called) for called in one.calls], call)
        else:
            talk.hear(others_text(one))
        talk.hear(round_text(one, mode, most_of(budget)))
    return talk


def wanted(card: Card, mode: Mode, field: str = "deepresearch_task_prompt") -> str:
    """What the answer has to look like, with its shape in a lean reply."""
    shape = phrase("shape", form_of(card)) if beside(mode) == "lean" else ""
    return "\n".join(filter(None, (instruction(card, field), shape)))


def others_text(past: Step) -> str:
    """What somebody else did in this seat before the model took it, or between two of its rounds."""
    parts = [phrase("turn", "thought", words="\n".join(past.thoughts))] if past.thoughts else []
    if past.plan:
        parts.append(phrase("turn", "plan", words="；".join(past.plan)))
    if past.tool is not None:
        parts.append(phrase("turn", "call", tool=past.tool, given=json.dumps(past.input, ensure_ascii=False)))
    return phrase("turn", "done", what="\n".join(parts)) if parts else ""


def round_text(past: Step, mode: Mode, most: int) -> str:
    """What the model is told after a round, a result in so many characters; that of a native call stands by
    itself."""
    if past.tool is not None:
        text = response(past.observation, past.status, most)
        if mode == "native":
            return text.removeprefix(OPENING).removesuffix(CLOSING)
        return f"{text}\n{phrase('turn', 'next')}"
    if past.rejected is not None:
        return phrase("turn", "rejected", note=past.rejected)
    return phrase("turn", "go") if past.plan else ""


def put(view: View, talk: Conversation, call: CallSpec, mode: Mode) -> Generator[Yield, Sent, ParsedReply]:
    """Make a call at the end of the conversation. Free text stands in it with its think block, and is not asked
    again."""
    if beside(mode) == "lean":
        return (yield from talk.put(view, call))
    reply = yield from ask(Ask(view.seat, talk.messages(), call.prompt, settings=call.settings))
    text = spoken(reply)
    talk.say([text], call)
    return call.read(text)


def read_last(text: str) -> ParsedReply:
    """The answer in free text: tagged, or whatever is said outside think, plan and call."""
    said = read_freely(text)
    answer = said.answer if said.answer is not None else "\n".join(tagged(text).outside).strip()
    if not answer:
        return ParsedReply("rejected", None, "没有写答案")
    plain = said.answer is not None
    result = said.result if plain else "repaired"
    return ParsedReply(
        result, Round(said.think if plain else "", answer=answer), said.note if plain else "答案没有写在标签里"
    )


def concluded(view: View, talk: Conversation, read: ParsedReply) -> Generator[Yield, Sent, str]:
    """Record how a call for the answer was read. What cannot be read is still the answer, if it is no broken JSON."""
    said = read.value
    if isinstance(said, Round) and said.think:
        yield from emit(Thought(seat=view.seat, text=said.think))
    if read.result != "ok":
        yield from emit(ActionParsed(seat=view.seat, result=read.result, note=f"作答：{read.note}"))
    if isinstance(said, Round) and said.answer is not None:
        return said.answer
    text = talk.last.strip()
    return "" if text[:1] in ("{", "<") else text


def _close(
    view: View,
    talk: Conversation,
    mode: Mode,
    call: CallSpec,
    outcome: Literal["finished", "turn_limit"] = "turn_limit",
) -> Move:
    question = f"{view.card['question']}\n{wanted(view.card, mode)}"
    talk.hear(fill(call.prompt if mode == "native" else LAST, form=phrase(beside(mode), "last"), question=question))
    read = yield from put(view, talk, call, mode)
    return Answer((yield from concluded(view, talk, read)), outcome=outcome)


def pasts(view: View) -> list[Step]:
    """The completed steps in order; steps in which nothing was said, planned or called are left out."""
    made = steps_of(view.history, view.seat)
    return [step for step in made if step.calls or step.plan or step.tool is not None]


def most_of(budget: ContextBudget) -> int:
    """Characters that the result of one call may take."""
    return max(BEGUN, int(budget.characters() * RESULT))


def response(observation: str, status: str, most: int = SHOWN, *, paper: bool = False) -> str:
    """What a model reads of a tool's answer.

    One that is longer than `most` is made shorter at once and stays as it is: of each list the first results. Outside
    the published form a hint follows where a tool gave nothing, and nothing in the answer can pass for a tag.
    """
    if paper:
        return f"{OPENING}{shortened(observation)}{CLOSING}"
    kept, left = _first(observation, most) if len(observation) > most else (observation, 0)
    fewer = phrase("hint", "fewer", n=str(left)) if left else ""
    return f"{OPENING}{defused(shortened(kept, most))}{fewer}{phrase('hint', status)}{CLOSING}"


def _first(observation: str, most: int) -> tuple[str, int]:
    """An answer without the last results of its longest lists, and how many these are."""
    try:
        told, text, left = json.loads(observation), observation, 0
    except ValueError:
        return observation, 0
    lists = [value for one in told for value in one.values() if isinstance(value, list)]
    while len(text) > most and (longest := max(lists, key=len, default=[]))[1:]:
        longest.pop()
        text, left = json.dumps(told, ensure_ascii=False), left + 1
    return text, left
