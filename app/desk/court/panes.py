"""The Episode screen as a court screen: programme left, transcript in the middle, file, exhibits, law, draft and
scores right.

The case comes from the task file that the scorekeeper has read. A person who holds a seat sees what the seat may see.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import ClassVar

from app.court_words import env_name
from app.desk.court.brief import brief_lines
from app.desk.court.casefile import file_lines
from app.desk.court.draft import draft_lines, draft_of
from app.desk.court.exhibits import exhibit_lines
from app.desk.court.lines import GUTTER, CourtLines
from app.desk.court.programme import programme
from app.desk.court.scene import Scene, held_by_people, scene_of
from app.desk.court.tree import ProgrammePane
from app.desk.episode.faces import Face, Stage
from app.desk.episode.renderers import Block, Line, engine_name, one, policy_name
from app.desk.episode.seat_bar import Heading
from app.desk.widgets.sheet import Sheet
from app.strings import known, t
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.roles import seat_of
from tasks.courts.environment import Cue, codes, environment
from tasks.episode.events import Record, Seated
from tasks.episode.with_tools import SEAT

TABS: Mapping[str, tuple[str, ...]] = {
    "trial": ("file", "exhibits", "evidence", "scores"), "draft": ("file", "document", "evidence", "scores"),
    "advice": ("file", "evidence", "scores"), "talk": ("file", "evidence", "scores"),
}  # fmt: skip
"""Kind -> the panes on the right."""
STAYS: Mapping[str, int] = {SEAT: 8, "clerk": 1, "tracker": 1}
"""Seat -> how long it stays in the title bar when room gets scarce; others 3, less than the cause."""


class CourtFace(Face):
    """Fills the panes of a court episode."""

    style: ClassVar[str] = "-court"
    gutter: ClassVar[int | None] = GUTTER
    ruled: ClassVar[bool] = False
    about: ClassVar[tuple[str, str]] = ("court", "court_answer")
    answering: ClassVar[str] = "court.answer"

    def __init__(self, screen: Stage) -> None:
        super().__init__(screen)
        self.everything = False
        self._lines: CourtLines | None = None
        self._sheets: Mapping[str, Callable[[Scene], Sequence[Line]]] = {
            "file": lambda scene: file_lines(scene, self.everything), "exhibits": exhibit_lines,
            "document": lambda scene: draft_lines(draft_of(scene)),
        }  # fmt: skip

    # what it is about

    @property
    def case(self) -> Case | None:
        """The case of the episode, once it is read."""
        keeper = self.screen.keeper
        question = keeper.questions.get(self.screen.state.task_id) if keeper is not None else None
        return getattr(question, "case", None)

    def scene(self, records: Sequence[Record] | None = None, asked: str = "") -> Scene | None:
        """The scene that is looked at, or that of these records."""
        screen = self.screen
        assert screen.facts is not None
        holders = held_by_people(screen.state.seats) if not screen.over else frozenset()
        shown = screen.shown.visible() if records is None else records
        return scene_of(screen.facts.header, shown, self.case, holders=holders, asked=asked or screen.asked)

    @property
    def kind(self) -> str:
        """trial, draft, advice or talk."""
        env = str(self.screen.state.card.get("env", ""))
        return environment(env).kind if env in codes() else "trial"

    @property
    def prefix(self) -> str:
        """Panes are called after what it is."""
        return f"{self.kind}."

    @property
    def panes(self) -> tuple[str, str, str]:
        """The right pane that has the focus is the one that is shown."""
        return "record", "programme", self.screen.tab

    @property
    def tabs(self) -> tuple[str, ...]:  # type: ignore[override]
        """What there is on the right."""
        return TABS[self.kind]

    # the record

    def make(self, records: Sequence[Record]) -> Mapping[int, Block | None]:
        """Blocks of the transcript."""
        if self._lines is None:
            scene = self.scene(self.screen.shown.records)
            if scene is None:
                return super().make(records)
            self._lines = CourtLines(scene)
        return self._lines.make(records)

    def forget(self) -> None:
        """Names and titles may be others now."""
        self._lines = None

    def seat(self, seat: str) -> str:
        """The name of a seat in court language."""
        scene = self.scene()
        return scene.seat(seat) if scene is not None else super().seat(seat)

    @property
    def following(self) -> str:
        """The seat whose turn it is."""
        scene = self.scene(self.screen.shown.records)
        return seat_of(scene.env, scene.cue.role) if scene is not None and isinstance(scene.cue, Cue) else ""

    # the panes

    def paint(self) -> None:
        """Programme and sheets."""
        scene = self.scene()
        if scene is None:
            return super().paint()
        self.everything = self.everything and not self.screen.human
        pane = self.screen.query_one(ProgrammePane)
        pane.show(programme(scene), self.screen.fact_lines(), self._notice())
        lines = self._sheets.get(self.screen.tab)
        if lines is not None:
            sheet = self.screen.query_one(f"#{self.screen.tab}", Sheet)
            sheet.show(lines(scene) or self._absent(), f"{self.screen.episode}/{self.everything}/{scene.reader}")
        words = t("court.file.all") if self.everything else t("court.file.of", who=scene.name(scene.reader))
        self.screen.query_one("#file").border_title = words
        self.screen.query_one("#file").border_subtitle = "" if self.screen.human else t("court.file.key")
        return None

    def _notice(self) -> str:
        return "" if self.case is not None else t("court.gone" if self.screen.keeper_failed else "court.reading")

    def _absent(self) -> Sequence[Line]:
        return [((self._notice(), "warn" if self.screen.keeper_failed else "dim"),)]

    # the title bar

    def heading(self, heading: Heading) -> Heading:
        """Environment, case and cause; who sits where; the turn of so many. What is fictional is said on a line of
        its own."""
        scene = self.scene()
        if scene is None:
            return heading
        cast = tuple(
            (scene.brief(role), who_sits(seated), STAYS.get(seat, 3))
            for role in scene.roles
            if (seated := scene.seats.get(seat := seat_of(scene.env, role))) is not None
        )
        turns = t("court.turns", n=scene.made, of=scene.limit if scene.limit is not None else "–")
        title = f"{env_name(scene.env)} {one(heading.task)}"
        return replace(heading, title=title, group=one(scene.cause), cast=cast, progress=turns, fictional=False)

    # a person

    def brief(self, seat: str) -> Sequence[Line]:
        """What was asked, and what may be done."""
        scene = self.scene(self.screen.shown.records, seat)
        return brief_lines(scene, seat) if scene is not None else ()

    def toggle_everything(self) -> str:
        """Show all material, or only what the seat may see; what to say about it."""
        if self.screen.human:
            return t("court.everything.refused")
        self.everything = not self.everything
        return t("court.everything.on" if self.everything else "court.everything.off")

    def copied(self) -> str:
        """The text of the sheet that has the focus."""
        focused = self.screen.focused
        return focused.text if isinstance(focused, Sheet) else super().copied()


def who_sits(seated: Seated) -> str:
    """规则, 本人, or the name of the model: short, for a bar."""
    if seated.engine and seated.engine != "human":
        return engine_name(seated.engine)
    key = f"court.who.{seated.policy.split('/')[0].split('+')[0]}"
    return t(key) if known(key) else policy_name(seated.policy, seated.engine)
