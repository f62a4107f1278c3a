"""What the scores of an episode rest on, for people: own words beside the reference, and every duty, article, claim
or key with the place in the record that shows it. Made of the evidence of score rows and of nothing else.

Holds gold: made in workers by the scorekeeper, and never shown while a person sits in the tested seat. Sums in yuan.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from store.journal import ScoreRow
from tasks.benchmark import Rest
from tasks.courts.scores.rulings import judgment_of
from tasks.episode.events import Record, Said, ToolReturned
from tasks.episode.with_tools import SEAT
from tasks.scoring.strict import seen_in

AROUND = 30
"""Characters that are quoted on either side of a key."""
Texts = tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Outcome:
    """What became of a claim: granted, partly, rejected, omitted; the sum awarded, the words."""

    outcome: str
    amount: float | None
    words: str


@dataclass(frozen=True, slots=True)
class Beside:
    """Own and reference next to each other. title: of a claim its id and words; part: of what else; holds: None where
    nobody judges the whole.

    own, gold: outcomes of a claim, or paragraphs.
    """

    title: str
    own: Outcome | Texts
    gold: Outcome | Texts
    holds: bool | None = None
    seq: int | None = None
    part: Literal["whole", "answer"] = "whole"


@dataclass(frozen=True, slots=True)
class Ground:
    """Something that scores rest on. metrics: names, the first is what it is listed under; found: whether it is as it
    should be, None where that is no yes or no; seq: of the record that shows it."""

    metrics: tuple[str, ...]
    what: str
    found: bool | None
    seq: int | None = None
    quote: str = ""


@dataclass(frozen=True, slots=True)
class Grounds:
    """All of an episode."""

    beside: tuple[Beside, ...] = ()
    rows: tuple[Ground, ...] = ()


def grounds(rows: Iterable[ScoreRow], case: Any, records: Sequence[Record], rests: Iterable[Rest] = ()) -> Grounds:
    """The grounds of the newest scores of an episode.

    Args:
        rows: its score rows.
        case: the case file of a court, None elsewhere.
        records: of the episode.
        rests: what its benchmark says beyond them.
    """
    kept = [one for row in rows if isinstance(row.evidence, list) for one in row.evidence if isinstance(one, Mapping)]
    turns = _turns(records)
    found = [_rest(one, turns) for one in kept if one.get("metrics")]
    keys = {str(one["key"]): one for one in kept if "key" in one}
    found += [Ground(("score",), one.what, one.found, _returned(one.step, records), one.quote) for one in rests]
    beside = [*_claims(kept, case, turns), *_judgment(case, records), *_answers(kept)]
    return Grounds(tuple(beside), (*(_key(one, records) for one in keys.values()), *found))


def _turns(records: Sequence[Record]) -> dict[int, int]:
    """Turn -> the record in which it was spoken, the tested seat's first."""
    found: dict[int, int] = {}
    for mine in (False, True):
        for record in records:
            event = record.event
            if isinstance(event, Said) and (event.seat == SEAT) is mine:
                found[event.turn] = record.seq
    return found


def _returned(step: int, records: Sequence[Record]) -> int | None:
    """The record of a step that shows what its tool gave."""
    return next((one.seq for one in records if one.step == step and isinstance(one.event, ToolReturned)), None)


def _rest(one: Mapping[str, Any], turns: Mapping[int, int]) -> Ground:
    seq = turns.get(one.get("turn") or -1)
    return Ground(tuple(map(str, one["metrics"])), str(one["what"]), one["found"], seq, str(one.get("quote") or ""))


def _claims(kept: Sequence[Mapping[str, Any]], case: Any, turns: Mapping[int, int]) -> Iterator[Beside]:
    """Claim by claim: what the judgment made of it, what the reference made of it."""
    rests = [one for one in kept if "JUD_claims" in one.get("metrics", ())]
    read = next((one["claims"] for one in kept if one.get("claims")), ())
    words = {claim.id: claim.text for claim in getattr(case, "claims", ())}
    gold = {ruling.claim: ruling.text for ruling in getattr(getattr(case, "gold", None), "rulings", ())}
    for place, one in enumerate(read):
        claim = str(one["claim"])
        seq = turns.get(rests[place].get("turn") or -1) if place < len(rests) else None
        yield Beside(
            f"{claim} {words.get(claim, '')}".strip(), Outcome(one["said"], one["amount"], str(one["words"])),
            Outcome(one["gold"], one["gold_amount"], gold.get(claim, "")), bool(one["holds"]), seq,
        )  # fmt: skip


def _judgment(case: Any, records: Sequence[Record]) -> Iterator[Beside]:
    """The operative part of both judgments."""
    said = [record for record in records if isinstance(record.event, Said) and record.event.seat == SEAT]
    gold = tuple(getattr(getattr(case, "gold", None), "judgment", ()))
    own = judgment_of([record.event.text for record in said if isinstance(record.event, Said)]) if gold else None
    if own is not None:
        yield Beside("", own.rulings, gold, seq=said[-1].seq)


def _answers(kept: Sequence[Mapping[str, Any]]) -> Iterator[Beside]:
    """What was read from an answer beside what the key says, once."""
    for one in [one for one in kept if "read" in one and "gold" in one][:1]:
        own, gold = (_text(one[name]) for name in ("read", "gold"))
        yield Beside("", (own,), (gold,), own == gold, part="answer")


def _text(value: object) -> str:
    return "、".join(map(str, value)) if isinstance(value, list | tuple) else "" if value is None else str(value)


def _key(one: Mapping[str, Any], records: Sequence[Record]) -> Ground:
    """A key of a question, with the observation that first showed it."""
    key = str(one["key"])
    name = "process" if one.get("kind") == "middle" else "success"
    for record in records:
        if isinstance(record.event, ToolReturned) and seen_in(key, record.event.observation):
            text = record.event.observation
            at = max(0, text.find(key))
            quote = text[max(0, at - AROUND) : at + len(key) + AROUND]
            return Ground((name,), key, bool(one.get("strict_hit")), record.seq, quote)
    return Ground((name,), key, bool(one.get("strict_hit")))
