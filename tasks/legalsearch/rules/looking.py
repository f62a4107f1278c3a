"""What `rag_retrieve` returned, as the policy reads it: queries with their hits, from the value of a `ToolReturned`.

Total: values of another shape (another release, another agent in the same episode) give nothing, never an error. Days
are calendar days, both ends inclusive.
"""

from __future__ import annotations

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date


@dataclass(frozen=True, slots=True)
class Seen:
    """One article of one version as the search showed it; text None: the pack has its number only."""

    id: int
    law: str
    label: str
    number: str
    chinese: str
    title: str
    text: str | None
    valid_from: date | None
    valid_to: date | None
    score: float

    def covers(self, first: date, last: date) -> bool:
        """Whether the version applied on all these days."""
        begins = self.valid_from is not None and self.valid_from <= first
        return begins and (self.valid_to is None or last <= self.valid_to)

    def distance(self, first: date, last: date) -> int:
        """Days between the version and these days; 0 where they meet."""
        if self.valid_to is not None and self.valid_to < first:
            return (first - self.valid_to).days
        if self.valid_from is not None and last < self.valid_from:
            return (self.valid_from - last).days
        return 0


@dataclass(frozen=True, slots=True)
class Look:
    """One query with its hits, best first, and what the search said of laws and days: codes with what they are
    about."""

    query: str
    hits: tuple[Seen, ...] = ()
    notes: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Query:
    """What to ask next, and one visible sentence saying why."""

    texts: tuple[str, ...]
    why: str


@dataclass(frozen=True, slots=True)
class Reply:
    """An answer, how it came about, and what to say beside it. `abstained`: the answer says why there is none."""

    answer: str
    why: str
    summary: str = ""
    abstained: bool = False


Work = Generator[Query, tuple[Look, ...], Reply]
"""A solver: asks queries, is sent what they returned, ends with a reply."""


def looks(value: object) -> tuple[Look, ...]:
    """The value of a `rag_retrieve` as queries with hits."""
    if not isinstance(value, Sequence) or isinstance(value, str):
        return ()
    found = []
    for one in value:
        if isinstance(one, Mapping):
            listed = one.get("hits")
            hits = listed if isinstance(listed, Sequence) and not isinstance(listed, str) else ()
            said = one.get("notes")
            notes = tuple(map(str, said)) if isinstance(said, list | tuple) else ()
            shown = tuple(_seen(hit) for hit in hits if isinstance(hit, Mapping))
            found.append(Look(str(one.get("query", "")), shown, notes))
    return tuple(found)


def hits_of(seen: Sequence[Look]) -> list[Seen]:
    """All hits in their order, each article of each version once."""
    unique: dict[tuple[str, str], Seen] = {}
    for look in seen:
        for hit in look.hits:
            unique.setdefault((hit.label, hit.number), hit)
    return list(unique.values())


def _seen(hit: Mapping[str, object]) -> Seen:
    text, identity, score = hit.get("text"), hit.get("id"), hit.get("score")
    law, label, number, chinese, title = (
        str(hit.get(name) or "") for name in ("law", "label", "number", "chinese", "title")
    )
    return Seen(
        id=identity if isinstance(identity, int) else 0,
        law=law,
        label=label,
        number=number,
        chinese=chinese,
        title=title,
        text=text if isinstance(text, str) else None,
        valid_from=_day(hit.get("valid_from")),
        valid_to=_day(hit.get("valid_to")),
        score=float(score) if isinstance(score, int | float) else 0.0,
    )


def _day(value: object) -> date | None:
    try:
        return date.fromisoformat(value) if isinstance(value, str) else None
    except ValueError:
        return None
