"""`moot report`: one or more runs as a document to read or to send on."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.notes import note
from app.strings import language
from app.terminal import clean
from store.files import written_whole
from tasks.reports import FORMATS, Report
from tasks.run.engines import run_paths
from tasks.run.failing import failures_of
from tasks.run.rescoring import read_stored, summary_of


@click.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True, help="What to write."
)
@click.option("--walker", default=None, metavar="RUN", help="A run of the gold agent on the same tasks: a ceiling.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File to write instead of stdout."
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
def report(run_names: tuple[str, ...], form: str, walker: str | None, out: Path | None, as_json: bool) -> None:
    """Report one or more RUNs: scores with intervals, floor and ceilings, outcomes, hashes of everything used.

    Example: moot report 20261121-120000-legalagentbench-rules-1a2b --format html --out report.html
    """
    reports = []
    for name in run_paths(run_names):
        run = read_stored(name)
        failed = {one.name: one.main for one in failures_of(run).counts if one.main}
        reports.append(Report(summary_of(run, walker), run.header, failed))
    text = FORMATS["json" if as_json else form](reports, language())
    if out is None:
        click.echo(clean(text), nl=False)
        if not text.endswith("\n"):
            click.echo()
        return
    with written_whole(out) as file:
        file.write(text)
    note(f"wrote {out}")
