"""The episodes of a stored run as every form of export sees them, one at a time: memory does not grow with the run.

Only the last attempt of an episode counts, as everywhere. Gold is part of what is handed on: the run is over. Shares
are from 0 to 1, times in seconds.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from store.journal import EpisodeRow, Journal, ScoreRow
from tasks.benchmark import Question
from tasks.episode.events import ModelCalled, Record, Seated
from tasks.episode.scheduler import UNFINISHED
from tasks.episode.state import State, fold
from tasks.run.header import HeaderData
from tasks.run.listing import summing
from tasks.run.reading import human_steps, read_episode, rows_of
from tasks.run.rescoring import StoredRun
from tasks.scoring.result import HumanSteps, Result

Message = dict[str, object]
"""role, content; `tool_calls` that an assistant made, `tool_call_id` of the call whose result a message is."""


@dataclass(frozen=True, slots=True)
class LastAttempt:
    """The last attempt of an episode. scores: the newest row of each scorer; compat, strict: what sums it up; people:
    what people did in it."""

    row: EpisodeRow
    attempts: int
    state: State
    question: Question
    result: Result
    scores: Mapping[str, ScoreRow]
    compat: float | None
    strict: float | None
    people: HumanSteps

    @property
    def ended(self) -> bool:
        """Whether it is over."""
        return self.state.stopped is not None

    @property
    def outcome(self) -> str:
        """How it ended, or that it has not."""
        return self.state.stopped.outcome if self.state.stopped else UNFINISHED

    @property
    def asked(self) -> str:
        """The question as everybody may know it."""
        return str(self.question.card.get("question", ""))

    @property
    def gold(self) -> str:
        """What a right answer is, as text; of a case with several parts as JSON, '' where there is none."""
        gold = getattr(self.question, "gold", None)
        if isinstance(gold, Mapping):
            return json.dumps(gold, ensure_ascii=False, default=str)
        answer = getattr(gold, "answer", "")
        return answer if isinstance(answer, str) else ""


def played(run: StoredRun, journal: Journal) -> Iterator[LastAttempt]:
    """The episodes of a run in order, read one by one from its open journal."""
    summed = summing(run.header)
    questions = {question.id: question for question in run.questions}
    people = human_steps(journal)
    for row, attempts in journal.walk():
        state = fold(read_episode(journal, row.id))
        rows = rows_of(journal, run.bench, row, attempts[-1].id, questions[row.task_id])
        overall = summed(rows.values())
        both = (None, None) if overall is None else (overall.compat, overall.strict)
        result = run.bench.result(row.task_id, row.epoch, state)
        person = people.get(attempts[-1].id) or HumanSteps(row.id, {})
        yield LastAttempt(row, len(attempts), state, questions[row.task_id], result, rows, *both, person)


def tested(header: HeaderData) -> tuple[str, str]:
    """Agent and model that were tested; of an imported run what the name of its file says, '' where it says
    nothing."""
    spec, imported = header["spec"], header.get("imported") or {}
    agent, method = str(spec.get("agent", "")), imported.get("method", "")
    return f"{agent}/{method}" if method else agent, str(spec.get("model") or imported.get("model", ""))


@dataclass(frozen=True, slots=True)
class SeatCall:
    """A call of a seat: its record, and who sat there then ('' where nobody says)."""

    record: Record
    event: ModelCalled
    policy: str
    engine: str


def calls(records: Iterable[Record]) -> Iterator[SeatCall]:
    """The calls of an attempt in order."""
    sitting: dict[str, Seated] = {}
    for record in records:
        if isinstance(record.event, Seated):
            sitting[record.event.seat] = record.event
        elif isinstance(record.event, ModelCalled):
            sits = sitting.get(record.event.seat)
            yield SeatCall(record, record.event, sits.policy if sits else "", sits.engine if sits else "")


def prompt_of(journal: Journal, event: ModelCalled) -> list[Message]:
    """The messages that were read in a call, in the form that servers know."""
    carried = dict(event.carried)
    made = []
    for place, (role, name) in enumerate(event.messages):
        message: Message = {"role": role, "content": journal.text_of(name)}
        if place in carried:
            called, answers = json.loads(journal.text_of(carried[place]))
            message |= {"tool_calls": [tool_call(*one) for one in called]} if called else {}
            message |= {"tool_call_id": answers} if answers else {}
        made.append(message)
    return made


def reply_of(event: ModelCalled) -> Message:
    """What was answered, in the same form; reasoning apart from speech."""
    message: Message = {"role": "assistant", "content": event.text}
    message |= {"reasoning": event.reasoning} if event.reasoning else {}
    return message | ({"tool_calls": [tool_call(*one) for one in event.calls]} if event.calls else {})


def tool_call(name: str, arguments: str, call_id: str) -> dict[str, object]:
    """A call of a tool as servers write it: arguments are JSON text, as the model wrote them."""
    return {"id": call_id, "type": "function", "function": {"name": name, "arguments": arguments}}
