"""Kinds of hostile run files in their events, attempts, episodes and scores; every hash chain holds."""

from __future__ import annotations

from typing import Any

from store.journal import text_hash
from tasks.episode.events import EVENTS
from tests.support.hostile_content import Content, Misfit, Raw
from tests.support.hostile_runs import Case
from tests.support.hostile_values import BIDI, ESCAPES, ODD, engine_specs, paths, put, take

ATTEMPT, SEQ, STEP, PARENT, AT, TAG, DATA = range(7)
ENDED = ("rules", "law", "trial", "graded", "model", "imported")
COURTS = ("trial", "half_trial", "graded")
TIMES = (float("inf"), float("-inf"), -1e300, 1e300, 0.0, -1.0, 253402300800.0)


def _content(case: Case, *names: str) -> Content:
    return case.pick(*names).content.copy()


def _all(content: Content, tag: str) -> list[list[Any]]:
    """The events of a tag; a base without them does not fit."""
    found = [event for event in content.events if event[TAG] == tag]
    if not found:
        raise Misfit
    return found


def _renumbered(content: Content) -> None:
    """Places without gaps again after events came or went."""
    counts: dict[Any, int] = {}
    for event in content.events:
        event[SEQ] = counts.get(event[ATTEMPT], 0)
        counts[event[ATTEMPT]] = event[SEQ] + 1


def _insert(content: Content, place: int, tag: str, data: Any, step: int | None = None) -> None:
    near = content.events[min(place, len(content.events) - 1)]
    content.events.insert(place, [near[ATTEMPT], 0, near[STEP] if step is None else step, None, near[AT], tag, data])
    _renumbered(content)


# the end of an episode


def stopped_shape(case: Case) -> None:
    """The end without an outcome, with an unknown one, or as something else."""
    content = _content(case, *ENDED)
    value = case.turn([
        {}, {"reason": "x"}, {"outcome": None}, {"outcome": "victory"}, {"outcome": []}, {"outcome": ["finished"]},
        {"outcome": {}}, {"outcome": 7}, [], ["finished"], None, "finished", 7, True,
        {"outcome": "finished", "reason": None}, {"outcome": "finished", "reason": []},
        {"outcome": "finished", "more": 1}, {"outcome": ESCAPES}, {"outcome": ""}, {"outcome": "x" * 100_000},
        {"outcome": "unfinished"}, {"outcome": Raw("NaN")}, {"outcome": "\ud800"}, {"outcome": "FINISHED"},
    ])  # fmt: skip
    for event in _all(content, "stopped")[: case.rng.choice([1, 9])]:
        event[DATA] = value
    case.write(content)


def stopped_twice(case: Case) -> None:
    content = _content(case, *ENDED)
    place = content.events.index(_all(content, "stopped")[0]) + case.rng.choice([0, 1, 1])
    for outcome in case.turn([["error"], ["finished", "loop"], [None], ["cancelled"] * 50, ["finished"]]):
        _insert(content, place, "stopped", {"outcome": outcome, "reason": "again"})
    case.write(content)


