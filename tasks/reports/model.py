"""What every report shows, whatever its format: the metric rows of a run and the facts of its header.

A number never stands alone: each row carries its interval and method, its n and clusters, floor and ceilings. What
does not exist is None and is shown as such.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from store.journal import text_hash
from tasks.benchmark import benchmark
from tasks.episode.with_tools import SEAT
from tasks.errors import UsageError
from tasks.reports.words import figure, phrase, show, word, words
from tasks.run.header import is_fictional, tested
from tasks.run.spec import RunSpec
from tasks.scoring.failures import BY_NAME
from tasks.scoring.metrics import LIMITS, Cell, Group, Measure, Metric, Report, Table, TableRow
from tasks.scoring.result import DEGENERATE, NAMED, HumanSteps, degenerate

COLUMNS = (
    "n",
    "value",
    "interval",
    "method",
    "clusters",
    "design_effect",
    "effective_n",
    *LIMITS,
)
"""What a table of HTML or Markdown says of a line, in its order."""
COURTS = "courts"
SHOWN_HASH = 16
"""Characters of a hash that a person compares by eye."""
SETTINGS = ("paper", "calls", "seed", "epochs", "types", "only", "limit", "task_seed")
ENGINE_FACTS = ("file", "source", "url", "model", "parameters", "quantisation", "context", "sha256")
"""What engines say of themselves that a report shows, in its order."""


def lines(report: Report, groups: Sequence[Group] | None = None) -> list[Metric]:
    """The scores of a run, measure by measure; only some groups if asked."""
    rows = report.summary.scores
    measures = list(dict.fromkeys(row.measure for row in rows))
    shown = report.summary.groups if groups is None else groups
    return [row for row in sorted(rows, key=lambda row: measures.index(row.measure)) if row.group in shown]


def fictional(report: Report) -> bool:
    """Whether the run used authored data: every table of it says so."""
    return is_fictional(report.header)


def agent(report: Report, language: str) -> str:
    """Who was tested: the policy's label, and its model or source file; in a fork also from whom he took over."""
    name, model = tested(report.header)
    label = word(_agent(name), language) if name else ""
    people = report.summary.tally.flags.get("human", 0)
    if people and label != word("agent.human", language):
        label += word("agent.helped", language).format(n=people)
    behind = model or at(report.header, "imported", "file") or ""
    label = f"{label} · {behind}" if behind and behind != "human" else label
    before = (at(report.header, "spec", "agent") or "", at(report.header, "spec", "model") or "")
    if before[0] and at(report.header, "parent", "seat") == SEAT:
        who = " · ".join(filter(None, (word(_agent(before[0]), language), before[1])))
        label += word("agent.took_over", language).format(who=who)
    return label


def _agent(name: str) -> str:
    """The key of an agent or a policy (court-human: human)."""
    return next(
        (key for one in (name, name.partition("-")[2]) if (key := f"agent.{one}") in words()), f"agent.{name}"
    )


