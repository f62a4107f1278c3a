"""Runs compared with the first of them, as something to read or to send on: text, Markdown, HTML, JSON.

Figures stand on one scale from 0 to 100, differences are the second run minus the first. Pure functions to text.
"""

from __future__ import annotations

import itertools
import json
import math
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict
from statistics import mean, stdev

from tasks.episode.scheduler import HUMAN
from tasks.reports import document
from tasks.reports.document import Section
from tasks.reports.model import measure, printable
from tasks.reports.plots import Bar
from tasks.reports.plots import differences as drawn_differences
from tasks.reports.words import SCALE, phrase, word
from tasks.run.comparing import Attempt, ComparedRun, Comparison, Key, MeasureComparison
from tasks.run.header import is_fictional, tested
from tasks.scoring.metrics import EMPTY, RULES, Cell, Table, TableRow

LEVEL = 0.05
"""A p value from which on chance could do it."""
MOST_TASKS = 200
"""Tasks that a table names; more are counted."""


def clear(row: MeasureComparison) -> bool:
    """Whether more than chance speaks for a difference."""
    return row.holm < LEVEL


def bar(row: MeasureComparison, name: str = "") -> Bar:
    """The difference of a row as a plot has it."""
    found = row.found
    return Bar(name, SCALE * found.difference, SCALE * found.interval.low, SCALE * found.interval.high, clear(row))


def differences(one: Comparison, language: str) -> Table:
    """A row a measure and group: both means, the difference with its interval, p, what could have been found."""
    several = any(row.holm != row.found.p for row in one.rows)
    names = ["n", "clusters", "first", "second", "difference", "p", *(["holm"] if several else []), "detectable"]
    rows = []
    for row in one.rows:
        found = row.found
        span = found.interval
        cells = [
            Cell(text=str(found.n)), Cell(text=str(found.clusters)), Cell(SCALE * found.first),
            Cell(SCALE * found.second), Cell(SCALE * found.difference, SCALE * span.low, SCALE * span.high),
            Cell(text=chance(found.p)), *([Cell(text=chance(row.holm))] if several else []),
            Cell(None if found.detectable is None else SCALE * found.detectable),
        ]  # fmt: skip
        rows.append(TableRow((measure(row.measure, language), row.group.label[language == "en"]), tuple(cells)))
    tests = dict.fromkeys(said for row in one.rows for said in (row.found.test, row.found.interval.method))
    shorter = dict.fromkeys(re.sub(r", \d+ df| over \d+ clusters", "", test) for test in tests)
    notes = [
        word("compare.note", language),
        word("compare.joined", language).join(phrase(test, language) for test in shorter),
    ]
    bars = [bar(of, f"{row.heads[0]} {row.heads[1]}") for row, of in zip(rows, one.rows, strict=True)]
    return Table(
        "differences", word("compare.title", language), (word("measure", language), word("group", language)),
        tuple(word(f"compare.{name}", language) for name in names), tuple(rows), tuple(notes), 1,
        drawn_differences(bars, word("compare.title", language), word("compare.axis", language)),
    )  # fmt: skip


def fourfold(one: Comparison, language: str) -> Table | None:
    """The tasks that both solved, only one, or none; None where nothing is yes or no."""
    rows = [
        TableRow(
            (measure(row.measure, language), row.group.label[language == "en"]),
            tuple(
                Cell(text=str(n)) for n in (four.both, four.first, four.second, four.none)
            ) + (Cell(text=chance(four.mcnemar)),),
        )
        for row in one.rows
        if row.group.name == "all" and (four := row.found.fourfold) is not None
    ]  # fmt: skip
    if not rows:
        return None
    columns = ("both", "only_first", "only_second", "none", "mcnemar")
    return Table(
        "fourfold", word("compare.fourfold", language), (word("measure", language), word("group", language)),
        tuple(word(f"compare.{name}", language) for name in columns), tuple(rows),
        (word("compare.mcnemar_note", language),),
    )  # fmt: skip


