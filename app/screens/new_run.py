"""A small dialog for a new run: agent, pack, how many tasks; step by step or all at once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Grid, Horizontal, Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import Button, Input, Label, Select

from app.bindings import bindings
from app.library import PackLine
from app.renderers import one, policy_name
from app.strings import known, t
from tasks.benchmark import BENCHMARKS, benchmark
from tasks.spec import RunSpec

PARALLEL = 16
"""Episodes driven together when everything runs: their steps share one commit."""
FEW = 10
"""Tasks of a first run."""


class NewRunScreen(ModalScreen[tuple[RunSpec, bool] | None]):
    """Gives a RunSpec and whether everything is to run at once; None when cancelled."""

    CSS_PATH = ["dialog.tcss", "new_run.tcss"]
    help_id = "dialog"
    BINDINGS: ClassVar[list[BindingType]] = bindings("dialog")

    def __init__(self, packs: Sequence[PackLine]) -> None:
        super().__init__()
        self._packs = packs

    def compose(self) -> ComposeResult:
        """Four fields, three buttons."""
        names = [name for name in BENCHMARKS if any(name in pack.tasks for pack in self._packs)] or list(BENCHMARKS)
        agents = [name for name, (_, needs_model) in benchmark(names[0]).agents.items() if not needs_model]
        with Vertical(classes="dialog") as box:
            box.border_title = t("new.title")
            with Grid():
                yield Label(t("new.benchmark"), markup=False)
                yield _select([(t(f"benchmark.{n}") if known(f"benchmark.{n}") else n, n) for n in names], "benchmark")
                yield Label(t("new.agent"), markup=False)
                yield _select([(policy_name(name), name) for name in agents], "agent")
                yield Label(t("new.pack"), markup=False)
                yield _select([(_pack(pack), pack.name) for pack in self._packs], "pack")
                yield Label(t("new.limit"), markup=False)
                yield Input(str(FEW), type="integer", id="limit", placeholder=t("new.all"), compact=True)
            with Horizontal(classes="buttons"):
                yield Button(t("new.step"), variant="primary", id="step", compact=True)
                yield Button(t("new.everything"), id="everything", compact=True)
                yield Button(t("new.cancel"), id="cancel", compact=True)

    def on_mount(self) -> None:
        """Enter starts at once."""
        self.query_one("#step").focus()

    def on_button_pressed(self, event: Button.Pressed) -> None:
        """Start, or not."""
        self.dismiss(None if event.button.id == "cancel" else (self._spec(event.button.id), event.button.id == "everything"))

    def action_confirm(self) -> None:
        """Start step by step."""
        self.dismiss((self._spec("step"), False))

    def action_cancel(self) -> None:
        """Nothing."""
        self.dismiss(None)

    def _spec(self, button: str | None) -> RunSpec:
        limit = self.query_one("#limit", Input).value.strip()
        return RunSpec(
            benchmark=str(self.query_one("#benchmark", Select).value),
            agent=str(self.query_one("#agent", Select).value),
            pack=str(self.query_one("#pack", Select).value),
            limit=int(limit) if limit.isdecimal() and int(limit) > 0 else None,
            parallel=PARALLEL if button == "everything" else 1,
        )


def _pack(pack: PackLine) -> str:
    mark = f"  ● {t('mark.fictional')}" if "authored" in pack.provenance else ""
    return f"{one(pack.name)}{mark}"


def _select(options: list[tuple[str, str]], name: str) -> Select[str]:
    return Select([(Content(text), value) for text, value in options], allow_blank=False, id=name, compact=True)