def facts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of everything the header says that a reader needs, empty ones left out."""
    header = report.header
    pack = at(header, "pack", "name") or ""
    marks = f" · {word('fictional', language)}" if fictional(report) else ""
    engines = {**(at(header, "engines") or {}), **(at(header, "prompts") or {})}
    parent = at(header, "parent")
    rows = [
        ("agent", agent(report, language)),
        ("pack", f"{pack} {_hash(at(header, 'pack', 'hash'))}{marks}".strip()),
        ("task_file", f"{at(header, 'tasks', 'file') or ''} {_hash(at(header, 'tasks', 'sha256'))}".strip()),
        ("engines", "; ".join(f"{name} {_described(what, language)}".strip() for name, what in engines.items())),
        ("harness", ", ".join(f"{name} {version}" for name, version in (at(header, "versions") or {}).items())),
        ("scorers", ", ".join(report.summary.scorers.values())),
        (
            "parent",
            f"{parent['run']} · {parent['episode']} · {parent['step']}" if isinstance(parent, Mapping) else "",
        ),
        ("merged", _merged(header, language)),
        ("seed_ignored", word("seed_ignored.so", language) if at(header, "seed_ignored") else ""),
        ("settings", _settings(at(header, "spec") or {})),
        ("created", str(at(header, "created") or "")),
        ("command", " ".join(map(str, at(header, "command") or ()))),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def _merged(header: Mapping[str, object], language: str) -> str:
    """Of how many runs this one was made, and how many episodes are in none of them; '' where it was played as
    one."""
    parts, missing = at(header, "merged", "parts"), at(header, "merged", "missing")
    if not parts:
        return ""
    said = word("merged.parts", language).format(n=len(parts))
    return said + (word("merged.missing", language).format(n=missing) if missing else "")


def _settings(spec: Mapping[str, object]) -> str:
    common = {
        name: spec[name] for name in SETTINGS if spec.get(name) not in (None, [], RunSpec.model_fields[name].default)
    }
    named = {**common, **_own(spec)}
    seats = {f"seat {role}": who for role, who in (at(spec, "seats") or {}).items()}
    return ", ".join(f"{name} = {_brief(value)}" for name, value in {**named, **seats}.items())


def _brief(value: object) -> object:
    """A value for one line: of a whole text its hash."""
    return text_hash(value)[:SHOWN_HASH] if isinstance(value, str) and "\n" in value else value


def _own(spec: Mapping[str, object]) -> dict[str, object]:
    """The settings of the benchmark alone that differ from its defaults; all of them where it is not installed."""
    given = {name: value for name, value in spec.items() if name not in RunSpec.model_fields}
    name = str(spec.get("benchmark"))
    try:
        defaults = benchmark(name).settings.of({}, name).model_dump(mode="json")
    except UsageError:
        return given
    return {name: value for name, value in given.items() if name in defaults and value != defaults[name]}


def _hash(value: object) -> str:
    return f"({str(value)[:SHOWN_HASH]})" if value else ""


def _described(value: object, language: str) -> str:
    """What a reader needs of an engine; its template, build and threads are in the record."""
    if isinstance(value, Mapping):
        told = [(name, _described(value[name], language)) for name in ENGINE_FACTS if value.get(name)]
        return ", ".join(f"{word(f'engine.{name}', language)} {text}" for name, text in told)
    if isinstance(value, list):  # the servers behind a seat
        return " + ".join(_described(one, language) for one in value)
    if isinstance(value, int):
        return f"{value:,}"
    text = str(value)
    return text[:SHOWN_HASH] if re.fullmatch(r"[0-9a-f]{40,}", text) else text


def heading(reports: Sequence[Report], column: str, language: str) -> str:
    """The head of a column; each benchmark has a floor of its own."""
    own = {label for report in reports for limit, label in report.summary.limits.items() if limit == column}
    return own.pop()[language == "en"] if len(own) == 1 else word(column, language)


def measure(of: Measure, language: str) -> str:
    """What is measured: the name of its rule, then its own."""
    return f"{word(f'{of.rule}.all', language)} {of.called(language)}"


def spread_of(row: Metric) -> tuple[int | None, float | None, float | None]:
    """Clusters, design effect and effective n behind a figure: those of its group, where it is made of all of it."""
    group = row.group
    return (group.clusters, group.design_effect, group.effective_n) if row.n == group.n else (None, None, None)


def counts(report: Report, language: str) -> list[tuple[str, str]]:
    """Label and text of what was counted: outcomes (they add up to n), flags, what its benchmark notes, tokens."""
    tally = report.summary.tally
    outcomes = [f"{word(f'outcome.{name}', language)} {count}" for name, count in tally.outcomes.items() if count]
    flags = [f"{word(f'flag.{name}', language)} {count}" for name, count in tally.flags.items() if count]
    estimated = word("tokens_estimated", language).format(n=tally.estimated) if tally.estimated else ""
    rows = [
        ("outcomes", f"{' · '.join(outcomes)} = {tally.n}"),
        ("flags", " · ".join(flags)),
        ("people", _people(report.summary.people, language)),
        ("replies", " · ".join(replies_line(seat, own, language) for seat, own in tally.replies.items())),
        ("failures", _failures(report, language)),
        ("epochs", str(tally.epochs)),
        *report.summary.notes(language),
        ("added", "; ".join(_added(row, language) for row in report.summary.section("added"))),
        ("tokens", f"{sum(tally.tokens):,}{estimated}" if sum(tally.tokens) else ""),
    ]
    return [(word(key, language), printable(text)) for key, text in rows if text]


def _people(people: Sequence[HumanSteps], language: str) -> str:
    """The episodes in which a person answered, by seat and step, those first that no figure counts."""
    told = [
        f"{one.episode} {human_line(one, language)}" + ("" if one.counted else word("people.left_out", language))
        for one in sorted(people, key=lambda one: one.counted)
    ]
    more = [word("people.more", language).format(n=len(told) - NAMED)] if len(told) > NAMED else []
    return (", " if language == "en" else "；").join([*told[:NAMED], *more])


def human_line(of: HumanSteps, language: str) -> str:
    """The seats and steps in which a person answered."""
    told = [
        word("people.steps", language).format(seat=word(f"seat.{seat}", language), steps=", ".join(map(str, steps)))
        for seat, steps in of.steps.items()
    ]
    return (", " if language == "en" else "，").join(told)


def replies_line(seat: str, figures: Mapping[str, int], language: str, name: str = "") -> str:
    """How many replies of a seat there are, and in how many nothing is said; `name`: what it is called elsewhere."""
    n, who = figures["spoken"] or figures["calls"], name or word(f"seat.{seat}", language)
    found = [f"{word(f'flag.{flag}', language)} {figures[flag]}" for flag in DEGENERATE if figures[flag]]
    parts = (", " if language == "en" else "、").join(found)
    key = "replies.degenerate" if found else "replies.of"
    return word(key, language).format(seat=who, n=n, found=parts, share=degenerate(figures))


def _failures(report: Report, language: str) -> str:
    """The main reasons of failed attempts, most frequent first, with their shares; they add up to what failed."""
    n = sum(report.failures.values())
    found = sorted(((count, name) for name, count in report.failures.items() if count), key=lambda one: -one[0])
    named = [f"{BY_NAME[name].label[language == 'en']} {count} ({count / n:.0%})" for count, name in found]
    return f"{' · '.join(named)} = {n}" if named else ""


def score_table(reports: Sequence[Report], groups: Sequence[Group] | None, language: str, several: bool) -> Table:
    """The scores of runs, a row a measure and group; of the groups that sum a run up where none are given."""
    rows = []
    for report in reports:
        mark = f" 〔{word('fictional', language)}〕" if fictional(report) else ""
        for line in lines(report, report.summary.wholes if groups is None else groups):
            heads: tuple[str, ...] = (f"{report.summary.run}{mark}",) if several else ()
            heads += (measure(line.measure, language), line.group.label[language == "en"])
            rows.append(TableRow(heads, tuple(Cell(text=text) for text in cells(line, language))))
    names = ("run", "measure", "group") if several else ("measure", "group")
    columns = tuple(heading(reports, column, language) for column in COLUMNS)
    return Table("scores", "", tuple(word(name, language) for name in names), columns, tuple(rows))


def show_interval(row: Metric) -> str:
    """The interval for a table."""
    return f"[{figure(row, row.interval.low)}, {figure(row, row.interval.high)}]" if row.interval else "–"


def cells(row: Metric, language: str) -> list[str]:
    """What a table says of a row, in the order of `COLUMNS`."""
    clusters, effect, effective = spread_of(row)
    return [
        str(row.n), figure(row, row.value), show_interval(row),
        phrase(row.interval.method, language) if row.interval else "–", "–" if clusters is None else str(clusters),
        show(effect, 2), show(effective, 1),
        *(figure(row, row.limit(limit)) for limit in LIMITS),
    ]  # fmt: skip


def printable(text: str) -> str:
    """The text on one line without control, bidi, private-use or undefined characters: each run becomes one mark."""
    kept = ["\0" if unicodedata.category(character).startswith("C") else character for character in text]
    return re.sub("\0+", "⍰", "".join(kept).replace("\u2028", "\0").replace("\u2029", "\0"))


def readable(text: str) -> str:
    """The same for a text of several lines: each is made printable, line breaks and tabs stay."""
    return "\n".join(
        printable(line.replace("\t", "    ")) for line in re.split(r"\r\n|[\n\r\x0b\x0c\x85\u2028\u2029]", text)
    )


def at(tree: object, *path: str) -> Any:
    """What stands at a place of a header, which may be of another release; None where there is nothing."""
    for name in path:
        if not isinstance(tree, Mapping) or name not in tree:
            return None
        tree = tree[name]
    return tree


def plain(text: str) -> str:
    """Text that Markdown shows as it is: no markup, no HTML, no line break, no link."""
    text = printable(text).replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    return re.sub(r"([\\`*_\[\]|#~$!])", r"\\\1", text).replace("://", ":&#8203;//")


def _added(row: Metric, language: str) -> str:
    """A figure of another package: its name, mean, interval and n, or why there is none."""
    name = row.measure.called(language)
    if row.value is None:
        return f"{name} – {row.why}".rstrip(" –")
    span = f" [{row.interval.low:.2f}, {row.interval.high:.2f}]" if row.interval else ""
    return f"{name} {row.value:.3f}{span} n = {row.n}"


def tables_of(reports: Sequence[Report], language: str = "zh") -> list[Table]:
    """The tables of these runs, benchmark by benchmark; none where a benchmark has none."""
    by_benchmark: dict[str, list[Report]] = {}
    for report in reports:
        by_benchmark.setdefault(report.summary.benchmark, []).append(report)
    together = [table for own in by_benchmark.values() for table in own[0].summary.tables(own, language)]
    return [*together, *(table for report in reports for table in report.tables)]


def published_lines(reports: Sequence[Report]) -> Iterator[dict[str, object]]:
    """The published figures of the environments that ran, as lines of a CSV file."""
    mine = _of_courts(reports)
    if not mine:
        return
    from tasks.reports import court_published as published

    ran = {group.name for report in mine for group in report.summary.groups}
    cases = {str(env): count for env, count in published.CASES.items()}
    for name, driver, table in published.printed():
        for model, row in table.items():
            for column, value in row.items():
                env, _, rate = column.partition(" ")
                if env in ran:
                    yield {
                        "run": f"J1-Eval {name}", "benchmark": COURTS, "agent": f"{model} ({driver})",
                        "rule": "published", "rate": rate or "turns", "group": env, "n": cases[env], "value": value,
                    }  # fmt: skip


def footer(reports: Sequence[Report], language: str = "zh") -> list[str]:
    """What is said below a report that holds a court."""
    mine = _of_courts(reports)
    marks = [word("fictional", language)] if any(map(fictional, mine)) else []
    return [word("disclaimer", language), *marks] if mine else []


def _of_courts(reports: Sequence[Report]) -> list[Report]:
    return [report for report in reports if report.summary.benchmark == COURTS]
