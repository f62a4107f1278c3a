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
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

from models.calls import PROBE
from models.endpoint_server import (
    BrokeOff,
    EndpointClient,
    Flight,
    Refusal,
    connect,
    context_in,
    facts_of,
    lists,
    loaded_context,
    models_of,
    tokens_of,
)
from models.endpoint_wire import (
    EXTRAS,
    GRAMMAR,
    NEAR,
    NEAR_ESTIMATED,
    SCHEMA,
    TOOLS,
    Collector,
    News,
    RequestRefused,
    about_schema,
    about_tools,
    characters,
    counts_in,
    is_overflow,
    most_tokens,
    next_schema_form,
    reply_tokens_left,
    request_body,
    wanted_extra,
)
from models.engine import (
    REMEDIES,
    Ask,
    ContextLimits,
    Delta,
    EngineError,
    Finish,
    Listener,
    Message,
    Reply,
    SamplingSettings,
    remedies,
)
from models.errors import BadEngine
from models.sampling import DENSITY, PASSAGE, density_of
from models.specs import Opening

PATIENCE = 30.0
"""Seconds that a call waits, all in all, for a server that says it is busy."""
BUSY_TRIES = 6
"""How often a busy server is asked."""
PAUSE = 0.04
"""Seconds between two pieces of news of a call: what comes in between is told together."""
WAIT = 0.1
"""Seconds after which a call that waits for its place looks whether it is over."""
UNSTREAMED = "its streams break off: asked without one"
MORE_CONTEXT = "Start it with a larger context (llama-server: -c), or lower --parallel."
DRAW = Ask(
    "", (Message("user", "写几个字"),), "seed",
    settings=SamplingSettings(temperature=1.0, max_tokens=24, seed=1), uncached=True,
)  # fmt: skip
"""A question with many answers, shorter than the blocks in which servers keep prompts."""
SEEDS = "Two runs of this seed need not agree."
BUSY = (429, 503)
FIELD_STATUS = (200, *range(400, 501))
"""Statuses with which servers refuse a field that they do not know; 200: an error in place of a reply."""
SCHEMA_STATUS = (200, 400, 422, 500, 501)
"""Statuses with which servers refuse a schema."""
OTHER_TYPE, BOUNDS_LEFT_OUT, FREE_TEXT = "json_object", "bounds left out", "free text"
RELAXED = (OTHER_TYPE, BOUNDS_LEFT_OUT, BOUNDS_LEFT_OUT, FREE_TEXT)
"""What is done when each of `SCHEMA_FORMS` is refused."""
CHECKED = "What comes is checked against the schema all the same."
TROUBLES = {
    "tokens_estimated": (
        "reports no token counts: they are estimated",
        "Totals, limits and budgets hold by the estimate.",
    ),
    "reply_in_reasoning": (
        "puts whole replies into the field for reasoning: they are used",
        "Start it without a parser for reasoning, or use a model that reasons.",
    ),
    "server_short": ("ran short of context: it is sent fewer calls at a time", MORE_CONTEXT),
    "server_cut": (
        "ends replies before the tokens that they may have",
        "Raise its own limit (llama-server: -n), or lower reply= in the SPEC.",
    ),
    "seed_ignored": ("draws anew with the same seed", SEEDS),
    "seed_unknown": ("could not be asked whether it keeps to a seed", SEEDS),
    UNSTREAMED: (
        "breaks off streams: it is asked without",
        "See the server's own log.",
    ),
    OTHER_TYPE: ("takes a schema only with response_format json_object: it is sent so", CHECKED),
    BOUNDS_LEFT_OUT: ("does not take the bounds of a schema: they are left out", CHECKED),
    FREE_TEXT: ("keeps no reply to a schema: free text is read", CHECKED),
}
"""What a server cannot do and what is done instead, with a hint; by flag, or by what notes of replies say."""


def open_endpoint(opening: Opening) -> EndpointEngine:
    """The engine of `endpoint:URL#MODEL`; the server must answer.

    Raises:
        BadEngine: the SPEC is wrong, or the server does not have the model.
        EngineError: nobody answers, or not as an OpenAI-compatible server does.
    """
    server = connect(opening)
    model, facts = facts_of(server)
    return EndpointEngine(server, model, facts, together=max(1, opening.parallel))