def differing(one: Comparison, language: str) -> Table:
    """The tasks whose scores differ: how both ended, and both values by each rule."""
    found = [line for line in one.tasks if line.differs]
    shown = found[:MOST_TASKS]
    rows = [
        TableRow(
            (line.task, line.label[language == "en"], *(_ended(outcomes, language) for outcomes in line.outcomes)),
            tuple(
                Cell(None if value is None else SCALE * value)
                for rule in ("compat", "strict")
                for value in line.values[rule]
            ),
        )
        for line in shown
    ]  # fmt: skip
    heads = tuple(word(f"compare.{name}", language) for name in ("task", "in_group", "ended_first", "ended_second"))
    columns = tuple(
        f"{word(f'{rule}.all', language)} {word(f'compare.{side}', language)}"
        for rule in ("compat", "strict")
        for side in ("first", "second")
    )
    notes = [word("compare.tasks_note", language).format(n=len(found), of=sum(line.ended for line in one.tasks))]
    return Table("tasks", word("compare.differing", language), heads, columns, tuple(rows), tuple(notes), 1)


def _ended(outcomes: str, language: str) -> str:
    return " ".join(word(f"outcome.{name}", language) for name in outcomes.split())


def apart(one: Comparison, language: str) -> Table:
    """What was different about the runs."""
    rows = tuple(
        TableRow((fact(name, language), *(value_of(name, value, language) for value in values)), ())
        for name, *values in one.differences
    )
    heads = tuple(word(f"compare.{name}", language) for name in ("fact", "first", "second"))
    return Table("apart", word("compare.apart", language), heads, (), rows)


def fact(name: str, language: str) -> str:
    """What told two runs apart, in words."""
    section, dot, rest = name.partition(".")
    part = f" {word(f'compare.part.{rest}', language)}" if dot else ""
    return f"{word(f'compare.fact.{section}', language)}{part}"


def value_of(name: str, value: str, language: str) -> str:
    """What a run had there, in words."""
    if name == "agent":
        return word(f"agent.{value}", language)
    return value.removesuffix(".0") if name.startswith("limits.") else value


def tables(one: Comparison, language: str) -> list[Table]:
    """All tables of a comparison."""
    found = [differences(one, language), fourfold(one, language), apart(one, language), differing(one, language)]
    return [table for table in found if table is not None and table.rows]


def chance(p: float) -> str:
    """A p value for a table."""
    return "< .001" if p < 0.001 else f"{p:.3f}".replace("0.", ".", 1) if p < 1 else "1"


def verdict(one: Comparison, language: str) -> str:
    """In one sentence: which is ahead by the strict rule, by how much, and whether chance could do it."""
    row = one.main
    found = row.found
    sign = -1 if found.difference < 0 else 1
    low, high = sorted((sign * SCALE * found.interval.low, sign * SCALE * found.interval.high))
    ahead, behind = _called(one, language)[::-sign]
    least, best = sorted((found.first, found.second))
    return word(f"compare.verdict.{_kind(row)}", language).format(
        ahead=ahead, behind=behind, best=f"{SCALE * best:.1f}", least=f"{SCALE * least:.1f}", n=found.n,
        measure=measure(row.measure, language), k=found.clusters, difference=f"{SCALE * sign * found.difference:.1f}",
        low=f"{low:.1f}", high=f"{high:.1f}", p=_equals(chance(row.holm)),
    )  # fmt: skip


def _equals(p: str) -> str:
    return p if p.startswith("<") else f"= {p}"


def _called(one: Comparison, language: str) -> tuple[str, str]:
    """What a sentence calls both sides; who they are is told where that tells them apart."""
    letters = [word(f"compare.{place}", language) for place in ("first", "second")]
    told = zip(*(_who(side, language) for side in (one.first, one.second)), strict=True)
    apart = zip(*(pair for pair in told if pair[0] != pair[1]), strict=True)
    names = [" · ".join(filter(None, parts)) for parts in apart]
    first, second = (
        word("compare.called", language).format(side=side, name=name) if name else side
        for side, name in itertools.zip_longest(letters, names)
    )
    return first, second


def _kind(row: MeasureComparison) -> str:
    found = row.found
    if found.difference == 0:
        return "alike"
    if found.clusters < 2:
        return "single"
    if clear(row):
        return "better"
    return "few" if 2 * 0.5**found.clusters >= LEVEL else "chance"


