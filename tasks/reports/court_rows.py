"""Rows of court tables: the figures of a run by both rules, what they count, their limits; and published rows beside
them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from tasks.courts.environment import codes, environment
from tasks.courts.scores.columns import OVERALL, averaged
from tasks.reports import court_published as published
from tasks.reports.model import agent, at, printable
from tasks.reports.words import word
from tasks.scoring.metrics import EMPTY, LIMITS, RULES, Cell, Metric, Report, Summary, Table, TableRow
from tasks.scoring.names import called, measure_name

NO_PART = ("grader", "tracker", "clerk")
"""Seats that are no part of the environment's driver."""
HEADS = ("court.run", "court.agent", "court.driver", "court.rule")


def envs_of(reports: Iterable[Report]) -> list[str]:
    """Environments that ran in any of the runs, in the order of the paper."""
    ran = {group.name for report in reports for group in report.summary.groups}
    return [env for env in published.CASES if env in ran]


def columns_of(names: Sequence[str], envs: Sequence[str]) -> list[str]:
    """`CI PFS` … of the environments that ran."""
    return [name for name in names if name.split()[0] in envs]


def named(columns: Sequence[str], language: str) -> tuple[str, ...]:
    """The heads of `CI PFS` … as people read them."""
    heads = []
    for column in columns:
        env, metric = place(column)
        name = f"{environment(env).label[language == 'en']} {measure_name(metric, language)}"
        heads.append(called(column, (name, name), language))
    return tuple(heads)


def words_of(keys: Iterable[str], language: str) -> tuple[str, ...]:
    """Words of court tables by their keys."""
    return tuple(word(key if "." in key else f"court.{key}", language) for key in keys)


def court_table(
    key: str, language: str, heads: Iterable[str], columns: Iterable[str], rows: Iterable[TableRow], *notes: str
) -> Table:
    """A table under the word of its key (`table.5`); heads: over what stands before the figures of a row."""
    title = word(key, language)
    return Table(key.replace(".", "-"), title, tuple(heads), tuple(columns), tuple(rows), notes)


def reference(language: str) -> str:
    """That published rows are for reference, and who graded them."""
    return word("court.reference", language).format(grader=published.GRADER)


def place(column: str) -> tuple[str, str]:
    """Environment and metric of a column."""
    env, _, metric = column.partition(" ")
    return env, metric


def figure(summary: Summary, rule: str, column: str, language: str) -> Cell:
    """A figure of a run with its interval; a metric that needs a grader says that it has none."""
    row = summary.row(rule, *place(column))
    if row is None:
        return EMPTY
    if row.value is None:
        return Cell(text=word("unscored", language)) if row.waits else Cell()
    return Cell(row.value, *_ends(row))


def _ends(row: Metric) -> tuple[float | None, float | None]:
    return (row.interval.low, row.interval.high) if row.interval else (None, None)


def total(summary: Summary, rule: str) -> Cell:
    """The overall score with its interval, and out of how many columns where some lack."""
    row = summary.row(rule, OVERALL, OVERALL)
    if row is None:
        return Cell()
    there, columns = rests_on(summary, rule)
    return Cell(row.value, *_ends(row), note=f"({there}/{columns})" if there < columns else "")


def rests_on(summary: Summary, rule: str) -> tuple[int, int]:
    """How many columns of the overall score have a value, and how many there are in the environments that ran."""
    rows = [row for env in codes() for metric in averaged(env) if (row := summary.row(rule, env, metric))]
    return sum(row.value is not None for row in rows), len(rows)


