"""What a person can do on the Episode screen. Wishes go to the thread of the run; looking back only reads.

Kept apart from what the screen shows: `EpisodeScreen` is this plus panes.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from functools import partial
from pathlib import Path

from textual import on
from textual.events import Key
from textual.timer import Timer

from app.desk.corpus.form import CallScreen
from app.desk.court.panes import ProgrammePane
from app.desk.episode.faces import ASIDE, Face
from app.desk.episode.grounds_screen import GroundsScreen
from app.desk.episode.open_turn import OpenTurn
from app.desk.episode.plan_pane import PlanPane
from app.desk.episode.prompt import PromptScreen, WouldReadScreen
from app.desk.episode.renderers import one
from app.desk.episode.seat import SeatScreen, sat_before
from app.desk.episode.shown import PapersScreen, Shown, Wish, export_episode, export_paper, offered
from app.desk.episode.transcript import FindingScreen, Transcript
from app.desk.jobs import OnDesk
from app.desk.live import PACES, LiveRun
from app.desk.messages import EpisodeLine, RunFacts
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.key_bar import VIEWS, ViewTabs
from app.desk.widgets.score_strip import ScoreStrip
from app.strings import t
from app.terminal import clean
from store.errors import StoreError
from tasks import registry
from tasks.courts.papers.forms import Paper
from tasks.episode.events import Answered, ModelCalled, Record, Said, Seated, StepEnded, Stopped, ToolCalled
from tasks.episode.scheduler import HUMAN
from tasks.episode.state import State
from tasks.errors import TaskError
from tasks.legalagentbench.forms import refused, typed_call
from tasks.run.header import spec_of
from tasks.run.peeking import would_do

QUICK = 0.2
"""Seconds that a stored step is shown at least while it is replayed."""
PLAYED: dict[str, Callable[[bool], bool]] = {
    "stop": lambda back: True, "step": lambda back: back, "auto": lambda back: back, "seat": lambda back: False,
}  # fmt: skip
"""What can be done to a run that another process plays; what only shows stored steps goes while one looks back."""


ACTING = {"fork": "f", "export": "e"}
"""What leaves something behind -> its key. While a person is asked, letters are the beginning of an answer; whoever
looks back first means the key."""


class EpisodeActions(OnDesk, FindingScreen):
    """The actions; `show_panes` brings the screen in line with what they changed."""

    face: Face

    def __init__(self) -> None:
        super().__init__()
        self.shown = Shown()
        self.facts: RunFacts | None = None
        self.episodes: tuple[EpisodeLine, ...] = ()
        self.episode = ""
        self.moving = "stored"
        self.state = State()
        self.asked = ""
        """The seat of a person who has to say something."""
        self.turn: OpenTurn | None = None
        self.pausing = False
        self.stopping = False
        self._view = 0
        self._tab = ""
        self._replay: Timer | None = None

    @property
    def loaded(self) -> bool:
        return self.facts is not None and bool(self.shown.records)

    @property
    def over(self) -> bool:
        return self.state.stopped is not None

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
        return seated or next(self._calls(), None) is not None

    def _spoke(self, step: int) -> tuple[str, int] | None:
        """The seat that acted in a step without a model, and the step; None where a model did, or a person sits here
        who may not see what others hold."""
        events = [record.event for record in self.shown.records if record.step == step]
        if self.human or any(isinstance(event, ModelCalled) and not event.human for event in events):
            return None
        acts = (event for event in events if isinstance(event, Said | ToolCalled | Answered))
        return next(((seat, step) for event in acts if (seat := getattr(event, "seat", ""))), None)

    def _calls(self) -> Iterator[Record]:
        return (r for r in reversed(self.shown.records) if isinstance(r.event, ModelCalled) and not r.event.human)

    def show_panes(self) -> None:
        raise NotImplementedError

    def show_turn(self) -> None:
        """Bring the open turn in line with what the thread of the run last said of it."""
        raise NotImplementedError

    def show_heading(self) -> None:
        raise NotImplementedError

    def with_live(self, wish: Callable[[LiveRun], None]) -> bool:
        return self.facts is not None and self.desk.with_live(self.facts.path, self.episode, wish)

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if self.moving == "followed" and action in PLAYED:
            return PLAYED[action](self.shown.back) or None
        if action in ACTING and self.asked and not self.shown.back:
            return False
        if action in ("tools", "draft"):
            return self.has_tools and bool(self.asked)
        if action == "present":
            return self.loaded and self.facts is not None and self.facts.benchmark == "courts"
        if action == "stop" and not (self.loaded and self.has_model):
            return False
        if self.over and (action in ("stop", "seat") or (action in ("step", "auto") and not self.shown.back)):
            return False
        if action in ("aside", "everything"):
            return self.loaded and bool(self.face.tabs)
        needs = ("step", "auto", "back", "now", "fork", "seat", "find", "copy", "export", "view", "wide")
        if action == "review":
            return True if self.loaded and self.over else None
        if action in needs and not self.loaded:
            return None
        if action == "view":
            return self.has_class("-narrow")
        if action == "now" and self.loaded:
            return self.shown.back
        rules = {
            "step": self.shown.back or not self.speaking, "back": self.shown.step > 0, "seat": not self.shown.back,
            "stop": self.speaking and not self.stopping,
            "prompt": action != "prompt" or (self.loaded
                and (not self.human or next(self._calls(), None) is not None)),
        }  # fmt: skip
        return True if rules.get(action, True) else None

    def on_key(self, event: Key) -> None:
        box = self.query_one(AnswerBox)
        letter = event.character or ""
        if self.asked and not self.shown.back and letter in ACTING.values() and box.is_open:
            event.stop()
            box.begin(letter)

    def action_step(self) -> None:
        """One step: a stored one while looking back, else a new one."""
        self._stop_replay()
        if self.shown.back:
            return self._look(1)
        if self.with_live(lambda live: live.step(self.episode)):
            self.moving = "paused"
        return None

    def action_auto(self) -> None:
        """Go on by itself, or pause. While looking back the stored steps are shown one after the other."""
        if self._replay:
            return self._stop_replay()
        if self.shown.back:
            self._replay_later()
            return self.show_panes()
        if self.moving in ("auto", "all"):
            self.with_live(lambda live: live.pause())
            self.pausing = True
            self.show_heading()
        else:
            self.with_live(lambda live: live.auto(self.episode))
        return None

    def action_stop(self) -> None:
        """Break off the turn that a model is making: nothing of it is recorded. What another process plays is asked
        to stop."""
        if self.moving == "followed" and self.facts is not None:
            self.desk.ask_to_stop(self.facts.path)
            return None
        if self.with_live(lambda live: live.stop()):
            self.stopping = True
            self.show_heading()
        return None

    def action_prompt(self) -> None:
        """What the model saw in the call at the cursor, or in the last one before it; where no model spoke in that
        step, what one in the seat would read."""
        block = self.query_one(Transcript).current
        calls = list(self._calls())
        spoke = self._spoke(block.step) if block is not None else None
        if spoke is not None and self.facts is not None:
            seat, step = spoke
            self.desk.push_screen(WouldReadScreen(self.facts, self.episode, seat, self.face.seat(seat), step))
            return
        before = (record for record in calls if block is None or record.seq <= block.seq)
        record = next(before, calls[-1] if calls else None)
        if record is not None and self.facts is not None:
            self.desk.push_screen(PromptScreen(self.facts, self.episode, tuple(self.shown.records), record.seq))

    def action_pace(self, by: int) -> None:
        self.desk.pace = min(max(self.desk.pace + by, 0), len(PACES) - 1)
        if self.desk.live is not None:
            self.desk.live.pace = self.desk.pace
        self.desk.say(t("episode.pace", n=self.desk.pace + 1, of=len(PACES)))

    def action_back(self) -> None:
        """Look one step back. What goes on by itself is paused first."""
        self._stop_replay()
        if self.moving in ("auto", "all"):
            self.with_live(lambda live: live.pause())
            self.pausing = True
        self._look(-1)

    def action_now(self) -> None:
        self._stop_replay()
        self._look(self.shown.total - self.shown.step)

    def _look(self, by: int) -> None:
        if self.shown.go(by):
            self.show_turn()
            self.query_one(Transcript).show(self.shown.blocks())
            self.show_panes()

    def _replay_later(self) -> None:
        """The next stored step comes when the shown one has been read."""
        read = [record for record in self.shown.records if record.step == self.shown.step]
        self._replay = self.set_timer(max(QUICK, PACES[self.desk.pace].pause(read)), self._replay_step)

    def _replay_step(self) -> None:
        self._look(1)
        if self.shown.back:
            self._replay_later()
        else:
            self._stop_replay()

    def _stop_replay(self) -> None:
        if self._replay:
            self._replay.stop()
            self._replay = None
            self.show_panes()

    def action_fork(self) -> None:
        """A new run from the shown step; from the one before where the shown step ended the episode."""
        assert self.facts is not None
        self._stop_replay()
        step, records = self.shown.step, self.shown.records
        if records and isinstance(records[-1].event, StepEnded):
            step -= any(isinstance(r.event, Stopped) and r.step == step for r in records)
        self.desk.fork(self.facts.path, self.episode, step)

    def action_seat(self) -> None:
        if self.facts is None or not self.state.seats:
            return
        seated = [record.event for record in self.shown.records if isinstance(record.event, Seated)]
        try:
            spec, face = spec_of(self.facts.header), self.face
            dialog = SeatScreen(spec, self.state.seats, sat_before(seated), face.seat, face.following)
        except (StoreError, TaskError) as error:
            self.desk.problem(error.title, error.hint)
            return None
        self.desk.push_screen(dialog, self._take_seat)
        return None

    def _take_seat(self, newcomer: Seated | None) -> None:
        if newcomer is None:
            return
        human = newcomer.engine == HUMAN
        if not human:
            self.query_one(AnswerBox).close()
            self.query_one(Transcript).focus()
        self.with_live(lambda live: live.seat(self.episode, newcomer, ask=human))

    @property
    def has_tools(self) -> bool:
        """Whether a person in the seat may call tools that have forms."""
        return self.facts is not None and self.facts.benchmark == "legalagentbench"

    @on(AnswerBox.ToolsAsked)
    def _tools_asked(self) -> None:
        assert self.facts is not None
        header = self.facts.header
        pack = str(header.get("pack", {}).get("path") or spec_of(header).pack)
        self.desk.push_screen(CallScreen(pack), self._tool_chosen)

    def _tool_chosen(self, text: str | None) -> None:
        if text:
            self.say(text)
        elif not self.query_one(AnswerBox).text:
            self.query_one(AnswerBox).begin("/")

    @on(AnswerBox.DraftAsked)
    def _draft_asked(self) -> None:
        if self.facts is not None:
            self.job("draft", partial(_draft, self.facts.path, self.episode), self.take_draft)

    def take_draft(self, text: str) -> None:
        """What the rules would do stands in the box, unless the person has written meanwhile."""
        box = self.query_one(AnswerBox)
        if not text:
            self.desk.say(t("answer.no_draft"))
        elif box.is_open:
            box.fill(text)

    @on(AnswerBox.Said)
    def _said(self, event: AnswerBox.Said) -> None:
        wrong = refused(event.text, registry.names("tools")) if self.has_tools else ""
        if wrong:
            self.query_one(AnswerBox).fill(event.text)
            self.desk.say(t("answer.refused", reason=wrong), "warning")
        else:
            self.say(event.text)

    def say(self, text: str) -> None:
        self.query_one(AnswerBox).close()
        self.query_one(Transcript).focus()
        self.with_live(lambda live: live.say(self.episode, text))

    def action_copy(self) -> None:
        """The raw source of the block at the cursor, or of the pane on the right that has the focus."""
        block = self.query_one(Transcript).current
        text = clean(self.face.copied() or (block.raw if block else ""))
        if text:
            self.desk.copy_to_clipboard(text)
            self.desk.say(t("episode.copied", n=len(text)))

    def action_export(self) -> None:
        """Write the looked-at record as Markdown; of a court episode, offer its papers as well."""
        assert self.facts is not None
        if self.facts.benchmark == "courts":
            self.job("papers", partial(offered, self.facts.path, self.episode), self.offer_papers)
        else:
            self._export(None)

    def offer_papers(self, papers: Mapping[str, Paper]) -> None:
        """Ask which of the papers is wanted; where there is none, the record is written."""
        if papers:
            self.desk.push_screen(PapersScreen(papers), lambda wish: self._export(*wish) if wish else None)
        else:
            self._export(None)

    def _export(self, wish: Wish) -> None:
        assert self.facts is not None
        if wish is not None:
            return self.job("export", partial(export_paper, self.facts.id, self.episode, *wish), self._exported)
        blocks = () if self.face.ruled else tuple(self.shown.blocks())
        work = partial(export_episode, self.facts, self.episode, tuple(self.shown.visible()), blocks)
        return self.job("export", work, self._exported)

    def _exported(self, path: Path) -> None:
        self.desk.say(t("export.done", path=one(str(path))))

    async def action_review(self) -> None:
        if self.facts is not None and self.over:
            await self.desk.review(self.facts.path, self.episode)

    def action_view(self, view: int | None = None) -> None:
        self._view = (self._view + 1) % len(VIEWS) if view is None else view
        for index, name in enumerate(VIEWS):
            self.set_class(index == self._view, f"-view-{name}", update=False)
        self.update_node_styles()
        self.query_one("#tabs", ViewTabs).show(self._view)
        self.query_one(f"#{self.face.panes[self._view]}").focus()

    @on(ViewTabs.Chosen, "#tabs")
    def _view_chosen(self, event: ViewTabs.Chosen) -> None:
        self.action_view(event.index)

    @property
    def tab(self) -> str:
        """The pane on the right that is shown where one is shown at a time, else the upper one."""
        return self._tab if self._tab in self.face.tabs else next(iter(self.face.tabs), "evidence")

    def show_tab(self) -> None:
        tabs, bar = self.face.tabs, self.query_one("#aside", ViewTabs)
        bar.offer(tabs, "tab")
        bar.show(tabs.index(self.tab) if tabs else 0)
        for name in ASIDE:
            self.query_one(f"#{name}").display = name == self.tab if tabs else name in ("evidence", "scores")

    def action_aside(self, index: int | None = None) -> None:
        """The next pane on the right, or the one with this index; on a narrow screen the right side is shown
        first."""
        tabs = self.face.tabs
        if not tabs:
            return
        narrow = self.has_class("-narrow")
        shown = not narrow or VIEWS[self._view] == "evidence"
        focused = self.focused is not None and self.focused.id in tabs
        if index is not None or shown:
            self._tab = tabs[(tabs.index(self.tab) + 1) % len(tabs) if index is None else index]
        self.show_tab()
        self.face.paint()
        if not shown:
            self.action_view(VIEWS.index("evidence"))
        elif focused or narrow:
            self.query_one(f"#{self.tab}").focus()

    @on(ViewTabs.Chosen, "#aside")
    def _tab_chosen(self, event: ViewTabs.Chosen) -> None:
        self.action_aside(event.index)

    def action_everything(self) -> None:
        self.desk.say(self.face.toggle_everything())
        self.show_panes()

    @on(ProgrammePane.Chosen)
    @on(PlanPane.Chosen)
    def _plan_chosen(self, event: PlanPane.Chosen | ProgrammePane.Chosen) -> None:
        self.go_to(event.seq)

    def go_to(self, seq: int | None) -> None:
        record = self.query_one(Transcript)
        found = [place for place, block in enumerate(record.blocks) if seq is not None and block.seq <= seq]
        if found:
            record.move_to(found[-1])

    def action_grounds(self) -> None:
        scores = self.query_one(ScoreStrip).step
        if scores is None or not (scores.grounds.beside or scores.grounds.rows):
            self.desk.say(t("grounds.none"))
            return

        def went(seq: int | None) -> None:
            if seq is not None:
                self.action_view(VIEWS.index("record"))
                self.go_to(seq)

        self.app.push_screen(GroundsScreen(scores, self.state.task_id), went)

    def action_wide(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_episode(self, by: int) -> None:
        names = [line.id for line in self.episodes]
        if self.facts is not None and self.episode in names:
            index = names.index(self.episode) + by
            if 0 <= index < len(names):
                self.desk.open_episode(self.facts.path, names[index])

    async def action_leave(self) -> None:
        if self.maximized is not None:
            self.minimize()
        else:
            await self.desk.action_mode("home")


def _draft(path: Path, episode: str) -> str:
    event = would_do(path, episode)
    if isinstance(event, ToolCalled):
        return typed_call(event.tool, event.input) if isinstance(event.input, Mapping) else ""
    return event.res if isinstance(event, Answered) else ""
