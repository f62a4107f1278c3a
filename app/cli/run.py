"""`moot run`, `resume` and `fork`: their options, the spec that these ask for, and what is driven."""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict
from pathlib import Path
from typing import Any, get_origin

import click
from annotated_types import Ge
from pydantic import ValidationError
from pydantic.fields import FieldInfo

from app import background as detached
from app.background import refuse_people
from app.cli.common import AGENT, BENCHMARK, EPISODE, PACK, RUN, TASK, allow_host_option, json_option, note, say
from app.cli.driving import drive
from app.cli.watcher import watch_option
from app.ready_episodes import SAMPLE, ensure_sample
from app.strings import t
from app.strings.sentences import translated
from app.terminal import clean, json_text
from models.specs import FORMS
from store.journal import Journal
from store.journal_format import MOST_REPEATS
from store.run_file import reading
from tasks.agents.modes import CALLS, Calls
from tasks.benchmark import benchmark as load_benchmark
from tasks.benchmark import benchmarks, loadable
from tasks.episode.events import Seated
from tasks.episode.state import completed, fold
from tasks.errors import UsageError
from tasks.run.cast import Cast, check_policy_name, check_seat, first_model_agent, formed, seat_later
from tasks.run.engines import run_path
from tasks.run.failing import failed_tasks
from tasks.run.header import header_of, spec_of
from tasks.run.reading import read_episode
from tasks.run.runner import fork_run, nothing_left, resume_run, start_run
from tasks.run.spec import PARALLEL_RULES, RunSpec
from tasks.settings import shown, text_of, values


class CaseInsensitiveChoice(click.Choice[str]):
    """A choice that is shown as it is written and taken in any case."""

    def convert(self, value: object, param: click.Parameter | None, ctx: click.Context | None) -> str:
        meant = next((choice for choice in self.choices if choice.casefold() == str(value).casefold()), value)
        return super().convert(meant, param, ctx)


COMMON = (
    *("model", "agent", "seats", "pack", "tasks_file", "task_ids", "types", "limit", "epochs", "seed"),
    *("max_turns", "parallel", "paper", "dry_run", "as_json"),
)
"""Parameters of `moot run` that its help shows first."""


