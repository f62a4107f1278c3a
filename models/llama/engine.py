"""`llama:FILE_OR_NAME`: a local model as an Engine. What computes is a child process; this end survives whatever it
does. Calls may be put by many threads; in the child they join those in motion and leave as they end.

Settings stand after '#': `llama:qwen.gguf#ctx=8192,threads=3,slots=4,together=1`. `ctx` is the context of one
sequence in tokens, `slots` how many sequences are held at a time, `together` how many calls may decode in one batch
(without it the engine measures how many it can without changing a bit).
"""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import asdict, dataclass, replace
from functools import lru_cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any

from models.calls import read
from models.engine import Ask, ContextLimits, Delta, EngineError, Listener, Reply
from models.errors import BadEngine, BadEngineSetting
from models.llama.header import INSTALL, GgufHeader, model_sha256, parts_of, read_header
from models.llama.library import resolve
from models.llama.memory import available, default_context, estimate, refuse_too_large
from models.llama.process import (
    SILENCE,
    STANDSTILL,
    ChildFailed,
    EngineCall,
    EngineProcess,
    Options,
    call_data,
    reply_of,
)
from models.llama.template import CHATML, ChatTemplate
from models.sampling import PASSAGE, bare, density_of
from models.specs import Opening
from store import identity
from store.errors import StoreError

RUN = 600_000_000
"""Bytes that a run takes beside its models."""
FEWEST_SLOTS = 4
MOST_SLOTS = 16
SMALL = 100_000_000
"""Parameters under which a second thread waits for the first longer than it computes."""
DECODED = frozenset({"stop", "length", "repetition", "context_full"})
"""Ends of calls that had a slot; one that was stopped may have waited all the time."""


@dataclass(frozen=True, slots=True)
class LlamaSettings:
    """What may stand after '#'; 0 means: chosen by the engine."""

    ctx: int = 0
    threads: int = 0
    slots: int = 0
    together: int = 0


LIMITS = {"ctx": (64, 1 << 20), "threads": (1, 256), "slots": (1, 64), "together": (1, 64)}


def parse_settings(text: str) -> LlamaSettings:
    """The settings after '#'; `BadEngineSetting` names what is wrong."""
    found: dict[str, int] = {}
    for part in filter(None, text.split(",")):
        name, _, value = part.strip().partition("=")
        if name not in LIMITS:
            raise BadEngineSetting(f"'{name}' is no setting of a llama engine", f"Known: {', '.join(LIMITS)}.")
        low, high = LIMITS[name]
        if not (value.isascii() and value.isdigit() and len(value) < 10 and low <= int(value) <= high):
            raise BadEngineSetting(
                f"{name}={value} is not a number from {low} to {high}", "For example llama:FILE#ctx=8192."
            )
        found[name] = int(value)
    return LlamaSettings(**found)


def open_llama(opening: Opening) -> LlamaEngine:
    """The engine of a SPEC: everything that can be known without loading is checked here."""
    name, _, settings = opening.rest.partition("#")
    path = resolve(name, opening.library) if opening.library is not None else Path(name)
    chosen = parse_settings(settings)
    return take_kept(_key(path, chosen), opening.parallel) or LlamaEngine(path, chosen, parallel=opening.parallel)


def _key(path: Path, settings: LlamaSettings) -> str:
    """Identity of an engine: the file as it lies there now, and the settings."""
    try:
        found = " ".join(map(identity.identity, parts_of(path)))
    except (StoreError, BadEngine):
        return ""
    return f"{path.absolute()} {found} {settings}"


