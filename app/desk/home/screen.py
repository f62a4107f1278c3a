"""Home: the runs, the packs, and what to do next."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import ClassVar, Literal, cast, get_args

from rich.text import Text
from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.content import Content
from textual.widgets import Input, Label, OptionList, Select, Static
from textual.widgets.option_list import Option

from app import library
from app.desk import engines_offered
from app.desk.bindings import bindings
from app.desk.compare import compare_next
from app.desk.dialogs import Dialog, buttons
from app.desk.engines_offered import EngineField, EngineOption
from app.desk.episode.renderers import Line, one, player_name, policy_name
from app.desk.home.new_run import NewRunScreen, pack_label
from app.desk.home.run import RunScreen, played, with_play
from app.desk.messages import EpisodesFinished, Fact, PlayMode, RunClosed
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import EmptyState
from app.desk.widgets.field import Field, LineInput, choice
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import TextPane
from app.desk.widgets.tables import RowsTable
from app.figures import rate
from app.library import PackLine, RunLine
from app.ready_episodes import RULES, SAMPLE, asked_run, lacking
from app.strings import counted, known, t, term
from app.strings.sentences import translated
from app.terminal import truncate
from models.llama import shipped
from tasks.episode.scheduler import EpisodeEnded, Notice
from tasks.legalagentbench.questions import LONGEST_ASKED
from tasks.run.spec import RunSpec


class QuestionScreen(Dialog[tuple[str, str, str] | None]):
    """Gives a question, the pack, and the engine that answers or "rules"; None when nothing is asked. The model that
    comes with Moot is offered first; the examples are of the kinds that it knows, on the sample pack."""

    help_id = "ask"

    def __init__(self, packs: Sequence[PackLine]) -> None:
        super().__init__()
        about = shipped.card()
        self._examples = [kind.example for kind in about.kinds] if about is not None else []
        known = sorted((pack for pack in packs if not pack.error), key=lambda pack: pack.name != SAMPLE)
        self._packs = [(pack_label(pack), pack.name) for pack in known]
        self._lacking = lacking()
        rules = EngineOption(RULES, policy_name(RULES))
        first = [] if about is None or self._lacking else [EngineOption(about.spec, t("ask.shipped"))]
        self._offers = [*first, rules]

    def compose(self) -> ComposeResult:
        with Vertical(classes="dialog") as box:
            box.border_title = t("ask.title")
            yield Static(t("ask.text" if self._examples else "ask.text.rules"), classes="dialog--text", markup=False)
            yield LineInput(id="question", placeholder=t("ask.empty"), max_length=LONGEST_ASKED)
            yield OptionList(*(Content(one(example)) for example in self._examples), id="examples", compact=True)
            yield Field(t("new.pack"), choice(self._packs, "pack"), id="pack-field")
            yield EngineField(offers=self._offers)
            yield Static(one(self._lacking or t("ask.live")), classes="dialog--hint", markup=False)
            yield buttons(t("ask.yes"))

    def on_mount(self) -> None:
        self.query_one("#examples").display = bool(self._examples)
        self.query_one("#question").focus()
        self.job("offers", engines_offered.offered, self._offer, lambda error: True)

    def _offer(self, found: Sequence[EngineOption]) -> None:
        known = {offer.spec for offer in self._offers}
        self.query_one(EngineField).offer([*self._offers, *(offer for offer in found if offer.spec not in known)])

    @on(OptionList.OptionSelected, "#examples")
    def _taken(self, event: OptionList.OptionSelected) -> None:
        line = self.query_one("#question", Input)
        line.value = self._examples[event.option_index]
        line.focus()

    @on(Input.Submitted)
    def action_confirm(self) -> None:
        question, engine = self.query_one("#question", Input).value.strip(), self.query_one(EngineField)
        if question and not engine.spec:
            engine.fault(t("engine.none"))
        elif question:
            self.dismiss((question, str(self.query_one("#pack", Select).value), engine.spec))


Door = Literal["trial", "law", "hops"]
"""What one can do at once: watch a trial, ask for the law of a day, watch a search of several hops."""


class StartList(OptionList):
    """Two lines a door; Enter or a click opens it."""

    help_id = "doors"
    DEFAULT_CSS = """
    StartList {
        height: auto;
        width: 1fr;
        max-width: 76;
        margin: 1 0 0 0;
        &, &:focus { border: none; background: transparent; padding: 0; }
        & > .option-list--option { padding: 0 1 1 1; }
        &:focus > .option-list--option-highlighted { background: $accent 25%; color: $foreground; }
    }
    """

    def relabel(self) -> None:
        at = self.highlighted or 0
        self.clear_options()
        for number, door in enumerate(get_args(Door), 1):
            title = Content.styled(f"{number}  {t(f'door.{door}')}", "bold $text-accent")
            self.add_option(Option(Content("\n").join([title, Content(f"   {t(f'door.{door}.text')}")]), id=door))
        self.highlighted = at


class HomeScreen(PanesScreen):
    """Runs left, packs and next steps right; under each other on a narrow screen."""

    CSS_PATH = "home.tcss"
    area = "home"
    BINDINGS: ClassVar[list[BindingType]] = bindings("home")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    FIRST = "#table"
    TITLES = {"#runs": "home.runs", "#packs": "home.packs", "#next": "home.next"}
    ALSO = ("models", "board", "law", "review", "corpus")
    ABSENT = frozenset({"pause"})

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[RunLine] = []
        self.packs: list[PackLine] = []
        self.progress: tuple[int, int] | None = None
        self._loaded = False
        self.base: RunLine | None = None
        """The run that the next one chosen is compared with."""

    def panes(self) -> ComposeResult:
        with Horizontal(id="panes"):
            with Vertical(id="runs"):
                yield RowsTable("runs")
                yield EmptyState(id="none")
                yield StartList(id="doors")
            with Vertical(id="side"):
                yield TextPane(id="packs")
                yield TextPane(id="next")
        yield Label("", id="progress", markup=False)

    def on_mount(self) -> None:
        self.set_interval(LOOK, self._look)

    def reload(self) -> None:
        self.job("library", lambda: (with_play(library.runs(), played()), library.packs()), self._have)

    def _look(self) -> None:
        """How far other processes are with what they play; one look at a time, for large runs take long."""
        busy = any(worker.group == "played" and not worker.is_finished for worker in self.workers)
        if self.is_current and self._loaded and not busy:
            self.job("played", partial(_changes, self.runs), self._have_changes)

    def _have(self, found: tuple[list[RunLine], list[PackLine]]) -> None:
        self.runs, self.packs = found
        self._loaded = True
        self.show()

    def _have_changes(self, found: tuple[list[RunLine], bool, list[RunLine]]) -> None:
        looked_at, begun_or_ended, lines = found
        if begun_or_ended:
            self.reload()
        elif looked_at is self.runs and lines != self.runs:  # else the list was read anew meanwhile
            self.runs = lines
            self._show_runs()

    def update(self, notice: Notice | Fact) -> None:
        match notice:
            case EpisodesFinished(done=done, total=total):
                self.progress = (done, total)
            case RunClosed():
                self.progress = None
                self.reload()
            case PlayMode(mode="paused"):
                self.progress = None
                self.reload()
            case EpisodeEnded():
                self.reload()
        self._show_progress()

    # what is shown

    def show(self) -> None:
        self.show_title(t("home.title"))
        self._show_runs()
        self.query_one("#packs", TextPane).show(self._packs(), hang=2)
        self.query_one("#next", TextPane).show(self._next(), hang=2)
        self._show_progress()

    def _show_progress(self) -> None:
        label = self.query_one("#progress", Label)
        label.display = self.progress is not None
        if self.progress is not None:
            done, total = self.progress
            label.update(t("home.progress", done=done, total=total))
        self.query_one(KeyBar).refresh()

    def _show_runs(self) -> None:
        table = self.query_one(RowsTable)
        table.display = bool(self.runs)
        more = len(self.runs) - MOST
        self.query_one("#runs").border_subtitle = t("home.more", n=MOST, of=len(self.runs)) if more > 0 else ""
        empty, doors = self.query_one(EmptyState), self.query_one(StartList)
        empty.display = not self.runs
        empty.say(t("home.empty" if self._loaded else "home.loading"), t("home.empty.hint") if self._loaded else "")
        doors.display = self._loaded and not self.runs
        doors.relabel()
        if self.is_current and self.focused in (None, table, doors):
            (doors if doors.display else table).focus()
        heads = [(name, Text(t(f"column.{name}"), justify="right" if name in RATES else "left")) for name in COLUMNS]
        room = self.query_one("#runs").content_size.width
        table.fill(heads, ((str(line.path), self._cells(line, room)) for line in self.runs[:MOST]), height=2)

    def _cells(self, line: RunLine, room: int) -> list[Text]:
        cells = run_cells(line, room)
        if self.base is not None and line.path == self.base.path:
            cells[1] = Text.assemble((f" {t('home.compare.mark')} ", "reverse"), " ", cells[1])
        return cells

    def _packs(self) -> list[Line]:
        if not self.packs:
            return [((t("home.packs.none"), "dim"),)]
        lines: list[Line] = []
        for pack in self.packs:
            marks = "、".join(term("mark", kind) for kind in pack.provenance)
            tone = "mark" if "authored" in pack.provenance else "dim"
            lines.append(((one(pack.name), "question"), (f"  ● {marks}" if marks else "", tone)))
            if pack.error:
                lines.append((("  ✘ ", "bad"), (one(translated(pack.error)), "bad")))
            else:
                lines.append((("  ", "dim"), (pack_counts(pack), "dim")))
        return lines

    def _next(self) -> list[Line]:
        names = ["demo", "ask", "run"] if any(pack.tasks for pack in self.packs) else ["build"]
        names += ["open"] if self.runs else []
        names += ["resume"] if any(line.finished < line.n for line in self.runs) else []
        names += ["compare"] if sum(line.finished > 0 for line in self.runs) > 1 else []
        names += ["models"] if self.packs else []
        names += ["import"] if all(set(pack.provenance) == {"authored"} for pack in self.packs) else []
        return [(("· ", "label"), (t(f"next.{name}"), "text")) for name in names]

    # wishes

    def possible(self) -> dict[str, object]:
        line = self._current()
        ended = line is not None and not line.error and line.finished > 0
        played = line is not None and line.process is not None
        return {
            "open": line is not None,
            "resume": line is not None and line.finished < line.n and not played,
            "pause": self.progress is not None or played,
            "new": any(pack.tasks for pack in self.packs),
            "review": ended,
            "compare": ended,
            "board": ended,
        }

    def _current(self) -> RunLine | None:
        row = self.query_one(RowsTable).cursor_row if self.is_mounted else -1
        return self.runs[row] if 0 <= row < len(self.runs) else None

    def on_data_table_row_highlighted(self) -> None:
        self.query_one(KeyBar).refresh()

    def on_data_table_row_selected(self) -> None:
        self.action_open()

    def action_open(self) -> None:
        """The episodes of the run, or the episode when there is one only."""
        line = self._current()
        if line is None:
            return
        if line.error:
            self.desk.problem(line.error, t("home.unreadable", file=one(str(line.path))))
        elif line.n == 1:
            self.desk.open_episode(line.path, "")
        else:
            self.app.push_screen(RunScreen(line))

    async def action_review(self) -> None:
        line = self._current()
        if line is not None and self.check_action("review", ()):
            await self.desk.review(line.path)

    def action_compare(self) -> None:
        """Choose a run, then the one to compare with it; a fork is compared with the run that it came from."""
        line = self._current()
        if line is None or not self.check_action("compare", ()):
            return
        base = self.base
        if base is None and line.parent:
            base = next((other for other in self.runs if other.id == line.parent), None)
            if base is None:
                self.desk.say(t("home.compare.gone", run=one(line.parent)), "warning")
        self.base = compare_next(self, base, line)
        self._show_runs()

    async def action_board(self) -> None:
        if (line := self._current()) is not None and self.check_action("board", ()):
            await self.desk.board(line.path)

    def action_new(self) -> None:
        packs = [pack for pack in self.packs if pack.tasks and not pack.error]
        self.app.push_screen(NewRunScreen(packs, self.runs), self.start)

    def start(self, wanted: tuple[RunSpec, bool] | None) -> None:
        if wanted is not None:
            spec, everything = wanted
            if everything:
                self.progress = (0, 0)
                self._show_progress()
            self.run_worker(self.desk.start(spec, everything=everything), name="start", exit_on_error=False)

    def action_resume(self) -> None:
        line = self._current()
        if line is not None and self.check_action("resume", ()):
            self.run_worker(self.desk.resume(line.path), name="resume", exit_on_error=False)

    def action_pause(self) -> None:
        """Stop the chosen run that another process plays, else the run in motion after the step it is making."""
        line = self._current()
        if line is not None and line.process is not None:
            self.desk.ask_to_stop(line.path)
        elif self.desk.live is not None:
            self.desk.live.pause()

    def action_build(self) -> None:
        self.desk.build_sample()

    def action_door(self, door: Door) -> None:
        self.run_worker(self.desk.start_demo(door), name="demo", exit_on_error=False)

    def on_option_list_option_selected(self, event: StartList.OptionSelected) -> None:
        self.action_door(cast(Door, event.option_id))

    def action_ask(self) -> None:
        """Ask a question; where there is no pack to ask, the sample pack is built first."""

        def asked(wanted: tuple[str, str, str] | None) -> None:
            if wanted:
                run = self.desk.begin(partial(asked_run, *wanted), mode="auto", hint="demo.hint")
                self.run_worker(run, name="ask", exit_on_error=False)

        if self.packs:
            self.app.push_screen(QuestionScreen(self.packs), asked)
        else:
            self.action_build()

    def action_refresh(self) -> None:
        self.reload()


def _changes(lines: list[RunLine]) -> tuple[list[RunLine], bool, list[RunLine]]:
    """The lines looked at, whether a run has begun or ended elsewhere, and the lines as they are now."""
    found = played()
    before = {line.path.name for line in lines if line.process is not None}
    return lines, before != found.keys(), with_play(lines, found)


LOOK = 2.0
"""Seconds between two looks at runs that other processes play."""
COLUMNS = ("created", "run", "progress", "compat", "strict")
RATES = ("compat", "strict")
MOST = 300
"""Runs in the table, the newest; `moot list` finds the others."""


def pack_counts(pack: PackLine) -> str:
    """How much of everything a pack holds; what it has none of is left out."""
    counts = {
        "rows": pack.rows, "documents": pack.documents, "articles": pack.articles, "pages": pack.pages,
        "tasks": sum(pack.tasks.values()),
    }  # fmt: skip
    return " · ".join(counted(f"home.pack.{name}", n) for name, n in counts.items() if n) or t("home.pack.nothing")


RUN = 35
"""Cells of the column that names a run."""
FIXED = 5 + RUN + 2 * 8 + 5 * 2 + 1
"""Cells that date, run, rates and the space between the columns take."""


def run_cells(line: RunLine, room: int = 80) -> list[Text]:
    """The cells of a run in the list, two lines each, in a table of `room` cells."""
    if line.error:
        return [
            Text("✘"),
            Text.assemble(truncate(one(line.id), RUN), "\n", (truncate(one(translated(line.error)), RUN), "dim")),
            Text(""),
            Text(""),
            Text(""),
        ]
    benchmark = term("benchmark", line.benchmark)
    told = [t("list.running")] if line.running and line.process is None else []
    told += [t("home.pace", rate=f"{line.pace:.0f}")] if line.pace else []
    told += [] if line.pace else [f"{t(f'outcome.{outcome}')} {n}" for outcome, n in line.outcomes.items() if n]
    outcomes = " · ".join(told)
    pack = (f" · {one(line.pack)}" if line.pack else "") + (f" ● {t('mark.fictional')}" if line.fictional else "")
    when = _local(line.created)
    both = (line.compat, line.strict)
    rates = [t("scores.unscored") if line.unscored and value is None else rate(value) for value in both]
    measure = t(f"measure.{line.measure}") if known(f"measure.{line.measure}") else one(line.measure).upper()
    return [
        Text.assemble(f"{when:%m-%d}" if when else "—", "\n", (f"{when:%H:%M}" if when else "", "dim")),
        Text.assemble(truncate(called(line), RUN), "\n", (truncate(f"{benchmark}{pack}", RUN), "dim")),
        Text.assemble(
            f"{'▶ ' if line.process is not None else ''}{line.finished}/{line.n}",
            "\n",
            (truncate(outcomes, min(24, max(9, room - FIXED))), "dim"),
        ),
        *(Text.assemble(figure, "\n", (measure, "dim"), justify="right") for figure in rates),
    ]


def called(line: RunLine) -> str:
    """What a run is called in a list: its name here, who played, its tags."""
    told = Path(line.source).stem == line.name  # imports are called after their file unless somebody says otherwise
    named = f"{one(line.name)} · " if line.name and not told else ""
    who = player_name(line)
    who += t("home.forked") if (line.origin or {}).get("seat") else ""
    return f"{named}{who}{''.join(f' #{one(tag)}' for tag in line.tags)}"


def _local(moment: str) -> datetime | None:
    try:
        return datetime.fromisoformat(moment).astimezone()
    except ValueError:
        return None
