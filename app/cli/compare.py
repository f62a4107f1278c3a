"""`moot compare`: runs of the same tasks against the first of them."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from app.cli.names import RUN
from app.cli.notes import note
from app.cli.watcher import plain_line, record_data
from app.strings import language, t
from app.terminal import clean, json_text
from store.files import written_whole
from store.text.difference import MARKS, Piece, difference
from tasks.episode.events import Record
from tasks.errors import UsageError
from tasks.reports.comparison import FORMATS
from tasks.run.comparing import Comparison, Step, parting, steps_of
from tasks.run.comparing import compare as compared
from tasks.run.engines import run_paths


@click.command()
@click.argument("run_names", metavar="RUN_A RUN_B...", nargs=-1, required=True, type=RUN)
@click.option(
    "--format", "form", type=click.Choice(list(FORMATS)), default="text", show_default=True, help="What to write."
)
@click.option("--task", default=None, metavar="ID", help="Show how both went about this task, step by step.")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), default=None, help="File to write instead of stdout."
)
@click.option("--json", "as_json", is_flag=True, help="Same as --format json.")
def compare(
    run_names: tuple[str, ...], form: str, task: str | None, out: Path | None, as_json: bool
) -> None:  # fmt: skip
    """Compare runs of the same tasks with the first: by how much they differ, where, and whether chance could do it.

    Example: moot compare 20261121-120000-legalagentbench-rules-1a2b latest
    """
    paths = run_paths(run_names)
    if len(paths) < 2:
        raise UsageError("compare needs two runs or more", "Name the run to compare with first, then the others.")
    made = compared(paths)
    if task is not None:
        return _beside(made, task, as_json or form == "json")
    text = FORMATS["json" if as_json else form](made, language())
    if out is None:
        return click.echo(clean(text.rstrip("\n")))
    with written_whole(out) as file:
        file.write(text)
    note(f"wrote {out}")


def _beside(made: list[Comparison], task: str, as_json: bool) -> None:
    """A task of two runs, step by step."""
    if len(made) > 1:
        raise UsageError("--task takes two runs", "Name the two that it is to be shown of.")
    line = next((line for line in made[0].tasks if line.task == task), None)
    if line is None:
        raise UsageError(f"no task '{task}' that both runs played", "`moot compare A B` names those that differ.")
    steps = steps_of(made[0], line)
    if as_json:
        return click.echo(json_text(_data(task, line.episodes, steps)))
    for sign, side in (("-", made[0].first), ("+", made[0].second)):
        click.echo(clean(f"{sign} {side.run}", multiline=False))
    apart = parting(steps)
    click.echo(t("compare.alike") if apart is None else t("compare.parting", step=apart))
    for step in steps:
        click.echo(f"\n{t('event.step', step=step.number)}" + (" ≠" if step.number == apart else ""))
        for shown in _lines(step):
            click.echo(clean(shown))


def _lines(step: Step) -> Iterator[str]:
    """What both did, once; what they did otherwise, side after side with the words marked that differ."""
    # what only one of them did: first all of the one, then all of the other
    for pair in sorted(step.pairs, key=lambda pair: pair.first is None):
        first, second = (plain_line(record).strip() if record else "" for record in (pair.first, pair.second))
        if first == second:
            if first:
                yield f"  {first}"
            continue
        pieces = difference(first, second) if first and second else [Piece("same", first or second)]
        for sign, other, text in (("-", "added", first), ("+", "removed", second)):
            if text:
                said = (piece.text.join(MARKS[piece.kind]) for piece in pieces if piece.kind != other)
                yield f"{sign} {''.join(said)}"


def _data(task: str, episodes: tuple[str, str], steps: list[Step]) -> dict[str, object]:
    def record(one: Record | None, episode: str) -> object:
        return None if one is None else record_data(episode, one)

    return {
        "task": task,
        "episodes": list(episodes),
        "parting": parting(steps),
        "steps": [
            {
                "step": step.number,
                "same": step.same,
                "pairs": [
                    {
                        "same": pair.same,
                        "first": record(pair.first, episodes[0]),
                        "second": record(pair.second, episodes[1]),
                    }
                    for pair in step.pairs
                ],
            }
            for step in steps
        ],
    }