def who(side: ComparedRun, language: str) -> str:
    """Who was tested in a run, with what."""
    seed = [word(key, language) for key in ("seed_ignored", "seed_ignored.so") if side.header.get("seed_ignored")]
    return " · ".join(filter(None, (*_who(side, language), ": ".join(seed))))


def _who(side: ComparedRun, language: str) -> tuple[str, str]:
    """Its policy, and its model or source file."""
    name, model = tested(side.header)
    label = word(f"agent.{name}", language)
    if side.people and name != HUMAN:
        label += word("agent.helped", language).format(n=side.people)
    return label, model or side.header.get("imported", {}).get("file", "")


def dropped_line(one: Comparison, language: str) -> str:
    """How many of the tasks that either run played the verdict does not count, and why; '' where it counts all."""
    counts = Counter((task.why, task.side) for task in one.dropped)
    sides = {0: "compare.first", 1: "compare.second", None: "compare.both_runs"}
    whys = [
        word(f"compare.dropped.{why}", language).format(n=n, side=word(sides[side], language))
        for (why, side), n in counts.most_common()
    ]
    n, joint = len(one.dropped), ", " if language == "en" else "，"
    said = word("compare.dropped", language).format(n=n, of=n + one.main.found.n, whys=joint.join(whys))
    return said if n else ""


def _heads(one: Comparison, language: str) -> Iterator[str]:
    for side, place in ((one.first, "first"), (one.second, "second")):
        mark = f" 〔{word('fictional', language)}〕" if is_fictional(side.header) else ""
        yield f"{word(f'compare.{place}', language)}: {side.run} · {who(side, language)}{mark}"
    yield verdict(one, language)
    yield from filter(None, [dropped_line(one, language)])


def spread(side: ComparedRun, language: str) -> Table | None:
    """How far the repeats of a run (`--epochs`) lie apart, on a scale from 0 to 100. Court runs have a table of their
    own, made as the published one is.

    A line a measure: the mean over the tasks in each repeat; mean and standard deviation of those, the mean
    standard deviation within a task, how many tasks came out differently. None where tasks were played once."""
    repeats = 1 + max((one.repeat for attempts in side.tasks.values() for one in attempts), default=0)
    if repeats < 2:
        return None
    keys = dict.fromkeys(key for attempts in side.tasks.values() for one in attempts for key in one.values)
    rows = []
    for key in keys:
        tasks = [_by_repeat(attempts, key) for attempts in side.tasks.values()]
        means = [
            mean(found) if (found := [task[repeat] for task in tasks if repeat in task]) else None
            for repeat in range(repeats)
        ]
        known = [value for value in means if value is not None]
        several = [list(task.values()) for task in tasks if len(task) > 1]
        rule, name = key
        rows.append(
            TableRow(
                (f"{word(f'{rule}.all', language)} {word(f'compare.{name}', language)}",),
                (
                    *(EMPTY if value is None else Cell(SCALE * value) for value in means),
                    Cell(SCALE * mean(known)) if known else EMPTY,
                    Cell(SCALE * stdev(known)) if len(known) > 1 else EMPTY,
                    Cell(SCALE * mean(map(stdev, several))) if several else EMPTY,
                    Cell(text=f"{sum(len(set(values)) > 1 for values in several)}/{len(several)}"),
                ),
            )
        )
    if not rows:
        return None
    columns = [word("court.repeat", language).format(n=number) for number in range(1, repeats + 1)]
    columns += [word(name, language) for name in ("court.mean", "court.sd", "repeats.within", "repeats.changed")]
    title = f"{word('repeats.title', language)} · {side.run}"
    return Table("repeats", title, (word("measure", language),), tuple(columns), tuple(rows))


