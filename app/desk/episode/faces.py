"""What the Episode screen shows differently for a benchmark. A face fills the panes; the screen knows when.

The one here is that of most benchmarks: plan and hops left, evidence and scores right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar, Protocol

from app.desk.episode.evidence_pane import EvidencePane
from app.desk.episode.plan_pane import PlanPane, plan_items
from app.desk.episode.renderers import Block, Line, seat_name
from app.desk.episode.scores import Scorekeeper
from app.desk.episode.seat_bar import Heading
from app.desk.episode.shown import Shown, each
from app.desk.messages import RunFacts
from app.strings import t
from tasks.episode.events import Record, Seated
from tasks.episode.state import State

ASIDE = ("file", "exhibits", "document", "evidence", "scores")
"""Ids of all panes that a face may put on the right."""


class Stage(Protocol):
    """What a face may ask of the screen whose panes it fills; `tab` is the pane on the right that is shown."""

    facts: RunFacts | None
    shown: Shown
    state: State
    keeper: Scorekeeper | None
    keeper_failed: bool
    asked: str
    focused: Any
    episode: str

    @property
    def query_one(self) -> Any:
        """A widget by its class."""
        ...

    @property
    def tab(self) -> str:
        """The pane on the right that is shown."""
        ...

    @property
    def human(self) -> bool:
        """Whether a person holds a seat of the running episode."""
        ...

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        ...

    def fact_lines(self) -> Sequence[tuple[str, str]]:
        """What is known of the run."""
        ...


class Face:
    """Fills the panes of the screen; one is made for every run that is opened."""

    style: ClassVar[str] = ""
    """Class of the screen while this face is shown."""
    gutter: ClassVar[int | None] = None
    """Cells of the column of labels in the record; None for the usual ones."""
    ruled: ClassVar[bool] = True
    """Whether the record has a line above each step."""
    about: ClassVar[tuple[str, str]] = ("", "")
    """What F1 explains for the record and for the box of a person; '' for the usual words."""
    answering: ClassVar[str] = "answer"
    """What the keys of the words of the box of a person begin with."""
    tabs: tuple[str, ...] = ()
    """Panes on the right of which one is shown at a time."""

    def __init__(self, screen: Stage) -> None:
        self.screen = screen

    @property
    def prefix(self) -> str:
        """What the names of the panes begin with, in the tables of words."""
        return ""

    @property
    def panes(self) -> tuple[str, str, str]:
        """Ids of what has the focus in the views record, plan and evidence."""
        return "record", "plan", "evidence"

    def make(self, records: Sequence[Record]) -> Mapping[int, Block | None]:
        """The blocks of records that came together."""
        return each(records)

    def forget(self) -> None:
        """Another episode, or more is known of it: make everything anew."""

    def heading(self, heading: Heading) -> Heading:
        """The title bar."""
        return heading

    def paint(self) -> None:
        """Fill the panes for the step that is looked at."""
        screen = self.screen
        visible = screen.shown.visible()
        gold = any(isinstance(r.event, Seated) and r.event.policy.startswith("gold/") for r in visible)
        hidden = t("plan.hidden") if screen.human and gold else ""
        screen.query_one(PlanPane).show(plan_items(visible), screen.fact_lines(), hidden)

    def seat(self, seat: str) -> str:
        """The name of a seat."""
        return seat_name(seat)

    @property
    def following(self) -> str:
        """The seat that speaks next, '' where that goes without saying."""
        return ""

    def brief(self, seat: str) -> Sequence[Line]:
        """What stands above the box of a person who is asked in this seat."""
        return ()

    def toggle_everything(self) -> str:
        """Show all material, or only what a seat may see; what to say about it."""
        return ""

    def copied(self) -> str:
        """What is copied while one of the panes on the right has the focus, '' for the record."""
        evidence = self.screen.query_one(EvidencePane)
        return evidence.event.observation if evidence.has_focus and evidence.event else ""
