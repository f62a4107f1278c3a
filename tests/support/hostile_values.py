"""Kinds of hostile run files in JSON: the header value by value, depth, length, numbers, keys, and what terminals
obey."""

from __future__ import annotations

import string
from collections.abc import Iterator
from typing import Any

from tests.support.hostile_content import Content, Misfit, Raw
from tests.support.hostile_runs import Case

Path = tuple[Any, ...]
"""Keys and places from a header or an event's data down to a value."""
DEPTHS = (10, 100, 500, 990, 5_000, 200_000)
ESCAPES = "\x1b]0;owned\x07\x1b]52;c;b3duZWQ=\x07\x1b[2J\x1b[31m\x9b31m\x90q\x9c\r\n\x00\x08\x7f"
BIDI = "\u202eabc\u2066\u2069\u200f\u061c\ufeff\u200b\U000e0041"
HOSTS = (
    "endpoint:http://192.0.2.7:9/v1#m",
    "endpoint:https://evil.example/v1#m",
    "endpoint:http://localhost.:9/v1#m",
    "endpoint:http://[::ffff:192.0.2.7]:9#m",
    "endpoint:file:///etc/passwd#m",
)


def nested(depth: int, kind: int = 0) -> Raw:
    """So many levels of lists, objects, or both in turn."""
    opened, closed = (("[", "]"), ('{"a":', "}"), ('[{"a":', "}]"))[kind % 3]
    return Raw(opened * depth + "0" + closed * depth)


ODD: tuple[Any, ...] = (
    None, True, False, 0, -1, 1, 7, 2**31, 2**63, 2**64, -(2**63), 10**400, 0.5, -0.0, 1e308, Raw("NaN"),
    Raw("Infinity"), Raw("-Infinity"), Raw("1e999"),
    "", "x", "\x00", "../../x", "/dev/zero", "0" * 64, [], [None], [[]], ["a", 1], [["a", "b"]], {}, {"": None},
    {"a": {"b": []}}, {"name": {}}, nested(500), nested(990, 1),
    Raw('{"a":1,"a":[]}'), "\ud800", ESCAPES, BIDI, "9" * 5000, Raw("9" * 400), Raw("9" * 5000), ["\udfff\ud800"],
    {"\ud800": "\x1b[2J"}, [{"name": None}], "1.5", "true", "2026-13-45T99:99:99+99:00", "0001-01-01T00:00:00+23:59",
)  # fmt: skip
"""Values of every wrong type, and of the right type with nothing right in it."""
NOT_JSON = (
    "",
    " ",
    "{",
    "[1,",
    '"',
    "nul",
    "{'a': 1}",
    "\ufeff{}",
    "[1] 2",
    '{"a" 1}',
    "\\u12",
    '"\\ud800"',
    '"\x01"',
    "undefined",
    "-",
    "1.",
    "0x10",
    "[" * 100_000,
    '{"a":' * 100_000,
    "\x00",
    '"a\x00b"',
    "// x\n{}",
)


def paths(value: Any, at: Path = ()) -> Iterator[Path]:
    """Every place in a value, itself left out."""
    pairs: list[tuple[Any, Any]] = (
        list(value.items())
        if isinstance(value, dict)
        else list(enumerate(value))[:3]
        if isinstance(value, list)
        else []
    )
    for key, inner in pairs:
        yield (*at, key)
        yield from paths(inner, (*at, key))


def put(value: Any, at: Path, new: Any) -> None:
    """Put another value in a place."""
    for key in at[:-1]:
        value = value[key]
    value[at[-1]] = new


def take(value: Any, at: Path) -> None:
    """Take a place away."""
    for key in at[:-1]:
        value = value[key]
    del value[at[-1]]


def _content(case: Case, *names: str) -> Content:
    return case.pick(*names).content.copy()


def _strings(content: Content) -> list[tuple[Any, Path]]:
    """Places of all texts in header, events, scores and their holders."""
    found = [(content.header, at) for at in paths(content.header)]
    for event in content.events[:40]:
        found += [(event[6], at) for at in paths(event[6])]
    for score in content.scores:
        found += [
            (score[column], at)
            for column in (3, 4, 5)
            if isinstance(score[column], dict)
            for at in paths(score[column])
        ]
    return [(holder, at) for holder, at in found if isinstance(_value(holder, at), str)]


def _value(value: Any, at: Path) -> Any:
    for key in at:
        value = value[key]
    return value


# the header


TOP = (
    "format",
    "run",
    "created",
    "spec",
    "tasks",
    "pack",
    "prompts",
    "engines",
    "limits",
    "versions",
    "command",
    "parent",
    "imported",
)


