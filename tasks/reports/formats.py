"""Reports in every format: text, Markdown, CSV, HTML, JSON. Apart from the package, because most who want a word of a
report write none. Plain text for a terminal has one table a run, groups across, about 90 cells wide.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping, Sequence

from tasks.reports import document
from tasks.reports.as_csv import comma_separated
from tasks.reports.document import Section, as_text
from tasks.reports.model import (
    agent,
    counts,
    facts,
    fictional,
    footer,
    heading,
    lines,
    measure,
    printable,
    score_table,
    tables_of,
)
from tasks.reports.plots import outcomes, overview_plots, score_plots
from tasks.reports.words import figure, phrase, show, width, word
from tasks.scoring.metrics import LIMITS, RULES, Limit, Metric, Report, Summary
from tasks.scoring.names import as_codes

LABEL = 20
COLUMN = 10


def text(reports: Sequence[Report], language: str = "zh") -> str:
    """All runs, one after the other."""
    return "\n\n".join(_one_run(report, language) for report in reports)


def _row(label: str, values: Sequence[str], label_cells: int, column: int = COLUMN) -> str:
    head = label + " " * max(0, label_cells - width(label))
    return (head + "".join(" " * max(1, column - width(value)) + value for value in values)).rstrip()


def _one_run(report: Report, language: str) -> str:
    table = _table(report, language)
    title = " · ".join(filter(None, (report.summary.run, report.summary.benchmark, agent(report, language))))
    head = [printable(title)] + ([f"〔{word('fictional', language)}〕"] if fictional(report) else [])
    method = [(word("method", language), text) for text in [_methods(report, language)] if text]
    more = [*counts(report, language), *method, *facts(report, language)[1:]]
    foot = footer([report], language)
    added = [line for one in report.tables for line in (*as_text(one), "")]
    return "\n".join([*head, "", *table, "", *added, *(f"{label}: {value}" for label, value in more), *foot])


def _table(report: Report, language: str) -> list[str]:
    return _by_column(report, language) if report.summary.across == "groups" else _by_row(report, language)


def _by_row(report: Report, language: str) -> list[str]:
    """A line a measure of each group: n, both scores with their intervals, floor and ceiling, by each rule where they
    differ.

    A group with many measures stands as a head above them.
    """
    headed = report.summary.across == "metrics"
    limits: Sequence[Limit] = LIMITS[: 1 + headed]
    heads = [word("n", language)]
    for rule in RULES:
        heads += [word(f"{rule}.all", language), word("interval", language)]
    heads += [re.split("[：:]", heading([report], name, language))[0] for name in limits]
    rows: list[tuple[str, list[str]]] = [("", heads)]
    for group in report.summary.groups:
        if headed:
            n = report.summary.tally.n if group.n is None else group.n
            rows.append((f"{group.label[language == 'en']} · n = {n}", []))
        own = [row for row in report.summary.scores if row.group == group and row.measure.rule == "strict"]
        for strict in own:
            compat = report.summary.row("compat", group.name, strict.measure.name)
            cells_ = [_count(compat, strict)]
            for row in (compat, strict):
                none = word("unscored", language) if row and strict.waits and row.value is None else "–"
                cells_ += [figure(row, row.value, 1) if row and row.value is not None else none, _range(row)]
            first = not headed and strict.measure == own[0].measure
            label = group.label[language == "en"] if first else f"  {strict.measure.called(language)}"
            rows.append((label, [*cells_, *(_limit(name, compat, strict) for name in limits)]))
    widest = max(LABEL, *(width(label) for label, values in rows if values))
    return [_row(label, values, widest, 11) for label, values in rows]


def _count(compat: Metric | None, strict: Metric) -> str:
    """How many stand behind a line; two where the rules differ, the published one first."""
    return str(strict.n) if compat is None or compat.n == strict.n else f"{compat.n}/{strict.n}"


def _limit(name: Limit, compat: Metric | None, strict: Metric) -> str:
    """Floor or ceiling; two where the rules differ, the published one first."""
    loose, own = compat.limit(name) if compat else None, strict.limit(name)
    if compat is None or figure(compat, loose, 1) == figure(strict, own, 1):
        return figure(strict, own, 1)
    return "/".join((figure(compat, loose, 1), figure(strict, own, 1)))


def _range(row: Metric | None) -> str:
    if row is None or row.interval is None:
        return "–"
    return "–".join(figure(row, end, 1) for end in (row.interval.low, row.interval.high))


def _by_column(report: Report, language: str) -> list[str]:
    summary, groups = report.summary, report.summary.groups
    rows: list[tuple[str, list[str]]] = [
        ("", [group.label[language == "en"] for group in groups]),
        (word("n", language), [str(group.n) for group in groups]),
        (word("clusters", language), ["–" if group.clusters is None else str(group.clusters) for group in groups]),
    ]
    measures = list(dict.fromkeys(row.measure for row in summary.scores))
    found = {one: [summary.row(one.rule, group.name, one.name) for group in groups] for one in measures}
    for one, own in found.items():
        rows.append((measure(one, language), [_value(row) for row in own]))
        rows.append(("  " + word("interval", language), [_span(row) for row in own]))
        if any(row and row.n != row.group.n for row in own):
            rows.append(("  " + word("n_scored", language), [str(row.n) if row else "–" for row in own]))
    for limit in LIMITS:
        for one, own in found.items():
            if one.rule == "compat" and any(row and row.limit(limit) is not None for row in own):
                name = f"{heading([report], limit, language)} {one.called(language)}"
                rows.append((name, [figure(row, row.limit(limit), 1) if row else "–" for row in own]))
    for name in dict.fromkeys(row.measure.name for row in summary.section("evidence")):
        seen = [summary.row("", group.name, name, "evidence") for group in groups]
        rows.append((word(name, language), [*map(_value, seen)]))
    rows.append((word("design_effect", language), [show(group.design_effect, 2) for group in groups]))
    rows.append((word("effective_n", language), [show(group.effective_n, 1) for group in groups]))
    widest = max(LABEL, *(width(label) for label, _ in rows))
    return [_row(label, values, widest) for label, values in rows]


def _span(row: Metric | None) -> str:
    if row is None or row.interval is None:
        return "–"
    return "–".join(figure(row, end, 0) for end in (row.interval.low, row.interval.high))


def _value(row: Metric | None) -> str:
    return "–" if row is None else figure(row, row.value, 1)


def _methods(report: Report, language: str) -> str:
    """Which interval each group has; groups that share a method stand together."""
    by_method: dict[str, dict[str, None]] = {}
    shown = lines(report)
    for row in shown:
        if row.interval and (report.summary.across == "metrics" or row.measure == shown[0].measure):
            by_method.setdefault(row.interval.method, {})[row.group.label[language == "en"]] = None
    return "; ".join(f"{', '.join(groups)}: {phrase(method, language)}" for method, groups in by_method.items())


def _sections(reports: Sequence[Report], language: str, *, overview: bool) -> list[Section]:
    """An overview of all runs with their common tables, then each run; the run first where there is no overview."""
    runs, tables = [_run(report, language) for report in reports], tables_of(reports, language)
    together = [Section(tables=tables)] if tables else []
    if not overview:
        return [*runs, *together]
    drawn, table = list(overview_plots(reports, language)), score_table(reports, None, language, True)
    return [Section(word("overview", language), plots=drawn, tables=(table,)), *together, *runs]


def _run(report: Report, language: str) -> Section:
    summary = report.summary
    return Section(
        summary.run,
        " · ".join([summary.benchmark, *([agent(report, language)] if report.header else [])]),
        marks=[word("fictional", language)] if fictional(report) else [],
        plots=[*score_plots(report, language), outcomes(report, language)],
        tables=[score_table([report], summary.groups, language, False)],
        facts=[*counts(report, language), *facts(report, language)],
        folded=report.folded,
    )


def _html(reports: Sequence[Report], language: str = "zh") -> str:
    sections = _sections(reports, language, overview=len(reports) > 1)
    return document.html(word("title", language), sections, language, footer(reports, language))


def _markdown(reports: Sequence[Report], language: str = "zh") -> str:
    sections = _sections(reports, language, overview=True)
    return document.markdown(word("title", language), sections, footer(reports, language))


def _json(reports: Sequence[Report], language: str = "zh") -> str:
    content: dict[str, object] = {
        "reports": [
            {
                "header": dict(report.header),
                "block": report.summary.block(),
                **({"failures": dict(report.failures)} if report.failures else {}),
            }
            for report in reports
        ]
    }
    with as_codes():
        if tables := tables_of(reports, language):
            content |= {"tables": [table.data() for table in tables], "notes": footer(reports, language)}
    return json.dumps(content, ensure_ascii=False, indent=1) + "\n"


FORMATS: dict[str, Callable[[Sequence[Report], str], str]] = {
    "text": text,
    "html": _html,
    "md": _markdown,
    "csv": comma_separated,
    "json": _json,
}
"""Format -> writer of reports in a language ('zh' or 'en')."""


def text_report(
    summaries: Sequence[Summary], headers: Sequence[Mapping[str, object]] = (), language: str = "zh"
) -> str:
    """What runs came to, with their headers if known, as plain text."""
    padded = [*headers, *({} for _ in range(len(summaries) - len(headers)))]
    return text([Report(summary, header) for summary, header in zip(summaries, padded, strict=True)], language)
