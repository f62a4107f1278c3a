"""Frames and states: what a reading of a question is made of, and the moves that make one reading of another.

A frame is a set of things of one kind, reached from an earlier frame by a hop of the tool graph. A state is a chain
of frames with the conditions that still wait for their noun. Costs are in the unit of word weights (see
`vocabulary`).
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import NamedTuple, cast

from tasks.legalagentbench.construct.tree import ALIASES
from tasks.legalagentbench.rules.graph import ATTRIBUTES, CASE_ROWS, ENFORCEMENT, Hop, Kind, route
from tasks.legalagentbench.rules.mentions import Modifier
from tasks.legalagentbench.rules.recognise import Entity
from tasks.legalagentbench.rules.vocabulary import CASE_UNITS

COURT_CASE = re.compile(r"（[12]\d{3}）[一-龥]{1,3}\d{0,5}[一-龥]{1,4}\d")


class Wanted(NamedTuple):
    """Something to tell about a frame: "identity", "count", "sum", "average", "spread", "listed", "days" or
    "attribute"."""

    kind: str
    concept: str = ""
    unit: str = ""
    at: int = 0


class Frame(NamedTuple):
    """A set of things. parent: index of the frame it comes from. hop None: the start, or a narrowed copy of its
    parent."""

    kind: Kind
    parent: int
    hop: Hop | None = None
    relation: str = ""
    entity: Entity | None = None
    modifiers: tuple[Modifier, ...] = ()
    wanted: tuple[Wanted, ...] = ()
    weight: float = 0.0


class State(NamedTuple):
    """A reading of the question so far."""

    frames: tuple[Frame, ...] = ()
    top: int = -1
    pending: tuple[tuple[Modifier, float], ...] = ()
    awaiting: Wanted | None = None
    cost: float = 0.0
    fresh: bool = False
    """The last mention made or named the top frame."""

    @property
    def frame(self) -> Frame:
        """The top frame."""
        return self.frames[self.top]


@dataclass(frozen=True)
class Plan:
    """The frames that matter, parents first, and the cost of the reading."""

    frames: tuple[Frame, ...]
    cost: float
    text: str = field(default="", compare=False)


SINGLE = frozenset(("max", "min", "first", "last", "ends"))
"""Choices that leave one thing, which nobody counts."""
_FITS: dict[str, frozenset[str]] = {
    "role": frozenset(CASE_ROWS), "cause": frozenset(("doc",)), "form": frozenset(("doc",)),
    "type": frozenset((*CASE_ROWS,)), "level": frozenset(("court",)), "listed": frozenset(("company",)),
    "exists": frozenset(("company",)), "other": frozenset(("court", "firm", "company")),
    "name": frozenset(("company", "court", "firm", "agency")),
    "mode": frozenset(("court", "firm", "company", "agency")),
}  # fmt: skip


def fits(modifier: Modifier, frame: Frame) -> bool:
    """Whether a condition or choice can be put to things of a frame's kind."""
    if modifier.op in _FITS:
        return frame.kind in _FITS[modifier.op]
    if modifier.op in ("first", "last") and not modifier.concepts:
        return frame.kind in CASE_ROWS or frame.kind in ("firm", "court")
    if modifier.op == "in" and modifier.concepts == ("date",):
        return frame.kind in CASE_ROWS
    if not modifier.concepts:
        return (
            frame.kind in CASE_ROWS or frame.kind == "firm" or (frame.kind == "company" and frame.relation == "sub")
        )
    return any(measures(concept, frame) for concept in modifier.concepts)


def measures(concept: str, frame: Frame) -> bool:
    """Whether things of this frame have an attribute that can be compared."""
    if concept in ("invested", "ratio"):
        return frame.kind == "company" and frame.relation == "sub"
    if concept == "amount" and frame.kind == "company":
        return False
    if concept == "date":
        return frame.kind in CASE_ROWS
    return concept in ATTRIBUTES.get(frame.kind, {})


def add(state: State, frame: Frame, cost: float) -> State:
    """The state with one more frame on top, taking the waiting conditions that fit and what was asked before its
    noun."""
    taken = tuple(m for m, _ in state.pending if fits(m, frame))
    left = tuple((m, w) for m, w in state.pending if not fits(m, frame))
    frame = frame._replace(modifiers=(*frame.modifiers, *taken))
    awaiting = state.awaiting
    if awaiting is not None and not (
        awaiting.kind == "count" and awaiting.unit in CASE_UNITS and frame.kind not in CASE_ROWS
    ):
        if awaiting.kind == "count" and any(m.op in SINGLE for m in frame.modifiers):
            cost += 4.0
        frame = frame._replace(wanted=(*frame.wanted, awaiting))
        awaiting = None
    frames = (*state.frames, frame)
    return state._replace(
        frames=frames, top=len(frames) - 1, pending=left, awaiting=awaiting, cost=state.cost + cost, fresh=True
    )


def start_kind(entity: Entity) -> Kind:
    """The kind of thing a named entity is."""
    return cast(Kind, ALIASES[entity.kind][1] if entity.kind in ALIASES else entity.kind)


