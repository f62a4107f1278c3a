"""The controller of the run that is shown: it owns the thread that plays or follows it, and the state of one episode.

Views (the Episode screen, presenter mode) show this state and are updated after each notice. Wishes of a person go
from here to the thread; nothing of an episode runs in the thread of the desk.
"""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterator, Sequence
from contextvars import copy_context
from functools import partial
from pathlib import Path
from typing import Any, Protocol

from textual.worker import get_current_worker

from app.desk.episode.cursor import EpisodeCursor
from app.desk.episode.open_turn import OpenTurn
from app.desk.episode.renderers import one
from app.desk.episode.scores import EpisodeScorer
from app.desk.live import PACES, FollowedRun, LiveRun
from app.desk.messages import (
    EngineRetry,
    EpisodeLine,
    EpisodeWatched,
    Fact,
    OpenTurnChanged,
    PlayMode,
    RunClosed,
    RunFacts,
    RunFailed,
    RunOpened,
)
from app.hosts import with_origin
from app.strings import t
from store.writer import writer_of
from tasks.episode.events import Answered, ModelCalled, Record, Said, Seated, StepEnded, Stopped, ToolCalled
from tasks.episode.scheduler import HUMAN, EpisodeEnded, Notice, RecordsCommitted, SeatWaiting
from tasks.episode.state import State, fold
from tasks.run.opened import Run
from tasks.run.runner import resume_run

Opener = Callable[[], Run]
PATIENCE = 30.0
"""To wait for a step of a run that is to end."""
PAUSE = 0.05
"""Between two requests to a run that is to end."""


PLAYED: dict[str, Callable[[bool], bool]] = {
    "stop": lambda back: True, "step": lambda back: back, "auto": lambda back: back, "seat": lambda back: False,
}  # fmt: skip
"""What can be done to a run that another process plays; what only shows stored steps goes while one looks back."""
ACTING = {"fork": "f", "export": "e"}
"""What leaves something behind -> its key. While a person is asked, letters are the beginning of an answer; whoever
looks back first means the key."""


class ControllerView(Protocol):
    """Shows the state of the controller."""

    @property
    def is_mounted(self) -> bool: ...

    def update(self, notice: Notice | Fact) -> None:
        """Show the state as it is after a notice."""


