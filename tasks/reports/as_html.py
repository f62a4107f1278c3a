"""A report as one HTML page: plots before tables, each run with its facts, transcripts folded away."""

from __future__ import annotations

from collections.abc import Sequence

from tasks.reports.courts import footer, tables_of
from tasks.reports.model import agent, counts, facts, fictional, score_table
from tasks.reports.page import Section, whole_page
from tasks.reports.plots import outcomes, overview_plots, score_plots, tokens
from tasks.reports.words import word
from tasks.scoring.metrics import Report


def page(reports: Sequence[Report], language: str = "zh") -> str:
    """The whole document."""
    runs = [_run(report, language) for report in reports]
    tables = tables_of(reports, language)
    together = [Section(tables=tables)] if tables else []
    if len(reports) > 1:
        overview = score_table(reports, None, language, True)
        drawn = list(overview_plots(reports, language))
        sections = [Section(word("overview", language), plots=drawn, tables=(overview,)), *together, *runs]
    else:
        sections = [*runs, *together]
    return whole_page(word("title", language), sections, language, footer(reports, language))


def _run(report: Report, language: str) -> Section:
    summary = report.summary
    who = [agent(report, language)] if report.header else []
    return Section(
        summary.run,
        [" · ".join([summary.benchmark, *who])],
        [word("fictional", language)] if fictional(report) else [],
        [*score_plots(report, language), outcomes(report, language), tokens(report, language)],
        [score_table([report], summary.groups, language, False)],
        [*counts(report, language), *facts(report, language)],
        report.folded,
    )
