"""`moot procedure`: how well the rules of procedure read what judges say, on turns that somebody has labelled."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.help_text import Whole
from app.cli.tables import Data, number, table
from app.strings import t
from app.terminal import json_text
from tasks.courts.procedure.labels import Judged, measured, read_rows

SHARES, COUNTS = ("precision", "recall"), ("right", "wrong", "missed")


@click.group(cls=Whole)
def procedure() -> None:
    """Measure the rules of court procedure.

    Example: moot procedure check labels.jsonl
    """


@procedure.command(name="check")
@click.argument("file", type=click.Path(path_type=Path, dir_okay=False))
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
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


def _differs(one: Judged) -> bool:
    return one.found != set(one.row.acts) or one.faults != one.row.blamed()


def _difference(one: Judged) -> Data:
    acts = set(one.row.acts)
    return {
        "id": one.row.id, "wrong": sorted(one.found - acts), "missed": sorted(acts - one.found),
        "faults_wrong": sorted(one.faults - one.row.blamed()), "faults_missed": sorted(one.row.blamed() - one.faults),
    }  # fmt: skip
