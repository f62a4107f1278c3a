"""What commands share: help in the language of the screen, notes on stderr, names that a shell completes, tables, and
the option that lets another machine be reached."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterable, Sequence
from typing import Any

import click
from click.shell_completion import CompletionItem

from app.strings import t
from app.strings.sentences import translated
from app.terminal import clean, json_text, pad, width
from app.wrapping import wrap

WIDEST_TERM = 30
"""Cells of the first column of a list."""
_MORE = "  ["
"""Between what an option does and what click says of its values."""


class HelpText(click.HelpFormatter):
    """What click makes help with."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        words = translated("Usage:")
        super().write_usage(prog, args, prefix or (words if words.endswith("：") else f"{words} "))

    def write_heading(self, heading: str) -> None:
        words = translated(heading)
        self.write(f"{'':>{self.current_indent}}{words}{':' if words.isascii() else '：'}\n")

    def write_text(self, text: str) -> None:
        indent = " " * self.current_indent
        paragraphs = (self._paragraph(part) for part in text.split("\n\n"))
        self.write("\n\n".join("\n".join(f"{indent}{line}" for line in lines) for lines in paragraphs) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = WIDEST_TERM, col_spacing: int = 2) -> None:
        rows = list(rows)
        column = min(max(width(term) for term, _ in rows), col_max) + col_spacing
        below = " " * (self.current_indent + column)
        for term, meaning in rows:
            words, mark, more = meaning.partition(_MORE)
            values = f" [{translated(more)}" if mark else ""
            lines = self._lines(
                translated(" ".join(words.split())) + values, self.width - self.current_indent - column
            )
            fits = width(term) <= column - col_spacing
            first = f"{'':>{self.current_indent}}{term}" + (" " * (column - width(term)) if fits else f"\n{below}")
            self.write((first + f"\n{below}".join(lines)).rstrip() + "\n")

    def _paragraph(self, text: str) -> list[str]:
        if "\b" in text:  # drawn: its lines stay as they are
            return [translated(line) for line in text.splitlines() if line.strip() != "\b"]
        return self._lines(translated(" ".join(text.split())), self.width - self.current_indent)

    def _lines(self, text: str, room: int) -> list[str]:
        return [text[start:end] for start, end in wrap(text, max(room, 10))]


class ParagraphHelpGroup(click.Group):
    """A group whose list of commands says of each its whole first paragraph."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.short_help or (command.help or "").split("\n\n")[0]) for name, command in found if command
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)


def json_option(what: str = "Print JSON.") -> Callable[[Callable[..., Any]], Callable[..., Any]]:
    """Add --json."""
    return click.option("--json", "as_json", is_flag=True, help=what)


def say(text: str, *, err: bool = False) -> None:
    """Print one line of text from anywhere."""
    click.echo(clean(text, multiline=False), err=err)


def output(as_json: bool, data: object, text: str) -> None:
    """The result of a command on stdout: data as JSON, else a line of text."""
    click.echo(json_text(data) if as_json else clean(text, multiline=False))


def note(text: str) -> None:
    """A sentence of this program; English ones are in the table of sentences."""
    say(f"moot: {translated(text)}", err=True)


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


Data = dict[str, Any]
"""JSON data that a command prints, or makes its tables of."""
WIDEST = 48
"""Cells of a column; what is longer is cut."""


def table(head: Sequence[str], rows: Sequence[Sequence[str]], *, left: int = 1) -> str:
    """Lines of a table. The first `left` columns stand to the left, all others to the right."""
    cells = [[clean(cell, multiline=False) for cell in row] for row in (head, *rows)]
    widths = [min(WIDEST, max(width(row[column]) for row in cells)) for column in range(len(head))]
    return "\n".join(
        "  ".join(
            pad(cell, widths[column], "left" if column < left else "right") for column, cell in enumerate(row)
        ).rstrip()
        for row in cells
    )


def allow_host_option(command: Callable[..., object]) -> Callable[..., object]:
    """Add --allow-host, and let the command ask where there is a terminal: for all commands that open engines."""
    return click.option(
        "--allow-host", multiple=True, metavar="HOST", expose_value=False, callback=_decide,
        help="Let an endpoint on this host be reached by this command; may be repeated. "
        "`moot config hosts` allows for good.",
    )(command)  # fmt: skip


def _decide(context: click.Context, _: click.Parameter, named: tuple[str, ...]) -> None:
    from app.hosts import consent

    def ask(host: str, origin: str) -> bool:
        run = origin or context.params.get("run_name")
        words = t("hosts.ask.run", run=run, host=host) if run else t("hosts.ask", host=host)
        return click.confirm(
            clean(f"moot: {words} {t('hosts.key')} {t('hosts.agree')}", multiline=False), default=False, err=True
        )

    consent(named, ask if sys.stdin.isatty() and sys.stderr.isatty() else None)
