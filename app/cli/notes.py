"""What the command line says on stderr beside its results: one sentence a line, in the language of the screen."""

from __future__ import annotations

import click

from app.strings.sentences import said
from app.terminal import clean


def note(text: str) -> None:
    """A sentence of this program; English ones are in the table of sentences."""
    click.echo(clean(f"moot: {said(text)}", multiline=False), err=True)