def take_of(specs: Iterable[str], files: Mapping[str, Path], parallel: int) -> tuple[int, int]:
    """Processors and bytes of memory that a run takes whose seats are held by the engines of these SPECs: a model of
    llama.cpp its threads and what `moot models check` states, everything else (servers, rules) next to nothing.

    files: name in a SPEC -> where the file lies; SPECs that differ in sampling alone are one engine.
    """
    processors, memory = 1, RUN
    for spec in dict.fromkeys(map(bare, specs)):
        kind, _, rest = spec.partition(":")
        name, _, text = rest.partition("#")
        if kind == "llama":
            header, chosen = read_header(files[name]), parse_settings(text)
            context = chosen.ctx or default_context(header)
            memory += estimate(header, context, chosen.slots or max(FEWEST_SLOTS, parallel)).total
            processors = max(processors, chosen.threads or max(1, (os.cpu_count() or 2) - 1))
    return processors, memory


class LlamaEngine:
    """One GGUF file. The model is loaded with the first call, and again after its process died."""

    def __init__(
        self, path: Path, settings: LlamaSettings | None = None, *, parallel: int = 1,
        silence: float = SILENCE, standstill: float = STANDSTILL,
    ) -> None:  # fmt: skip
        self.path = path
        self.header: GgufHeader = read_header(path)
        if self.header.is_embedding:
            raise BadEngine(f"'{path.name}' is an embedding model, it cannot speak", "`moot data embed` uses it.")
        chosen = settings or LlamaSettings()
        self.key = _key(path, chosen)
        trained = self.header.context
        self.context = chosen.ctx or default_context(self.header)
        if self.context > trained:
            raise BadEngine(
                f"ctx={self.context} is more than the {trained} tokens that '{path.name}' was trained for"
            )
        self.threads = chosen.threads or (1 if self.header.parameters < SMALL else max(1, (os.cpu_count() or 2) - 1))
        self.slots = chosen.slots or self._fitting_slots(max(FEWEST_SLOTS, parallel))
        refuse_too_large(self.header, self.context, self.slots)
        self._together = chosen.together
        self._sha256 = model_sha256(path)
        self._process = EngineProcess(silence=silence, standstill=standstill)
        self._lock = threading.Lock()
        """Held while a child is started, loaded or given calls, never while they are answered."""
        self._stops = 0
        """How often it was cancelled."""
        self._known: set[tuple[str, str]] = set()
        """Seats whose earlier turns the child has been told."""
        self._facts: dict[str, Any] = {}
        self._home: int | None = None
        """The process that the facts are of."""
        self._refused: tuple[float, EngineError] | None = None
        """When the model could not be loaded last, and why."""
        self._closed = False
        self._density = 0.0
        self._build = self._hello()

    @property
    def process(self) -> EngineProcess:
        """The child, for tests and figures."""
        return self._process

    @property
    def loaded(self) -> bool:
        """Whether the model is in memory."""
        return self._home is not None and self._home == self._process.pid

    def at_once(self) -> int:
        """As many calls as sequences are held."""
        return self.slots

    def describe(self) -> dict[str, Any]:
        """File, its hash, build, context, threads, template."""
        header = self.header
        template = header.template if header.template is not None else CHATML
        return {
            "kind": "llama",
            "file": self.path.name,
            "sha256": self._sha256,
            "architecture": header.architecture,
            "quantisation": header.quantisation,
            "parameters": header.parameters,
            "context": self.context,
            "threads": self.threads,
            "together": self._together,
            "template": {"name": "file" if header.template is not None else "chatml", "text": template},
            "build": self._build,
        }

    def context_limits(self) -> ContextLimits:
        """The contexts, and the tokens a character that the vocabulary of the file needs, counted in the child."""
        with self._lock:
            if not self._density:
                try:
                    counted = self._process.order("count", path=str(self.path), text=PASSAGE)
                except ChildFailed as error:
                    raise EngineError(
                        f"'{self.path.name}' cannot be loaded: {error.title}", "`moot models check FILE` says more."
                    ) from None
                self._density = density_of(counted["tokens"])
        return ContextLimits(self.context, self._density, self.header.context)

    def load(self, listen: Listener | None = None) -> dict[str, Any]:
        """Load the model now; gives what is known of it: context, slots, together, threads, build, memory in
        bytes."""
        began, since = time.monotonic(), self._stops
        with self._lock:
            self._ready(began, since, _for_load(listen))
            return {**self._facts, "memory": self._process.memory}

    def check_tools(self) -> None:
        """See whether the template of the file takes tools.

        Raises:
            BadEngine: it leaves them out, fails on them, or has them called in a form that is not known here.
        """
        try:
            _call_form(self.header.template)
        except EngineError as error:
            raise BadEngine(
                f"'{self.path.name}' cannot be given tools: {error.title}", "Run with --calls schema."
            ) from None

    def answer(self, asks: Sequence[Ask], listen: Listener | None = None) -> list[Reply | EngineError]:
        """All Asks, decoded together, and with those of other threads, where that changes nothing."""
        began, since = time.monotonic(), self._stops
        results: dict[int, Reply | EngineError] = {}
        lost: Reply | EngineError = EngineError("the model gave no reply to this call")
        if asks:
            try:
                self._answer([EngineCall(ask) for ask in asks], results, listen, began, since)
            except EngineError as error:
                lost = EngineError(error.title, error.hint)
        if self._stops != since:
            lost = Reply("", finish="cancelled")
        return [self._called(ask, results.get(index, lost)) for index, ask in enumerate(asks)]

    def _called(self, ask: Ask, result: Reply | EngineError) -> Reply | EngineError:
        """The reply with the calls in it read, where tools may be called: in the form of its template, else in
        any."""
        if isinstance(result, EngineError) or not ask.tools or ask.schema is not None:
            return result
        text, calls = read(result.text, ask.tools, (_call_form(self.header.template),))
        if not calls:
            text, calls = read(result.text, ask.tools)
        return replace(result, text=text, calls=calls)

    def cancel(self) -> None:
        """Stop the calls in flight, from any thread."""
        self._stops += 1
        self._process.cancel()

    def close(self) -> None:
        """Keep the model loaded for the next run where that is wanted (`keep_last`), else end its process."""
        self._known = set()  # the next run may be one of before: its seats have the same names and said other words
        if not self._closed and not keep(self):
            self.end()

    def end(self) -> None:
        """End the child; calls afterwards fail."""
        self._closed = True
        self._process.close()

    def _fitting_slots(self, wished: int) -> int:
        """As many sequences as a quarter of the free memory holds, at least one."""
        slots = min(wished, MOST_SLOTS)
        memory = available() / 4
        while slots > 1 and estimate(self.header, self.context, slots).cache > memory:
            slots -= 1
        return slots

    def _hello(self) -> dict[str, str]:
        if find_spec("llguidance") is None:
            raise BadEngine("llguidance is not installed", INSTALL)
        try:
            return dict(self._process.order("hello")["build"])
        except ChildFailed as error:
            self._process.close()
            raise BadEngine(f"llama.cpp cannot start: {error.title}", "`moot doctor` says more.") from None

    def _ready(self, began: float, since: int, news: Any = None) -> None:
        """A child with the model in it, for who began to wait at a time, when so many times had been cancelled.

        A model that could not be loaded in the meantime is not loaded again for those who waited.
        """
        if self._closed:
            raise EngineError("this engine has been closed")
        if self.loaded:
            return
        if self._refused is not None and began < self._refused[0]:
            raise self._refused[1]
        self._known, self._home = set(), None
        options = Options(
            str(self.path), self.context, self.slots, self.threads, int(available() / 4), self.header.template,
            self._together,
        )  # fmt: skip
        try:
            self._facts = dict(self._process.order("load", news, options=asdict(options)))
            self._home = self._process.pid
        except EngineError as error:
            if isinstance(error, ChildFailed):
                self._process.kill()
                if self._stops == since:
                    error = EngineError(
                        f"'{self.path.name}' cannot be loaded: {error.title}", "`moot models check FILE` says more."
                    )
            self._refused = (time.monotonic(), error)
            raise error from None

    def _answer(
        self, calls: Sequence[EngineCall], results: dict[int, Reply | EngineError], listen: Listener | None,
        began: float, since: int,
    ) -> None:  # fmt: skip
        """Put the calls to the child and gather what comes, by the place of each call."""

        def news(data: Mapping[str, Any]) -> None:
            match data["event"]:
                case "delta" if listen is not None:
                    listen(_delta(data))
                case "reply":
                    results[data["index"]] = reply_of(data)
                case "failed":
                    results[data["index"]] = EngineError(data["title"], data["hint"])

        with self._lock:
            if self._stops != since:
                return
            self._ready(began, since, _for_load(listen, calls[0].ask))
            if self._stops != since:
                return
            known, spent = self._known, time.monotonic() - began
            order = self._process.send("answer", calls=[_data(call, known, spent) for call in calls])
        if self._stops != since:  # it may have been cancelled before the order was under way
            self._process.cancel(order)
        self._process.wait(order, news)
        for place, call in enumerate(calls):
            result = results.get(place)
            if isinstance(result, Reply) and result.finish in DECODED:
                known.add((call.ask.episode, call.ask.seat))


