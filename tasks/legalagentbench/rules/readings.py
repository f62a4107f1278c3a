"""What each mention of a question may do to a reading: one function a kind of mention, each giving cheaper and dearer
moves."""

from __future__ import annotations

from tasks.legalagentbench.rules.frames import (
    SINGLE,
    Frame,
    State,
    Wanted,
    add,
    fits,
    follow,
    has,
    measures,
    order,
    same,
    settled,
    start_kind,
    tell,
)
from tasks.legalagentbench.rules.graph import CASE_ROWS, ENFORCEMENT, IMPLIES, route
from tasks.legalagentbench.rules.mentions import Mention, Modifier
from tasks.legalagentbench.rules.recognise import Entity
from tasks.legalagentbench.rules.vocabulary import CASE_UNITS, words

_UNSEEN = 0.15
"""What it costs to take 该公司 for a company that nothing has named yet."""
_REACH = ("company", "court", "firm", "place", "doc", "address")


def _relation(state: State, relation: str, mention: Mention) -> list[State]:
    """Readings of a noun: the top frame again, an earlier frame again, or a hop from one of them."""
    results: list[State] = []
    weight = mention.weight * mention.factor
    away = (1.0 - mention.factor) * min(mention.weight, 2.0)
    for distance, index in enumerate(order(state)):
        frame = state.frames[index]
        back = 0.0 if distance == 0 else 0.25 + 0.2 * distance
        if same(frame, relation):
            price = back * (0.3 if mention.pointing else 0.4 if relation == "case" and frame.kind != "doc" else 0.8)
            waiting = tuple(m for m, _ in state.pending if fits(m, frame))
            if waiting or state.awaiting:
                single = frame.entity is not None and frame.kind != "case"
                copy = Frame(frame.kind, index, None, frame.relation)
                again = sum(_again(state, frame, m) for m in waiting)
                results.append(add(state._replace(top=index), copy, price + again + (1.2 if single else 0.0)))
            else:
                results.append(state._replace(top=index, cost=state.cost + price, fresh=True))
        pointing = (0.8 if any(same(f, relation) for f in state.frames) else _UNSEEN) if mention.pointing else 0.0
        if relation == "firm" and frame.relation in ("plaintiff", "defendant") and frame.parent >= 0:
            sided = follow(state, frame.parent, f"{frame.relation}_firm", back + away, weight)
            if sided is not None and state.frames[frame.parent].kind == "doc":
                results.append(sided)
        for meant in _meant(state, frame, relation):
            followed = follow(state, index, meant, back + away + pointing, weight)
            if followed is not None:
                results.append(followed)
    return results


def _meant(state: State, frame: Frame, relation: str) -> tuple[str, ...]:
    """A plain 案件 means the kind of case that the waiting conditions speak of; 持股100%的公司 a subsidiary."""
    if relation == "company" and frame.kind == "company" and frame.relation != "sub":
        waiting = {concept for modifier, _ in state.pending for concept in modifier.concepts}
        return ("sub",) if waiting & {"invested", "ratio"} else ()
    if relation != "case" or frame.kind in CASE_ROWS:
        return (relation,)
    kinds = {kind for m, _ in state.pending for c in m.concepts for kind in IMPLIES.get(c, ())}
    return tuple(sorted(kinds)) or (relation,)


def _attribute(state: State, concept: str, mention: Mention) -> list[State]:
    results: list[State] = []
    away = (1.0 - mention.factor) * min(mention.weight, 2.5)
    wanted = Wanted("attribute", concept, mention.unit, mention.start)
    base = settled(state)
    for distance, index in enumerate(order(base)):
        back = 0.0 if distance == 0 else 0.1 + 0.1 * distance
        kind = base.frames[index].kind
        if has(kind, concept):
            extra = 0.3 if concept == "link" else 0.0
            if (
                concept == "invested"
                and "amount" in mention.concepts
                and base.frames[index].relation not in ("sub", "parent")
            ):
                extra += 0.4
            results.append(tell(base, index, wanted, back + away + extra))
            continue
        for relation in (*_REACH, *IMPLIES.get(concept, ())):
            found = route(kind, relation)
            if found is None or not has(found[0][-1].target, concept):
                continue
            if concept in ("register_address", "office_address") and found[0][-1].target != "company":
                continue
            guess = (
                0.4
                if found[0][0].source == "case" or relation == "place" or relation in IMPLIES.get(concept, ())
                else 1.0
            )
            guess += (
                0.8
                if base.frames[index].parent >= 0
                and base.frames[base.frames[index].parent].kind == found[0][-1].target
                else 0.0
            )
            followed = follow(base._replace(awaiting=None), index, relation, back + away + guess, 0.0)
            if followed is not None:
                told = tell(followed, followed.top, wanted, 0.0)
                results.append(told._replace(awaiting=base.awaiting, top=index if relation == "place" else told.top))
    return results


