"""A chat for trying out a model: one thread owns the engine, the desk sends it questions and gets messages.

What streams is no message: the thread keeps the newest state of the open turn in `turn`, and the desk looks at it
when it has time, as long as a call is in flight. Nothing of a trial is stored. Times in milliseconds, tokens the
engine's own.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from itertools import count
from typing import Any

from textual.message import Message as Notice

from app.desk.engines_offered import FAULTS
from app.desk.episode.open import OpenTurn
from models.engine import Ask, Delta, Engine, EngineError, Message, Reply, Settings, Usage
from tasks.run.engines import open_engine

EPISODE, SEAT, PROMPT = "trial", "model", "trial/1"
LONGEST = 2048
"""Tokens of one answer."""
TEMPERATURE, TOP_P = 0.7, 0.95
HURRY = 2.0
"""Seconds that a call may take to hear that the chat was left, before its engine is ended under it."""
clock = time.monotonic
_numbers = count(1)


class TrialNotice(Notice, bubble=False):
    """Something the thread of a trial tells."""

    def __init__(self, trial: int) -> None:
        super().__init__()
        self.trial = trial


class Ready(TrialNotice):
    """The model is loaded; what the engine knows of it."""

    def __init__(self, trial: int, facts: Mapping[str, Any]) -> None:
        super().__init__(trial)
        self.facts = dict(facts)


class Answered(TrialNotice):
    """A reply came, whole or stopped; `speed` is tokens a second since the first one, None where nobody counted."""

    def __init__(self, trial: int, reply: Reply, speed: float | None) -> None:
        super().__init__(trial)
        self.reply = reply
        self.speed = speed


class Failed(TrialNotice):
    """Something went wrong, in one sentence with what helps; `fatal` when the engine cannot be had at all."""

    def __init__(self, trial: int, title: str, hint: str, fatal: bool) -> None:
        super().__init__(trial)
        self.title = title
        self.hint = hint
        self.fatal = fatal


@dataclass(frozen=True, slots=True)
class _Question:
    messages: tuple[Message, ...]
    thinking: bool
    seed: int


class Trial:
    """One engine and its thread. `post` takes messages from any thread."""

    def __init__(self, spec: str, post: Callable[[TrialNotice], object]) -> None:
        self.number = next(_numbers)
        self.spec = spec
        self.turn: OpenTurn | None = None
        """The call in flight as last heard, None while there is none."""
        self.closed = threading.Event()
        self._post = post
        self._questions: queue.SimpleQueue[_Question | None] = queue.SimpleQueue()
        self._closing = threading.Event()
        self._stopping = threading.Event()
        self._engine: Engine | None = None

    # wishes, from the thread of the desk

    def ask(self, messages: tuple[Message, ...], *, thinking: bool, seed: int) -> None:
        """Put a conversation to the model; its last message is the person's."""
        self._stopping.clear()
        self._questions.put(_Question(messages, thinking, seed))

    def stop(self) -> None:
        """Break off the answer that is being made."""
        self._stopping.set()
        self._cancel()

    def close(self) -> None:
        """End the thread and free the model; a call in flight is broken off."""
        if self._closing.is_set():
            return
        self._closing.set()
        self._questions.put(None)
        self._cancel()
        late = threading.Timer(HURRY, self._abandon)
        late.daemon = True
        late.start()

    def _abandon(self) -> None:
        """End the engine under a call that did not hear; an engine that may be kept for others is ended all the
        same."""
        engine = self._engine
        if engine is not None and not self.closed.is_set():
            with suppress(OSError, ValueError, EngineError):
                getattr(engine, "end", engine.close)()

    def _cancel(self) -> None:
        if self._engine is not None and not self.closed.is_set():
            with suppress(OSError, ValueError, EngineError):
                self._engine.cancel()

    # the thread

    def work(self) -> None:
        """The body of the thread."""
        try:
            self._open()
            while not self._closing.is_set():
                question = self._questions.get()
                if question is not None:
                    self._answer(question)
        except FAULTS as error:
            self._tell(error, fatal=True)
        finally:
            if self._engine is not None:
                with suppress(OSError, ValueError, EngineError):
                    self._engine.close()
            self.closed.set()

    def _open(self) -> None:
        self._begin()
        self._engine = engine = open_engine(self.spec)
        load = getattr(engine, "load", None)
        if load is None or self._closing.is_set():
            self._ready({})
            return
        try:
            self._ready(load(self._listen))
        except FAULTS as error:
            self._tell(error, fatal=False)
        finally:
            self.turn = None

    def _ready(self, facts: Mapping[str, Any]) -> None:
        self.turn = None
        self._post(Ready(self.number, facts))

    def _begin(self) -> None:
        self.turn = OpenTurn(EPISODE, 0, clock())

    def _answer(self, question: _Question) -> None:
        settings = Settings(
            temperature=TEMPERATURE, top_p=TOP_P, max_tokens=LONGEST, seed=question.seed, thinking=question.thinking
        )
        ask = Ask(SEAT, question.messages, PROMPT, settings=settings, episode=EPISODE)
        self._begin()
        assert self._engine is not None
        try:
            (result,) = [EngineError("stopped")] if self._stopped() else self._engine.answer([ask], self._listen)
        except FAULTS as error:
            result = EngineError(error.title, error.hint)
        turn, self.turn = self.turn, None
        if self._stopped() and (isinstance(result, EngineError) or result.finish == "cancelled"):
            result = _broken_off(result, turn)
        if isinstance(result, EngineError):
            self._tell(result, fatal=False)
        else:
            self._post(Answered(self.number, result, _speed(turn)))

    def _stopped(self) -> bool:
        return self._stopping.is_set() or self._closing.is_set()

    def _listen(self, delta: Delta) -> None:
        if self._stopped():
            self._cancel()
        if self.turn is not None:
            self.turn = self.turn.after(delta, clock())

    def _tell(self, error: Exception, *, fatal: bool) -> None:
        self.turn = None
        if not self._closing.is_set():
            self._post(
                Failed(self.number, str(getattr(error, "title", error)), str(getattr(error, "hint", "")), fatal)
            )


def _broken_off(result: Reply | EngineError, turn: OpenTurn | None) -> Reply:
    """A stopped answer: what the engine still gave, else what had been heard of it."""
    if isinstance(result, Reply) and result.text:
        return result
    spoken, thought = (turn.spoken, turn.thought) if turn is not None else ("", "")
    usage = result.usage if isinstance(result, Reply) else Usage()
    return Reply(spoken, usage, "cancelled", thought)


def _speed(turn: OpenTurn | None) -> float | None:
    measured = turn.speed() if turn is not None else None
    return measured[0] if measured is not None and measured[1] else None
