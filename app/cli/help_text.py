"""Help in the language of the screen: what commands say in English goes through the table of sentences
(`app.strings`).

Lines are broken by cells and by the rules of Chinese typesetting, which click does not know, and no summary is cut.
"""

from __future__ import annotations

from collections.abc import Iterable

import click

from app.strings.sentences import said
from app.terminal import width
from app.wrapping import wrap

WIDEST = 30
"""Cells of the first column of a list."""
_MORE = "  ["
"""Between what an option does and what click says of its values."""


class HelpText(click.HelpFormatter):
    """What click makes help with."""

    def write_usage(self, prog: str, args: str = "", prefix: str | None = None) -> None:
        """The line that shows how to call it."""
        words = said("Usage:")
        super().write_usage(prog, args, prefix or (words if words.endswith("：") else f"{words} "))

    def write_heading(self, heading: str) -> None:
        """The name of a section."""
        words = said(heading)
        self.write(f"{'':>{self.current_indent}}{words}{':' if words.isascii() else '：'}\n")

    def write_text(self, text: str) -> None:
        """Paragraphs."""
        indent = " " * self.current_indent
        paragraphs = (self._paragraph(part) for part in text.split("\n\n"))
        self.write("\n\n".join("\n".join(f"{indent}{line}" for line in lines) for lines in paragraphs) + "\n")

    def write_dl(self, rows: Iterable[tuple[str, str]], col_max: int = WIDEST, col_spacing: int = 2) -> None:
        """Terms and what they mean."""
        rows = list(rows)
        column = min(max(width(term) for term, _ in rows), col_max) + col_spacing
        below = " " * (self.current_indent + column)
        for term, meaning in rows:
            words, mark, more = meaning.partition(_MORE)
            values = f" [{said(more)}" if mark else ""
            lines = self._lines(said(" ".join(words.split())) + values, self.width - self.current_indent - column)
            fits = width(term) <= column - col_spacing
            first = f"{'':>{self.current_indent}}{term}" + (" " * (column - width(term)) if fits else f"\n{below}")
            self.write((first + f"\n{below}".join(lines)).rstrip() + "\n")

    def _paragraph(self, text: str) -> list[str]:
        if "\b" in text:  # drawn: its lines stay as they are
            return [said(line) for line in text.splitlines() if line.strip() != "\b"]
        return self._lines(said(" ".join(text.split())), self.width - self.current_indent)

    def _lines(self, text: str, room: int) -> list[str]:
        return [text[start:end] for start, end in wrap(text, max(room, 10))]


class Whole(click.Group):
    """A group whose list of commands says of each its whole first paragraph."""

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The list in the help."""
        found = [(name, self.get_command(ctx, name)) for name in self.list_commands(ctx)]
        rows = [
            (name, command.short_help or (command.help or "").split("\n\n")[0]) for name, command in found if command
        ]
        with formatter.section("Commands"):
            formatter.write_dl(rows)
