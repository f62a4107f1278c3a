"""The parent's end of the child process: starts it, reads its events, and ends it when they stop. Units: seconds,
bytes.

Orders come from any thread, several may be under way, and each waits for its own. A broken file, a crash or a kill
costs the calls in flight: whoever waits gets an `EngineError`, and the next order starts a new child.
"""

from __future__ import annotations

import contextlib
import json
import os
import queue
import subprocess
import threading
import time
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from typing import Any

from models.engine import (
    Ask,
    EngineError,
    Message,
    Reply,
    SamplingSettings,
    TokenChance,
    ToolCall,
    ToolInfo,
    Usage,
    recorded_settings,
)
from store.worker import command


@dataclass(frozen=True, slots=True)
class Options:
    """How a model is loaded. `context` is the length of one sequence, `slots` how many there are; `offload` in bytes.

    `together` is how many calls may decode in one batch: 0 = measure it when it first matters.
    """

    path: str
    context: int
    slots: int
    threads: int
    offload: int
    template: str | None = None
    together: int = 0


@dataclass(frozen=True, slots=True)
class EngineCall:
    """An Ask on its way to the child, with earlier turns of the seat (text, tokens)."""

    ask: Ask
    turns: tuple[tuple[str, tuple[int, ...]], ...] = field(default=())


def line(data: Mapping[str, Any]) -> bytes:
    """One message as a line."""
    return json.dumps(data, separators=(",", ":")).encode() + b"\n"


def error_text(error: Exception) -> str:
    """The sentence of an error in the child."""
    words = "the memory of this machine does not suffice" if isinstance(error, MemoryError) else str(error)
    return (words or type(error).__name__)[:2000]


def call_data(call: EngineCall) -> dict[str, Any]:
    """A call as JSON data."""
    ask = call.ask
    return {
        "episode": ask.episode,
        "seat": ask.seat,
        "messages": [[message.role, message.content, *message.carried()] for message in ask.messages],
        "tools": [asdict(tool) for tool in ask.tools],
        "settings": recorded_settings(ask.settings),
        "schema": ask.schema,
        "turns": [[text, list(tokens)] for text, tokens in call.turns],
        "seconds": ask.seconds,
    }


def call_of(data: Mapping[str, Any]) -> EngineCall:
    """The call of JSON data."""
    settings = {**data["settings"], "stop": tuple(data["settings"]["stop"])}
    ask = Ask(
        data["seat"], tuple(map(_message, data["messages"])), "", data["schema"], SamplingSettings(**settings),
        episode=data["episode"], seconds=data.get("seconds"), tools=tuple(ToolInfo(**tool) for tool in data["tools"]),
    )  # fmt: skip
    return EngineCall(ask, tuple((text, tuple(tokens)) for text, tokens in data["turns"]))


def _message(data: Sequence[Any]) -> Message:
    role, content, *more = data
    calls, answers = more or ([], "")
    return Message(role, content, tuple(ToolCall(*call) for call in calls), answers)


def reply_data(reply: Reply) -> dict[str, Any]:
    """A reply as JSON data."""
    return {
        "text": reply.text,
        "usage": asdict(reply.usage),
        "finish": reply.finish,
        "reasoning": reply.reasoning,
        "tokens": list(reply.tokens),
        "logprobs": [[chance.text, chance.logprob, chance.top] for chance in reply.logprobs],
        "note": reply.note,
        "entropies": list(reply.entropies),
    }


def reply_of(data: Mapping[str, Any]) -> Reply:
    """The reply of JSON data."""
    return Reply(
        data["text"], Usage(**data["usage"]), data["finish"], data["reasoning"], tuple(data["tokens"]),
        tuple(TokenChance(text, chance, tuple((other, p) for other, p in top)) for text, chance,
            top in data["logprobs"]),
        data["note"], tuple(data.get("entropies", ())),
    )  # fmt: skip


SILENCE = 20.0
"""Seconds without a heartbeat after which the child counts as hung."""
STANDSTILL = 600.0
"""Seconds without a single evaluation, while at work, after which it counts as hung: a chunk of a large model is
slow."""
GRACE = 20.0
"""Seconds that a cancelled call may take to end by itself before the child is killed."""
LOOK = 0.25
"""Seconds after which whoever waits looks whether the child still lives."""
News = Callable[[Mapping[str, Any]], None]