class EndpointEngine:
    """Puts Asks to a server, `together` at a time, and gathers the streamed replies."""

    def __init__(self, server: EndpointClient, model: str, facts: Mapping[str, Any], *, together: int = 1) -> None:
        self._server = server
        self._model = model
        self._facts = dict(facts)
        self._context = context_in(facts)
        self._refused: dict[str, int] = {}
        """Name of a field beyond the common interface -> how many of its forms the server did not take."""
        self._together = together
        self._lock = threading.Lock()
        self._flights: set[Flight] = set()
        self._slots = Slots()
        self._found: dict[str, None] = {}
        """Kinds of what the server cannot do, in the order it was found out."""
        self._density: float | None = None
        """Tokens a character; 0 where the server does not let them be counted, None before anybody asked."""
        self._streams = True
        self._known = self._context
        """Tokens of context that the server stated or had room for."""
        self._closed = False

    def describe(self) -> dict[str, object]:
        """Kind, address, model, and what the server said of itself when it was opened."""
        return {"kind": "endpoint", "url": self._url, "model": self._model, "server": dict(self._facts)}

    @property
    def _url(self) -> str:
        return self._server.address.base

    def context_limits(self) -> ContextLimits:
        """The context that the server states, 0 where it states none; and what its tokenizer makes of court prose:
        it is asked once to tokenise it, or else to read it and to say one token."""
        if self._density is None:
            self._density = 0.0  # of the calls by which it is counted
            self._density = density_of(tokens_of(self._server, self._model, PASSAGE) or self._read(PASSAGE))
            self._context = self._context or loaded_context(self._server, self._model)  # by now it is loaded
        return ContextLimits(self._context, self._density)

    def _read(self, text: str) -> int:
        """Tokens of a text as a prompt, beyond those of a prompt of one token; 0 where the server does not count."""
        with suppress(EngineError):
            alone, found = (self._prompt_tokens(ask_for_one(words)) for words in ("1", text))
            return found - alone + 1 if alone else 0
        return 0

    def _prompt_tokens(self, ask: Ask) -> int:
        """Tokens of the prompt of a question as the server counts them, 0 where it does not."""
        (found,) = self.answer([ask])
        if isinstance(found, EngineError):
            raise found
        return 0 if "tokens_estimated" in remedies(found.note) else found.usage.evaluated + found.usage.reused

    def at_once(self) -> int:
        """As many calls as episodes go on at a time; fewer once the server ran short of context with so many."""
        return min(self._together, self._slots.most)

    def troubles(self) -> list[EngineError]:
        """What the server cannot do and what is done instead, in the order it was found out."""
        with self._lock:
            kinds = list(self._found)
        return [EngineError(f"the server at {self._url} {TROUBLES[kind][0]}", TROUBLES[kind][1]) for kind in kinds]

    def ignores_seed(self) -> bool:
        """Ask the server the same twice, past its cache; what cannot be asked is noted among its troubles."""
        found = self.answer([DRAW]) + self.answer([DRAW])
        said = {(one.text, one.reasoning) if isinstance(one, Reply) else None for one in found}
        ignored = len(said) > 1 and None not in said
        if ignored or None in said:
            with self._lock:
                self._found["seed_ignored" if ignored else "seed_unknown"] = None
        return ignored

    def check_tools(self) -> None:
        """Ask the server for one token without a tool and with one: one that tells tools to its model reads a longer
        prompt.

        Raises:
            BadEngine: the server refuses tools, leaves them out, or does not answer.
        """
        try:
            read = [self._prompt_tokens(replace(ask_for_one("1"), tools=tools)) for tools in ((), (PROBE,))]
        except EngineError as error:
            raise BadEngine(error.title, error.hint) from error
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
        together = min(len(asks), self.at_once())
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
        started = time.perf_counter()
        until = flight.until(ask.seconds)
        reporter = DeltaReporter(ask, report)
        collector, finish, note = Collector(), None, ""
        slot = self._slots.take(flight, until)
        try:
            reporter.add(News("reading"))
            collector, finish, note = self._exchange(ask, flight, until, reporter.add, slot)
        except EngineError as error:
            if not (flight.stopped or time.monotonic() >= until):
                return error
        finally:
            reporter.flush()
            self._slots.give()
        if not collector.finish and (flight.stopped or time.monotonic() >= until):
            finish, note = "cancelled" if flight.stopped else "time_limit", ""
        milliseconds, together = (time.perf_counter() - started) * 1000, max(together, slot.used)
        usage = collector.usage(milliseconds, together, characters(ask), self._density or DENSITY)
        tools, context = ask.tools if ask.schema is None else (), self._context
        reply = collector.reply(ask.settings, usage, finish=finish, note=note, tools=tools, context=context)
        found = remedies(reply.note)
        self._learn(reply.note, cut=finish is not None or collector.over)
        tokens = usage.evaluated + usage.reused + usage.generated
        now = self._context_now(flight) if "server_cut" in found else 0
        if now and NEAR * now <= tokens and now < NEAR * self._known:
            return self._smaller(tokens, now, reply.note)
        self._known = max(self._known, 0 if "tokens_estimated" in found else tokens)
        return reply

    def _exchange(
        self, ask: Ask, flight: Flight, until: float, add: Callable[[News], None], slot: Slot
    ) -> tuple[Collector, Finish | None, str]:
        """Ask until there is a reply or a refusal that stands: (what came, its finish where we know better, note)."""
        with self._lock:
            tries = Tries(dict(self._refused), slot, stream=self._streams)
        while not flight.stopped and time.monotonic() < until:
            body = request_body(ask, self._model, refused=tries.refused, most=tries.most, stream=tries.stream)
            collector = Collector(body["max_tokens"])
            try:
                refusal = self._server.chat(body, flight, collector, add, until)
            except BrokeOff:
                if not tries.stream:
                    raise
                tries.stream = False  # a server that breaks a stream off hides the reason, or serves others meanwhile
                add(News("reading"))
                continue
            if refusal is None:
                with self._lock:  # only what led to a reply: some servers name every field in every error
                    self._refused |= tries.refused
                    self._streams &= tries.stream
                return collector, None, tries.note(ask, body)
            if is_overflow(refusal.text):
                left = reply_tokens_left(refusal.text)
                if tries.most is None and not collector.text and 0 < left < most_tokens(ask.settings):
                    tries.most = left
                    continue
                if self._is_full(ask, collector, refusal.text, tries, flight):
                    return collector, "context_full", f"the context of the server is full: {refusal.text}"
                self._slots.give()
                tries.slot = self._slots.take(flight, until)
                add(News("reading"))
                continue
            if refusal.status in FIELD_STATUS and self._go_without(ask, body, tries.refused, refusal.text):
                continue
            if refusal.status in SCHEMA_STATUS and self._relax(ask, body, tries.refused, refusal.text):
                continue
            if ask.tools and refusal.status in SCHEMA_STATUS and TOOLS.search(refusal.text):
                raise about_tools(refusal.text)
            if ask.schema is not None and refusal.status in SCHEMA_STATUS and SCHEMA.search(refusal.text):
                raise about_schema(ask.prompt, refusal.text)
            if refusal.status in BUSY and not collector.text:
                pause = 2.0**tries.busy if refusal.wait is None else refusal.wait
                tries.busy, tries.waited = tries.busy + 1, tries.waited + pause
                if tries.busy < BUSY_TRIES and tries.waited <= PATIENCE:
                    flight.wait(min(pause, until - time.monotonic()))
                    continue
            raise self._error(refusal, flight)
        return Collector(), None, ""

    def _is_full(self, ask: Ask, collector: Collector, text: str, tries: Tries, flight: Flight) -> bool:
        """Whether the prompt and what came of its reply fill the context of the server; else the call is to be put
        again beside fewer others.

        Raises:
            EngineError: they do not, and there are no others; or the context was larger before.
        """
        counted, context = counts_in(text)
        context = context or self._context_now(flight) or self._context
        asked, came = collector.size(characters(ask), self._density or DENSITY)
        share, size = NEAR if counted or collector.prompt else NEAR_ESTIMATED, (counted or asked) + came
        if context and size >= share * context:
            if size < share * self._known:
                raise self._smaller(size, context, text)
            return True
        if self._slots.fewer(tries.slot):
            tries.short = True
            return False
        if not context and size >= share * self._known:  # alone it does not fit either, and nothing speaks against it
            self._slots.most = sys.maxsize if tries.short else self._slots.most
            return True
        raise EngineError(
            f"the server at {self._url} ran short of context at {size} of {context or self._known} tokens: {text}",
            MORE_CONTEXT,
        )

    def _context_now(self, flight: Flight) -> int:
        """The context that the server states by now, 0 where it states none."""
        with suppress(EngineError, BadEngine):
            return context_in(facts_of(self._server, flight)[1])
        return 0

    def _smaller(self, size: int, context: int, text: str) -> EngineError:
        return EngineError(
            f"the server at {self._url} has a context of {context} tokens now, and had {self._known}: {size} do not "
            f"fit: {text}",
            "Start it as it was; `moot resume` goes on.",
        )

    def _learn(self, note: str, *, cut: bool) -> None:
        """Take down what the server cannot do, as the note of a reply has it. cut: it was not heard to its end, where
        servers report their counts."""
        with self._lock:
            kinds = (remedies(note) & TROUBLES.keys()) | ({UNSTREAMED} if UNSTREAMED in note else set())
            kinds |= {RELAXED[form - 1] for form in (self._refused.get("response_format", 0),) if form}
            kinds |= {BOUNDS_LEFT_OUT} if "tools" in self._refused else set()
            kinds -= {"tokens_estimated"} if cut else set()
            self._found |= dict.fromkeys(sorted(kinds - self._found.keys()))

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
                raise RequestRefused(
                    f"the server does not take {name} = {wanted}: {text}", "Use a setting that it knows."
                )
            refused[name] = refused.get(name, 0) + 1
        return bool(named)

    @staticmethod
    def _relax(ask: Ask, body: Mapping[str, Any], refused: dict[str, int], text: str) -> bool:
        """Whether a schema that the server refused has another form; the next request has it."""
        if "response_format" in body and SCHEMA.search(text):
            refused["response_format"] = next_schema_form(refused.get("response_format", 0), text)
        elif ask.schema is None and ask.tools and "tools" not in refused and GRAMMAR.search(text):
            refused["tools"] = 1
        else:
            return False
        return True


