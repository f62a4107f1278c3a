"""`moot merge`: several runs of one experiment become one run file."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path

import click

from app.cli.names import RUN
from app.cli.notes import note
from app.strings import t
from app.terminal import clean, json_text
from tasks.run.merging import merge_runs


@click.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--out", type=click.Path(path_type=Path), required=True, help="The run file to write; must not exist.")
@click.option("--partial", is_flag=True, help="Take what there is: episodes may be missing, or unfinished.")
@click.option("--json", "as_json", is_flag=True, help="Print what was written as JSON.")
def merge(run_names: tuple[str, ...], out: Path, partial: bool, as_json: bool) -> None:
    """Make one run of several RUNs of one experiment, each over tasks of its own: shards, or runs of other machines.

    Example: moot merge shard-1.moot shard-2.moot --out whole.moot
    """
    made = merge_runs(run_names, out, partial=partial, argv=sys.argv[1:])
    if as_json:
        click.echo(json_text({**asdict(made), "path": str(made.path)}))
        return
    click.echo(clean(t("merge.done", runs=made.parts, n=f"{made.episodes:,}", path=made.path), multiline=False))
    if made.missing:
        note(t("merge.missing", n=f"{made.missing:,}", total=f"{made.episodes + made.missing:,}"))
    if made.unfinished:
        note(t("merge.unfinished", n=f"{made.unfinished:,}"))
