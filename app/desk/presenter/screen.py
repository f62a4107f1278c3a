"""Presenter mode: a court episode for an audience, one utterance at a time, large and quiet. No letter key does
anything here.

It lies over the Episode screen and shows the same run, stored or in motion. It has a place of its own in what was
said, so that looking back here leaves the Episode screen where it is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING, ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import Label
from textual.worker import Worker

from app.court_words import DISCLAIMER
from app.desk.bindings import bindings
from app.desk.court.closing import closing_lines, tested_by_person
from app.desk.court.draft import Draft, draft_of
from app.desk.court.scene import Scene
from app.desk.court.stage import (
    before_lines,
    beside_document,
    cast_lines,
    document_lines,
    heading,
    heading_rule,
    is_document,
    paragraphs,
    stage_line,
    strip_lines,
    title_lines,
    until,
    utterances,
)
from app.desk.episode.renderers import Line
from app.desk.episode.scores import StepScores
from app.desk.messages import Failed, Happened, LiveMessage, Moving, Streamed
from app.desk.presenter.actions import PresenterActions
from app.desk.presenter.board import Board, Maker
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.key_bar import KeyBar
from app.strings import t
from tasks.courts.environment import Cue, environment
from tasks.run.header import is_fictional

if TYPE_CHECKING:
    from app.desk.episode.screen import EpisodeScreen

FRAME = 0.25
"""Seconds between two looks at how far a text has been read."""
STILL = ("title", "stages", "before", "speaker", "aside")
"""Boards that never have the focus: only what is said is scrolled by keys."""


class PresenterScreen(PresenterActions):
    """Shows the slides."""

    CSS_PATH = "presenter.tcss"
    help_id = "presenter"
    BINDINGS: ClassVar[list[BindingType]] = bindings("presenter")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (112, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]

    def __init__(self, source: EpisodeScreen) -> None:
        super().__init__(source)
        self._known: object = None
        self._scores: StepScores | None = None

    def compose(self) -> ComposeResult:
        yield Board(id="title", align="centre")
        yield Board(id="stages", align="centre")
        with Horizontal(id="hall"):
            with Vertical(id="middle"):
                yield Board(id="before", fall=True)
                yield Board(id="speaker")
                yield Board(id="speech")
                yield Label("", id="coming", markup=False)
                yield AnswerBox(id="answer")
            yield Board(id="aside")
        yield Label(DISCLAIMER, id="disclaimer", markup=False)
        yield KeyBar(("presenter",), id="keys")

    def on_mount(self) -> None:
        for name in STILL:
            self.query_one(f"#{name}").can_focus = False
        self._read()
        source = self.source
        if source.shown.back:
            self.at = sum(said.step <= source.shown.step for said in self.said)
        else:
            self.at = 0 if source.over else len(self.said)
            self.auto = source.moving in ("auto", "all") and not source.over
        self.box.about = "presenter_answer"
        self.set_interval(FRAME, self._tick)
        self.read.focus()
        self.settle()
        self.listen()

    def on_descendant_focus(self) -> None:
        typing = self.focused is not None and self.box in self.focused.ancestors_with_self
        self.query_one(KeyBar).areas(*(("answer", "presenter") if typing else ("presenter",)))

    # news

    def hear(self, message: LiveMessage) -> None:
        """News of the run, after the Episode screen has taken them."""
        if not isinstance(message, Streamed):
            self._follow()
            match message:
                case Failed():
                    self.wanting = False
                    self.box.give_back()
                case Moving() if not self.replaying:
                    self.auto = message.mode in ("auto", "all")
                case Happened():
                    self.want_more()
            self.listen()
            if self.auto and not self.replaying:
                self.later()
            self.show()
        self._show_turn()

    def _follow(self) -> None:
        """What was said until now; who was at the head stays there, but sees every utterance before the result."""
        head = self.head and not self.closing
        self._read()
        if head and self.at < len(self.said):
            self.at = len(self.said)
            self.wanting = False
            self.settle()

    def _read(self) -> None:
        self.whole = self._scene_of(None)
        self.said = utterances(self.whole) if self.whole is not None else ()

    def _scene_of(self, step: int | None) -> Scene | None:
        """The scene at the end of a step; None for the last."""
        from app.desk.court.panes import CourtFace

        face, records = self.source.face, self.source.shown.records
        return face.scene(records if step is None else until(records, step)) if isinstance(face, CourtFace) else None

    def _show_turn(self) -> None:
        live, facts = self.desk.live, self.source.facts
        ours = live is not None and facts is not None and live.path == facts.path and not live.closed.is_set()
        self.turn = live.turn(self.source.episode) if live is not None and ours else None
        self._show_coming()

    def _tick(self) -> None:
        """Long texts move; the case may have been read meanwhile."""
        keeper = self.source.keeper, self.source.keeper_failed
        if keeper != self._known:
            self._known = keeper
            self._read()
            self.show()
        self.roll()

    # what is shown

    def show(self) -> None:
        """Bring everything in line with the slide."""
        step = self.said[self.at - 1].step if 0 < self.at <= len(self.said) else 0
        scene = self.whole if self.head else self._scene_of(step)
        if scene is None or not self.is_mounted:
            return
        facts = self.source.facts
        fictional = facts is not None and is_fictional(facts.header)
        self.set_class(bool(self.asked), "-asked")
        self.set_class(self.slide is None, "-card")
        self._board("title", lambda room: title_lines(scene, self.source.state.task_id, fictional))
        self._board("stages", lambda room: [stage_line(scene)])
        draft = draft_of(scene) if not scene.court else None
        written = draft if draft is not None and draft.document is not None else None
        self.set_class(written is not None, "-document")
        self._middle(scene, written)
        self._aside(scene, written)
        self._show_coming()

    def _board(self, name: str, make: Maker, key: object = None, *, airy: bool = False, hang: int = 0) -> None:
        self.query_one(f"#{name}", Board).show(make, key, airy=airy, hang=hang)

    def _middle(self, scene: Scene, written: Draft | None) -> None:
        slide = self.slide
        if slide is not None:
            rows = 1 if self.has_class("-low") else 3
            before = self.said[max(0, self.at - 3) : self.at - 1]
            self._board("before", lambda room: before_lines(before, room, rows))
            self._board("speaker", lambda room: [heading(slide), heading_rule(slide, room)])
            document = written if written is not None and is_document(slide, written) else None
            self.beside = document is not None and self.has_class("-wide")
            if document is not None:
                lines = beside_document(slide, document) if self.beside else document_lines(document)
            else:
                lines = paragraphs(slide)
            self._board("speech", lambda room: lines, (self.at, slide.seq), airy=document is None or self.beside)
            return
        self.beside = False
        ended = t("presenter.closing" if scene.court else "presenter.closing.other")
        name = ended if self.closing else environment(scene.env).names[0]
        self._board("speaker", lambda room: [((name, "label"),), (("─" * room, "rule"),)])
        card = self._closing_lines(scene) if self.closing else cast_lines(scene)
        self._board("speech", lambda room: card, self.at, airy=not self.closing)

    def _aside(self, scene: Scene, written: Draft | None) -> None:
        """A document once there is one, else acts and exhibits."""
        if written is not None:
            self._board("aside", lambda room: document_lines(written), (self.at, "document"))
        else:
            self._board("aside", lambda room: strip_lines(scene, room), hang=2)
        aside = self.query_one("#aside")
        if aside.can_focus != self.beside:
            aside.can_focus = self.beside
            if not self.asked:
                self.read.focus()

    def _closing_lines(self, scene: Scene) -> Sequence[Line]:
        keeper, failed = self.source.keeper, self.source.keeper_failed
        if tested_by_person(scene):
            return closing_lines(scene, self.said, None, t("presenter.hidden"))
        if (
            self._scores is None
            and keeper is not None
            and not any(worker.name == "closing" for worker in self.workers)
        ):
            job = partial(keeper.step, tuple(self.source.shown.records), self.source.episode)
            self.run_worker(job, name="closing", thread=True, exit_on_error=False)
        return closing_lines(scene, self.said, self._scores, t("scores.none" if failed else "scores.scoring"))

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if not self.desk.worker_failed(event) and event.worker.name == "closing":
            self._scores = event.worker.result
            self.show()

    def _show_coming(self) -> None:
        """What is waited for, in a few words."""
        cue = self.whole.cue if self.whole is not None and (self.speaking or self.wanting) and self.head else None
        words = t("presenter.auto") if self.auto and not self.asked else ""
        if isinstance(cue, Cue) and self.whole is not None and not self.asked:
            words = t("presenter.coming", who=self.whole.name(cue.role))
        self.query_one("#coming", Label).update(words)
        self.query_one(KeyBar).refresh()
