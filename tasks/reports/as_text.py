"""A report as plain text for a terminal: one table a run, groups across, about 90 cells wide."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence

from tasks.reports.model import RATES, Report, agent, counts, facts, fictional, lines, printable, show
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


def _row(label: str, values: Sequence[str], label_cells: int) -> str:
    head = label + " " * max(0, label_cells - cells(label))
    return (head + "".join(" " * max(1, COLUMN - cells(value)) + value for value in values)).rstrip()


def _brief(value: float | None) -> str:
    """Three digits without the zero in front, as tables of rates are printed."""
    return "–" if value is None else f"{value:.3f}".replace("0.", ".", 1) if value < 1 else "1.000"


def _run(report: Report, language: str) -> str:
    block = report.block
    made = {(line.rule, line.rate, line.group): line for line in lines(report)}
    groups = report.groups
    rows: list[tuple[str, list[str]]] = [
        ("", [word(f"group.{group}", language) for group in groups]),
        (word("n", language), [str(block["groups"][group]) for group in groups]),
        (word("clusters", language), [str(block["clusters"][group]) for group in groups]),
    ]
    for rule, rate in RATES:
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
    title = " · ".join(filter(None, (str(block["run"]), str(block["benchmark"]), agent(report, language))))
    head = [printable(title)] + ([f"〔{word('fictional', language)}〕"] if fictional(report) else [])
    table = [_row(label, values, width) for label, values in rows]
    more = [*counts(report, language), (word("method", language), _methods(report, language)), *facts(report, language)[1:]]
    return "\n".join([*head, "", *table, "", *(f"{label}: {value}" for label, value in more)])


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
        if (line.rule, line.rate) == ("compat", "success"):
            by_method.setdefault(line.method or "–", []).append(line.group)
    named = ((", ".join(word(f"group.{g}", language) for g in groups), m) for m, groups in by_method.items())
    return "; ".join(f"{groups}: {phrase(method, language)}" for groups, method in named)
