"""`moot score-predictions`: answers that were made elsewhere become runs, and are scored like any other."""

from __future__ import annotations

import sys
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import click

from app.cli.driving import print_summary
from app.cli.notes import note
from app.strings import t
from app.terminal import clean, json_text, pad
from store.importers.reading import BadRecords
from tasks.benchmark import benchmark as known_benchmark
from tasks.errors import UsageError
from tasks.reports.words import SCALE, show
from tasks.run.imported import Imported, Sources, name_run, read_run, save_run, sources_of
from tasks.run.listing import read_run as listed
from tasks.run.rescoring import read_stored, summary_of

FILE = click.Path(path_type=Path)


@click.command(name="score-predictions")
@click.argument("benchmark")
@click.option("--dataset", type=FILE, required=True, help="The task file with the keys.")
@click.option(
    "--predictions",
    "given",
    type=FILE,
    required=True,
    multiple=True,
    help="legalagentbench: lines of id, res, summary; legalsearch: lines of data_source, index, response. May be "
    "repeated;"
    " of a folder all .json and .jsonl files, each a run.",
)
@click.option("--tokens", type=FILE, default=None, help="Token lines of the same run.")
@click.option("--save/--no-save", default=True, show_default=True, help="Keep the predictions as a run.")
@click.option("--out", type=FILE, default=None, help="The run file to write; must not exist.")
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def score_predictions(
    benchmark: str, dataset: Path, given: tuple[Path, ...], tokens: Path | None, save: bool, out: Path | None,
    as_json: bool,
) -> None:  # fmt: skip
    """Import a file of predictions as a run of BENCHMARK and score it.

    Lines are matched to tasks by id; the last line of an id counts, and tasks without a line count as errors. Lines
    that cannot be read are named, and nothing is imported.

    Of several files, and of a folder, each becomes a run that is called like its file; x.tokens.jsonl beside x.jsonl
    holds its tokens.

    Example: moot score-predictions legalagentbench --dataset data.json --predictions answers.jsonl --json
    """
    known_benchmark(benchmark)
    several = len(given) > 1 or given[0].is_dir()
    if several and out is not None:
        raise UsageError("--out names one run file", "Of several prediction files each becomes a run of the library.")
    every = [(sources, _read(sources)) for sources in sources_of(benchmark, dataset, given, tokens)]
    with TemporaryDirectory(prefix="moot-score-") as folder:
        passing = None if save or out else Path(folder)
        if not several:
            return _single(*every[0], out, passing, as_json)
        runs = [_saved(*one, None, passing and passing / str(number)) for number, one in enumerate(every)]
        called = [name_run(path, sources) if save else "" for path, (sources, _) in zip(runs, every, strict=True)]
        if as_json:
            click.echo(json_text({"runs": [_block(*one) for one in zip(runs, called, strict=True)]}))
            return
        for one in zip(runs, called, strict=True):
            click.echo(clean(_line(*one), multiline=False))
    if save:
        note(t("predictions.saved", n=len(every)))


def _single(sources: Sources, imported: Imported, out: Path | None, passing: Path | None, as_json: bool) -> None:
    path = _saved(sources, imported, out, passing)
    if passing is None:
        note(f"saved as run {path.stem}")
    run = read_stored(path)
    print_summary(summary_of(run), as_json, run.header)


def _saved(sources: Sources, imported: Imported, out: Path | None, passing: Path | None) -> Path:
    """The run file: `out`, else one of the library; in a folder that goes away where nothing is kept."""
    if passing is not None:
        passing.mkdir(exist_ok=True)
        return save_run(sources, imported, out=passing / f"{sources.predictions.stem or 'predictions'}.moot")
    return save_run(sources, imported, out=out, argv=sys.argv[1:])


def _read(sources: Sources) -> Imported:
    """What a file holds; everything that is wrong with it is said before it is refused."""
    name = sources.predictions.name
    try:
        imported = read_run(sources)
    except BadRecords as error:
        for first, n, lines in error.faults if len(error.faults) > 1 else ():
            note(f"{first}; {n} records like it: line {lines}" if n > 1 else first)
        raise
    for what in imported.notes:
        note(f"{name}: {what}")
    return imported


def _block(path: Path, called: str) -> dict[str, Any]:
    """The score block of a run, with its file and what it is called here."""
    run = read_stored(path)
    return {**summary_of(run).block(), "file": run.header["imported"]["file"], "name": called}


def _figure(share: float | None) -> str:
    return show(None if share is None else SCALE * share, 2)


def _line(path: Path, called: str) -> str:
    """A run in one line: its file, how far it is, and what sums it up."""
    line = listed(path)
    figures = t("predictions.figures", compat=_figure(line.compat), strict=_figure(line.strict))
    finished = f"{line.outcomes.get('finished', 0)}/{line.n}"
    return "  ".join(
        filter(None, (pad(line.source, 40), pad(finished, 9), figures, line.id, called and f"“{called}”"))
    )
