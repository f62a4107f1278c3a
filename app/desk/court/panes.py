"""The Episode screen as a court screen: programme left, transcript in the middle, file, exhibits, law, draft and
scores right.

The case comes from the task file that the scorekeeper has read. A person who holds a seat sees what the seat may see.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, ClassVar

from textual.binding import BindingType
from textual.message import Message

from app.court_words import env_name
from app.desk.bindings import bindings
from app.desk.court.casefile import exhibit_lines, file_lines
from app.desk.court.draft import draft_lines, draft_of
from app.desk.court.lines import GUTTER, CourtLines
from app.desk.court.programme import ProgrammeItem, owed_now, programme
from app.desk.court.scene import EpisodeSnapshot, human_seats, scene_of
from app.desk.episode.controller import Controller
from app.desk.episode.faces import Heading, PaneRenderer
from app.desk.episode.plan_pane import fact_rows
from app.desk.episode.renderers import EventBlock, Line, Piece, engine_name, one, policy_name
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import DisplayRow, LinesPane, rows_of, wrapped
from app.strings import known, t
from app.terminal import pad, truncate, width
from tasks.courts.agents.references import names_at
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.roles import role_of, seat_of
from tasks.courts.environment import Cue, TopicCue, codes, environment
from tasks.courts.play.record import shown
from tasks.courts.scores.drafted import END_MARK
from tasks.episode.events import Record, Seated
from tasks.episode.with_tools import SEAT

ASKED = 140
"""Cells shown of what was asked; the transcript has the whole."""
DUTIES = 5
"""Duties that are named."""


def brief_lines(scene: EpisodeSnapshot, seat: str) -> list[Line]:
    """The brief of a seat, a line a thing."""
    role = role_of(scene.env, seat)
    return [*_asked(scene, role), *(_presiding(scene) if scene.court and role == "judge" else _others(scene, role))]


def _asked(scene: EpisodeSnapshot, role: str) -> Iterator[Line]:
    turn = next((turn for turn in reversed(scene.turns) if turn.speaker != role), None)
    if turn is None:
        yield ((t("court.brief.first"), "dim"),)
    else:
        yield ((scene.name(turn.speaker), "seat"), ("：", "dim"), (truncate(one(shown(turn.text)), ASKED), "text"))


def _presiding(scene: EpisodeSnapshot) -> Iterator[Line]:
    first: dict[tuple[str, ...], str] = {}
    for name, roles in names_at(scene.env).items():
        first.setdefault(roles, name)
    names = "　".join(f"@{name}" for roles, name in first.items() if "judge" not in roles)
    yield ((t("court.brief.address"), "dim"), (names, "label"))
    owed = owed_now(programme(scene))
    if owed:
        more = t("court.brief.more", n=len(owed) - DUTIES) if len(owed) > DUTIES else ""
        yield ((t("court.brief.owed"), "dim"), ("；".join(owed[:DUTIES]) + more, "text"))
    elif scene.duties:
        yield ((t("court.brief.stage_done"), "dim"),)


def _others(scene: EpisodeSnapshot, role: str) -> Iterator[Line]:
    cue = scene.cue
    if isinstance(cue, Cue) and cue.role == role and cue.topic is not None:
        yield _topic(cue.topic, str(scene.seen.get("theme", "")))
    if environment(scene.env).kind == "draft" and role == scene.tested:
        yield ((t("court.brief.draft", mark=END_MARK), "dim"),)


def _topic(topic: TopicCue, theme: str) -> Line:
    return ((t(f"court.brief.{topic.kind}"), "dim"), (one(topic.question or theme), "text"))


MARKS = {
    "done": ("✔", "good"), "now": ("▶", "label"), "partly": ("◐", "seat"), "open": ("☐", "dim"),
    "failed": ("✘", "bad"),
}  # fmt: skip
"""How far -> sign and role."""
Shown = tuple[ProgrammeItem, int]
"""An item and its depth."""


class ProgrammePane(Choice):
    """Shows items; Enter unfolds one, or goes to the record it came true with."""

    help_id = "programme"
    AT_ONCE = True
    BINDINGS: ClassVar[list[BindingType]] = bindings("programme")

    class ItemSelected(Message):
        """An item was chosen: the record it came true with."""

        def __init__(self, seq: int) -> None:
            super().__init__()
            self.seq = seq

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self._items: Sequence[ProgrammeItem] = ()
        self._facts: Sequence[tuple[str, str]] = ()
        self._notice = ""
        self._unfolded: dict[str, bool] = {}
        self._everything = False
        self.things: Sequence[Shown] = ()

    # content

    def show(self, items: Sequence[ProgrammeItem], facts: Sequence[tuple[str, str]], notice: str = "") -> None:
        """Show items, and facts (name, value) under them; `notice` says why there are no more, or none."""
        self._items, self._facts, self._notice = items, facts, notice
        self.rebuild()

    def forget(self) -> None:
        """Another episode: nothing was unfolded by hand."""
        self._unfolded.clear()
        self._everything = False
        self.cursor = -1

    def rebuild(self) -> None:
        key = self.chosen[0].key if self.chosen else ""
        self.things = list(self._flat(self._items, 0))
        keys = [item.key for item, _ in self.things]
        self.cursor = keys.index(key) if self.has_focus and key in keys else self._current()
        super().rebuild()

    def _flat(self, items: Sequence[ProgrammeItem], depth: int) -> Iterator[Shown]:
        for item in items:
            yield item, depth
            if item.children and self._unfolded.get(item.key, item.unfolded or self._everything):
                yield from self._flat(item.children, depth + 1)

    def fold_all(self) -> None:
        """Unfold everything, or show again what is unfolded by itself."""
        self._everything = not self._everything
        self._unfolded.clear()
        self.rebuild()

    def _current(self) -> int:
        """Where the episode is: the first thing that is still open in the current part, else the part."""
        at = next((index for index, (item, _) in enumerate(self.things) if item.mark == "now"), None)
        if at is None:
            return min(0, self.count - 1)
        for index, (item, depth) in enumerate(self.things[at + 1 :], at + 1):
            if depth <= self.things[at][1]:
                break
            if item.mark in ("now", "open", "partly") and not item.optional:
                return index
        return at

    def build(self, width_: int) -> Iterable[DisplayRow]:
        if self._notice:
            yield from rows_of(((self._notice, "warn" if self._items else "dim"),), width_)
        for index, (item, depth) in enumerate(self.things):
            yield from self._rows(index, item, depth, width_)
        yield from fact_rows(self._facts, width_)

    def _rows(self, index: int, item: ProgrammeItem, depth: int, room: int) -> Iterator[DisplayRow]:
        sign, tone = MARKS[item.mark]
        lead = "  " * depth
        role = (
            "bad"
            if item.fault or item.mark == "failed"
            else "dim"
            if item.optional
            else "question"
            if depth == 0
            else "text"
        )
        tail: list[Piece] = []
        if item.count is not None:
            tail.append((f"{item.count[0]}/{item.count[1]}", "good" if item.count[0] == item.count[1] else "dim"))
        if item.faults:
            tail.append((f" ✘{item.faults}", "bad"))
        text: list[Piece] = [(one(item.text), role)]
        if item.left:
            text.append((f"（{item.left}）", "warn"))
        size = sum(width(part) for part, _ in tail)
        body = max(4, room - len(lead) - 2 - (size + 1 if size else 0))
        note = item.note
        for number, row in enumerate(wrapped(tuple(text), body)):
            pieces: list[Piece] = [
                (lead, "text"),
                (f"{sign} " if number == 0 else "  ", "dim" if item.optional else tone),
                *row,
            ]
            used = sum(width(part) for part, _ in row)
            if number == 0 and tail:
                pieces += [(pad("", body - used + 1), "text"), *tail]
            elif number == 0 and note and used + width(note) < body and len(row) == 1:
                pieces.append((pad("", body - used - width(note)) + note, "dim"))
                note = ""
            yield DisplayRow(tuple(pieces), index)
        for row in wrapped(((note, "dim"),), max(4, room - len(lead) - 2)) if note else ():
            yield DisplayRow(((f"{lead}  ", "text"), *row), index)

    # cursor

    def marked(self, y: int) -> bool:
        """Rows of the item under the cursor, for who looks at it."""
        return self.has_focus and super().marked(y)

    def action_page(self, by: int) -> None:
        (self.action_page_down if by > 0 else self.action_page_up)()

    def action_choose(self) -> None:
        """Unfold or fold what has parts, else go to the record."""
        if not self.things:
            return
        item = self.things[self.cursor][0]
        if item.children:
            self._unfolded[item.key] = not self._unfolded.get(item.key, item.unfolded or self._everything)
            self.rebuild()
        elif item.seq is not None:
            self.post_message(self.ItemSelected(item.seq))
        else:
            self.app.notify(t("court.not_yet"), markup=False)


TABS: Mapping[str, tuple[str, ...]] = {
    "trial": ("file", "exhibits", "evidence", "scores"), "draft": ("file", "document", "evidence", "scores"),
    "advice": ("file", "evidence", "scores"), "talk": ("file", "evidence", "scores"),
}  # fmt: skip
"""Kind -> the panes on the right."""
STAYS: Mapping[str, int] = {SEAT: 8, "clerk": 1, "tracker": 1}
"""Seat -> how long it stays in the title bar when room gets scarce; others 3, less than the cause."""


def case_of(at: Controller) -> Case | None:
    """The case of the episode that is shown, once the task file was read."""
    question = at.keeper.questions.get(at.state.task_id) if at.keeper is not None else None
    return getattr(question, "case", None)


def scene_now(at: Controller, records: Sequence[Record] | None = None, asked: str = "") -> EpisodeSnapshot | None:
    """The scene that is looked at, or that of these records."""
    assert at.facts is not None
    holders = human_seats(at.state.seats) if not at.over else frozenset()
    shown = at.shown.visible() if records is None else records
    return scene_of(at.facts.header, shown, case_of(at), holders=holders, asked=asked or at.asked)


class CourtPaneRenderer(PaneRenderer):
    """Fills the panes of a court episode."""

    style: ClassVar[str] = "-court"
    gutter: ClassVar[int | None] = GUTTER
    ruled: ClassVar[bool] = False
    about: ClassVar[tuple[str, str]] = ("court", "court_answer")
    answering: ClassVar[str] = "court.answer"

    def __init__(self, screen: Any) -> None:
        super().__init__(screen)
        self.everything = False
        self._lines: CourtLines | None = None
        self._sheets: Mapping[str, Callable[[EpisodeSnapshot], Sequence[Line]]] = {
            "file": lambda scene: file_lines(scene, self.everything), "exhibits": exhibit_lines,
            "document": lambda scene: draft_lines(draft_of(scene)),
        }  # fmt: skip

    # what it is about

    def scene(self, records: Sequence[Record] | None = None, asked: str = "") -> EpisodeSnapshot | None:
        return scene_now(self.at, records, asked)

    @property
    def kind(self) -> str:
        env = str(self.at.state.card.get("env", ""))
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
        return TABS[self.kind]

    # the record

    def make(self, records: Sequence[Record]) -> Mapping[int, EventBlock | None]:
        if self._lines is None:
            scene = self.scene(self.at.shown.records)
            if scene is None:
                return super().make(records)
            self._lines = CourtLines(scene)
        return self._lines.make(records)

    def forget(self) -> None:
        self._lines = None

    def seat(self, seat: str) -> str:
        scene = self.scene()
        return scene.seat(seat) if scene is not None else super().seat(seat)

    @property
    def following(self) -> str:
        scene = self.scene(self.at.shown.records)
        return seat_of(scene.env, scene.cue.role) if scene is not None and isinstance(scene.cue, Cue) else ""

    # the panes

    def paint(self) -> None:
        scene = self.scene()
        if scene is None:
            return super().paint()
        self.everything = self.everything and not self.at.human
        pane = self.screen.query_one(ProgrammePane)
        pane.show(programme(scene), self.facts(), self._notice())
        lines = self._sheets.get(self.screen.tab)
        if lines is not None:
            sheet = self.screen.query_one(f"#{self.screen.tab}", LinesPane)
            sheet.read(lines(scene) or self._absent(), f"{self.at.episode}/{self.everything}/{scene.reader}")
        words = t("court.file.all") if self.everything else t("court.file.of", who=scene.name(scene.reader))
        self.screen.query_one("#file").border_title = words
        self.screen.query_one("#file").border_subtitle = "" if self.at.human else t("court.file.key")
        return None

    def _notice(self) -> str:
        return "" if case_of(self.at) is not None else t("court.gone" if self.at.keeper_failed else "court.reading")

    def _absent(self) -> Sequence[Line]:
        return [((self._notice(), "warn" if self.at.keeper_failed else "dim"),)]

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
        scene = self.scene(self.at.shown.records, seat)
        return brief_lines(scene, seat) if scene is not None else ()

    def toggle_everything(self) -> str:
        """Show all material, or only what the seat may see; what to say about it."""
        if self.at.human:
            return t("court.everything.refused")
        self.everything = not self.everything
        return t("court.everything.on" if self.everything else "court.everything.off")

    def copied(self) -> str:
        focused = self.screen.focused
        return focused.text if isinstance(focused, LinesPane) else super().copied()


def who_sits(seated: Seated) -> str:
    """规则, 本人, or the name of the model: short, for a bar."""
    if seated.engine and seated.engine != "human":
        return engine_name(seated.engine)
    key = f"court.who.{seated.policy.split('/')[0].split('+')[0]}"
    return t(key) if known(key) else policy_name(seated.policy, seated.engine)
