"""`moot export`: a stored run as files for other programs."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import click

from app.cli.names import RUN
from app.strings import t
from app.terminal import clean, json_text
from tasks.errors import UsageError
from tasks.run.exporting import event_lines, refuse_existing, write_lines

ELSEWHERE: Mapping[str, tuple[str, str]] = {
    "markdown": ("a run as Markdown is a report", "Use `moot report RUN --format md`."),
    "html": ("a run as a page is a report", "Use `moot report RUN --format html --out FILE`."),
    "inspect": ("this release writes no logs of inspect_ai", "`--to jsonl` holds everything that a run recorded."),
}
"""What is not written here -> the sentence and where to go."""


def _rollouts(name: str) -> Iterator[dict[str, object]]:
    from tasks.legalsearch.exporting import rollout_lines

    return rollout_lines(name)


LINES: Mapping[str, Callable[[str], Iterator[dict[str, object]]]] = {"jsonl": event_lines, "rollouts": _rollouts}
"""Forms that are JSON lines."""


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option(
    "--to", "form", type=click.Choice(["jsonl", "rollouts", "verl", *ELSEWHERE]), required=True,
    help="jsonl: all events. rollouts: rewards, advantages and tokens of a run with --rollouts. verl: a folder that trains.",
)  # fmt: skip
@click.option(
    "--out", type=click.Path(path_type=Path), default=None, help="File or, for verl, folder to write; must not exist."
)
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def export(run_name: str, form: str, out: Path | None, as_json: bool) -> None:
    """Write a RUN in a form that other programs read. Without --out, lines go to stdout.

    Example: moot export 20261121-120000-legalsearch-search-1a2b --to verl --out rows
    """
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


def _tell(out: Path, counts: Mapping[str, int], as_json: bool) -> None:
    if as_json:
        click.echo(json_text({"out": str(out), "files": dict(counts)}))
        return
    for name, lines in counts.items():
        click.echo(clean(t("exported.wrote", file=name, n=f"{lines:,}"), multiline=False))
