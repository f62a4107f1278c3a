"""Draws entities for templates until a walk has one clear answer, and writes the task lines."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import islice, product
from random import Random
from typing import Any

from tasks.legalagentbench.construct.keys import Rejected, written
from tasks.legalagentbench.construct.phrasing import Phrasing
from tasks.legalagentbench.construct.source import Source
from tasks.legalagentbench.construct.template import Template
from tasks.legalagentbench.construct.walk import Binding, Walked, walk

MOST_KEYS = 8
TRIES = 4000
_PLACE_COLUMNS = {
    "CourtInfo": ("法院省份", "法院城市", "法院区县"),
    "LawfirmInfo": ("事务所省份", "事务所城市", "事务所区县"),
    "AddrInfo": ("省份", "城市", "区县"),
}
_YES_NO = ("是上市公司", "不是上市公司")


def construct(
    templates: Sequence[Template], source: Source, phrasing: Phrasing, rng: Random, *, prefix: str = "task"
) -> Iterator[dict[str, Any]]:
    """One task a template, by hops; where a template finds nothing, another of the same hops is used twice.

    Yields:
        Task lines as upstream has them, with hops and path besides.
    """
    used: set[str] = set()
    tasks: dict[int, list[dict[str, object]]] = {}
    short: dict[int, int] = {}
    for template in templates:
        task = _draw(template, source, phrasing, rng, used)
        if task is None:
            short[template.hops] = short.get(template.hops, 0) + 1
        else:
            tasks.setdefault(template.hops, []).append(task)
    for hops, wanted in short.items():
        spare = (_draw(t, source, phrasing, rng, used) for t in templates if t.hops == hops)
        tasks.setdefault(hops, []).extend(islice((task for task in spare if task), wanted))
    for hops, group in sorted(tasks.items()):
        for number, task in enumerate(group, start=1):
            yield {"id": f"{prefix}-{hops}{number:02d}", **task}


def _draw(
    template: Template, source: Source, phrasing: Phrasing, rng: Random, used: set[str]
) -> dict[str, Any] | None:
    starts = _starts(template, source)
    rng.shuffle(starts)
    tries = 0
    for start in starts:
        if start["start"] in used:
            continue
        combinations = [
            dict(zip(template.options, values, strict=True)) for values in product(*template.options.values())
        ]
        rng.shuffle(combinations)
        for options in combinations:
            tries += 1
            if tries > TRIES:
                return None
            try:
                core = rng.choice(template.ask)
                task = _task(template, core, walk(template, start, options, source))
            except Rejected:
                continue
            used.add(start["start"])
            task["question"] = phrasing.question(template.topic, core, task.pop("bindings"))
            return task
    return None


def _starts(template: Template, source: Source) -> list[dict[str, str]]:
    table, _, column = template.start.partition(".")
    if column != "place":
        return [
            {"start": value}
            for value in source.values(table, column)
            if value.strip() not in ("", "-") and "," not in value
        ]
    found = []
    for prov, city, county in source.places(table, _PLACE_COLUMNS[table]):
        text = (prov if prov != city else "") + city + county
        found.append({"start": text, "prov": prov, "city": city, "county": county})
    return found


def _task(template: Template, core: str, walked: Walked) -> dict[str, Any]:
    shown: dict[str, object] = {name: _joined(value) for name, value in walked.bindings.items()}
    keys: list[str] = []
    for entry in template.keys:
        name, _, shape = entry.partition("|")
        value = walked.bindings[name]
        parts = value if isinstance(value, list) else [value]
        texts = [written(part, shape or "text") for part in parts]
        shown[name] = "、".join(texts)
        keys += texts
    if not 0 < len(keys) <= MOST_KEYS or len(set(keys)) < len(keys):
        raise Rejected("too many keys, or equal ones")
    asked = core.format(**shown)
    if any(key in asked for key in keys if key not in _YES_NO):
        raise Rejected("a key stands in the question")
    middle: list[str] = []
    for name in template.middle:
        value = walked.bindings[name]
        middle += [str(part) for part in (value if isinstance(value, list) else [value])]
    answer = template.reply.format(**shown)
    return {
        "question": asked, "answer": answer, "key": keys,
        "key_middle": [m for m in dict.fromkeys(middle) if m not in keys],
        "type": template.id, "way": template.way, "hops": template.hops,
        "path": [{"tool": tool, "input": given} for tool, given in walked.calls], "bindings": shown,
    }  # fmt: skip


def _joined(value: Binding) -> object:
    return "、".join(value) if isinstance(value, list) else value
