"""Walks one template from one entity over a source: every call, every binding, or Rejected with the reason."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from store.schema import LOOKUPS
from store.text.dates import days_between, parse_date
from tasks.legalagentbench.construct.follow import cited_laws
from tasks.legalagentbench.construct.keys import Rejected, missing, number
from tasks.legalagentbench.construct.source import Record, Source, Value
from tasks.legalagentbench.construct.template import PLACE, Hop, Template
from tasks.legalagentbench.construct.tree import court_code

Binding = Value | list[str]
MOST_EACH = 9
"""A tool is called for at most this many entities of a list."""

_FUNCTIONS: dict[str, Callable[[str], str | list[str]]] = {"court_code": court_code, "laws": cited_laws}


@dataclass
class Walked:
    """What a walk gives: bindings by name, and each call with its input."""

    bindings: dict[str, Binding]
    calls: list[tuple[str, Any]] = field(default_factory=list)


def walk(template: Template, start: Mapping[str, str], options: Mapping[str, str], source: Source) -> Walked:
    """Follow the path of a template.

    Args:
        template: the path.
        start: bindings of the drawn entity (start, and prov, city, county for a place).
        options: chosen parameters, for filters and wording.
        source: where the rows are.

    Raises:
        Rejected: the path breaks off or has more than one reading.
    """
    walked = Walked({**start, **options})
    for hop in template.path:
        _step(hop, walked, source)
    for name, function, first, second in template.compute:
        walked.bindings[name] = _computed(function, walked.bindings[first], walked.bindings[second])
    return walked


def _step(hop: Hop, walked: Walked, source: Source) -> None:
    rows: list[Record] = []
    many = LOOKUPS[hop.tool].shape == "many"
    values = _feeds(hop, walked.bindings)
    for value in values:
        found = source.find(hop.tool, value)
        if found is None or source.hidden(hop.tool, value[0]):
            raise Rejected("outside the source, or rows that the tool passes over")
        walked.calls.append((hop.tool, _input(hop, value)))
        if not many and (len(found) > 1 or not (found or hop.exists)):
            raise Rejected(f"{hop.tool}: {len(found)} rows")
        rows += found
    if hop.exists:
        name, yes, no = hop.exists
        walked.bindings[name] = yes if rows else no
        if not rows:
            return
    rows = [row for row in rows if all(_passes(row, test, walked.bindings) for test in hop.where)]
    _gather(hop, rows, walked)
    if hop.take:
        row = rows[0] if not many and len(rows) == 1 else _picked(hop, rows, walked)
        for name, column in hop.take.items():
            walked.bindings[name] = _taken(row, column)


def _feeds(hop: Hop, bindings: Mapping[str, Binding]) -> list[Sequence[str]]:
    if len(LOOKUPS[hop.tool].parameters) > 1:
        return [[_text(bindings[part]) for part in PLACE]]
    name, _, function = hop.feed.partition(":")
    value = bindings[name]
    given = value if isinstance(value, list) else [_text(value)]
    if not 0 < len(given) <= MOST_EACH:
        raise Rejected("too many entities")
    return [[_text(_FUNCTIONS[function](each))] if function else [each] for each in given]


def _input(hop: Hop, value: Sequence[str]) -> dict[str, object]:
    lookup = LOOKUPS[hop.tool]
    columns = [] if lookup.shape == "name" else hop.columns
    return {**dict(zip(lookup.parameters, value, strict=True)), "columns": columns}


def _text(value: object) -> str:
    if not isinstance(value, str) or missing(value) or "," in value:
        raise Rejected(f"no single entity: {value!r}")
    return value


def _passes(row: Record, test: tuple[str, str, str], bindings: Mapping[str, Binding]) -> bool:
    column, kind, template = test
    cell, wanted = row.get(column), template.format(**bindings)
    if kind in ("is", "not"):
        return (str(cell) == wanted) == (kind == "is")
    if missing(cell):
        raise Rejected(f"{column} is missing")
    if kind == "has":
        return wanted in str(cell)
    if kind == "year":
        day = parse_date(str(cell))
        if day is None:
            raise Rejected(f"{column} is no date")
        return day.year == int(wanted)
    amount, bound = number(cell), number(wanted)
    if amount == bound:
        raise Rejected("exactly at the bound")
    return amount > bound if kind == "over" else amount < bound


def _gather(hop: Hop, rows: list[Record], walked: Walked) -> None:
    if not (hop.count or hop.total or hop.names):
        return
    if len(rows) < hop.least:
        raise Rejected("too few rows")
    if hop.count:
        walked.bindings[hop.count] = len(rows)
    if hop.total:
        name, column = hop.total
        cells = [row.get(column) for row in rows]
        walked.bindings[name] = str(sum(number(cell) for cell in cells))
        if len(cells) > 1:
            walked.calls.append(("get_sum", cells))
    if hop.names:
        name, column = hop.names
        texts = [_text(row.get(column)) for row in rows]
        walked.bindings[name] = list(dict.fromkeys(texts))


def _picked(hop: Hop, rows: list[Record], walked: Walked) -> Record:
    kind, _, column = hop.pick.partition(":")
    if kind == "only":
        if len(rows) != 1:
            raise Rejected(f"{len(rows)} rows where one is meant")
        return rows[0]
    if len(rows) < hop.least:
        raise Rejected("too few rows to choose from")
    if kind == "mode":
        return _most_frequent(rows, column)
    keyed = sorted(
        ((_order(row, column), i) for i, row in enumerate(rows)), reverse=kind in ("max", "second", "latest")
    )
    ranks = [key for key, _ in keyed]
    place = 1 if kind == "second" else 0
    if ranks.count(ranks[place]) > 1 or (kind == "second" and len(rows) < 3):
        raise Rejected("a tie")
    if kind in ("max", "min", "second"):
        cells = [row.get(column) for row in rows]
        walked.calls.append(("get_rank", {"identifier": cells, "is_desc": str(kind != "min")}))
    return rows[keyed[place][1]]


def _order(row: Record, column: str) -> float:
    cell = row.get(column)
    if isinstance(cell, str) and (day := parse_date(cell)) is not None:
        return float(day.toordinal())
    return float(number(cell))


def _most_frequent(rows: list[Record], column: str) -> Record:
    cells = [row.get(column) for row in rows]
    if any(isinstance(cell, str) and "," in cell for cell in cells):
        raise Rejected("joined names")
    counts = Counter(cell for cell in cells if not missing(cell)).most_common(2)
    if not counts or counts[0][1] < 2 or (len(counts) > 1 and counts[0][1] == counts[1][1]):
        raise Rejected("no most frequent value")
    return next(row for row in rows if row.get(column) == counts[0][0])


def _taken(row: Record, column: str) -> Binding:
    name, _, function = column.partition(":")
    cell = row.get(name)
    if missing(cell):
        raise Rejected(f"{name} is missing")
    return _FUNCTIONS[function](str(cell)) if function else cell


def _computed(function: str, first: Binding, second: Binding) -> Binding:
    if function == "days":
        a, b = parse_date(str(first)), parse_date(str(second))
        if a is None or b is None:
            raise Rejected("no dates")
        return abs(days_between(a, b))
    if function == "less":
        return str(number(first) - number(second))
    return str(number(first) + number(second))