class BenchmarkCommand(click.Command):
    """Knows which benchmark is meant before it reads the options."""

    def parse_args(self, ctx: click.Context, args: list[str]) -> list[str]:
        """Read the line; an option that only another benchmark knows is named as such."""
        known = benchmarks()
        named = list(dict.fromkeys(word for word in args if word in known))
        if len(named) > 1:  # one of them is the value of an option: only who knows all options can tell
            named = [self.make_parser(ctx).parse_args(list(args))[0].get("benchmark") or ""]
        ctx.meta[__name__] = name = named[0] if named and named[0] in known else ""
        try:
            return super().parse_args(ctx, args)
        except click.NoSuchOption as error:
            if name and any(error.option_name in option.opts for option in _options(loadable())):
                raise UsageError(
                    f"{name} has no setting '{error.option_name.lstrip('-')}'", "Leave the option out."
                ) from error
            raise

    def get_params(self, ctx: click.Context) -> list[click.Parameter]:
        """The command's own parameters, the settings, and --help at the end."""
        *own, last = super().get_params(ctx)
        name = ctx.meta.get(__name__, "")
        return [*own, *_options([name] if name else loadable()), last]

    def format_options(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The common options first, then the settings of the benchmark if one is named, then all others."""
        own = {param.name: param for param in self.params}
        common = [own[name] for name in COMMON]
        further = [param for param in super().get_params(ctx) if param not in common]
        settings = _options([ctx.meta[__name__]]) if ctx.meta.get(__name__) else ()
        for heading, params in (("Options", common), ("Settings", settings), ("Further options", further)):
            rows = [row for param in params if (row := param.get_help_record(ctx))]
            if rows:
                with formatter.section(heading):
                    formatter.write_dl(rows)

    def format_epilog(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """Every benchmark that can be loaded with its agents, those of other packages too."""
        with formatter.section("Benchmarks, and what --agent may be"):
            formatter.write_dl([(name, ", ".join(load_benchmark(name).agents)) for name in loadable()])
        if not ctx.meta.get(__name__):
            formatter.write_paragraph()
            formatter.write_text(translated("`moot run BENCHMARK --help` shows the settings of a benchmark, too."))


def _options(names: list[str]) -> Iterator[click.Option]:
    """An option for each setting of these benchmarks; one that several have takes what any of them takes."""
    found: dict[str, list[tuple[str, FieldInfo]]] = {}
    for name in names:
        for field, info in load_benchmark(name).settings.model_fields.items():
            if not shown(info, "hidden"):
                found.setdefault(field, []).append((name, info))
    for field, known in found.items():
        yield _option(field, [info for _, info in known], [name for name, _ in known] if len(names) > 1 else [])


def _option(field: str, infos: list[FieldInfo], names: list[str]) -> click.Option:
    first = infos[0]
    described: dict[str, list[str]] = {}
    for name, info in zip(names or [""], infos, strict=True):
        described.setdefault(info.description or "", []).append(name)
    help_text = " ".join(
        f"{', '.join(whose)}: {translated(text)}" if names else translated(text) for text, whose in described.items()
    )
    flag = f"--{field.replace('_', '-')}"
    kind, metavar = first.annotation, shown(first, "metavar") or None
    if kind is bool:
        return click.Option([field, f"{flag}/--no-{flag[2:]}"], default=None, help=help_text)
    if known := list(filter(None, dict.fromkeys(value for info in infos for value in values(info)))):
        return click.Option(
            [field, flag],
            type=CaseInsensitiveChoice(known),
            default=first.default or None,
            show_default=bool(first.default),
            help=help_text,
        )
    if kind in (int, float, float | None):
        least = next((bound.ge for bound in first.metadata if isinstance(bound, Ge)), None)
        number: Any = click.IntRange if kind is int else click.FloatRange
        return click.Option([field, flag], type=number(least), help=help_text)
    if get_origin(kind) is tuple:
        return click.Option([field, flag], metavar=metavar, callback=lambda _, __, text: _parts(text), help=help_text)
    if shown(first, "from_file"):
        return click.Option(
            [field, flag], metavar=metavar, callback=lambda _, __, path: path and text_of(path), help=help_text
        )
    return click.Option([field, flag], metavar=metavar, help=help_text)


def _parts(text: str | None) -> tuple[str, ...] | None:
    """The words between commas; None where nothing was given."""
    return None if text is None else tuple(dict.fromkeys(part.strip() for part in text.split(",") if part.strip()))


ROLLOUT_TEMPERATURE = 1.0
"""At which the published rollouts were sampled."""
FAILED = "failed:"
"""What stands before a RUN whose failed tasks are meant."""


def spec_of_options(benchmark: str, options: dict[str, Any]) -> RunSpec:
    """The spec of the options of `moot run`; which tasks failed in another run is looked up here.

    Raises:
        UsageError: options that mean nothing together, or here.
    """
    agent, model = options["agent"], options["model"]
    bench = load_benchmark(benchmark)
    seats = seats_of(options["seats"])
    tested = next((seats.pop(name) for name in (bench.seat, *bench.aliases) if name in seats), None)
    if tested is not None:
        value = tested
        if value in bench.agents:
            agent = value
        else:
            check_policy_name(bench, value)
            model = value
    agent = agent or (first_model_agent(bench) if model else "rules")
    settings = {name: options[name] for name in bench.settings.model_fields if options.get(name) is not None}
    sampling: dict[str, Any] = {}
    if options["rollouts"]:
        if options["epochs"] != 1:
            raise UsageError("--rollouts and --epochs both say how often a task is played", "Give one of them.")
        hot = settings.get("temperature") or ROLLOUT_TEMPERATURE
        sampling = {"temperature": hot, "epochs": options["rollouts"], "entropy": True}
        options = {**options, "epochs": options["rollouts"]}
    parallel = options["parallel"] or (
        1
        if model or "human" in (agent, *seats.values()) or any(":" in value for value in seats.values())
        else PARALLEL_RULES
    )
    only, task_ids = _only(benchmark, options["only"], options["task_ids"])
    names = (
        *("pack", "types", "limit", "task_seed", "shard", "epochs", "seed", "paper", "cache"),
        *("max_turns", "max_tokens", "max_seconds", "budget_tokens", "budget_seconds"),
    )
    try:
        spec = RunSpec(
            benchmark=benchmark, agent=agent, model=model, tasks=options["tasks_file"], task_ids=task_ids, only=only,
            parallel=parallel, seats=seats,
            **{**_calls(options), **{name: options[name] for name in names}, **settings, **sampling},
        )  # fmt: skip
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", "See `moot run --help`.") from error
    return formed(bench, spec)


def _only(benchmark: str, only: str | None, task_ids: tuple[str, ...]) -> tuple[str, tuple[str, ...]]:
    """What is recorded of --only, and the tasks that are meant."""
    if only is None:
        return "", task_ids
    run = only.removeprefix(FAILED)
    if run == only or not run:
        raise UsageError(f"--only '{only}' is not failed:RUN", "For example --only failed:latest.")
    if task_ids:
        raise UsageError("--only and --task both say which tasks", "Give one of them.")
    found, failed = failed_tasks(run, benchmark)
    return f"{FAILED}{found}", failed


def _calls(options: Mapping[str, Any]) -> dict[str, Calls]:
    """How tools are called, where that is said; --paper beside it is refused."""
    said: Calls | None = options["calls"]
    if options["paper"] and said is not None:
        raise UsageError(f"--paper and --calls {said} exclude each other", "Give one of them.")
    return {"calls": said} if said else {}


def seats_of(pairs: Sequence[str]) -> dict[str, str]:
    """Role -> who sits there, of ROLE=SPEC."""
    seats = {}
    for pair in pairs:
        role, equals, value = pair.partition("=")
        if not equals or not value:
            raise UsageError(f"--seat '{pair}' is not ROLE=SPEC", "For example --seat agent=human.")
        seats[role] = value
    return seats


class ShardType(click.ParamType):  # type: ignore[type-arg]  # it has no parameters before click 8.5
    """K/N: the K-th of N shares."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        found = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", str(value))
        if found is None or int(found[1]) > int(found[2]):
            raise UsageError(f"--shard '{value}' is not K/N", "For example --shard 2/4, the second of four.")
        return int(found[1]), int(found[2])


