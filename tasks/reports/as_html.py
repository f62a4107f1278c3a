"""A report as one HTML page: plots before tables, each run with its facts, transcripts folded away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from markupsafe import Markup

from tasks.reports.as_markdown import shown
from tasks.reports.model import agent, counts, facts, fictional, footer, score_table, tables_of
from tasks.reports.plots import outcomes, overview_plots, score_plots
from tasks.reports.templates import source, templates
from tasks.reports.words import word
from tasks.scoring.metrics import Folded, Report, Table


@dataclass(frozen=True, slots=True)
class Section:
    """A part of a page, in the order in which it is shown; plots are SVG fragments."""

    title: str = ""
    lines: Sequence[str] = ()
    marks: Sequence[str] = ()
    plots: Sequence[str] = ()
    tables: Sequence[Table] = ()
    facts: Sequence[tuple[str, str]] = ()
    folded: Sequence[Folded] = field(default=())


def whole_page(title: str, sections: Sequence[Section], language: str = "zh", foot: Sequence[str] = ()) -> str:
    """The whole document."""
    return (
        templates(__package__)
        .get_template("page.html")
        .render(
            title=title, sections=sections, foot=foot, lang="en" if language == "en" else "zh-CN", shown=shown,
            drawn=Markup, style=Markup(source(__package__, "page.css")),
        )
    )  # fmt: skip


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
        [*score_plots(report, language), outcomes(report, language)],
        [score_table([report], summary.groups, language, False)],
        [*counts(report, language), *facts(report, language)],
        report.folded,
    )
