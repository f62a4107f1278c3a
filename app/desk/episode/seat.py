"""The dialog for a seat: who sits there, and who shall from the next turn on: a person, a policy, a model with its
engine.

The usual wish needs one more key: the list stands on the person, or, when a person sits there, on whoever sat there
before, and Enter agrees.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.content import Content
from textual.widgets import OptionList, Select, Static
from textual.widgets.option_list import Option

from app.desk import engines_offered
from app.desk.bindings import bindings
from app.desk.court.scene import EpisodeSnapshot
from app.desk.dialogs import SHEET, Dialog, buttons
from app.desk.engines_offered import EngineField, ModeField, flags_of
from app.desk.episode.renderers import one, policy_name, seat_name
from app.desk.widgets.field import Field, choice
from app.strings import t
from app.terminal import pad, width
from tasks.agents.modes import mode_of
from tasks.benchmark import Benchmark, Choices, benchmark
from tasks.courts.casefile.roles import role_of, seat_of
from tasks.episode.events import Answered, Seated, ToolCalled
from tasks.episode.scheduler import HUMAN
from tasks.legalagentbench.schemas import typed_call
from tasks.run.cast import Cast, seat_later
from tasks.run.seat_prompt import would_do
from tasks.run.spec import RunSpec

BACK = "\0back"
"""The choice that gives a seat back to whoever sat there before the person."""
REFERENCES = ("gold", "echo")
"""Agents that stand for a line of comparison, not for a solution."""


class SeatScreen(Dialog[Seated | None]):
    """Gives who is to take which seat; None when nobody is."""

    CSS_PATH = [SHEET, "seat.tcss"]
    help_id = "seat"
    VERTICAL_BREAKPOINTS = [(0, "-low"), (30, "-high")]

    def __init__(
        self, spec: RunSpec, sitting: Mapping[str, Seated], before: Mapping[str, Seated],
        name: Callable[[str], str] = seat_name, following: str = "",
    ) -> None:  # fmt: skip
        """Open the dialog.

        Args:
            spec: what the run was asked to do; its engine and mode are offered first.
            sitting: seat -> who sits there now.
            before: seat -> who sat there before a person took it.
            name: what a seat is called.
            following: the seat that speaks next, '' where that is not known.
        """
        super().__init__()
        self._seat_name = name
        self._following = following
        self._spec = spec
        self._sitting = dict(sitting)
        self._before = dict(before)
        self._bench: Benchmark = benchmark(spec.benchmark)

    def compose(self) -> ComposeResult:
        seats = list(self._sitting)
        # First the person's own seat, then the one that speaks next, if a person may hold it, then the tested one.
        likely = [
            seat
            for seat in (self._following, self._bench.seat)
            if "human" in self._bench.roles.get(seat, self._bench.agents)
        ]
        seats.sort(
            key=lambda seat: (
                self._sitting[seat].engine != HUMAN,
                likely.index(seat) if seat in likely else len(likely),
            )
        )
        mode = mode_of(self._spec.calls, paper=self._spec.paper)
        model = next(
            (who.engine for who in self._sitting.values() if who.engine not in ("", HUMAN)), self._spec.model
        )
        with Vertical(classes="dialog") as box:
            box.border_title = t("seat_dialog.title")
            yield Field(
                t("seat_dialog.seat"),
                choice([(self._seat_name(seat), seat) for seat in seats], "seat"),
                id="seat-field",
            )
            yield Static("", id="now", markup=False)
            yield OptionList(id="who", markup=False, compact=True)
            yield EngineField(model)
            yield ModeField(mode)
            yield buttons(t("seat_dialog.take"), "take")
            yield Static("", id="busy", markup=False)

    def on_mount(self) -> None:
        self.query_one("#seat-field").display = len(self._sitting) > 1
        self._list()
        self.query_one("#who").focus()
        engine = self.query_one(EngineField)
        self.job("offers", engines_offered.offered, engine.offer, lambda error: True)

    # what is chosen

    @property
    def seat(self) -> str:
        return str(self.query_one("#seat", Select).value)

    @property
    def _choices(self) -> Choices:
        """Who may sit in the seat: agents in the tested one, else whoever its role allows."""
        return self._bench.roles.get(self.seat, self._bench.agents)

    def _agents(self) -> list[str]:
        return sorted(self._choices, key=lambda agent: agent != "human")

    def _list(self) -> None:
        now = self._sitting[self.seat]
        self.query_one("#now", Static).update(t("seat_dialog.now", policy=policy_name(now.policy, now.engine)))
        options = []
        if now.engine == HUMAN:
            back = self._back()
            options.append(
                Option(Content(t("seat_dialog.back", policy=policy_name(back.policy, back.engine))), id=BACK)
            )
        for agent in self._agents():
            if agent != "human" or now.engine != HUMAN:
                options.append(Option(Content(self._label(agent)), id=agent))
        who = self.query_one("#who", OptionList)
        who.set_options(options)
        who.highlighted = 0
        self._fit()

    def _label(self, agent: str) -> str:
        name = policy_name(self._choices[agent][0] if self.seat in self._bench.roles else agent)
        if agent == "human":
            return t("seat_dialog.human", policy=name)
        if agent in REFERENCES:
            return t("seat_dialog.reference", policy=name)
        return t("new.with_model", policy=name) if self._choices[agent][1] else name

    @property
    def agent(self) -> str:
        option = self.query_one("#who", OptionList).highlighted_option
        return str(option.id) if option is not None else ""

    @property
    def with_model(self) -> bool:
        return self._choices.get(self.agent, ("", False))[1]

    def _hint(self) -> str:
        leaves = self.agent == BACK
        return t("seat_dialog.hint.leave" if leaves else "seat_dialog.hint", seat=self._seat_name(self.seat))

    def _fit(self) -> None:
        self.query_one("#busy", Static).update(self._hint())
        self.query_one("#engine").display = self.with_model
        tested = self.seat not in self._bench.roles
        self.query_one(ModeField).display = self.with_model and tested
        if self.with_model and tested:
            self.query_one(ModeField).offer(self._bench, self.agent)

    @on(Select.Changed, "#seat")
    def _seat_changed(self) -> None:
        self._list()

    @on(OptionList.OptionHighlighted)
    def _highlighted(self) -> None:
        self._fit()

    @on(OptionList.OptionSelected)
    def _selected(self) -> None:
        """Enter agrees at once, except that a model's engine is looked at first."""
        if not self.with_model:
            self.action_confirm()
        elif self.query_one(EngineField).spec:
            self.query_one("#take").focus()
        else:
            self.query_one(EngineField).focus_control()

    # taking the seat

    def wanted(self) -> RunSpec:
        """A run in which the chosen one sits there from its beginning."""
        if self.seat in self._bench.roles:
            value = self.query_one(EngineField).spec if self.with_model else self.agent
            return self._spec.model_copy(update={"seats": {**self._spec.seats, self.seat: value}})
        flags = self.query_one(ModeField).flags if self.with_model else flags_of("lean")
        model = self.query_one(EngineField).spec if self.with_model else ""
        return self._spec.model_copy(update={"agent": self.agent, "model": model, **flags})

    def _newcomer(self, wanted: RunSpec) -> Seated:
        if self.seat in self._bench.roles:
            return seat_later(self._bench, self.seat, wanted.seats[self.seat], "")
        return Cast.of(self._bench, wanted).tested.model_copy(update={"seat": self.seat})

    def _back(self) -> Seated:
        if before := self._before.get(self.seat):
            return before
        if self.seat in self._bench.roles:
            return seat_later(self._bench, self.seat, "rules", "")
        return Cast.of(self._bench, RunSpec(benchmark=self._bench.name)).tested

    def action_confirm(self) -> None:
        if not self.agent or any(w.node is self and w.name == "check" and not w.is_finished for w in self.workers):
            return
        if self.with_model and not self.query_one(EngineField).spec:
            self.query_one(EngineField).fault(t("engine.none"))
            self.query_one(EngineField).focus_control()
            return
        if not self.with_model:
            self.dismiss(self._back() if self.agent == BACK else self._newcomer(self.wanted()))
            return
        wanted = self.wanted()
        self.query_one("#busy", Static).update(t("engine.checking"))
        self.job("check", partial(self._checked, wanted), self._sits, self._refused)

    def _checked(self, wanted: RunSpec) -> tuple[Seated | None, str]:
        """In the worker: who takes the seat, or why nobody can."""
        sentence = engines_offered.refusal(wanted)
        return (None, sentence) if sentence else (self._newcomer(wanted), "")

    def _sits(self, found: tuple[Seated | None, str]) -> None:
        who, sentence = found
        if who is None:
            self._refused(sentence)
        elif self.is_current:
            self.dismiss(who)

    def _refused(self, why: object) -> bool:
        self.query_one("#busy", Static).update(self._hint())
        self.query_one(EngineField).fault(one(str(why)))
        self.query_one(EngineField).focus_control()
        return True

    def on_input_submitted(self) -> None:
        self.query_one("#take").focus()


