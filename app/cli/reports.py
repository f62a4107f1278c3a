"""`moot report`, `compare`, `export` and `merge`: what is made of stored runs."""

from __future__ import annotations

import importlib
import json
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app.cli.common import RUN, json_option, note, output, say
from app.cli.show import label
from app.cli.watcher import Player, plain_line, record_data
from app.strings import language, t
from app.terminal import clean, json_text
from store.files import written_whole
from store.journal import Journal
from store.text.difference import MARKS, DiffPiece, difference
from tasks.benchmark import Question
from tasks.episode.events import ModelCalled, Record
from tasks.episode.state import fold
from tasks.errors import UsageError
from tasks.reports.as_csv import by_task
from tasks.reports.comparison import FORMATS as COMPARED
from tasks.reports.comparison import passes, spread
from tasks.reports.formats import FORMATS
from tasks.run.comparing import ComparedRun, Comparison, StepPair, parting, side_of, steps_of
from tasks.run.comparing import compare as compared
from tasks.run.engines import run_paths
from tasks.run.exporting import refuse_existing, write_lines
from tasks.run.failing import RunFailures, failures_of
from tasks.run.merging import merge_runs
from tasks.run.reading import read_episode
from tasks.run.rescoring import read_stored, summary_of
from tasks.scoring.metrics import CollapsibleText, Report

MOST_LINES = 400
"""Lines of an episode that a page shows."""


def _count(_: click.Context, __: click.Parameter, value: str | None) -> int:
    if value is None:
        return 0
    if value != "all" and not (value.isdecimal() and int(value) > 0):
        raise click.BadParameter("write a number from 1, or all")
    return sys.maxsize if value == "all" else int(value)


def _read(path: Path, whole: bool, transcripts: int) -> tuple[Report, ComparedRun | None, Sequence[Question]]:
    """A run as a report; task by task where its file or its repeats ask for that."""
    run = read_stored(path)
    summary = summary_of(run)
    own = any(row.measure.section == "repeat 0" for row in summary.rows)
    side, questions = side_of(path) if whole or (summary.tally.epochs > 1 and not own) else (None, ())
    repeats = (spread(side, language()), passes(side, language())) if side is not None and not own else ()
    found = failures_of(run)
    folded = tuple(_folded(path, transcripts, found)) if transcripts else ()
    more = run.bench.report_tables(run, language())
    tables = (*filter(None, repeats), *more)
    return Report(summary, run.header, found.main_reasons, tables, folded), side, questions


