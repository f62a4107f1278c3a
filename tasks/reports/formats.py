"""Reports in every format: text, Markdown, CSV, HTML, JSON. Apart from the package, because most who want a word of a
report write none."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence

from tasks.reports import document
from tasks.reports.as_csv import comma_separated
from tasks.reports.as_text import text
from tasks.reports.document import Section
from tasks.reports.model import agent, counts, facts, fictional, footer, score_table, tables_of
from tasks.reports.plots import outcomes, overview_plots, score_plots
from tasks.reports.words import word
from tasks.scoring.metrics import Report, Summary
from tasks.scoring.names import as_codes


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