def sat_before(events: Sequence[Seated]) -> dict[str, Seated]:
    """Seat -> who sat there last that was no person."""
    return {event.seat: event for event in events if event.engine != HUMAN}


def drafted(path: Path, episode: str) -> str:
    """What the rules would do in the seat that is asked, as a person types it; '' where that is nothing."""
    event = would_do(path, episode)
    if isinstance(event, ToolCalled):
        return typed_call(event.tool, event.input) if isinstance(event.input, Mapping) else ""
    return event.res if isinstance(event, Answered) else ""


BENCHMARK = "courts"


class PresenterSeat(Dialog[Seated | None]):
    """Gives who sits down; None when nobody does. The cursor stands on the person's seat, else on that of whoever is
    next."""

    CSS_PATH = [SHEET, "../presenter.tcss"]
    help_id = "presenter_seat"
    BINDINGS: ClassVar[list[BindingType]] = bindings("presenter_seat")

    def __init__(self, scene: EpisodeSnapshot, following: str = "") -> None:
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
            self.dismiss(seat_later(self._bench, seat, "human", ""))
        else:
            seated = [event for event in self._scene.events if isinstance(event, Seated)]
            self.dismiss(sat_before(seated).get(seat) or seat_later(self._bench, seat, "rules", ""))
        return None

    def action_cancel(self) -> None:
        self.dismiss(None)
