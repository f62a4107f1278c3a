"""`moot report`: one or more runs as a document to read or to send on."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click

from app.cli.failing import label
from app.cli.notes import note
from app.cli.watcher import plain_line, voice_of
from app.strings import language, t
from app.terminal import clean
from store.files import written_whole
from store.journal import Journal
from tasks.benchmark import Question, TellsTables
from tasks.episode.events import AttemptStarted
from tasks.errors import UsageError
from tasks.reports.as_csv import by_task
from tasks.reports.formats import FORMATS
from tasks.reports.repeats import spread
from tasks.run.comparing import Side, side_of
from tasks.run.engines import run_paths
from tasks.run.failing import RunFailures, failures_of
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.scoring.metrics import Folded, Report

MOST_LINES = 400
"""Lines of an episode that a page shows."""


def _count(_: click.Context, __: click.Parameter, value: str | None) -> int:
    """How many episodes are shown; 0 for none."""
    if value is None:
        return 0
    if value != "all" and not (value.isdecimal() and int(value) > 0):
        raise click.BadParameter("write a number from 1, or all")
    return sys.maxsize if value == "all" else int(value)


def _read(
    path: Path, walker: str | None, whole: bool, transcripts: int
) -> tuple[Report, Side | None, Sequence[Question]]:  # fmt: skip
    """A run as a report; task by task where its file or its repeats ask for that."""
    run = read_stored(path)
    summary = summary_of(run, walker)
    own = any(row.measure.section == "repeat 0" for row in summary.rows)
    side, questions = side_of(path) if whole or (summary.tally.epochs > 1 and not own) else (None, ())
    table = spread(side, language()) if side is not None and not own else None
    found = failures_of(run)
    folded = tuple(_folded(path, transcripts, found)) if transcripts else ()
    more = run.bench.report_tables(run, language()) if isinstance(run.bench, TellsTables) else ()
    tables = (*((table,) if table else ()), *more)
    return Report(summary, run.header, found.main_reasons, tables, folded), side, questions


def _folded(path: Path, most: int, found: RunFailures) -> Iterator[Folded]:
    """The episodes of a run in the words of the plain player, failures first; what is cut off is said."""
    failed = {one.episode: one.verdict.main for one in found.episodes if one.verdict.status == "failed"}
    with Journal.open(path) as journal:
        rows = sorted(journal.episodes(), key=lambda row: row.id not in failed)
        for number, row in enumerate(rows[:most], 1):
            records = read_episode(journal, row.id)
            voice = next((voice_of(one.event.card) for one in records if isinstance(one.event, AttemptStarted)), None)
            told = [voice.told(one.event) if voice else plain_line(one) for one in records]
            lines = [line for line in told if line.strip()]
            cuts = [t("report.cut_lines", n=len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
            cuts += [t("report.cut_episodes", n=len(rows) - most)] if number == most < len(rows) else []
            main = failed.get(row.id)
            title = " · ".join([row.id, *([label(main.failure)] if main else [])])
            yield Folded(title, tuple(lines[:MOST_LINES]), " ".join(cuts))


@click.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True, help="What to write."
)
@click.option(
    "--by", type=click.Choice(["group", "task"]), default="group", show_default=True,
    help="Lines of a CSV file: a rate and group, or a task and metric.",
)  # fmt: skip
@click.option(
    "--transcripts",
    default=None,
    metavar="N|all",
    callback=_count,
    help="Fold N episodes, failures first, or all, into the page.",
)
@click.option("--walker", default=None, metavar="RUN", help="A run of the gold agent on the same tasks: a ceiling.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File to write instead of stdout."
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
def report(
    run_names: tuple[str, ...], form: str, by: str, transcripts: int, walker: str | None, out: Path | None,
    as_json: bool
) -> None:  # fmt: skip
    """Report one or more RUNs: scores with intervals, floor and ceilings, outcomes, hashes of everything used.

    Example: moot report 20261121-120000-legalagentbench-rules-1a2b --format html --out report.html
    """
    form = "json" if as_json else form
    if by == "task" and form != "csv":
        raise UsageError("--by task is for CSV files", "Add --format csv.")
    if transcripts and form != "html":
        raise UsageError("--transcripts is for pages", "Add --format html.")
    made = [_read(path, walker, by == "task", transcripts) for path in run_paths(run_names)]
    lines = [(one, side, asked) for one, side, asked in made if side is not None]
    text = by_task(lines) if by == "task" else FORMATS[form]([one for one, _, _ in made], language())
    if out is None:
        click.echo(clean(text), nl=False)
        if not text.endswith("\n"):
            click.echo()
        return
    with written_whole(out) as file:
        file.write(text)
    note(f"wrote {out}")