def _folded(path: Path, most: int, found: RunFailures) -> Iterator[CollapsibleText]:
    """The episodes of a run in the words of the plain player, failures first; what is cut off is said."""
    failed = {one.episode: one.verdict.main for one in found.episodes if one.verdict.status == "failed"}
    with Journal.open(path) as journal:
        rows = sorted(journal.episodes(), key=lambda row: row.id not in failed)
        for number, row in enumerate(rows[:most], 1):
            records = read_episode(journal, row.id)
            player = Player(fold(records).card)
            if player.scene is not None:
                records = [r for r in records if not isinstance(r.event, ModelCalled) or r.event.human]
            lines = [clean(text) for _, text in player.play(records)]
            cuts = [t("report.cut_lines", n=len(lines) - MOST_LINES)] if len(lines) > MOST_LINES else []
            cuts += [t("report.cut_episodes", n=len(rows) - most)] if number == most < len(rows) else []
            main = failed.get(row.id)
            title = " · ".join([row.id, *([label(main.failure)] if main else [])])
            yield CollapsibleText(title, tuple(lines[:MOST_LINES]), " ".join(cuts))


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
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File to write instead of stdout."
)
@json_option("Same as --format json.")
def report(
    run_names: tuple[str, ...], form: str, by: str, transcripts: int, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Report one or more RUNs: scores with intervals, floor and ceiling, outcomes, hashes of everything used.

    Example: moot report 20261121-120000-legalagentbench-rules-1a2b --format html --out report.html
    """
    form = "json" if as_json else form
    if by == "task" and form != "csv":
        raise UsageError("--by task is for CSV files", "Add --format csv.")
    if transcripts and form != "html":
        raise UsageError("--transcripts is for pages", "Add --format html.")
    made = [_read(path, by == "task", transcripts) for path in run_paths(run_names)]
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


@click.command()
@click.argument("run_names", metavar="RUN_A RUN_B...", nargs=-1, required=True, type=RUN)
@click.option(
    "--format", "form", type=click.Choice(list(COMPARED)), default="text", show_default=True, help="What to write."
)
@click.option("--task", default=None, metavar="ID", help="Show how both went about this task, step by step.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File to write instead of stdout."
)
@json_option("Same as --format json.")
def compare(
    run_names: tuple[str, ...], form: str, task: str | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Compare runs of the same tasks with the first: by how much they differ, where, and whether chance could do it.

    Example: moot compare 20261121-120000-legalagentbench-rules-1a2b latest
    """
    paths = run_paths(run_names)
    if len(paths) < 2:
        raise UsageError("compare needs two runs or more", "Name the run to compare with first, then the others.")
    made = compared(paths)
    if task is not None:
        return _beside(made, task, as_json or form == "json")
    text = COMPARED["json" if as_json else form](made, language())
    if out is None:
        return click.echo(clean(text.rstrip("\n")))
    with written_whole(out) as file:
        file.write(text)
    note(f"wrote {out}")


def _beside(made: list[Comparison], task: str, as_json: bool) -> None:
    if len(made) > 1:
        raise UsageError("--task takes two runs", "Name the two that it is to be shown of.")
    line = next((line for line in made[0].tasks if line.task == task), None)
    if line is None:
        raise UsageError(f"no task '{task}' that both runs played", "`moot compare A B` names those that differ.")
    steps = steps_of(made[0], line)
    if as_json:
        return click.echo(json_text(_data(task, line.episodes, steps)))
    for sign, side in (("-", made[0].first), ("+", made[0].second)):
        say(f"{sign} {side.run}")
    apart = parting(steps)
    click.echo(t("compare.alike") if apart is None else t("compare.parting", step=apart))
    for step in steps:
        click.echo(f"\n{t('event.step', step=step.number)}" + (" ≠" if step.number == apart else ""))
        for shown in _lines(step):
            click.echo(clean(shown))


def _lines(step: StepPair) -> Iterator[str]:
    """What both did, once; what they did otherwise, side after side with the words marked that differ."""
    # what only one of them did: first all of the one, then all of the other
    for pair in sorted(step.pairs, key=lambda pair: pair.first is None):
        first, second = (plain_line(record).strip() if record else "" for record in (pair.first, pair.second))
        if first == second:
            if first:
                yield f"  {first}"
            continue
        pieces = difference(first, second) if first and second else [DiffPiece("same", first or second)]
        for sign, other, text in (("-", "added", first), ("+", "removed", second)):
            if text:
                said = (piece.text.join(MARKS[piece.kind]) for piece in pieces if piece.kind != other)
                yield f"{sign} {''.join(said)}"


def _data(task: str, episodes: tuple[str, str], steps: list[StepPair]) -> dict[str, object]:
    def record(one: Record | None, episode: str) -> object:
        return None if one is None else record_data(episode, one)

    return {
        "task": task,
        "episodes": list(episodes),
        "parting": parting(steps),
        "steps": [
            {
                "step": step.number,
                "same": step.same,
                "pairs": [
                    {
                        "same": pair.same,
                        "first": record(pair.first, episodes[0]),
                        "second": record(pair.second, episodes[1]),
                    }
                    for pair in step.pairs
                ],
            }
            for step in steps
        ],
    }


ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "markdown": ("a run as Markdown is a report", "Use `moot report RUN --format md`."),
    "html": ("a run as a page is a report", "Use `moot report RUN --format html --out FILE`, or name an EPISODE."),
}
"""What is not written of a whole run -> the sentence and where to go."""
PAPERS = ("docx", "html")
"""Forms of the court papers of an episode."""
DOCUMENTS = ("judgment", "transcript", "complaint", "answer")


LINES = {"jsonl": "tasks.run.exporting:event_lines", "rollouts": "tasks.legalsearch.exporting:rollout_lines"}
"""Forms that are JSON lines -> what makes them."""
FOLDERS = {
    "verl": "tasks.legalsearch.exporting:export_verl",
    "seats": "tasks.exchange.rows:export_seats",
    "rows": "tasks.exchange.rows:export_rows",
}
"""Forms that are folders -> what writes them."""


