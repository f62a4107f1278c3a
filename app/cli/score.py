"""`moot score`, `score-predictions`, `procedure`: scores of runs, of answers made elsewhere, of labelled turns."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import click

from app.cli.common import RUN, Data, ParagraphHelpGroup, allow_host_option, json_option, note, say, table
from app.cli.driving import grade_stored, print_summary
from app.figures import number
from app.strings import t
from app.terminal import json_text, pad
from store.importers.reading import BadRecords
from tasks.benchmark import benchmark as known_benchmark
from tasks.courts.procedure.labels import LabelCheck, measured, read_rows
from tasks.errors import UsageError
from tasks.reports.words import SCALE, show
from tasks.run.imported import Imported, Sources, name_run, read_run, save_run, sources_of
from tasks.run.listing import read_run as listed
from tasks.run.rescoring import StoredRun, append_scores, read_stored, summary_of
from tasks.scoring.bertscore import SCORER as BERTSCORE

AUTHOR = "moot"
"""Who scored, for the record."""


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option(
    "--scorer",
    "scorers",
    multiple=True,
    help="compat, strict or evidence, or bertscore with --model; may be repeated. Default: all but bertscore.",
)
@click.option(
    "--seat", "seats", multiple=True, metavar="grader=SPEC", help="A model that grades what rules cannot score."
)
@click.option(
    "--model",
    default=None,
    metavar="FILE_OR_NAME",
    help="For bertscore, an embedding model: a GGUF file, or a name of the library.",
)
@click.option("--force", is_flag=True, help="For bertscore, take a chat model too.")
@allow_host_option
@json_option("Print the score block as JSON.")
def score(
    run_name: str, scorers: tuple[str, ...], seats: tuple[str, ...], model: str | None, force: bool,
    as_json: bool,
) -> None:  # fmt: skip
    """Score a stored RUN again. The new scores are appended to the run; the old ones stay.

    Example: moot score 20261121-120000-legalagentbench-rules-1a2b --scorer strict --json
    """
    own = tuple(name for name in scorers if name != BERTSCORE)
    if own == scorers and model is not None:
        raise UsageError("--model belongs to bertscore", "Add --scorer bertscore.")
    if own != scorers and model is None:
        raise UsageError(
            "bertscore needs an embedding model, and none is named",
            "Add --model FILE.gguf, or a name of `moot models list`.",
        )
    run = read_stored(run_name)
    if seats:
        grade_stored(run, seats)
        run = read_stored(run_name)
    appended = append_scores(run, own) if own or not scorers else 0
    if model is not None:
        appended += _compare_texts(run, model, force=force)
        run = read_stored(run_name)
    note(f"appended {appended} scores to {run.path}")
    print_summary(summary_of(run), as_json, run.header)


def _compare_texts(run: StoredRun, model: str, *, force: bool) -> int:
    from tasks.run.bertscoring import score_texts
    from tasks.run.engines import ENDPOINT, open_gguf

    if model.startswith(f"{ENDPOINT}:"):
        raise UsageError("bertscore needs a vector of each token, and an endpoint gives none", "Name a GGUF file.")
    embedder, about = open_gguf(model, force=force)
    done = score_texts(run, embedder, about | {"llama-cpp-python": embedder.build()}, AUTHOR, _progress)
    if embedder.cut:
        note(f"{embedder.cut:,} texts are longer than the model takes: their last tokens were left out")
    return done


def _progress(done: int, total: int, more: int) -> None:
    if done < total and 10 * done // total > 10 * (done - more) // total:
        note(f"{done} of {total} answers compared")


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
@click.option("--out", type=FILE, default=None, help="The run file to write; must not exist.")
@json_option("Print the score block as JSON.")
def score_predictions(
    benchmark: str, dataset: Path, given: tuple[Path, ...], tokens: Path | None, out: Path | None, as_json: bool,
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
    runs = [save_run(*one, out=out, argv=sys.argv[1:]) for one in every]
    if not several:
        note(f"saved as run {runs[0].stem}")
        run = read_stored(runs[0])
        return print_summary(summary_of(run), as_json, run.header)
    called = [name_run(path, sources) for path, (sources, _) in zip(runs, every, strict=True)]
    if as_json:
        return click.echo(json_text({"runs": [_block(*one) for one in zip(runs, called, strict=True)]}))
    for one in zip(runs, called, strict=True):
        say(_line(*one))
    return note(t("predictions.saved", n=len(every)))


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
    run = read_stored(path)
    return {**summary_of(run).block(), "file": run.header["imported"]["file"], "name": called}


def _figure(share: float | None) -> str:
    return show(None if share is None else SCALE * share, 2)


def _line(path: Path, called: str) -> str:
    line = listed(path)
    figures = t("predictions.figures", compat=_figure(line.compat), strict=_figure(line.strict))
    finished = f"{line.outcomes.get('finished', 0)}/{line.n}"
    return "  ".join(
        filter(None, (pad(line.source, 40), pad(finished, 9), figures, line.id, called and f"“{called}”"))
    )


SHARES, COUNTS = ("precision", "recall"), ("right", "wrong", "missed")


@click.group(cls=ParagraphHelpGroup)
def procedure() -> None:
    """Measure the rules of court procedure.

    Example: moot procedure check labels.jsonl
    """


@procedure.command(name="check")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@json_option()
def check(file: Path, as_json: bool) -> None:
    """Measure the rules of procedure on a FILE of labelled turns of judges: precision and recall of acts and faults.

    strict: duties of the law, and the benchmark's own actions; compat: the published rule on these actions.

    Example: moot procedure check labels.jsonl --json
    """
    told, judged = measured(read_rows(file))
    differ = [_difference(one) for one in judged if _differs(one)]
    if as_json:
        return click.echo(json_text({**told, "differences": differ}))
    measures = {**told["strict"], "compat": told["compat"], "faults": told["faults"]}
    measures["order_as_one"] = told["faults"]["order_as_one"]
    rows = [
        (t(f"procedure.{name}"), *(number(one[k], 3) for k in SHARES), *(str(one[k]) for k in COUNTS))
        for name, one in measures.items()
    ]
    click.echo(t("procedure.measured", n=told["n"]))
    click.echo(table(("", *(t(f"procedure.{name}") for name in (*SHARES, *COUNTS))), rows))
    return None


def _differs(one: LabelCheck) -> bool:
    return one.found != set(one.row.acts) or one.faults != one.row.blamed()


def _difference(one: LabelCheck) -> Data:
    acts = set(one.row.acts)
    return {
        "id": one.row.id, "wrong": sorted(one.found - acts), "missed": sorted(acts - one.found),
        "faults_wrong": sorted(one.faults - one.row.blamed()), "faults_missed": sorted(one.row.blamed() - one.faults),
    }  # fmt: skip
