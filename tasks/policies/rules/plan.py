"""Searches the tool graph for a path that explains the question.

Mentions are read in order by a beam search. A state is a chain of frames (sets of things of one kind, each reached by a
hop from an earlier frame), the conditions that wait for their noun, and what is to be told. Words left unexplained,
hops nobody mentioned and conditions without a noun cost; the cheapest readings become plans, best first.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field, replace
from typing import NamedTuple

from tasks.policies.rules.graph import ATTRIBUTES, BY, CASE_ROWS, ENFORCEMENT, IMPLIES, Hop, Kind, route
from tasks.policies.rules.names import NameIndex
from tasks.policies.rules.recognise import Entity, recognise, tidy
from tasks.policies.rules.vocabulary import CASE_UNITS
from tasks.policies.rules.wanted import Mention, Modifier, read

_COURT_CASE = re.compile(r"（[12]\d{3}）[一-龥]{1,3}\d{0,5}[一-龥]{1,4}\d")
BEAM = 120
PLANS = 6


class Wanted(NamedTuple):
    """Something to tell about a frame: "identity", "count", "sum", "listed", "days" or "attribute"."""

    kind: str
    concept: str = ""
    unit: str = ""
    at: int = 0


class Frame(NamedTuple):
    """A set of things. parent: index of the frame it comes from. hop None: the start, or a narrowed copy of its parent."""

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


_SINGLE = frozenset(("max", "min", "first", "last", "ends"))
"""Choices that leave one thing, which nobody counts."""
_FITS: dict[str, frozenset[str]] = {
    "role": frozenset(CASE_ROWS), "cause": frozenset(("doc",)), "type": frozenset((*CASE_ROWS,)),
    "level": frozenset(("court",)), "listed": frozenset(("company",)), "exists": frozenset(("company",)),
    "other": frozenset(("court", "firm", "company")), "name": frozenset(("company", "court", "firm", "agency")),
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
        return frame.kind in CASE_ROWS or frame.kind == "firm" or (frame.kind == "company" and frame.relation == "sub")
    return any(_measures(concept, frame) for concept in modifier.concepts)


def _measures(concept: str, frame: Frame) -> bool:
    if concept in ("invested", "ratio"):
        return frame.kind == "company" and frame.relation == "sub"
    if concept == "amount" and frame.kind == "company":
        return False
    if concept == "date":
        return frame.kind in CASE_ROWS
    return concept in ATTRIBUTES.get(frame.kind, {})


def _add(state: State, frame: Frame, cost: float) -> State:
    """The state with one more frame on top, taking the waiting conditions that fit and what was asked before its noun."""
    taken = tuple(m for m, _ in state.pending if fits(m, frame))
    left = tuple((m, w) for m, w in state.pending if not fits(m, frame))
    frame = frame._replace(modifiers=(*frame.modifiers, *taken))
    awaiting = state.awaiting
    if awaiting is not None and not (awaiting.kind == "count" and awaiting.unit in CASE_UNITS and frame.kind not in CASE_ROWS):
        if awaiting.kind == "count" and any(m.op in _SINGLE for m in frame.modifiers):
            cost += 4.0
        frame = frame._replace(wanted=(*frame.wanted, awaiting))
        awaiting = None
    frames = (*state.frames, frame)
    return state._replace(
        frames=frames, top=len(frames) - 1, pending=left, awaiting=awaiting, cost=state.cost + cost, fresh=True
    )


def _start_kind(entity: Entity) -> Kind:
    kinds: dict[str, Kind] = {
        "company": "company", "short": "company", "stock": "company", "credit": "company", "case": "case",
        "court": "court", "firm": "firm", "address": "address", "agency": "agency", "place": "place",
    }  # fmt: skip
    return kinds[entity.kind]


def _follow(state: State, origin: int, relation: str, cost: float, weight: float) -> State | None:
    """The state after the hops of a relation from a frame; intermediate frames take what fits them."""
    source = state.frames[origin]
    if source.entity is not None and source.kind == "case" and not _COURT_CASE.match(source.entity.name):
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
        frame = Frame(hop.target, current.top, hop, relation if last else hop.relation, weight=weight if last else 0.0)
        waiting = current.pending
        current = _add(current._replace(awaiting=awaiting if last else None), frame, 0.0)
        if not last and len(current.pending) < len(waiting):
            price *= 0.2
    if not hops:
        return None
    if source.relation in ("plaintiff", "defendant"):
        price += 1.0 if relation in ("plaintiff", "defendant") else 0.4 if relation == "case" else 0.0
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


def _same(frame: Frame, relation: str) -> bool:
    """Whether a noun names a frame again."""
    if relation == "case":
        return frame.kind in CASE_ROWS or frame.kind == "case"
    if relation in ("plaintiff_firm", "defendant_firm"):
        return frame.kind == "firm" and frame.relation == relation
    if relation in ("parent", "sub", "plaintiff", "defendant", "office_address"):
        return frame.relation == relation
    return frame.kind == relation


def _root(state: State) -> int:
    return next((i for i, f in enumerate(state.frames) if f.entity is not None), 0)


def _relation(state: State, relation: str, mention: Mention) -> list[State]:
    """Readings of a noun: the top frame again, an earlier frame again, or a hop from one of them."""
    results: list[State] = []
    weight = mention.weight * mention.factor
    away = (1.0 - mention.factor) * min(mention.weight, 2.0)
    for distance, index in enumerate(_order(state)):
        frame = state.frames[index]
        back = 0.0 if distance == 0 else 0.25 + 0.2 * distance
        if _same(frame, relation):
            price = back * (0.3 if mention.pointing else 0.4 if relation == "case" and frame.kind != "doc" else 0.8)
            waiting = tuple(m for m, _ in state.pending if fits(m, frame))
            if waiting or state.awaiting:
                single = frame.entity is not None and frame.kind != "case"
                copy = Frame(frame.kind, index, None, frame.relation)
                results.append(_add(state._replace(top=index), copy, price + (1.2 if single else 0.0)))
            else:
                results.append(state._replace(top=index, cost=state.cost + price, fresh=True))
        pointing = 0.8 if mention.pointing and any(_same(f, relation) for f in state.frames) else 0.0
        if relation == "firm" and frame.relation in ("plaintiff", "defendant") and frame.parent >= 0:
            sided = _follow(state, frame.parent, f"{frame.relation}_firm", back + away, weight)
            if sided is not None and state.frames[frame.parent].kind == "doc":
                results.append(sided)
        for meant in _meant(state, frame, relation):
            followed = _follow(state, index, meant, back + away + pointing, weight)
            if followed is not None:
                results.append(followed)
    return results


def _meant(state: State, frame: Frame, relation: str) -> tuple[str, ...]:
    """A plain 案件 means the kind of case that the waiting conditions speak of."""
    if relation != "case" or frame.kind in CASE_ROWS:
        return (relation,)
    kinds = {kind for m, _ in state.pending for c in m.concepts for kind in IMPLIES.get(c, ())}
    return tuple(sorted(kinds)) or (relation,)


def _order(state: State) -> list[int]:
    """Frames from the top outwards: the top, what came of it, its ancestors, then the others, latest first."""
    chain = [state.top] if state.top >= 0 else []
    chain += [i for i in range(len(state.frames) - 1, -1, -1) if state.frames[i].parent == state.top]
    index = state.frames[state.top].parent if state.top >= 0 else -1
    while index >= 0:
        chain.append(index)
        index = state.frames[index].parent
    return chain + [i for i in range(len(state.frames) - 1, -1, -1) if i not in chain]


def _tell(state: State, index: int, wanted: Wanted, cost: float) -> State:
    frame = state.frames[index]
    if any(w.kind == wanted.kind and w.concept == wanted.concept for w in frame.wanted):
        return state._replace(top=index, cost=state.cost + cost + 0.3, fresh=False)
    frames = tuple(
        f._replace(wanted=(*f.wanted, wanted)) if i == index else f for i, f in enumerate(state.frames)
    )
    return state._replace(frames=frames, top=index, cost=state.cost + cost, fresh=False)


def _settled(state: State) -> State:
    """Conditions that wait and fit the top frame, put to a narrowed copy of it."""
    if state.top >= 0 and any(fits(m, state.frame) for m, _ in state.pending) and state.frame.entity is None:
        return _add(state._replace(awaiting=None), Frame(state.frame.kind, state.top, None, state.frame.relation), 0.05)
    return state


_ADDRESSES = frozenset(("address", "register_address", "office_address"))
_EXTRA: dict[str, tuple[Kind, ...]] = {"laws": ("doc", "case"), "place": ("place",)}
_REACH = ("company", "court", "firm", "place", "doc", "address")


def _has(kind: Kind, concept: str) -> bool:
    if concept.startswith("clause:"):
        return kind in ("doc",)
    if concept in _EXTRA:
        return kind in _EXTRA[concept]
    if concept in _ADDRESSES:
        return kind in ("company", "court", "firm")
    return concept in ATTRIBUTES.get(kind, {})


def _attribute(state: State, concept: str, mention: Mention) -> list[State]:
    results: list[State] = []
    away = (1.0 - mention.factor) * min(mention.weight, 2.5)
    wanted = Wanted("attribute", concept, mention.unit, mention.start)
    base = _settled(state)
    for distance, index in enumerate(_order(base)):
        back = 0.0 if distance == 0 else 0.1 + 0.1 * distance
        kind = base.frames[index].kind
        if _has(kind, concept):
            extra = 0.3 if concept == "link" else 0.0
            results.append(_tell(base, index, wanted, back + away + extra))
            continue
        for relation in (*_REACH, *IMPLIES.get(concept, ())):
            found = route(kind, relation)
            if found is None or not _has(found[0][-1].target, concept):
                continue
            if concept in ("register_address", "office_address") and found[0][-1].target != "company":
                continue
            guess = 0.4 if found[0][0].source == "case" or relation == "place" or relation in IMPLIES.get(concept, ()) else 1.0
            followed = _follow(base._replace(awaiting=None), index, relation, back + away + guess, 0.0)
            if followed is not None:
                told = _tell(followed, followed.top, wanted, 0.0)
                results.append(told._replace(awaiting=base.awaiting, top=index if relation == "place" else told.top))
    return results


def _count(state: State, mention: Mention, next_relation: bool) -> list[State]:
    wanted = Wanted("count", "", mention.unit, mention.start)
    away = (1.0 - mention.factor) * 2.0
    results: list[State] = []
    if "closing" not in mention.facts:
        price = away + (0.0 if next_relation else 0.5)
        results.append(state._replace(awaiting=wanted, cost=state.cost + price, fresh=False))
    base = _settled(state)
    implied = "case" in mention.facts or mention.unit in CASE_UNITS
    for distance, index in enumerate(_order(base)):
        frame = base.frames[index]
        if implied and frame.kind in ("company", "firm", "agency"):
            guess = (0.1 if "case" in mention.facts else 0.9) + 0.35 * distance + away
            followed = _follow(base._replace(awaiting=None), index, "case", guess, 0.0)
            if followed is not None:
                results.append(_tell(followed, followed.top, wanted, 0.0)._replace(awaiting=base.awaiting))
        if frame.entity is not None or frame.kind in ("place", "address"):
            continue
        rows = frame.kind in CASE_ROWS
        wrong = 0.0
        if (mention.unit in CASE_UNITS or "case" in mention.facts) and not rows:
            wrong = 1.2
        elif mention.unit == "家" and rows:
            wrong = 0.5
        if any(m.op in _SINGLE for m in frame.modifiers):
            wrong += 4.0
        if not rows and frame.relation not in ("sub", "court", "firm", "neighbour") and frame.parent >= 0:
            wrong += 0.8
        back = 0.0 if distance == 0 else 0.3 + 0.25 * distance
        results.append(_tell(base, index, wanted, wrong + back + away + (0.4 if next_relation else 0.0)))
    return results


def _modifier(state: State, mention: Mention, followed_by_noun: bool) -> list[State]:
    assert mention.modifier is not None
    modifier = mention.modifier
    weight = mention.weight * mention.factor
    away = (1.0 - mention.factor) * 1.0
    wait = 0.4 if "conjunct" in mention.facts else 0.0
    said = 0.5 if "predicate" in mention.facts else 0.0
    results = [state._replace(pending=(*state.pending, (modifier, weight)), cost=state.cost + away + wait + said, fresh=False)]
    if state.top < 0:
        return results
    for kind in {kind for concept in modifier.concepts for kind in IMPLIES.get(concept, ())}:
        if state.frame.kind in ("company", "court", "case", "agency"):
            followed = _follow(state._replace(pending=(*state.pending, (modifier, weight))), state.top, kind, away + 0.4, 0.0)
            if followed is not None:
                results.append(followed)
    for distance, index in enumerate(_order(state)[:3]):
        frame = state.frames[index]
        if frame.entity is not None or not fits(modifier, frame):
            continue
        if "conjunct" in mention.facts and distance == 0:
            frames = list(state.frames)
            frames[index] = frame._replace(modifiers=(*frame.modifiers, modifier))
            results.append(state._replace(frames=tuple(frames), cost=state.cost + away + 0.02, fresh=True))
        if frame.wanted and distance == 0 and not frame.modifiers and mention.kind == "modifier":
            frames = list(state.frames)
            frames[index] = frame._replace(modifiers=(modifier,))
            results.append(state._replace(frames=tuple(frames), cost=state.cost + away + 0.35, fresh=True))
        cost = away + wait + (0.0 if said else 0.12) + 0.35 * distance
        copy = Frame(frame.kind, index, None, frame.relation, modifiers=(modifier,))
        narrowed = _add(state._replace(top=index), copy, cost)
        results.append(narrowed)
        if mention.kind == "select" and modifier.concepts:
            concept = next((c for c in modifier.concepts if _measures(c, frame)), "")
            asked = 0.9 if "before" not in mention.facts else 0.25 if followed_by_noun else -0.1
            if "多少" in mention.text:
                asked = -0.6
            if concept:
                results.append(_tell(narrowed, narrowed.top, Wanted("attribute", concept, "", mention.start), asked))
    return results


def _next_is_noun(mentions: tuple[Mention, ...], place: int) -> bool:
    if "closing" in mentions[place].facts:
        return False
    for mention in mentions[place + 1 : place + 3]:
        if mention.relations:
            return True
        if mention.kind not in ("modifier", "select", "focus"):
            return False
    return False


_PAID = frozenset("amount invested capital target unpaid fine issue_price par_value net_raised".split())


def _money(state: State, mention: Mention) -> list[State]:
    """多少元: the amount of the top frame unless an amount was told just before."""
    recent = [w for f in state.frames for w in f.wanted if w.at <= mention.start and mention.start - w.at < 16]
    if any(w.concept in _PAID or w.kind == "sum" or w.concept.startswith("clause") for w in recent):
        return [state]
    results: list[State] = []
    base = _settled(state)
    frame = base.frame
    concept = "amount" if frame.kind in CASE_ROWS else "invested" if frame.relation == "sub" else "capital"
    if _has(frame.kind, concept):
        results.append(_tell(base, base.top, Wanted("attribute", concept, mention.unit, mention.start), 0.3))
    return results


def _sum(state: State, mention: Mention) -> list[State]:
    base = _settled(state)
    results: list[State] = []
    away = (1.0 - mention.factor) * 2.0
    for distance, index in enumerate(_order(base)):
        frame = base.frames[index]
        options = [c for c in (mention.concepts or ("amount", "invested")) if _measures(c, frame)]
        if not options and frame.kind in CASE_ROWS and "invested" not in mention.concepts:
            options = ["amount"]
        if not options and frame.relation == "sub":
            options = ["invested"]
        if options and frame.entity is None:
            back = 0.0 if distance == 0 else 0.3 + 0.2 * distance
            results.append(_tell(base, index, Wanted("sum", options[0], mention.unit, mention.start), back + away))
    for concept in mention.concepts:
        results += [s._replace(cost=s.cost + 0.6) for s in _attribute(state, concept, mention)]
    return results


_NAMING = {"listed": 0.05, "closing": 0.3, "pausing": 0.7}


def _named(state: State, mention: Mention, price: float) -> State:
    """A noun in an enumeration, or at the end of a sentence, is itself something to tell."""
    return _tell(state, state.top, Wanted("identity", "", "", mention.start), price + 1.0 - mention.factor)


def _same_thing(first: Entity, second: Entity) -> bool:
    return first.name == second.name or (first.place is not None and first.place == second.place)


def _entity(state: State, mention: Mention) -> list[State]:
    assert mention.entity is not None
    entity = mention.entity
    away = (1.0 - mention.factor) * 0.5
    for index, frame in enumerate(state.frames):
        if frame.entity is not None and frame.entity.kind == entity.kind and _same_thing(frame.entity, entity):
            return [state._replace(top=index, fresh=True)]
    frame = Frame(_start_kind(entity), -1, entity=entity, weight=mention.weight * mention.factor)
    if not state.frames:
        return [_add(state, frame, away)]
    vague = entity.kind == "place" and not (entity.place and entity.place.county)
    return [_add(state, frame, 2.5 if not vague else 3.0)]


def _advance(state: State, mentions: tuple[Mention, ...], place: int) -> list[State]:
    mention = mentions[place]
    factor = mention.factor * (0.3 if mention.pointing else 1.0)
    if set(mention.relations) & {*ENFORCEMENT, "administrative"}:
        factor = max(factor, 0.4)
    skipped = state._replace(cost=state.cost + mention.weight * factor)
    results = [skipped]
    if mention.kind == "entity":
        return [*results, *_entity(state, mention)]
    if state.top < 0:
        if mention.modifier:
            results.append(state._replace(pending=(*state.pending, (mention.modifier, mention.weight)), cost=state.cost + 0.3 + 1 - mention.factor))
        elif mention.kind == "which":
            results.append(state)
        return results
    match mention.kind:
        case "term":
            for relation in mention.relations:
                reached = _relation(state, relation, mention)
                for fact, price in _NAMING.items():
                    if fact in mention.facts and relation not in ("place", "case"):
                        results += [_named(s, mention, price) for s in reached if s.frame.entity is None]
                results += reached
                if relation in ENFORCEMENT or relation == "administrative":
                    results.append(state._replace(pending=(*state.pending, (Modifier("exists", (), relation), 0.3)), cost=state.cost + 0.7))
            for concept in mention.concepts:
                results += _attribute(state, concept, mention)
        case "modifier" | "select":
            results += _modifier(state, mention, _next_is_noun(mentions, place))
        case "count":
            results += _count(state, mention, _next_is_noun(mentions, place))
        case "sum":
            results += _sum(state, mention)
        case "money":
            results += _money(state, mention)
        case "ask" | "which":
            results += _ask(state, mention, _next_is_noun(mentions, place))
        case "listed":
            results += _listed(state, mention)
        case "days":
            results += _days(state, mention)
        case "invests":
            results += _invests(state, mention)
        case "focus":
            results += [state._replace(top=i, cost=state.cost + 0.3) for i in _order(state)[1:4]]
            results.append(state._replace(fresh=False))
    return results


def _ask(state: State, mention: Mention, next_relation: bool) -> list[State]:
    identity = Wanted("identity", "", "", mention.start)
    if mention.kind == "which" and next_relation and state.awaiting is None:
        return [state._replace(awaiting=identity)]
    results = [state]
    base = _settled(state)
    if (state.fresh or base is not state) and base.frame.entity is None:
        results = [state._replace(cost=state.cost + 0.3 * mention.factor)]
        results.append(_tell(base, base.top, identity, (1.0 - mention.factor)))
    return results


def _listed(state: State, mention: Mention) -> list[State]:
    wanted = Wanted("listed", "", "", mention.start)
    results: list[State] = []
    for distance, index in enumerate(_order(state)):
        back = 0.0 if distance == 0 else 0.25 * distance
        if state.frames[index].kind == "company":
            results.append(_tell(state, index, wanted, back))
        followed = _follow(state, index, "company", back + 0.5, 0.0)
        if followed is not None:
            results.append(_tell(followed, followed.top, wanted, 0.0))
    return results


def _days(state: State, mention: Mention) -> list[State]:
    wanted = Wanted("days", "", "天", mention.start)
    return [
        _tell(state, index, wanted, 0.2 * distance)
        for distance, index in enumerate(_order(state))
        if state.frames[index].kind in CASE_ROWS
    ]


def _invests(state: State, mention: Mention) -> list[State]:
    results: list[State] = []
    for distance, index in enumerate(_order(state)):
        if state.frames[index].kind != "company" and state.frames[index].kind not in CASE_ROWS:
            continue
        followed = _follow(state, index, "sub", 0.3 * distance, mention.weight * mention.factor)
        if followed is None:
            continue
        if not mention.unit and "多少" not in mention.text and "几" not in mention.text:
            results.append(followed._replace(cost=followed.cost + 0.3))
            continue
        results.append(_tell(followed, followed.top, Wanted("count", "", mention.unit, mention.start), 0.0))
    return [*results, state._replace(cost=state.cost + 0.6)] if not mention.unit and "多" not in mention.text else results


def _finish(state: State) -> State:
    """What is left over at the end: waiting conditions, a noun nobody asked about, frames that lead nowhere."""
    state = _settled(state)
    cost = state.cost + sum(weight for _, weight in state.pending)
    if state.awaiting is not None:
        if state.top >= 0 and state.frame.entity is None:
            state = _tell(state, state.top, state.awaiting, 0.3)
        cost += 1.0
    if not any(frame.wanted for frame in state.frames):
        if state.top < 0:
            return state._replace(cost=99.0)
        cost += 0.4 if state.frame.entity is None else 4.0
        state = _tell(state, state.top, Wanted("identity"), 0.0)
    needed: set[int] = set()
    for index, frame in enumerate(state.frames):
        if frame.wanted:
            while index >= 0:
                needed.add(index)
                index = state.frames[index].parent
    idle = [f for i, f in enumerate(state.frames) if i not in needed]
    last_idle = state.top >= 0 and state.top not in needed and state.fresh
    if last_idle and state.frame.entity is None and state.frame.weight >= 1.0:
        return _finish(_tell(state, state.top, Wanted("identity"), 0.5)._replace(cost=cost + 0.5, pending=(), awaiting=None))
    cost += sum(f.weight + 1.0 * len(f.modifiers) for f in idle)
    return state._replace(cost=cost)


def _pack(state: State, text: str) -> Plan:
    needed: list[int] = []
    for index, frame in enumerate(state.frames):
        if frame.wanted:
            while index >= 0:
                if index not in needed:
                    needed.append(index)
                index = state.frames[index].parent
    needed.sort()
    position = {old: new for new, old in enumerate(needed)}
    frames = tuple(
        state.frames[old]._replace(parent=position.get(state.frames[old].parent, -1), weight=0.0) for old in needed
    )
    return Plan(frames, round(state.cost, 3), text)


def _signature(state: State) -> tuple[object, ...]:
    return (state.frames, state.top, state.pending, state.awaiting)


def _cost(state: State) -> float:
    return state.cost


def _distinct(states: list[State]) -> list[State]:
    """The cheapest different states, as many as the beam is wide."""
    kept: list[State] = []
    seen: set[tuple[object, ...]] = set()
    for state in states:
        key = _signature(state)
        if key not in seen:
            seen.add(key)
            kept.append(state)
            if len(kept) == BEAM:
                break
    return kept


def _search(mentions: tuple[Mention, ...], text: str, surcharge: float = 0.0) -> list[Plan]:
    beam = [State(cost=surcharge)]
    for place in range(len(mentions)):
        reached = [advanced for state in beam for advanced in _advance(state, mentions, place)]
        reached.sort(key=_cost)
        beam = _distinct(reached)
    plans: dict[tuple[Frame, ...], Plan] = {}
    for state in sorted((_finish(state) for state in beam), key=_cost):
        if state.cost >= 99.0:
            continue
        plan = _pack(state, text)
        if plan.frames and plan.frames not in plans:
            plans[plan.frames] = plan
    return list(plans.values())[:PLANS]


def _heard(mention: Mention, first: Mention) -> Mention:
    """A kind of case named before its company counts: 失信被执行企业，尤其是某公司的案件."""
    if mention.start < first.start and set(mention.relations) & {*ENFORCEMENT, "administrative"}:
        return replace(mention, factor=max(mention.factor, 0.7))
    return mention


def plans_for(question: str, index: NameIndex) -> list[Plan]:
    """Readings of a question, cheapest first. A pure function of the question and the names."""
    text = tidy(question)
    mentions = tuple(read(text, recognise(text, index)))
    plans = _search(mentions, text)
    strong = [m for m in mentions if m.kind == "entity" and m.weight > 1]
    if strong and mentions[0] is not strong[0]:
        first = strong[0]
        moved = (replace(first, factor=1.0), *(_heard(m, first) for m in mentions if m is not first))
        plans += _search(moved, text, 0.4)
    plans.sort(key=lambda plan: plan.cost)
    return plans[:PLANS]


def instead_of_documents(plan: Plan) -> list[Plan]:
    """The plan with enforcement records in place of judgments, for a company that has no judgment on record."""
    variants: list[Plan] = []
    for kind in ENFORCEMENT:
        frames: list[Frame] | None = []
        swapped = False
        for frame in plan.frames:
            source = frames[frame.parent].kind if frames and 0 <= frame.parent < len(frames) else None
            if frame.hop is None or source is None:
                new = frame._replace(kind=source) if source and frame.entity is None else frame
            elif frame.kind == "doc" and (source, kind) in BY:
                new, swapped = frame._replace(kind=kind, hop=BY[(source, kind)], relation=kind), True
            elif (source, frame.hop.relation) in BY:
                hop = BY[(source, frame.hop.relation)]
                new = frame._replace(kind=hop.target, hop=hop)
            else:
                frames = None
                break
            assert frames is not None
            frames.append(new)
        if frames and swapped:
            variants.append(Plan(tuple(frames), plan.cost + 1.0, plan.text))
    return variants
