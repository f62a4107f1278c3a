"""The legal coherence of case files, as their authors want it; and the laws and fields they may use."""

from __future__ import annotations

import json
from collections.abc import Sequence
from pathlib import Path

import click

from app.strings import t
from app.strings.sentences import said
from app.terminal import clean, json_text


def check_cases(paths: Sequence[Path], as_json: bool) -> bool:
    """Print every error and warning of the cases in files and folders; whether there is an error."""
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
    return bool(errors)


def print_schema() -> None:
    """The JSON Schemas of a case and of a civil dispute."""
    from tasks.courts.casefile import case as casefile

    made = {"case": casefile.json_schema(), "dispute": casefile.dispute_schema()}
    click.echo(json.dumps(made, ensure_ascii=False, indent=2))


def print_laws(as_json: bool) -> None:
    """The laws of the shipped index with the first and last day of every version."""
    from tasks.courts.casefile.law import shipped_laws

    known = shipped_laws()
    days = {law: [[str(v.valid_from), str(v.valid_to or "")] for v in known.versions(law)] for law in known.names}
    if as_json:
        return click.echo(json_text(days))
    for law, versions in days.items():
        click.echo("\t".join([law, *("..".join(both) for both in versions)]))