def header_value(case: Case) -> None:
    """A key of the header with a value of a wrong type."""
    content = _content(case)
    content.header[case.turn(TOP)] = case.rng.choice(ODD)
    case.write(content)


def header_named(case: Case) -> None:
    """The mistakes that a foreign program makes first."""
    content = _content(case)
    key, value = case.turn([
        ("pack", None), ("spec", []), ("engines", "rules"), ("command", 7), ("created", {}), ("prompts", None),
        ("parent", "20260101"), ("tasks", None), ("limits", None),
        ("imported", None), ("imported", []), ("imported", "x"), ("imported", {"file": None}), ("run", None),
        ("run", {}), ("run", ""), ("format", 99), ("format", "1"), ("versions", []),
        ("pack", {}), ("pack", {"name": None, "provenance": None}),
        ("pack", {"name": ["sample"], "hash": 5, "provenance": 7}),
        ("pack", {"name": "sample", "provenance": {"authored": 1}}),
        ("parent", []), ("parent", {"run": None, "step": "x"}),
        ("parent", {"run": {}, "episode": [], "step": 1e308, "digest": 0}), ("command", [None, {}]),
        ("created", "yesterday"), ("created", 10**30),
        ("tasks", {}), ("tasks", {"sha256": 5}), ("tasks", []), ("engines", {"scripted:x": None}), ("engines", []),
        ("prompts", {"a": {}}), ("prompts", []), ("limits", {"turns": "many"}),
    ])  # fmt: skip
    content.header[key] = value
    case.write(content)


def header_nested(case: Case) -> None:
    """A place inside the header with a wrong value."""
    content = _content(case)
    places = [at for at in paths(content.header) if len(at) > 1]
    put(content.header, case.rng.choice(places), case.rng.choice(ODD))
    case.write(content)


def header_spec(case: Case) -> None:
    """A setting of the run with a wrong value."""
    content = _content(case)
    key = case.turn(sorted(content.header["spec"]))
    content.header["spec"][key] = case.rng.choice(ODD)
    case.write(content)


def header_missing(case: Case) -> None:
    content = _content(case)
    gone = case.turn([*TOP[:11], "all", "most"])
    content.header = {
        key: value
        for key, value in content.header.items()
        if gone not in (key, "all") and (gone != "most" or key == "run")
    }
    case.write(content)


def header_nested_missing(case: Case) -> None:
    content = _content(case)
    take(content.header, case.rng.choice([at for at in paths(content.header) if len(at) > 1]))
    case.write(content)


def header_more(case: Case) -> None:
    """Keys that no release knows, at the top and below, with any value."""
    content = _content(case)
    keys = (
        "later",
        "",
        "__class__",
        "\x1b[2J",
        "数",
        "a" * 10_000,
        "\ud800",
        "episodes",
        "allow_hosts",
        "KEY",
        "constructor",
    )
    holder = case.rng.choice(
        [content.header, content.header["spec"], content.header["pack"], content.header["tasks"]]
    )
    holder[case.turn(keys)] = case.rng.choice(ODD)
    case.write(content)


def header_not_json(case: Case) -> None:
    content = _content(case)
    content.header[case.rng.choice(TOP)] = Raw(case.turn(NOT_JSON))
    case.write(content)


def header_swapped(case: Case) -> None:
    """The header of one run over the events of another."""
    one, other = _content(case), _content(case)
    one.header = other.header
    case.write(one)


def header_name(case: Case) -> None:
    """A run that calls itself what another is called, or like a path."""
    content = _content(case)
    content.header["run"] = case.turn(
        [
            "base-rules",
            "../../etc/passwd",
            "/dev/zero",
            "-rf",
            "x" * 100_000,
            "a\nb\nc",
            "20261122-190744 ✔ 2/2",
            "",
            " ",
            "\u202ex",
            "con",
            "😀" * 300,
            "sample",
            "\ud800",
        ]
    )
    case.write(content)


# JSON itself


def _anywhere(case: Case, value: Any) -> None:
    """Put a value into the header, an event, a score or a text, in turn."""
    content = case.pick("graded", "rules", "law", "half_trial", "half_model", "unfinished").content.copy()
    where = case.rng.choice(["header", "spec", "event", "card", "score", "evidence", "text", "unknown"])
    event = case.rng.choice(content.events)
    if where == "header":
        content.header[case.rng.choice(TOP)] = value
    elif where == "spec":
        content.header["spec"][case.rng.choice(sorted(content.header["spec"]))] = value
    elif where == "event" or (where in ("score", "evidence") and not content.scores):
        event[6][case.rng.choice(sorted(event[6]))] = value
    elif where == "card":
        started = content.events[0][6]
        started["card"] = value if case.rng.random() < 0.5 else {**started["card"], "question": value}
    elif where == "score":
        case.rng.choice(content.scores)[4] = value
    elif where == "evidence":
        case.rng.choice(content.scores)[case.rng.choice([3, 5])] = value
    elif where == "text" and content.texts:
        content.texts[case.rng.choice(sorted(content.texts))] = value
    else:
        event[5], event[6] = "later", value
    case.write(content)


