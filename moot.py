"""Moot for extensions and notebooks: run, resume, open, score, and the decorators that add to it. Import nothing
else.

    >>> import moot
    >>> record = moot.run("legalagentbench", agent="rules", limit=2)        # doctest: +SKIP
    >>> record.block["strict"]["success"]                                    # doctest: +SKIP
    >>> moot.open_run("latest").frame()                                      # doctest: +SKIP

Everything happens on this machine: from the first run on, this process reaches no other, but for hosts that the user
has allowed (`moot config hosts`) or that a call names in `allow_hosts`. Times are seconds, scores as the command line
prints them. What is not listed in `__all__` may change with any release; what is listed keeps its names and
arguments.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal, Self, TypeVar, overload

try:
    for _module in ("app.guard", "models.engine", "store.errors", "tasks.errors"):
        import_module(_module)
except ModuleNotFoundError as error:
    _package = (error.name or "").partition(".")[0]
    if "." not in (error.name or "") or _package not in ("app", "models", "store", "tasks"):
        raise  # something else is missing
    _where = getattr(sys.modules[_package], "__file__", None) or list(sys.modules[_package].__path__)[0]
    raise ImportError(
        f"{_where} hides the package {_package} of Moot: rename it, or start Python in another folder"
    ) from None

from models.engine import Ask, Engine, EngineError, Listener, Reply
from models.errors import BadEngine, ForeignHost
from models.specs import Opening
from store.errors import BadParameter, StoreError
from store.importers import Progress, silent
from store.journal import Journal
from store.pack import Pack
from tasks import registry
from tasks.added import Agent, Tool
from tasks.agents.policies import FunctionPolicy, FunctionTools
from tasks.benchmark import Benchmark, benchmarks
from tasks.courts.casefile.case import CaseFile
from tasks.courts.environment import Cue, Ending, Environment
from tasks.courts.environment import Seat as CourtSeat
from tasks.courts.play.view import CourtView
from tasks.courts.procedure.model import Turn
from tasks.courts.scores.drafted import END_MARK
from tasks.episode.events import Event, Record
from tasks.episode.seats import Answer, CallTool, Move, Nothing, Policy, Say, View, ask, emit
from tasks.episode.state import fold
from tasks.episode.with_tools import ToolEpisode
from tasks.errors import BadSetting, TaskError, UsageError
from tasks.run.spec import RunSpec
from tasks.scoring.added import Scorer
from tasks.scoring.metrics import Metric, Summary
from tasks.scoring.result import Result
from tasks.settings import Settings, setting

if TYPE_CHECKING:
    import pandas

    from tasks.legalsearch.agents.reading import Round
    from tasks.legalsearch.exporting import SearchTools
    from tasks.run.opened import Run

__all__ = [
    "Agent", "Answer", "Ask", "BadEngine", "BadParameter", "Benchmark", "CallTool", "CaseFile", "CourtSeat",
    "CourtView", "Cue", "END_MARK", "Ending", "Engine", "EngineError", "Environment", "Episode", "Event",
    "ForeignHost", "Listener", "Metric", "Move", "Nothing", "Opening", "Pack", "Policy", "Progress", "Record",
    "Reply", "Result", "RunRecord", "RunSpec", "Say", "Scorer", "Settings", "StoreError", "Summary", "TaskError",
    "Tool", "ToolEpisode", "Turn", "UsageError", "View", "agent", "ask", "base", "benchmark", "benchmarks",
    "emit", "engine", "environment", "import_pack", "importer", "open_run", "packs", "read_turn", "resume", "run",
    "score", "scorer", "search_tools", "setting", "tool",
]  # fmt: skip

Made = TypeVar("Made", bound=Callable[..., Any])


@dataclass(frozen=True)
class Episode:
    """One episode of a run: its task, how it ended ("unfinished" while it has not), its answer, steps and tokens."""

    id: str
    task: str
    outcome: str
    answer: str
    steps: int
    tokens: int


@dataclass(frozen=True)
class RunRecord:
    """A run on disk. Reads when asked; the file may grow meanwhile."""

    path: Path

    @cached_property
    def header(self) -> dict[str, Any]:
        """What was run, with which pack, prompts, engines and versions.

        Raises:
            StoreError: the file is no run, or damaged.
        """
        from tasks.run.header import header_of

        with Journal.open(self.path) as journal:
            return header_of(journal)

    @property
    def id(self) -> str:
        """The name of the run."""
        return str(self.header["run"])

    @property
    def episodes(self) -> tuple[Episode, ...]:
        """Its episodes in the order of the task file, the last attempt of each."""
        from tasks.run.reading import read_episode

        with Journal.open(self.path) as journal:
            states = ((row, fold(read_episode(journal, row.id))) for row, _ in journal.walk())
            return tuple(
                Episode(
                    row.id, row.task_id, state.stopped.outcome if state.stopped else "unfinished",
                    state.answered.res if state.answered else "", state.steps, state.tokens,
                )
                for row, state in states
            )  # fmt: skip

    def events(self, episode: str) -> tuple[Event, ...]:
        """What happened in the last attempt of an episode, in order.

        Raises:
            StoreError: there is no such episode.
        """
        from tasks.run.reading import read_episode

        with Journal.open(self.path) as journal:
            return tuple(record.event for record in read_episode(journal, episode))

    @cached_property
    def summary(self) -> Summary:
        """What it came to, scored now: counts, groups, and a row for every figure.

        Raises:
            TaskError: its task file or its benchmark is not here, or changed since.
        """
        from tasks.run.rescoring import read_stored, summary_of

        return summary_of(read_stored(self.path))

    @property
    def metrics(self) -> Sequence[Metric]:
        """The rows of the summary: rule, group, name, value, interval, n, floor, ceiling, unit, and why a value is
        missing."""
        return self.summary.rows

    @property
    def block(self) -> dict[str, Any]:
        """The same as JSON data, as `moot score RUN --json` prints it."""
        return self.summary.block()

    def scores(self) -> Iterator[dict[str, Any]]:
        """The stored scores of its episodes, one row a value: episode, task, scorer, name, value, author."""
        with Journal.open(self.path) as journal:
            for row in journal.episodes():
                for score in journal.scores(journal.attempts(row.id)[-1].id):
                    values = score.value if isinstance(score.value, dict) else {"": score.value}
                    for name, value in values.items():
                        yield {
                            "episode": row.id, "task": row.task_id, "scorer": score.scorer, "version": score.version,
                            "name": name, "value": value, "author": score.author,
                        }  # fmt: skip

    def rows(self) -> list[dict[str, object]]:
        """The metrics as flat rows: rule, section, group, name, value, low, high, n, floor, reference, unit (its best
        value), why."""
        return [
            {
                "rule": row.measure.rule, "section": row.measure.section, "group": row.group.name,
                "name": row.measure.name,
                "value": row.value, "low": row.interval.low if row.interval else None,
                "high": row.interval.high if row.interval else None, "n": row.n, "floor": row.limits.get("floor"),
                "reference": row.limits.get("reference"), "unit": row.measure.unit.top, "why": row.why,
            }
            for row in self.metrics
        ]  # fmt: skip

    def frame(self) -> pandas.DataFrame:
        """The same as a table of pandas, which has to be installed beside Moot."""
        import pandas

        return pandas.DataFrame(self.rows())

    def samples(self) -> pandas.DataFrame:
        """Its episodes as a table of pandas, a row the last attempt of one: task, group, question, answer, gold,
        compat and strict (0 to 1), outcome and its reason, steps, calls, tokens, seconds, flags.

        Raises:
            TaskError: its task file or its benchmark is not here, or changed since.
        """
        import pandas

        from tasks.exchange.episodes import played
        from tasks.exchange.rows import facts
        from tasks.run.rescoring import read_stored

        run = read_stored(self.path)
        with Journal.open(self.path) as journal:
            rows = [
                {**facts(run.header, one), "question": one.asked, "answer": one.result.res, "gold": one.gold}
                for one in played(run, journal)
            ]
        return pandas.DataFrame(rows)


def run(
    benchmark: str,
    *,
    agent: str | Callable[[str, FunctionTools], str] = "",
    model: str = "",
    pack: str | Path = "sample",
    tasks: str | Path | None = None,
    task_ids: Sequence[str] = (),
    limit: int | None = None,
    seats: Mapping[str, str] | None = None,
    out: Path | None = None,
    allow_hosts: Sequence[str] = (),
    progress: bool = True,
    **more: Any,
) -> RunRecord:
    """Play a benchmark and score it; returns when all episodes have ended, or the run stands still.

    Args:
        benchmark: its name, see `benchmarks()`.
        agent: who is tested; default: rules, or with a model the first method for models. A plain function
            `f(question, tools) -> answer` calls `tools.NAME(argument=…)`; it is called anew for every step with
            what its calls have given, so it must do the same for the same results.
        model: SPEC of the engine of the tested seat: "llama:FILE_OR_NAME", "endpoint:URL#MODEL",
            "scripted:FILE".
        pack: corpus pack, by name or folder; `sample` is built where it is not there.
        tasks: task file; default: the pack's own.
        task_ids: play only these.
        limit: play a sample of so many tasks, each type by its share, drawn by `task_seed`.
        seats: role -> rules or the SPEC of a model, for the other seats. A person cannot sit in a notebook.
        out: the run file to write; must not exist.
        allow_hosts: hosts beyond this machine that this run may reach.
        progress: whether a line on stderr says how far it is.
        more: settings of every run (types, epochs, seed, task_seed, max_turns, max_tokens, max_seconds,
            budget_tokens, budget_seconds, cache, parallel, paper, calls) and of the benchmark.

    Raises:
        TaskError, StoreError, BadEngine: what is wrong, in one sentence; nothing was written then.
        BadParameter: one of these for a setting that there is not, or no value of it, behind a SPEC or in `more`.
        TaskError: the first episodes that ended all ended in an error, as the rest would; what was played is on disk.
    """
    from pydantic import ValidationError

    from app.ready_episodes import SAMPLE, ensure_sample
    from tasks.benchmark import benchmark as load
    from tasks.run.cast import first_model_agent
    from tasks.run.runner import start_run

    _stay_here(allow_hosts)
    if str(pack) == SAMPLE:
        ensure_sample(lambda: print("building the pack sample …", file=sys.stderr))
    who = _named(agent) or (first_model_agent(load(benchmark)) if model else "rules")
    if "human" in (who, *(seats or {}).values()):
        raise UsageError("a person cannot sit in a notebook", "Use the desk, or `moot run … --seat ROLE=human`.")
    try:
        spec = RunSpec(
            benchmark=benchmark, agent=who, model=model, pack=str(pack), tasks=str(tasks) if tasks else None,
            task_ids=tuple(task_ids), limit=limit, seats=dict(seats or {}), **more,
        )  # fmt: skip
    except ValidationError as error:
        first = error.errors()[0]
        raise BadSetting(f"{'.'.join(map(str, first['loc']))}: {first['msg']}") from error
    return _driven(start_run(spec, out=out, argv=("moot.run", benchmark)), progress)


def resume(
    run: str | Path,
    *,
    agent: Callable[[str, FunctionTools], str] | None = None,
    allow_hosts: Sequence[str] = (),
    progress: bool = True,
) -> RunRecord:
    """Go on with an interrupted run where its record ends, and score it.

    Args:
        run: its id, the unique beginning of one, "latest", or a path.
        agent: the function that was tested, where it was one.
        allow_hosts: hosts beyond this machine that it may reach.
        progress: whether a line on stderr says how far it is.

    Raises:
        TaskError, StoreError, BadEngine: it cannot go on, and why.
    """
    from tasks.run.runner import resume_run

    _stay_here(allow_hosts)
    _named(agent or "")
    return _driven(resume_run(run), progress)


def open_run(run: str | Path) -> RunRecord:
    """A run that is on disk, by id, the unique beginning of one, "latest", or path. `StoreError` when there is
    none."""
    from tasks.run.engines import run_path

    return RunRecord(run_path(run))


def score(run: str | Path) -> dict[str, Any]:
    """The score block of a stored run, as the command line prints it; nothing is written."""
    return open_run(run).block


def search_tools(pack: str | Path, **settings: Any) -> SearchTools:
    """The tools of the search agent over a pack, outside of a run: for a trainer, or a notebook.

    Args:
        pack: corpus pack, by name or folder.
        settings: of `legalsearch`: tools, window, channels, law_filter, web, today, prompt.

    Raises:
        StoreError, TaskError: there is no such pack, or no such setting.
    """
    from tasks.legalsearch.exporting import SearchTools

    return SearchTools(pack, **settings)


def read_turn(text: str, *, first: bool) -> Round:
    """A turn of the search agent as the published loop reads it: `tool` and `arguments` to call, `stop` with why the
    trajectory ends, or neither after a plan. The `first` turn plans."""
    from tasks.legalsearch.agents.reading import read_strictly

    return read_strictly(text, first=first)


def import_pack(format_name: str, source: str | Path, name: str, progress: Progress = silent) -> Path:
    """Import a file or folder of a format as a pack of that name; gives its folder.

    Raises:
        StoreError: there is no such format, or the source is not what it should be.
    """
    from tasks.registry import importer as known

    return known(format_name)(Path(source), name, progress)


def base(name: str) -> type[Benchmark]:
    """The class of a benchmark that is here, for one that differs from it in a few things."""
    found: type[Benchmark] = registry.load("benchmarks", name)
    return found


def packs() -> list[str]:
    """The names of the corpus packs that are installed here."""
    from store import places

    folder = places.packs()
    return (
        sorted(path.name for path in folder.iterdir() if (path / "manifest.json").is_file())
        if folder.is_dir()
        else []
    )


@overload
def tool(function: Callable[..., object], /) -> Tool: ...
@overload
def tool(*, name: str = "", description: str = "") -> Callable[[Callable[..., object]], Tool]: ...
def tool(
    function: Callable[..., object] | None = None, /, *, name: str = "", description: str = ""
) -> Tool | Callable[[Callable[..., object]], Tool]:
    """Make a tool of a function, and have it here: `moot run legalagentbench --with-tools NAME`.

    >>> @tool
    ... def day_count(text: str) -> int:
    ...     '''数出文本的字数。'''
    ...     return len(text)
    >>> day_count.call(None, {"text": "起诉状"})
    ('ok', '3', 3)
    >>> day_count.call(None, {"words": 3})[0]
    'call_error'
    """

    def made(function: Callable[..., object]) -> Tool:
        one = Tool.of(function, name, description)
        registry.ADDED["tools", one.name] = one
        return one

    return made if function is None else made(function)


def agent(
    policy: str, *, benchmarks: Sequence[str] = (), needs_model: bool = False, wants_pack: bool = False
) -> Callable[[Made], Agent]:
    """Make an agent of a class (or function) that gives a `Policy`, and have it here under the name before the slash.

    >>> @agent("yes/1", benchmarks=["legalagentbench"])
    ... class SaysYes:
    ...     name = "yes/1"
    ...     def move(self, view):
    ...         yield from ()
    ...         return Answer("是")
    >>> SaysYes.policy, SaysYes.benchmarks
    ('yes/1', ('legalagentbench',))

    Args:
        policy: name and version; a changed behaviour is a new version.
        benchmarks: where it may sit; none: everywhere.
        needs_model: whether it asks an engine (`yield from ask(Ask(...))`).
        wants_pack: whether it is made with the corpus pack of the run.
    """

    def made(factory: Made) -> Agent:
        one = Agent(policy, factory if wants_pack else lambda pack: factory(), tuple(benchmarks), needs_model)
        registry.ADDED["agents", policy.partition("/")[0]] = one
        return one

    return made


def scorer(
    name: str, *, label: tuple[str, str], better: Literal["up", "down"] = "up", benchmarks: Sequence[str] = ()
) -> Callable[[Callable[[Any, Result], float | None]], Scorer]:
    """Make a scorer of a function from a question and its result to a share from 0 to 1 (None: nothing to say), and
    have it here.

    >>> @scorer("brevity/1", label=("简洁", "brevity"))
    ... def brevity(question, result):
    ...     return 1 - min(len(result.res), 100) / 100
    >>> brevity.of(None, Result("1", "finished", "是" * 25, ""))
    (0.75, '')

    Args:
        name: name and version; a changed rule is a new version.
        label: Chinese, English.
        better: whether more of it is better.
        benchmarks: whose attempts it scores; none: of every benchmark.
    """

    def made(function: Callable[[Any, Result], float | None]) -> Scorer:
        one = Scorer(name, function, label, better, tuple(benchmarks))
        registry.ADDED["scorers", name.partition("/")[0]] = one
        return one

    return made


def benchmark(name: str) -> Callable[[Made], Made]:
    """Have a benchmark here: a class with what `Benchmark` asks for."""
    return _added("benchmarks", name)


def engine(kind: str) -> Callable[[Made], Made]:
    """Have an engine here: a function from an `Opening` to an `Engine`; its SPEC is `kind:…`."""
    return _added("engines", kind)


def importer(format_name: str) -> Callable[[Made], Made]:
    """Have an importer here: a function (source, name, progress) -> path of the pack."""
    return _added("importers", format_name)


def environment(made: Environment) -> Environment:
    """Have a court environment here, under its code; `moot.run("courts", env=CODE, …)` plays its cases."""
    registry.ADDED["environments", made.code] = made
    return made


def _added(group: registry.Group, name: str) -> Callable[[Made], Made]:
    def made(one: Made) -> Made:
        registry.ADDED[group, name] = one
        return one

    return made


def _stay_here(allow_hosts: Sequence[str]) -> None:
    """The guard of the command line, and its rule about hosts: nobody is asked here."""
    from app.guard import install_guard
    from app.hosts import consent

    install_guard()
    consent(allow_hosts)


def _named(who: str | Callable[[str, FunctionTools], str]) -> str:
    """The name of an agent; a function gets a seat under its own."""
    if isinstance(who, str):
        return who
    name = re.sub(r"\W", "", getattr(who, "__name__", "")) or "function"
    registry.ADDED["agents", name] = Agent(f"{name}/1", lambda pack: FunctionPolicy(f"{name}/1", who))
    return name


def _driven(made: Run, progress: bool) -> RunRecord:
    from tasks.run.engines import open_engine
    from tasks.run.reading import GRADER
    from tasks.scoring.grader import grade_run

    with made:
        with _Bar(made, progress) as bar:
            made.go(bar.go_on)
        if bar.failed:
            raise TaskError(f"Nothing but errors so far: {bar.failed}", f"What was played is in {made.journal.path}.")
        if grader := made.spec.seats.get(GRADER):
            opened = open_engine(grader)
            try:
                questions = {question.id: question for question in made.questions}
                grade_run(made.journal, made.bench, questions, opened, grader, lambda done, total: None)
            finally:
                opened.close()
        return RunRecord(made.journal.path)


class _Bar:
    """A line on stderr, and the end of a run that can bring nothing but errors."""

    def __init__(self, run: Run, shown: bool) -> None:
        self._episodes = run.scheduler.episodes
        self._shown = shown
        self._since = time.monotonic()
        self._text = ""
        self.failed = ""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *raised: object) -> None:
        if self._text:
            sys.stderr.write("\n")

    def go_on(self) -> bool:
        """Whether to play on; the line is written anew where it says something new."""
        whole, errors = len(self._episodes), self._episodes.errors
        done = whole - self._episodes.open
        text = f"{done}/{whole} · {time.monotonic() - self._since:.0f} s"
        if self._shown and text != self._text:
            self._text = text
            sys.stderr.write(f"\r{text}")
            sys.stderr.flush()
        if errors and errors.total() == done:
            self.failed = errors.most_common(1)[0][0]
        return not self.failed


if __name__ == "__main__":
    from app.cli.main import main

    main()
