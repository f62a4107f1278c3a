"""`endpoint:URL#MODEL`: a model behind an OpenAI-compatible server on this machine (llama-server, vLLM, Ollama …), or
behind a proxy before several.

Loopback only, unless the opening names the host. No proxy of the environment is used and no redirect followed. A key
comes from the environment: MOOT_API_KEY for this machine alone, for another host the variable that is bound to it. No
key is recorded; a SPEC is, so an address with a user name, password or query is refused. Replies are streamed, so
that they can be watched and cancelled.

What the server does with a prompt is its own affair: whether special tokens in content stay plain text, and whether
temperature 0 repeats byte for byte, only `llama:` can promise. Units: seconds for waiting, milliseconds in `Usage`.
"""

from __future__ import annotations

import queue
import re
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from typing import Any

from models.calls import PROBE
from models.endpoint_server import (
    Flight,
    Refusal,
    Server,
    facts_of,
    key_of_environment,
    lists,
    models_of,
    read_address,
    silence_of_environment,
)
from models.endpoint_wire import (
    EXTRAS,
    SCHEMA,
    TOOLS,
    Collector,
    News,
    Refused,
    about_schema,
    about_tools,
    is_overflow,
    most_tokens,
    reply_tokens_left,
    request_body,
    wanted_extra,
)
from models.engine import Ask, ContextLimits, Delta, EngineError, Finish, Listener, Message, Reply, Settings
from models.errors import BadEngine
from models.specs import Opening

PATIENCE = 30.0
"""Seconds that a call waits, all in all, for a server that says it is busy."""
BUSY_TRIES = 6
"""How often a busy server is asked."""
PAUSE = 0.04
"""Seconds between two pieces of news of a call: what comes in between is told together."""
BUSY = (429, 503)
FIELD_STATUS = range(400, 501)
"""Statuses with which servers refuse a field that they do not know."""
SCHEMA_STATUS = (400, 422, 500, 501)
"""Statuses with which servers refuse a schema."""


def open_endpoint(opening: Opening) -> EndpointEngine:
    """The engine of `endpoint:URL#MODEL`; the server must answer.

    Raises:
        BadEngine: the SPEC is wrong, or the server does not have the model.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """
    address = read_address(opening.rest, opening.hosts)
    server = Server(address, key=key_of_environment(address.key), silence=silence_of_environment())
    model, facts = facts_of(server)
    return EndpointEngine(server, model, facts, together=max(1, opening.parallel))