def _maker(place: str) -> Callable[..., Any]:
    module, _, name = place.partition(":")
    found: Callable[..., Any] = getattr(importlib.import_module(module), name)
    return found


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", metavar="[EPISODE]", required=False)
@click.option(
    "--to", "form", type=click.Choice([*LINES, "csv", "inspect", *FOLDERS, "markdown", *PAPERS]), required=True,
    help="jsonl: all events. rollouts: rewards, advantages and tokens of a run with --rollouts. csv: a row an "
    "episode."
    " inspect: a log of Inspect AI, FILE.eval or FILE.json. verl: a folder that trains. seats: a folder with the "
    "calls of"
    " each seat. rows: a folder that `datasets` loads. docx, html: a court paper of an EPISODE.",
)  # fmt: skip
@click.option(
    "--document",
    type=click.Choice(DOCUMENTS),
    default=None,
    help="Which court paper; else the one the episode ends in.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=None,
    help="File or, for verl, seats and rows, folder to write; must not exist.",
)  # fmt: skip
@json_option("Print what was written as JSON.")
def export(
    run_name: str, episode: str | None, form: str, document: str | None, out: Path | None, as_json: bool
) -> None:
    """Write a RUN in a form that other programs read, or an EPISODE of a court as its paper. Without --out, lines go
    to stdout.

    inspect and rows hold the reference answers: nothing for a model that is still to be tested.

    Example: moot export 20261121-120000-legalsearch-search-1a2b --to verl --out rows
    """
    if episode is not None and form in PAPERS:
        return _paper(run_name, episode, form, document, out, as_json)
    if episode is not None or document is not None:
        raise UsageError(f"--to {form} writes a whole run", "A court paper needs an EPISODE and --to docx or html.")
    if form in PAPERS and form not in ELSEWHERE:
        raise UsageError(f"--to {form} writes an episode", "Name it behind the run: `moot show RUN` lists them.")
    if form in ELSEWHERE:
        raise UsageError(*ELSEWHERE[form])
    if form in FOLDERS:
        if out is None:
            raise UsageError(f"--to {form} writes a folder", "Name it with --out FOLDER.")
        return _tell(out, _maker(FOLDERS[form])(run_name, out), as_json)
    if form == "inspect":
        if out is None:
            raise UsageError("--to inspect writes a log", "Name it with --out FILE.eval or FILE.json.")
        from tasks.exchange.inspect_log import export_inspect

        refuse_existing(out)
        return _tell(out, {out.name: export_inspect(run_name, out)}, as_json, "exported.samples")
    from tasks.exchange.rows import table_lines

    if out is not None:
        refuse_existing(out)
        lines = table_lines(run_name) if form == "csv" else _json_lines(form, run_name)
        return _tell(out, {out.name: write_lines(out, lines) - (form == "csv")}, as_json)
    if as_json:
        raise UsageError("--json tells what was written", "Name a file with --out.")
    if form == "csv":
        for row in table_lines(run_name):
            say(row)
        return
    for line in _maker(LINES[form])(run_name):
        click.echo(json_text(line))


def _paper(
    run_name: str, episode: str, form: str, document: str | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    from tasks.courts.papers.episode_papers import chosen, papers_of, write_paper

    if out is None:
        raise UsageError(f"--to {form} writes a file", "Name it with --out FILE.")
    refuse_existing(out)
    paper = chosen(papers_of(run_name, episode), document, episode)
    write_paper(paper, form, out)
    told = {"out": str(out), "document": paper.titles[-1], "marks": list(paper.marks)}
    output(as_json, told, t("exported.paper", file=str(out), name=paper.titles[-1]))


def _json_lines(form: str, name: str) -> Iterator[str]:
    return (json.dumps(line, ensure_ascii=False) for line in _maker(LINES[form])(name))


def _tell(out: Path, counts: Mapping[str, int], as_json: bool, key: str = "exported.wrote") -> None:
    if as_json:
        return click.echo(json_text({"out": str(out), "files": dict(counts)}))
    for name, lines in counts.items():
        say(t(key, file=name, n=f"{lines:,}"))


@click.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run file to write; must not exist.")
@click.option("--partial", is_flag=True, help="Take what there is: episodes may be missing, or unfinished.")
@json_option("Print what was written as JSON.")
def merge(run_names: tuple[str, ...], out: Path, partial: bool, as_json: bool) -> None:
    """Make one run of several RUNs of one experiment, each over tasks of its own: shards, or runs of other machines.

    Example: moot merge shard-1.moot shard-2.moot --out whole.moot
    """
    made = merge_runs(run_names, out, partial=partial, argv=sys.argv[1:])
    if as_json:
        return click.echo(json_text({**asdict(made), "path": str(made.path)}))
    say(t("merge.done", runs=made.parts, n=f"{made.episodes:,}", path=made.path))
    if made.missing:
        note(t("merge.missing", n=f"{made.missing:,}", total=f"{made.episodes + made.missing:,}"))
    if made.unfinished:
        note(t("merge.unfinished", n=f"{made.unfinished:,}"))
