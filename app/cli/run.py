"""`moot run`, `resume` and `fork`: drive episodes from the command line. The score block goes to stdout."""

from __future__ import annotations

import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from pydantic import ValidationError

from app.cli.consent import allow_host_option
from app.cli.grading import grade
from app.cli.names import AGENT, BENCHMARK, EPISODE, PACK, RUN, TASK
from app.cli.notes import note
from app.cli.progress import Progress
from app.cli.settings import BenchmarkCommand
from app.cli.watcher import JsonWatcher, PlainWatcher, voice_of
from app.leaving import ASKED, when_asked, without_terminal
from app.strings import language, t
from app.terminal import clean, json_text
from models.engine import Ask
from models.specs import FORMS
from store import places
from store.journal import Journal
from store.run_file import reading
from tasks.agents.modes import Calls
from tasks.benchmark import benchmark as load_benchmark
from tasks.episode.events import Seated
from tasks.episode.state import completed, fold
from tasks.episode.watcher import Watcher
from tasks.errors import UsageError
from tasks.run.cast import Cast, check_seat, check_sitter, first_model_agent, newcomer
from tasks.run.engines import replayed_agents, run_path
from tasks.run.header import header_of, spec_of
from tasks.run.plan import choose, need_of, task_file
from tasks.run.reading import GRADER, read_episode
from tasks.run.runner import Run, fork_run, resume_run, start_run
from tasks.run.spec import RunSpec
from tasks.scoring.metrics import Summary

if TYPE_CHECKING:
    from app.court_words import Voice

ROLLOUT_TEMPERATURE = 1.0
"""At which the published rollouts were sampled."""
PARALLEL_RULES = 16
"""Episodes driven together when no model decodes: their steps share one commit."""


