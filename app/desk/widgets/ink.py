"""Colours of component classes as ink: blended with what lies below, without a background of their own.

Textual's partial styles drop transparency, so that muted text would come out as bright as the rest.
"""

from __future__ import annotations

from rich.style import Style
from textual.widget import Widget


def ink(widget: Widget, name: str) -> Style:
    """Foreground and text style of a component class."""
    style = widget.get_component_rich_style(name)
    return Style(color=style.color, bold=style.bold, italic=style.italic, underline=style.underline)
