"""Rows of court tables: the figures of a run by both rules, what they count, their limits; and published rows beside them."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from tasks.courts.scores.of_run.columns import AVERAGED
from tasks.reports import court_published as published
from tasks.reports.layouts import COURTS, OVERALL, RULES, at, ungraded
from tasks.reports.model import Report, agent, printable
from tasks.reports.tables import EMPTY, Cell, Row
from tasks.reports.words import word

NO_PART = ("grader", "tracker", "clerk")
"""Seats that are no part of the environment's driver."""
HEADS = ("court.run", "court.agent", "court.driver", "court.rule")


def envs_of(reports: Iterable[Report]) -> list[str]:
    """Environments that ran in any of the runs, in the order of the paper."""
    ran = {env for report in reports for env in report.block["groups"]}
    return [env for env in published.CASES if env in ran]


def columns_of(names: Sequence[str], envs: Sequence[str]) -> list[str]:
    """`CI PFS` … of the environments that ran."""
    return [name for name in names if name.split()[0] in envs]


def figure(block: Mapping[str, Any], rule: str, column: str, language: str) -> Cell:
    """A figure of a block with its interval; a metric that needs a grader says that it has none."""
    env, metric = column.split(" ", 1)
    if at(block, rule, env) is None or metric not in block[rule][env]:
        return EMPTY
    value = COURTS.value(block, rule, metric, env)
    if value is None:
        waits = ungraded(at(block, "unscored", rule, env, metric))
        return Cell(text=word("unscored", language)) if waits else Cell()
    low, high = COURTS.beside("intervals", block, rule, metric, env) or (None, None)
    return Cell(value, low, high)


def total(block: Mapping[str, Any], rule: str) -> Cell:
    """The overall score with its interval, and out of how many columns where some lack."""
    made = at(block, "overall", rule) or {}
    there, missing = len(made.get("columns") or ()), len(made.get("missing") or ())
    low, high = at(block, "intervals", rule, OVERALL) or (None, None)
    return Cell(made.get("mean"), low, high, note=f"({there}/{there + missing})" if missing else "")


def own_rows(reports: Sequence[Report], columns: Sequence[str], language: str, overall: bool = False) -> Iterator[Row]:
    """Both rules of each run, how much stands behind them, and once a set of tasks its floor and ceilings."""
    tasks: set[tuple[Any, ...]] = set()
    for report in reports:
        block, who = report.block, heads(report, language)
        for rule in RULES:
            cells = [figure(block, rule, column, language) for column in columns]
            yield Row((*who, word(f"{rule}.all", language)), (*cells, *([total(block, rule)] if overall else [])))
        cells = [_count(block, column) for column in columns]
        clusters = Cell(text=f"{block['n']} ({at(block, 'clusters', OVERALL)} {word('court.clusters', language)})")
        label = f"{word('court.counts', language)} ({word('court.clusters', language)})"
        yield Row((*who, label), (*cells, *([clusters] if overall else [])), "count")
        same = (at(report.header, "tasks", "sha256"), *block["groups"].items())
        if same not in tasks:
            tasks.add(same)
            yield from _limits(block, columns, language, overall)


def _count(block: Mapping[str, Any], column: str) -> Cell:
    env, metric = column.split(" ", 1)
    scored = at(block, "n_scored", "strict", env, metric)
    if scored is None:
        return EMPTY
    return Cell(text=f"{scored}/{block['groups'][env]} ({at(block, 'clusters', env)})")


def _limits(block: Mapping[str, Any], columns: Sequence[str], language: str, overall: bool) -> Iterator[Row]:
    for label, path in (
        ("court.floor", ("floor",)), ("court.ceiling", ("ceiling",)), ("court.walker", ("ceiling", "walker"))
    ):  # fmt: skip
        for rule in RULES:
            found = at(block, *path, rule)
            if not found:
                continue
            cells = [_of(found, *column.split(" ", 1)) for column in columns]
            last = [Cell(found.get(OVERALL))] if overall else []
            yield Row(("", word(label, language), "", word(f"{rule}.all", language)), (*cells, *last), "limit")


def _of(found: Mapping[str, Any], env: str, metric: str) -> Cell:
    return Cell(found[env][metric]) if metric in (found.get(env) or ()) else EMPTY


def published_rows(
    table: published.Table, columns: Sequence[str], language: str, driver: str = published.DRIVER, overall: bool = False
) -> Iterator[Row]:
    """The rows of a published table in these columns; `overall` over the columns shown, a dash counting 0."""
    for model, row in table.items():
        cells = [Cell(row[column]) if column in row else EMPTY for column in columns]
        last = [Cell(mean_of(row, columns))] if overall else []
        yield Row(
            (word("court.published", language), model_label(model), driver, word("court.paper", language)),
            (*cells, *last), "published",
        )  # fmt: skip


def mean_of(row: published.Row, columns: Sequence[str]) -> float | None:
    """Mean of the columns of the overall score among these."""
    wanted = [f"{env} {metric}" for env, metric in AVERAGED if f"{env} {metric}" in columns]
    return sum(row[column] or 0.0 for column in wanted) / len(wanted) if wanted else None


def model_label(name: str) -> str:
    """A published model with its size, where its name does not say it."""
    model = next(model for model in published.MODELS if model.name == name)
    return name if model.size is None or name.endswith("B") else f"{name} {model.size:g}B"


def heads(report: Report, language: str) -> tuple[str, str, str]:
    """Run, agent and driver of a run."""
    return printable(str(report.block["run"])), agent(report, language) or "–", driver(report, language)


def driver(report: Report, language: str) -> str:
    """Who plays the simulated roles: one name where it is the same everywhere, else role by role; and where a person helped."""
    people = report.block.get("flags", {}).get("human_role", 0)
    return _playing(report, language) + (word("role.helped", language).format(n=people) if people else "")


def _playing(report: Report, language: str) -> str:
    spec = at(report.header, "spec") or {}
    named = {role: str(who) for role, who in (spec.get("seats") or {}).items() if role not in NO_PART}
    roles = {role for env in report.block["groups"] for role in at(report.block, "consistency_details", env) or ()}
    rules = word("court.rules", language)
    playing = {role: named.get(role, rules) for role in sorted(roles | named.keys())}
    if len(set(playing.values())) <= 1:
        return next(iter(playing.values()), rules)
    told = ", ".join(f"{role} = {who}" for role, who in playing.items() if who != rules)
    return f"{told}, {word('court.others', language)}" if rules in playing.values() else told
