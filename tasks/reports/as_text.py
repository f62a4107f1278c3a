"""A report as plain text for a terminal: one table a run, groups across, about 90 cells wide."""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence

from tasks.reports.courts import footer
from tasks.reports.layouts import OVERALL, CourtLayout, at, ungraded
from tasks.reports.model import Line, Report, agent, counts, facts, fictional, heading, lines, printable, show
from tasks.reports.words import phrase, word

LABEL = 20
COLUMN = 10


def text(reports: Sequence[Report], language: str = "zh") -> str:
    """All runs, one after the other."""
    return "\n\n".join(_run(report, language) for report in reports)


def cells(string: str) -> int:
    """Cells that a string fills in a terminal."""
    return sum(
        0 if unicodedata.combining(c) else 2 if unicodedata.east_asian_width(c) in ("W", "F") else 1 for c in string
    )


def _row(label: str, values: Sequence[str], label_cells: int, column: int = COLUMN) -> str:
    head = label + " " * max(0, label_cells - cells(label))
    return (head + "".join(" " * max(1, column - cells(value)) + value for value in values)).rstrip()


def _brief(value: float | None) -> str:
    """Three digits without the zero in front, as tables of rates are printed."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1) if value < 1 else "1.000"


def _run(report: Report, language: str) -> str:
    table = _table(report, language)
    title = " · ".join(
        filter(None, (str(report.block["run"]), str(report.block["benchmark"]), agent(report, language)))
    )
    head = [printable(title)] + ([f"〔{word('fictional', language)}〕"] if fictional(report) else [])
    method = [(word("method", language), text) for text in [_methods(report, language)] if text]
    more = [*counts(report, language), *method, *facts(report, language)[1:]]
    foot = footer([report], language)
    return "\n".join([*head, "", *table, "", *(f"{label}: {value}" for label, value in more), *foot])


def _table(report: Report, language: str) -> list[str]:
    if isinstance(report.layout, CourtLayout):
        return _by_environment(report, language)
    return _by_row(report, language) if report.layout.across == "rows" else _by_column(report, language)


def _by_environment(report: Report, language: str) -> list[str]:
    """A line a metric of each environment: n, both scores with their intervals, floor and ceiling, by each rule where the rules differ."""
    made = {(line.rule, line.rate, line.group): line for line in lines(report)}
    brief = [re.split("[：:]", heading([report], name, language))[0] for name in ("floor", "reference")]
    heads = [word("n", language), word("compat.all", language), word("interval", language)]
    rows: list[tuple[str, list[str]]] = [("", [*heads, word("strict.all", language), word("interval", language), *brief])]
    for group in report.groups:
        head = f"{word(f'group.{group}', language)} · n = {report.block['groups'].get(group, report.block['n'])}"
        rows.append((head, []))
        for rate in [OVERALL] if group == OVERALL else at(report.block, "strict", group):
            compat, strict = made.get(("compat", rate, group)), made["strict", rate, group]
            waits = ungraded(at(report.block, "unscored", "strict", group, rate))
            none = word("unscored", language) if waits else _mean(None)
            means = [_mean(None) if line is None else none if line.value is None else _mean(line.value) for line in (compat, strict)]
            spans = ["–" if line is None else _range(line) for line in (compat, strict)]
            cells_ = [str(strict.n), means[0], spans[0], means[1], spans[1], _limit("floor", compat, strict), _limit("reference", compat, strict)]
            rows.append((f"  {word(f'rate.{rate}', language)}", cells_))
    return [_row(label, values, LABEL, 11) for label, values in rows]


def _by_row(report: Report, language: str) -> list[str]:
    """A line a task: n, both scores with their intervals, floor and ceiling; a line of its own for covered questions."""
    made = {(line.rule, line.rate, line.group): line for line in lines(report)}
    heads = [word("n", language), word("compat.all", language), word("interval", language)]
    heads += [word("strict.all", language), word("interval", language), word("floor", language).split("：")[0].split(":")[0]]
    rows: list[tuple[str, list[str]]] = [("", heads)]
    for group in report.groups:
        for rate in ("all", "covered"):
            if ("compat", rate, group) not in made:
                continue
            compat, strict = made["compat", rate, group], made["strict", rate, group]
            label = word(f"group.{group}", language) if rate == "all" else f"  {word('covered', language)}"
            unscored = report.block["groups"].get(group, 0) > compat.n and rate == "all"
            none = word("unscored", language) if unscored else _mean(None)
            means = [none if line.value is None else _mean(line.value) for line in (compat, strict)]
            asked = report.block["groups"].get(group, compat.n)
            cells_ = [f"{compat.n}/{asked}" if unscored else str(compat.n), means[0], _range(compat), means[1], _range(strict)]
            rows.append((label, [*cells_, _mean(compat.floor)]))
    width = max(LABEL, *(cells(label) for label, _ in rows))
    return [_row(label, values, width, 11) for label, values in rows]


def _limit(name: str, compat: Line | None, strict: Line) -> str:
    """Floor or ceiling; two where the rules differ, the published one first."""
    loose, own = getattr(compat, name, None), getattr(strict, name)
    if compat is None or show(loose, 2) == show(own, 2):
        return _mean(own)
    return "/".join("–" if value is None else f"{value:.1f}" for value in (loose, own))


def _mean(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f}"


def _range(line: Line) -> str:
    return "–" if line.low is None or line.high is None else f"{line.low:.1f}–{line.high:.1f}"


def _by_column(report: Report, language: str) -> list[str]:
    block = report.block
    made = {(line.rule, line.rate, line.group): line for line in lines(report)}
    groups = report.groups
    rows: list[tuple[str, list[str]]] = [
        ("", [word(f"group.{group}", language) for group in groups]),
        (word("n", language), [str(block["groups"][group]) for group in groups]),
        (word("clusters", language), [str(block["clusters"][group]) for group in groups]),
    ]
    for rule, rate in report.layout.rates:
        found = [made[rule, rate, group] for group in groups]
        rows.append((word(f"{rule}.{rate}", language), [_brief(line.value) for line in found]))
        rows.append(("  " + word("interval", language), [_span(line.low, line.high) for line in found]))
    for limit in ("floor", "reference", "walker"):
        for rate in ("success", "process"):
            found = [made["compat", rate, group] for group in groups]
            values = [getattr(line, limit) for line in found]
            if any(value is not None for value in values):
                rows.append((f"{word(limit, language)} {_last(rate, language)}", [_brief(value) for value in values]))
    for name in ("evidence_rate", "evidence_rate_literal"):
        if block[name]:
            rows.append((word(name, language), [_brief(block[name][group]) for group in groups]))
    rows.append((word("design_effect", language), [show(block["design_effect"][group], 2) for group in groups]))
    rows.append((word("effective_n", language), [show(block["effective_n"][group], 1) for group in groups]))
    width = max(LABEL, *(cells(label) for label, _ in rows))
    return [_row(label, values, width) for label, values in rows]


def _span(low: float | None, high: float | None) -> str:
    if low is None or high is None:
        return "–"
    return f"{low:.2f}–{high:.2f}".replace("0.", ".")


def _last(rate: str, language: str) -> str:
    return word(f"compat.{rate}", language).rpartition(" ")[2]


def _methods(report: Report, language: str) -> str:
    """Which interval each group has; groups that share a method stand together."""
    by_method: dict[str, list[str]] = {}
    for line in lines(report):
        first = (line.rule, line.rate) == report.layout.rates[0] or isinstance(report.layout, CourtLayout)
        if first and line.method and line.group not in by_method.get(line.method, ()):
            by_method.setdefault(line.method, []).append(line.group)
    named = ((", ".join(word(f"group.{g}", language) for g in groups), m) for m, groups in by_method.items())
    return "; ".join(f"{groups}: {phrase(method, language)}" for groups, method in named)