def _count(state: State, mention: Mention, next_relation: bool) -> list[State]:
    wanted = Wanted("count", "", mention.unit, mention.start)
    away = (1.0 - mention.factor) * 2.0
    results: list[State] = []
    if "closing" not in mention.facts:
        price = away + (0.0 if next_relation else 0.5)
        results.append(state._replace(awaiting=wanted, cost=state.cost + price, fresh=False))
    base = settled(state)
    implied = "case" in mention.facts or mention.unit in CASE_UNITS
    for distance, index in enumerate(order(base)):
        frame = base.frames[index]
        if implied and frame.kind in ("company", "firm", "agency"):
            guess = (0.1 if "case" in mention.facts else 0.9) + 0.35 * distance + away
            followed = follow(base._replace(awaiting=None), index, "case", guess, 0.0)
            if followed is not None:
                results.append(tell(followed, followed.top, wanted, 0.0)._replace(awaiting=base.awaiting))
        if frame.entity is not None or frame.kind in ("place", "address"):
            continue
        rows = frame.kind in CASE_ROWS
        wrong = 0.0
        if (mention.unit in CASE_UNITS or "case" in mention.facts) and not rows:
            wrong = 1.2
        elif mention.unit == "家" and rows:
            wrong = 0.5
        if any(m.op in SINGLE for m in frame.modifiers):
            wrong += 4.0
        if not rows and frame.relation not in ("sub", "court", "firm", "neighbour") and frame.parent >= 0:
            wrong += 0.8
        if frame.relation == "parent":
            wrong += 1.5
        back = 0.0 if distance == 0 else 0.3 + 0.25 * distance
        results.append(tell(base, index, wanted, wrong + back + away + (0.4 if next_relation else 0.0)))
    return results


def _modifier(state: State, mention: Mention, followed_by_noun: bool) -> list[State]:
    assert mention.modifier is not None
    modifier = mention.modifier
    weight = mention.weight * mention.factor
    away = (1.0 - mention.factor) * 1.0
    wait = 0.4 if "conjunct" in mention.facts else 0.0
    said = 0.5 if "predicate" in mention.facts else 0.0
    results = [
        state._replace(
            pending=(*state.pending, (modifier, weight)), cost=state.cost + away + wait + said, fresh=False
        )
    ]
    if state.top < 0:
        return results
    if "predicate" in mention.facts and state.frame.entity is not None:
        results.append(state._replace(cost=state.cost + 0.1))
    for kind in sorted({kind for concept in modifier.concepts for kind in IMPLIES.get(concept, ())}):
        if state.frame.kind in ("company", "court", "case", "agency"):
            followed = follow(
                state._replace(pending=(*state.pending, (modifier, weight))), state.top, kind, away + 0.4, 0.0
            )
            if followed is not None:
                results.append(followed)
    for distance, index in enumerate(order(state)[:3]):
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
        cost = away + wait + (0.0 if said else 0.12) + 0.35 * distance + _again(state, frame, modifier)
        copy = Frame(frame.kind, index, None, frame.relation, modifiers=(modifier,))
        narrowed = add(state._replace(top=index), copy, cost)
        results.append(narrowed)
        if mention.kind == "select" and modifier.concepts:
            concept = next((c for c in modifier.concepts if measures(c, frame)), "")
            asked = 0.9 if "before" not in mention.facts else 0.25 if followed_by_noun else -0.1
            if "多少" in mention.text:
                asked = -0.6
            if concept:
                results.append(tell(narrowed, narrowed.top, Wanted("attribute", concept, "", mention.start), asked))
    return results


def _again(state: State, frame: Frame, modifier: Modifier) -> float:
    """One thing chosen from what is already one thing is no choice: the second of 最高的…，最低的… starts afresh."""
    return 1.5 if modifier.op in SINGLE and any(m.op in SINGLE for m in frame.modifiers) else 0.0


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
    if any(w.concept in _PAID or w.kind in words().figures or w.concept.startswith("clause") for w in recent):
        return [state]
    results: list[State] = []
    base = settled(state)
    frame = base.frame
    concept = "amount" if frame.kind in CASE_ROWS else "invested" if frame.relation == "sub" else "capital"
    if has(frame.kind, concept):
        results.append(tell(base, base.top, Wanted("attribute", concept, mention.unit, mention.start), 0.3))
    return results


def _sum(state: State, mention: Mention) -> list[State]:
    base = settled(state)
    results: list[State] = []
    away = (1.0 - mention.factor) * 2.0
    kind = next((fact for fact in mention.facts if fact in words().figures), "sum")
    for distance, index in enumerate(order(base)):
        frame = base.frames[index]
        options = [c for c in (mention.concepts or ("amount", "invested")) if measures(c, frame)]
        if not options and frame.kind in CASE_ROWS and "invested" not in mention.concepts:
            options = ["amount"]
        if not options and frame.relation == "sub":
            options = ["invested"]
        if options and frame.entity is None:
            back = 0.0 if distance == 0 else 0.3 + 0.2 * distance
            results.append(tell(base, index, Wanted(kind, options[0], mention.unit, mention.start), back + away))
    for concept in mention.concepts:
        results += [s._replace(cost=s.cost + 0.6) for s in _attribute(state, concept, mention)]
    return results


