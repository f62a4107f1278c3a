"""`moot tasks check`: the legal coherence of case files, as their authors want it; and the laws and fields they may
use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from app.strings import t
from app.strings.sentences import said
from app.terminal import clean, json_text
from tasks.errors import UsageError


@click.command(name="check")
@click.argument("paths", metavar="[FILE]...", nargs=-1, type=click.Path(path_type=Path))
@click.option(
    "--laws", is_flag=True, help="List the laws that a case may cite, with the days of their versions, instead."
)
@click.option("--schema", is_flag=True, help="Print the JSON Schema of a case instead.")
@click.option("--dispute-schema", is_flag=True, help="Print the JSON Schema of a civil dispute instead.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
@click.pass_context
def check_cases(
    ctx: click.Context, paths: Sequence[Path], laws: bool, schema: bool, dispute_schema: bool, as_json: bool
) -> None:
    """Check the legal coherence of cases: cited articles and their days, sums, rulings, sentences, procedure and
    bench.

    It reads FILES and folders of them, names every error and warning, and ends with code 1 where there is an error.
    It replaces no reader: whether the reasons hold is for a person to say.

    Example: moot tasks check my-cases/
    """
    if bool(paths) + laws + schema + dispute_schema != 1:
        raise UsageError(
            "check takes either case files, or one of --laws, --schema, --dispute-schema",
            "For example: moot tasks check my-cases/",
        )
    if laws:
        return _laws(as_json)
    if schema or dispute_schema:
        from tasks.courts.casefile import case as casefile

        made = casefile.json_schema() if schema else casefile.dispute_schema()
        return click.echo(json.dumps(made, ensure_ascii=False, indent=2))
    from tasks.courts.checking.case import check_files

    lines: list[str] = []
    count = 0
    for found, cases in check_files(paths):
        if not as_json:
            click.echo("".join(f"{clean(said(line), multiline=False)}\n" for line in found), nl=False)
        lines += found
        count += cases
    errors = sum(": error: " in line for line in lines)
    told = {"ok": not errors, "cases": count, "errors": errors, "findings": lines}
    click.echo(json_text(told) if as_json else t("tasks.checked", n=count, errors=errors))
    ctx.exit(1 if errors else 0)


def _laws(as_json: bool) -> None:
    """The laws of the shipped index with the first and last day of every version."""
    from tasks.courts.casefile.law import shipped_laws

    known = shipped_laws()
    days = {law: [[str(v.valid_from), str(v.valid_to or "")] for v in known.versions(law)] for law in known.names}
    if as_json:
        return click.echo(json_text(days))
    for law, versions in days.items():
        click.echo("\t".join([law, *("..".join(both) for both in versions)]))
