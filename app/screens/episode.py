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
from textual.widgets import Label
from textual.worker import Worker

from app.bindings import bindings
from app.library import read_records
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
from app.screens.episode_actions import EpisodeActions
from app.strings import t
from app.widgets.answer_box import AnswerBox
from app.widgets.empty import Empty
from app.widgets.evidence_pane import EvidencePane
from app.widgets.find_bar import FindBar
from app.widgets.key_bar import KeyBar
from app.widgets.plan_pane import PlanPane, plan_items
from app.widgets.score_strip import ScoreStrip
from app.widgets.seat_bar import Heading, SeatBar
from app.widgets.transcript import Transcript
from app.widgets.view_tabs import ViewTabs
from tasks.events import Seated, ToolReturned
from tasks.state import State, fold

if TYPE_CHECKING:
    pass


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
        self.hint = ""

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
        self.shown.relabel()
        record.relabel(self.shown.blocks())
        self.show_panes()

    def on_descendant_focus(self) -> None:
        """While one types, the key bar speaks of the text box."""
        around = self.focused.ancestors_with_self if self.focused else []
        area = next((node.help_id for node in around if isinstance(node, FindBar | AnswerBox)), "episode")
        self.query_one(KeyBar).areas(area, "app")

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
        self.show_panes()

    def _enter(self, facts: RunFacts, episodes: tuple[EpisodeLine, ...]) -> None:
        fresh = self.facts is None or self.facts.id != facts.id
        self.facts, self.episodes = facts, episodes
        if fresh:
            self.keeper = None
            self.query_one(ScoreStrip).hide("")
            self.query_one(ScoreStrip).show_run(None)
            self.work(partial(Scorekeeper, facts), "keeper")

    def _show_episode(self, episode: str, state: State) -> None:
        again = episode == self.episode and len(state.records) == len(self.shown.records) > 0
        self.episode, self.state = episode, state
        self.query_one(AnswerBox).close()
        if not again:
            self.shown.reset(state.records)
            self._stop_replay()
            self.query_one(Transcript).show(self.shown.blocks())
        self.show_panes()
        self.query_one(Transcript).focus()

    def _extend(self, records: tuple[Any, ...], state: State) -> None:
        self.state = state
        fresh = self.shown.extend(records)
        if self.hint == "demo.hint":
            self.hint = ""
        if not self.shown.back:
            self.query_one(Transcript).extend(self.shown.blocks_of(fresh))
        if state.stopped is not None and self.moving != "all":
            self._score_run()

    def _ask(self, seat: str) -> None:
        self.query_one(Transcript).show(self.shown.blocks())
        self.query_one(AnswerBox).open(seat_name(seat))

    # what is shown

    def show_panes(self) -> None:
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
            self.work(partial(self.keeper.step, tuple(visible)), "step_scores")

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

    def _score_run(self) -> None:
        if self.keeper is not None and self.facts is not None:
            self.work(partial(self.keeper.of_file, self.facts.path), "run_scores")

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
                self.show_panes()
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
        self.work(partial(read_records, path, episode), "stored")
