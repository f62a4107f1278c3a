"""What only one benchmark knows, as lines of a form: made from the model of its settings, whichever benchmark it is.

Words come from the string table (`new.NAME`, `new.NAME.VALUE`); settings of an extension show their own names and
descriptions.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from textual.app import ComposeResult
from textual.containers import Vertical
from textual.widgets import Input, Select

from app.desk.widgets.field import Field, choice, line
from app.strings import known, t
from app.strings.sentences import said
from tasks import registry
from tasks.benchmark import Benchmark
from tasks.errors import UsageError
from tasks.settings import shown, text_of, values

ANY = "*"
"""Stands for an empty value: a list takes none."""
SWITCH = {"on": True, "off": False}


class SettingsForm(Vertical):
    """The settings of one benchmark; `values` reads them."""

    DEFAULT_CSS = "SettingsForm { height: auto; }"

    def __init__(self, bench: Benchmark) -> None:
        super().__init__()
        self.bench = bench

    def compose(self) -> ComposeResult:
        for name, info in self._settings():
            yield Field(
                _label(name), _control(name, info), note=_note(name, info), id=f"{name}-field", short=_short(info)
            )

    def fit(self, *, with_model: bool) -> None:
        """Show what means something for the agent."""
        for name, info in self._settings():
            self.query_one(f"#{name}-field").display = with_model or not shown(info, "for_models")

    def values(self) -> dict[str, Any]:
        """What differs from the defaults; a value that is none is said beside its line, and left out."""
        found: dict[str, object] = {}
        for name, info in self._settings():
            field = self.query_one(f"#{name}-field", Field)
            if not field.display:
                continue
            try:
                read = self.bench.settings.of({name: _read(field.control, info)}, self.bench.name)
            except UsageError as error:
                field.fault(error.title.partition(": ")[2] or error.title)
            else:
                found[name] = getattr(read, name)
        return {
            name: value for name, value in found.items() if value != self.bench.settings.model_fields[name].default
        }

    def _settings(self) -> Iterator[tuple[str, FieldInfo]]:
        for name, info in self.bench.settings.model_fields.items():
            group = shown(info, "group")
            if not shown(info, "hidden") and (not group or registry.names(group)):
                yield name, info


def _label(name: str) -> str:
    return t(f"new.{name}") if known(f"new.{name}") else name.replace("_", " ")


def _note(name: str, info: FieldInfo) -> str:
    return t(f"new.{name}.note") if known(f"new.{name}.note") else said(info.description or "")


def _short(info: FieldInfo) -> bool:
    return info.annotation in (int, float)


def _control(name: str, info: FieldInfo) -> Select[str] | Input:
    if info.annotation is bool:
        return choice([(_word(name, value), value) for value in SWITCH], name, "on" if info.default else "off")
    if among := values(info):
        given = [value or ANY for value in among]
        return choice([(_word(name, value), value) for value in given], name, info.default or ANY)
    empty = t(f"new.{name}.empty") if known(f"new.{name}.empty") else ""
    written = ",".join(info.default) if isinstance(info.default, tuple) else str(info.default)
    return line(name, written, empty)


def _word(name: str, value: str) -> str:
    for key in (
        f"new.{name}.{'all' if value == ANY else value}",
        f"case.value.{name}.{value}",
        f"new.switch.{value}",
    ):
        if known(key):
            return t(key)
    return value


def _read(control: Any, info: FieldInfo) -> Any:
    raw = str(control.value)
    if info.annotation is bool:
        return SWITCH[raw]
    if values(info):
        return "" if raw == ANY else raw
    text = raw.strip()
    if get_origin(info.annotation) is tuple:
        return tuple(part.strip() for part in text.replace("，", ",").split(",") if part.strip())
    if text and shown(info, "from_file"):
        return text_of(text)
    return text if info.annotation is str or text else info.default