def follow(state: State, origin: int, relation: str, cost: float, weight: float) -> State | None:
    """The state after the hops of a relation from a frame; intermediate frames take what fits them."""
    source = state.frames[origin]
    if source.entity is not None and source.kind == "case" and not COURT_CASE.match(source.entity.name):
        if relation == "company":
            relation = "punished_company"
        elif relation in ("case", "defendant"):
            relation = "administrative"
        elif relation in (*ENFORCEMENT, "doc", "court"):
            return None
    found = route(source.kind, relation)
    if found is None:
        return None
    hops, price = found
    if any(hop.target == "place" for hop in hops) and _within(state, origin, "place"):
        price += 1.0
    current = state._replace(top=origin)
    awaiting = current.awaiting
    for place, hop in enumerate(hops):
        last = place == len(hops) - 1
        frame = Frame(
            hop.target, current.top, hop, relation if last else hop.relation, weight=weight if last else 0.0
        )
        waiting = current.pending
        current = add(current._replace(awaiting=awaiting if last else None), frame, 0.0)
        if not last and len(current.pending) < len(waiting):
            price *= 0.2
    if not hops:
        return None
    if source.relation in ("plaintiff", "defendant"):
        price += 1.0 if relation in ("plaintiff", "defendant") else 0.4 if relation == "case" else 0.0
    if relation == "sub" and source.relation == "sub":
        price += 1.5
    price += 0.35 * len(current.pending) + _round_trip(state, origin, hops)
    if any(f.parent == origin and f.relation == relation and f.hop == hops[0] for f in state.frames):
        price += 0.8
    return current._replace(cost=current.cost + cost + price)


def _round_trip(state: State, origin: int, hops: tuple[Hop, ...]) -> float:
    """From one company to its cases and back to the company of these cases is no way at all."""
    row = state.frames[origin]
    if not hops or hops[0].relation not in ("company",) or row.kind not in CASE_ROWS:
        return 0.0
    index = row.parent
    while index >= 0 and state.frames[index].hop is None and state.frames[index].entity is None:
        index = state.frames[index].parent
    if index < 0 or state.frames[index].kind != "company":
        return 0.0
    return 1.0 if state.frames[index].relation != "sub" else 0.0


def _within(state: State, index: int, kind: Kind) -> bool:
    """Whether a frame was reached through a thing of this kind."""
    while index >= 0:
        if state.frames[index].kind == kind:
            return True
        index = state.frames[index].parent
    return False


def same(frame: Frame, relation: str) -> bool:
    """Whether a noun names a frame again."""
    if relation == "case":
        return frame.kind in CASE_ROWS or frame.kind == "case"
    if relation in ("plaintiff_firm", "defendant_firm"):
        return frame.kind == "firm" and frame.relation == relation
    if relation in ("parent", "sub", "plaintiff", "defendant", "office_address"):
        return frame.relation == relation
    return frame.kind == relation


def order(state: State) -> list[int]:
    """Frames from the top outwards: the top, what came of it, its ancestors, then the others, latest first."""
    chain = [state.top] if state.top >= 0 else []
    chain += [i for i in range(len(state.frames) - 1, -1, -1) if state.frames[i].parent == state.top]
    index = state.frames[state.top].parent if state.top >= 0 else -1
    while index >= 0:
        chain.append(index)
        index = state.frames[index].parent
    return chain + [i for i in range(len(state.frames) - 1, -1, -1) if i not in chain]


def tell(state: State, index: int, wanted: Wanted, cost: float) -> State:
    """The state in which a frame is to tell one more thing; asking twice costs a little."""
    frame = state.frames[index]
    if any(w.kind == wanted.kind and w.concept == wanted.concept for w in frame.wanted):
        return state._replace(top=index, cost=state.cost + cost + 0.3, fresh=False)
    frames = tuple(f._replace(wanted=(*f.wanted, wanted)) if i == index else f for i, f in enumerate(state.frames))
    return state._replace(frames=frames, top=index, cost=state.cost + cost, fresh=False)


def settled(state: State) -> State:
    """Conditions that wait and fit the top frame, put to a narrowed copy of it."""
    if state.top >= 0 and any(fits(m, state.frame) for m, _ in state.pending) and state.frame.entity is None:
        return add(
            state._replace(awaiting=None), Frame(state.frame.kind, state.top, None, state.frame.relation), 0.05
        )
    return state


_ADDRESSES = frozenset(("address", "register_address", "office_address"))
_EXTRA: dict[str, tuple[Kind, ...]] = {"laws": ("doc", "case"), "place": ("place",)}


def has(kind: Kind, concept: str) -> bool:
    """Whether things of a kind have an attribute, in a row or through a tool."""
    if concept.startswith("clause:"):
        return kind in ("doc",)
    if concept in _EXTRA:
        return kind in _EXTRA[concept]
    if concept in _ADDRESSES:
        return kind in ("company", "court", "firm")
    return concept in ATTRIBUTES.get(kind, {})