class Controller:
    """The run that is shown and one of its episodes; `desk` is the app."""

    def __init__(self, desk: Any) -> None:
        self.desk = desk
        self.views: list[ControllerView] = []
        self.live: LiveRun | None = None
        self.before: list[LiveRun] = []
        """Runs in motion before this one, which may not have let go of their files yet."""
        self.followed: FollowedRun | None = None
        self.pace = 1
        self.source = 0
        """The number of the thread whose run is shown; 0: one from disk."""
        self.facts: RunFacts | None = None
        self.keeper: EpisodeScorer | None = None
        self.keeper_failed = False
        self.episodes: tuple[EpisodeLine, ...] = ()
        self.episode = ""
        self.again = False
        """Whether the episode that came last was shown already, as far as it is."""
        self.shown = EpisodeCursor()
        self.state = State()
        self.moving = "stored"
        self.asked = ""
        """The seat of a person who has to say something."""
        self.turn: OpenTurn | None = None
        self.pausing = False
        self.stopping = False
        self.hint = ""

    # what is known

    @property
    def loaded(self) -> bool:
        return self.facts is not None and bool(self.shown.records)

    @property
    def over(self) -> bool:
        return self.state.stopped is not None

    @property
    def goes_on(self) -> bool:
        """Whether steps follow each other by themselves."""
        return self.moving in ("auto", "all")

    @property
    def human(self) -> bool:
        return not self.over and any(seated.engine == HUMAN for seated in self.state.seats.values())

    @property
    def speaking(self) -> bool:
        return self.turn is not None and self.turn.under_way

    @property
    def has_model(self) -> bool:
        """Whether a model holds a seat of the episode, or has spoken in it."""
        seated = any(seat.engine not in ("", HUMAN) for seat in self.state.seats.values())
        return seated or next(self.calls(), None) is not None

    @property
    def has_tools(self) -> bool:
        """Whether a person in the seat may call tools that have forms."""
        return self.facts is not None and self.facts.benchmark == "legalagentbench"

    @property
    def key(self) -> str:
        """Of what a person types for this episode."""
        return f"{self.facts.id if self.facts else ''}/{self.episode}"

    def calls(self) -> Iterator[Record]:
        """The calls of models, newest first."""
        return (r for r in reversed(self.shown.records) if isinstance(r.event, ModelCalled) and not r.event.human)

    def acted(self, step: int) -> str:
        """The seat that acted in a step without a model; '' where a model did, or a person sits here who may not see
        what others hold."""
        events = [record.event for record in self.shown.records if record.step == step]
        if self.human or any(isinstance(event, ModelCalled) and not event.human for event in events):
            return ""
        acts = (event for event in events if isinstance(event, Said | ToolCalled | Answered))
        return next((seat for event in acts if (seat := getattr(event, "seat", ""))), "")

    def turn_now(self) -> OpenTurn | None:
        """The open turn, as the thread of the run has it at this moment."""
        live = self.live_at(self.facts.path) if self.facts is not None else None
        self.turn = live.turn(self.episode) if live is not None else None
        self.stopping = self.stopping and self.speaking
        return self.turn

    # news

    def post(self, number: int, notice: Notice | Fact) -> None:
        """Receive this next; called by the threads."""
        self.desk.call_later(self.receive, number, notice)

    def receive(self, number: int, notice: Notice | Fact) -> None:
        """Take news of the thread with this number and update the views; late news of an earlier one are dropped."""
        ours = self.live is not None and number == self.live.number
        if not ours and (self.followed is None or number != self.followed.number):
            return
        match notice:
            case RunFailed(title, hint):
                self.desk.problem(title, hint)
            case EngineRetry(text):
                self.desk.say(one(text), "warning")
            case RunClosed():
                if ours:
                    self.live = None
                else:
                    self.followed = None
        opened = ours and isinstance(notice, RunOpened)
        if self.views and (number == self.source or opened or isinstance(notice, RunFailed)):
            if opened:
                self.source = number
            self._change(notice)
        home = self.desk.home_screen
        if ours and not isinstance(notice, OpenTurnChanged) and home is not None and home.is_mounted:
            home.update(notice)

    def show_stored(
        self, facts: RunFacts, episodes: tuple[EpisodeLine, ...], episode: str, records: Sequence[Record]
    ) -> None:
        """Show an episode from disk."""
        self.source = 0
        self._change(RunOpened(facts, episodes))
        self.moving = "stored"
        self._change(EpisodeWatched(episode, fold(records), None))
        if not records:
            self.desk.problem(t("episode.not_begun", name=one(episode)), t("episode.not_begun.hint"))

    def _change(self, notice: Notice | Fact) -> None:
        match notice:
            case RunOpened(run, episodes):
                if self.facts is None or self.facts.id != run.id:
                    # nothing of the run before: an episode of this one follows, at the end of a turn perhaps
                    self.keeper, self.keeper_failed, self.episode = None, False, ""
                    self.shown.reset(())
                    self.state, self.asked, self.turn = State(), "", None
                    self.pausing = self.stopping = False
                self.facts, self.episodes, self.moving = run, episodes, "paused"
            case EpisodeWatched(episode, state, ask):
                self.again = episode == self.episode and 0 < len(state.records) == len(self.shown.records)
                if not self.again:
                    self.shown.reset(state.records)
                self.episode, self.state, self.asked = episode, state, ask.seat if ask is not None else ""
                self.turn_now()
            case RecordsCommitted() | SeatWaiting() | EpisodeEnded() if notice.episode != self.episode:
                return
            case RecordsCommitted(_, _, state):
                # It may hold more than was committed: what an unfinished step had on record before.
                self.state, self.asked = state, ""
                self.shown.extend(state.records)
                self.turn_now()
                if self.hint == "demo.hint":
                    self.hint = ""
            case SeatWaiting(_, ask):
                self.asked = ask.seat
                self.shown.go_to_head()
            case PlayMode(mode):
                self.moving, self.pausing = mode, False
            case RunClosed():
                self.moving, self.pausing = "stored", False
                self.turn_now()
        for view in list(self.views):
            if view.is_mounted:
                view.update(notice)

    # wishes

    def can(self, action: str) -> bool | None:
        """Whether an action has a meaning now: None is dim, False is absent."""
        back, loaded = self.shown.back, self.loaded
        if self.moving == "followed" and action in PLAYED:
            return PLAYED[action](back) or None
        if action in ACTING and self.asked and not back:
            return False
        if action in ("tools", "draft"):
            return self.has_tools and bool(self.asked)
        if action == "present":
            return loaded and self.facts is not None and self.facts.benchmark == "courts"
        if action == "stop" and not (loaded and self.has_model):
            return False
        if self.over and (action in ("stop", "seat") or (action in ("step", "auto") and not back)):
            return False
        needs = (
            "step", "auto", "back", "now", "fork", "seat", "find", "copy", "export", "view", "wide", "jump",
            "fold_all",
        )  # fmt: skip
        if action == "review":
            return True if loaded and self.over else None
        if action in needs and not loaded:
            return None
        if action == "now":
            return back
        rules = {
            "step": back or not self.speaking, "back": self.shown.step > 0, "seat": not back,
            "stop": self.speaking and not self.stopping,
            "prompt": action != "prompt" or (loaded and (not self.human or next(self.calls(), None) is not None)),
        }  # fmt: skip
        return True if rules.get(action, True) else None

    @property
    def opening(self) -> bool:
        """Whether a run is being opened; nobody hears a wish until it is."""
        return self.live is not None and self.live.path is None

    def wish(self, wish: Callable[[LiveRun], None]) -> bool:
        """Send a wish to the run that is shown; a stored one is taken up first. Whether it is in motion."""
        if self.facts is None or self.opening:
            return False
        path, episode = self.facts.path, self.episode
        if self.follows(path):
            self.desk.say(t("played.refused", press="x"), "warning")
            return False
        if (live := self.live_at(path)) is not None:
            wish(live)
            return True

        async def take_up() -> None:
            wish(await self.desk.begin(partial(with_origin, resume_run, path), episode=episode))

        self.desk.run_worker(take_up(), name="take_up", exit_on_error=False)
        return False

    def step(self) -> None:
        if self.wish(lambda live: live.step(self.episode)):
            self.moving = "paused"

    def auto(self) -> None:
        self.wish(lambda live: live.auto(self.episode))

    def pause(self) -> None:
        """Stop what goes on by itself, after the step it is making."""
        if self.goes_on:
            self.wish(lambda live: live.pause())
            self.pausing = True

    def stop(self) -> None:
        """Break off the turn that a model is making: nothing of it is recorded.

        What another process plays is asked to stop.
        """
        if self.moving == "followed" and self.facts is not None:
            self.desk.ask_to_stop(self.facts.path)
        elif self.wish(lambda live: live.stop()):
            self.stopping = True

    def say(self, text: str) -> None:
        """What the person in the seat said."""
        self.wish(lambda live: live.say(self.episode, text))

    def seat(self, newcomer: Seated) -> None:
        """Somebody takes a seat; a person gets the question at once."""
        self.wish(lambda live: live.seat(self.episode, newcomer, ask=newcomer.engine == HUMAN))

    @property
    def forked_at(self) -> int:
        """The last step that a fork keeps: the shown one, or the one before where that ended the episode."""
        step, records = self.shown.step, self.shown.records
        if records and isinstance(records[-1].event, StepEnded):
            step -= any(isinstance(r.event, Stopped) and r.step == step for r in records)
        return step

    def fork(self) -> None:
        """A new run from the shown step."""
        assert self.facts is not None
        self.desk.fork(self.facts.path, self.episode, self.forked_at)

    def change_pace(self, by: int) -> None:
        self.pace = min(max(self.pace + by, 0), len(PACES) - 1)
        if self.live is not None:
            self.live.pace = self.pace
        self.desk.say(t("episode.pace", n=self.pace + 1, of=len(PACES)))

    # threads

    @property
    def runs(self) -> list[LiveRun]:
        """Those that may still have their file open."""
        return [*self.before, *([self.live] if self.live is not None else [])]

    def live_at(self, path: Path) -> LiveRun | None:
        """The run in motion, if its file is this one."""
        live = self.live
        return live if live is not None and live.path == path and not live.closed.is_set() else None

    def follows(self, path: Path) -> bool:
        """Whether the run in this file is followed while another process plays it."""
        followed = self.followed
        return followed is not None and followed.path == path and not followed.closed.is_set()

    async def open(self, path: Path, episode: str) -> bool:
        """Watch an episode of a run that is in motion here or in another process; False for one that only is on
        disk."""
        if (live := self.live_at(path)) is not None:
            self.source = live.number
            live.watch(episode)
            return True
        if self.followed is not None and self.follows(path):
            self.source = self.followed.number
            self.followed.watch(episode)
            return True
        played = await asyncio.to_thread(_is_played, path)
        self.leave_followed()
        if played:
            self.followed = FollowedRun(path, self.post, episode=episode)
            self.source = self.followed.number
            self._run(self.followed, "followed")
        return played

    def begin(self, opener: Opener, *, mode: str = "paused", episode: str = "") -> LiveRun:
        """Play a run in a thread of its own, once those before have let go of their files and models."""
        moved = self.source in {one.number for one in (self.live, self.followed) if one is not None}
        self.leave()
        opener = partial(_after, self.before, opener)
        live = LiveRun(opener, self.post, episode=episode or None, mode=mode)
        live.pace = self.pace
        self.live = live
        self._run(live, "live")
        if moved:  # what is shown is at rest, whether or not the new run can be opened
            self.source = 0
            self._change(RunClosed())
        return live

    def leave(self) -> None:
        """Close what is in motion, and follow nothing any more."""
        if self.live is not None:
            self.live.close()
            self.before = [*(one for one in self.before if not one.closed.is_set()), self.live]
        self.leave_followed()

    def leave_followed(self) -> None:
        if self.followed is not None:
            self.followed.close()
            self.followed = None

    def _run(self, live: LiveRun | FollowedRun, group: str) -> None:
        name = "run" if group == "live" else group
        self.desk.run_worker(partial(_thread, live), name=name, group=group, thread=True, exit_on_error=False)


def _is_played(path: Path) -> bool:
    """Whether another process plays a run at this moment."""
    writer = writer_of(path)
    return writer is not None and writer.process != os.getpid()


def _after(before: Sequence[LiveRun], opener: Opener) -> Run:
    """In the thread of the run: wait for those before."""
    end = time.monotonic() + PATIENCE
    for live in before:
        while not live.closed.wait(PAUSE) and time.monotonic() < end:
            live.close()
    return opener()


def _thread(live: LiveRun | FollowedRun) -> None:
    """In a context of its own: the thread serves others afterwards, and what it opened must not be named to them."""
    worker = get_current_worker()
    copy_context().run(live.work, lambda: worker.is_cancelled)
