"""Which seat the person takes, or leaves, in presenter mode: a short list, nothing about engines. F9 or Enter
agrees."""

from __future__ import annotations

from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.screen import ModalScreen
from textual.widgets import OptionList, Static
from textual.widgets.option_list import Option

from app.desk.bindings import bindings
from app.desk.court.scene import Scene
from app.desk.episode.renderers import one, policy_name
from app.desk.episode.seat import sat_before
from app.strings import t
from app.terminal import pad, width
from tasks.benchmark import benchmark
from tasks.courts.casefile.roles import role_of, seat_of
from tasks.episode.events import Seated
from tasks.episode.scheduler import HUMAN
from tasks.run.cast import newcomer

BENCHMARK = "courts"


class PresenterSeat(ModalScreen[Seated | None]):
    """Gives who sits down; None when nobody does. The cursor stands on the person's seat, else on that of whoever is
    next."""

    CSS_PATH = ["../dialogs/dialog.tcss", "presenter.tcss"]
    help_id = "presenter_seat"
    BINDINGS: ClassVar[list[BindingType]] = bindings("presenter_seat")

    def __init__(self, scene: Scene, following: str = "") -> None:
        super().__init__()
        self._scene = scene
        self._bench = benchmark(BENCHMARK)
        order = [seat_of(scene.env, role) for role in scene.roles]
        self._seats = [
            seat
            for seat in order
            if seat in scene.seats and "human" in self._bench.roles.get(seat, self._bench.agents)
        ]
        held = [seat for seat in self._seats if scene.seats[seat].engine == HUMAN]
        wanted = held[0] if held else seat_of(scene.env, following)
        self._first = self._seats.index(wanted) if wanted in self._seats else 0

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("presenter.seat.title")
            yield OptionList(
                *(Option(Content(self._label(seat))) for seat in self._seats), id="who", markup=False, compact=True
            )
            yield Static(t("presenter.seat.hint"), classes="dialog--hint", markup=False)

    def on_mount(self) -> None:
        who = self.query_one(OptionList)
        who.highlighted = self._first
        who.focus()

    def _label(self, seat: str) -> str:
        now = self._scene.seats[seat]
        who = t("presenter.seat.leave") if now.engine == HUMAN else policy_name(now.policy, now.engine)
        return f"{pad(self._called(seat), max(width(self._called(other)) for other in self._seats))}    {who}"

    def _called(self, seat: str) -> str:
        return one(self._scene.name(role_of(self._scene.env, seat)))

    @on(OptionList.OptionSelected)
    def action_take(self) -> None:
        """The person takes the seat; who holds it gives it back to whoever sat there before."""
        index = self.query_one(OptionList).highlighted
        if index is None:
            return self.action_cancel()
        seat = self._seats[index]
        if self._scene.seats[seat].engine != HUMAN:
            self.dismiss(newcomer(self._bench, seat, "human", ""))
        else:
            seated = [event for event in self._scene.events if isinstance(event, Seated)]
            self.dismiss(sat_before(seated).get(seat) or newcomer(self._bench, seat, "rules", ""))
        return None

    def action_cancel(self) -> None:
        self.dismiss(None)