def watch_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --watch."""
    return click.option(
        "--watch", type=click.Choice(["plain", "json", "none"]), default="none", show_default=True,
        help="Show the episodes on stderr as they go.",
    )(command)  # fmt: skip


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
@click.option("--limit", type=click.IntRange(1), default=None, help="Run only the first N tasks.")
@click.option("--epochs", type=click.IntRange(1), default=1, help="Repeat every task N times.")
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
    type=click.Choice(["schema", "native", "free"]),
    default=None,
    help="How the model calls tools: as JSON under a schema (default), in the form it was trained with, or in free text.",
)
@click.option("--free", is_flag=True, help="Let the model write free text: the older name of --calls free.")
@click.option(
    "--rollouts",
    type=click.IntRange(2),
    default=None,
    metavar="G",
    help="Play every task G times at temperature 1 and record entropies: groups for rewards and advantages.",
)
@click.option("--dry-run", is_flag=True, help="Say what would run, and write nothing.")
@allow_host_option
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The run file to write; must not exist.")
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def run(benchmark: str, as_json: bool, **options: Any) -> None:
    """Run an agent on the tasks of a BENCHMARK and score it.

    Example: moot run legalagentbench --agent rules --limit 10 --json
    """
    spec = _spec(benchmark, options)
    if options["dry_run"]:
        return _dry_run(spec, as_json)
    if options["tasks_file"] and spec.pack == "sample" and benchmark != "courts":
        note("these tasks run on the fictional pack 'sample'; name another with --pack.")
    out = options["out"]
    made = start_run(spec, out=out, argv=sys.argv[1:])
    _drive(made, options["watch"], as_json)


@click.command()
@click.argument("run_name", metavar="RUN", type=RUN)
@click.option("--new-attempt", is_flag=True, help="Begin unfinished episodes anew; the old attempts are kept.")
@allow_host_option
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def resume(run_name: str, new_attempt: bool, watch: str, as_json: bool) -> None:
    """Go on with an interrupted RUN where its record ends.

    Example: moot resume 20261121-120000-legalagentbench-rules-1a2b
    """
    with reading(run_path(run_name)):
        _drive(resume_run(run_name, new_attempt=new_attempt), watch, as_json)


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
    help="Who sits from then on: agent=human, rules, gold, echo, or a model's SPEC, which keeps the method of the seat.",
)
@allow_host_option
@click.option("--out", type=click.Path(path_type=Path), default=None, help="The run file to write; must not exist.")
@watch_option
@click.option("--json", "as_json", is_flag=True, help="Print the score block as JSON.")
def fork(
    run_name: str, episode: str, turn: int, seats: tuple[str, ...], out: Path | None, watch: str, as_json: bool
) -> None:
    """Start a new run from turn K of an EPISODE of an old RUN.

    Example: moot fork 20261121-120000-legalagentbench-rules-1a2b sample-405 --turn 2 --seat agent=human
    """
    with reading(run_path(run_name)):
        sits = _newcomer(run_name, episode, turn, seats)
        made = fork_run(run_name, episode, turn, newcomer=sits, out=out, argv=sys.argv[1:])
        _drive(made, watch, as_json)


def _spec(benchmark: str, options: dict[str, Any]) -> RunSpec:
    agent, model = options["agent"], options["model"]
    bench = load_benchmark(benchmark)
    seats = _seats(options["seats"])
    tested = next((seats.pop(name) for name in (bench.seat, *bench.aliases) if name in seats), None)
    if tested is not None:
        value = tested
        if value in bench.agents:
            agent = value
        else:
            check_sitter(bench, value)
            model = value
    if replayed := replayed_agents(model):
        agent = agent or replayed[0]
        options = {**options, "paper": True}
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
    calls = _calls(options)
    names = ("pack", "limit", "epochs", "seed", "max_turns", "max_tokens", "max_seconds", "paper")
    try:
        return RunSpec(
            benchmark=benchmark, agent=agent, model=model, tasks=options["tasks_file"], task_ids=options["task_ids"],
            parallel=parallel, seats=seats, calls=calls, free=calls == "free",
            **{**{name: options[name] for name in names}, **settings, **sampling},
        )  # fmt: skip
    except ValidationError as error:
        first = error.errors()[0]
        raise UsageError(f"{'.'.join(map(str, first['loc']))}: {first['msg']}", "See `moot run --help`.") from error


def _calls(options: Mapping[str, Any]) -> Calls:
    """How tools are called; two options that do not agree are refused."""
    said: Calls | None = options["calls"]
    for other, means in (("free", "free"), ("paper", None)):
        if options[other] and said not in (None, means):
            raise UsageError(f"--{other} and --calls {said} exclude each other", "Give one of them.")
    return "free" if options["free"] else said or "schema"


def _seats(pairs: Sequence[str]) -> dict[str, str]:
    seats = {}
    for pair in pairs:
        role, equals, value = pair.partition("=")
        if not equals or not value:
            raise UsageError(f"--seat '{pair}' is not ROLE=SPEC", "For example --seat agent=human.")
        seats[role] = value
    return seats


def _newcomer(run_name: str, episode: str, turn: int, pairs: Sequence[str]) -> Seated | None:
    """Who is to sit after the fork; a model keeps the method of whoever sat there."""
    for role, value in _seats(pairs).items():
        with Journal.open(run_path(run_name)) as journal:
            bench = load_benchmark(spec_of(header_of(journal)).benchmark)
            seats = fold(completed(read_episode(journal, episode), turn)).seats
        before = seats.get(bench.aliases.get(role, role))
        sits = newcomer(bench, role, value, before.policy if before else "")
        check_seat(sits, seats, episode)
        return sits
    return None


def _dry_run(spec: RunSpec, as_json: bool) -> None:
    from store.pack import Pack

    bench = load_benchmark(spec.benchmark)
    cast = Cast.of(bench, spec)
    with Pack.open(spec.pack) as pack:
        path = task_file(spec, pack)
        chosen = choose(bench, bench.load(path), spec)
    cast.check(chosen)
    needs = {
        question.id: {sits.seat: size for sits in cast.at(question) if (size := need_of(bench, question, sits, spec))}
        for question in chosen
    }
    seats = {sits.seat: sits.engine or sits.policy for sits in cast.others}
    plan = {
        "benchmark": spec.benchmark, "agent": spec.agent, "policy": cast.tested.policy, "model": spec.model, "pack": spec.pack,
        "tasks": str(path), "n": len(chosen) * spec.epochs, "seats": seats, "task_ids": [question.id for question in chosen],
        "context": {task: sizes for task, sizes in needs.items() if sizes},
    }  # fmt: skip
    if as_json:
        click.echo(json_text(plan))
    else:
        for key, value in plan.items():
            if key != "context":
                click.echo(clean(f"{key}: {value}", multiline=False))
        for task, sizes in needs.items():
            if sizes:
                told = t("show.comma").join(f"{seat} {size:,}" for seat, size in sizes.items())
                click.echo(clean(t("run.context", task=task, sizes=told), multiline=False))


def _watchers(made: Run, watch: str) -> list[Watcher]:
    watchers: list[Watcher] = []
    if watch == "plain":
        watchers.append(PlainWatcher(sys.stderr))
    elif watch == "json":
        watchers.append(JsonWatcher(sys.stderr))
    else:
        open_episodes = sum(not driver.stopped for driver in made.scheduler.episodes.values())
        watchers.append(Progress(open_episodes, sys.stderr))
    return watchers


def _drive(made: Run, watch: str, as_json: bool) -> None:
    with made, interruptible(made.scheduler.interrupt) as stopped:
        made.scheduler.watchers += _watchers(made, watch)
        if n := sum(bool(getattr(question, "notes", ())) for question in made.questions):
            note(t("run.filled", n=n))
        click.echo(clean(t("run.started", run=made.id, n=len(made.scheduler.episodes)), multiline=False), err=True)
        started = time.perf_counter()
        made.go(lambda: not stopped.is_set())
        while not stopped.is_set() and _ask_person(made, stopped):
            made.go(lambda: not stopped.is_set())
        seconds = time.perf_counter() - started
        left = sum(not driver.stopped for driver in made.scheduler.episodes.values())
        if left:
            name = made.id if made.journal.path.parent == places.runs() else made.journal.path
            hint = f"`moot resume {name}` goes on."
            note(f"stopped with {left} episodes unfinished. {hint}")
            sys.exit(1)
        made.record_scores()
        if grader := made.spec.seats.get(GRADER):
            grade(made.journal, made.bench, made.questions, grader)
        summary, header = made.summary(), header_of(made.journal)
        n = len(made.scheduler.episodes)
        click.echo(t("run.ended", seconds=f"{seconds:.1f}", rate=f"{n / max(seconds, 1e-9):.1f}"), err=True)
        nothing_but_errors = _name_errors(made)
    print_summary(summary, as_json, header)
    if nothing_but_errors:
        sys.exit(1)


def _name_errors(made: Run) -> bool:
    """Say why episodes failed, an error that only shows as a count would be overlooked; whether nothing else came of any."""
    stops = [driver.state.stopped for driver in made.scheduler.episodes.values()]
    reasons = Counter(stopped.reason for stopped in stops if stopped is not None and stopped.outcome == "error")
    failed = reasons.total()
    if failed:
        reason, count = reasons.most_common(1)[0]
        most = "" if count == failed else f" ({count} times)"
        note(f"{failed} of {len(stops)} episodes ended in an error, most often{most}: {reason}")
    return 0 < failed == len(stops)


def print_summary(summary: Summary, as_json: bool, header: Mapping[str, object]) -> None:
    """The score block on stdout; as text with what the header says about agent, data and versions."""
    if as_json:
        click.echo(json_text(summary.block()))
        return
    from tasks.reports import text_report

    click.echo(clean(text_report([summary], [header], language())))


def _ask_person(made: Run, stopped: Stopping) -> bool:
    """Put one open question to the person at the terminal; False when there is none, or when it is not to be answered."""
    asking = (d for d in made.scheduler.episodes.values() if not d.stopped and made.scheduler.asks_human(d))
    driver = next(asking, None)
    if driver is None or driver.ask is None:
        return False
    for words in _unheard(driver.ask, voice_of(driver.state.card)):
        click.echo(clean(words), err=True)
    stopped.reading = True
    try:
        if stopped.is_set():  # it came between two looks at it
            return False
        line = sys.stdin.readline()
    except KeyboardInterrupt:
        return False
    finally:
        stopped.reading = False
    if not line:
        raise UsageError("a human sits in the seat but standard input has ended", "Type an answer, or use the desk.")
    made.scheduler.answer(driver.episode, line.strip())
    return True


def _unheard(ask: Ask, voice: Voice | None) -> list[str]:
    """What a person is shown with a question: in court all that was said since the own last turn, else the last word."""
    said = [message.content for message in ask.messages]
    if voice is None:
        return said[-1:]
    own = f"{voice.seat(ask.seat)}："
    last = max((place for place, words in enumerate(said) if words.startswith(own)), default=-1)
    return said[last + 1 :] or said[-1:]


class Stopping(threading.Event):
    """Set when the run is to stop. `reading`: nothing is under way but the wait for a line, which only an exception ends."""

    reading = False


@contextmanager
def interruptible(cut: Callable[[], None]) -> Iterator[Stopping]:
    """Turns Ctrl-C, SIGTERM and SIGHUP into a flag and cuts the calls in flight: their questions stay open, what came before is stored.

    A second one ends the program.
    """
    stopped, over = Stopping(), threading.Event()

    def insist() -> None:
        """Again and again: a call may begin just after the others were cut."""
        while not over.is_set():
            cut()
            over.wait(0.5)

    def stop(number: int, _: object) -> None:
        without_terminal(number)
        if stopped.is_set():
            raise KeyboardInterrupt
        stopped.set()
        if stopped.reading:
            raise KeyboardInterrupt
        threading.Thread(
            target=insist, daemon=True
        ).start()  # not here: whoever was interrupted may hold a lock of the engine

    try:
        with when_asked(stop, "SIGINT", *ASKED):
            yield stopped
    finally:
        over.set()
