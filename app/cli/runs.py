"""`moot list` and what can be done with the runs in it: remove, rename, tag. Lists open no run that they have seen as
it is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from typing import Any

import click

from app.cli.common import BENCHMARK, RUN, ParagraphHelpGroup, json_option, note, say
from app.strings import t
from app.strings.sentences import translated
from app.terminal import json_text, pad
from store import places, run_file
from store.errors import StoreError
from store.files import real_path
from store.journal import SUFFIX
from store.labels import RunLabel, change, check_name, check_tags
from store.writer import writer_of
from tasks.episode.scheduler import UNFINISHED
from tasks.errors import UsageError
from tasks.run.engines import run_path, run_paths
from tasks.run.following import standing
from tasks.run.listing import SORTS, STATES, RunFilter, RunLine, in_order, runs


@click.group(name="list", cls=ParagraphHelpGroup, invoke_without_command=True)
@click.option("--benchmark", type=BENCHMARK, default="", help="Only runs of this benchmark.")
@click.option("--state", type=click.Choice(STATES), default=None, help="Only runs that stand so.")
@click.option("--tag", "tags", multiple=True, metavar="TAG", help="Only runs with this tag; may be repeated.")
@click.option(
    "--text", default="", metavar="TEXT", help="Only runs with this in id, name, tags, agent, model or pack."
)
@click.option(
    "--sort", default=None, metavar="KEY",
    help=f"Sort by {', '.join(SORTS)}; with - before it the other way round. Default: last written first.",
)  # fmt: skip
@click.option("--limit", type=click.IntRange(1), default=None, help="Show only the first N.")
@json_option()
@click.pass_context
def list_runs(ctx: click.Context, /, as_json: bool, sort: str | None, limit: int | None, **wanted: Any) -> None:
    """List the runs, newest first; what names a run here stands behind its id.

    Example: moot list --benchmark legalagentbench --state unfinished --sort -created
    """
    if ctx.invoked_subcommand is not None:
        return
    among = _wanted(**wanted)
    # no more runs than are asked for are looked at, where nothing has to be known of the others
    plain = sort is None and among == RunFilter()
    lines = (line for line in runs(limit if plain else None) if among.has(line))
    shown = list(islice(lines if sort is None else in_order(lines, sort), limit))
    if as_json:
        return click.echo(json_text({"runs": [_data(line) for line in shown]}))
    if not shown:
        click.echo(t("list.empty" if among == RunFilter() else "list.none"), err=True)
    for line in shown:
        say(_text(line))


def _wanted(state: str | None, tags: Sequence[str], benchmark: str, text: str) -> RunFilter:
    return RunFilter(benchmark=benchmark, state=state or "", tags=tuple(tags), text=text)


def _text(line: RunLine) -> str:
    called = " ".join((f"“{line.name}”" if line.name else "", *(f"#{tag}" for tag in line.tags))).strip()
    if line.error:
        return "  ".join(filter(None, (line.id, f"✘ {translated(line.error)}", called)))
    done = f"{line.finished}/{line.n}"
    playing = _playing(line)
    pace = t("progress.rate", rate=f"{playing['rate']:.1f}") if playing and playing["rate"] else ""
    state = " · ".join(filter(None, (t("list.playing") if playing else "", pace)))
    cells = (
        pad(line.id, 52),
        pad(line.pack, 16),
        pad(done, 9),
        line.created,
        state,
        _cut_short(line.outcomes),
        f"{line.model or line.source}{t('list.people', n=line.people) if line.people else ''}",
        called,
    )
    return "  ".join(filter(None, cells))


def _cut_short(outcomes: dict[str, int]) -> str:
    """Episodes that did not come to their end by themselves, by outcome in words; those still open stand in the
    count."""
    return " · ".join(
        f"{t('outcome.' + name)} {n}" for name, n in outcomes.items() if name not in ("finished", UNFINISHED)
    )


def _data(line: RunLine) -> dict[str, Any]:
    called = {"name": line.name, "tags": list(line.tags), "state": line.state}
    if line.error:
        return {"run": line.id, "path": str(line.path), "error": line.error, **called}
    return {
        "run": line.id,
        "path": str(line.path),
        "benchmark": line.benchmark,
        "agent": line.agent,
        "model": line.model,
        "pack": line.pack,
        "created": line.created,
        "n": line.n,
        "finished": line.finished,
        "outcomes": line.outcomes,
        "parent": line.origin,
        "measure": line.measure,
        "compat": line.compat,
        "strict": line.strict,
        "people": line.people,
        "playing": _playing(line),
        **called,
    }


def _playing(line: RunLine) -> dict[str, Any] | None:
    """Who plays the run at this moment: process and episodes a minute; None where nobody does."""
    writer = writer_of(line.path) if line.running else None
    if writer is None:
        return None
    with suppress(StoreError):  # it has gone meanwhile
        return {"pid": writer.process, "rate": standing(line.path, writer).rate}
    return None


@list_runs.command()
@click.argument("run_names", metavar="RUN...", nargs=-1, required=True, type=RUN)
@click.option("--yes", is_flag=True, help="Do not ask.")
@json_option()
def remove(run_names: tuple[str, ...], yes: bool, as_json: bool) -> None:
    """Delete RUNs with their logs, names and tags, for good. Runs that are being written, and files that are no runs
    of Moot, stay.

    Example: moot list remove 20261121-120000-legalagentbench-rules-1a2b --yes
    """
    paths = run_paths(run_names)
    for path in paths:  # all of them before the first is gone
        run_file.look(path, write=False)
        if writer_of(path) is not None:
            raise UsageError(f"{path} is being written by another process", "Wait for it or stop it.")
    if not yes:
        if not sys.stdin.isatty():
            raise UsageError("runs are deleted only after a yes", "Add --yes.")
        for path in paths:
            say(str(path), err=True)
        if not click.confirm(t("list.remove", n=len(paths)), err=True):
            raise click.exceptions.Abort
    removed: list[str] = []
    for path in paths:
        removed += map(str, run_file.remove(path))
        if (output := places.logs() / f"{path.stem}.txt").is_file():  # of a run in the background
            output.unlink()
            removed.append(str(output))
        if _is_listed(path):
            change(path, lambda label: None)
    if as_json:
        click.echo(json_text({"removed": [str(path) for path in paths], "files": removed}))
    else:
        note(t("list.removed", n=len(paths)))


@list_runs.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("name", metavar="NAME", required=False)
@json_option()
def rename(run_name: str, name: str | None, as_json: bool) -> None:
    """Call a RUN by a NAME of this machine, wherever a RUN is named; without one its name is taken away. Its id,
    which is part of the record, stays.

    Example: moot list rename 20261121-120000-legalagentbench-rules-1a2b baseline
    """
    kept = "" if name is None else check_name(name)
    path = run_path(run_name)
    _tell(path, change(path, lambda label: label.model_copy(update={"name": kept})), as_json)


@list_runs.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("tags", metavar="TAG...", nargs=-1, required=True)
@click.option("--remove", "away", is_flag=True, help="Take these tags away.")
@json_option()
def tag(run_name: str, tags: tuple[str, ...], away: bool, as_json: bool) -> None:
    """Give a RUN tags of this machine; `tag:TAG` then names the runs that have one.

    Example: moot list tag latest baseline 7b
    """
    given = check_tags(tags)

    def how(label: RunLabel) -> RunLabel:
        rest = tuple(one for one in label.tags if one not in given)
        return label.model_copy(update={"tags": rest if away else check_tags((*rest, *given))})

    path = run_path(run_name)
    _tell(path, change(path, how), as_json)


def _is_listed(path: Path) -> bool:
    return real_path(path.parent) == real_path(places.runs()) and path.suffix == SUFFIX


def _tell(path: Path, label: RunLabel, as_json: bool) -> None:
    if as_json:
        click.echo(json_text({"run": path.stem, "path": str(path), "name": label.name, "tags": list(label.tags)}))
        return
    name, tags = label.name or t("list.no_name"), " ".join(f"#{one}" for one in label.tags) or t("list.no_tags")
    note(t("list.called", run=path.stem, name=name, tags=tags))
