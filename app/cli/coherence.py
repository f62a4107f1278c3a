"""`moot tasks check`: the legal coherence of case files, as their authors want it; and the laws and fields they may use."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click

from app.strings import t
from app.terminal import clean, json_text
from tasks.errors import UsageError


@click.command(name="check")
@click.argument("paths", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option("--laws", is_flag=True, help="List the laws that a case may cite, with the days of their versions, instead.")
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a case instead.")
@click.option("--dispute-schema", is_flag=True, help="Print the JSON Schema of a civil dispute instead.")
@click.pass_context
def check_cases(ctx: click.Context, paths: Sequence[Path], laws: bool, schema: bool, dispute_schema: bool) -> None:
    """Check the legal coherence of cases: cited articles and their days, sums, rulings, sentences, procedure and bench.

    It reads FILES and folders of them, names every error and warning, and ends with code 1 where there is an error. It
    replaces no reader: whether the reasons hold is for a person to say.

    Example: moot tasks check my-cases/
    """
    if bool(paths) + laws + schema + dispute_schema != 1:
        raise UsageError("check takes either case files, or one of --laws, --schema, --dispute-schema", "For example: moot tasks check my-cases/")
    if laws:
        from tasks.courts.lawcheck import shipped_laws

        known = shipped_laws()
        for law in known.names:
            click.echo("\t".join([law, *(f"{v.valid_from}..{v.valid_to or ''}" for v in known.versions(law))]))
        return
    if schema or dispute_schema:
        from tasks.courts import casefile

        return click.echo(json_text(casefile.json_schema() if schema else casefile.dispute_schema()))
    from tasks.courts.checking import check_files

    errors = count = 0
    for found, cases in check_files(paths):
        for line in found:
            click.echo(clean(line, multiline=False))
        errors += sum(": error: " in line for line in found)
        count += cases
    click.echo(t("tasks.checked", n=count, errors=errors))
    ctx.exit(1 if errors else 0)