@lru_cache(maxsize=16)
def _call_form(template: str | None) -> str:
    """How a template has tools called; an `EngineError` says why it cannot have them called."""
    return ChatTemplate(template, "<s>", "</s>").call_form()


def _data(call: EngineCall, known: Set[tuple[str, str]], spent: float) -> dict[str, Any]:
    """The call as data: with the earlier turns of its seat unless they are known, and with what is left of its
    time."""
    ask = call.ask
    turns = () if (ask.episode, ask.seat) in known else ask.turns
    left = None if ask.seconds is None else max(0.0, ask.seconds - spent)
    return call_data(EngineCall(replace(ask, seconds=left), turns))


def _delta(data: Mapping[str, Any]) -> Delta:
    return Delta(
        data.get("episode", ""),
        data.get("seat", ""),
        data["phase"],
        data.get("text", ""),
        data["done"],
        data["total"],
    )


def _for_load(listen: Listener | None, ask: Ask | None = None) -> Any:
    """Progress of loading, told in the name of the call that waits for it."""
    if listen is None:
        return None

    def news(data: Mapping[str, Any]) -> None:
        if data["event"] == "delta":
            delta = _delta(data)
            listen(replace(delta, episode=ask.episode, seat=ask.seat) if ask is not None else delta)

    return news


