"""A report as one HTML page: plots before tables, each run with its facts, transcripts folded away."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cache, partial
from importlib.resources import files

from jinja2 import Environment, FunctionLoader
from markupsafe import Markup

from tasks.reports.as_markdown import shown
from tasks.reports.model import agent, counts, facts, fictional, footer, printable, readable, score_table, tables_of
from tasks.reports.plots import outcomes, overview_plots, score_plots
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


def _text(value: object) -> object:
    """What stands in a page: text without anything that shows nothing or reorders what is read."""
    if isinstance(value, Markup):
        return value
    return readable(str(value)) if "\n" in str(value) else printable(str(value))


def source(package: str, name: str) -> str:
    """A file of a package."""
    return files(package).joinpath(name).read_text(encoding="utf-8")


@cache
def templates(package: str) -> Environment:
    """The templates of a package: everything in them is escaped and sanitised."""
    loader = FunctionLoader(partial(source, package))
    return Environment(autoescape=True, finalize=_text, loader=loader, trim_blocks=True, lstrip_blocks=True)


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
