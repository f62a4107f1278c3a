"""Entry point of `moot`. Commands are loaded when they are used, so that help and errors come at once."""

from __future__ import annotations

import importlib
import os
import sys
from difflib import get_close_matches
from typing import Any

import click

from app.cli.engine import CHILDREN, serve

COMMANDS: dict[str, tuple[str, str]] = {
    "demo": ("app.cli.attach:demo", "Watch a ready episode; plain text without a terminal."),
    "doctor": ("app.cli.doctor:doctor", "Say what works on this machine."),
    "data": ("app.cli.data:data", "Build, import, list and verify corpus packs."),
    "tools": ("app.cli.tools:tools", "List and call the 37 tools."),
    "law": ("app.cli.law:law", "Read statutes in time: search, show, compare and check them."),
    "tasks": ("app.cli.tasks:tasks", "Make, check and show tasks."),
    "procedure": ("app.cli.score:procedure", "Measure the rules of court procedure on labelled turns."),
    "models": ("app.cli.models:models", "Keep a library of GGUF models and check them."),
    "config": ("app.cli.config:config", "Say which hosts beyond this machine may be reached."),
    "run": ("app.cli.run:run", "Run an agent on the tasks of a benchmark."),
    "resume": ("app.cli.run:resume", "Go on with an interrupted run."),
    "fork": ("app.cli.run:fork", "Start a new run from a step of an old one."),
    "attach": ("app.cli.attach:attach", "Follow a run that another process plays."),
    "stop": ("app.cli.attach:stop", "Stop a run that another process plays; it can be resumed."),
    "show": ("app.cli.show:show", "Show a run or one episode; --verify re-runs it against its record."),
    "list": ("app.cli.runs:list_runs", "List the runs; remove, name and tag them."),
    "score": ("app.cli.score:score", "Score a run again."),
    "score-predictions": ("app.cli.score:score_predictions", "Score a file of predictions."),
    "review": ("app.cli.review:review", "Offer episodes to people, and append what they say of one."),
    "report": ("app.cli.reports:report", "Report one or more runs."),
    "compare": ("app.cli.reports:compare", "Compare runs of the same tasks."),
    "merge": ("app.cli.reports:merge", "Make one run of several: shards, or runs of other machines."),
    "suite": ("app.cli.suite:suite", "Play a suite: a file of runs, one table of what they came to."),
    "export": ("app.cli.reports:export", "Write a run as JSON lines, rollouts, or rows for a trainer."),
}
"""Command -> (where it lives, its line in the help)."""
HELP: dict[str, Any] = {"help_option_names": ["-h", "--help"]}
"""Settings of the context of every command; click keeps the help option of the first context that a command meets."""
BACKGROUND = "_background"
"""What stands before the command of a run without a terminal (`app.background`)."""


class LazyGroup(click.Group):
    """A group whose commands are imported on use."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module, attribute = COMMANDS[name][0].split(":")
        command = getattr(importlib.import_module(module), attribute)
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """The command that is meant; one that is not there is answered with the nearest, without importing any."""
        try:
            return super().resolve_command(ctx, args)
        except click.UsageError as error:
            near = get_close_matches(args[0], COMMANDS, n=1)
            meant = f"Did you mean '{near[0]}'?" if near else "See: moot --help."
            raise click.UsageError(f"No such command '{args[0]}'. {meant}", ctx) from error

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, line) for name, (_, line) in COMMANDS.items()])


@click.group(cls=LazyGroup, invoke_without_command=True, context_settings=HELP)
@click.version_option(package_name="mootbench", prog_name="moot")
@click.pass_context
def cli(ctx: click.Context) -> None:
    """Moot (模拟法庭评测台): evaluate legal LLM agents on one laptop, fully offline.

    Without a command it opens the desk.

    Example: moot run legalagentbench --agent rules --limit 5
    """
    if ctx.invoked_subcommand is None:
        from app.desk.main import open_desk

        ctx.exit(open_desk())


def _say(text: str) -> None:
    from app.terminal import sentence

    click.echo(f"moot: {sentence(text)}", err=True)


def main(arguments: list[str] | None = None) -> None:
    """Run the command line; every expected failure is one sentence on stderr."""
    arguments = sys.argv[1:] if arguments is None else arguments
    if arguments and arguments[0] in CHILDREN:
        sys.exit(serve(arguments[0]))
    if arguments[:1] == [BACKGROUND]:
        from app import background

        background.be_here()
        sys.argv[1:] = arguments = arguments[1:]
    from app.cli.common import HelpText
    from app.guard import install_guard
    from app.shutdown import ASKED, end, signal_handlers
    from app.strings.sentences import error_text, of_system, translated

    for stream in (sys.stdout, sys.stderr):
        if hasattr(stream, "reconfigure"):
            stream.reconfigure(encoding="utf-8", errors="replace")
    install_guard()
    click.Context.formatter_class = HelpText
    try:
        with signal_handlers(end, *ASKED):
            code = cli.main(args=arguments, prog_name="moot", standalone_mode=False, obj=tuple(arguments)) or 0
            sys.stdout.flush()
        sys.exit(code)
    except click.exceptions.Abort:
        sys.exit(130)
    except getattr(click.exceptions, "NoArgsIsHelpError", ()) as error:
        click.echo(error.format_message(), err=True)
        sys.exit(2)
    except click.ClickException as error:
        _say(translated(error.format_message().replace("\n\t", " ")))  # click breaks its list of choices
        sys.exit(error.exit_code)
    except BrokenPipeError:
        sys.exit(0)
    except OSError as error:
        _say(translated(of_system(error)))
        sys.exit(1)
    except Exception as error:
        if os.environ.get("MOOT_DEBUG"):
            raise
        exit_code = getattr(error, "exit_code", None)
        if not isinstance(exit_code, int):
            raise
        _say(error_text(error))
        sys.exit(exit_code)


if __name__ == "__main__":
    main()
