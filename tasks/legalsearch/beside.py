"""Tables of a report that runs of LegalSearch have together: beside the printed rows of the paper (Tables 2 and 4),
and recitals by the year of their question, drawn as in its Figure 2. Points from 0 to 100, by the published rule.

The printed rows were made on 128 questions a task, consultations graded by another model: facts to stand beside, not
to be compared to the digit. The paper prints Figure 2 as a picture only, so none of its curves stands here.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path

from tasks.legalsearch.settings import IN_DOMAIN, KINDS, OUT_OF_DOMAIN
from tasks.reports.model import agent
from tasks.reports.svg import GOOD, LIMIT, OWN, Drawing
from tasks.reports.words import width, word
from tasks.scoring.metrics import EMPTY, Cell, Metric, Report, Row, Table
from tasks.scoring.published import Published, published

ALL = "all"
SOURCE = Path(__file__).with_name("published.toml")
TABLES = (("Table 2", (*IN_DOMAIN, "in_domain")), ("Table 4", (*OUT_OF_DOMAIN, "out_of_domain")))
"""A table of the paper and its columns."""
WIDE, HIGH, LEFT, RIGHT, TOP, BOTTOM = 900, 330, 46, 880, 26, 270
COLOURS = (OWN, LIMIT, GOOD)


def together(reports: Sequence[Report], language: str) -> Iterator[Table]:
    """The printed tables of which a run played some task, and the recitals by year where there are any."""
    rows = published(SOURCE)
    for name, groups in TABLES:
        columns = [group for group in groups if any(_has(report, group, groups) for report in reports)]
        if columns:
            yield _printed(name, columns, groups, reports, rows, language)
    years = sorted({row.group.name for report in reports for row in _by_year(report)})
    if years:
        yield _years(years, reports, language)


def _printed(
    name: str,
    columns: Sequence[str],
    groups: Sequence[str],
    reports: Sequence[Report],
    rows: Sequence[Published],
    language: str,
) -> Table:
    labels = [KINDS[one].short[language == "en"] if one in KINDS else word(one, language) for one in columns]
    own = [
        Row((agent(report, language), "", report.summary.run), tuple(_own(report, one, groups) for one in columns))
        for report in reports
    ]
    printed = [
        Row(
            (row.model, row.way, f"{row.paper}, {name}"),
            tuple(Cell(row.values[ALL, one]) for one in columns),
            "published",
        )
        for row in rows
        if all((ALL, one) in row.values for one in columns)
    ]
    title = word("beside.printed", language).format(table=name)
    heads = tuple(word(key, language) for key in ("agent", "beside.way", "beside.source"))
    return Table(f"printed {name}", title, heads, tuple(labels), (*own, *printed), (word("beside.note", language),))


def _has(report: Report, group: str, groups: Sequence[str]) -> bool:
    """Whether a run has a figure to stand in a column; a mean only where no task of the domain is missing."""
    needed = [one for one in groups if one in KINDS] if group not in KINDS else [group]
    return all(report.summary.value("compat", one, ALL) is not None for one in needed)


def _own(report: Report, group: str, groups: Sequence[str]) -> Cell:
    row = report.summary.row("compat", group, ALL)
    if row is None or not _has(report, group, groups):
        return EMPTY
    low, high = (row.interval.low, row.interval.high) if row.interval else (None, None)
    return Cell(row.value, low, high, note=f"n={row.n}")


def _by_year(report: Report) -> list[Metric]:
    return [row for row in report.summary.section("year") if row.measure.name == ALL and row.value is not None]


def _years(years: Sequence[str], reports: Sequence[Report], language: str) -> Table:
    lines = [(report, {row.group.name: row for row in _by_year(report)}) for report in reports]
    rows = [
        Row(
            (report.summary.run,),
            tuple(Cell(found[year].value, note=f"n={found[year].n}") if year in found else EMPTY for year in years),
        )
        for report, found in lines
    ]
    title = word("beside.years", language)
    drawn = curves([(report.summary.run, found) for report, found in lines], years, title)
    return Table("years", title, (word("beside.run", language),), tuple(years), tuple(rows), plot=drawn)


def curves(lines: Sequence[tuple[str, dict[str, Metric]]], years: Sequence[str], title: str) -> str:
    """A line a run over the years that were asked about; a dot is as large as its questions are many."""
    drawing = Drawing(WIDE, HIGH, title, 11)
    step = (RIGHT - LEFT) / max(1, len(years) - 1)
    across = {year: LEFT + step * place for place, year in enumerate(years)}
    for score in range(0, 101, 20):
        drawing.line(LEFT, _up(score), RIGHT, _up(score), opacity=0.12)
        drawing.text(LEFT - 6, _up(score) + 4, str(score), "end")
    for year, x in across.items():
        drawing.text(x, BOTTOM + 16, year, "middle")
    legend = float(LEFT)
    for place, (name, found) in enumerate(lines):
        colour, dashed = COLOURS[place % len(COLOURS)], place >= len(COLOURS)
        points = [(across[year], row) for year, row in sorted(found.items()) if row.value is not None]
        for (x1, before), (x2, after) in zip(points, points[1:], strict=False):
            drawing.line(x1, _up(before.value or 0), x2, _up(after.value or 0), colour, thick=1.5, dashed=dashed)
        for x, row in points:
            said = f"{name} {row.group.name}: {row.value or 0:.1f} (n={row.n})"
            drawing.dot(x, _up(row.value or 0), colour, r=min(8.0, 2 + row.n**0.5), opacity=0.8, said=said)
        drawing.rect(legend, BOTTOM + 34, 11, 11, colour)
        drawing.text(legend + 16, BOTTOM + 44, name)
        legend += 40 + 6.6 * width(name)
    return str(drawing)


def _up(score: float) -> float:
    return BOTTOM - (BOTTOM - TOP) * score / 100
