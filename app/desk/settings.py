"""Settings: language and colours of the desk, the hosts that may be reached, the cache of replies, and where all is
kept."""

from __future__ import annotations

from typing import ClassVar, get_args

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import Select

from app import hosts
from app.desk.bindings import bindings
from app.desk.dialogs import ConfirmScreen
from app.desk.episode.renderers import Line, one
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import EmptyState
from app.desk.widgets.field import Field, choice
from app.desk.widgets.lines import TextPane
from app.desk.widgets.tables import RowsTable
from app.preferences import Preferences, file_of_preferences, preferences
from app.strings import t
from store import places
from store.cache import Cache, file_of
from store.errors import StoreError

SYSTEM = "system"
"""Stands in the list for the language of the system."""
PLACES = ("packs", "runs", "models", "config", "logs", "cache")
"""Folders, by the name of the function of `store.places` that says where each is."""


class SettingsScreen(PanesScreen):
    """What only the person at this machine decides; nothing here comes from a run or a pack."""

    CSS_PATH = "settings.tcss"
    area = "settings"
    help_id = "settings"
    BINDINGS: ClassVar[list[BindingType]] = bindings("settings")
    FIRST = "#language"
    TITLES = {"#desk": "settings.desk", "#hosts": "settings.hosts", "#places": "settings.places"}

    def __init__(self) -> None:
        super().__init__()
        self._kept = (0, 0)
        self._hosts: dict[str, hosts.Host] = {}

    def panes(self) -> ComposeResult:
        chosen = preferences()
        with Vertical(id="desk"):
            yield Field(
                t("settings.language"),
                choice(_options("language"), "language", chosen.language or SYSTEM),
                id="language-field",
            )
            yield Field(t("settings.theme"), choice(_options("theme"), "theme", chosen.theme), id="theme-field")
        with Vertical(id="hosts"):
            yield RowsTable("settings")
            yield EmptyState(id="none")
        yield TextPane(id="places")

    def retranslate(self) -> None:
        super().retranslate()
        for name in ("language", "theme"):
            self.query_one(f"#{name}-field", Field).relabel(t(f"settings.{name}"))
            select = self.query_one(f"#{name}", Select)
            with select.prevent(Select.Changed):
                kept = select.value
                select.set_options(_options(name))
                select.value = kept

    def reload(self) -> None:
        chosen = preferences()
        for name, value in (("language", chosen.language or SYSTEM), ("theme", chosen.theme)):
            select = self.query_one(f"#{name}", Select)
            with select.prevent(Select.Changed):
                select.value = value
        self.job("settings", _read, self._have)

    def _have(self, found: tuple[dict[str, hosts.Host], tuple[int, int]]) -> None:
        self._hosts, self._kept = found
        self.show()

    @on(Select.Changed)
    def _chosen(self, event: Select.Changed) -> None:
        if event.select.id in Preferences.model_fields and isinstance(event.value, str):
            self.desk.prefer(**{event.select.id: "" if event.value == SYSTEM else event.value})

    def show(self) -> None:
        self.show_title(t("settings.title"))
        table, empty = self.query_one(RowsTable), self.query_one(EmptyState)
        table.display, empty.display = bool(self._hosts), not self._hosts
        empty.say(t("settings.hosts.none"), t("settings.hosts.hint"))
        keys = {
            host: t("hosts.key_of", name=decided.key_env) if decided.key_env else t("hosts.keyless")
            for host, decided in self._hosts.items()
        }
        heads = [(name, Text(t(f"settings.hosts.{name}"))) for name in ("host", "key")]
        table.fill(heads, ((host, (Text(one(host)), Text(one(key)))) for host, key in keys.items()))
        count, size = self._kept
        told: list[Line] = [
            ((f"{t(f'settings.place.{name}')}  ", "label"), (one(str(getattr(places, name)())), "text"))
            for name in PLACES
        ]
        replies = t("settings.replies", n=f"{count:,}", size=f"{size / 1e6:.1f}")
        told += [((f"{t('settings.replies.label')}  ", "label"), (replies, "text"))]
        told += [((t("settings.kept", file=one(str(file_of_preferences()))), "dim"),)]
        self.query_one("#places", TextPane).show(told, hang=2)

    # wishes

    def possible(self) -> dict[str, object]:
        return {"revoke": self._hosts, "clear_replies": self._kept[0]}

    def action_revoke(self) -> None:
        host = self.query_one(RowsTable).chosen
        if not host:
            return

        def decided(yes: bool | None) -> None:
            if not yes:
                return
            try:
                hosts.revoke(host)
            except StoreError as error:
                self.desk.problem(error.title, error.hint)
            self.reload()

        words = (t("settings.revoke"), t("settings.revoke.text", host=one(host)), t("settings.revoke.hint"))
        self.app.push_screen(ConfirmScreen(*words, t("settings.revoke.yes")), decided)

    def action_clear_replies(self) -> None:
        def decided(yes: bool | None) -> None:
            if yes:
                with Cache(file_of("replies")) as replies:
                    replies.clear()
                self.reload()

        words = (t("settings.clear"), t("settings.clear.text", n=self._kept[0]), t("settings.clear.hint"))
        self.app.push_screen(ConfirmScreen(*words, t("settings.clear.yes")), decided)


def _read() -> tuple[dict[str, hosts.Host], tuple[int, int]]:
    """Allowed hosts, and (replies, bytes) of the cache; a cache that is not there is not made."""
    kept = (0, 0)
    if file_of("replies").is_file():
        with Cache(file_of("replies")) as replies:
            kept = replies.size()
    return hosts.allowed(), kept


def _options(name: str) -> list[tuple[str, str]]:
    among = get_args(Preferences.model_fields[name].annotation)
    return [(t(f"settings.{name}.{value or SYSTEM}"), value or SYSTEM) for value in among]
