"""What a person can do in presenter mode: go on, back, by itself, take a seat, speak. Wishes go to the run of the
Episode screen.

Kept apart from what is shown: `PresenterScreen` is this plus boards.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from textual import on
from textual.screen import ModalScreen
from textual.timer import Timer

from app.desk.court.scene import Scene
from app.desk.court.stage import Utterance
from app.desk.episode.open import OpenTurn
from app.desk.live import clock
from app.desk.pace import LONGEST, PACES
from app.desk.presenter.board import Board
from app.desk.presenter.seat import PresenterSeat
from app.desk.widgets.answer_box import AnswerBox, AnswerText
from app.ports import OnDesk
from tasks.courts.environment import Cue
from tasks.episode.events import Seated, StepEnded
from tasks.episode.scheduler import HUMAN

if TYPE_CHECKING:
    from app.desk.episode.screen import EpisodeScreen

CARD = 4.0
"""Seconds that a card is shown when it goes by itself."""
LEAST = 0.05
"""Seconds that anything is shown."""
LEAD = 0.15
"""Share of the time of a long text before it begins to move; it stands still as long at its end."""


class PresenterActions(OnDesk, ModalScreen[None]):
    """Slides in a row: a card with the court, every utterance, and a card with the result once it is over."""

    def __init__(self, source: EpisodeScreen) -> None:
        super().__init__()
        self.source = source
        self.whole: Scene | None = None
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

    def show(self) -> None:
        """Bring everything in line with the slide."""
        raise NotImplementedError

    # what there is

    @property
    def head(self) -> bool:
        """Whether nothing that was said is still to be shown."""
        return self.at >= len(self.said)

    @property
    def last(self) -> int:
        """The last slide: the card with the result once it is over, else the last utterance."""
        return len(self.said) + (1 if self.source.over else 0)

    @property
    def slide(self) -> Utterance | None:
        """The utterance that is shown; None for a card."""
        return self.said[self.at - 1] if 0 < self.at <= len(self.said) else None

    @property
    def closing(self) -> bool:
        """Whether the card with the result is shown."""
        return self.at > len(self.said)

    @property
    def asked(self) -> str:
        """The seat that a person has to speak for, '' if none."""
        return self.source.asked if self.below.is_open else ""

    @property
    def box(self) -> AnswerBox:
        """Where a person types."""
        return self.query_one(AnswerBox)

    @property
    def below(self) -> AnswerBox:
        """The box of the Episode screen, which is open while somebody is asked."""
        return self.source.query_one("#answer", AnswerBox)

    @property
    def read(self) -> Board:
        """The board that keys scroll."""
        return self.query_one("#aside" if self.beside else "#speech", Board)

    @property
    def speaking(self) -> bool:
        """Whether a call of this episode is in flight."""
        return self.turn is not None and self.turn.under_way

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        over, waits = self.source.over, bool(self.asked) and self.head
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
        """Whether a slide is to come by itself."""
        return self._next is not None

    def _reading(self) -> float:
        """Seconds that the slide takes."""
        pace = PACES[self.desk.pace]
        if self.slide is None:
            return CARD if pace.reads else LEAST
        reading = len(self.slide.text) / pace.reads if pace.reads else 0.0
        limited = self.head and not self.source.over
        return max(pace.seconds, min(reading, LONGEST) if limited else reading, LEAST)

    def _turn_over(self) -> None:
        self._next = None
        self.at = min(self.at + 1, self.last)
        if self.auto and self.head and not self.source.over:
            self._go()
        self.settle()

    def _go(self) -> None:
        self.desk.with_live(self.source, lambda live: live.auto(self.source.episode))

    def _hold(self) -> None:
        """Nothing goes by itself any more."""
        if self.source.moving in ("auto", "all") and not self.source.over:
            self.desk.with_live(self.source, lambda live: live.pause())
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
            self.desk.with_live(self.source, lambda live: live.step(self.source.episode))
        self.settle()

    def want_more(self) -> None:
        """A step without an utterance (a look at the law) is not what was asked for: go on."""
        records = self.source.shown.records
        ended = bool(records) and isinstance(records[-1].event, StepEnded)
        if self.wanting and ended and not (self.source.over or self.asked):
            self.desk.with_live(self.source, lambda live: live.step(self.source.episode))

    def action_back(self) -> None:
        self._hold()
        self.at = max(0, self.at - 1)
        self.settle()

    def action_now(self) -> None:
        self.auto = self.auto and self.source.moving in ("auto", "all")
        self.at = self.last
        self.settle()

    def action_auto(self) -> None:
        if self.auto:
            self._hold()
        else:
            self.auto = True
            if self.head and not self.source.over:
                self._go()
        self.settle()

    def action_pace(self, by: int) -> None:
        self.source.action_pace(by)
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
        human = newcomer.engine == HUMAN
        if not human:
            self._shut()
        self.desk.with_live(self.source, lambda live: live.seat(self.source.episode, newcomer, ask=human))

    def listen(self) -> None:
        """Open the box for a person who is asked, with what was typed on the Episode screen; else put it away."""
        seat, box, source = self.asked, self.box, self.source
        if not seat and box.is_open:
            box.close()
            self.read.focus()
        if not seat or box.is_open:
            return
        self.wanting = False
        key = f"{source.facts.id if source.facts else ''}/{source.episode}"
        # The first line says what was asked, which stands above in full.
        box.open(source.face.seat(seat), key, brief=source.face.brief(seat)[1:], words="presenter.box")
        _carry(self.below, box)

    @on(AnswerBox.Said)
    def _say(self, event: AnswerBox.Said) -> None:
        event.stop()
        self._shut()
        self.at = len(self.said)
        self.desk.with_live(self.source, lambda live: live.say(self.source.episode, event.text))

    def _shut(self) -> None:
        """Nobody is asked any more, here or below."""
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
    """A draft goes where the person is."""
    given = giver.query_one(AnswerText)
    if giver.is_open and given.text.strip():
        taker.query_one(AnswerText).text, given.text = given.text, ""
