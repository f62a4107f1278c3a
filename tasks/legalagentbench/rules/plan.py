"""Searches the tool graph for a path that explains the question.

Mentions are read in order by a beam search over states (`frames`), each mention offering its moves (`readings`).
Words left unexplained, hops nobody mentioned and conditions without a noun cost; the cheapest readings become plans.
"""

from __future__ import annotations

from dataclasses import replace

from tasks.legalagentbench.rules.frames import Frame, Plan, State, Wanted, settled, tell
from tasks.legalagentbench.rules.graph import BY, ENFORCEMENT
from tasks.legalagentbench.rules.mentions import Mention
from tasks.legalagentbench.rules.names import NameIndex
from tasks.legalagentbench.rules.readings import advance
from tasks.legalagentbench.rules.recognise import recognise, tidy
from tasks.legalagentbench.rules.rewording import reword
from tasks.legalagentbench.rules.wanted import read

BEAM = 120
PLANS = 6


def _finish(state: State) -> State:
    """What is left over at the end: waiting conditions, a noun nobody asked about, frames that lead nowhere."""
    state = settled(state)
    cost = state.cost + sum(weight for _, weight in state.pending)
    if state.awaiting is not None:
        if state.top >= 0 and state.frame.entity is None:
            state = tell(state, state.top, state.awaiting, 0.3)
        cost += 1.0
    if not any(frame.wanted for frame in state.frames):
        if state.top < 0:
            return state._replace(cost=99.0)
        cost += 0.4 if state.frame.entity is None else 4.0
        state = tell(state, state.top, Wanted("identity"), 0.0)
    needed: set[int] = set()
    for index, frame in enumerate(state.frames):
        if frame.wanted:
            while index >= 0:
                needed.add(index)
                index = state.frames[index].parent
    idle = [f for i, f in enumerate(state.frames) if i not in needed]
    last_idle = state.top >= 0 and state.top not in needed and state.fresh
    if last_idle and state.frame.entity is None and state.frame.weight >= 1.0:
        return _finish(
            tell(state, state.top, Wanted("identity"), 0.5)._replace(cost=cost + 0.5, pending=(), awaiting=None)
        )
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
        reached = [advanced for state in beam for advanced in advance(state, mentions, place)]
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
    text, entities = reword(text, recognise(text, index))
    mentions = tuple(read(text, entities))
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