class EndpointEngine:
    """Puts Asks to a server, `together` at a time, and gathers the streamed replies."""

    def __init__(self, server: Server, model: str, facts: Mapping[str, Any], *, together: int = 1) -> None:
        self._server = server
        self._model = model
        self._facts = dict(facts)
        self._refused: dict[str, int] = {}
        """Name of a field beyond the common interface -> how many of its forms the server did not take."""
        self._together = together
        self._lock = threading.Lock()
        self._flights: set[Flight] = set()
        self._calls = 0
        self._closed = False

    def describe(self) -> dict[str, object]:
        """Kind, address, model, and what the server said of itself when it was opened."""
        return {"kind": "endpoint", "url": self._url, "model": self._model, "server": dict(self._facts)}

    @property
    def _url(self) -> str:
        return self._server.address.base

    def context_limits(self) -> ContextLimits:
        """The context that the server states (vLLM, llama-server), 0 where it states none; it is not asked to
        count."""
        stated = (self._facts.get(name) for name in ("n_ctx", "max_model_len"))
        return ContextLimits(next((size for size in stated if isinstance(size, int) and size > 0), 0))

    def at_once(self) -> int:
        """As many calls as episodes go on at a time."""
        return self._together

    def check_tools(self) -> None:
        """Ask the server for one token without a tool and with one: one that tells tools to its model reads a longer
        prompt.

        Raises:
            BadEngine: the server refuses tools, leaves them out, or does not answer.
        """
        plainly = Ask("", (Message("user", "1"),), "tools", settings=Settings(max_tokens=1))
        read = []
        for found in (self.answer([replace(plainly, tools=tools)])[0] for tools in ((), (PROBE,))):
            if isinstance(found, EngineError):
                raise BadEngine(found.title, found.hint)
            read.append(found.usage.evaluated + found.usage.reused)
        if read[0] and read[0] == read[1]:
            raise BadEngine(
                f"the server at {self._url} leaves out tools: the prompt is as long with one as without",
                "Run with --calls schema.",
            )

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """One result each, in order. `listen` is called in this thread."""
        flight = Flight()
        with self._lock:
            if self._closed:
                return [EngineError("the endpoint is closed", "Open it again.") for _ in asks]
            self._flights.add(flight)
        try:
            return self._answer_all(asks, flight, listen) if asks else []
        finally:
            with self._lock:
                self._flights.discard(flight)

    def cancel(self) -> None:
        """Stop the calls in flight, from any thread."""
        with self._lock:
            flights = list(self._flights)
        for flight in flights:
            flight.stop()

    def close(self) -> None:
        """Stop what is in flight."""
        with self._lock:
            self._closed = True
        self.cancel()

    def _answer_all(self, asks: Sequence[Ask], flight: Flight, listen: Listener | None) -> list[Reply | EngineError]:
        if len(asks) == 1 and threading.current_thread() is not threading.main_thread():
            # Only the main thread must stay free for Ctrl-C.
            return [self._answer(asks[0], flight, listen or _ignored, 1)]
        news: queue.SimpleQueue[Delta | None] = queue.SimpleQueue()
        together = min(len(asks), self._together)
        with ThreadPoolExecutor(together, thread_name_prefix="endpoint") as pool:
            try:
                calls = [pool.submit(self._answer, ask, flight, news.put, together) for ask in asks]
                for call in calls:
                    call.add_done_callback(lambda _: news.put(None))
                left = len(calls)
                while left:
                    with suppress(queue.Empty):  # woken now and then: some systems deliver Ctrl-C only in between
                        delta = news.get(timeout=0.5)
                        if delta is None:
                            left -= 1
                        elif listen is not None:
                            listen(delta)
            except BaseException:
                flight.stop()
                raise
        return [call.result() for call in calls]

    def _answer(
        self, ask: Ask, flight: Flight, report: Callable[[Delta], None], together: int
    ) -> Reply | EngineError:
        """One call to its end; nothing is raised. together: of its batch; those of others are in flight beside it."""
        with self._lock:
            self._calls += 1
            together = max(together, self._calls)
        started = time.perf_counter()
        until = flight.until(ask.seconds)
        reporter = DeltaReporter(ask, report)
        collector, finish, note = Collector(), None, ""
        try:
            reporter.add(News("reading"))
            collector, finish, note = self._exchange(ask, flight, until, reporter.add)
        except EngineError as error:
            if not (flight.stopped or time.monotonic() >= until):
                return error
        finally:
            reporter.flush()
            with self._lock:
                self._calls -= 1
        if not collector.finish and (flight.stopped or time.monotonic() >= until):
            finish, note = "cancelled" if flight.stopped else "time_limit", ""
        usage = collector.usage((time.perf_counter() - started) * 1000, together)
        tools = ask.tools if ask.schema is None else ()
        return collector.reply(ask.settings, usage, finish=finish, note=note, tools=tools)

    def _exchange(
        self, ask: Ask, flight: Flight, until: float, add: Callable[[News], None]
    ) -> tuple[Collector, Finish | None, str]:
        """Ask until there is a reply or a refusal that stands: (what came, its finish where we know better, note)."""
        most: int | None = None
        busy, waited = 0, 0.0
        with self._lock:
            refused = dict(self._refused)
        while not flight.stopped and time.monotonic() < until:
            body = request_body(ask, self._model, refused=refused, most=most)
            collector = Collector(body["max_tokens"])
            refusal = self._server.chat(body, flight, collector, add, until)
            if refusal is None:
                with self._lock:  # only what led to a reply: some servers name every field in every error
                    self._refused |= refused
                return collector, None, _left_alone(body)
            if is_overflow(refusal.text):
                left = reply_tokens_left(refusal.text)
                if most is None and not collector.text and 0 < left < most_tokens(ask.settings):
                    most = left
                    continue
                return collector, "context_full", f"the context of the server is full: {refusal.text}"
            if refusal.status in FIELD_STATUS and self._go_without(ask, body, refused, refusal.text):
                continue
            if ask.tools and refusal.status in SCHEMA_STATUS and TOOLS.search(refusal.text):
                raise about_tools(refusal.text)
            if ask.schema is not None and refusal.status in SCHEMA_STATUS and SCHEMA.search(refusal.text):
                raise about_schema(ask.prompt, refusal.text)
            if refusal.status in BUSY and not collector.text:
                pause = 2.0**busy if refusal.wait is None else refusal.wait
                busy, waited = busy + 1, waited + pause
                if busy < BUSY_TRIES and waited <= PATIENCE:
                    flight.wait(min(pause, until - time.monotonic()))
                    continue
            raise self._error(refusal, flight)
        return Collector(), None, ""

    def _error(self, refusal: Refusal, flight: Flight) -> EngineError:
        """The sentence for a refusal that stands; where the model is not known any more, with those that are."""
        if refusal.status == 404:
            with suppress(EngineError):
                names = [str(entry["id"]) for entry in models_of(self._server, flight)]
                if self._model not in names:
                    return EngineError(
                        f"the server at {self._url} does not know the model '{self._model}'", lists(names)
                    )
        return self._server.error(refusal)

    @staticmethod
    def _go_without(ask: Ask, body: Mapping[str, Any], refused: dict[str, int], text: str) -> bool:
        """Whether the server named fields that it can do without; the next request has another form of them, or
        none."""
        named = [name for name in EXTRAS if name in body and re.search(rf"\b{name}\b", text)]
        for name in named:
            wanted = wanted_extra(ask.settings, name)
            if wanted is not None:
                raise Refused(f"the server does not take {name} = {wanted}: {text}", "Use a setting that it knows.")
            refused[name] = refused.get(name, 0) + 1
        return bool(named)


def _ignored(_: Delta) -> None:
    """For a call without a listener."""


class DeltaReporter:
    """Tells of one call as its text comes in, a few times a second."""

    def __init__(self, ask: Ask, report: Callable[[Delta], None]) -> None:
        self._ask = ask
        self._report = report
        self._pending: News | None = None
        self._reported_at = 0.0

    def add(self, news: News) -> None:
        """Take a piece of news; it is told at once or together with what follows."""
        if self._pending is not None and self._pending.phase != news.phase:
            self.flush()
        before = self._pending.text if self._pending is not None else ""
        self._pending = news._replace(text=before + news.text)
        if time.perf_counter() - self._reported_at >= PAUSE:
            self.flush()

    def flush(self) -> None:
        """Tell what is held back."""
        if self._pending is not None:
            self._report(Delta(self._ask.episode, self._ask.seat, *self._pending))
            self._pending, self._reported_at = None, time.perf_counter()


def _left_alone(body: Mapping[str, Any]) -> str:
    """Says which settings the server decided by itself, because it takes no form of the field."""
    names = [name for name in ("top_k", "min_p") if name not in body]
    if not {"repeat_penalty", "repetition_penalty"} & body.keys():
        names.append("repeat_penalty")
    return f"the server used its own {', '.join(names)}" if names else ""
