"""`moot procedure`: how well the rules of procedure read what judges say, on turns that somebody has labelled."""

from __future__ import annotations

from pathlib import Path

import click

from app.cli.help_text import Whole
from app.cli.tables import Data, number, table
from app.strings import t
from app.terminal import clean, json_text
from tasks.courts.procedure.labels import Judged, measured, read_rows


@click.group(cls=Whole)
def procedure() -> None:
    """Measure the rules of court procedure.

    Example: moot procedure check labels.jsonl
    """


@procedure.command(name="check")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--differences", is_flag=True, help="Name every turn on which rules and label differ, too.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def check(file: Path, differences: bool, as_json: bool) -> None:
    """Measure the rules of procedure on a FILE of labelled turns of judges: precision and recall of acts and faults.

    strict: duties of the law, and the benchmark's own actions; compat: the published rule on these actions.

    Example: moot procedure check labels.jsonl --json
    """
    told, judged = measured(read_rows(file))
    differ = [_difference(one) for one in judged if _differs(one)]
    if as_json:
        return click.echo(json_text({**told, **({"differences": differ} if differences else {})}))
    rows = [
        ("strict law", told["strict"]["law"]),
        ("strict actions", told["strict"]["actions"]),
        ("compat", told["compat"]),
        ("faults", told["faults"]),
        ("faults, order as one", told["faults"]["order_as_one"]),
    ]
    click.echo(t("procedure.measured", n=told["n"]))
    click.echo(
        table(
            ("", "precision", "recall", "right", "wrong", "missed"),
            [
                (
                    name,
                    number(r["precision"], 3),
                    number(r["recall"], 3),
                    *(str(r[k]) for k in ("right", "wrong", "missed")),
                )
                for name, r in rows
            ],
        )
    )
    if differences:
        for one in differ:
            parts = (f"{name}: {', '.join(values)}" for name, values in one.items() if name != "id" and values)
            click.echo(clean(f"{one['id']}  {'; '.join(parts)}", multiline=False))


def _differs(one: Judged) -> bool:
    return one.found != set(one.row.acts) or one.faults != one.row.blamed()


def _difference(one: Judged) -> Data:
    acts = set(one.row.acts)
    return {
        "id": one.row.id, "wrong": sorted(one.found - acts), "missed": sorted(acts - one.found),
        "faults_wrong": sorted(one.faults - one.row.blamed()), "faults_missed": sorted(one.row.blamed() - one.faults),
    }  # fmt: skip
