"""`moot temporal`: whether agents ask with a date, get the right version, and answer by the date."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import click

from app.cli.tables import Data, bounds, number, percent, shade, table
from app.strings import t
from app.terminal import clean, json_text


@click.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True)
@click.option("--covered", is_flag=True, help="Heat map over the questions whose statute the pack holds.")
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def temporal(run_names: tuple[str, ...], covered: bool, as_json: bool) -> None:
    """Temporally aware queries, recitals by year, wrong versions and consistency of RUNs of legalsearch.

    Example: moot temporal 20261121-120000-legalsearch-rules-1a2b
    """
    from tasks.legalsearch.analysis import analyse

    found = {Path(name).stem: analyse(name) for name in run_names}
    if as_json:
        return click.echo(json_text({"runs": list(found.values())}))
    parts = [heat_table(found, "covered" if covered else "all"), *(_one(name, made) for name, made in found.items())]
    click.echo("\n\n".join(part for part in parts if part))


def heat_table(runs: Mapping[str, Data], part: str = "all") -> str:
    """Recitals by year as a heat map of blocks; '' where no run has any."""
    from tasks.legalsearch.analysis import heat_map

    found = heat_map(runs, part)
    if not found.columns:
        return ""
    rows = [
        [name, *("–" if cell is None else f"{shade(cell[0])} {cell[0]:.1f}" for cell in cells)]
        for name, cells in zip(found.rows, found.cells, strict=True)
    ]
    counts = ["n", *(str(next((row[i][1] for row in found.cells if row[i]), 0)) for i in range(len(found.columns)))]  # type: ignore[index]
    title = t("temporal.heat_covered" if part == "covered" else "temporal.heat")
    return f"{title}\n{table(['', *found.columns], [*rows, counts])}"


def _one(name: str, made: Data) -> str:
    head = clean(f"{name} · {made['agent']} {made['model']}".strip(), multiline=False)
    return "\n".join(part for part in (head, _queries(made), _facts(made)) if part)


def _queries(made: Data) -> str:
    aware, lengths = made["awareness"], made["answers"]["all"]
    rows = [_row(t("temporal.all_tools"), aware["all"], None)]
    rows += [_row(tool, count, lengths.get(tool)) for tool, count in aware["by_tool"].items() if count["calls"]]
    rows += [
        _row(f"  {task} · {tool}", count, made["answers"]["by_task"].get(task, {}).get(tool))
        for task, tools in aware["by_task"].items()
        for tool, count in tools.items()
    ]
    names = ("tool", "calls", "queries", "aware", "explicit", "share", "characters", "tokens")
    return table([t(f"temporal.{name}") for name in names], rows)


def _row(name: str, count: Data, length: Data | None) -> list[str]:
    numbers = [str(count[key]) for key in ("calls", "queries", "aware", "explicit")]
    ends = [number(length[key], 0) if length else "–" for key in ("characters", "tokens")]
    return [name, *numbers, percent(count["share"]), *ends]


def _facts(made: Data) -> str:
    return "\n".join([*wrong_versions(made["wrong_version"]), *_pairs(made["consistency"]), *_form(made["format"])])


def wrong_versions(found: Data | None) -> list[str]:
    """The wrong-version rate in a line, and over covered questions in another; none without texts to compare."""
    if not found:
        return []
    parts = [("temporal.wrong", found), ("temporal.wrong_covered", found.get("covered"))]
    return [_wrong_line(key, part) for key, part in parts if part]


def _wrong_line(key: str, found: Data) -> str:
    shown = {name: found[name] for name in ("n", "right", "wrong", "neither")}
    shown["abstained"] = found.get("abstained", 0)
    return t(key, rate=number(found["rate"], 1), interval=bounds(found["interval"]), **shown)


def _pairs(found: Data) -> list[str]:
    if not found["n"]:
        return []
    return [
        t("temporal.pairs", rate=percent(found["rate"]), n=found["n"], consistent=found["consistent"],
            blind=found["blind"],
          swapped=found["swapped"], other=found["other"])
    ]  # fmt: skip


def _form(found: Data | None) -> list[str]:
    return [
        t(f"temporal.form_{reading}", rate=percent(one["rate"]), passed=one["passed"], n=one["n"])
        for reading, one in (found or {}).items()
    ]
