"""A run as a table: CSV with a row an episode, for spreadsheets and statistics.

The column names are stable. compat and strict are what sums an attempt up, as in lists of runs (shares from 0 to 1,
empty where there is no score); seconds are machine time. Steps and seconds of an imported run are empty: nobody
measured them. A text that a spreadsheet would run as a formula gets an apostrophe in front.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Iterator
from pathlib import Path

from store.journal import Journal
from tasks.exchange.episodes import Played, played, tested
from tasks.reports.as_csv import cell
from tasks.run.header import HeaderData
from tasks.run.rescoring import read_stored

COLUMNS = (
    "run", "benchmark", "task", "group", "cluster", "epoch", "episode", "agent", "model", "outcome", "reason",
    "steps", "calls", "prompt_tokens", "generated_tokens", "tokens", "seconds", "compat", "strict", "flags",
)  # fmt: skip


def facts(header: HeaderData, one: Played) -> dict[str, object]:
    """What is said of an episode, by column; None where nothing is known."""
    state, measured = one.state, "imported" not in header
    agent, model = tested(header)
    return {
        "run": str(header["run"]), "benchmark": str(header["spec"]["benchmark"]), "task": one.row.task_id,
        "group": one.question.group, "cluster": one.question.cluster, "epoch": one.row.epoch, "episode": one.row.id,
        "agent": agent, "model": model, "outcome": one.outcome,
        "reason": state.stopped.reason if state.stopped else "", "steps": state.steps if measured else None,
        "calls": state.calls, "prompt_tokens": state.prompt_tokens, "generated_tokens": state.generated_tokens,
        "tokens": state.tokens, "seconds": round(state.milliseconds / 1000, 3) if measured else None,
        "compat": one.compat, "strict": one.strict, "flags": " ".join(sorted(one.result.flags)),
    }  # fmt: skip


def table_lines(name: str | Path) -> Iterator[str]:
    """The lines of the table, its head first."""
    run = read_stored(name)
    yield ",".join(COLUMNS)
    with Journal.open(run.path) as journal:
        for one in played(run, journal):
            yield _line([cell(value) for value in facts(run.header, one).values()])


def _line(values: list[object]) -> str:
    stream = io.StringIO()
    csv.writer(stream, lineterminator="").writerow(values)
    return stream.getvalue()
