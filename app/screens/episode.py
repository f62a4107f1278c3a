"""One episode: plan left, record in the middle, evidence and scores right. The same screen for every benchmark.

A pure view over stored records, plus the wishes a person sends to the thread of the run. Looking back runs no code.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.timer import Timer
from textual.widgets import Label
from textual.worker import Worker

from app.bindings import bindings
from app.library import read_records
from app.live import PACES
from app.markdown import export_episode
from app.messages import (
    Closed,
    EpisodeLine,
    Happened,
    HumanAsked,
    LiveMessage,
    Moving,
    RunFacts,
    RunOpened,
    Watched,
)
from app.renderers import one, seat_name
from app.scores import Scorekeeper
from app.shown import Shown, blocks_of
from app.strings import t
from app.terminal import clean
from app.widgets.answer_box import AnswerBox
from app.widgets.empty import Empty
from app.widgets.evidence_pane import EvidencePane
from app.widgets.find_bar import FindBar
from app.widgets.key_bar import KeyBar
from app.widgets.plan_pane import PlanPane, plan_items
from app.widgets.score_strip import ScoreStrip
from app.widgets.seat_bar import Heading, SeatBar
from app.widgets.transcript import Transcript
from app.widgets.view_tabs import VIEWS, ViewTabs
from tasks.events import Seated, ToolReturned
from tasks.scheduler import HUMAN
from tasks.state import State, fold

if TYPE_CHECKING:
    from app.shell import Desk


class EpisodeScreen(Screen[None]):
    """Shows an episode, stored or in motion."""

    CSS_PATH = "episode.tcss"
    area = "episode"
    help_id = "transcript"
    BINDINGS: ClassVar[list[BindingType]] = bindings("episode")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.shown = Shown()
        self.facts: RunFacts | None = None
        self.episodes: tuple[EpisodeLine, ...] = ()
        self.episode = ""
        self.moving = "stored"
        self.state = State()
        self.keeper: Scorekeeper | None = None
        self.hint = ""
        self._view = 0
        self._replay: Timer | None = None

    @property
    def desk(self) -> Desk:
        """The app."""
        return cast("Desk", self.app)

    def compose(self) -> ComposeResult:
        """Title bar, three panes, bars."""
        yield SeatBar(id="seats")
        yield ViewTabs(id="tabs")
        with Horizontal(id="panes"):
            yield PlanPane(id="plan")
            with Vertical(id="middle"):
                yield Transcript(id="record")
                yield FindBar(id="find")
                yield AnswerBox(id="answer")
            with Vertical(id="right"):
                yield EvidencePane(id="evidence")
                yield ScoreStrip(id="scores")
        yield Empty(id="nothing")
        yield Label("", id="hint", markup=False)
        yield KeyBar(("episode", "app"), id="keys")

    def on_mount(self) -> None:
        """Words first, then whatever there is."""
        self.retranslate()

    def retranslate(self) -> None:
        """All words in the current language."""
        for name in ("plan", "record", "evidence", "scores"):
            self.query_one(f"#{name}").border_title = t(f"pane.{name}")
        self.query_one(Empty).say(t("episode.nothing"), t("episode.nothing.hint"))
        self.query_one(ViewTabs).show(self._view)
        record = self.query_one(Transcript)
        record.relabel(self.shown.blocks())
        self._panes()

    # what happens

    def show_stored(self, facts: RunFacts, episodes: tuple[EpisodeLine, ...], episode: str, records: list[Any]) -> None:
        """Show an episode as it is on disk."""
        self._enter(facts, episodes)
        self.moving = "stored"
        self._show_episode(episode, fold(records))

    def hear(self, message: LiveMessage) -> None:
        """News from the thread of the run."""
        match message:
            case RunOpened(run=run, episodes=episodes):
                self._enter(run, episodes)
                self.moving = "paused"
            case Watched(episode=episode, state=state, ask=ask):
                self._show_episode(episode, state)
                if ask is not None:
                    self._ask(ask.seat)
            case Happened(episode=episode, records=records, state=state) if episode == self.episode:
                self._extend(records, state)
            case HumanAsked(episode=episode, ask=ask) if episode == self.episode:
                self.shown.go_to_head()
                self._ask(ask.seat)
            case Moving(mode=mode):
                self.moving = mode
            case Closed():
                self.moving = "stored"
        self._panes()

    def _enter(self, facts: RunFacts, episodes: tuple[EpisodeLine, ...]) -> None:
        fresh = self.facts is None or self.facts.id != facts.id
        self.facts, self.episodes = facts, episodes
        if fresh:
            self.keeper = None
            self.query_one(ScoreStrip).hide("")
            self.query_one(ScoreStrip).show_run(None)
            self._work(partial(Scorekeeper, facts), "keeper")

    def _show_episode(self, episode: str, state: State) -> None:
        again = episode == self.episode and len(state.records) == len(self.shown.records) > 0
        self.episode, self.state = episode, state
        self.query_one(AnswerBox).close()
        if not again:
            self.shown.reset(state.records)
            self._stop_replay()
            self.query_one(Transcript).show(self.shown.blocks())
        self._panes()
        self.query_one(Transcript).focus()

    def _extend(self, records: tuple[Any, ...], state: State) -> None:
        self.state = state
        fresh = self.shown.extend(records)
        if self.hint == "demo.hint":
            self.hint = ""
        if not self.shown.back:
            self.query_one(Transcript).extend(blocks_of(fresh))
        if state.stopped is not None and self.moving != "all":
            self._score_run()

    def _ask(self, seat: str) -> None:
        self.query_one(Transcript).show(self.shown.blocks())
        self.query_one(AnswerBox).open(seat_name(seat))

    # what is shown

    @property
    def loaded(self) -> bool:
        """Whether there is an episode."""
        return self.facts is not None and bool(self.shown.records)

    @property
    def over(self) -> bool:
        """Whether the episode has ended."""
        return self.state.stopped is not None

    @property
    def human(self) -> bool:
        """Whether a person holds a seat of the running episode."""
        return not self.over and any(seated.engine == HUMAN for seated in self.state.seats.values())

    def _panes(self) -> None:
        """Bring every pane in line with the looked-at step."""
        self.set_class(not self.loaded, "-empty")
        self._hint()
        self.query_one(KeyBar).refresh()
        if not self.loaded or self.facts is None:
            self.query_one(SeatBar).show(Heading())
            return
        visible = self.shown.visible()
        state = fold(visible) if self.shown.back else self.state
        spec = self.facts.header.get("pack", {})
        state_word = "replay" if self._replay else "back" if self.shown.back else self._motion()
        group = self.keeper.group(state.task_id) if self.keeper else ""
        self.query_one(SeatBar).show(
            Heading(
                self.facts.benchmark, state.task_id, group, tuple(state.seats.values()), self.shown.step,
                self.shown.total, state_word, "authored" in spec.get("provenance", ()),
            )
        )  # fmt: skip
        gold = any(isinstance(r.event, Seated) and r.event.policy.startswith("gold/") for r in visible)
        hidden = t("plan.hidden") if self.human and gold else ""
        self.query_one(PlanPane).show(plan_items(visible), self._facts(state), hidden)
        self._evidence()
        strip = self.query_one(ScoreStrip)
        strip.hide(t("scores.hidden") if self.human else "")
        if self.keeper and not self.human:
            self._work(partial(self.keeper.step, tuple(visible)), "step_scores")

    def _motion(self) -> str:
        if self.query_one(AnswerBox).is_open:
            return "waiting"
        return "ended" if self.over and self.moving != "all" else self.moving

    def _facts(self, state: State) -> list[tuple[str, str]]:
        calls = sum(isinstance(record.event, ToolReturned) for record in state.records)
        facts = [(t("fact.steps"), str(state.steps)), (t("fact.calls"), str(calls))]
        if state.tokens:
            facts.append((t("fact.tokens"), f"{state.tokens:,}"))
        if self.facts is not None:
            facts.append((t("fact.pack"), self.facts.pack))
            parent = self.facts.header.get("parent") or {}
            if parent:
                facts.append((t("fact.parent"), t("fact.parent.value", run="-".join(str(parent.get("run", "")).split("-")[-2:]), step=parent.get("step", 0))))
        flags = [t(f"flag.{flag}") for flag in sorted(state.flags)]
        return [*facts, (t("fact.flags"), "、".join(flags))] if flags else facts

    def _hint(self) -> None:
        hint = t(self.hint) if self.hint else ""
        if self.shown.back:
            hint = t("episode.back.hint", step=self.shown.step, of=self.shown.total)
        label = self.query_one("#hint", Label)
        label.update(hint)
        label.display = bool(hint) and self.loaded
        label.set_class(self.shown.back, "-back")

    @on(Transcript.Looked)
    def _evidence(self) -> None:
        """The tool result at the cursor, else the last one before it."""
        block = self.query_one(Transcript).current
        visible = self.shown.visible()
        seq = block.seq if block else -1
        calls = [record for record in visible if isinstance(record.event, ToolReturned)]
        of_call = next((r for r in calls if r.parent == seq), None)
        before = [r for r in calls if r.seq <= seq]
        record = of_call or (before[-1] if before else None)
        self.query_one(EvidencePane).show(cast(ToolReturned, record.event) if record else None)

    # scores and other slow things

    def _work(self, job: Any, name: str) -> None:
        self.run_worker(job, name=name, group=name, thread=True, exclusive=True, exit_on_error=False)

    def _score_run(self) -> None:
        if self.keeper is not None and self.facts is not None:
            self._work(partial(self.keeper.of_file, self.facts.path), "run_scores")

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Results of workers, by name; a failure becomes a dialog."""
        if self.desk.worker_failed(event):
            return
        if event.worker.result is None:
            return
        result = event.worker.result
        match event.worker.name:
            case "keeper":
                self.keeper = result
                self._panes()
                self._score_run()
            case "step_scores" if not self.human:
                self.query_one(ScoreStrip).show_step(result)
            case "run_scores" if not self.human:
                self.query_one(ScoreStrip).show_run(result)
            case "stored":
                self.show_stored(*result)
            case "export":
                self.desk.say(t("export.done", path=one(str(result))))

    def open_stored(self, path: Path, episode: str) -> None:
        """Read an episode from disk and show it."""
        self._work(partial(read_records, path, episode), "stored")

    # wishes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense at the moment is dim."""
        needs = ("step", "auto", "back", "now", "fork", "seat", "find", "copy", "export", "view", "wide")
        if action in needs and not self.loaded:
            return None
        if action == "view":
            return self.has_class("-narrow")
        if action == "now" and self.loaded:
            return self.shown.back
        live = self.shown.back or not self.over
        rules = {
            "step": live, "auto": live, "back": self.shown.step > 0,
            "seat": not self.over and not self.shown.back,
        }  # fmt: skip
        return True if rules.get(action, True) else None

    def action_step(self) -> None:
        """One step: a stored one while looking back, else a new one."""
        self._stop_replay()
        if self.shown.back:
            return self._look(1)
        if self.desk.with_live(self, lambda live: live.step(self.episode)):
            self.moving = "paused"
        return None

    def action_auto(self) -> None:
        """Go on by itself, or pause. While looking back the stored steps are shown one after the other."""
        if self._replay:
            return self._stop_replay()
        if self.shown.back:
            self._replay = self.set_interval(max(0.2, PACES[self.desk.pace]), self._replay_step)
            return self._panes()
        if self.moving in ("auto", "all"):
            self.desk.with_live(self, lambda live: live.pause())
        else:
            self.desk.with_live(self, lambda live: live.auto(self.episode))
        return None

    def action_pace(self, by: int) -> None:
        """Faster or slower."""
        self.desk.pace = min(max(self.desk.pace + by, 0), len(PACES) - 1)
        if self.desk.live is not None:
            self.desk.live.pace = self.desk.pace
        self.desk.say(t("episode.pace", n=self.desk.pace + 1, of=len(PACES)))

    def action_back(self) -> None:
        """Look one step back. What goes on by itself is paused first."""
        self._stop_replay()
        if self.moving in ("auto", "all"):
            self.desk.with_live(self, lambda live: live.pause())
        self._look(-1)

    def action_now(self) -> None:
        """Back to the head."""
        self._stop_replay()
        self._look(self.shown.total - self.shown.step)

    def _look(self, by: int) -> None:
        if self.shown.go(by):
            self.query_one(Transcript).show(self.shown.blocks())
            self._panes()

    def _replay_step(self) -> None:
        self._look(1)
        if not self.shown.back:
            self._stop_replay()

    def _stop_replay(self) -> None:
        if self._replay:
            self._replay.stop()
            self._replay = None
            self._panes()

    def action_fork(self) -> None:
        """A new run from the shown step."""
        assert self.facts is not None
        self._stop_replay()
        self.desk.fork(self.facts.path, self.episode, self.shown.step)

    def action_seat(self) -> None:
        """Take the tested seat, or leave it."""
        seat = next(iter(self.state.seats), "")
        if not seat:
            return
        sitting = self.state.seats[seat]
        if sitting.engine == HUMAN:
            before = [r.event for r in self.shown.records if isinstance(r.event, Seated) and r.event.engine != HUMAN]
            newcomer = before[-1] if before else Seated(seat=seat, policy="rules/1")
            self.query_one(AnswerBox).close()
            self.desk.with_live(self, lambda live: live.seat(self.episode, newcomer))
            self.query_one(Transcript).focus()
        else:
            newcomer = Seated(seat=seat, policy="human/1", engine=HUMAN)
            self.desk.with_live(self, lambda live: live.seat(self.episode, newcomer, ask=True))

    @on(AnswerBox.Said)
    def _said(self, event: AnswerBox.Said) -> None:
        self.query_one(AnswerBox).close()
        self.query_one(Transcript).focus()
        self.desk.with_live(self, lambda live: live.say(self.episode, event.text))

    def action_find(self) -> None:
        """Open the search."""
        self.query_one(FindBar).open()

    @on(FindBar.Changed)
    def _find(self, event: FindBar.Changed) -> None:
        self.query_one(Transcript).find(clean(event.words, multiline=False))
        self._found()

    @on(FindBar.Went)
    def _find_next(self, event: FindBar.Went) -> None:
        self.query_one(Transcript).find_next(event.by)
        self._found()

    @on(FindBar.Left)
    def _find_left(self) -> None:
        self.query_one(Transcript).find("")
        self.query_one(Transcript).focus()

    def _found(self) -> None:
        record = self.query_one(Transcript)
        self.query_one(FindBar).count(record.hit + 1, len(record.hits))

    def action_copy(self) -> None:
        """The raw source of the block at the cursor, or of the shown evidence."""
        evidence = self.query_one(EvidencePane)
        block = self.query_one(Transcript).current
        raw = evidence.event.observation if evidence.has_focus and evidence.event else block.raw if block else ""
        text = clean(raw)
        if text:
            self.desk.copy_to_clipboard(text)
            self.desk.say(t("episode.copied", n=len(text)))

    def action_export(self) -> None:
        """Write the looked-at record as Markdown."""
        assert self.facts is not None
        self._work(partial(export_episode, self.facts, self.episode, tuple(self.shown.visible())), "export")

    def action_view(self, view: int | None = None) -> None:
        """On a narrow screen: the next pane."""
        self._view = (self._view + 1) % len(VIEWS) if view is None else view
        for index, name in enumerate(VIEWS):
            self.set_class(index == self._view, f"-view-{name}")
        self.query_one(ViewTabs).show(self._view)
        self.query_one(f"#{VIEWS[self._view]}").focus()

    @on(ViewTabs.Chosen)
    def _view_chosen(self, event: ViewTabs.Chosen) -> None:
        self.action_view(event.index)

    @on(PlanPane.Chosen)
    def _plan_chosen(self, event: PlanPane.Chosen) -> None:
        record = self.query_one(Transcript)
        index = next((i for i, block in enumerate(record.blocks) if block.seq == event.seq), None)
        if index is not None:
            record.move_to(index)

    def action_wide(self) -> None:
        """The focused pane fills the screen, or goes back."""
        if self.maximized is not None:
            self.minimize()
        elif self.focused is not None:
            self.maximize(self.focused)

    def action_episode(self, by: int) -> None:
        """The next episode of the run, or the one before."""
        names = [line.id for line in self.episodes]
        if self.facts is not None and self.episode in names:
            index = names.index(self.episode) + by
            if 0 <= index < len(names):
                self.desk.open_episode(self.facts.path, names[index])

    async def action_leave(self) -> None:
        """Back to the list of runs."""
        if self.maximized is not None:
            self.minimize()
        else:
            await self.desk.action_mode("home")
