"""The filter stage: one call with all 14 tables; the answer decides which tools the task gets (paper §5, stage 1 and
2)."""

from __future__ import annotations

from collections.abc import Generator, Sequence

from models.engine import Ask, Message
from store.schema import TABLES
from tasks.agents.budgets import Budget
from tasks.agents.conversation import Call, Conversation
from tasks.agents.modes import Mode
from tasks.agents.phrases import phrase
from tasks.agents.prompts import fill
from tasks.episode.actions import Sent, Yield, ask, emit
from tasks.episode.events import ToolsChosen
from tasks.episode.seats import View
from tasks.legalagentbench.agents import cards, examples, reading
from tasks.legalagentbench.agents.acting import PAPER, REPLY
from tasks.legalagentbench.agents.reading import Read
from tasks.legalagentbench.schemas import tables_schema
from tasks.legalagentbench.tools import ToolSpec

PROMPT = "table-filter/1"
TRIES = 3
"""After so many replies that cannot be read all tables are taken, as upstream does."""
_SCHEMA = tables_schema()


def tools_of_task(
    view: View, mode: Mode, added: Sequence[ToolSpec] = ()
) -> Generator[Yield, Sent, tuple[ToolSpec, ...]]:
    """The tools of this task: as chosen in an earlier step by whoever sat here, else chosen now; those `added` always
    are."""
    for record in reversed(view.history):
        if isinstance(record.event, ToolsChosen) and record.event.seat == view.seat:
            return cards.specs(record.event.tools, added)
    read = yield from (_paper(view) if mode == "paper" else _conversation(view, mode))
    tables = cards.complete(read.value["tables"] if read.value else TABLES)
    tools = (*cards.tools_for(tables, mode), *(tool.name for tool in added))
    chosen = ToolsChosen(seat=view.seat, tables=tables, tools=tools, result=read.result, note=read.note)
    yield from emit(chosen)
    return cards.specs(tools, added)


def _conversation(view: View, mode: Mode) -> Generator[Yield, Sent, Read]:
    lean = mode == "lean"
    reader = reading.structured(_SCHEMA, reading.tables) if lean else reading.tables
    call = Call(PROMPT, reader, REPLY, _SCHEMA if lean else None, TRIES)
    talk = Conversation(_card(mode), Budget.at(view).characters())
    talk.hear(phrase("turn", "question", question=str(view.card["question"])))
    return (yield from talk.put(view, call))


def _paper(view: View) -> Generator[Yield, Sent, Read]:
    """The same single message up to three times, as published: at temperature 0 a model rarely thinks better of
    it."""
    question = phrase("turn", "question", question=str(view.card["question"]))
    message = Message("user", f"{_card('paper')}\n\n{question}")
    read = Read("rejected")
    for attempt in range(TRIES):
        reply = yield from ask(Ask(view.seat, (message,), PROMPT, settings=PAPER))
        read = reading.tables(reply.text)
        if read.result != "rejected":
            return Read("repaired", read.value, f"第{attempt + 1}次可读") if attempt and not read.note else read
    return read


def _card(mode: Mode) -> str:
    return fill(
        PROMPT,
        tables=cards.tables_text(TABLES, described=True),
        form=phrase(mode, "table-filter"),
        examples=examples.shown("table-filter" if mode == "lean" else f"table-filter+{mode}"),
    )
