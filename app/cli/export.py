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
}
"""What is not written of a whole run -> the sentence and where to go."""
PAPERS = ("docx", "pdf", "html")
"""Forms of the court papers of an episode."""
DOCUMENTS = ("judgment", "transcript", "complaint", "answer")


def _rollouts(name: str) -> Iterator[dict[str, object]]:
    from tasks.legalsearch.exporting import rollout_lines

    return rollout_lines(name)


def _table(name: str) -> Iterator[str]:
    from tasks.exchange.rows import table_lines

    return table_lines(name)


def _verl(name: str, out: Path) -> dict[str, int]:
    from tasks.legalsearch.exporting import export_verl

    return export_verl(name, out)


def _seats(name: str, out: Path) -> dict[str, int]:
    from tasks.exchange.rows import export_seats

    return export_seats(name, out)


def _rows(name: str, out: Path) -> dict[str, int]:
    from tasks.exchange.rows import export_rows

    return export_rows(name, out)


LINES: Mapping[str, Callable[[str], Iterator[dict[str, object]]]] = {"jsonl": event_lines, "rollouts": _rollouts}
"""Forms that are JSON lines."""
HEADS: Mapping[str, int] = {"csv": 1}
"""Lines of a form that are no data."""
FOLDERS: Mapping[str, Callable[[str, Path], dict[str, int]]] = {"verl": _verl, "seats": _seats, "rows": _rows}
"""Forms that are folders."""


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", metavar="[EPISODE]", required=False)
@click.option(
    "--to", "form", type=click.Choice([*LINES, "csv", "inspect", *FOLDERS, "markdown", *PAPERS]), required=True,
    help="jsonl: all events. rollouts: rewards, advantages and tokens of a run with --rollouts. csv: a row an "
    "episode."
    " inspect: a log of Inspect AI, FILE.eval or FILE.json. verl: a folder that trains. seats: a folder with the "
    "calls of"
    " each seat. rows: a folder that `datasets` loads. docx, pdf, html: a court paper of an EPISODE.",
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
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
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
        raise UsageError(
            f"--to {form} writes a whole run", "A court paper needs an EPISODE and --to docx, pdf or html."
        )
    if form in PAPERS and form not in ELSEWHERE:
        raise UsageError(f"--to {form} writes an episode", "Name it behind the run: `moot show RUN` lists them.")
    if form in ELSEWHERE:
        raise UsageError(*ELSEWHERE[form])
    if form in FOLDERS:
        if out is None:
            raise UsageError(f"--to {form} writes a folder", "Name it with --out FOLDER.")
        return _tell(out, FOLDERS[form](run_name, out), as_json)
    if form == "inspect":
        if out is None:
            raise UsageError("--to inspect writes a log", "Name it with --out FILE.eval or FILE.json.")
        from tasks.exchange.inspect_log import export_inspect

        refuse_existing(out)
        return _tell(out, {out.name: export_inspect(run_name, out)}, as_json, "exported.samples")
    if out is not None:
        refuse_existing(out)
        lines = _table(run_name) if form == "csv" else _json_lines(form, run_name)
        return _tell(out, {out.name: write_lines(out, lines) - HEADS.get(form, 0)}, as_json)
    if as_json:
        raise UsageError("--json tells what was written", "Name a file with --out.")
    if form == "csv":
        for row in _table(run_name):
            click.echo(clean(row, multiline=False))
        return
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


def _json_lines(form: str, name: str) -> Iterator[str]:
    return (json.dumps(line, ensure_ascii=False) for line in LINES[form](name))


def _tell(out: Path, counts: Mapping[str, int], as_json: bool, key: str = "exported.wrote") -> None:
    if as_json:
        click.echo(json_text({"out": str(out), "files": dict(counts)}))
        return
    for name, lines in counts.items():
        click.echo(clean(t(key, file=name, n=f"{lines:,}"), multiline=False))
