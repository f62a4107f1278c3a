"""`moot suite`: the runs of a suite one after the other, each an ordinary run, and one table of what they came to.

A member that has ended is passed over, one that was begun goes on, one that is not there begins: the same command
takes a suite up again. Results on stdout, talk and progress on stderr.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.common import Data, ParagraphHelpGroup, allow_host_option, json_option, note, say, table
from app.figures import bounds, number
from app.strings import t
from app.strings.sentences import error_text
from app.terminal import json_text
from store.errors import MootError

if TYPE_CHECKING:
    from tasks.run.listing import RunLine
    from tasks.run.suite import Faults, Suite, SuiteRun
    from tasks.scoring.metrics import Metric, Rule, Summary

FILE = click.argument("file", type=click.Path(path_type=Path))


@click.group(cls=ParagraphHelpGroup)
def suite() -> None:
    """Play a suite: a TOML file of runs.

    Example: moot suite run suite.toml
    """


@suite.command("run")
@FILE
@click.option(
    "--dry-run", is_flag=True, help="Check everything, say what would run and what has ended, and write nothing."
)
@allow_host_option
@json_option()
def run_suite(file: Path, dry_run: bool, as_json: bool) -> None:
    """Play the runs of a suite FILE, one after the other, and print one table of them.

    Every benchmark of a block is played with every agent, model and seed, under the settings of `moot run`:

    \b
      name = "first-look"
    \b
      [settings]
      limit = 20
    \b
      [[runs]]
      benchmarks = ["legalagentbench"]
      agents = ["react", "plan-solve"]
      models = ["llama:qwen"]
      seeds = [1, 2]
    \b
      [[runs]]
      benchmarks = ["courts"]
      settings = { env = "CI" }

    What has ended is passed over, what was begun goes on, what is new begins: the same command takes a suite up
    again.

    Example: moot suite run suite.toml --dry-run
    """  # noqa: D301
    from tasks.run.suite import read_suite

    read = read_suite(file)
    lines = [_line(member) for member in read.members]
    sizes, faults = _checked(read, lines)
    if dry_run:  # how far it is can be seen while it is played, and where its models are not
        _print_rows(read, [{**_row(member), "n": n} for member, n in zip(read.members, sizes, strict=True)], as_json)
        return faults.check()
    faults.check()
    failed = _played(read, lines)
    rows = [_row(member) for member in read.members]
    _print_rows(read, rows, as_json)
    if failed or any(row["error"] for row in rows):
        sys.exit(1)
    return None


# --- playing --------------------------------------------------------------------------------------------------------


def _line(member: SuiteRun) -> RunLine | None:
    from dataclasses import replace

    from store.writer import writer_of
    from tasks.run.listing import read_run

    if not member.path.exists():
        return None
    line = read_run(member.path)
    return replace(line, running=not line.error and line.finished < line.n and writer_of(member.path) is not None)


def _state(line: RunLine | None) -> str:
    return "new" if line is None else line.state


def _over(line: RunLine | None) -> bool:
    """Whether nothing of a member is left to do; an episode that ended in an error may be tried again."""
    return line is not None and line.state == "finished" and not line.outcomes.get("error")


def _checked(read: Suite, lines: Sequence[RunLine | None]) -> tuple[list[int | None], Faults]:
    """See whether every member can be played before any is: how many episodes each has (None: not known), and what
    keeps some from it."""
    from store.pack import Pack
    from tasks.benchmark import benchmark
    from tasks.errors import UsageError
    from tasks.run.cast import Cast
    from tasks.run.plan import choose, task_file
    from tasks.run.suite import Faults, check_ended, check_member

    sizes: list[int | None] = []
    faults = Faults(read.file)
    seen: set[str] = set()
    for member, line in zip(read.members, lines, strict=True):
        try:
            if line is not None and line.error:
                raise UsageError(f"the run file of {member.run} is damaged: {line.error}", "Remove or restore it.")
            if line is not None and line.running:
                raise UsageError(f"another process plays {member.run}", f"`moot attach {member.run}` follows it.")
            if line is not None and _over(line):
                check_ended(member)
                sizes.append(line.n)
                continue
            if line is not None:
                check_member(member)
            spec = member.spec
            bench = benchmark(spec.benchmark)
            cast = Cast.of(bench, spec)
            with Pack.open(spec.pack) as pack:
                chosen = choose(bench, bench.load(task_file(spec, pack)), spec)
            cast.check(chosen)
            for engine in cast.engines:
                if engine not in seen:
                    seen.add(engine)
                    _check_engine(engine)
            sizes.append(line.n if line is not None else len(chosen) * spec.epochs)
        except MootError as error:
            faults.add(member.place, error)
            sizes.append(line.n if line is not None and not line.error else None)
    return sizes, faults


def _check_engine(spec: str) -> None:
    """See whether the model of a SPEC is there; one of llama.cpp is not loaded."""
    from models.llama.header import read_header
    from tasks.run.engines import file_of, open_engine

    if spec.startswith("llama:") and (named := file_of(spec)):
        read_header(named[1])
    else:
        open_engine(spec).close()


def _played(read: Suite, lines: Sequence[RunLine | None]) -> bool:
    """Play what is left of a suite; whether something of it failed, or it was stopped."""
    from tasks.run.suite import line_of

    failed = False
    for number_, (member, line) in enumerate(zip(read.members, lines, strict=True), 1):
        over = _over(line)
        how = t(f"suite.{'over' if over else 'new' if line is None else 'unfinished'}")
        said = f"{number_}/{len(lines)} {member.run} · {line_of(member.spec)} · {how}"
        say(said, err=True)
        if over:
            continue
        try:
            ended = _play(member, line is None)
        except MootError as error:
            note(error_text(error))
            ended = "failed"
        failed = failed or ended != "ended"
        if ended == "stopped":
            note("the suite was stopped; the same command goes on")
            break
    return failed


def _play(member: SuiteRun, new: bool) -> str:
    """Play one member as far as it goes: ended, left, stopped, or failed where nothing but errors came of it."""
    from app.cli.driving import graded, name_errors, play
    from tasks.run.runner import resume_run, start_run

    if new:
        made = start_run(member.spec, out=member.path, argv=sys.argv[1:], suite=member.facts)
    else:
        made = resume_run(member.path)
        made.budget = made.budget.having(member.spec.budget_tokens, member.spec.budget_seconds)
    vain = False

    def after(_: float) -> None:
        nonlocal vain
        graded(made)
        episodes = made.scheduler.episodes
        vain = name_errors(episodes.errors, len(episodes))

    ended = play(made, "none", after)
    return "failed" if vain else ended


# --- what came of it ------------------------------------------------------------------------------------------------


def _facts(member: SuiteRun) -> Data:
    spec = member.spec
    return {
        "member": member.id, "run": member.run, "path": str(member.path), "benchmark": spec.benchmark,
        "agent": spec.agent, "model": spec.model, "seed": spec.seed,
    }  # fmt: skip


def _row(member: SuiteRun) -> Data:
    """A member with what it came to: figures only where all of its episodes are over; `error` says why there are
    none."""
    from tasks.run.rescoring import read_stored, summary_of
    from tasks.run.suite import check_member

    line = _line(member)
    row = {
        **_facts(member), "state": _state(line), "n": line.n if line else 0, "finished": line.finished if line else 0,
        "outcomes": line.outcomes if line else {}, "compat": None, "strict": None, "tokens": None,
        "estimated": False, "error": line.error if line else "",
    }  # fmt: skip
    if line is None or line.state != "finished":
        return row
    try:
        check_member(member)
        summary = summary_of(read_stored(member.path))
    except MootError as error:
        return {**row, "error": str(error)}
    scores = {rule: _score(_head(summary, rule, line.measure)) for rule in ("compat", "strict")}
    return {**row, **scores, "tokens": sum(summary.tally.tokens), "estimated": summary.tally.estimated > 0}


def _head(summary: Summary, rule: Rule, measure: str) -> Metric | None:
    """The row that sums up a run by a rule, the one of lists: of the group after which its `measure` is called, else
    of the groups that are the whole run."""
    own = [row for row in summary.scores if row.measure.rule == rule]
    called = [row for row in own if row.group.name == measure]
    whole = [row for row in own if row.group in summary.wholes]
    main = [row for row in whole if row.main]
    return next(iter((*called, *main, *whole)), None)


def _score(row: Metric | None) -> Data | None:
    """A figure as data, in the unit of its measure; `top` is its best value."""
    if row is None:
        return None
    interval = [row.interval.low, row.interval.high] if row.interval else None
    return {
        "group": row.group.name, "measure": row.measure.name, "value": row.value, "interval": interval,
        "method": row.interval.method if row.interval else "", "n": row.n, "top": row.measure.unit.top,
    }  # fmt: skip


def _print_rows(read: Suite, rows: Sequence[Data], as_json: bool) -> None:
    if as_json:
        return click.echo(json_text({"suite": read.name, "file": str(read.file), "runs": list(rows)}))
    names = (
        "run",
        "benchmark",
        "agent",
        "model",
        "seed",
        "strict",
        "interval",
        "compat",
        "done",
        "outcomes",
        "tokens",
    )
    cells = []
    for row in rows:
        strict, compat = row["strict"], row["compat"]
        outcomes = " · ".join(f"{t(f'outcome.{name}')} {n}" for name, n in row["outcomes"].items())
        cells.append(
            [
                *_who(row), number(_points(strict), 1), bounds(_points_of(strict)), number(_points(compat), 1),
                _done(row),
                outcomes or t(f"suite.{row['state']}"),
                "–" if row["tokens"] is None else f"{'~' * row['estimated']}{row['tokens']:,}",
            ]
        )  # fmt: skip
    click.echo(table([t(f"suite.{name}") for name in names], cells, left=4))
    for row in rows:
        if row["error"]:
            note(f"{row['run']}: {row['error']}")


def _who(row: Data) -> list[str]:
    return [row["run"], row["benchmark"], row["agent"], row["model"] or "–", str(row["seed"])]


def _done(row: Data) -> str:
    return f"{row['finished']}/{'?' if row['n'] is None else row['n']}"


def _points(score: Data | None) -> float | None:
    return None if score is None or score["value"] is None else 100 * score["value"] / score["top"]


def _points_of(score: Data | None) -> list[float] | None:
    ends: Any = score["interval"] if score else None
    return [100 * end / score["top"] for end in ends] if score and ends else None
