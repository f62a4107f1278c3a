"""Names that a shell can complete: benchmarks, agents, packs, runs, tasks and cases. Values pass as they are typed.

Whatever cannot be read completes to nothing: a shell must not show errors between two keys.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

import click
from click.shell_completion import CompletionItem

MOST = 200
"""Names that are offered at once; task files may hold thousands."""


class Name(click.ParamType):  # type: ignore[type-arg]  # it has no parameters before click 8.5
    """A text, with the names that a shell may offer for it."""

    name = "text"

    def __init__(self, known: Callable[[click.Context], Iterable[str]]) -> None:
        self._known = known

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """As it was typed; who uses it says what is wrong with it."""
        return value

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """The names that begin so."""
        try:
            begun = [name for name in self._known(ctx) if name.startswith(incomplete)]
        except Exception:
            return []
        return [CompletionItem(name) for name in begun[:MOST]]


def _benchmarks(ctx: click.Context) -> Iterable[str]:
    from tasks.benchmark import benchmarks

    return benchmarks()


def _benchmark(ctx: click.Context) -> str:
    """The benchmark of the line; while an option waits for its value, its words are not sorted yet."""
    return str(ctx.params.get("benchmark") or next((word for word in ctx.args if word in _benchmarks(ctx)), ""))


def _agents(ctx: click.Context) -> Iterable[str]:
    from tasks.benchmark import benchmark, benchmarks

    named = _benchmark(ctx)
    return dict.fromkeys(agent for name in ([named] if named else benchmarks()) for agent in benchmark(name).agents)


def _packs(ctx: click.Context) -> Iterable[str]:
    from store import places

    return sorted(path.name for path in places.packs().iterdir() if not path.name.startswith("."))


def _runs(ctx: click.Context) -> Iterable[str]:
    from store.labels import TAG, labels
    from tasks.run.engines import LATEST
    from tasks.run.reading import list_runs

    called = labels()
    tags = dict.fromkeys(f"{TAG}{tag}" for label in called.values() for tag in label.tags)
    return [
        LATEST,
        *(label.name for label in called.values() if label.name),
        *tags,
        *(path.stem for path in list_runs()),
    ]


def _episodes(ctx: click.Context) -> Iterable[str]:
    from store.journal import Journal
    from tasks.run.engines import run_path

    with Journal.open(run_path(str(ctx.params.get("run_name")))) as journal:
        return [row.id for row in journal.episodes()]


def _tasks(ctx: click.Context) -> Iterable[str]:
    from store.pack import Pack
    from tasks.benchmark import benchmark
    from tasks.run.plan import task_file
    from tasks.run.spec import RunSpec

    given = {name: ctx.params[name] for name in ("pack",) if ctx.params.get(name)}
    spec = RunSpec(benchmark=_benchmark(ctx), tasks=ctx.params.get("tasks_file"), **given)
    with Pack.open(spec.pack) as pack:
        return [question.id for question in benchmark(spec.benchmark).load(task_file(spec, pack))]


BENCHMARK = Name(_benchmarks)
AGENT = Name(_agents)
PACK = Name(_packs)
RUN = Name(_runs)
EPISODE = Name(_episodes)
TASK = Name(_tasks)


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
def completion(shell: str) -> None:
    """Print what makes a SHELL complete commands, benchmarks, agents, packs, runs and tasks; give it to `eval`.

    Example: moot completion bash
    """
    from click.shell_completion import get_completion_class

    from app.cli.main import cli

    made = get_completion_class(shell)
    assert made is not None
    script = made(cli, {}, "moot", "_MOOT_COMPLETE").source()
    click.echo(script)