def passes(side: ComparedRun, language: str) -> Table | None:
    """Of tasks that were played k times: pass@j, the chance that one of j attempts solves a task (Chen et al. 2021,
    §2.1), and pass^j, that all of them do (Yao et al. 2024, τ-bench §5.1), for every j up to k, in percent.

    Both are the unbiased estimates from all k attempts. Solved is a whole score of 1; tasks with fewer attempts than
    most are left out. None where tasks were played once.
    """
    rules: list[tuple[str, list[int]]] = []
    most = max((len(attempts) for attempts in side.tasks.values()), default=0)
    for rule in RULES:
        wholes = [[one.whole(rule) for one in attempts] for attempts in side.tasks.values() if len(attempts) == most]
        if any(value is not None for task in wholes for value in task):
            rules.append((rule, [sum(value is not None and value >= 1 for value in task) for task in wholes]))
    if most < 2 or not rules:
        return None
    rows = []
    for j in range(1, most + 1):
        ways = math.comb(most, j)
        cells = []
        for _, solved in rules:
            cells.append(Cell(SCALE * mean(1 - math.comb(most - count, j) / ways for count in solved)))
            cells.append(Cell(SCALE * mean(math.comb(count, j) / ways for count in solved)))
        rows.append(TableRow((f"j = {j}",), tuple(cells)))
    columns = [f"{word(f'{rule}.all', language)} {name}" for rule, _ in rules for name in ("pass@j", "pass^j")]
    title = f"{word('passes.title', language)} · {side.run} · n = {len(rules[0][1])}"
    return Table("passes", title, (word("repeats.attempts", language),), tuple(columns), tuple(rows))


def _by_repeat(attempts: Sequence[Attempt], key: Key) -> dict[int, float]:
    return {one.repeat: value for one in attempts if (value := one.values.get(key)) is not None}


def text(made: Sequence[Comparison], language: str = "zh") -> str:
    """For a terminal."""
    parts = []
    for one in made:
        lines = [*map(printable, _heads(one, language))]
        for table in tables(one, language):
            lines += ["", *document.as_text(table)]
        parts.append("\n".join(lines))
    return "\n\n".join(parts)


def _sections(made: Sequence[Comparison], language: str) -> list[Section]:
    return [
        Section(
            f"{one.first.run} — {one.second.run}", lines=list(_heads(one, language)), tables=tables(one, language)
        )
        for one in made
    ]


def markdown(made: Sequence[Comparison], language: str = "zh") -> str:
    """For a document."""
    return document.markdown(word("compare.page", language), _sections(made, language))


def page(made: Sequence[Comparison], language: str = "zh") -> str:
    """One HTML file."""
    return document.html(word("compare.page", language), _sections(made, language), language)


def data(made: Sequence[Comparison], language: str = "zh") -> str:
    """As JSON, in shares from 0 to 1."""
    return json.dumps({"comparisons": [_data(one) for one in made]}, ensure_ascii=False, indent=1) + "\n"


def _data(one: Comparison) -> dict[str, object]:
    rows = []
    for row in one.rows:
        found, four = row.found, row.found.fourfold
        rows.append({
            "rule": row.measure.rule, "measure": row.measure.name, "group": row.group.name, "n": found.n,
            "clusters": found.clusters, "first": found.first, "second": found.second, "difference": found.difference,
            "interval": [found.interval.low, found.interval.high], "interval_method": found.interval.method,
            "p": found.p, "p_holm": row.holm, "test": found.test, "detectable": found.detectable,
            "fourfold": four and {
                "both": four.both, "first": four.first, "second": four.second, "none": four.none,
                "mcnemar": four.mcnemar,
            },
        })  # fmt: skip
    return {
        "first": one.first.run,
        "second": one.second.run,
        "benchmark": one.first.bench.name,
        "rows": rows,
        "tasks": [
            {
                "task": line.task, "group": line.group, "episodes": list(line.episodes),
                "outcomes": list(line.outcomes), "values": {rule: list(pair) for rule, pair in line.values.items()},
            }
            for line in one.tasks
        ],
        "seed_ignored": [side.header.get("seed_ignored", []) for side in (one.first, one.second)],
        "only_first": _only(one, 1),
        "only_second": _only(one, 0),
        "dropped": [asdict(task) for task in one.dropped],
        "differences": [{"what": what, "first": a, "second": b} for what, a, b in one.differences],
    }  # fmt: skip


def _only(one: Comparison, other: int) -> list[str]:
    return [task.task for task in one.dropped if task.why == "missing" and task.side == other]


FORMATS: dict[str, Callable[[Sequence[Comparison], str], str]] = {
    "text": text, "html": page, "md": markdown, "json": data,
}  # fmt: skip
"""Format -> writer of comparisons in a language ('zh' or 'en')."""
