"""The lean loop of ReAct and plan-execute: one call a step gives what comes before the action, and the action.

The two methods differ in what comes before: a thought, or the steps that are left. Plan-execute so replans at every
step and acts on the first of what it has just written; no step can be skipped by counting.
"""

from __future__ import annotations

from collections.abc import Sequence

from models.engine import Tool
from tasks.agents.budgets import Budget
from tasks.agents.conversation import Call, Conversation
from tasks.agents.modes import TURNS, Mode, beside, method, split
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Move
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, history
from tasks.legalagentbench.agents.acting import Final, act, action_call
from tasks.legalagentbench.agents.answering import conclude
from tasks.legalagentbench.agents.choosing import tools_of_task
from tasks.legalagentbench.agents.examples import action_object
from tasks.legalagentbench.schemas import THOUGHT, steps_schema
from tasks.legalagentbench.tools import ToolSpec

BEFORE: dict[str, dict[str, object]] = {"react": {"thought": THOUGHT}, "plan-execute": {"plan": steps_schema()}}
"""Method -> the schemas of what stands before its action."""


def step(view: View, name: str, prompt: str, mode: Mode, added: Sequence[ToolSpec] = ()) -> Move:
    """One step: one call, one action; after the last turn, or at Final Answer, the call for the answer."""
    rest = beside(mode)
    tools = yield from tools_of_task(view, rest, added)
    kind = method(name)
    call = action_call(prompt, mode, tools, BEFORE[kind])
    told = cards.definitions(tools) if mode == "native" else ()
    card = fill(prompt) if mode == "native" else cards.lean_card(kind, prompt, mode, tools)
    talk = conversation(view, name, card, call, told)
    if view.step > (view.max_turns or TURNS):
        return (yield from conclude(view, talk, rest, outcome="turn_limit"))
    read = yield from talk.put(view, call)
    action = yield from act(view.seat, read, BEFORE[kind])
    if isinstance(action, Final):
        return (yield from conclude(view, talk, rest, final=action.text))
    return action


def conversation(view: View, name: str, card: str, call: Call, told: tuple[Tool, ...] = ()) -> Conversation:
    """The conversation up to this step, from the record; `told` are tools that the model calls in its own form."""
    talk = Conversation(card, Budget.at(view).characters(), told)
    talk.hear(phrase("turn", "question", question=str(view.card["question"])))
    for turn in history.turns(view):
        if turn.policy == name:
            talk.say(turn.replies(call.prompt), call)
            talk.hear(turn.seen)
        elif split(name)[1] == "compact" and turn.tool is not None:  # it knows no words about what others did
            talk.say([action_object(turn.tool, turn.input)], call)
            talk.hear(turn.seen)
        else:
            hear_others(talk, turn)
    return talk


def hear_others(talk: Conversation, turn: history.Turn) -> None:
    """What somebody else did in this seat before the model took it, or between two of its turns."""
    if turn.tool is not None:
        talk.hear(phrase("turn", "done", action=action_object(turn.tool, turn.input)))
        talk.hear(turn.seen)
