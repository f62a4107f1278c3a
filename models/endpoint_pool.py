"""The servers behind one seat: which of them is asked next, which is left alone for a while, and whether all hold the
same model.

The least busy one is asked. One that failed is left alone for ever longer, then tried with a single call; while
nobody else answers it is asked all the same, unless it asked itself to be left alone. One that is away when the seat
is taken joins when it answers, if what it says of its model is what the others say. A single server is a pool of one.

Units: seconds of a clock that only goes forward.
"""

from __future__ import annotations

import random
import threading
import time
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from models.endpoint_facts import facts_of
from models.endpoint_flight import Flight
from models.endpoint_server import Server
from models.engine import Busy, EngineError, Unavailable
from models.errors import BadEngine

RESTS = (1.0, 2.0, 4.0, 8.0, 15.0, 30.0)
"""Seconds, at most, for which a server is left alone after it failed so often in a row; the last from then on."""
SOFTWARE = frozenset({"id", "build_info", "total_slots", "version"})
"""What servers with the same model may say differently: names of files, builds, numbers of places."""


@dataclass(eq=False)
class Member:
    """A server, the model to ask it for, and what it says of itself: None while it has not answered."""

    server: Server
    model: str = ""
    facts: Mapping[str, Any] | None = None
    refused: dict[str, int] = field(default_factory=dict)
    """Name of a field beyond the common interface -> how many of its forms the server did not take."""
    busy: int = 0
    """Calls that it is answering."""
    failed: int = 0
    """How often in a row it failed."""
    why: EngineError | None = None
    """Why it is not asked now."""
    rests_until: float = 0.0
    shut_until: float = 0.0
    """It asked to be left alone until then."""
    other: bool = False
    """Whether it turned out to hold another model, and is asked no more."""

    @property
    def url(self) -> str:
        """Its address, without what paths are added to."""
        return self.server.address.base


class Pool:
    """Belongs to many threads.

    Args:
        members: one or more; what they say of themselves is asked for by `meet`.
        clock: seconds.
    """

    def __init__(self, members: Sequence[Member], clock: Callable[[], float] = time.monotonic) -> None:
        self.members = tuple(members)
        self._clock = clock
        self._lock = threading.Lock()

    def meet(self) -> None:
        """Hear what every server says of itself; one that is away joins later.

        Raises:
            BadEngine: one of them lacks the model, or holds another one than the others.
            EngineError: none of them answers, or one not as an OpenAI-compatible server does.
        """
        for member in self.members:
            try:
                self._join(member)
            except Unavailable as error:
                self.failed(member, error)
        if all(member.facts is None for member in self.members):
            raise self.nobody()

    def take(self, tried: Collection[str] = ()) -> Member | None:
        """The server to ask, other than the addresses `tried` before; to be handed back to `release`.

        None where there is no other that may be asked now.
        """
        with self._lock:
            now = self._clock()
            there = [m for m in self.members if m.url not in tried and not m.other and m.shut_until <= now]
            if not there:
                return None
            member = min(there, key=lambda m: (not self._is_open(m, now), m.busy))  # of equals the first
            member.busy += 1
            return member

    def release(self, member: Member) -> None:
        """The call for which the server was taken is over, however it ended."""
        with self._lock:
            member.busy -= 1

    def ready(self, member: Member, flight: Flight) -> None:
        """See that a server has joined before it is asked.

        Raises:
            Unavailable: it is still away, or holds another model than the others.
        """
        if member.facts is None:
            try:
                self._join(member, flight)
            except (BadEngine, EngineError) as error:
                member.other = isinstance(error, BadEngine)
                raise Unavailable(error.title, error.hint) from None

    def well(self, member: Member) -> None:
        """The server did what it is there for."""
        with self._lock:
            member.failed, member.rests_until = 0, 0.0
            if member.shut_until <= self._clock():
                member.why = None

    def failed(self, member: Member, error: EngineError) -> None:
        """The server is left alone for a while."""
        with self._lock:
            now = self._clock()
            member.why = error
            if now >= member.rests_until:  # else it was asked before it failed, and is nothing new
                rest = RESTS[min(member.failed, len(RESTS) - 1)] * random.uniform(0.5, 1.0)
                member.failed, member.rests_until = member.failed + 1, now + rest
            if isinstance(error, Busy) and error.wait is not None:
                member.shut_until = max(member.shut_until, now + error.wait)

    def others(self, member: Member) -> bool:
        """Whether somebody else may be asked now."""
        with self._lock:
            now = self._clock()
            return any(m is not member and not m.other and self._is_open(m, now) for m in self.members)

    def nobody(self, last: Unavailable | None = None) -> Unavailable:
        """The error of a call for which nobody is left to be asked. last: of whoever it asked last."""
        with self._lock:
            now = self._clock()
            there = [member for member in self.members if not member.other]
            known = (member.why for member in (*there, *self.members) if member.why is not None)
            why = last or next(known, None) or Unavailable("nobody answers", "Start a server.")
            busy = any(isinstance(member.why, Busy) for member in there)
            wait = min((member.shut_until - now for member in there), default=0.0)
        n = len(self.members)
        if n > 1:
            why = Unavailable(f"none of the {n} servers behind the seat answers: {why.title}", why.hint)
        return Busy(why.title, why.hint, wait if wait > 0 else None) if busy else Unavailable(why.title, why.hint)

    def away(self) -> list[EngineError]:
        """Why servers are not asked now, [] where all are; of a single one whoever asks it is told."""
        with self._lock:
            return [m.why for m in self.members if m.why is not None and len(self.members) > 1]

    def describe(self) -> dict[str, object]:
        """Model and server; of several what all say, and under `servers` what each said when it was met."""
        first = next(member for member in self.members if member.facts is not None)
        facts = dict(first.facts or {})
        if len(self.members) == 1:
            return {"url": first.url, "model": first.model, "server": facts}
        each = [{"url": m.url, **({"away": True} if m.facts is None else m.facts)} for m in self.members]
        return {
            "urls": [member.url for member in self.members],
            "model": first.model,
            "server": _shared(facts),
            "servers": each,
        }

    def close(self) -> None:
        """Let go of the connections."""
        for member in self.members:
            member.server.close()

    def _is_open(self, member: Member, now: float) -> bool:
        """Whether a server is well, or may be tried by this call alone."""
        return now >= max(member.shut_until, member.rests_until) and not (member.failed and member.busy)

    def _join(self, member: Member, flight: Flight | None = None) -> None:
        model, facts = facts_of(member.server, flight)
        with self._lock:
            for known in self.members:
                if known.facts is not None:
                    _refuse_other(known, member.url, model, facts)
            member.model, member.facts = model, facts


def _shared(facts: Mapping[str, Any]) -> dict[str, Any]:
    """What servers with the same model say alike."""
    return {name: value for name, value in facts.items() if name not in SOFTWARE}


def _refuse_other(known: Member, url: str, model: str, facts: Mapping[str, Any]) -> None:
    """`BadEngine` for a server that says something else of its model than another one."""
    ours, theirs = {"model": known.model, **_shared(known.facts or {})}, {"model": model, **_shared(facts)}
    for name in sorted(ours.keys() | theirs.keys(), key=lambda name: (name != "model", name)):
        here, there = ours.get(name, "-"), theirs.get(name, "-")
        if here != there:
            raise BadEngine(
                f"the servers behind one seat differ in {name}: {here!s:.80} at {known.url}, {there!s:.80} at {url}",
                "Name servers that hold the same model with the same context.",
            )
