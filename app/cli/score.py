"""`moot score`: scores of stored runs, by rules, by graders, and by vectors of words."""

from __future__ import annotations

import click

from app.cli.consent import allow_host_option
from app.cli.driving import print_summary
from app.cli.grading import grade_stored
from app.cli.names import RUN
from app.cli.notes import note
from store import identity, places
from tasks.errors import UsageError
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
@allow_host_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def score(
    run_name: str, scorers: tuple[str, ...], seats: tuple[str, ...], model: str | None,
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
    appended = append_scores(run, own, AUTHOR) if own or not scorers else 0
    if model is not None:
        appended += _compare_texts(run, model)
        run = read_stored(run_name)
    note(f"appended {appended} scores to {run.path}")
    print_summary(summary_of(run), as_json, run.header)


def _compare_texts(run: StoredRun, model: str) -> int:
    """BERTScore of the answers; how many scores were appended."""
    from models.llama.embedder import Embedder
    from models.llama.library import resolve
    from tasks.run.bertscoring import Wanted, score_texts

    path = resolve(model.removeprefix("llama:"), places.models())
    embedder = Embedder(path)
    if not embedder.encodes:
        note(f"{path.name} is no embedding model: its vectors say less about words")
    try:
        about = {"model": path.name, "sha256": identity.sha256(path), "llama-cpp-python": embedder.build()}
        return score_texts(run, embedder, Wanted(about), AUTHOR, _progress)
    finally:
        embedder.close()


def _progress(done: int, total: int, more: int) -> None:
    """Say how far it is, at each tenth."""
    if done < total and 10 * done // total > 10 * (done - more) // total:
        note(f"{done} of {total} answers compared")
