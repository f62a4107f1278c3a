"""`moot run`, `resume` and `fork`: drive episodes from the command line. The score block goes to stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any

import click

from app import background as detached
from app.background import refuse_people
from app.cli.asked import asked, seats_of
from app.cli.consent import allow_host_option
from app.cli.driving import drive
from app.cli.names import AGENT, BENCHMARK, EPISODE, PACK, RUN, TASK
from app.cli.notes import note
from app.cli.run_options import (
    SHARD,
    background_option,
    budget_options,
    max_failures_option,
    selection_options,
    watch_option,
)
from app.cli.settings import BenchmarkCommand
from app.log import log_options
from app.strings import t
from app.terminal import clean, json_text
from models.specs import FORMS
from store.journal import Journal
from store.journal_format import MOST_REPEATS
from store.run_file import reading
from tasks.agents.modes import CALLS
from tasks.benchmark import benchmark as load_benchmark
from tasks.episode.events import Seated
from tasks.episode.state import completed, fold
from tasks.errors import UsageError
from tasks.run.cast import check_seat, newcomer
from tasks.run.engines import run_path
from tasks.run.header import header_of, spec_of
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, nothing_left, resume_run, start_run


def _in_background(wanted: bool, as_json: bool) -> bool:
    """Begin this command in the background if that is wanted; whether it was begun, and nothing is left to do
    here."""
    if not wanted or detached.is_here():
        return False
    try:
        begun = detached.begin(click.get_current_context().obj)
    except detached.NotBegun as ended:  # what was said there is said here
        click.echo(ended.out, nl=False)
        click.echo(ended.words, nl=False, err=True)
        sys.exit(ended.exit_code)
    if as_json:
        click.echo(json_text(asdict(begun)))
    else:
        click.echo(clean(t("run.background", run=begun.run, pid=begun.pid, log=begun.log)), err=True)
    return True


@click.command(cls=BenchmarkCommand)
@click.argument("benchmark", type=BENCHMARK)
@click.option(
    "--agent",
    default=None,
    type=AGENT,
    help="Who sits in the tested seat, one of those below; default: rules, with --model the first that asks one.",
)
@click.option("--model", default="", help=f"Engine of the tested seat: {FORMS}.")
@click.option("--seat", "seats", multiple=True, metavar="ROLE=SPEC", help="Who sits in a seat, e.g. agent=human.")
@click.option(
    "--tasks",
    "tasks_file",
    default=None,
    help="Task file (of the courts also a folder of case files); default: the pack's own tasks.",
)
@click.option("--task", "task_ids", multiple=True, type=TASK, help="Run only this task; may be repeated.")
@click.option("--pack", default="sample", type=PACK, show_default=True, help="Corpus pack, by name or folder.")
@selection_options
@click.option(
    "--shard", type=SHARD, default=None, metavar="K/N",
    help="Run only the K-th of N equal shares of the tasks; `moot merge` puts them together.",
)  # fmt: skip
@click.option("--epochs", type=click.IntRange(1, MOST_REPEATS), default=1, help="Repeat every task N times.")
@click.option("--seed", type=int, default=0, help="Seed of all sampling.")
@click.option("--max-turns", type=click.IntRange(1), default=None, help="Turns an episode may take.")
@click.option("--max-tokens", type=click.IntRange(1), default=None, help="Tokens an episode may use.")
@click.option(
    "--max-seconds", type=click.FloatRange(0, min_open=True), default=None, help="Machine seconds an episode may use."
)
@click.option("--parallel", type=click.IntRange(1), default=None, help="Episodes driven together.")
@click.option("--paper", is_flag=True, help="Keep the published call structure, in free text.")
@click.option(
    "--calls",
    type=click.Choice(CALLS),
    default=None,
    help="How the model calls tools: as JSON under a schema (default), in the form it was trained with, as JSON in a"
    " conversation that describes no tool (compact: for models trained on it, default of moot-tiny), or in free "
    "text.",
)
@click.option(
    "--rollouts",
    type=click.IntRange(2, MOST_REPEATS),
    default=None,
    metavar="G",
    help="Play every task G times at temperature 1 and record entropies: groups for rewards and advantages.",
)
@click.option(
    "--on", default=None, metavar="ray[:HOST:PORT]",
    help="Play shards on the machines of a Ray cluster, or side by side on this one, and merge them.",
)  # fmt: skip
@click.option(
    "--shards", type=click.IntRange(1), default=None, help="With --on: how many; default: by tasks and room."
)
@click.option("--dry-run", is_flag=True, help="Say what would run, and write nothing.")
@click.option(
    "--cache",
    is_flag=True,
    help="Take replies of earlier runs where question and model are the same, at temperature 0, and mark them; "
    "`moot config cache` says where they are.",
)
@budget_options
@max_failures_option
@background_option
@log_options
@allow_host_option
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The run file to write; must not exist.")
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def run(benchmark: str, as_json: bool, **options: Any) -> None:
    """Run an agent on the tasks of a BENCHMARK and score it.

    Example: moot run legalagentbench --agent rules --limit 10 --json
    """
    spec = asked(benchmark, options)
    if options["dry_run"]:
        from app.cli.planned import dry_run  # what only a plan needs

        return dry_run(spec, as_json)
    if options["background"] and options["on"]:
        raise UsageError("--background and --on exclude each other", "Leave --background out.")
    if options["background"]:
        refuse_people((spec.agent, spec.model, *spec.seats.values()))
    if _in_background(options["background"], as_json):
        return None
    if options["tasks_file"] and spec.pack == "sample" and benchmark != "courts":
        note("these tasks run on the fictional pack 'sample'; name another with --pack.")
    out = options["out"]
    if options["on"]:
        from app.cli.cluster import run_on  # it loads what only a cluster needs

        return run_on(options["on"], spec, out, options["shards"], options["watch"], as_json, options["max_failures"])
    if options["shards"]:
        raise UsageError("--shards belongs to --on", "Alone, play one share with --shard K/N.")
    made = start_run(spec, out=out, argv=sys.argv[1:])
    drive(made, options["watch"], as_json, options["max_failures"])
    return None


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option("--new-attempt", is_flag=True, help="Begin unfinished episodes anew; the old attempts are kept.")
@budget_options
@max_failures_option
@background_option
@log_options
@allow_host_option
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def resume(
    run_name: str, new_attempt: bool, watch: str, as_json: bool, max_failures: int | None, budget_tokens: int | None,
    budget_seconds: float | None, background: bool,
) -> None:  # fmt: skip
    """Go on with an interrupted RUN where its record ends.

    Example: moot resume 20261121-120000-legalagentbench-rules-1a2b
    """
    if _in_background(background, as_json):
        return
    with reading(run_path(run_name)):
        made = resume_run(run_name, new_attempt=new_attempt)
        made.budget = made.budget.having(budget_tokens, budget_seconds)
        drive(made, watch, as_json, max_failures)


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.argument("episode", type=EPISODE)
@click.option(
    "--turn",
    type=click.IntRange(0),
    required=True,
    help="Keep this many steps, then go on; in the courts a step is an utterance or a tool call.",
)
@click.option(
    "--seat",
    "seats",
    multiple=True,
    metavar="ROLE=SPEC",
    help="Who sits from then on: agent=human, rules, gold, echo, or a model's SPEC, which keeps the method of the "
    "seat.",
)
@background_option
@allow_host_option
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The run file to write; must not exist.")
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def fork(
    run_name: str, episode: str, turn: int, seats: tuple[str, ...], out: Path | None, watch: str, as_json: bool,
    background: bool,
) -> None:  # fmt: skip
    """Start a new run from turn K of an EPISODE of an old RUN.

    Example: moot fork 20261121-120000-legalagentbench-rules-1a2b sample-405 --turn 2 --seat agent=human
    """
    with reading(run_path(run_name)):
        sits = _newcomer(run_name, episode, turn, seats)
        if background:
            refuse_people(_sitting(run_name, episode, turn, sits))
        if _in_background(background, as_json):
            return
        made = fork_run(run_name, episode, turn, newcomer=sits, out=out, argv=sys.argv[1:])
        with nothing_left(made.journal):
            drive(made, watch, as_json)


def _sitting(run_name: str, episode: str, turn: int, newcomer: Seated | None) -> Iterator[str]:
    """The engines of those who sit after a fork."""
    with Journal.open(run_path(run_name)) as journal:
        seats = fold(completed(read_episode(journal, episode), turn)).seats
    for sits in {**seats, **({newcomer.seat: newcomer} if newcomer else {})}.values():
        yield sits.engine


def _newcomer(run_name: str, episode: str, turn: int, pairs: Sequence[str]) -> Seated | None:
    """Who is to sit after the fork; a model keeps the method of whoever sat there."""
    for role, value in seats_of(pairs).items():
        with Journal.open(run_path(run_name)) as journal:
            bench = load_benchmark(spec_of(header_of(journal)).benchmark)
            seats = fold(completed(read_episode(journal, episode), turn)).seats
        before = seats.get(bench.aliases.get(role, role))
        sits = newcomer(bench, role, value, before.policy if before else "")
        check_seat(sits, seats, episode)
        return sits
    return None
