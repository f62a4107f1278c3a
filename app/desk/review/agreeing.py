"""Agreement of the raters of a run in lines: a row each, then all figures and the difference plot of one."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Literal

from app.cli.tables import bounds, number, percent
from app.desk.episode.renderers import Line, one
from app.strings import known, t
from app.terminal import pad
from store.journal import Journal
from tasks.reports.difference import difference_text
from tasks.run.header import header_of
from tasks.scoring.agreement import Agreement, clusters_of, of_journal
from tasks.scoring.coefficients import Coefficient

PLOT_WIDTH, PLOT_HEIGHT = 61, 17
AROUND = 11
"""Lines that stand above and below a plot, the raters aside."""
LEFT = 8
"""Cells that the numbers beside a plot take."""
COLUMNS = (
    ("metric", 13),
    ("group", 7),
    ("raters", 9),
    ("n", 8),
    ("raw", 8),
    ("kappa_quadratic", 9),
    ("alpha_ordinal", 9),
    ("difference", 11),
)
"""What a row says, and in how many cells."""


def read(path: Path) -> tuple[Agreement, ...]:
    """The agreement of all raters of a run. Slow: intervals are drawn; called from workers."""
    with Journal.open(path) as journal:
        return tuple(of_journal(journal, clusters=clusters_of(header_of(journal))))


def short_names(rows: Sequence[Agreement]) -> dict[str, str]:
    """Rater -> H1, G2: people and graders numbered in their order."""
    names = dict.fromkeys(rater for row in rows for rater in row.raters)
    return {name: f"{name[:1].upper()}{place}" for place, name in enumerate(names, 1)}


def head_line() -> Line:
    """The names of the columns."""
    words = {
        name: t(f"review_screen.column.{name}" if known(f"review_screen.column.{name}") else f"agreement.{name}")
        for name, _ in COLUMNS
    }
    return tuple((pad(words[name], cells, _align(name)), "dim") for name, cells in COLUMNS)


def row_line(row: Agreement, short: Mapping[str, str]) -> Line:
    """One row."""
    mean = row.difference.mean.value if row.difference else None
    who = "–".join(short[rater] for rater in row.raters) if len(row.raters) < 3 else t("agreement.everybody")
    figures = {
        "metric": one(row.metric), "group": one(row.group), "raters": who, "n": str(row.n),
        "raw": percent(row.raw.value),
        "kappa_quadratic": number(row.kappa_quadratic.value), "alpha_ordinal": number(row.alpha_ordinal.value),
        "difference": "–" if mean is None else f"{mean:+.2f}",
    }  # fmt: skip
    return tuple(
        (pad(figures[name], cells, _align(name)), "label" if name == "metric" else "text") for name, cells in COLUMNS
    )


def _align(name: str) -> Literal["left", "right"]:
    return "left" if name in ("metric", "group", "raters") else "right"


def detail_lines(row: Agreement, short: Mapping[str, str], room: int, height: int) -> Iterator[Line]:
    """Who the raters are, every coefficient with its interval or why there is none, and the plot of a pair."""
    for rater in row.raters:
        yield ((f"{short[rater]} ", "label"), (one(rater), "text"))
    yield (
        (t("agreement.n"), "dim"),
        (f" {row.n}  ", "text"),
        (t("agreement.clusters"), "dim"),
        (f" {row.clusters}", "text"),
    )
    for name in ("kappa_linear", "kappa_quadratic", "alpha_interval", "alpha_ordinal"):
        found: Coefficient = getattr(row, name)
        span = (found.interval.low, found.interval.high) if found.interval else None
        why = t(f"agreement.why.{found.reason}") if found.reason else ""
        yield (
            (pad(t(f"agreement.{name}"), 12), "dim"),
            (f"{number(found.value):>6}  ", "value"),
            (f"{bounds(span, 2)}  ", "text"),
            (why, "dim"),
        )
    difference = row.difference
    if difference is None or not difference.points:
        return
    yield ((pad(t("agreement.limits"), 12), "dim"), (bounds(difference.limits, 2), "text"))
    yield ()
    yield (
        (
            t(
                "agreement.plot",
                metric=one(row.metric),
                group=one(row.group),
                first=short[row.raters[0]],
                second=short[row.raters[1]],
            ),
            "label",
        ),
    )
    width = max(21, min(PLOT_WIDTH, room - LEFT))
    room_left = height - len(row.raters) - AROUND
    drawn = difference_text(
        difference.points,
        difference.mean.value,
        difference.limits,
        width,
        max(9, min(PLOT_HEIGHT, (room_left - 1) | 1)),
    )
    yield from (((line, "text"),) for line in drawn.split("\n"))
    yield ((t("review_screen.plot_legend", across=t("agreement.across"), up=t("agreement.up")), "dim"),)