def json_deep(case: Case) -> None:
    _anywhere(case, nested(case.turn(DEPTHS), case.rng.randrange(3)))


def json_long(case: Case) -> None:
    """A text of five megabytes: of one character, one line, of lines, of words that are wide."""
    _anywhere(
        case,
        case.turn(["x", "案", "a\n", "\x1b[31m", "\u202e", "e\u0301", "\ud800", "<&'\"", "[link=x]", "((((("])
        * 1_700_000,
    )


def json_keys(case: Case) -> None:
    many = {f"k{n}": n for n in range(100_000)}
    _anywhere(
        case,
        case.turn([many, list(range(100_000)), [[]] * 100_000, {"a" * 1000 + str(n): None for n in range(1000)}]),
    )


def json_twice(case: Case) -> None:
    _anywhere(
        case,
        Raw(
            case.turn(
                [
                    '{"name":"a","name":{}}',
                    '{"benchmark":"courts","benchmark":null}',
                    '{"a":1,' + '"a":1,' * 50_000 + '"a":1}',
                    '{"outcome":"finished","outcome":[]}',
                ]
            )
        ),
    )


def json_numbers(case: Case) -> None:
    _anywhere(
        case,
        Raw(
            case.turn(
                [
                    "NaN",
                    "Infinity",
                    "-Infinity",
                    "1e999",
                    "-1e999",
                    "1e-999",
                    "-0",
                    "-0.0",
                    "9" * 4299,
                    "9" * 4301,
                    "9" * 5000,
                    "1" + "0" * 400,
                    "0." + "0" * 5000 + "1",
                    "1E400",
                    "9007199254740993",
                    "[NaN,NaN]",
                    '{"success":NaN}',
                ]
            )
        ),
    )


def json_surrogates(case: Case) -> None:
    _anywhere(case, case.turn(["\ud800", "a\udfffb", "\udc00\ud800", "\ud83d", ["\ud800"], {"\udfff": "\ud800"}]))


def json_odd(case: Case) -> None:
    """Any odd value anywhere."""
    _anywhere(case, case.turn(ODD))


def json_broken(case: Case) -> None:
    _anywhere(case, Raw(case.turn(NOT_JSON)))


# what is shown


def _shown(case: Case, text: str, some: int | None) -> None:
    content = _content(case)
    places = _strings(content)
    for holder, at in places if some is None else case.rng.sample(places, min(some, len(places))):
        if at[-1] not in ("benchmark", "agent", "sha256", "hash") or some is not None:
            put(
                holder,
                at,
                f"{text}{_value(holder, at)}" if case.rng.random() < 0.5 else f"{_value(holder, at)}{text}",
            )
    case.write(content)


def shown_escapes(case: Case) -> None:
    """Control sequences in one text, some, or all."""
    _shown(case, ESCAPES, case.turn([1, 1, 5, None]))


def shown_bidi(case: Case) -> None:
    _shown(case, BIDI, case.turn([1, 5, None]))


def shown_markup(case: Case) -> None:
    """What Rich, HTML, Markdown, CSV and spreadsheets would obey."""
    _shown(
        case,
        case.turn(
            [
                "[bold red]x[/]",
                "[/]",
                "[@click=app.quit]x[/]",
                "<script>alert(1)</script>",
                "](javascript:alert(1))",
                "=1+cmd|' /C calc'!A0",
                "{0.__class__}",
                "%(x)s%n",
                "\u2028\u2029",
                "</style><img src=x onerror=alert(1)>",
            ]
        ),
        case.rng.choice([1, 5, None]),
    )


def shown_widths(case: Case) -> None:
    """Combining marks, wide characters, emoji sequences, tabs, and every printable sign."""
    _shown(
        case,
        case.turn(
            [
                "e" + "\u0301" * 5000,
                "😀" * 500,
                "👨‍👩‍👧‍👦" * 100,
                "\t" * 200,
                string.printable,
                "ﷺ" * 200,
                "\u0300",
                "\U0001f1e8",
            ]
        ),
        case.rng.choice([1, 5]),
    )


# where a header leads


