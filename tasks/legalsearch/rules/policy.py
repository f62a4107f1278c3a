"""The policy `law-rules/1`: no model, no memory. Each move runs a solver from the start on the
recorded results.

It acts through `rag_retrieve` alone and answers from what came back: what the ablations of a run hide from the tool,
the policy does not know either. It reads questions with the same rules as the search (days, laws, numbers). Where the
tool is not offered it is sent nothing and answers from the words of the question.
"""

from __future__ import annotations

from collections.abc import Generator

from store.search.law_search import LawSearch, Settings
from tasks.episode.actions import Answer, CallTool, Move, emit
from tasks.episode.events import Planned, Thought, ToolReturned
from tasks.episode.seats import View
from tasks.legalsearch.rules.kinds import PLANS, solver
from tasks.legalsearch.rules.looking import Look, Query, Reply, looks

TOOL = "rag_retrieve"
NO_TOOL = "没有法条检索工具，只能依题目文字作答。"


class LawRulesPolicy:
    """Analysis by rules, exact dated look-up through the tool, option matching by retrieved text."""

    name = "law-rules/1"

    def __init__(
        self, search: LawSearch, settings: Settings, offered: tuple[str, ...], *, abstain: bool = True
    ) -> None:
        self._search = search
        self._abstain = abstain
        self._settings = settings
        self._has_tool = TOOL in offered

    def move(self, view: View) -> Move:
        """The next query, or the answer."""
        kind, question = str(view.card.get("type", "")), str(view.card.get("question", ""))
        returned = _returned(view)
        if view.step <= 1 and not returned:
            yield from emit(self._planned(view.seat, kind))
        may_ask = self._has_tool and (view.max_turns is None or view.step < view.max_turns)
        dated = self._settings.window == "on"
        work = solver(kind, question, self._search, dated=dated, abstain=self._abstain)
        step = _replay(work, returned, may_ask)
        yield from emit(Thought(seat=view.seat, text=step.why if self._has_tool else f"{NO_TOOL}{step.why}"))
        if isinstance(step, Query):
            return CallTool(TOOL, {"query": list(step.texts)})
        return Answer(step.answer, step.summary, abstained=step.abstained)

    def _planned(self, seat: str, kind: str) -> Planned:
        steps = PLANS.get(kind, PLANS[""])
        tools = (TOOL if self._has_tool else "", *[""] * (len(steps) - 1))
        return Planned(seat=seat, steps=steps, tools=tools)


def _returned(view: View) -> list[tuple[Look, ...]]:
    return [
        looks(record.event.value)
        for record in view.history
        if isinstance(record.event, ToolReturned) and record.event.tool == TOOL
    ]


def _replay(
    work: Generator[Query, tuple[Look, ...], Reply], returned: list[tuple[Look, ...]], may_ask: bool
) -> Query | Reply:
    """Runs a solver on the recorded results: what it asks next, or its reply. Without a turn left it is sent
    nothing."""
    waiting = iter(returned)
    try:
        query = next(work)
        while True:
            texts = tuple(text for text in query.texts if text.strip())
            result = next(waiting, None) if texts else ()
            if result is None and may_ask:
                work.close()
                return Query(texts, query.why)
            query = work.send(result or ())
    except StopIteration as stop:
        reply: Reply = stop.value
        return reply
