"""Everything that happens in an episode: frozen, tagged facts. Times are in milliseconds and no part of a digest.

An episode is a stream of these; its state is a fold of them. `decode` turns journal rows back into events.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, ValidationError

from store.journal import Entry


class Event(BaseModel):
    """One fact of an episode. Subclasses set `tag`, the name under which the journal keeps them for ever."""

    model_config = ConfigDict(frozen=True, extra="forbid")
    tag: ClassVar[str]
    timing: ClassVar[frozenset[str]] = frozenset()
    """Fields that depend on the clock or the machine: left out of `digest(episode)`."""

    def data(self) -> dict[str, Any]:
        """The event as JSON-ready data, without its tag."""
        return self.model_dump(mode="json")

    def essence(self) -> dict[str, object]:
        """The event as data without times: what two runs of the same episode must agree on."""
        return self.model_dump(mode="json", exclude=set(self.timing))


@dataclass(frozen=True, slots=True)
class Record:
    """An event in its place.

    seq: position in the attempt, from 0, without gaps. step: number of the step it belongs to (0 = setting up).
    parent: seq of the event that caused it, or None. at: seconds since the epoch.
    """

    seq: int
    step: int
    parent: int | None
    at: float
    event: Event


class AttemptStarted(Event):
    """An attempt at an episode begins. Earlier attempts stay in the journal.

    `card` is what everybody may know of the task; gold is never part of it.
    """

    tag: ClassVar[str] = "attempt_started"
    benchmark: str
    task_id: str
    attempt: int
    seed: int
    card: dict[str, Any]


class Seated(Event):
    """Who sits where. A later `Seated` for the same seat replaces the earlier one.

    `policy` is the policy's name and version ("rules/1"), `engine` the SPEC behind it or ''.

    `described` is the hash of what the engine of a newcomer says of itself; engines that sit from the beginning are
    described in the header of the run.

    `context` and `density` are the room of the engine, in tokens and tokens a character (0: not known): what a prompt
    may hold follows from them, so a replay gets the same prompts.
    """

    tag: ClassVar[str] = "seated"
    seat: str
    policy: str
    engine: str = ""
    described: str = ""
    context: int = 0
    density: float = 0.0


class Thought(Event):
    """What a policy was thinking when it chose its move.

    Visible reasoning, in the words of the seat.
    """

    tag: ClassVar[str] = "thought"
    seat: str
    text: str


class Planned(Event):
    """A plan: what the seat means to do, step by step.

    `steps` in order; `tools` names the tool of each step ('' for none) so that a screen can show hops.
    """

    tag: ClassVar[str] = "planned"
    seat: str
    steps: tuple[str, ...]
    tools: tuple[str, ...] = ()


class ToolsChosen(Event):
    """The filter stage: which tables a seat thinks it needs, and the tools that come with them.

    `tables` with those that are always added, `tools` in the order offered.

    `result` says how the choice was read: as written, after repair or a second try, or not at all (then all tables
    are there); `note` names the repair or the reason.
    """

    tag: ClassVar[str] = "tools_chosen"
    seat: str
    tables: tuple[str, ...]
    tools: tuple[str, ...]
    result: Literal["ok", "repaired", "rejected"] = "ok"
    note: str = ""


class ModelCalled(Event):
    """A model call: the only thing in an episode that cannot be computed again, so it is committed at once.

    `messages` are (role, hash of the content); the journal keeps each content once.

    `asked` is the digest of the Ask (messages, schema, settings), `call` the number of the call in the episode.
    `text` is speech, `reasoning` what the model thought before it; `tokens` the ids of both as the engine generated
    them. `logprobs` holds a row a token: text, log-probability, [[text, log-probability], ...]. `schema_name` is the
    hash of the JSON schema (its text is kept once), '' for free text. `entropies` are in nats, one for each of
    `tokens`, exact: over the whole vocabulary, of the logits before any sampling setting or grammar. `origin` says
    where reused memory came from, `batch` how many calls were decoded together. `reasoned` of the generated tokens
    were reasoning, 0 where the engine does not say.

    `tools_name` is the hash of the tools that were told, `calls` are (name, arguments, id) of those that were called.
    `carried` is (place of a message, hash of its calls or of what it answers), for messages that hold some.
    """

    tag: ClassVar[str] = "model_called"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds", "evaluated", "reused", "origin", "batch"})
    seat: str
    call: int
    prompt: str
    asked: str
    messages: tuple[tuple[str, str], ...]
    settings: dict[str, Any]
    text: str
    finish: str
    human: bool = False
    evaluated: int = 0
    reused: int = 0
    generated: int = 0
    milliseconds: float = 0.0
    reasoning: str = ""
    tokens: tuple[int, ...] = ()
    logprobs: tuple[tuple[str, float, tuple[tuple[str, float], ...]], ...] = ()
    note: str = ""
    schema_name: str = ""
    origin: str = ""
    batch: int = 1
    entropies: tuple[float, ...] = ()
    tools_name: str = ""
    calls: tuple[tuple[str, str, str], ...] = ()
    carried: tuple[tuple[int, str], ...] = ()
    reasoned: int = 0

    @property
    def texts(self) -> tuple[str, ...]:
        """The hashes of all texts that the journal keeps for this call."""
        named = (*(name for _, name in self.messages), *(name for _, name in self.carried), self.schema_name)
        return tuple(dict.fromkeys(filter(None, (*named, self.tools_name))))


class EngineFailed(Event):
    """An engine failed to answer: an infrastructure error, never counted against the model.

    `attempt` counts the tries of one call from 1.
    """

    tag: ClassVar[str] = "engine_failed"
    seat: str
    call: int
    attempt: int
    message: str


class ActionParsed(Event):
    """How the text of a model became an action (or, where the note says so, a plan or an answer): as written,
    repaired, not at all.

    `note` names the repair or the reason of the rejection.
    """

    tag: ClassVar[str] = "action_parsed"
    seat: str
    result: Literal["ok", "repaired", "rejected"]
    note: str = ""


class ToolCalled(Event):
    """A tool is called, with the input as the tool gets it.

    `input` is JSON data: usually an object, whatever the caller gave.
    """

    tag: ClassVar[str] = "tool_called"
    seat: str
    tool: str
    input: Any = None


class ToolReturned(Event):
    """A tool answered. Its parent is the `ToolCalled`.

    `observation` is the whole text that came back, `value` the same as data (None after an error). A model is shown a
    very long text shortened, as `tasks.episode.with_tools` says; where it is given the same one again, that is what
    stands here too.

    `status` is one of ok, no_data, bad_column, call_error, math_error, outside_pack. `unknown` counts cells that the
    pack does not hold, `provenance` the classes of the rows shown ("authored" means fictional data).
    """

    tag: ClassVar[str] = "tool_returned"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds"})
    seat: str
    tool: str
    status: str
    observation: str
    value: Any = None
    complete: bool = True
    unknown: int = 0
    provenance: tuple[str, ...] = ()
    milliseconds: float = 0.0


Fault = Literal["echo", "recital", "repeat", "speaks_for", ""]
FAULTS: tuple[Fault, ...] = ("echo", "recital", "repeat", "speaks_for")
"""Why speech says nothing of its own, '' where it does: see `tasks.agents.degenerate`."""


class Said(Event):
    """Something said aloud by a seat.

    `to`: the roles addressed, () for all. `turn`: number of the exchange it belongs to, 0 before the first.

    `stage`: the stage that the speaker declared, '' where nothing was declared. `unfinished`: a limit of tokens ended
    it. `fault`: why it says nothing of its own, '' where it does.
    """

    tag: ClassVar[str] = "said"
    seat: str
    text: str
    to: tuple[str, ...] = ()
    turn: int = 0
    stage: str = ""
    unfinished: bool = False
    fault: Fault = ""


class Routed(Event):
    """Whom an utterance of the tested seat reaches, where that had to be decided: the controller's word, not the
    speaker's.

    `how`: by a field of the reply, a marker, the words of the text, or not at all. `dropped`: roles addressed in
    vain.
    """

    tag: ClassVar[str] = "routed"
    seat: str
    to: tuple[str, ...] = ()
    how: Literal["field", "marker", "words", ""] = ""
    dropped: tuple[str, ...] = ()


class TopicTracked(Event):
    """What the tracker read in a reply: which topic it answers and what it says on it.

    `pointer`: the topic that was asked; `quote`: words of the reply that say it; `made_by`: rules or model.
    """

    tag: ClassVar[str] = "topic_tracked"
    seat: str
    pointer: str
    topic: str | None = None
    answered: bool = False
    verdict: Literal["yes", "no", "depends", "unclear", "none"] = "none"
    quote: str = ""
    made_by: Literal["rules", "model"] = "rules"


class StageEntered(Event):
    """A trial enters a stage.

    `stage` is the id of the table, `name` what courts call it.
    """

    tag: ClassVar[str] = "stage_entered"
    stage: str
    name: str


class ActDone(Event):
    """A duty of the court is done: said in its place, to the right side, and answered where an answer is owed.

    `key`: act/exhibit/side of the table; `name`: what courts call it; `turn`: the judge's turn; `basis`: articles.
    """

    tag: ClassVar[str] = "act_done"
    key: str
    name: str
    turn: int
    side: str = ""
    exhibit: str = ""
    basis: tuple[str, ...] = ()


class Violation(Event):
    """A fault in the procedure of a trial.

    `code` as in the findings of the procedure, `turn` the judge's turn or None where it shows only at the end;
    `clear`: False where only the turn as a whole shows it.
    """

    tag: ClassVar[str] = "violation"
    code: str
    turn: int | None = None
    act: str = ""
    side: str = ""
    detail: str = ""
    clear: bool = True


class ExhibitMoved(Event):
    """An exhibit goes a step on its way: 已出示, 已质证, 采信, 部分采信 or 不采信.

    `state` as courts say it; `reason`: what was said for it.
    """

    tag: ClassVar[str] = "exhibit_moved"
    exhibit: str
    title: str
    state: str
    reason: str = ""


class Leaked(Event):
    """A seat said what it does not hold and nobody had said before: the case is flagged.

    `field`: path of the case file that the words stand in; `text`: the words.
    """

    tag: ClassVar[str] = "leaked"
    seat: str
    field: str
    text: str


class Answered(Event):
    """The answer of the seat under test.

    `res` is the answer; `summary` the answer with every detail (LegalAgentBench scores them apart). `abstained`: it
    says why there is no answer, and gives none.
    """

    tag: ClassVar[str] = "answered"
    seat: str
    res: str
    summary: str
    abstained: bool = False


class LimitHit(Event):
    """A limit was reached. It is a fact of the record and never evaluated again.

    `limit` and `used` in the unit of `kind`: turns, tokens, or seconds of machine time (a human's time excluded).
    """

    tag: ClassVar[str] = "limit_hit"
    timing: ClassVar[frozenset[str]] = frozenset({"used"})
    kind: Literal["turns", "tokens", "seconds"]
    limit: float
    used: float


class StepEnded(Event):
    """A step is complete: one move of a policy and what came of it. Resume and fork start after one of these.

    `milliseconds` is machine time; waiting for a human is not counted.
    """

    tag: ClassVar[str] = "step_ended"
    timing: ClassVar[frozenset[str]] = frozenset({"milliseconds"})
    milliseconds: float = 0.0


Outcome = Literal[
    "finished", "turn_limit", "token_limit", "time_limit", "context_full", "loop", "stalled", "error", "cancelled"
]
OUTCOMES: tuple[Outcome, ...] = (
    "finished", "turn_limit", "token_limit", "time_limit", "context_full", "loop", "stalled", "error", "cancelled",
)  # fmt: skip


class Stopped(Event):
    """The episode is over.

    `reason` is one sentence for a person.
    """

    tag: ClassVar[str] = "stopped"
    outcome: Outcome
    reason: str = ""


class TokensReported(Event):
    """Tokens of a task as whoever ran it counted them: an imported run has no model calls to count.

    `prompt` and `generated` in the provider's tokens.
    """

    tag: ClassVar[str] = "tokens_reported"
    seat: str
    prompt: int
    generated: int


class Unknown(Event):
    """An event that this release does not know: shown as it is, never a crash.

    `name` is the tag found in the journal, `content` its data.
    """

    tag: ClassVar[str] = "unknown"
    name: str
    content: Any = None


EVENTS: dict[str, type[Event]] = {
    kind.tag: kind
    for kind in (
        AttemptStarted, Seated, Thought, Planned, ModelCalled, EngineFailed, ActionParsed, ToolCalled, ToolReturned,
        Said, Answered, LimitHit, StepEnded, Stopped, TokensReported, ToolsChosen, Routed, TopicTracked, StageEntered,
        ActDone, Violation, ExhibitMoved, Leaked,
        Unknown,
    )
}  # fmt: skip


def encode(event: Event) -> tuple[str, dict[str, Any]]:
    """Tag and data for the journal; an `Unknown` keeps the tag it came with."""
    if isinstance(event, Unknown):
        return event.name, event.content
    return event.tag, event.data()


def decode(tag: str, data: Any) -> Event:
    """The event of a journal row; a tag or shape of another release becomes `Unknown`."""
    kind = EVENTS.get(tag)
    if kind is None or kind is Unknown:
        return Unknown(name=tag, content=data)
    try:
        return kind.model_validate(data)
    except ValidationError:
        return Unknown(name=tag, content=data)


def record_of(entry: Entry) -> Record:
    """The record of a journal row; an event of another release becomes `Unknown`."""
    return Record(entry.seq, entry.step, entry.parent, entry.at, decode(entry.tag, entry.data))


def entry_of(attempt: int, record: Record) -> Entry:
    """The journal row of a record."""
    tag, data = encode(record.event)
    return Entry(attempt, record.seq, record.step, record.parent, record.at, tag, data)