def stopped_early(case: Case) -> None:
    """Events go on after the end; the end stands first, or in the middle."""
    content = _content(case, *ENDED)
    place = case.turn([0, 1, len(content.events) // 2, len(content.events)])
    _insert(content, place, "stopped", {"outcome": "finished", "reason": "x"})
    case.write(content)


def after_the_end(case: Case) -> None:
    content = _content(case, *ENDED)
    last = content.events[-1]
    events = case.turn(
        [
            [("thought", {"seat": "agent", "text": "x"})],
            [("step_ended", {"milliseconds": 1.0})] * 5,
            [("seated", {"seat": "agent", "policy": "rules/1"})],
            [("answered", {"seat": "agent", "res": "other", "summary": ""})],
            [("attempt_started", content.events[0][DATA])],
        ]
    )
    for tag, data in events:
        _insert(content, len(content.events), tag, data, step=last[STEP] + case.rng.choice([0, 1, 7]))
    case.write(content)


# places


def seq_gap(case: Case) -> None:
    """Numbers of events with gaps, from below zero, from far away, or twice: the chain over them holds."""
    content = _content(case)
    how = case.turn(["gap", "negative", "far", "twice", "from one", "backwards", "huge"])
    attempt = content.events[0][ATTEMPT]
    mine = [event for event in content.events if event[ATTEMPT] == attempt]
    for place, event in enumerate(mine):
        event[SEQ] = {
            "gap": place * 2,
            "negative": place - 3,
            "far": place + 1_000_000,
            "twice": place // 2,
            "from one": place + 1,
            "backwards": len(mine) - place,
            "huge": 2**62 + place,
        }[how]
    content.events.sort(key=lambda event: (event[ATTEMPT], event[SEQ]))
    case.write(content, strict=how != "twice")


def seq_missing(case: Case) -> None:
    """Events taken out, the rest numbered and chained anew."""
    content = _content(case)
    for _ in range(case.turn([1, 1, 2, 5])):
        if len(content.events) > 1:
            content.events.pop(case.rng.randrange(len(content.events)))
    _renumbered(content)
    case.write(content)


def seq_shuffled(case: Case) -> None:
    content = _content(case)
    case.rng.shuffle(content.events)
    content.events.sort(key=lambda event: event[ATTEMPT])
    _renumbered(content)
    case.write(content)


def step_odd(case: Case) -> None:
    content = _content(case)
    how = case.turn(["negative", "huge", "backwards", "zero", "jump", "one", "random"])
    for place, event in enumerate(content.events):
        event[STEP] = {
            "negative": -event[STEP] - 1,
            "huge": 2**62,
            "backwards": 1000 - place,
            "zero": 0,
            "jump": event[STEP] * 1_000_000,
            "one": 1,
            "random": case.rng.randrange(-3, 9),
        }[how]
    case.write(content)


def parent_odd(case: Case) -> None:
    """Parents in a circle, of themselves, below zero, beyond the end, in the future."""
    content = _content(case)
    how = case.turn(["self", "next", "negative", "beyond", "circle", "huge", "last", "zero"])
    for event in content.events:
        last = sum(other[ATTEMPT] == event[ATTEMPT] for other in content.events) - 1
        event[PARENT] = {
            "self": event[SEQ],
            "next": event[SEQ] + 1,
            "negative": -1,
            "beyond": last + 50,
            "circle": event[SEQ] ^ 1,
            "huge": 2**62,
            "last": last,
            "zero": 0,
        }[how]
    case.write(content)


def time_odd(case: Case) -> None:
    content = _content(case)
    moment = case.turn(TIMES)
    for event in content.events:
        event[AT] = moment
    for attempt in content.attempts:
        attempt[4] = moment
    for score in content.scores:
        score[7] = moment
    case.write(content)


def first_event(case: Case) -> None:
    """An attempt that begins with something else than its beginning, or twice."""
    content = _content(case)
    how = case.turn(["gone", "seat gone", "both gone", "twice", "late", "other", "unknown"])
    if how == "late":
        content.events.append(content.events.pop(0)[:])
        content.events[-1][ATTEMPT] = content.events[-2][ATTEMPT]
    elif how == "twice":
        content.events.insert(1, content.events[0][:])
    elif how == "other":
        content.events[0][TAG:] = ["said", {"seat": "agent", "text": "x"}]
    elif how == "unknown":
        content.events[0][TAG] = "attempt_began"
    else:
        gone = {"gone": ("attempt_started",), "seat gone": ("seated",), "both gone": ("attempt_started", "seated")}[
            how
        ]
        content.events = [event for event in content.events if event[TAG] not in gone]
    _renumbered(content)
    case.write(content)


# shapes of events


def tag_unknown(case: Case) -> None:
    content = _content(case)
    tag = case.turn(
        [
            "later",
            "",
            "unknown",
            "stopped ",
            "STOPPED",
            ESCAPES,
            BIDI,
            "x" * 100_000,
            "__init__",
            "案",
            "\ud83d\ude00",
        ]
    )
    event = case.rng.choice(content.events)
    event[TAG:] = [tag, case.rng.choice([event[DATA], *ODD[:40]])]
    case.write(content)


def tag_swapped(case: Case) -> None:
    """A known tag over the data of another event."""
    content = _content(case)
    event = case.rng.choice(content.events)
    event[TAG] = case.turn(sorted(EVENTS))
    case.write(content)


def data_odd(case: Case) -> None:
    """A known tag with something that is no object."""
    content = _content(case)
    tags = sorted({event[TAG] for event in content.events})
    case.rng.choice(_all(content, case.rng.choice(tags)))[DATA] = case.turn(ODD)
    case.write(content)


def field_odd(case: Case) -> None:
    """A place in a real event with an odd value."""
    content = _content(case)
    tag = case.rng.choice(sorted({event[TAG] for event in content.events}))
    event = case.rng.choice(_all(content, tag))
    places = list(paths(event[DATA]))
    if not places:
        raise Misfit
    put(event[DATA], case.rng.choice(places), case.rng.choice(ODD))
    case.write(content)


def field_missing(case: Case) -> None:
    content = _content(case)
    tag = case.rng.choice(sorted({event[TAG] for event in content.events}))
    event = case.rng.choice(_all(content, tag))
    places = list(paths(event[DATA]))
    if not places:
        raise Misfit
    take(event[DATA], case.rng.choice(places))
    case.write(content)


def field_more(case: Case) -> None:
    content = _content(case)
    event = case.rng.choice(content.events)
    event[DATA][case.turn(["later", "", "tag", "seat2", "\x1b[2J", "__class__", "milliseconds"])] = case.rng.choice(
        ODD
    )
    case.write(content)


def field_right_type(case: Case) -> None:
    """Values of the right type that no benchmark ever gave: they pass every check of types."""
    content = _content(case)
    places = [(event, at) for event in content.events for at in paths(event[DATA])]
    for event, at in case.rng.sample(places, min(case.turn([1, 1, 3, 20]), len(places))):
        old: Any = event[DATA]
        try:
            for key in at:
                old = old[key]
        except (KeyError, IndexError, TypeError):
            continue
        wrong: tuple[Any, ...] = {
            str: ("", "x", ESCAPES, BIDI, "\ud800", "[" * 3000, "A: " * 5000, "\x00"),
            int: (-1, 2**62, 10**300, -(2**63)), float: (-1.0, 1e308, Raw("NaN"), Raw("Infinity")),
            list: ([], [""] * 5000), dict: ({}, {"x": None}), bool: (not old,),
        }.get(type(old), (None,))  # fmt: skip
        put(event[DATA], at, case.rng.choice(wrong))
    case.write(content)


CARDS: tuple[Any, ...] = (
    None, {}, [], "", "card", 7, True, {"question": None}, {"question": []}, {"question": {}}, {"id": None},
    {"env": None}, {"env": "XX"}, {"env": []}, {"env": {}}, {"env": "KQ"}, {"env": "CI"}, {"env": "CR"},
    {"env": "CD"},
    {"env": "CI", "parties": None}, {"env": "CI", "case": {}}, {"type": None}, {"type": "nothing"}, {"type": []},
    {"type": {}}, {"question": ESCAPES}, {"question": BIDI}, {"question": "\ud800"}, {"kind": None, "options": 7},
    {"question": 10**400},
    {"env": "KQ", "topics": None}, {"env": "KQ", "topics": [{}]}, {"env": "KQ", "topics": [None]},
    {"env": 7, "type": 7}, {"env": "\x1b[2J"}, {"question": "x" * 3_000_000},
)  # fmt: skip


def card_odd(case: Case) -> None:
    """What an attempt knows of its task: nothing, of another type, of an environment that is none."""
    content = _content(case)
    card = case.turn(CARDS)
    for event in _all(content, "attempt_started"):
        event[DATA]["card"] = (
            {**event[DATA]["card"], **card} if isinstance(card, dict) and case.rng.random() < 0.5 else card
        )
    case.write(content)


def card_of_court(case: Case) -> None:
    """A place in the card of a trial with an odd value, or gone."""
    content = _content(case, *COURTS)
    card = content.events[0][DATA]["card"]
    places = list(paths(card))
    for _ in range(case.turn([1, 1, 1, 4])):
        at = case.rng.choice(places)
        try:
            (put if case.number % 3 else lambda value, at, _: take(value, at))(card, at, case.rng.choice(ODD))
        except (KeyError, IndexError, TypeError):
            continue
    case.write(content)


def started_odd(case: Case) -> None:
    """Benchmark, task, number and seed of an attempt that do not fit its run."""
    content = _content(case)
    key, value = case.turn(
        [
            ("benchmark", "courts"),
            ("benchmark", "nothing"),
            ("benchmark", ""),
            ("benchmark", None),
            ("task_id", "nobody"),
            ("task_id", ""),
            ("attempt", 0),
            ("attempt", -5),
            ("attempt", 10**30),
            ("seed", -1),
            ("seed", 2**200),
            ("task_id", ESCAPES),
            ("seed", 1.5),
            ("attempt", "1"),
        ]
    )
    for event in _all(content, "attempt_started"):
        event[DATA][key] = value
    case.write(content)


# models, tools, seats


def model_texts(case: Case) -> None:
    """Texts that a call refers to: gone, of another type, of another hash, under odd names."""
    content = _content(case, "model", "half_model")
    name = case.rng.choice(sorted(content.texts))
    how = case.turn(["gone", "all gone", "other", "number", "list", "null", "named", "surrogate", "long"])
    if how in ("gone", "all gone"):
        content.texts = {} if how == "all gone" else {key: text for key, text in content.texts.items() if key != name}
    elif how == "named":
        content.texts |= {"": "x", "\x1b[2J": "x", "z" * 10_000: "x"}
    elif how == "long":
        text = "x" * 5_000_000
        content.texts[text_hash(text)] = text
        for event in _all(content, "model_called"):
            event[DATA]["messages"] = [["user", text_hash(text)]] * 3
    else:
        content.texts[name] = {
            "other": "another text",
            "number": 7,
            "list": ["x"],
            "null": None,
            "surrogate": "\ud800",
        }[how]
    case.write(content)


def model_call(case: Case) -> None:
    """A field of a model call with an odd value."""
    content = _content(case, "model", "half_model")
    event = case.rng.choice(_all(content, "model_called"))
    key, values = case.turn([
        ("messages", (None, [], "x", [[]], [["user"]], [["user", None]], [["user", "0" * 64, "x"]], [[None, None]],
            [["user", "0" * 64]] * 50_000, {"a": "b"}, [["\x1b[2J", "x"]], ["ab", "cd"])),
        ("tokens", (None, [-1], [2**70], [None], "x", list(range(100_000)), [1.5], [[1]])),
        ("logprobs", (None, [[]], [["a", 0.0]], [["a", Raw("NaN"), []]],
            [["a", 1e308, [["b", Raw("Infinity")]]]] * 1000, [[None, None, None]])),
        ("entropies", (None, [Raw("NaN")], ["x"], [-1.0], [1e308] * 10_000)), ("asked", (None, "", "x", ESCAPES, [])),
        ("call", (-1, 2**70, None, "1")), ("settings", (None, [], {"seed": None}, {"temperature": Raw("NaN")})),
        ("generated", (-5, 2**80, None)), ("milliseconds", (Raw("NaN"), -1, 1e308, None)), ("batch", (0, -1, None)),
        ("schema_name", (None, "0" * 64, [], ESCAPES)), ("finish", (None, "", ESCAPES, "later")),
        ("text", (None, "", [], ESCAPES, "[" * 50_000, "\ud800")),
        ("prompt", (None, "", "nothing/9", ESCAPES)), ("seat", (None, "", "ghost", [], ESCAPES)),
        ("human", (True, None, "yes")), ("origin", (None, ESCAPES, [])), ("reasoning", (None, BIDI, "x" * 1_000_000)),
        ("evaluated", (-1, 2**63, None)), ("reused", (-1, 10**300)),
    ])  # fmt: skip
    event[DATA][key] = case.rng.choice(values)
    case.write(content)


def tool_alone(case: Case) -> None:
    """An answer of a tool that nobody called, of a tool that is not there, or to another call."""
    content = _content(case, "rules", "law", "unfinished", "trial")
    how = case.turn(
        ["call gone", "call twice", "other tool", "status", "parent", "return gone", "value", "input", "provenance"]
    )
    calls, returns = _all(content, "tool_called"), _all(content, "tool_returned")
    if how in ("call gone", "return gone"):
        gone = (calls if how == "call gone" else returns)[:1]
        content.events = [event for event in content.events if event not in gone]
    elif how == "call twice":
        content.events.insert(content.events.index(calls[0]), calls[0][:])
    elif how == "parent":
        for event in returns:
            event[PARENT] = case.rng.choice([None, 0, -7, 10**9])
    else:
        event, key = (
            (case.rng.choice(calls), "input")
            if how == "input"
            else (
                case.rng.choice(returns),
                {"other tool": "tool", "status": "status", "value": "value", "provenance": "provenance"}[how],
            )
        )
        event[DATA][key] = case.rng.choice(ODD)
    _renumbered(content)
    case.write(content)


def tool_huge(case: Case) -> None:
    content = _content(case, "rules", "law", "unfinished")
    event = case.rng.choice(_all(content, case.turn(["tool_returned", "tool_called"])))
    key = {"tool_returned": ["observation", "value"], "tool_called": ["input", "tool"]}[event[TAG]][
        case.number // 2 % 2
    ]
    event[DATA][key] = (
        case.rng.choice(["x" * 5_000_000, ["x" * 100] * 50_000, {f"k{n}": [n] for n in range(100_000)}])
        if key in ("value", "input")
        else "案\n" * 1_500_000
    )
    case.write(content)


def seat_unknown(case: Case) -> None:
    content = _content(case)
    seat = case.turn(
        ["ghost", "", "judge", "plaintiff", "AGENT", ESCAPES, BIDI, "x" * 50_000, "\ud800", "tracker", "grader"]
    )
    for event in content.events if case.number % 2 else case.rng.sample(content.events, 1):
        if isinstance(event[DATA], dict) and "seat" in event[DATA]:
            event[DATA]["seat"] = seat
    case.write(content)


def seat_policy(case: Case) -> None:
    """Policies that no release has, or of another benchmark."""
    content = _content(case)
    policy = case.turn(
        [
            "nothing/1",
            "",
            "rules",
            "rules/99",
            "rules/0",
            "rules/x",
            "react/2",
            "human/1",
            "imported/1",
            "gold/1",
            "../x",
            "react/2+paper",
            "react/2+free+paper",
            "/",
            ESCAPES,
            "x" * 50_000,
            "direct/1",
            "echo/1",
        ]
    )
    for event in _all(content, "seated")[: case.rng.choice([1, 99])]:
        event[DATA]["policy"] = policy
    case.write(content)


def seat_engine(case: Case) -> None:
    """Engines of a seat that lead to files, devices, folders and hosts; the header names none."""
    content = _content(case, "unfinished", "half_trial", "half_model", "rules")
    spec = case.turn(engine_specs(case))
    for event in _all(content, "seated")[: case.rng.choice([1, 99])]:
        event[DATA]["engine"] = spec
        if case.rng.random() < 0.3:
            event[DATA]["described"] = case.rng.choice(["", "0" * 64, ESCAPES])
    case.write(content)


def said_odd(case: Case) -> None:
    """Speech to nobody, to all, from stages and turns that are none."""
    content = _content(case, *COURTS)
    key, values = case.turn(
        [
            ("to", (["ghost"], [""], "x", [None], ["agent"] * 10_000, {}, None)),
            ("turn", (-1, 10**30, None, "x", 2**31)),
            ("stage", ("nothing", ESCAPES, None, [])),
            ("text", ("", "\x00", "x" * 2_000_000, "（" * 20_000, "【闭庭】" * 5000, "\n" * 50_000)),
            ("seat", ("ghost", "", None)),
        ]
    )
    for event in case.rng.sample(found := _all(content, "said"), min(len(found), case.rng.choice([1, 5, 999]))):
        event[DATA][key] = case.rng.choice(values)
    case.write(content)


def grafted(case: Case) -> None:
    """The events of one benchmark in a run of another."""
    one, other = _content(case), _content(case)
    attempt = one.attempts[0][0]
    grafts = [[attempt, *event[1:]] for event in other.events if event[ATTEMPT] == other.events[0][ATTEMPT]]
    kept = [event for event in one.events if event[ATTEMPT] != attempt]
    if case.number % 2:
        grafts[0] = one.events[0][:]
    one.events = [*grafts, *kept]
    _renumbered(one)
    case.write(one)


# how many


def events_many(case: Case) -> None:
    """A hundred thousand events in one step."""
    content = _content(case, "unfinished", "rules", "graded")
    last = content.events.pop()
    tag, data = case.turn(
        [
            ("thought", {"seat": "agent", "text": "x"}),
            ("step_ended", {"milliseconds": 0.0}),
            ("later", {}),
            ("said", {"seat": "agent", "text": "x"}),
        ]
    )
    content.events += [
        [last[ATTEMPT], 0, last[STEP] + (number if tag == "step_ended" else 0), None, last[AT], tag, data]
        for number in range(100_000)
    ]
    content.events.append(last)
    _renumbered(content)
    case.write(content)


def episodes_many(case: Case) -> None:
    content = _content(case, "rules", "unfinished", "graded")
    row = content.episodes[0]
    made = [[f"{row[0]}~{number}", 10 + number, row[2], number] for number in range(50_000)]
    content.episodes += made
    if case.number % 2 == 0:
        content.attempts += [[10 + number, one[0], 1, "first", 0.0] for number, one in enumerate(made)]
    case.write(content)


def attempts_many(case: Case) -> None:
    content = _content(case, "rules", "unfinished", "graded")
    first = content.attempts[0]
    content.attempts += [[10 + number, first[1], 2 + number, "again", 0.0] for number in range(50_000)]
    case.write(content)


def scores_many(case: Case) -> None:
    content = _content(case, "graded", "rules")
    content.scores = [
        [*score[:6], f"author {number}", score[7]] for number in range(20_000) for score in content.scores[:3]
    ]
    case.write(content)


# attempts and episodes


def attempts_missing(case: Case) -> None:
    content = _content(case)
    how = case.turn(["all", "first", "last"])
    content.attempts = [] if how == "all" else content.attempts[1:] if how == "first" else content.attempts[:-1]
    case.write(content)


def attempts_odd(case: Case) -> None:
    """Numbers with gaps, from zero, below; reasons and owners that are none; a second attempt without events."""
    content = _content(case)
    how = case.turn(["gap", "zero", "negative", "huge", "second", "reason", "owner", "id", "swapped"])
    first = content.attempts[0]
    if how == "second":
        content.attempts.append([first[0] + 40, first[1], first[2] + case.rng.choice([1, 5]), "again", 0.0])
    elif how == "reason":
        first[3] = case.rng.choice(["", ESCAPES, "x" * 100_000, "later"])
    elif how == "owner":
        first[1] = case.rng.choice(["nobody", "", ESCAPES])
    elif how == "id":
        old, first[0] = first[0], case.rng.choice([0, -1, 2**62])
        for row in (*content.events, *content.scores):
            row[0] = first[0] if row[0] == old else row[0]
    elif how == "swapped" and len(content.attempts) > 1:
        first[1], content.attempts[1][1] = content.attempts[1][1], first[1]
    else:
        for number, attempt in enumerate(content.attempts):
            attempt[2] = {"gap": 3 + number, "zero": 0, "negative": -number - 1, "huge": 2**62 + number}.get(how, 1)
    case.write(content)


def episodes_missing(case: Case) -> None:
    content = _content(case)
    how = case.turn(["all", "all with attempts", "first"])
    content.episodes = content.episodes[1:] if how == "first" else []
    if how == "all":
        content.attempts, content.events, content.scores = [], [], []
    case.write(content)


def episodes_odd(case: Case) -> None:
    """Places, epochs and names of episodes that are none; one task twice; tasks that the file has not."""
    content = _content(case)
    how = case.turn(["position", "far", "epoch", "negative", "name", "task", "no task", "twice", "empty"])
    row = content.episodes[0]
    if how in ("position", "far"):
        for number, one in enumerate(content.episodes):
            one[1] = -5 - number if how == "position" else 2**62 + number
    elif how in ("epoch", "negative"):
        row[3] = 10**15 if how == "epoch" else -3
    elif how in ("name", "empty"):
        name = (
            ""
            if how == "empty"
            else case.rng.choice([ESCAPES, BIDI, "x" * 100_000, "a/b", "..", "-x", "a\nb", "\x00", "#", "案" * 300])
        )
        for attempt in content.attempts:
            attempt[1] = name if attempt[1] == row[0] else attempt[1]
        row[0] = name
        case.episode = name.split("\x00")[0]
    elif how in ("task", "no task"):
        row[2] = case.rng.choice(["nobody", ESCAPES, "x" * 100_000, "sample-1"]) if how == "task" else ""
    else:
        content.episodes.append([f"{row[0]}#2", row[1] + 77, row[2], row[3]])
        content.attempts.append([content.attempts[-1][0] + 1, f"{row[0]}#2", 1, "first", 0.0])
    case.write(content)


# scores


SCORE = (
    "compat",
    "strict",
    "evidence",
    "human",
    "grader",
    "trial_compat",
    "trial_strict",
    "reasoning_compat",
    "later",
    "",
    ESCAPES,
)


def score_value(case: Case) -> None:
    """A score that is no object, or holds what is no number."""
    content = _content(case, "rules", "law", "trial", "graded", "model")
    if not content.scores:
        raise Misfit
    score = case.rng.choice(content.scores)
    value = case.turn(
        [
            *ODD[:34],
            {"success": None},
            {"success": "x"},
            {"success": []},
            {"score": {}},
            {"success": Raw("NaN")},
            {"success": Raw("1e999")},
            {"score": -5},
            {"success": 4.0, "process": 10**400},
            {"REA": "x"},
            {"REA": None},
            {"": 1},
            {ESCAPES: 1.0},
            {"REA": True},
        ]
    )
    score[4] = (
        {**score[4], **value}
        if isinstance(value, dict) and isinstance(score[4], dict) and case.rng.random() < 0.5
        else value
    )
    case.write(content)


def score_field(case: Case) -> None:
    """Settings, evidence, scorer, version and author of a score with odd values."""
    content = _content(case, "rules", "law", "trial", "graded", "model")
    if not content.scores:
        raise Misfit
    score = case.rng.choice(content.scores)
    column = case.turn([1, 2, 3, 3, 5, 5, 6])
    score[column] = case.rng.choice(ODD if column in (3, 5) else [one for one in (*SCORE, BIDI, "x" * 100_000)])
    case.write(content)


def score_place(case: Case) -> None:
    """A place inside a score with an odd value."""
    content = _content(case, "rules", "law", "trial", "graded", "model")
    places = [(score, column, at) for score in content.scores for column in (3, 4, 5) for at in paths(score[column])]
    if not places:
        raise Misfit
    for _ in range(case.turn([1, 1, 3])):
        score, column, at = case.rng.choice(places)
        try:
            put(score[column], at, case.rng.choice(ODD))
        except (KeyError, IndexError, TypeError):
            continue
    case.write(content)


def score_elsewhere(case: Case) -> None:
    """Scores of attempts that are not there, of an unfinished episode, or all of one."""
    content = _content(case, "rules", "law", "graded", "unfinished", "half_trial")
    number = case.turn([0, -1, 999, content.attempts[0][0], 2**62])
    content.scores.append([number, "compat", "compat/1", {}, {"success": 1.0}, [], "moot", 0.0])
    for score in content.scores if case.number % 2 else ():
        score[0] = number
    case.write(content)


def score_human(case: Case) -> None:
    """Words of people that no person could have entered."""
    content = _content(case, "graded", "rules", "trial", "law")
    attempt = content.attempts[0][0]
    value = case.turn(
        [
            {"REA": 40.0},
            {"REA": -1},
            {"REA": "7"},
            {"REA": None},
            {},
            [],
            None,
            0.5,
            {"REA": Raw("NaN")},
            {"REA": Raw("Infinity")},
            {"": 0.5},
            {ESCAPES: 0.5},
            {"REA": [1]},
            {"REA": 10**400},
            {f"M{n}": 0.5 for n in range(5000)},
            {"REA": True},
            {"answer": 0.5, "REA": {}},
        ]
    )
    settings = case.rng.choice(
        [
            {},
            None,
            [],
            {"scale": 0},
            {"scale": "x", "given": None},
            {"scale": Raw("NaN"), "given": 7},
            {"scale": 10.0, "given": 7.0, "supersedes": "x"},
            {"scale": -1},
            {"given": 10**400, "scale": 10.0},
        ]
    )
    evidence = case.rng.choice(
        [[], None, {}, [None], [{"reason": None}], [{"reason": ESCAPES}], "x", [{"reason": []}], [[]], [{}]]
    )
    for author in case.rng.choice([["Li"], ["Li", "Wang"], [""], [ESCAPES], ["x" * 50_000], ["Li"] * 30, ["moot"]]):
        content.scores.append(
            [
                attempt,
                "human",
                case.rng.choice(["human/1", "", "human/9", "x"]),
                settings,
                value,
                evidence,
                author,
                case.rng.choice([0.0, 1.0, float("inf")]),
            ]
        )
    case.write(content)


def score_grader(case: Case) -> None:
    content = _content(case, "graded", "trial", "law")
    attempt = content.attempts[0][0]
    value = case.turn(
        [
            None,
            [],
            7,
            "x",
            {"REA": "x"},
            {"REA": []},
            {"REA": Raw("NaN")},
            {"REA": 40},
            {"REA": {}},
            {"topic:T1": None},
            {None: 1},
            {"answer": None, "basis": "x"},
            {"answer": True},
            {ESCAPES: 1},
            {f"topic:{n}": 1 for n in range(20_000)},
        ]
    )
    if isinstance(value, dict):
        value = {str(key): one for key, one in value.items()}
    content.scores.append(
        [
            attempt,
            "grader",
            "grader/1",
            case.rng.choice([{}, None, [], {"model": None}, {"model": []}]),
            value,
            case.rng.choice([[], None, {}, [None], "x"]),
            case.rng.choice(["toy", "", ESCAPES]),
            0.0,
        ]
    )
    case.write(content)


KINDS = (
    stopped_shape, stopped_twice, stopped_early, after_the_end, seq_gap, seq_missing, seq_shuffled, step_odd,
    parent_odd, time_odd, first_event, tag_unknown, tag_swapped, data_odd,
    field_odd, field_missing, field_more, field_right_type, card_odd, card_of_court, started_odd, model_texts,
    model_call, tool_alone, tool_huge, seat_unknown, seat_policy, seat_engine,
    said_odd, grafted, events_many, episodes_many, attempts_many, scores_many, attempts_missing, attempts_odd,
    episodes_missing, episodes_odd, score_value, score_field, score_place,
    score_elsewhere, score_human, score_grader,
)  # fmt: skip
LARGE = (tool_huge, events_many, episodes_many, attempts_many, scores_many)
