"""How many of the queries of a stored run name a time, beside what the paper printed of its agents (section 5, Figure
3)."""

from __future__ import annotations

from store.journal import Journal
from tasks.legalsearch.analysis import tool_calls
from tasks.legalsearch.questions import by_id
from tasks.legalsearch.temporal import ToolUse, awareness
from tasks.reports.svg import LIMIT, OWN, Drawing
from tasks.reports.words import word
from tasks.run.reading import read_episode
from tasks.run.rescoring import StoredRun
from tasks.scoring.tables import EMPTY, Cell, Row, Table

PRINTED = (("least", 97), ("most", 227), ("in", 502), ("out", 537))
"""Temporally aware queries over all questions of a domain, as the paper says them in words."""
WIDE, NAMES, LINE = 900, 240, 24


def query_table(run: StoredRun, language: str) -> Table | None:
    """The counts of a run and its plot; None where nothing was asked of a tool."""
    questions, uses = by_id(run.questions), list[ToolUse]()
    with Journal.open(run.path) as journal:
        for row in journal.episodes():
            uses += tool_calls(questions[row.task_id].kind.id, read_episode(journal, row.id), run.bench.seat)[0]
    count = awareness(uses)["all"]
    if not count["queries"]:
        return None
    name = str(run.header["run"])
    own = Row(
        (name,),
        tuple(Cell(float(count[key]), count=True) for key in ("queries", "aware", "explicit"))
        + (Cell(100 * count["share"]),),
    )
    printed = [(word(f"beside.queries.{key}", language), number) for key, number in PRINTED]
    rows = [
        Row((label,), (EMPTY, Cell(float(number), count=True), EMPTY, EMPTY), "published")
        for label, number in printed
    ]
    columns = [word(f"beside.queries.{key}", language) for key in ("all", "aware", "explicit", "share")]
    title = f"{word('beside.queries', language)} · {name}"
    drawn = bars([(name, int(count["aware"]), OWN), *((label, number, LIMIT) for label, number in printed)], title)
    note = word("beside.queries.note", language)
    return Table("queries", title, (word("beside.run", language),), tuple(columns), (own, *rows), (note,), 1, drawn)


def bars(counts: list[tuple[str, int, str]], title: str) -> str:
    """A bar a count, its number behind it."""
    drawing = Drawing(WIDE, 8 + LINE * len(counts), title, 11)
    most = max(number for _, number, _ in counts) or 1
    for place, (name, number, colour) in enumerate(counts):
        y = 4 + LINE * place
        long = (WIDE - NAMES - 60) * number / most
        drawing.text(NAMES - 8, y + 14, name, "end")
        drawing.rect(NAMES, y + 3, long, LINE - 8, colour, opacity=0.8, said=f"{name}: {number}")
        drawing.text(NAMES + long + 6, y + 14, str(number))
    return str(drawing)