SHARD = ShardType()


max_failures_option = click.option(
    "--max-failures",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Stop when N episodes have ended in an error; `moot resume` takes them up again.",
)
budget_tokens_option = click.option(
    "--budget-tokens",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Tokens the whole run may use, read and written; then no step begins any more, and `moot resume` goes on "
    "with more.",
)
budget_seconds_option = click.option(
    "--budget-seconds",
    type=click.FloatRange(0, min_open=True),
    default=None,
    metavar="S",
    help="Seconds after which no step begins any more; `moot resume` has them anew.",
)
background_option = click.option(
    "--background",
    is_flag=True,
    help="Go on without this terminal; `moot attach RUN` follows the run, `moot stop RUN` stops it.",
)


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
        click.echo(clean(t("run.background", run=begun.run, pid=begun.pid, output=begun.output)), err=True)
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
@click.option(
    "--type",
    "types",
    multiple=True,
    metavar="T",
    help="Run only tasks of this type (hops, task of legalsearch, environment); may be repeated.",
)
@click.option(
    "--only",
    default=None,
    metavar="failed:RUN",
    help="Run only tasks that failed in RUN: not finished, or no full success by the strict rule.",
)
@click.option(
    "--limit",
    type=click.IntRange(1),
    default=None,
    metavar="N",
    help="Run a sample of N tasks, each type by its share; --task-seed says which.",
)
@click.option("--task-seed", type=int, default=0, help="Seed of the sample of tasks.")
@click.option(
    "--shard", type=SHARD, default=None, metavar="K/N",
    help="Run only the K-th of N equal shares of the tasks; `moot merge` puts them together.",
)  # fmt: skip
@click.option("--epochs", type=click.IntRange(1, MOST_REPEATS), default=1, help="Repeat every task N times.")
@click.option("--seed", type=int, default=0, help="Seed of what models draw.")
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
    "`moot doctor` says where they are.",
)
@budget_tokens_option
@budget_seconds_option
@max_failures_option
@background_option
@allow_host_option
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The run file to write; must not exist.")
@watch_option
@json_option("Print the score block as JSON.")
def run(benchmark: str, as_json: bool, **options: Any) -> None:
    """Run an agent on the tasks of a BENCHMARK and score it.

    Example: moot run legalagentbench --agent rules --limit 10 --json
    """
    spec = spec_of_options(benchmark, options)
    if options["dry_run"]:
        from app.cli.planned import dry_run  # what only a plan needs

        return dry_run(spec, as_json)
    if spec.pack == SAMPLE:
        Cast.of(load_benchmark(benchmark), spec)  # what is asked for in vain is said before anything is built
        ensure_sample(lambda: say(t("demo.building"), err=True))
    if options["background"] and options["on"]:
        raise UsageError("--background and --on exclude each other", "Leave --background out.")
    if options["background"]:
        refuse_people((spec.agent, spec.model, *spec.seats.values()))
    if _in_background(options["background"], as_json):
        return None
    if options["tasks_file"] and spec.pack == SAMPLE and benchmark != "courts":
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
@click.option("--task", "task_ids", multiple=True, metavar="ID", help="Go on with this task only; may be repeated.")
@budget_tokens_option
@budget_seconds_option
@max_failures_option
@background_option
@allow_host_option
@watch_option
@json_option("Print the score block as JSON.")
def resume(
    run_name: str, new_attempt: bool, task_ids: tuple[str, ...], watch: str, as_json: bool, max_failures: int | None,
    budget_tokens: int | None, budget_seconds: float | None, background: bool,
) -> None:  # fmt: skip
    """Go on with an interrupted RUN where its record ends.

    Example: moot resume 20261121-120000-legalagentbench-rules-1a2b
    """
    if _in_background(background, as_json):
        return
    with reading(run_path(run_name)):
        made = resume_run(run_name, new_attempt=new_attempt, tasks=task_ids)
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
@json_option("Print the score block as JSON.")
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
        sits = seat_later(bench, role, value, before.policy if before else "")
        check_seat(sits, seats, episode)
        return sits
    return None
