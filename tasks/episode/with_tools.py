"""An episode of one tested seat with tools: a step is one move of its policy and what the called tool answers. How
much of an answer stands in a record, and how much of it a model is shown. Units: characters.

A record holds every observation whole, once. Prompts repeat it turn by turn, so there a very long one is shortened:
by this function alone, in the same way every time, so that a prompt still only grows at its end. The longest
observation of the published runs has 38,000 characters, one window of a web page in the published form 40,960:
neither is touched.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from tasks.episode.events import Answered, Record, Stopped, ToolCalled, ToolReturned
from tasks.episode.plain import plain, plain_text
from tasks.episode.seats import Answer, CallTool, Policy, Steps, View, emit
from tasks.episode.state import State

SEAT = "agent"

Caller = Callable[[State, str, object], Steps]
"""Carries out a tool call: yields `ToolCalled`, whatever Asks the tool puts to other seats, and `ToolReturned`."""


class ToolEpisode:
    """Asks the policy in the seat for a move and carries it out. `policy_named` gives the policy of a name
    ("rules/1")."""

    def __init__(self, policy_named: Callable[[str], Policy], caller: Caller, max_turns: int | None = None) -> None:
        self._policy_named = policy_named
        self._caller = caller
        self._max_turns = max_turns

    def step(self, state: State) -> Steps:
        """One move of the agent and what comes of it."""
        sits = state.seats[SEAT]
        policy = self._policy_named(sits.policy)
        stops = bool(sits.engine) and not sits.policy.endswith("+paper")
        view = View(SEAT, state.card, state.records, state.steps + 1, self._max_turns)
        match (yield from policy.move(view)):
            case CallTool(tool, arguments) if stops and _again(state.records, tool, plain(arguments)):
                reason = f"{tool} was called {SAME_CALLS} times in a row with the same input, and once more"
                yield from emit(Stopped(outcome="loop", reason=reason))
            case CallTool(tool, arguments):
                yield from self._caller(state, tool, arguments)
            case Answer(res, summary, outcome, abstained):
                said, more = plain_text(res), plain_text(summary or res)
                yield from emit(Answered(seat=SEAT, res=said, summary=more, abstained=abstained))
                reason = {
                    "finished": "answered",
                    "turn_limit": f"limit of {state.steps} turns reached",
                    "token_limit": "limit of tokens reached",
                }[outcome]
                yield from emit(Stopped(outcome=outcome, reason=reason))


SAME_CALLS = 3
"""Calls of a model in a row with the same input and the same result; one more ends the episode. The published loops
go on."""


def unused_or_same(records: Sequence[Record]) -> frozenset[str]:
    """Flags of an episode whose method has tools: `no_tool` where it answered without one call, `same_calls` where it
    made one more call than `SAME_CALLS` with the same input and the same result."""
    calls = [(one.event.tool, one.event.input) for one in records if isinstance(one.event, ToolCalled)]
    if not calls:
        return frozenset({"no_tool"} if any(isinstance(one.event, Answered) for one in records) else ())
    results = [one.event.observation for one in records if isinstance(one.event, ToolReturned)]
    made = list(zip(calls, results, strict=False))
    found = any(made[at : at + SAME_CALLS + 1] == [made[at]] * (SAME_CALLS + 1) for at in range(len(made)))
    return frozenset({"same_calls"} if found else ())


def _again(records: Sequence[Record], tool: str, arguments: object) -> bool:
    """Whether this call would repeat the last `SAME_CALLS` calls, which all had the same result."""
    calls = [(one.event.tool, one.event.input) for one in records if isinstance(one.event, ToolCalled)]
    results = [one.event.observation for one in records if isinstance(one.event, ToolReturned)]
    return calls[-SAME_CALLS:] == [(tool, arguments)] * SAME_CALLS and len(set(results[-SAME_CALLS:])) == 1


SHOWN = 50_000
"""Of an observation in a prompt."""
LARGEST = 5_000_000
"""Of an observation in a record: some 15 MB of Chinese. What is larger no seat is given at all."""
_ROOM = 60
"""Of a shortened text, for the mark."""
_MARK = "…【此处略去{left}字，全文共{whole}字】…"
_TOO_LARGE = "工具返回的内容有{whole}字，超过{most}字的上限，未予返回。请缩小查询的范围。"


def shortened(observation: str, most: int = SHOWN) -> str:
    """The observation as it enters a prompt: head and tail, cut at line ends where there are any, with a mark between
    them."""
    if len(observation) <= most:
        return observation
    end = most // 4
    begin = most - end - _ROOM
    head, tail = observation[:begin], observation[-end:]
    head = head[: head.rfind("\n", begin // 2) + 1] or head
    tail = tail[tail.find("\n", 0, end // 2) + 1 :]
    left = len(observation) - len(head) - len(tail)
    return f"{head}{_MARK.format(left=left, whole=len(observation))}{tail}"


@dataclass(frozen=True, slots=True)
class ToolResult:
    """What a tool answers: the text a model reads, the same as data."""

    status: str
    observation: str
    value: Any = None
    provenance: tuple[str, ...] = ()


def returned(
    state: State,
    tool: str,
    started: float,
    status: str,
    observation: str,
    value: object,
    provenance: tuple[str, ...],
    **more: object,
) -> ToolReturned:
    """What is recorded of a call that began at `started` (of `time.perf_counter`): all of it, unless it is beyond
    measure.

    A very long text that somebody in the seat is given again is recorded as a prompt shows it: a model that calls the
    same tool in every turn makes the record no longer, and reads the same as before.
    """
    took = round((time.perf_counter() - started) * 1000, 3)
    if len(observation) > LARGEST:
        refused = _TOO_LARGE.format(whole=len(observation), most=LARGEST)
        return ToolReturned(seat=SEAT, tool=tool, status="call_error", observation=refused, milliseconds=took)
    text = plain_text(observation)
    if len(text) > SHOWN and _given_before(state, tool, text):
        text, value = shortened(text), None
    return ToolReturned(
        seat=SEAT, tool=tool, status=status, observation=text, value=plain(value),
        provenance=provenance, milliseconds=took, **more,
    )  # fmt: skip


def _given_before(state: State, tool: str, text: str) -> bool:
    """Whether the record holds this text of this tool. Policies without an engine work on the values, so they get
    each."""
    sits = state.seats.get(SEAT)
    events = (record.event for record in state.records)
    return bool(sits and sits.engine) and any(
        isinstance(event, ToolReturned) and event.tool == tool and event.observation == text for event in events
    )