_NAMING = {"listed": 0.05, "closing": 0.3, "pausing": 0.7}


def _named(state: State, mention: Mention, price: float) -> State:
    """A noun in an enumeration, or at the end of a sentence, is itself something to tell."""
    return tell(state, state.top, Wanted("identity", "", "", mention.start), price + 1.0 - mention.factor)


def _same_thing(first: Entity, second: Entity) -> bool:
    return first.name == second.name or (first.place is not None and first.place == second.place)


def _entity(state: State, mention: Mention) -> list[State]:
    assert mention.entity is not None
    entity = mention.entity
    away = (1.0 - mention.factor) * 0.5
    for index, frame in enumerate(state.frames):
        if frame.entity is not None and frame.entity.kind == entity.kind and _same_thing(frame.entity, entity):
            return [state._replace(top=index, fresh=True)]
    frame = Frame(start_kind(entity), -1, entity=entity, weight=mention.weight * mention.factor)
    if not state.frames:
        return [add(state, frame, away)]
    vague = entity.kind == "place" and not (entity.place and entity.place.county)
    return [add(state, frame, 2.5 if not vague else 3.0)]


def advance(state: State, mentions: tuple[Mention, ...], place: int) -> list[State]:
    """All readings of one more mention; leaving it unexplained is always one of them."""
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
            results.append(
                state._replace(
                    pending=(*state.pending, (mention.modifier, mention.weight)),
                    cost=state.cost + 0.3 + 1 - mention.factor,
                )
            )
        elif mention.kind == "which":
            results.append(state)
        return results
    match mention.kind:
        case "term":
            for relation in mention.relations:
                reached = _relation(state, relation, mention)
                asked = mention.text.startswith("哪")
                if asked:
                    results += [_named(s, mention, 0.02) for s in reached if s.frame.entity is None]
                    reached = [s._replace(cost=s.cost + 0.3) for s in reached]
                for fact, price in _NAMING.items():
                    if fact in mention.facts and relation not in ("place", "case") and not asked:
                        results += [_named(s, mention, price) for s in reached if s.frame.entity is None]
                unsaid = (
                    0.15 if "listed" in mention.facts and relation not in ("place", "case", "doc", "address") else 0.0
                )
                results += [s._replace(cost=s.cost + unsaid) for s in reached] if unsaid else reached
                if relation in ENFORCEMENT or relation == "administrative":
                    results.append(
                        state._replace(
                            pending=(*state.pending, (Modifier("exists", (), relation), 0.3)), cost=state.cost + 0.7
                        )
                    )
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
            results += [state._replace(top=i, cost=state.cost + 0.3) for i in order(state)[1:4]]
            results.append(state._replace(fresh=False))
    return results


def _ask(state: State, mention: Mention, next_relation: bool) -> list[State]:
    identity = Wanted("identity", "", "", mention.start)
    if mention.kind == "which" and next_relation and state.awaiting is None:
        return [state._replace(awaiting=identity)]
    results = [state]
    base = settled(state)
    if (state.fresh or base is not state) and base.frame.entity is None:
        results = [state._replace(cost=state.cost + 0.3 * mention.factor)]
        results.append(tell(base, base.top, identity, (1.0 - mention.factor)))
    return results


def _listed(state: State, mention: Mention) -> list[State]:
    wanted = Wanted("listed", "", "", mention.start)
    results: list[State] = []
    for distance, index in enumerate(order(state)):
        back = 0.0 if distance == 0 else 0.25 * distance
        if state.frames[index].kind == "company":
            results.append(tell(state, index, wanted, back))
        followed = follow(state, index, "company", back + 0.5, 0.0)
        if followed is not None:
            results.append(tell(followed, followed.top, wanted, 0.0))
    return results


def _days(state: State, mention: Mention) -> list[State]:
    wanted = Wanted("days", "", mention.unit, mention.start)
    return [
        tell(state, index, wanted, 0.2 * distance)
        for distance, index in enumerate(order(state))
        if (state.frames[index].kind in CASE_ROWS) == (mention.unit == "天")
        and (mention.unit == "天" or state.frames[index].kind == "company")
    ]


def _invests(state: State, mention: Mention) -> list[State]:
    results: list[State] = []
    for distance, index in enumerate(order(state)):
        if state.frames[index].kind != "company" and state.frames[index].kind not in CASE_ROWS:
            continue
        followed = follow(state, index, "sub", 0.3 * distance, mention.weight * mention.factor)
        if followed is None:
            continue
        if not mention.unit and "多少" not in mention.text and "几" not in mention.text:
            results.append(followed._replace(cost=followed.cost + 0.3))
            continue
        results.append(tell(followed, followed.top, Wanted("count", "", mention.unit, mention.start), 0.0))
    return (
        [*results, state._replace(cost=state.cost + 0.6)]
        if not mention.unit and "多" not in mention.text
        else results
    )
