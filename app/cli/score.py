"""`moot score` and `moot score-predictions`: scores of stored runs, and of answers that were made elsewhere."""

from __future__ import annotations

import sys
from pathlib import Path

import click

from app.cli.consent import allow_host_option
from app.cli.driving import print_summary
from app.cli.grading import grade_stored
from app.cli.names import RUN
from app.cli.notes import note
from app.log import log_options
from tasks.run.rescoring import append_scores, read_stored, summary_of

FILE = click.Path(path_type=Path)


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option("--scorer", "scorers", multiple=True, help="compat, strict or evidence; may be repeated. Default: all.")
@click.option("--walker", default=None, metavar="RUN", help="A run of the gold agent on the same tasks: a ceiling.")
@click.option(
    "--seat", "seats", multiple=True, metavar="grader=SPEC", help="A model that grades what rules cannot score."
)
@log_options
@allow_host_option
@click.option("--author", default="moot", show_default=True, help="Who scored, for the record.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def score(
    run_name: str, scorers: tuple[str, ...], walker: str | None, seats: tuple[str, ...], author: str, as_json: bool
) -> None:
    """Score a stored RUN again. The new scores are appended to the run; the old ones stay.

    Example: moot score 20261121-120000-legalagentbench-rules-1a2b --scorer strict --json
    """
    run = read_stored(run_name)
    if seats:
        grade_stored(run, seats)
        run = read_stored(run_name)
    appended = append_scores(run, scorers, author)
    note(f"appended {appended} scores to {run.path}")
    print_summary(summary_of(run, walker), as_json, run.header)


@click.command(name="score-predictions")
@click.argument("benchmark")
@click.option("--dataset", type=FILE, required=True, help="The task file with the keys.")
@click.option(
    "--predictions",
    type=FILE,
    required=True,
    help="legalagentbench: lines of id, res, summary; legalsearch: lines of data_source, index, response.",
)
@click.option("--tokens", type=FILE, default=None, help="Token lines of the same run.")
@click.option("--save/--no-save", default=True, show_default=True, help="Keep the predictions as a run.")
@click.option("--out", type=FILE, default=None, help="The run file to write; must not exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def score_predictions(
    benchmark: str, dataset: Path, predictions: Path, tokens: Path | None, save: bool, out: Path | None, as_json: bool
) -> None:
    """Import a file of predictions as a run of BENCHMARK and score it.

    Lines are matched to tasks by id; the last line of an id counts, and tasks without a line count as errors.

    Example: moot score-predictions legalagentbench --dataset data.json --predictions answers.jsonl --json
    """
    import tempfile

    from tasks.benchmark import benchmark as known_benchmark
    from tasks.run.imported import Sources, read_run, save_run

    known_benchmark(benchmark)
    sources = Sources(benchmark, dataset, predictions, tokens)
    imported = read_run(sources)
    for what in imported.notes:
        note(f"{predictions.name}: {what}")
    if save or out:
        path = save_run(sources, imported, out=out, argv=sys.argv[1:])
        note(f"saved as run {path.stem}")
        return _print(path, as_json)
    with tempfile.TemporaryDirectory(prefix="moot-score-") as folder:
        passing = Path(folder) / f"{predictions.stem or 'predictions'}.moot"
        _print(save_run(sources, imported, out=passing), as_json)


def _print(path: Path, as_json: bool) -> None:
    run = read_stored(path)
    print_summary(summary_of(run), as_json, run.header)