def own_rows(
    reports: Sequence[Report], columns: Sequence[str], language: str, overall: bool = False
) -> Iterator[TableRow]:
    """Both rules of each run, how much stands behind them, and once a set of tasks its floor and ceilings."""
    tasks: set[tuple[object, ...]] = set()
    for report in reports:
        summary, who = report.summary, heads(report, language)
        for rule in RULES:
            cells = [figure(summary, rule, column, language) for column in columns]
            yield TableRow(
                (*who, word(f"{rule}.all", language)), (*cells, *([total(summary, rule)] if overall else []))
            )
        cells = [_count(summary, column) for column in columns]
        clusters = Cell(text=f"{summary.tally.n} ({summary.wholes[0].clusters} {word('court.clusters', language)})")
        label = f"{word('court.counts', language)} ({word('court.clusters', language)})"
        yield TableRow((*who, label), (*cells, *([clusters] if overall else [])), "count")
        same = (at(report.header, "tasks", "sha256"), *((group.name, group.n) for group in summary.groups))
        if same not in tasks:
            tasks.add(same)
            yield from _limits(summary, columns, language, overall)


def _count(summary: Summary, column: str) -> Cell:
    row = summary.row("strict", *place(column))
    return EMPTY if row is None else Cell(text=f"{row.n}/{row.group.n} ({row.group.clusters})")


def _limits(summary: Summary, columns: Sequence[str], language: str, overall: bool) -> Iterator[TableRow]:
    shown = [*columns, f"{OVERALL} {OVERALL}"] if overall else columns
    for label, limit in zip(("court.floor", "court.ceiling"), LIMITS, strict=True):
        for rule in RULES:
            rows = [summary.row(rule, *place(column)) for column in shown]
            cells = [Cell(row.limits[limit]) if row and limit in row.limits else EMPTY for row in rows]
            if any(cell is not EMPTY for cell in cells):
                yield TableRow(("", word(label, language), "", word(f"{rule}.all", language)), tuple(cells), "limit")


def published_rows(
    table: published.Table,
    columns: Sequence[str],
    language: str,
    driver: str = published.DRIVER,
    overall: bool = False,
) -> Iterator[TableRow]:
    """The rows of a published table in these columns; `overall` over the columns shown, a dash counting 0."""
    for model, row in table.items():
        cells = [Cell(row[column]) if column in row else EMPTY for column in columns]
        last = [Cell(mean_of(row, columns))] if overall else []
        yield TableRow(
            (word("court.published", language), model_label(model), driver, word("court.paper", language)),
            (*cells, *last), "published",
        )  # fmt: skip


def mean_of(row: published.Row, columns: Sequence[str]) -> float | None:
    """Mean of the columns of the overall score among these."""
    wanted = [f"{env} {metric}" for env in codes() for metric in averaged(env) if f"{env} {metric}" in columns]
    return sum(row[column] or 0.0 for column in wanted) / len(wanted) if wanted else None


def model_label(name: str) -> str:
    """A published model with its size, where its name does not say it."""
    model = next(model for model in published.models() if model.name == name)
    return name if model.size is None or name.endswith("B") else f"{name} {model.size:g}B"


def heads(report: Report, language: str) -> tuple[str, str, str]:
    """Run, agent and driver of a run."""
    return printable(report.summary.run), agent(report, language) or "–", driver(report, language)


def driver(report: Report, language: str) -> str:
    """Who plays the simulated roles: one name where it is the same everywhere, else role by role; and where a person
    helped."""
    people = report.summary.tally.flags.get("human_role", 0)
    return _playing(report, language) + (word("role.helped", language).format(n=people) if people else "")


def _playing(report: Report, language: str) -> str:
    spec = at(report.header, "spec") or {}
    named = {role: str(who) for role, who in (spec.get("seats") or {}).items() if role not in NO_PART}
    roles = {row.measure.name for row in report.summary.section("consistency")}
    rules = word("court.rules", language)
    playing = {role: named.get(role, rules) for role in sorted(roles | named.keys())}
    if len(set(playing.values())) <= 1:
        return next(iter(playing.values()), rules)
    told = ", ".join(f"{role} = {who}" for role, who in playing.items() if who != rules)
    return f"{told}, {word('court.others', language)}" if rules in playing.values() else told
