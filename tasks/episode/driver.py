"""Drives one episode through its steps: sends generators what they wait for and turns what they yield into records.

A step that was cut short is run again and fed its own recorded events and replies, each compared with what the step
now yields; a difference stops with one clear line. Units: milliseconds of machine time.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from hashlib import sha256
from json import dumps

from models.engine import Ask, EngineError, Reply, TokenChance, ToolCall, Usage, recorded_settings, tools_data
from models.sampling import sampled
from store.errors import DamagedData
from store.journal import text_hash
from tasks.episode.events import EngineFailed, Event, LimitHit, ModelCalled, Record, Seated, StepEnded, Stopped
from tasks.episode.plain import plain, plain_text
from tasks.episode.seats import CausedEvent, Program, Sent, Steps
from tasks.episode.state import State, apply, completed, fold
from tasks.errors import RecordMismatch, TaskError

TRIES = 3
"""How often a call is tried before the episode ends as an infrastructure error."""
OUTCOMES: Mapping[str, str] = {"turns": "turn_limit", "tokens": "token_limit", "seconds": "time_limit"}
"""Kind of limit -> how an episode ends at it."""
INFRASTRUCTURE = "engine failed"
"""How the reason of such an end begins; `resume` takes such an episode up again before the turn that failed."""


@dataclass(frozen=True, slots=True)
class Limits:
    """Limits of an episode; None means no limit. Seconds are machine time, and reach a call in flight."""

    turns: int | None = None
    tokens: int | None = None
    seconds: float | None = None


@dataclass
class Driver:
    """One episode in motion.

    `fresh` holds records that are not yet on disk, `texts` the texts they refer to by hash. `ask` is the open
    question.
    """

    episode: str
    attempt: int
    program: Program
    clock: Callable[[], float]
    stopwatch: Callable[[], float]
    limits: Limits = field(default_factory=Limits)
    state: State = field(default_factory=State)
    fresh: list[Record] = field(default_factory=list)
    texts: dict[str, str] = field(default_factory=dict)
    ask: Ask | None = None
    recorded: list[Record] = field(default_factory=list)
    """Records of the unfinished step, still to be met again; first one first."""
    _steps: Steps | None = None
    _elapsed: float = 0.0
    _tries: int = 0
    _pending: Reply | None = None

    def load(self, records: list[Record]) -> None:
        """Take up an episode from its record: completed steps are folded, the rest is replayed by the next step."""
        done = completed(records)
        self.state = fold(done)
        self.recorded = records[len(done) :]

    @property
    def stopped(self) -> bool:
        """Whether the episode is over."""
        return self.state.stopped is not None

    @property
    def in_step(self) -> bool:
        """Whether a step has begun and not ended."""
        return self._steps is not None

    @property
    def step_number(self) -> int:
        """Number of the step that is being made or comes next, from 1."""
        return self.state.steps + 1

    def note(self, event: Event, parent: int | None = None, *, step: int | None = None) -> int:
        """Make an event a record, or meet its recorded twin; returns its sequence number."""
        number = self.step_number if step is None else step
        seq = len(self.state.records)
        if self.recorded:
            twin = self.recorded.pop(0)
            if (twin.event.tag, twin.event.essence(), twin.parent) != (event.tag, event.essence(), parent):
                raise RecordMismatch(
                    f"episode {self.episode}, step {number}: the record holds {twin.event.tag}, "
                    f"this step now yields {_difference(twin.event, event)}",
                    "Start a new attempt with `moot resume --new-attempt`, or use the files of the record.",
                )
            record = twin
        else:
            record = Record(seq, number, parent, self.clock(), event)
            self.fresh.append(record)
        self.state = apply(self.state, record)
        return seq

    def advance(self) -> None:
        """Go on until the step asks a question (`ask` is set) or ends."""
        if self._pending is not None:
            return self.resume()
        if self._steps is None:
            self._steps = self.program.step(self.state)
            self._elapsed = 0.0
        self._run(None)

    def reply(self, reply: Reply | EngineError, *, human: bool = False, elapsed: float = 0.0) -> None:
        """Record the answer to the open question; call `resume` once it is on disk."""
        ask = self.ask
        assert ask is not None
        call = self.state.calls + 1
        self._elapsed += elapsed
        if isinstance(reply, EngineError):
            self._tries += 1
            self.ask = replace(ask, attempt=self._tries + 1, seconds=self._seconds_left())
            self.note(
                EngineFailed(seat=ask.seat, call=call, attempt=self._tries, message=plain_text(str(reply))),
                ask.parent,
            )
            if self._tries >= TRIES:
                self._cut_short(_failed(plain_text(str(reply))))
            return
        reply = replace(
            reply,
            text=plain_text(reply.text),
            reasoning=plain_text(reply.reasoning),
            note=plain_text(reply.note),
            calls=tuple(ToolCall(*map(plain_text, (c.name, c.arguments, c.id))) for c in reply.calls),
        )
        self._tries = 0
        self.note(_called(ask, call, reply, human), ask.parent)
        kept = [m.content for m in ask.messages] + [text for _, text in _carried(ask)]
        kept += [_json(ask.schema)] if ask.schema is not None else []
        kept += [_json(tools_data(ask.tools))] if ask.tools else []
        self.texts.update((text_hash(text), text) for text in kept)
        if reply.finish == "context_full":
            self._cut_short(_full(reply.note))
            return
        if reply.finish == "time_limit":
            self._out_of_time()
            return
        self.ask = None
        self._pending = reply

    def resume(self) -> None:
        """Hand the recorded reply to the step and go on until it asks again or ends."""
        if not self.stopped and self.ask is None and self._pending is not None:
            reply, self._pending = self._pending, None
            self._run(reply)

    def withdraw(self) -> None:
        """Take back an open question together with its unfinished step, none of which has been committed."""
        if any(record.step == self.step_number for record in self.state.records[: -len(self.fresh) or None]):
            raise TaskError("this step already holds a reply", "Let the step finish first.")
        number = self.step_number
        self.load([record for record in self.state.records if record.step < number])
        self.fresh = [record for record in self.fresh if record.step < number]
        self.texts.clear()
        self._steps = None
        self.ask = None

    def seat(self, seated: Seated) -> None:
        """Put somebody else in a seat, between two steps."""
        if self.in_step:
            raise TaskError("a seat can only change hands between two turns", "Let the step finish first.")
        self.note(seated, step=self.state.steps)

    def stop(self, stopped: Stopped) -> None:
        """End the episode between two steps."""
        self._steps = None
        self.ask = None
        self.recorded.clear()
        self.note(stopped, step=self.state.steps)

    def _run(self, sent: Sent) -> None:
        steps = self._steps
        assert steps is not None
        started = self.stopwatch()
        try:
            while True:
                item = steps.send(sent)
                if isinstance(item, Ask):
                    seed = call_seed(self.state.seed, self.episode, item.seat, self.state.calls + 1)
                    sits = self.state.seats.get(item.seat)
                    question = replace(
                        sampled(item, sits.engine if sits else "").seeded(seed),
                        episode=self.episode,
                        step=self.step_number,
                        turns=self._turns(item.seat),
                    )
                    recorded = self._recorded_reply(question)
                    if isinstance(recorded, Stopped):
                        return self._cut_short(recorded)
                    if recorded is None:
                        self.ask = replace(question, attempt=self._tries + 1, seconds=self._seconds_left())
                        return
                    if recorded.finish == "time_limit":
                        return self._out_of_time()
                    sent = recorded
                elif isinstance(item, CausedEvent):
                    sent = self.note(item.event, item.parent)
                else:
                    sent = self.note(item)
        except StopIteration:
            self._elapsed += (self.stopwatch() - started) * 1000
            started = self.stopwatch()
            self._end_step()
            self._check_limits()
        except (TaskError, DamagedData):  # what it would answer from damaged bytes is nobody's answer
            self._steps = None
            raise
        except Exception as error:  # a defect of a policy or tool ends its episode, never the run
            self.note(Stopped(outcome="error", reason=plain_text(f"{type(error).__name__}: {error}")))
            self._steps = None
        finally:
            self._elapsed += (self.stopwatch() - started) * 1000

    def _cut_short(self, stopped: Stopped) -> None:
        """End the episode inside its step: no policy can go on without the reply."""
        self._end_step()
        self.note(stopped, step=self.state.steps)
        self.ask = None

    def _out_of_time(self) -> None:
        """End the episode inside its step: its time was up before the reply was whole."""
        self._end_step()
        self._hit("seconds", self.state.milliseconds / 1000)
        self.ask = None

    def _seconds_left(self) -> float | None:
        """What the limit leaves for a call; the time of this step so far is not in the state yet."""
        if self.limits.seconds is None:
            return None
        return max(0.0, self.limits.seconds - (self.state.milliseconds + self._elapsed) / 1000)

    def _turns(self, seat: str) -> tuple[tuple[str, tuple[int, ...]], ...]:
        called = (record.event for record in self.state.records if isinstance(record.event, ModelCalled))
        return tuple((event.text, event.tokens) for event in called if event.seat == seat and event.tokens)

    def _end_step(self) -> None:
        self._steps = None
        self._tries = 0
        if self.state.stopped is None or self.state.records[-1].step == self.step_number:
            self.note(StepEnded(milliseconds=round(self._elapsed, 3)))

    def _check_limits(self) -> None:
        if self.stopped:
            return
        used = {"turns": self.state.steps, "tokens": self.state.tokens, "seconds": self.state.milliseconds / 1000}
        for kind in OUTCOMES:
            limit = getattr(self.limits, kind)
            if limit is not None and used[kind] >= limit:
                return self._hit(kind, used[kind])

    def _hit(self, kind: str, used: float) -> None:
        """End the episode at a limit. What a record says of the limit stands: who only compares has none of his
        own."""
        twin = self.recorded[0].event if self.recorded else None
        limit = twin.limit if isinstance(twin, LimitHit) else getattr(self.limits, kind) or 0.0
        step = self.state.steps
        self.note(LimitHit.model_validate({"kind": kind, "limit": limit, "used": used}), step=step)
        reason = f"limit of {limit:g} {kind} reached"
        self.note(Stopped.model_validate({"outcome": OUTCOMES[kind], "reason": reason}), step=step)

    def _recorded_reply(self, ask: Ask) -> Reply | Stopped | None:
        """The recorded answer to this question, if the step was cut short after it; or how the step ended without
        one."""
        while self.recorded and isinstance(self.recorded[0].event, EngineFailed):
            failed = self.recorded[0].event
            self._tries = failed.attempt
            self.note(failed, self.recorded[0].parent)
            if self._tries >= TRIES and self.recorded:
                return _failed(failed.message)
        if not self.recorded:
            return None
        called = self.recorded[0].event
        if not isinstance(called, ModelCalled) or called.asked != ask.digest():
            before = called.prompt if isinstance(called, ModelCalled) else called.tag
            raise RecordMismatch(
                f"episode {self.episode}, step {self.step_number}: prompt differs, {before} → {ask.prompt}",
                "Start a new attempt with `moot resume --new-attempt`, or restore the prompt of the record.",
            )
        self._tries = 0
        self.note(called, self.recorded[0].parent)
        return _full(called.note) if called.finish == "context_full" else reply_of(called)


def _failed(message: str) -> Stopped:
    return Stopped(outcome="error", reason=f"{INFRASTRUCTURE}, {TRIES} times: {message}")


def _full(note: str) -> Stopped:
    return Stopped(outcome="context_full", reason=note or "the context of the model is full")


def call_seed(run_seed: int, episode: str, seat: str, call: int) -> int:
    """The sampling seed of one call: the same alone or in a batch, in a first run or after a resume."""
    return int.from_bytes(sha256(f"{run_seed}/{episode}/{seat}/{call}".encode()).digest()[:4]) & 0x7FFFFFFF


def reply_of(called: ModelCalled) -> Reply:
    """The recorded reply of a call."""
    return Reply(
        called.text,
        Usage(called.evaluated, called.reused, called.generated, called.milliseconds, reasoned=called.reasoned),
        called.finish,  # type: ignore[arg-type]
        called.reasoning,
        called.tokens,
        tuple(TokenChance(*row) for row in called.logprobs),
        called.note,
        called.entropies,
        tuple(ToolCall(*call) for call in called.calls),
    )


def _json(data: object) -> str:
    return dumps(data, ensure_ascii=False)


def _carried(ask: Ask) -> list[tuple[int, str]]:
    """Place and text of what messages hold beside their content."""
    return [(at, _json(found)) for at, message in enumerate(ask.messages) if (found := message.carried())]


def _called(ask: Ask, call: int, reply: Reply, human: bool) -> ModelCalled:
    return ModelCalled(
        seat=ask.seat,
        call=call,
        prompt=ask.prompt,
        asked=ask.digest(),
        messages=tuple((message.role, text_hash(message.content)) for message in ask.messages),
        settings=plain(recorded_settings(ask.settings)),
        text=reply.text,
        finish=reply.finish,
        human=human,
        evaluated=reply.usage.evaluated,
        reused=reply.usage.reused,
        generated=reply.usage.generated,
        milliseconds=reply.usage.milliseconds,
        reasoning=reply.reasoning,
        tokens=reply.tokens,
        logprobs=tuple(
            (plain_text(c.text), c.logprob, tuple((plain_text(t), p) for t, p in c.top)) for c in reply.logprobs
        ),
        note=reply.note,
        schema_name=text_hash(_json(ask.schema)) if ask.schema is not None else "",
        origin=reply.usage.origin,
        batch=reply.usage.batch,
        entropies=reply.entropies,
        tools_name=text_hash(_json(tools_data(ask.tools))) if ask.tools else "",
        calls=tuple((call.name, call.arguments, call.id) for call in reply.calls),
        carried=tuple((at, text_hash(text)) for at, text in _carried(ask)),
        reasoned=reply.usage.reasoned,
    )


def _difference(old: Event, new: Event) -> str:
    if old.tag != new.tag:
        return new.tag
    before, after = old.essence(), new.essence()
    fields = [name for name in after if before.get(name) != after.get(name)]
    return f"another {', '.join(fields) or 'parent'} of {new.tag}"