# --- the engine that was closed last --------------------------------------------------------------------------------

_cache_lock = threading.Lock()
_keeping = False
_kept: LlamaEngine | None = None


def keep_last() -> None:
    """From now on keep the engine that was closed last loaded, for whoever opens the same model next.

    On the desk a fork, a resumed run or the next run then finds the weights in memory, and the sequences of the run
    before: a fork copies what it shares instead of evaluating it again. One engine at most, for its memory.
    """
    global _keeping
    _keeping = True


def keep(engine: LlamaEngine) -> bool:
    """Keep an engine that is being closed; False when it is to be ended instead."""
    global _kept
    with _cache_lock:
        if not _keeping or not engine.loaded:
            return False
        before, _kept = _kept, engine
    if before is not None and before is not engine:
        before.end()
    return True


def take_kept(key: str, slots: int) -> LlamaEngine | None:
    """The kept engine if it has this key and enough slots; any other is ended, so that two never fill the memory."""
    global _kept
    with _cache_lock:
        engine, _kept = _kept, None
    if engine is None or (engine.loaded and engine.key == key and engine.slots >= slots):
        return engine
    engine.end()
    return None


def end_kept() -> None:
    """End the kept engine, and keep none any more."""
    global _keeping, _kept
    with _cache_lock:
        _keeping, engine, _kept = False, _kept, None
    if engine is not None:
        engine.end()
