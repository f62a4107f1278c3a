"""A limit was reached. It is a fact of the record and never evaluated again."""

from __future__ import annotations

from typing import ClassVar, Literal

from tasks.episode.events.base import Event


class LimitHit(Event):
    """`limit` and `used` in the unit of `kind`: turns, tokens, or seconds of machine time (a human's time excluded)."""

    tag: ClassVar[str] = "limit_hit"
    timing: ClassVar[frozenset[str]] = frozenset({"used"})
    kind: Literal["turns", "tokens", "seconds"]
    limit: float
    used: float