def ask_for_one(text: str) -> Ask:
    """A question outside any episode that asks for one token."""
    return Ask("", (Message("user", text),), "probe", settings=SamplingSettings(max_tokens=1))


class Slot(NamedTuple):
    """The place of a call among those at a server: how many there may be, how many there are, how many there were so
    far."""

    most: int
    used: int
    number: int


class Slots:
    """The calls that are at a server at a time: as many as there come, fewer once it ran short of context."""

    def __init__(self) -> None:
        self.most = sys.maxsize
        self._used = self._taken = 0
        self._changed = threading.Condition()

    def take(self, flight: Flight, until: float) -> Slot:
        """A place, as soon as there is one; or when the call is over anyhow."""
        with self._changed:
            while self._used >= self.most and not flight.stopped and time.monotonic() < until:
                self._changed.wait(WAIT)
            self._used, self._taken = self._used + 1, self._taken + 1
            return Slot(self.most, self._used, self._taken)

    def give(self) -> None:
        """Give a place back."""
        with self._changed:
            self._used -= 1
            self._changed.notify_all()

    def fewer(self, slot: Slot) -> bool:
        """Have half as many from now on, if they are not fewer since the place was taken; False where there was no
        other call beside this one."""
        with self._changed:
            if slot.used == 1 and slot.number == self._taken:
                return False
            if self.most == slot.most:
                self.most = max(1, max(slot.used, self._used) // 2)
            return True


@dataclass
class Tries:
    """What came of the requests of one call so far. most: tokens of a reply; short: whether the server had too little
    context for the calls beside it."""

    refused: dict[str, int]
    slot: Slot
    most: int | None = None
    stream: bool = True
    short: bool = False
    busy: int = 0
    waited: float = 0.0

    def note(self, ask: Ask, body: Mapping[str, Any]) -> str:
        """What was done for a reply in place of what the server could not do."""
        form = self.refused.get("response_format", 0) if ask.schema is not None else 0
        parts = (
            _left_alone(body),
            f"{REMEDIES['schema_relaxed']}: {RELAXED[form - 1]}" if form > 1 else "",
            f"{REMEDIES['server_short']}: asked again beside fewer calls" if self.short else "",
            "" if self.stream else UNSTREAMED,
        )
        return "; ".join(filter(None, parts))


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
