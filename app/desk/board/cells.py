"""What stands in the cells of the board: who a row is, its figures on the scale of 100, its plot. Pure functions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from rich.text import Text

from app.desk.episode.renderers import one
from app.desk.home.plots import points
from app.desk.home.screen import called
from app.strings import known, language, t
from app.terminal import truncate, width
from tasks.courts.casefile.roles import role_name
from tasks.courts.environment import codes
from tasks.reports.strip import Strip, strip
from tasks.run.board import Entry
from tasks.run.figures import Figure
from tasks.scoring.names import measure_name
from tasks.scoring.published import Place

WIDTHS = {"n": 7, "strict": 8, "interval": 10, "compat": 8, "tokens_each": 12, "seconds_each": 10}
"""Columns of figures, and their cells."""
ROLES = {"value": "accent", "bar": "secondary", "label": "warning"}
"""Role of a piece of a plot -> colour of the theme; others are dim, or plain."""
WORDY = 42
"""Cells of a name that leave room for words before it."""
UNREAD = "…"
"""A figure that is still being read."""


def named(entry: Entry) -> str:
    """What a row is called."""
    if entry.paper is not None:
        return f"{one(entry.paper.model)} · {_way(entry.paper.way)}"
    assert entry.line is not None
    return called(entry.line)


def measured(place: Place) -> str:
    """What is looked at, without its group: a score, the turns, how far a simulated role was kept."""
    section, _, name = place[0].rpartition(".")
    if not section:
        return measure_name(name, language())
    env = place[1]
    who = role_name(name, env) if language() == "zh" and env in codes() else t(f"seat.{name}")
    return t(f"board.measure.{section}", who=one(who) if section == "graded" else "")


def _way(way: str) -> str:
    """How a paper used a model; agents that are ours, too, have their name."""
    return t(f"agent.{way}") if known(f"agent.{way}") else one(way)


def cells(
    entry: Entry, names: int, room: int, colours: Mapping[str, str], mark: str = "", why: str = ""
) -> dict[str, Text]:
    """The cells of a row by column.

    Args:
        entry: the row.
        names: cells for its name.
        room: cells for its plot.
        colours: of the theme.
        mark: stands before its name.
        why: why its figures cannot be read, if so.
    """
    strict, compat = entry.value
    tokens, seconds = tokens_each(entry), seconds_each(entry)
    unknown = UNREAD if entry.reading and not why else "–"
    figures = {
        "n": behind(entry), "strict": _points(entry.strict, strict, unknown),
        "compat": _points(entry.compat, compat, unknown),
        "interval": _interval(entry) or (unknown if unknown == UNREAD else ""),
        "tokens_each": unknown if tokens is None else f"{tokens:,.0f}",
        "seconds_each": unknown if seconds is None else f"{seconds:,.1f}",
    }  # fmt: skip
    tone = "dim" if entry.paper is not None or entry.reading else ""
    plot = Text(truncate(one(why), room), style="dim") if why else _plot(entry, room, colours)
    shown = {key: Text(text, tone, justify="right") for key, text in figures.items()}
    return {"name": _name(entry, names, mark, tone, colours), "plot": plot, **shown}


def _name(entry: Entry, room: int, mark: str, tone: str, colours: Mapping[str, str]) -> Text:
    head: list[tuple[str, str]] = [(f" {mark} ", "reverse"), (" ", "")] if mark else []
    if entry.line is not None and entry.line.fictional:
        head.append((f"{fiction(room)} ", colours.get("warning", "")))
    left = max(4, room - sum(width(text) for text, _ in head))
    return Text.assemble(*head, (truncate(named(entry), left), tone))


def fiction(room: int) -> str:
    """The mark of fictional data, with its words where there is room for them; the title has them in any case."""
    return f"● {t('mark.fictional')}" if room >= WORDY else "●"


def behind(entry: Entry) -> str:
    """How many tasks stand behind a figure, and of how many where that is fewer: 148/150."""
    return str(entry.n or "–") + (f"/{entry.of}" if entry.of else "")


def _points(row: Figure | None, value: float | None, unknown: str) -> str:
    return points(row) if row is not None else unknown if value is None else f"{value:.1f}"


def _interval(entry: Entry) -> str:
    shown = entry.strict if entry.strict is not None and entry.strict.value is not None else entry.compat
    if shown is None or shown.low is None or shown.high is None:
        return ""
    return f"[{shown.low:.0f}, {shown.high:.0f}]"


def _plot(entry: Entry, room: int, colours: Mapping[str, str]) -> Text:
    strict, compat = entry.value
    shown = entry.strict if entry.strict is not None and entry.strict.value is not None else entry.compat
    value = compat if strict is None else strict
    other = compat if strict is not None else None
    of = Strip(value, other=other, printed=entry.paper is not None)
    if shown is not None:
        of = replace(of, low=shown.low, high=shown.high, floor=shown.floor, ceiling=shown.ceiling)
    return Text.assemble(
        *(
            (text, "dim" if entry.reading else colours.get(ROLES.get(role, ""), "dim"))
            for text, role in strip(of, room)
        )
    )


def tokens_each(entry: Entry) -> float | None:
    """Tokens a success."""
    if entry.paper is not None:
        whole = entry.compat is not None and (entry.compat.name, entry.compat.group) == ("success", "all")
        value = entry.compat.value if entry.compat is not None and whole else None
        solved = value / 100 * entry.paper.tasks if value and entry.paper.tasks else 0.0
        return entry.paper.tokens / solved if solved and entry.paper.tokens else None
    return entry.figures.tokens / entry.solved if entry.figures and entry.figures.tokens and entry.solved else None


def seconds_each(entry: Entry) -> float | None:
    """Seconds a success."""
    return entry.figures.seconds / entry.solved if entry.figures and entry.figures.seconds and entry.solved else None
