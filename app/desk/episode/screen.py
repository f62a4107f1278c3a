"""One episode: plan left, record in the middle, evidence and scores right. The same screen for every benchmark.

A view of the state that the controller keeps. Wishes of a person go to the controller; looking back only reads.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.events import Key
from textual.timer import Timer
from textual.widgets import Input, Label, TextArea

from app.court_words import DISCLAIMER
from app.desk import live as running
from app.desk.bindings import bindings
from app.desk.corpus.form import CallScreen
from app.desk.court.panes import CourtPaneRenderer, ProgrammePane
from app.desk.dialogs import ConfirmScreen
from app.desk.episode.controller import ACTING, Controller
from app.desk.episode.cursor import ExportingScreen, StepScreen, fork_words
from app.desk.episode.faces import ASIDE, EvidencePane, Heading, PaneRenderer, SeatBar
from app.desk.episode.grounds_screen import EvidenceScreen
from app.desk.episode.open_turn import phase_word
from app.desk.episode.plan_pane import PlanPane
from app.desk.episode.prompt import PromptScreen, WouldReadScreen
from app.desk.episode.scores import EpisodeScorer, RunScores, StepScores, why_words
from app.desk.episode.seat import SeatScreen, drafted, sat_before
from app.desk.episode.transcript import FindingScreen, Transcript
from app.desk.live import PACES
from app.desk.messages import EpisodesFinished, EpisodeWatched, Fact, OpenTurnChanged, RunClosed, RunFailed, RunOpened
from app.desk.presenter import PresenterScreen
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.choice import EmptyState
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import VIEWS, KeyBar, ViewTabs
from app.desk.widgets.lines import LinesPane
from app.desk.widgets.score_strip import ScoreStrip
from app.library import read_records
from app.strings import known, t
from app.terminal import clean
from store.errors import StoreError
from tasks import registry
from tasks.episode.events import Seated
from tasks.episode.scheduler import HUMAN, Notice, RecordsCommitted, SeatWaiting
from tasks.episode.state import State, fold, imported
from tasks.errors import RecordMismatch, TaskError
from tasks.legalagentbench.schemas import refused
from tasks.run.failing import EpisodeFailure, RunFailures, failures_of
from tasks.run.header import is_fictional, spec_of
from tasks.run.reading import steps_by_people

FRAME = 0.05
"""Seconds between two looks at a turn that streams."""
TICK = 1.0
"""Seconds after which the time a silent call takes is shown anew."""
QUICK = 0.2
"""Seconds that a stored step is shown at least while it is replayed."""
FACES: dict[str, type[PaneRenderer]] = {"courts": CourtPaneRenderer}
"""Benchmark -> what it shows differently."""
TITLED = ("plan", "record", "evidence", "scores", "programme", "file", "exhibits", "document")
"""Panes with a title."""


class EpisodeScreen(ExportingScreen, FindingScreen):
    """Shows an episode, stored or in motion."""

    CSS_PATH = "episode.tcss"
    area = "episode"
    help_id = "transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("episode")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.controller: Controller = self.app.controller
        self.face: PaneRenderer = PaneRenderer(self)
        self._view = 0
        self._tab = ""
        self._replay: Timer | None = None
        self._due: Timer | None = None
        self._phase = self._run = ""
        self._failure: EpisodeFailure | None = None
        self.goal: dict[str, int] = {}
        """The episode that is opened next -> the step at which it is to be shown, 0: its end."""

    def compose(self) -> ComposeResult:
        yield SeatBar(id="seats")
        yield ViewTabs(id="tabs")
        with Horizontal(id="panes"):
            yield PlanPane(id="plan")
            yield ProgrammePane(id="programme")
            with Vertical(id="middle"):
                yield Transcript(id="record")
                yield FindBar(id="find")
                yield AnswerBox(id="answer")
            with Vertical(id="right"):
                yield ViewTabs((), "tab", id="aside")
                for name in ("file", "exhibits", "document"):
                    yield LinesPane(name, id=name, hang=0 if name == "document" else 2)
                yield EvidencePane(id="evidence")
                yield ScoreStrip(id="scores")
        yield EmptyState(id="nothing")
        yield Label("", id="hint", markup=False)
        yield Label("", id="notice", markup=False)
        yield KeyBar(("episode", "app"), id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        self.controller.views.append(self)
        self.set_interval(TICK, self._tick)

    def on_screen_resume(self) -> None:
        self.show_turn()

    def retranslate(self) -> None:
        self.name_panes()
        self.query_one(EmptyState).say(t("episode.nothing"), t("episode.nothing.hint"))
        self.face.forget()
        self.controller.shown.relabel()
        self.record.relabel(self.controller.shown.blocks())
        self.show_panes()

    def name_panes(self) -> None:
        prefix = self.face.prefix
        for name in TITLED:
            words = f"pane.{prefix}{name}"
            self.query_one(f"#{name}").border_title = t(words if known(words) else f"pane.{name}")
        views = self.query_one("#tabs", ViewTabs)
        views.offer(VIEWS, f"view.{prefix}".rstrip("."))
        views.show(self._view)
        self.query_one(EvidencePane).nothing = (
            f"evidence.{prefix}empty" if known(f"evidence.{prefix}empty") else "evidence.empty"
        )
        self.show_tab()

    def on_descendant_focus(self) -> None:
        around = self.focused.ancestors_with_self if self.focused else []
        area = next((node.help_id for node in around if isinstance(node, FindBar | AnswerBox)), "episode")
        self.query_one(KeyBar).areas(area, "app")

    @property
    def record(self) -> Transcript:
        return self.query_one(Transcript)

    @property
    def box(self) -> AnswerBox:
        return self.query_one(AnswerBox)

    # what the controller has changed

    def update(self, notice: Notice | Fact) -> None:
        at = self.controller
        match notice:
            case OpenTurnChanged():
                return self._stream()
            case EpisodesFinished():
                return None
            case RunOpened():
                self._open_run()
            case EpisodeWatched(ask=ask):
                self._open_episode()
                if ask is not None:
                    self._ask(ask.seat)
            case RecordsCommitted():
                if not at.shown.back:
                    fresh = at.shown.blocks()[len(self.record.blocks) :]
                    self.record.extend(fresh, at.turn, running.clock())
                if at.over:
                    self._find_failure()
                if at.over and at.moving != "all":
                    self._score_run()
            case SeatWaiting(ask=ask):
                self._ask(ask.seat)
            case RunFailed():
                self.box.give_back()
            case RunClosed():
                self.show_turn()
        self.show_panes()
        return None

    def _open_run(self) -> None:
        facts, strip = self.controller.facts, self.query_one(ScoreStrip)
        if facts is None or facts.id == self._run:
            return
        self._run = facts.id
        self._failure = None
        self.drop("failure")
        self.box.close()
        self._apply(FACES.get(facts.benchmark, PaneRenderer)(self))
        strip.hide("")
        strip.forget()
        self.job("keeper", partial(EpisodeScorer, facts), self._have_keeper, self._no_keeper)

    def _apply(self, face: PaneRenderer) -> None:
        """Lay the screen out for the benchmark of the run."""
        for other in FACES.values():
            self.set_class(other.style == face.style, other.style)
        self.face = face
        self.controller.shown.make = face.make
        self.record.margin_cells, self.record.ruled = face.gutter, face.ruled
        self.record.about, self.box.about = face.about

    def _open_episode(self) -> None:
        at = self.controller
        goal = self.goal.pop(at.episode, 0)
        self.box.close()
        if goal:
            at.shown.go(goal - at.shown.step)
        if not at.again:
            self.record.unfolded.clear()
        if goal or not at.again:
            self.face.forget()
            self.query_one(ProgrammePane).forget()
            self.name_panes()
            self._stop_replay()
            self.record.speak(None)
            self.record.show(at.shown.blocks())
        self._find_failure()
        self.show_panes()
        self.record.focus()
        self.show_turn()

    def _ask(self, seat: str) -> None:
        at = self.controller
        self.record.show(at.shown.blocks())
        typing = isinstance(self.focused, Input | TextArea)
        self.box.open(
            self.face.seat(seat), at.key, focus=not typing, brief=self.face.brief(seat), words=self.face.answering,
            tools=at.has_tools,
        )  # fmt: skip

    def open_stored(self, path: Path, episode: str) -> None:
        self.job("stored", partial(read_records, path, episode), lambda found: self.controller.show_stored(*found))

    # the open turn

    def _stream(self) -> None:
        """There is news of the open turn: look at it a moment later, with all that comes until then."""
        if self._due is None and self.is_current:
            self._due = self.set_timer(FRAME, self.show_turn)

    def show_turn(self) -> None:
        """Bring the open turn in line with what the thread of the run last said of it; the record alone is
        painted."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        turn = self.controller.turn_now()
        self.record.speak(None if self.controller.shown.back else turn, running.clock())
        if self._phase != (turn.phase if turn else ""):
            self.show_heading()

    def _tick(self) -> None:
        if self.controller.speaking and self.is_current:
            self.show_turn()

    # what is shown

    def show_panes(self) -> None:
        at = self.controller
        self.set_class(not at.loaded, "-empty")
        self._hint()
        self.show_heading()
        if not at.loaded:
            return
        self.face.paint()
        self._evidence()
        strip = self.query_one(ScoreStrip)
        strip.hide(t("scores.hidden") if at.human else "")
        strip.expect(at.over)
        if at.keeper and not at.human:
            work = partial(at.keeper.step, tuple(at.shown.visible()), at.episode)
            self.job("step_scores", work, self._have_step_scores)

    def show_heading(self) -> None:
        at = self.controller
        self.query_one(KeyBar).refresh()
        if not at.loaded or at.facts is None:
            return self.query_one(SeatBar).show(Heading())
        state = self.looked_at()
        word = "replay" if self._replay else "back" if at.shown.back else self._motion()
        said = ""
        self._phase = at.turn.phase if at.turn else ""
        if at.turn is not None and word not in ("replay", "back"):
            word, said = "speaking" if at.speaking else "stopped", phase_word(at.turn, at.pausing, at.stopping)
        group = at.keeper.group(state.task_id) if at.keeper else ""
        fictional = is_fictional(at.facts.header)
        seats = tuple(state.seats.values())
        elsewhere = imported(at.state)
        progress = t("failures.imported") if elsewhere else ""
        heading = Heading(
            at.facts.benchmark, state.task_id, group, seats, at.shown.step, at.shown.total, word, fictional, said,
            progress=progress,
        )  # fmt: skip
        self.record.describe_steps(elsewhere, steps_by_people(state.records))
        notice = " · ".join((*((t("mark.fictional"),) if fictional else ()), DISCLAIMER))
        self.query_one("#notice", Label).update(notice)
        return self.query_one(SeatBar).show(self.face.heading(heading))

    def looked_at(self) -> State:
        """The state at the step that is looked at."""
        shown = self.controller.shown
        return fold(shown.visible()) if shown.back else self.controller.state

    def _motion(self) -> str:
        if self.box.is_open:
            return "waiting"
        return "ended" if self.controller.over and self.controller.moving != "all" else self.controller.moving

    def _hint(self) -> None:
        shown, hint = self.controller.shown, self.controller.hint
        hint = t("episode.back.hint") if shown.back else t(hint) if hint else ""
        found = self._failure
        why = why_words(found, self.controller.state) if found and found.episode == self.controller.episode else ""
        hint = " · ".join(filter(None, (why, hint)))
        label = self.query_one("#hint", Label)
        if str(label.content) != hint:
            label.update(hint)
        label.display = bool(hint) and self.controller.loaded
        label.set_class(shown.back, "-back")

    @on(Transcript.BlockHighlighted)
    def _evidence(self) -> None:
        block = self.record.current
        self.query_one(EvidencePane).look(self.controller.shown.visible(), block.seq if block else -1)

    # scores

    def _score_run(self) -> None:
        keeper, facts = self.controller.keeper, self.controller.facts
        if keeper is not None and facts is not None:
            self.job("run_scores", partial(keeper.of_file, facts.path), self._have_run_scores)

    def _have_keeper(self, keeper: EpisodeScorer) -> None:
        self.controller.keeper = keeper
        self.retranslate()
        self._score_run()

    def _find_failure(self) -> None:
        at = self.controller
        if at.facts is not None and at.over:
            work = partial(failures_of, at.facts.path, at.episode)
            self.job("failure", work, self._have_failure, lambda error: True)

    def _have_failure(self, found: RunFailures) -> None:
        (self._failure,) = found.episodes
        self._hint()

    def _no_keeper(self, error: BaseException) -> bool:
        changed = isinstance(error, RecordMismatch)
        self.controller.keeper_failed = True
        self.query_one(ScoreStrip).give_up(changed)
        self.show_panes()
        return changed

    def _have_step_scores(self, scores: StepScores) -> None:
        if not self.controller.human:
            self.query_one(ScoreStrip).show_step(scores)

    def _have_run_scores(self, scores: RunScores) -> None:
        if not self.controller.human:
            self.query_one(ScoreStrip).show_run(scores)

    # keys

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        if action in ("aside", "everything"):
            return self.controller.loaded and bool(self.face.tabs)
        can = self.controller.can(action)
        return self.has_class("-narrow") if action == "view" and can else can

    def on_key(self, event: Key) -> None:
        letter, at = event.character or "", self.controller
        if at.asked and not at.shown.back and letter in ACTING.values() and self.box.is_open:
            event.stop()
            self.box.begin(letter)

    def action_step(self) -> None:
        """One step: a stored one while looking back, else a new one."""
        self._stop_replay()
        if self.controller.shown.back:
            self._look(1)
        else:
            self.controller.step()

    def action_auto(self) -> None:
        """Go on by itself, or pause. While looking back the stored steps are shown one after the other."""
        if self._replay:
            return self._stop_replay()
        if self.controller.shown.back:
            self._replay_later()
            return self.show_panes()
        if self.controller.goes_on:
            self.controller.pause()
            self.show_heading()
        else:
            self.controller.auto()
        return None

    def action_stop(self) -> None:
        self.controller.stop()
        self.show_heading()

    def action_pace(self, by: int) -> None:
        self.controller.change_pace(by)

    def action_back(self) -> None:
        """Look one step back. What goes on by itself is paused first."""
        self._stop_replay()
        self.controller.pause()
        self._look(-1)

    def action_jump(self) -> None:
        """Ask for a step and look at it."""
        shown = self.controller.shown

        def go(step: int | None) -> None:
            if step is not None:
                self._stop_replay()
                self.controller.pause()
                self._look(step - shown.step)

        self.app.push_screen(StepScreen(shown.total), go)

    def action_now(self) -> None:
        self._stop_replay()
        self._look(self.controller.shown.total - self.controller.shown.step)

    def _look(self, by: int) -> None:
        if self.controller.shown.go(by):
            self.show_turn()
            self.record.show(self.controller.shown.blocks())
            self.show_panes()

    def _replay_later(self) -> None:
        """The next stored step comes when the shown one has been read."""
        shown = self.controller.shown
        read = [record for record in shown.records if record.step == shown.step]
        self._replay = self.set_timer(max(QUICK, PACES[self.controller.pace].pause(read)), self._replay_step)

    def _replay_step(self) -> None:
        self._look(1)
        if self.controller.shown.back:
            self._replay_later()
        else:
            self._stop_replay()

    def _stop_replay(self) -> None:
        if self._replay:
            self._replay.stop()
            self._replay = None
            self.show_panes()

    def action_fork(self) -> None:
        """Say what a new run from here keeps, and begin it."""
        self._stop_replay()
        at = self.controller
        step = at.forked_at
        words = fork_words(at.shown.records, step, self.face.seat)
        hint = t("fork.hint", step=step) if step else ""
        dialog = ConfirmScreen(t("fork.title"), "\n".join(words), hint, t("fork.yes"), ready=True)
        self.app.push_screen(dialog, lambda agreed: at.fork() if agreed else None)

    def action_present(self) -> None:
        self._stop_replay()
        self.app.push_screen(PresenterScreen(self.controller, self.box))

    def action_prompt(self) -> None:
        """What the model saw in the call at the cursor, or in the last one before it; where no model spoke in that
        step, what one in the seat would read."""
        at, block = self.controller, self.record.current
        if at.facts is None:
            return
        if block is not None and (seat := at.acted(block.step)):
            self.app.push_screen(WouldReadScreen(at.facts, at.episode, seat, self.face.seat(seat), block.step))
            return
        calls = list(at.calls())
        before = (record for record in calls if block is None or record.seq <= block.seq)
        record = next(before, calls[-1] if calls else None)
        if record is not None:
            self.app.push_screen(PromptScreen(at.facts, at.episode, tuple(at.shown.records), record.seq))

    # a person in a seat

    def action_seat(self) -> None:
        at, face = self.controller, self.face
        if at.facts is None or not at.state.seats:
            return
        seated = [record.event for record in at.shown.records if isinstance(record.event, Seated)]
        try:
            spec = spec_of(at.facts.header)
            dialog = SeatScreen(spec, at.state.seats, sat_before(seated), face.seat, face.following)
        except (StoreError, TaskError) as error:
            self.desk.problem(error.title, error.hint)
            return
        self.app.push_screen(dialog, self._take_seat)

    def _take_seat(self, newcomer: Seated | None) -> None:
        if newcomer is None:
            return
        if newcomer.engine != HUMAN:
            self.box.close()
            self.record.focus()
        self.controller.seat(newcomer)

    @on(AnswerBox.ToolsRequested)
    def _tools_asked(self) -> None:
        assert self.controller.facts is not None
        header = self.controller.facts.header
        pack = str(header.get("pack", {}).get("path") or spec_of(header).pack)
        self.app.push_screen(CallScreen(pack), self._tool_chosen)

    def _tool_chosen(self, text: str | None) -> None:
        if text:
            self.say(text)
        elif not self.box.text:
            self.box.begin("/")

    @on(AnswerBox.DraftRequested)
    def _draft_asked(self) -> None:
        if self.controller.facts is not None:
            work = partial(drafted, self.controller.facts.path, self.controller.episode)
            self.job("draft", work, self.take_draft)

    def take_draft(self, text: str) -> None:
        """What the rules would do stands in the box, unless the person has written meanwhile."""
        if not text:
            self.desk.say(t("answer.no_draft"))
        elif self.box.is_open:
            self.box.fill(text)

    @on(AnswerBox.AnswerSubmitted)
    def _said(self, event: AnswerBox.AnswerSubmitted) -> None:
        wrong = refused(event.text, registry.names("tools")) if self.controller.has_tools else ""
        if wrong:
            self.box.fill(event.text)
            self.desk.say(t("answer.refused", reason=wrong), "warning")
        else:
            self.say(event.text)

    def say(self, text: str) -> None:
        at = self.controller
        self.box.close()
        if at.opening:
            self.box.give_back()
            self.desk.say(t("answer.later"), "warning")
            return self._ask(at.asked)
        self.record.focus()
        at.say(text)
        return None

    # copies and files

    def action_copy(self) -> None:
        """The raw source of the block at the cursor, or of the pane on the right that has the focus."""
        block = self.record.current
        text = clean(self.face.copied() or (block.raw if block else ""))
        if text:
            self.desk.copy_to_clipboard(text)
            self.desk.say(t("episode.copied", n=len(text)))

    # panes

    def action_view(self, view: int | None = None) -> None:
        self._view = (self._view + 1) % len(VIEWS) if view is None else view
        for index, name in enumerate(VIEWS):
            self.set_class(index == self._view, f"-view-{name}", update=False)
        self.update_node_styles()
        self.query_one("#tabs", ViewTabs).show(self._view)
        self.query_one(f"#{self.face.panes[self._view]}").focus()

    @on(ViewTabs.TabActivated, "#tabs")
    def _view_chosen(self, event: ViewTabs.TabActivated) -> None:
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

    @on(ViewTabs.TabActivated, "#aside")
    def _tab_chosen(self, event: ViewTabs.TabActivated) -> None:
        self.action_aside(event.index)

    def action_everything(self) -> None:
        self.desk.say(self.face.toggle_everything())
        self.show_panes()

    @on(ProgrammePane.ItemSelected)
    @on(PlanPane.StepSelected)
    def _plan_chosen(self, event: PlanPane.StepSelected | ProgrammePane.ItemSelected) -> None:
        self.go_to(event.seq)

    def go_to(self, seq: int | None) -> None:
        found = [place for place, block in enumerate(self.record.blocks) if seq is not None and block.seq <= seq]
        if found:
            self.record.move_to(found[-1])

    def action_grounds(self) -> None:
        scores = self.query_one(ScoreStrip).step
        if scores is None or not (scores.grounds.beside or scores.grounds.rows):
            self.desk.say(t("grounds.none"))
            return

        def went(seq: int | None) -> None:
            if seq is not None:
                self.action_view(VIEWS.index("record"))
                self.go_to(seq)

        self.app.push_screen(EvidenceScreen(scores, self.controller.state.task_id), went)

    def action_wide(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_fold_all(self) -> None:
        programme = self.query_one(ProgrammePane)
        (programme if programme.has_focus else self.record).fold_all()

    # where to go

    def action_episode(self, by: int) -> None:
        at = self.controller
        names = [line.id for line in at.episodes]
        if at.facts is not None and at.episode in names:
            index = names.index(at.episode) + by
            if 0 <= index < len(names):
                self.desk.open_episode(at.facts.path, names[index])

    async def action_review(self) -> None:
        at = self.controller
        if at.facts is not None and at.over:
            await self.desk.review(at.facts.path, at.episode)

    async def action_leave(self) -> None:
        if self.maximized is not None:
            self.minimize()
        else:
            await self.desk.action_mode("home")
