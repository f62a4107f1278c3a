"""The doors of Home: what a newcomer can do at once, shown where there is no run yet. Keys open them at any time."""

from __future__ import annotations

from typing import get_args

from textual.content import Content
from textual.widgets import OptionList
from textual.widgets.option_list import Option

from app.ports import Door
from app.strings import t


class Doors(OptionList):
    """Two lines a door; Enter or a click opens it."""

    help_id = "doors"
    DEFAULT_CSS = """
    Doors {
        height: auto;
        width: 1fr;
        max-width: 76;
        margin: 1 0 0 0;
        &, &:focus { border: none; background: transparent; padding: 0; }
        & > .option-list--option { padding: 0 1 1 1; }
        &:focus > .option-list--option-highlighted { background: $accent 25%; color: $foreground; }
    }
    """

    def relabel(self) -> None:
        """All words in the current language; the same door stays chosen."""
        at = self.highlighted or 0
        self.clear_options()
        for number, door in enumerate(get_args(Door), 1):
            title = Content.styled(f"{number}  {t(f'door.{door}')}", "bold $text-accent")
            self.add_option(Option(Content("\n").join([title, Content(f"   {t(f'door.{door}.text')}")]), id=door))
        self.highlighted = at
