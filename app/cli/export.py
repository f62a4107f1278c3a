"""`moot export`: a stored run as files for other programs, an episode of a court as court papers."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from app.cli.names import RUN
from app.cli.notes import note
from app.strings import t
from app.terminal import clean, json_text
from tasks.errors import UsageError
from tasks.run.exporting import event_lines, refuse_existing, write_lines

ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "markdown": ("a run as Markdown is a report", "Use `moot report RUN --format md`."),
    "html": ("a run as a page is a report", "Use `moot report RUN --format html --out FILE`, or name an EPISODE."),
    "inspect": ("this release writes no logs of inspect_ai", "`--to jsonl` holds everything that a run recorded."),
}
"""What is not written of a whole run -> the sentence and where to go."""
PAPERS = ("docx", "pdf", "html")
"""Forms of the court papers of an episode."""
DOCUMENTS = ("judgment", "transcript", "complaint", "answer", "deliberation")


def _rollouts(name: str) -> Iterator[dict[str, object]]:
    from tasks.legalsearch.exporting import rollout_lines

    return rollout_lines(name)


LINES: Mapping[str, Callable[[str], Iterator[dict[str, object]]]] = {"jsonl": event_lines, "rollouts": _rollouts}
"""Forms that are JSON lines."""


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", metavar="[EPISODE]", required=False)
@click.option(
    "--to", "form", type=click.Choice(["jsonl", "rollouts", "verl", "inspect", "markdown", *PAPERS]), required=True,
    help=(
        "jsonl: all events. rollouts: rewards, advantages and tokens of a run with --rollouts. verl: a folder that trains."
        " docx, pdf, html: a court paper of an EPISODE."
    ),
)  # fmt: skip
@click.option(
    "--document",
    type=click.Choice(DOCUMENTS),
    default=None,
    help="Which court paper; else the one the episode ends in.",
)
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="File or, for verl, folder to write; must not exist."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(
    run_name: str, episode: str | None, form: str, document: str | None, out: Path | None, as_json: bool
) -> None:
    """Write a RUN in a form that other programs read, or an EPISODE of a court as its paper. Without --out, lines go to stdout.

    Example: moot export 20261121-120000-legalsearch-search-1a2b --to verl --out rows
    """
    if episode is not None and form in PAPERS:
        return _paper(run_name, episode, form, document, out, as_json)
    if episode is not None or document is not None:
        raise UsageError(
            f"--to {form} writes a whole run", "A court paper needs an EPISODE and --to docx, pdf or html."
        )
    if form in PAPERS and form not in ELSEWHERE:
        raise UsageError(f"--to {form} writes an episode", "Name it behind the run: `moot show RUN` lists them.")
    if form in ELSEWHERE:
        raise UsageError(*ELSEWHERE[form])
    if form == "verl":
        if out is None:
            raise UsageError("--to verl writes a folder", "Name it with --out FOLDER.")
        from tasks.legalsearch.exporting import export_verl

        return _tell(out, export_verl(run_name, out), as_json)
    if out is not None:
        refuse_existing(out)
        lines = (json.dumps(line, ensure_ascii=False) for line in LINES[form](run_name))
        return _tell(out, {out.name: write_lines(out, lines)}, as_json)
    if as_json:
        raise UsageError("--json tells what was written", "Name a file with --out.")
    for line in LINES[form](run_name):
        click.echo(json_text(line))


def _paper(
    run_name: str, episode: str, form: str, document: str | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """One court paper of an episode."""
    from tasks.courts.papers.stored import chosen, papers_of, write_paper

    if out is None:
        raise UsageError(f"--to {form} writes a file", "Name it with --out FILE.")
    refuse_existing(out)
    paper = chosen(papers_of(run_name, episode), document, episode)
    font = write_paper(paper, form, out)
    if font:
        note(f"the font {font} is embedded")
    elif font is not None:
        note("no Chinese font was found to embed: the reader's own is used")
    if as_json:
        click.echo(json_text({"out": str(out), "document": paper.titles[-1], "marks": list(paper.marks)}))
        return
    click.echo(clean(t("exported.paper", file=str(out), name=paper.titles[-1]), multiline=False))


def _tell(out: Path, counts: Mapping[str, int], as_json: bool) -> None:
    if as_json:
        click.echo(json_text({"out": str(out), "files": dict(counts)}))
        return
    for name, lines in counts.items():
        click.echo(clean(t("exported.wrote", file=name, n=f"{lines:,}"), multiline=False))
