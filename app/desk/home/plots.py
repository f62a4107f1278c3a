"""A run at a glance: how far it is while it is played, its scores with interval, floor and ceiling, how its episodes
ended, what it took.

Scores are points from 0 to 100, times seconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from app.desk.episode.renderers import Line, Piece, one
from app.desk.widgets.lines import DisplayRow, rows_of
from app.figures import points, spread
from app.strings import duration, language, t, term
from app.terminal import pad, truncate
from app.terminal import width as cells_of
from tasks.episode.scheduler import UNFINISHED
from tasks.reports.model import replies_line
from tasks.reports.strip import Strip, scale, shares, strip
from tasks.reports.words import word
from tasks.run.board import successes
from tasks.run.figures import Figure, Figures, main_rows
from tasks.scoring.names import measure_name
from tasks.scoring.result import degenerate

LABEL, N, FIGURE, INTERVAL = 24, 6, 7, 11
GROUP, SHORT = 5, 8
"""The least cells of a group in a label, where the measure behind it has the others; of a bar before words."""
LEAST, WIDEST = 21, 61
"""Cells of a bar."""
Reasons = tuple[tuple[str, int], ...]
"""Why episodes failed, and how many."""
TONES: Mapping[str, str] = {"finished": "good", UNFINISHED: "dim", "error": "bad", "cancelled": "dim"}
"""Outcome -> the colour of its part of the bar; others are warnings."""


@dataclass(frozen=True, slots=True)
class ProgressFigures:
    """How far a run is. rate: episodes a minute, mean: the strict mean so far in points; None where unknown."""

    outcomes: Mapping[str, int]
    rate: float | None = None
    mean: float | None = None
    moves: bool = False

    @property
    def n(self) -> int:
        return sum(self.outcomes.values())

    @property
    def ended(self) -> int:
        return self.n - self.outcomes.get(UNFINISHED, 0)


def plot_rows(
    standing: ProgressFigures | None, figures: Figures | None, why: str, why_failed: Reasons, width: int
) -> Iterator[DisplayRow]:
    """What is known of a run. why: why there are no figures; why_failed: why episodes failed, and how many."""
    lines: list[Line] = []
    if standing is not None and standing.ended < standing.n:
        lines += progress(standing, width)
    if figures is not None:
        lines += [*replies(figures), *scores(figures, width)]
    elif why:
        lines.append(((why, "dim"),))
    if standing is not None and standing.ended:
        lines += outcomes(standing.outcomes, width)
    lines += reasons(why_failed, width)
    if figures is not None:
        lines += costs(figures)
    return (row for line in lines for row in rows_of(line, width, 2))


def progress(standing: ProgressFigures, width: int) -> list[Line]:
    """A bar with what is left at this rate, the mean so far and the errors so far."""
    told = [f"{standing.ended}/{standing.n}"]
    if standing.rate:
        told.append(t("progress.rate", rate=f"{standing.rate:.1f}"))
        if standing.moves:
            told.append(t("progress.left", time=duration(60 * (standing.n - standing.ended) / standing.rate)))
    if standing.mean is not None:
        told.append(t("plots.mean", value=f"{standing.mean:.1f}"))
    errors = standing.outcomes.get("error", 0)
    told += [f"{t('outcome.error')} {errors}"] if errors else []
    text = f"  {' · '.join(told)}"
    cells = max(SHORT, min(WIDEST, width - cells_of(text)))
    full = round(cells * standing.ended / max(1, standing.n))
    return [(("▮" * full, "bar"), ("▯" * (cells - full), "dim"), (text, "text"))]


def scores(figures: Figures, width: int) -> list[Line]:
    """A line a group and measure: n, the strict score with its interval, the published one, all of them on a
    scale."""
    rows = main_rows(figures)
    if not rows:
        return [((t("plots.unscored"), "dim"),)]
    room = min(WIDEST, width - LABEL - N - 2 * FIGURE - INTERVAL - 2)
    if room < LEAST:  # a narrow screen does without the interval in figures
        room = min(WIDEST, width - LABEL - N - 2 * FIGURE - 2)
    wide = room + LABEL + N + 2 * FIGURE + INTERVAL + 2 <= width
    heads = [pad("", LABEL), pad(t("column.n"), N, "right"), pad(t("plots.strict"), FIGURE, "right")]
    heads += [pad(t("column.interval"), INTERVAL, "right")] if wide else []
    heads += [pad(t("plots.compat"), FIGURE, "right"), "  ", scale(room)]
    lines: list[Line] = [(("".join(heads), "dim"),)]
    for strict, compat in rows:
        shown = strict or compat
        assert shown is not None
        lines.append((*_label(figures, shown), *_figures(strict, compat, wide), *_bar(strict, compat, room)))
    return lines


def _label(figures: Figures, row: Figure) -> list[Piece]:
    single = len({one_row.name for one_row in figures.rows if one_row.main and not one_row.section}) == 1
    group = row.label[language() == "en"]
    name = "" if single or row.whole else f" {measure_name(row.name, language())}"  # the group gives way to it
    label = truncate(one(group), max(GROUP, LABEL - 1 - cells_of(name))) + name
    return [(pad(truncate(one(label), LABEL - 1), LABEL), "question" if row.whole else "text")]


def _figures(strict: Figure | None, compat: Figure | None, wide: bool) -> list[Piece]:
    shown = strict or compat
    span = "" if strict is None else spread(strict)
    return [
        (pad(str(shown.n if shown else ""), N, "right"), "dim"),
        (pad(points(strict), FIGURE, "right"), "value"),
        *([(pad(span, INTERVAL, "right"), "dim")] if wide else []),
        (pad(points(compat), FIGURE, "right"), "text"),
        ("  ", "text"),
    ]  # fmt: skip


def _bar(strict: Figure | None, compat: Figure | None, room: int) -> list[Piece]:
    shown = strict if strict is not None and strict.value is not None else compat
    if shown is None or shown.value is None:
        return [(t("plots.waits") if shown is not None and shown.waits else "", "dim")]
    other = compat.value if compat is not None and shown is strict else None
    return strip(Strip(shown.value, shown.low, shown.high, other, shown.floor, shown.ceiling), room)


def outcomes(counts: Mapping[str, int], width: int) -> list[Line]:
    """How episodes ended, as one bar with its legend."""
    shown = sorted(counts.items(), key=lambda item: (item[0] != "finished", item[0] == UNFINISHED, -item[1]))
    cells = min(WIDEST, max(LEAST, width // 3))
    bar: list[Piece] = [("■" * size, TONES.get(name, "warn")) for name, size in shares(shown, cells)]
    legend: list[Piece] = []
    for name, count in shown:
        if count:
            label = term("outcome", name)
            legend += [("  ■ ", TONES.get(name, "warn")), (f"{label} {count:,}", "text")]
    return [(*bar, *legend)]


def reasons(counts: Reasons, width: int) -> list[Line]:
    """Why episodes failed, as one bar with its legend: the most frequent reason first, by turns bright and dim."""
    if not counts:
        return []
    cells = min(WIDEST, max(LEAST, width // 3))
    tones = ("warn", "label", "bad", "dim")
    of = {name: tones[place % len(tones)] for place, (name, _) in enumerate(counts)}
    bar: list[Piece] = [("■" * size, of[name]) for name, size in shares(counts, cells)]
    legend = [piece for name, count in counts for piece in (("  ■ ", of[name]), (f"{one(name)} {count:,}", "text"))]
    return [(*bar, *legend)]


def replies(figures: Figures) -> list[Line]:
    """In how many replies nothing is said, seat by seat; first, as a warning about the scores below."""
    found = [replies_line(seat, own, language()) for seat, own in figures.replies.items() if degenerate(own)]
    return [((f"{word('replies', language())}  {' · '.join(found)}", "warn"),)] if found else []


def costs(figures: Figures) -> list[Line]:
    """Tokens and machine time, in all, a task and a success."""
    told: list[str] = []
    solved = successes(figures)
    if figures.tokens:
        told.append(t("plots.tokens", n=f"{figures.tokens:,}", mean=f"{figures.tokens / max(1, figures.n):,.0f}"))
        told += [t("plots.tokens_a_success", n=f"{figures.tokens / solved:,.0f}")] if solved else []
    if figures.seconds:
        told.append(t("plots.seconds", time=duration(figures.seconds), mean=f"{figures.seconds / figures.n:.1f}"))
        told += [t("plots.seconds_a_success", n=f"{figures.seconds / solved:,.1f}")] if solved else []
    lines: list[Line] = [((" · ".join(told), "text"),)] if told else []
    for again in figures.repeats:
        lines.append(((t(
            "plots.repeats", rule=t(f"column.{again.rule}"), k=again.k, spread=f"{again.spread:.1f}",
            all=f"{again.all_solved:.1f}", flips=f"{again.flips:.1f}",
        ), "text"),))  # fmt: skip
    return lines
