"""How many commands and options there are: what is added takes the place of something."""

from __future__ import annotations

from collections.abc import Iterator

import click

from app.cli.main import cli

COMMANDS, OPTIONS = 46, 200


def commands(command: click.Command, context: click.Context) -> Iterator[tuple[click.Command, click.Context]]:
    """All that do something, groups that do something without a further word among them."""
    if not isinstance(command, click.Group) or (command.invoke_without_command and context.parent is not None):
        yield command, context
    if isinstance(command, click.Group):
        for name in command.list_commands(context):
            below = command.get_command(context, name)
            assert below is not None
            yield from commands(below, click.Context(below, parent=context, info_name=name))


def test_commands_and_options_stay_within_their_budget() -> None:
    found = list(commands(cli, click.Context(cli, info_name="moot")))
    options = [
        one for command, context in found for one in command.get_params(context) if isinstance(one, click.Option)
    ]
    assert len(found) <= COMMANDS
    assert sum("--help" not in one.opts for one in options) <= OPTIONS
