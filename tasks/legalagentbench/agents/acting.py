"""From a read reply to what the environment is told, and the calls that all methods share: the choice of tables
(paper §5, stages 1 and 2), plans, actions, the answer and its summary (stage 4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Generator, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from models.engine import Ask, Message, SamplingSettings
from store.schema import TABLES
from tasks.agents.budgets import ContextBudget
from tasks.agents.conversation import CallSpec, Conversation
from tasks.agents.modes import Mode
from tasks.agents.native import STOP
from tasks.agents.prompts import fill, phrase
from tasks.agents.reading import ParsedReply, structured
from tasks.episode.events import ActionParsed, Planned, Thought, ToolsChosen
from tasks.episode.seats import Answer, CallTool, Nothing, Sent, View, Yield, ask, emit
from tasks.legalagentbench.agents import cards, reading
from tasks.legalagentbench.parser import compat_input
from tasks.legalagentbench.schemas import FINAL, action_schema, answer_schema, plan_schema, tables_schema
from tasks.legalagentbench.tools import TOOLS, ToolSpec

REPLY = SamplingSettings(max_tokens=2048)
"""Lean calls: lengths are bounded by the schema, the rest is room for a model that reasons first."""
TEXT = SamplingSettings(max_tokens=2048, stop=("观察：", "\n观察"))
"""Free actions: a model that goes on to invent the observation is stopped there."""
NATIVE = SamplingSettings(max_tokens=2048, stop=STOP)
PAPER = SamplingSettings(max_tokens=2000)
"""Paper calls: temperature 0 and at most 2,000 tokens, as published for two of the models; no stop string."""


@dataclass(frozen=True, slots=True)
class Final:
    """The model wants to answer; `text` is what it gave as its final answer."""

    text: str


Act = CallTool | Nothing | Final


def action_call(
    prompt: str, mode: Mode, tools: tuple[ToolSpec, ...], before: dict[str, Any] | None = None
) -> CallSpec:
    """The call for an action; `before` are the schemas of what stands before it in a lean reply."""
    if mode == "native":
        return CallSpec(prompt, reading.native(cards.definitions(tools)), NATIVE, tries=2)
    if mode != "lean":
        return CallSpec(prompt, reading.action, TEXT)
    schema = action_schema(tools, before)
    return CallSpec(prompt, structured(schema, reading.action_loosely), REPLY, schema, tries=2)


def plan_call(prompt: str, mode: Mode) -> CallSpec:
    """The call for a plan."""
    if mode != "lean":
        return CallSpec(prompt, reading.plan, REPLY)
    schema = plan_schema()
    return CallSpec(prompt, structured(schema, reading.plan_loosely), REPLY, schema, tries=2)


def act(seat: str, read: ParsedReply, before: Collection[str] = ()) -> Generator[Yield, Sent, Act]:
    """Record how the reply was read, and what stands before the action (thought, plan); say what the action wants
    done."""
    value = read.value or {}
    if "thought" in before and value.get("thought"):
        yield from emit(Thought(seat=seat, text=value["thought"]))
    if "plan" in before and value.get("plan"):
        yield from emit(planned(seat, value["plan"]))
    yield from emit(ActionParsed(seat=seat, result=read.result, note=read.note))
    if not value:
        return Nothing()
    if value["action"] == FINAL:
        return Final(value["action_input"])
    return CallTool(value["action"], compat_input(value["action"], value["action_input"]))


def planned(seat: str, steps: Sequence[str]) -> Planned:
    """A plan with the tool that each step names, if it names one."""
    tools = tuple(next((name for name in _BY_LENGTH if name in step), "") for step in steps)
    return Planned(seat=seat, steps=tuple(steps), tools=tools)


_BY_LENGTH = sorted(TOOLS, key=len, reverse=True)
"""Longest first: get_court_info_list is not get_court_info."""


TABLE_FILTER = "table-filter/1"
FILTER_TRIES = 3
"""After so many replies that cannot be read all tables are taken, as upstream does."""
_TABLES_SCHEMA = tables_schema()


def tools_of_task(
    view: View, mode: Mode, added: Sequence[ToolSpec] = ()
) -> Generator[Yield, Sent, tuple[ToolSpec, ...]]:
    """The tools of this task: as chosen in an earlier step by whoever sat here, else chosen now; those `added` always
    are."""
    for record in reversed(view.history):
        if isinstance(record.event, ToolsChosen) and record.event.seat == view.seat:
            return cards.specs(record.event.tools, added)
    read = yield from (_filter_paper(view) if mode == "paper" else _filter_lean(view, mode))
    tables = cards.complete(read.value["tables"] if read.value else TABLES)
    tools = (*cards.tools_for(tables, mode), *(tool.name for tool in added))
    chosen = ToolsChosen(seat=view.seat, tables=tables, tools=tools, result=read.result, note=read.note)
    yield from emit(chosen)
    return cards.specs(tools, added)


def _filter_lean(view: View, mode: Mode) -> Generator[Yield, Sent, ParsedReply]:
    lean = mode == "lean"
    reader = structured(_TABLES_SCHEMA, reading.tables) if lean else reading.tables
    call = CallSpec(TABLE_FILTER, reader, REPLY, _TABLES_SCHEMA if lean else None, FILTER_TRIES)
    talk = Conversation(_filter_card(mode), ContextBudget.at(view).characters())
    talk.hear(phrase("turn", "question", question=str(view.card["question"])))
    return (yield from talk.put(view, call))


def _filter_paper(view: View) -> Generator[Yield, Sent, ParsedReply]:
    """The same single message up to three times, as published: at temperature 0 a model rarely thinks better of
    it."""
    question = phrase("turn", "question", question=str(view.card["question"]))
    message = Message("user", f"{_filter_card('paper')}\n\n{question}")
    read = ParsedReply("rejected")
    for attempt in range(FILTER_TRIES):
        reply = yield from ask(Ask(view.seat, (message,), TABLE_FILTER, settings=PAPER))
        read = reading.tables(reply.text)
        if read.result != "rejected":
            return (
                ParsedReply("repaired", read.value, f"第{attempt + 1}次可读") if attempt and not read.note else read
            )
    return read


def _filter_card(mode: Mode) -> str:
    return fill(
        TABLE_FILTER,
        tables=cards.tables_text(TABLES, described=True),
        form=phrase(mode, "table-filter"),
        examples=cards.shown("table-filter" if mode == "lean" else f"table-filter+{mode}"),
    )


ANSWER_SUMMARY = "answer-summary/1"
Outcome = Literal["finished", "turn_limit"]

DIGIT_COMMA = re.compile(r"(?<=[0-9]),(?=[0-9])")
"""Removed from both texts, as the published runs did before scoring."""
ANSWER_SCHEMA = answer_schema()
"""What a lean reply to the call for the answer has to satisfy."""


ANSWER = 800
"""Tokens of an answer with its summary, unless the task asks for a document."""


def answer_call(prompt: str, mode: Mode, long: bool) -> CallSpec:
    """The call for answer and summary in one; what a short answer leaves is for a model that reasons first."""
    settings = (
        SamplingSettings(max_tokens=4096) if long else SamplingSettings(max_tokens=ANSWER, reasoning=4096 - ANSWER)
    )
    if mode != "lean":
        return CallSpec(prompt, reading.answer, settings)
    return CallSpec(prompt, structured(ANSWER_SCHEMA, reading.answer_loosely), settings, ANSWER_SCHEMA, tries=2)


def answered(res: str, summary: str = "", outcome: Outcome = "finished") -> Answer:
    """The answer as it is scored: no comma between two digits."""
    return Answer(DIGIT_COMMA.sub("", res), DIGIT_COMMA.sub("", summary or res), outcome)


def conclude(
    view: View, talk: Conversation, mode: Mode, long: bool, *, final: str = "", outcome: Outcome = "finished"
) -> Generator[Yield, Sent, Answer]:
    """One more call in the conversation gives both texts. If it cannot be read, `final` stands. long: whether a
    document is due."""
    question = str(view.card["question"])
    talk.hear(fill(ANSWER_SUMMARY, form=phrase(mode, "answer-summary"), question=question))
    return (yield from concluded(view, talk, answer_call(ANSWER_SUMMARY, mode, long), final, outcome))


def concluded(
    view: View, talk: Conversation, call: CallSpec, final: str, outcome: Outcome
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
