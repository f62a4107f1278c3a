"""Options that several commands which play runs have in common: which tasks, how far, before whose eyes."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import click

from tasks.errors import UsageError


class ShardType(click.ParamType):  # type: ignore[type-arg]  # it has no parameters before click 8.5
    """K/N: the K-th of N shares."""

    name = "shard"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> tuple[int, int]:
        """Both numbers."""
        found = re.fullmatch(r"([1-9][0-9]{0,6})/([1-9][0-9]{0,6})", str(value))
        if found is None or int(found[1]) > int(found[2]):
            raise UsageError(f"--shard '{value}' is not K/N", "For example --shard 2/4, the second of four.")
        return int(found[1]), int(found[2])


SHARD = ShardType()


def selection_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --type, --only, --limit and --first: which tasks of the file."""
    kinds = click.option(
        "--type", "types", multiple=True, metavar="T",
        help="Run only tasks of this type (hops, task of legalsearch, environment); may be repeated.",
    )  # fmt: skip
    only = click.option(
        "--only", default=None, metavar="failed:RUN",
        help="Run only tasks that failed in RUN: not finished, or no full success by the strict rule.",
    )  # fmt: skip
    return kinds(only(sample_options(command)))


def sample_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --limit and --first."""
    limit = click.option(
        "--limit", type=click.IntRange(1), default=None, metavar="N",
        help="Run a sample of N tasks, each type by its share; --seed says which.",
    )  # fmt: skip
    first = click.option(
        "--first", type=click.IntRange(1), default=None, metavar="N",
        help="Run only the first N tasks, in the order of the file.",
    )  # fmt: skip
    return limit(first(command))


def watch_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --watch."""
    return click.option(
        "--watch", type=click.Choice(["plain", "json", "none"]), default="none", show_default=True,
        help="Show the episodes on stderr as they go.",
    )(command)  # fmt: skip


def max_failures_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --max-failures."""
    return click.option(
        "--max-failures", type=click.IntRange(1), default=None,
        help="Stop when N episodes have ended in an error; `moot resume` takes them up again.", metavar="N",
    )(command)  # fmt: skip


def budget_options(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --budget-tokens and --budget-seconds."""
    tokens = click.option(
        "--budget-tokens", type=click.IntRange(1), default=None, metavar="N",
        help="Tokens the whole run may use, read and written; then no step begins any more, and `moot resume` goes "
        "on "
        "with more.",
    )  # fmt: skip
    seconds = click.option(
        "--budget-seconds", type=click.FloatRange(0, min_open=True), default=None, metavar="S",
        help="Seconds after which no step begins any more; `moot resume` has them anew.",
    )  # fmt: skip
    return tokens(seconds(command))


def background_option(command: Callable[..., Any]) -> Callable[..., Any]:
    """Adds --background."""
    return click.option(
        "--background", is_flag=True,
        help="Go on without this terminal; `moot attach RUN` follows the run, `moot stop RUN` stops it.",
    )(command)  # fmt: skip
