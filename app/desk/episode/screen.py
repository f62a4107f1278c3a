"""One episode: plan left, record in the middle, evidence and scores right. The same screen for every benchmark.

A pure view over stored records, plus the wishes a person sends to the thread of the run. Looking back runs no code.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.timer import Timer
from textual.widgets import Input, Label, TextArea

from app.court_words import DISCLAIMER
from app.desk import live as running
from app.desk.bindings import bindings
from app.desk.court.panes import CourtFace, ProgrammePane
from app.desk.episode.actions import EpisodeActions
from app.desk.episode.faces import EvidencePane, Face, Heading, SeatBar
from app.desk.episode.open_turn import OpenTurn, phase_word
from app.desk.episode.plan_pane import PlanPane
from app.desk.episode.renderers import one, totals
from app.desk.episode.scores import RunScores, Scorekeeper, StepScores
from app.desk.episode.transcript import Transcript
from app.desk.messages import (
    Closed,
    EpisodeLine,
    Failed,
    Moving,
    News,
    Progressed,
    RunFacts,
    RunOpened,
    Streamed,
    Watched,
)
from app.desk.widgets.answer_box import AnswerBox
from app.desk.widgets.choice import Empty
from app.desk.widgets.find_bar import FindBar
from app.desk.widgets.key_bar import VIEWS, KeyBar, ViewTabs
from app.desk.widgets.lines import Sheet
from app.desk.widgets.score_strip import ScoreStrip
from app.library import read_records
from app.strings import known, language, t
from tasks.episode.events import ToolReturned
from tasks.episode.scheduler import Committed, Waiting
from tasks.episode.state import State, fold, imported
from tasks.errors import RecordMismatch
from tasks.reports.model import replies_line
from tasks.reports.words import word
from tasks.run.header import is_fictional
from tasks.scoring.replies import degenerate, replies_of

FRAME = 0.05
"""Seconds between two looks at a turn that streams."""
TICK = 1.0
"""Seconds after which the time a silent call takes is shown anew."""
FACES: dict[str, type[Face]] = {"courts": CourtFace}
"""Benchmark -> what it shows differently."""
TITLED = ("plan", "record", "evidence", "scores", "programme", "file", "exhibits", "document")
"""Panes with a title."""


class EpisodeScreen(EpisodeActions):
    """Shows an episode, stored or in motion."""

    CSS_PATH = "episode.tcss"
    area = "episode"
    help_id = "transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("episode")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.keeper: Scorekeeper | None = None
        self.keeper_failed = False
        self.hint = ""
        self.source = 0
        """The number of the thread whose run is shown; 0: one from disk."""
        self.face: Face = Face(self)
        self._due: Timer | None = None
        self._goal = 0
        """The step at which a stored episode is to be shown; 0: its end."""

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
                    yield Sheet(name, id=name, hang=0 if name == "document" else 2)
                yield EvidencePane(id="evidence")
                yield ScoreStrip(id="scores")
        yield Empty(id="nothing")
        yield Label("", id="hint", markup=False)
        yield Label("", id="notice", markup=False)
        yield KeyBar(("episode", "app"), id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        self.set_interval(TICK, self._tick)

    def on_screen_resume(self) -> None:
        self.show_turn()

    def retranslate(self) -> None:
        self.name_panes()
        self.query_one(Empty).say(t("episode.nothing"), t("episode.nothing.hint"))
        record = self.query_one(Transcript)
        self.face.forget()
        self.shown.relabel()
        record.relabel(self.shown.blocks())
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

    # what happens

    def show_stored(
        self, facts: RunFacts, episodes: tuple[EpisodeLine, ...], episode: str, records: list[Any]
    ) -> None:
        self.source = 0
        self._enter(facts, episodes)
        self.moving = "stored"
        self._show_episode(episode, fold(records))
        if not records:
            self.desk.problem(t("episode.not_begun", name=one(episode)), t("episode.not_begun.hint"))
        goal, self._goal = self._goal, 0
        if goal and self.shown.go(goal - self.shown.step):
            self.show_panes()

    def concerns(self, news: News) -> bool:
        """Whether news are of the run that is shown, open it, or are for everybody."""
        return news.live == self.source or isinstance(news.notice, RunOpened | Failed)

    def update(self, news: News) -> None:
        match news.notice:
            case Streamed(episode=episode):
                return self._stream(episode)
            case Progressed():
                return None
            case RunOpened(run=run, episodes=episodes):
                self.source = news.live
                self._enter(run, episodes)
                self.moving = "paused"
            case Watched(episode=episode, state=state, ask=ask):
                self._show_episode(episode, state)
                self.show_turn()
                if ask is not None:
                    self._ask(ask.seat)
            case Committed(episode=episode, state=state) if episode == self.episode:
                self._extend(state)
            case Waiting(episode=episode, ask=ask) if episode == self.episode:
                self.shown.go_to_head()
                self._ask(ask.seat)
            case Moving(mode=mode):
                self.moving = mode
                self.pausing = False
            case Failed():
                self.query_one(AnswerBox).give_back()
            case Closed():
                self.moving = "stored"
                self.pausing = False
                self.show_turn()
        self.show_panes()
        return None

    # the open turn

    def _stream(self, episode: str) -> None:
        """There is news of the open turn: look at it a moment later, with all that comes until then."""
        if episode == self.episode and self._due is None and self.is_current:
            self._due = self.set_timer(FRAME, self.show_turn)

    def show_turn(self) -> None:
        """Bring the open turn in line with what the thread of the run last said of it; the record alone is
        painted."""
        if self._due is not None:
            self._due.stop()
            self._due = None
        before = self.turn.phase if self.turn else ""
        self.turn = self.turn_now()
        self.stopping = self.stopping and self.speaking
        self.query_one(Transcript).speak(None if self.shown.back else self.turn, running.clock())
        if before != (self.turn.phase if self.turn else ""):
            self.show_heading()

    def turn_now(self) -> OpenTurn | None:
        live = self.desk.live_at(self.facts.path) if self.facts is not None else None
        return live.turn(self.episode) if live is not None else None

    def _tick(self) -> None:
        if self.speaking and self.is_current:
            self.show_turn()

    def _enter(self, facts: RunFacts, episodes: tuple[EpisodeLine, ...]) -> None:
        fresh = self.facts is None or self.facts.id != facts.id
        self.facts, self.episodes = facts, episodes
        if fresh:
            self.keeper, self.keeper_failed = None, False
            self._wear(FACES.get(facts.benchmark, Face)(self))
            self.query_one(ScoreStrip).hide("")
            self.query_one(ScoreStrip).forget()
            self.job("keeper", partial(Scorekeeper, facts), self._have_keeper, self._no_keeper)

    def _wear(self, face: Face) -> None:
        """Look like the benchmark of the run."""
        for other in FACES.values():
            self.set_class(other.style == face.style, other.style)
        self.face = face
        self.shown.make = face.make
        record = self.query_one(Transcript)
        record.margin_cells, record.ruled = face.gutter, face.ruled
        record.about, self.query_one(AnswerBox).about = face.about

    def _show_episode(self, episode: str, state: State) -> None:
        again = episode == self.episode and len(state.records) == len(self.shown.records) > 0
        self.episode, self.state, self.asked = episode, state, ""
        self.turn = None
        self.query_one(Transcript).speak(None)
        self.query_one(AnswerBox).close()
        if not again:
            self.face.forget()
            self.query_one(ProgrammePane).forget()
            self.shown.reset(state.records)
            self.name_panes()
            self._stop_replay()
            self.query_one(Transcript).show(self.shown.blocks())
        self.show_panes()
        self.query_one(Transcript).focus()

    def _extend(self, state: State) -> None:
        """The state after a commit. It may hold more than was committed: what an unfinished step had on record
        before."""
        self.state, self.asked = state, ""
        fresh = self.shown.extend(state.records)
        if self.hint == "demo.hint":
            self.hint = ""
        self.turn = self.turn_now()
        if not self.shown.back:
            self.query_one(Transcript).extend(self.shown.blocks_of(fresh), self.turn, running.clock())
        if state.stopped is not None and self.moving != "all":
            self._score_run()

    def _ask(self, seat: str) -> None:
        self.asked = seat
        self.query_one(Transcript).show(self.shown.blocks())
        typing = isinstance(self.focused, Input | TextArea)
        key = f"{self.facts.id if self.facts else ''}/{self.episode}"
        box, face = self.query_one(AnswerBox), self.face
        box.open(
            face.seat(seat), key, focus=not typing, brief=face.brief(seat), words=face.answering, tools=self.has_tools
        )

    # what is shown

    def show_panes(self) -> None:
        self.set_class(not self.loaded, "-empty")
        self._hint()
        self.show_heading()
        if not self.loaded:
            return
        visible = self.shown.visible()
        self.face.paint()
        self._evidence()
        strip = self.query_one(ScoreStrip)
        strip.hide(t("scores.hidden") if self.human else "")
        strip.expect(self.over)
        if self.keeper and not self.human:
            self.job("step_scores", partial(self.keeper.step, tuple(visible), self.episode), self._have_step_scores)

    def show_heading(self) -> None:
        self.query_one(KeyBar).refresh()
        if not self.loaded or self.facts is None:
            return self.query_one(SeatBar).show(Heading())
        state = self._state()
        word = "replay" if self._replay else "back" if self.shown.back else self._motion()
        said = ""
        if self.turn is not None and word not in ("replay", "back"):
            word, said = (
                "speaking" if self.speaking else "stopped",
                phase_word(self.turn, self.pausing, self.stopping),
            )
        group = self.keeper.group(state.task_id) if self.keeper else ""
        fictional = is_fictional(self.facts.header)
        seats = tuple(state.seats.values())
        step, of = self.shown.step, self.shown.total
        elsewhere = imported(self.state)
        progress = t("failures.imported") if elsewhere else ""
        heading = Heading(
            self.facts.benchmark, state.task_id, group, seats, step, of, word, fictional, said, progress=progress
        )
        self.query_one(Transcript).without_steps(elsewhere)
        notice = " · ".join((*((t("mark.fictional"),) if fictional else ()), DISCLAIMER))
        self.query_one("#notice", Label).update(notice)
        return self.query_one(SeatBar).show(self.face.heading(heading))

    def _state(self) -> State:
        return fold(self.shown.visible()) if self.shown.back else self.state

    def _motion(self) -> str:
        if self.query_one(AnswerBox).is_open:
            return "waiting"
        return "ended" if self.over and self.moving != "all" else self.moving

    def fact_lines(self) -> list[tuple[str, str]]:
        """What is known of the looked-at state in figures: name, value."""
        state = self._state()
        calls = sum(isinstance(record.event, ToolReturned) for record in state.records)
        facts = [(t("fact.steps"), str(state.steps)), (t("fact.calls"), str(calls))]
        models, evaluated, reused, generated = totals(state.records)
        if models:
            facts.append((t("fact.models"), f"{models:,}"))
            facts += [
                (t("fact.read"), f"{evaluated:,}"),
                (t("fact.reused"), f"{reused:,}"),
                (t("fact.generated"), f"{generated:,}"),
            ]
        elif state.tokens:
            facts.append((t("fact.tokens"), f"{state.tokens:,}"))
        if self.facts is not None:
            facts += [(t("fact.pack"), self.facts.pack)] if self.facts.pack else []
            parent = self.facts.header.get("parent") or {}
            if parent:
                facts.append(
                    (
                        t("fact.parent"),
                        t(
                            "fact.parent.value",
                            run="-".join(str(parent.get("run", "")).split("-")[-2:]),
                            step=parent.get("step", 0),
                        ),
                    )
                )
        flags = [t(f"flag.{flag}") for flag in sorted(state.flags)]
        facts += [(t("fact.flags"), "、".join(flags))] if flags else []
        found = ((seat, own) for seat, own in replies_of(state.records).items() if degenerate(own))
        label, seats = word("replies", language()), self.face.seat
        return [*facts, *((label, replies_line(seat, own, language(), seats(seat))) for seat, own in found)]

    def _hint(self) -> None:
        hint = t(self.hint) if known(self.hint) else self.hint
        if self.shown.back:
            hint = t("episode.back.hint", step=self.shown.step, of=self.shown.total)
        label = self.query_one("#hint", Label)
        if str(label.content) != hint:
            label.update(hint)
        label.display = bool(hint) and self.loaded
        label.set_class(self.shown.back, "-back")

    @on(Transcript.Looked)
    def _evidence(self) -> None:
        block = self.query_one(Transcript).current
        visible = self.shown.visible()
        seq = block.seq if block else -1
        calls = [record for record in visible if isinstance(record.event, ToolReturned)]
        of_call = next((r for r in calls if r.parent == seq), None)
        before = [r for r in calls if r.seq <= seq]
        record = of_call or (before[-1] if before else None)
        self.query_one(EvidencePane).show(cast(ToolReturned, record.event) if record else None)

    def action_present(self) -> None:
        self._stop_replay()
        self.desk.present(self)

    # scores and other slow things

    def _score_run(self) -> None:
        if self.keeper is not None and self.facts is not None:
            self.job("run_scores", partial(self.keeper.of_file, self.facts.path), self._have_run_scores)

    def _have_keeper(self, keeper: Scorekeeper) -> None:
        self.keeper = keeper
        self.retranslate()
        self._score_run()

    def _no_keeper(self, error: BaseException) -> bool:
        changed = isinstance(error, RecordMismatch)
        self.keeper_failed = True
        self.query_one(ScoreStrip).give_up(changed)
        self.show_panes()
        return changed

    def _have_step_scores(self, scores: StepScores) -> None:
        if not self.human:
            self.query_one(ScoreStrip).show_step(scores)

    def _have_run_scores(self, scores: RunScores) -> None:
        if not self.human:
            self.query_one(ScoreStrip).show_run(scores)

    def open_stored(self, path: Path, episode: str, step: int = 0) -> None:
        self._goal = step
        self.job("stored", partial(read_records, path, episode), lambda found: self.show_stored(*found))