def _leads(case: Case) -> list[str]:
    bait = case.bait
    return [
        str(bait / "pipe"), str(bait / "folder"), str(bait / "loop"), str(bait / "empty.jsonl"),
        str(bait / "deep.jsonl"), "/dev/zero", "/dev/stdin", "/dev/full", "/proc/self/mem", "/proc/kmsg",
        "\\\\192.0.2.7\\share\\x", "//192.0.2.7/share/x", "/", ".", "..", "", "~/x", "x" * 5000, "a\x00b", "\ud800",
        "\x1b]0;owned\x07", "http://192.0.2.7/x", "file:///dev/zero", str(bait / "huge.jsonl"),
    ]  # fmt: skip


def path_pack(case: Case) -> None:
    """The folder of the pack leads elsewhere."""
    content = _content(case, "rules", "unfinished", "law", "trial", "half_trial", "half_model")
    content.header["pack"]["path"] = case.turn(_leads(case))
    case.write(content)


def path_pack_name(case: Case) -> None:
    content = _content(case, "rules", "unfinished", "law", "half_trial")
    content.header["pack"] = {**content.header["pack"], "name": case.turn(_leads(case))}
    content.header["spec"]["pack"] = content.header["pack"]["name"]
    case.write(content)


def path_tasks(case: Case) -> None:
    """The task file leads elsewhere."""
    content = _content(case)
    content.header["spec"]["tasks"] = case.turn(_leads(case))
    case.write(content)


def path_more(case: Case) -> None:
    """Law pack and web snapshot lead elsewhere."""
    content = _content(case, "law", "trial", "half_trial")
    content.header["spec"]["web" if content.header["spec"]["benchmark"] == "legalsearch" else "law_pack"] = case.turn(
        _leads(case)
    )
    case.write(content)


def engine_specs(case: Case) -> list[str]:
    """SPECs of engines that lead to files, devices, folders and hosts."""
    kinds = ("scripted", "recorded", "llama")
    leads = [f"{kind}:{lead}" for kind in kinds for lead in _leads(case)]
    return [*HOSTS, "nothing", "nothing:x", ":", "llama:", "human", "human:x", "recorded:base-model", *leads]


def path_engine(case: Case) -> None:
    """The engine of the run leads elsewhere: in the header, and in the seat."""
    content = _content(case, "half_model", "model")
    spec = case.turn(engine_specs(case))
    content.header["spec"]["model"] = spec
    content.header["engines"] = case.rng.choice(
        [{}, {spec: {}}, {spec: {"kind": "scripted"}}, content.header["engines"]]
    )
    for event in content.events:
        if event[5] == "seated":
            event[6]["engine"] = spec
    case.write(content)


def hosts_allowed(case: Case) -> None:
    """A run that allows itself hosts beyond this machine."""
    content = _content(case, "half_model", "half_trial", "unfinished", "model")
    hosts = case.turn(
        [
            ["192.0.2.7"],
            ["evil.example"],
            ["*"],
            ["localhost."],
            "evil.example",
            [None],
            ["\x1b[2J"],
            ["a" * 100_000],
            [f"h{n}.example" for n in range(5000)],
            ["127.0.0.1@evil.example"],
        ]
    )
    content.header["spec"]["allow_hosts"] = hosts
    if content.header["spec"]["model"]:
        content.header["spec"]["model"] = case.rng.choice(HOSTS)
        for event in content.events:
            if event[5] == "seated":
                event[6]["engine"] = content.header["spec"]["model"]
    case.write(content)


def seats_named(case: Case) -> None:
    """Seats of the header that no benchmark has, or that sit where they may not."""
    content = _content(case)
    if not isinstance(content.header["spec"].get("seats"), dict):
        raise Misfit
    content.header["spec"]["seats"] = case.turn(
        [
            {"ghost": "rules"},
            {"": ""},
            {"agent": "human"},
            {"grader": HOSTS[0]},
            {"judge": f"scripted:{case.bait / 'pipe'}"},
            {"client": "human"},
            {"\x1b[2J": "\x1b[2J"},
            {f"s{n}": "rules" for n in range(20_000)},
        ]
    )
    case.write(content)


KINDS = (
    header_value, header_named, header_nested, header_spec, header_missing, header_nested_missing, header_more,
    header_not_json, header_swapped, header_name,
    json_deep, json_long, json_keys, json_twice, json_numbers, json_surrogates, json_odd, json_broken, shown_escapes,
    shown_bidi, shown_markup, shown_widths,
    path_pack, path_pack_name, path_tasks, path_more, path_engine, hosts_allowed, seats_named,
)  # fmt: skip
LARGE = (json_long, json_keys)
