"""Presenter mode: a court episode for an audience, one utterance at a time, large and quiet. No letter key does
anything here.

It is a second view of the run that the Episode screen below it shows, stored or in motion. It has a place of its own
in what was said, so that looking back here leaves the Episode screen where it is.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import ClassVar, Literal

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Resize
from textual.screen import ModalScreen
from textual.timer import Timer
from textual.widgets import Label

from app.court_words import DISCLAIMER
from app.desk.bindings import bindings
from app.desk.court.draft import DraftView, draft_of
from app.desk.court.panes import brief_lines, scene_now
from app.desk.court.scene import EpisodeSnapshot
from app.desk.court.stage import (
    Utterance,
    before_lines,
    beside_document,
    cast_lines,
    closing_lines,
    document_lines,
    heading,
    heading_rule,
    is_document,
    paragraphs,
    stage_line,
    strip_lines,
    tested_by_person,
    title_lines,
    until,
    utterances,
)
from app.desk.episode.controller import Controller
from app.desk.episode.open_turn import OpenTurn
from app.desk.episode.renderers import Line
from app.desk.episode.scores import StepScores
from app.desk.episode.seat import PresenterSeat
from app.desk.jobs import OnDesk
from app.desk.live import LONGEST, PACES, clock
from app.desk.messages import Fact, OpenTurnChanged, PlayMode, RunFailed
from app.desk.widgets.answer_box import AnswerBox, AnswerText
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import DisplayRow, LineView, row_text, wrapped
from app.strings import t
from app.terminal import width as cells
from tasks.courts.environment import Cue, environment
from tasks.episode.events import Seated, StepEnded
from tasks.episode.scheduler import HUMAN, Notice, RecordsCommitted
from tasks.run.header import is_fictional

Maker = Callable[[int], Sequence[Line]]
"""Lines for a width in cells."""
BLANK = DisplayRow((("", "text"),))


class SlideView(LineView):
    """Shows what a maker gives for the width.

    `align`: of lines that are shorter than the board. `fall`: what is lower than the board stands at its bottom.
    """

    def __init__(
        self, *, id: str | None = None, align: Literal["left", "centre"] = "left", fall: bool = False
    ) -> None:
        super().__init__(id=id)
        self._make: Maker = lambda room: ()
        self._key: object = None
        self._airy, self._hang = False, 0
        self._align, self._fall = align, fall

    def show(self, make: Maker, key: object = None, *, airy: bool = False, hang: int = 0) -> None:
        """Show these lines, another `key` from the top; `airy`: paragraphs, every row apart where that fits.

        `hang`: cells by which continued rows are moved in.
        """
        changed = key != self._key
        self._make, self._key, self._airy, self._hang = make, key, airy, hang
        self.rebuild()
        if changed:
            self.scroll_home(animate=False, immediate=True)

    def on_resize(self, event: Resize) -> None:
        self.rebuild()

    @property
    def text(self) -> str:
        return "\n".join(row_text(row).rstrip() for row in self.rows)

    @property
    def beyond(self) -> int:
        """Rows that cannot be seen without scrolling."""
        return max(0, len(self.rows) - max(1, self.scrollable_content_region.height))

    def build(self, width: int) -> Iterable[DisplayRow]:
        lines = [[DisplayRow(tuple(row)) for row in wrapped(line, width, self._hang)] for line in self._make(width)]
        height = self.scrollable_content_region.height
        rows = _apart(lines, 1) if self._airy else [row for line in lines for row in line]
        if self._airy and len(rows) > height:
            rows = _apart(lines, 0)
        if self._align == "centre":
            rows = [_centred(row, width) for row in rows]
        return [BLANK] * max(0, height - len(rows)) + rows if self._fall else rows


def _apart(lines: Sequence[Sequence[DisplayRow]], gap: int) -> list[DisplayRow]:
    """The rows of paragraphs with so many blank rows between them, and one more between paragraphs."""
    rows: list[DisplayRow] = []
    for line in lines:
        rows += [BLANK] if rows else []
        for number, row in enumerate(line):
            rows += [BLANK] * gap if number else []
            rows.append(row)
    return rows


def _centred(row: DisplayRow, room: int) -> DisplayRow:
    left = max(0, room - cells(row_text(row).rstrip())) // 2
    return DisplayRow(((" " * left, "text"), *row.pieces))


CARD = 4.0
"""Seconds that a card is shown when it goes by itself."""
LEAST = 0.05
"""Seconds that anything is shown."""
LEAD = 0.15
"""Share of the time of a long text before it begins to move; it stands still as long at its end."""
FRAME = 0.25
"""Seconds between two looks at how far a text has been read."""
STILL = ("title", "stages", "before", "speaker", "aside")
"""Boards that never have the focus: only what is said is scrolled by keys."""


class PresenterScreen(OnDesk, ModalScreen[None]):
    """Slides in a row: a card with the court, every utterance, and a card with the result once it is over."""

    CSS_PATH = "presenter.tcss"
    help_id = "presenter"
    BINDINGS: ClassVar[list[BindingType]] = bindings("presenter")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (112, "-wide")]
    VERTICAL_BREAKPOINTS = [(0, "-low"), (32, "-high")]

    def __init__(self, controller: Controller, below: AnswerBox) -> None:
        """Lie over the Episode screen; what a person types moves on from its box, `below`, and back."""
        super().__init__()
        self.controller = controller
        self.below = below
        self.whole: EpisodeSnapshot | None = None
        """The scene of all that is on record, whatever slide is shown."""
        self.said: tuple[Utterance, ...] = ()
        self.at = 0
        self.auto = False
        self.wanting = False
        """Whether an utterance was asked for and has not come yet."""
        self.turn: OpenTurn | None = None
        self.beside = False
        """Whether what is to be read stands beside the middle: a document that was just written."""
        self._next: Timer | None = None
        self._since = 0.0
        self._rows = 0
        self._by_hand = False
        self._known: object = None
        self._scores: StepScores | None = None

    def compose(self) -> ComposeResult:
        yield SlideView(id="title", align="centre")
        yield SlideView(id="stages", align="centre")
        with Horizontal(id="hall"):
            with Vertical(id="middle"):
                yield SlideView(id="before", fall=True)
                yield SlideView(id="speaker")
                yield SlideView(id="speech")
                yield Label("", id="coming", markup=False)
                yield AnswerBox(id="answer")
            yield SlideView(id="aside")
        yield Label(DISCLAIMER, id="disclaimer", markup=False)
        yield KeyBar(("presenter",), id="keys")

    def on_mount(self) -> None:
        for name in STILL:
            self.query_one(f"#{name}").can_focus = False
        self._read()
        run = self.controller
        run.views.append(self)
        if run.shown.back:
            self.at = sum(said.step <= run.shown.step for said in self.said)
        else:
            self.at = 0 if run.over else len(self.said)
            self.auto = run.goes_on and not run.over
        self.box.about = "presenter_answer"
        self.set_interval(FRAME, self._tick)
        self.read.focus()
        self.settle()
        self.listen()

    def on_unmount(self) -> None:
        self.controller.views.remove(self)

    def on_descendant_focus(self) -> None:
        typing = self.focused is not None and self.box in self.focused.ancestors_with_self
        self.query_one(KeyBar).areas(*(("answer", "presenter") if typing else ("presenter",)))

    # news

    def update(self, notice: Notice | Fact) -> None:
        if not isinstance(notice, OpenTurnChanged):
            self._follow()
            match notice:
                case RunFailed():
                    self.wanting = False
                    self.box.give_back()
                case PlayMode(mode) if not self.replaying:
                    self.auto = mode in ("auto", "all")
                case RecordsCommitted():
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

    def _scene_of(self, step: int | None) -> EpisodeSnapshot | None:
        """The scene at the end of a step; None for the last."""
        records = self.controller.shown.records
        return scene_now(self.controller, records if step is None else until(records, step))

    def _show_turn(self) -> None:
        self.turn = self.controller.turn_now()
        self._show_coming()

    def _tick(self) -> None:
        """Long texts move; the case may have been read meanwhile."""
        keeper = self.controller.keeper, self.controller.keeper_failed
        if keeper != self._known:
            self._known = keeper
            self._read()
            self.show()
        self.roll()

    # what is shown

    def show(self) -> None:
        step = self.said[self.at - 1].step if 0 < self.at <= len(self.said) else 0
        scene = self.whole if self.head else self._scene_of(step)
        if scene is None or not self.is_mounted:
            return
        facts = self.controller.facts
        fictional = facts is not None and is_fictional(facts.header)
        self.set_class(bool(self.asked), "-asked")
        self.set_class(self.slide is None, "-card")
        self._board("title", lambda room: title_lines(scene, self.controller.state.task_id, fictional))
        self._board("stages", lambda room: [stage_line(scene)])
        draft = draft_of(scene) if not scene.court else None
        written = draft if draft is not None and draft.document is not None else None
        self.set_class(written is not None, "-document")
        self._middle(scene, written)
        self._aside(scene, written)
        self._show_coming()

    def _board(self, name: str, make: Maker, key: object = None, *, airy: bool = False, hang: int = 0) -> None:
        self.query_one(f"#{name}", SlideView).show(make, key, airy=airy, hang=hang)

    def _middle(self, scene: EpisodeSnapshot, written: DraftView | None) -> None:
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

    def _aside(self, scene: EpisodeSnapshot, written: DraftView | None) -> None:
        if written is not None:
            self._board("aside", lambda room: document_lines(written), (self.at, "document"))
        else:
            self._board("aside", lambda room: strip_lines(scene, room), hang=2)
        aside = self.query_one("#aside")
        if aside.can_focus != self.beside:
            aside.can_focus = self.beside
            if not self.asked:
                self.read.focus()

    def _closing_lines(self, scene: EpisodeSnapshot) -> Sequence[Line]:
        keeper, failed = self.controller.keeper, self.controller.keeper_failed
        if tested_by_person(scene):
            return closing_lines(scene, self.said, None, t("presenter.hidden"))
        if (
            self._scores is None
            and keeper is not None
            and not any(worker.name == "closing" for worker in self.workers)
        ):
            job = partial(keeper.step, tuple(self.controller.shown.records), self.controller.episode)
            self.job("closing", job, self._have_scores)
        return closing_lines(scene, self.said, self._scores, t("scores.none" if failed else "scores.scoring"))

    def _have_scores(self, scores: StepScores) -> None:
        self._scores = scores
        self.show()

    def _show_coming(self) -> None:
        cue = self.whole.cue if self.whole is not None and (self.speaking or self.wanting) and self.head else None
        words = t("presenter.auto") if self.auto and not self.asked else ""
        if isinstance(cue, Cue) and self.whole is not None and not self.asked:
            words = t("presenter.coming", who=self.whole.name(cue.role))
        self.query_one("#coming", Label).update(words)
        self.query_one(KeyBar).refresh()

    # what there is

    @property
    def head(self) -> bool:
        """Whether nothing that was said is still to be shown."""
        return self.at >= len(self.said)

    @property
    def last(self) -> int:
        """The last slide: the card with the result once it is over, else the last utterance."""
        return len(self.said) + (1 if self.controller.over else 0)

    @property
    def slide(self) -> Utterance | None:
        return self.said[self.at - 1] if 0 < self.at <= len(self.said) else None

    @property
    def closing(self) -> bool:
        return self.at > len(self.said)

    @property
    def asked(self) -> str:
        """The seat that a person has to speak for, '' if none."""
        return self.controller.asked if self.below.is_open else ""

    @property
    def box(self) -> AnswerBox:
        return self.query_one(AnswerBox)

    @property
    def read(self) -> SlideView:
        """The board that keys scroll."""
        return self.query_one("#aside" if self.beside else "#speech", SlideView)

    @property
    def speaking(self) -> bool:
        return self.turn is not None and self.turn.under_way

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        over, waits = self.controller.over, bool(self.asked) and self.head
        if action in ("tools", "draft") or (action in ("pace", "auto") and self.asked) or (action == "seat" and over):
            return False
        rules = {
            "next": self.at < self.last or not (over or waits or self.speaking), "back": self.at > 0,
            "auto": not self.closing, "now": self.at < self.last,
        }  # fmt: skip
        return True if rules.get(action, True) else None

    # going by itself

    def settle(self) -> None:
        """Another slide: from its top, and what comes after it by itself."""
        self._since, self._rows, self._by_hand = clock(), 0, False
        self.later()
        self.show()

    def later(self) -> None:
        """The next slide comes when this one has been read; at the head the run itself waits for its readers."""
        if self._next is not None:
            self._next.stop()
            self._next = None
        if self.auto and self.at < self.last:
            self._next = self.set_timer(self._reading(), self._turn_over)
        elif self.closing:
            self.auto = False

    @property
    def replaying(self) -> bool:
        return self._next is not None

    def _reading(self) -> float:
        pace = PACES[self.controller.pace]
        if self.slide is None:
            return CARD if pace.reads else LEAST
        reading = len(self.slide.text) / pace.reads if pace.reads else 0.0
        limited = self.head and not self.controller.over
        return max(pace.seconds, min(reading, LONGEST) if limited else reading, LEAST)

    def _turn_over(self) -> None:
        self._next = None
        self.at = min(self.at + 1, self.last)
        if self.auto and self.head and not self.controller.over:
            self.controller.auto()
        self.settle()

    def _hold(self) -> None:
        if not self.controller.over:
            self.controller.pause()
        self.auto = self.wanting = False

    def roll(self) -> None:
        """A text that is longer than the screen moves as it is read, until somebody moves it by hand."""
        board = self.read
        self._by_hand = self._by_hand or board.scroll_offset.y != self._rows
        total = self._reading()
        if self.auto and board.beyond and not self._by_hand and total > 1:
            share = ((clock() - self._since) / total - LEAD) / (1 - 2 * LEAD)
            self._rows = round(min(max(share, 0.0), 1.0) * board.beyond)
            board.scroll_to(y=self._rows, animate=False, immediate=True)

    # wishes

    def action_next(self) -> None:
        """The next utterance: one that was said, else a new one."""
        self._hold()
        if self.at < self.last:
            self.at += 1
        else:
            self.wanting = True
            self.controller.step()
        self.settle()

    def want_more(self) -> None:
        """A step without an utterance (a look at the law) is not what was asked for: go on."""
        records = self.controller.shown.records
        ended = bool(records) and isinstance(records[-1].event, StepEnded)
        if self.wanting and ended and not (self.controller.over or self.asked):
            self.controller.step()

    def action_back(self) -> None:
        self._hold()
        self.at = max(0, self.at - 1)
        self.settle()

    def action_now(self) -> None:
        self.auto = self.auto and self.controller.goes_on
        self.at = self.last
        self.settle()

    def action_auto(self) -> None:
        if self.auto:
            self._hold()
        else:
            self.auto = True
            if self.head and not self.controller.over:
                self.controller.auto()
        self.settle()

    def action_pace(self, by: int) -> None:
        self.controller.change_pace(by)
        self.later()

    # a person

    def action_seat(self) -> None:
        if self.whole is not None:
            self._hold()
            self.at = len(self.said)
            self.settle()
            cue = self.whole.cue
            self.desk.push_screen(
                PresenterSeat(self.whole, cue.role if isinstance(cue, Cue) else ""), self._take_seat
            )

    def _take_seat(self, newcomer: Seated | None) -> None:
        if newcomer is None:
            return
        if newcomer.engine != HUMAN:
            self._shut()
        self.controller.seat(newcomer)

    def listen(self) -> None:
        """Open the box for a person who is asked, with what was typed on the Episode screen; else put it away."""
        seat, box, run = self.asked, self.box, self.controller
        if not seat and box.is_open:
            box.close()
            self.read.focus()
        if not seat or box.is_open:
            return
        self.wanting = False
        scene = scene_now(run, run.shown.records, seat)
        assert scene is not None
        # The first line says what was asked, which stands above in full.
        box.open(scene.seat(seat), run.key, brief=brief_lines(scene, seat)[1:], words="presenter.box")
        _carry(self.below, box)

    @on(AnswerBox.AnswerSubmitted)
    def _say(self, event: AnswerBox.AnswerSubmitted) -> None:
        event.stop()
        self._shut()
        self.at = len(self.said)
        self.controller.say(event.text)

    def _shut(self) -> None:
        self.box.close()
        self.below.close()
        self.read.focus()
        self.show()

    def action_leave(self) -> None:
        if self._next is not None:
            self._next.stop()
        _carry(self.box, self.below)
        self.dismiss()


def _carry(giver: AnswerBox, taker: AnswerBox) -> None:
    given = giver.query_one(AnswerText)
    if giver.is_open and given.text.strip():
        taker.query_one(AnswerText).text, given.text = given.text, ""
