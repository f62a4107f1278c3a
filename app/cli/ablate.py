"""`moot ablate`: the same tasks under settings that differ in one thing, one after another, and what the difference
is."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from app.cli.consent import allow_host_option
from app.cli.notes import note
from app.cli.run_options import sample_options
from app.cli.tables import Data, bounds, number, percent, table
from app.strings import language, t
from app.terminal import clean, json_text
from store import places
from tasks.errors import UsageError

if TYPE_CHECKING:
    from tasks.legalsearch.ablation import Choice, Outcome, Scored
    from tasks.run.spec import RunSpec


@click.command()
@click.argument("benchmark")
@click.option(
    "--over",
    "axes",
    multiple=True,
    required=True,
    metavar="AXIS=V,..",
    help="What to vary: window=on,off,newest; tools=on,rag,web,off; law_filter=on,off; abstain=on,off; channels=all,"
    "exact,keyword,dense,bm25 (several joined: exact+bm25). A bare name means all values; may be repeated.",
)
@click.option("--cross", is_flag=True, help="All combinations of the axes, instead of each axis by itself.")
@click.option("--agent", default=None, help="Policy of the tested seat: rules (default); search with --model.")
@click.option("--model", default="", help="Engine of the tested seat, as in `moot run`.")
@click.option("--tasks", "tasks_file", default=None, help="Task file; default: the pack's own tasks.")
@click.option("--task", "task_ids", multiple=True, help="Run only this task; may be repeated.")
@click.option("--pack", default="sample", show_default=True, help="Corpus pack, by name or folder.")
@click.option(
    "--web", default="", metavar="PACK", help="The pack with the web snapshot; default: the run's own pack."
)
@sample_options
@click.option("--seed", type=int, default=0, help="Seed of all sampling.")
@click.option("--max-turns", type=click.IntRange(1), default=None, help="Turns an episode may take.")
@click.option("--parallel", type=click.IntRange(1), default=None, help="Episodes driven together.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    default=None,
    help="Folder of the runs; those that are there are taken up again. Default: a folder among the runs.",
)
@allow_host_option
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def ablate(
    benchmark: str, axes: tuple[str, ...], cross: bool, out: Path | None, as_json: bool, **options: Any
) -> None:
    """Run a BENCHMARK once for each setting and compare the runs, task by task.

    Runs are stored under --out; the same command again goes on where it was stopped, and computes nothing twice.

    Example: moot ablate legalsearch --pack statutes --over window --over law_filter --out ablations
    """
    from tasks.legalsearch.ablation import check_plan, choices, parse_axes

    base = _base(benchmark, options)
    chosen = parse_axes(axes)
    plan = choices(chosen, cross=cross)
    check_plan(base, plan)
    folder = out or places.runs() / f"ablate-{_mark(base)}"
    made = _run_all(base, plan, folder)
    if as_json:
        axes_data = {name: list(values) for name, values in chosen.items()}
        click.echo(
            json_text(
                {
                    "benchmark": benchmark,
                    "out": str(folder),
                    "axes": axes_data,
                    "runs": [one.as_dict() for one in made],
                }
            )
        )
    else:
        click.echo(text_of(made))


def _base(benchmark: str, options: Data) -> RunSpec:
    from tasks.benchmark import benchmark as load_benchmark
    from tasks.run.cast import first_model_agent
    from tasks.run.spec import PARALLEL_RULES, RunSpec

    model = options["model"]
    agent = options["agent"] or (first_model_agent(load_benchmark(benchmark)) if model else "rules")
    if agent == "human":
        raise UsageError("nobody plays the same tasks again and again", "Choose an agent that plays by itself.")
    return RunSpec(
        benchmark=benchmark, agent=agent, model=model, tasks=options["tasks_file"],
        parallel=options["parallel"] or (1 if model else PARALLEL_RULES),
        **{name: options[name] for name in ("pack", "web", "limit", "first", "seed", "max_turns", "task_ids")},
    )  # fmt: skip


def _mark(base: RunSpec) -> str:
    """Eight digits that stand for what is run, so that the same command finds its runs again."""
    from hashlib import sha256

    return sha256(base.model_dump_json(exclude={"parallel"}).encode()).hexdigest()[:8]


def _run_all(base: RunSpec, plan: Sequence[Choice], folder: Path) -> list[Outcome]:
    from tasks.legalsearch.ablation import differences

    made: list[Outcome] = []
    first: Scored | None = None
    for number_, choice in enumerate(plan, 1):
        outcome, score = _run_one(base, choice, folder, f"{number_}/{len(plan)}")
        if first is None:
            first = score
        else:
            outcome.difference = differences(first, score)
        made.append(outcome)
    return made


def _run_one(base: RunSpec, choice: Choice, folder: Path, place: str) -> tuple[Outcome, Scored]:
    from app.cli.driving import interruptible, name_errors
    from store.journal import SUFFIX
    from tasks.legalsearch.ablation import Outcome, name_of, open_choice, scored
    from tasks.legalsearch.analysis import analysis_of
    from tasks.run.rescoring import read_stored, summary_of

    name, path = name_of(choice), folder / f"{name_of(choice)}{SUFFIX}"
    run = open_choice(base, choice, folder, argv=sys.argv[1:])
    _say(f"{place} {name}{'' if run else ' · ' + t('ablate.reused')}")
    if run is not None:
        with run, interruptible(run.scheduler.interrupt) as stopped:
            run.go(lambda: not stopped.is_set())
            if left := run.scheduler.episodes.open:
                note(f"stopped with {left} episodes of {name} unfinished. The same command goes on.")
                sys.exit(1)
            run.record_scores()
            if name_errors(run.scheduler.episodes.errors, len(run.scheduler.episodes)):
                sys.exit(1)
    stored = read_stored(path)
    block = summary_of(stored).block()
    return Outcome(choice, path, run is None, block, analysis_of(stored, block)), scored(name, stored)


def _say(text: str) -> None:
    click.echo(clean(text, multiline=False), err=True)


def text_of(made: Sequence[Outcome]) -> str:
    """Tables for a person: one a task, then what concerns all tasks, then recitals by year."""
    from app.cli.temporal import heat_table
    from tasks.legalsearch.ablation import name_of

    parts = [_task_table(task, made) for task in made[0].block["groups"]]
    parts.append(_overall(made))
    parts.append(heat_table({name_of(one.choice): one.block for one in made}))
    return "\n\n".join(part for part in parts if part)


def _task_table(task: str, made: Sequence[Outcome]) -> str:
    from tasks.legalsearch.ablation import name_of
    from tasks.legalsearch.summary import GROUPS

    covered = any(one.block["compat"][task].get("n_covered") is not None for one in made)
    names = [
        "setting",
        "compat",
        "interval",
        *(["inside"] if covered else []),
        "strict",
        "difference",
        "interval",
        "better",
        "worse",
    ]
    rows = []
    for one in made:
        compat, strict = one.block["compat"][task], one.block["strict"][task]
        cells = [name_of(one.choice), number(compat["all"]), bounds(one.block["intervals"]["compat"][task]["all"])]
        cells += [number(compat.get("covered"))] if covered else []
        rows.append([*cells, number(strict["all"]), *_difference(one, task)])
    first = made[0].block["compat"][task]
    title = t("ablate.task", task=GROUPS[task][language() == "en"], n=first["n"]) + (
        t("ablate.covered", n=first["n_covered"]) if covered else ""
    )
    return f"{title}\n{table([t(f'ablate.{name}') for name in names], rows)}"


def _difference(one: Outcome, task: str) -> list[str]:
    found = (one.difference or {}).get("compat", {}).get(task)
    if found is None:
        return ["–"] * 4
    return [f"{found['mean']:+.2f}", bounds(found["interval"]), str(found["better"]), str(found["worse"])]


def _overall(made: Sequence[Outcome]) -> str:
    from tasks.legalsearch.ablation import name_of

    rows = []
    for one in made:
        wrong, aware = _wrong(one.block), one.analysis["awareness"]["all"]
        pairs = one.analysis["consistency"]
        rows.append(
            [
                name_of(one.choice), number(wrong.get("rate"), 1), bounds(wrong.get("interval")),
                str(aware["queries"]),
                percent(aware["share"]), percent(pairs["rate"]), str(pairs["n"]),
            ]
        )  # fmt: skip
    names = ("setting", "wrong", "interval", "queries", "aware", "consistent", "pairs")
    return table([t(f"ablate.{name}") for name in names], rows)


def _wrong(block: Data) -> Data:
    """The wrong-version rate over covered questions: whoever looks up what the pack lacks can only find another
    version."""
    found = block["wrong_version"] or {}
    return found.get("covered") or found