def _environment() -> dict[str, str]:
    """A library that gives up says why, without a debugger that takes seconds and talks over it."""
    return {**os.environ, "GGML_NO_BACKTRACE": "1"}


class ChildFailed(EngineError):
    """An order failed inside the child, which lives on; `kind` is missing, memory, native or error."""

    def __init__(self, kind: str, text: str) -> None:
        super().__init__(text)
        self.kind = kind


class ChildSession:
    """One child process and its pipes, from start to end, and the orders that it has not carried out."""

    def __init__(self) -> None:
        self.child = subprocess.Popen(
            command("_engine"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            env=_environment(),
        )
        self.last_event = time.monotonic()
        self.ticks = (-1, self.last_event)
        """The child's count of evaluations, and when it last changed."""
        self.memory = 0
        self.reason = ""
        """Why it was ended from here."""
        self.at_end = False
        """Whether its events have ended."""
        self.open: dict[int, ChildRequest] = {}
        self._stderr_lines: deque[str] = deque(maxlen=20)
        self._orders: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        for name, work in (
            ("orders", self._write_orders),
            ("news", self._read_events),
            ("stderr", self._read_stderr),
        ):
            threading.Thread(target=work, daemon=True, name=f"engine-{name}").start()

    @property
    def alive(self) -> bool:
        """Whether the child runs."""
        return self.child.poll() is None

    def write(self, data: Mapping[str, Any]) -> None:
        """Send an order; one that comes too late is lost."""
        self._orders.put(line(data))

    def close_stdin(self) -> None:
        """Close its pipe, which ends it when it is done."""
        self._orders.put(None)

    def end(self, reason: str = "") -> None:
        """End it at once."""
        self.reason = self.reason or reason
        self.close_stdin()
        with contextlib.suppress(OSError):
            self.child.kill()
        self.child.wait()
        for pipe in (self.child.stdin, self.child.stdout, self.child.stderr):
            if pipe is not None:
                with contextlib.suppress(OSError):
                    pipe.close()

    def error(self) -> EngineError:
        """The error of the orders that were under way when it ended."""
        if self.reason:
            return EngineError(self.reason, "The next call starts it anew.")
        with contextlib.suppress(subprocess.TimeoutExpired):
            self.child.wait(timeout=2.0)
        code = self.child.poll()
        how = f"signal {-code}" if code is not None and code < 0 else f"exit code {code}"
        words = " ".join(self._stderr_lines)[-300:].strip()
        return EngineError(
            f"the model's process died ({how})" + (f": {words}" if words else ""), "The next call starts it anew."
        )

    def _write_orders(self) -> None:
        """Writes in a thread of its own: a child that reads no more must hold up nobody who orders or cancels."""
        assert self.child.stdin is not None
        with contextlib.suppress(OSError, ValueError):
            while (order := self._orders.get()) is not None:
                self.child.stdin.write(order)
                self.child.stdin.flush()
        with contextlib.suppress(OSError, ValueError):
            self.child.stdin.close()

    def _read_events(self) -> None:
        assert self.child.stdout is not None
        with contextlib.suppress(OSError, ValueError):
            for raw in self.child.stdout:
                self.last_event = time.monotonic()
                with contextlib.suppress(ValueError):
                    self._sort(json.loads(raw))
        self.at_end = True
        for order in list(self.open.values()):
            order.news.put(None)

    def _sort(self, data: dict[str, Any]) -> None:
        """Heartbeats are for the session, everything else goes to the order that it is of."""
        if data.get("event") == "beat":
            self.memory = int(data.get("memory", 0))
            if data.get("ticks") != self.ticks[0]:
                self.ticks = (int(data.get("ticks", 0)), self.last_event)
        elif (order := self.open.get(data.get("id", 0))) is not None:
            order.news.put(data)

    def _read_stderr(self) -> None:
        assert self.child.stderr is not None
        with contextlib.suppress(OSError, ValueError):
            for raw in self.child.stderr:
                self._stderr_lines.append(raw[:500].decode("utf-8", "replace").strip())


class ChildRequest:
    """An order under way; whoever gave it waits for it (`EngineProcess.wait`)."""

    def __init__(self, number: int, session: ChildSession) -> None:
        self.number = number
        self.session = session
        self.began = time.monotonic()
        self.cancelled_at = 0.0
        self.news: queue.SimpleQueue[dict[str, Any] | None] = queue.SimpleQueue()


class EngineProcess:
    """One child process at a time, for orders from any thread."""

    def __init__(self, *, silence: float = SILENCE, standstill: float = STANDSTILL) -> None:
        self.silence = silence
        self._standstill = standstill
        self._lock = threading.Lock()
        self._session: ChildSession | None = None
        self._number = 0

    @property
    def pid(self) -> int | None:
        """The child's process id, None when there is none."""
        session = self._session
        return session.child.pid if session is not None and session.alive else None

    @property
    def memory(self) -> int:
        """Resident bytes of the child at its last heartbeat."""
        session = self._session
        return session.memory if session is not None else 0

    def order(self, op: str, news: News | None = None, **what: Any) -> Any:
        """Give an order, to a new child where none is running, and wait for its result.

        Raises:
            ChildFailed: the order failed, the child lives on.
            EngineError: the child died, or hung and was killed.
        """
        with self._lock:
            if self._session is None or not self._session.alive:
                self._end()
                self._session = ChildSession()
        return self.wait(self.send(op, **what), news)

    def send(self, op: str, **what: Any) -> ChildRequest:
        """Give an order to the child that is running. Raises EngineError where none is."""
        with self._lock:
            session = self._session
            if session is None:
                raise EngineError("the model's process is not running", "The next call starts it anew.")
            self._number += 1
            order = session.open[self._number] = ChildRequest(self._number, session)
        session.write({"op": op, "id": order.number, **what})
        return order

    def wait(self, order: ChildRequest, news: News | None = None) -> Any:
        """Wait for the result of an order; `news` is called with each event in between. Raises as `order` does."""
        done = False
        try:
            while True:
                try:
                    data = order.news.get(timeout=LOOK)
                except queue.Empty:
                    self._check(order)
                    continue
                if data is None:
                    raise order.session.error()
                if data["event"] != "done":
                    if news is not None:
                        news(data)
                    self._check(order)
                    continue
                done = True
                if "failed" in data:
                    raise ChildFailed(data["failed"], data["text"])
                return data["result"]
        finally:
            if not done:  # nobody waits for it any more
                self.cancel(order)
            order.session.open.pop(order.number, None)

    def cancel(self, *orders: ChildRequest) -> None:
        """Stop these orders, or all that are under way, from any thread; a child that does not obey is killed."""
        session = self._session
        for order in orders or (list(session.open.values()) if session is not None else ()):
            order.cancelled_at = order.cancelled_at or time.monotonic()
            order.session.write({"op": "cancel", "id": order.number})

    def kill(self) -> None:
        """End the child at once."""
        with self._lock:
            self._end()

    def close(self) -> None:
        """End the child by the end of its pipe; one that does not end so is killed."""
        if (session := self._session) is not None:
            session.close_stdin()
            with contextlib.suppress(subprocess.TimeoutExpired):
                session.child.wait(timeout=1.0)
        self.kill()

    def _end(self) -> None:
        session, self._session = self._session, None
        if session is not None:
            session.end()

    def _check(self, order: ChildRequest) -> None:
        """Kill a child that is silent, stands still, or does not let itself be cancelled."""
        now, session = time.monotonic(), order.session
        if session.at_end:
            if order.news.empty():
                raise session.error()
            return
        if now - max(session.last_event, order.began) > self.silence:
            reason = f"the model's process has been silent for {self.silence:g} seconds and was ended"
        elif now - max(session.ticks[1], order.began) > self._standstill:
            reason = f"the model has computed nothing for {self._standstill:g} seconds and its process was ended"
        elif order.cancelled_at and now - order.cancelled_at > GRACE:
            reason = "the model's process did not stop when it was cancelled and was ended"
        else:
            return
        session.end(reason)
        raise session.error()
