"""Home: the runs, the packs, and what to do next."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, ClassVar, cast

from rich.text import Text
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.screen import Screen
from textual.widgets import DataTable, Label, Static
from textual.worker import Worker

from app import library
from app.bindings import bindings
from app.library import PackLine, RunLine
from app.messages import Closed, Ended, LiveMessage, Moving, Progressed
from app.renderers import one, policy_name
from app.screens.new_run import NewRunScreen
from app.screens.run import RunScreen
from app.strings import known, t
from app.widgets.empty import Empty
from app.widgets.key_bar import KeyBar
from tasks.spec import RunSpec

if TYPE_CHECKING:
    from app.shell import Desk


class Table(DataTable[Text]):
    """A table of rows that can be chosen; Enter belongs to the screen."""

    help_id = "runs"


class HomeScreen(Screen[None]):
    """Runs left, packs and next steps right; under each other on a narrow screen."""

    CSS_PATH = "home.tcss"
    area = "home"
    BINDINGS: ClassVar[list[BindingType]] = bindings("home")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self.runs: list[RunLine] = []
        self.packs: list[PackLine] = []
        self.progress: tuple[int, int] | None = None
        self._loaded = False

    @property
    def desk(self) -> Desk:
        """The app."""
        return cast("Desk", self.app)

    def compose(self) -> ComposeResult:
        """Title, panes, keys."""
        yield Label("", id="title", markup=False)
        with Horizontal(id="panes"):
            with Vertical(id="runs"):
                yield Table(cursor_type="row", zebra_stripes=False, id="table")
                yield Empty(id="none")
            with Vertical(id="side"):
                yield Static("", id="packs", markup=False)
                yield Static("", id="next", markup=False)
        yield Label("", id="progress", markup=False)
        yield KeyBar(("home", "app"), id="keys")

    def on_mount(self) -> None:
        """Words, then what is on disk."""
        self.retranslate()
        self.reload()
        self.query_one(Table).focus()

    def on_resize(self) -> None:
        """Other columns fit."""
        self.call_after_refresh(self.retranslate)

    def retranslate(self) -> None:
        """All words in the current language."""
        self.query_one("#title", Label).update(t("home.title"))
        self.query_one("#runs").border_title = t("home.runs")
        self.query_one("#packs").border_title = t("home.packs")
        self.query_one("#next").border_title = t("home.next")
        self._show()

    def reload(self) -> None:
        """Read again what is on disk."""
        job = partial(lambda: (list(library.runs()), library.packs()))
        self.run_worker(job, name="library", group="library", thread=True, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """What is on disk, or why it cannot be read."""
        if not self.desk.worker_failed(event) and event.worker.name == "library" and event.worker.result is not None:
            self.runs, self.packs = event.worker.result
            self._loaded = True
            self._show()

    def hear(self, message: LiveMessage) -> None:
        """News from the run in motion."""
        match message:
            case Progressed(done=done, total=total):
                self.progress = (done, total)
            case Closed():
                self.progress = None
                self.reload()
            case Moving(mode="paused"):
                self.progress = None
                self.reload()
            case Ended():
                self.reload()
        self._show_progress()

    # what is shown

    def _show(self) -> None:
        if not self.is_mounted:
            return
        self._show_runs()
        self.query_one("#packs", Static).update(self._packs())
        self.query_one("#next", Static).update(self._next())
        self._show_progress()
        self.query_one(KeyBar).refresh()

    def _show_progress(self) -> None:
        label = self.query_one("#progress", Label)
        label.display = self.progress is not None
        if self.progress is not None:
            done, total = self.progress
            label.update(t("home.progress", done=done, total=total))

    def _show_runs(self) -> None:
        table = self.query_one(Table)
        at = table.cursor_row
        table.clear(columns=True)
        table.display = bool(self.runs)
        empty = self.query_one(Empty)
        empty.display = not self.runs
        empty.say(t("home.empty" if self._loaded else "home.loading"), t("home.empty.hint") if self._loaded else "")
        wide = self.has_class("-wide")
        names = COLUMNS if wide else tuple(name for name in COLUMNS if name not in ("benchmark", "outcomes"))
        for name in names:
            numeric = name in ("n", "compat", "strict")
            table.add_column(Text(t(f"column.{name}"), justify="right" if numeric else "left"), key=name)
        for line in self.runs:
            cells = run_cells(line)
            table.add_row(*(cells[name] for name in names), key=str(line.path))
        if self.runs:
            table.move_cursor(row=min(at, len(self.runs) - 1), animate=False)

    def _packs(self) -> Text:
        text = Text(end="")
        if not self.packs:
            text.append(t("home.packs.none"), "dim")
        for number, pack in enumerate(self.packs):
            text.append("\n" if number else "")
            text.append(one(pack.name), "bold")
            if pack.error:
                text.append(f"\n  ✘ {one(pack.error)}", self._colour("error"))
                continue
            marks = "、".join(t(f"mark.{kind}") if known(f"mark.{kind}") else one(kind) for kind in pack.provenance)
            text.append(f"  ● {marks}", self._colour("warning") if "authored" in pack.provenance else "dim")
            tasks = sum(pack.tasks.values())
            text.append("\n  " + t("home.pack", rows=f"{pack.rows:,}", documents=f"{pack.documents:,}", tasks=tasks), "dim")
        return text

    def _colour(self, name: str) -> str:
        return self.app.theme_variables[name]

    def _next(self) -> Text:
        """What to do next, from what is there."""
        lines = []
        if not any(pack.tasks for pack in self.packs):
            lines.append(t("next.build"))
        else:
            lines += [t("next.demo"), t("next.run")]
        if self.runs:
            lines.append(t("next.open"))
        if any(line.outcomes.get("unfinished") for line in self.runs):
            lines.append(t("next.resume"))
        if all(set(pack.provenance) == {"authored"} for pack in self.packs):
            lines.append(t("next.import"))
        return Text("\n".join(f"· {line}" for line in lines))

    # wishes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense at the moment is dim."""
        line = self._current()
        rules = {
            "open": line is not None and not line.error,
            "resume": line is not None and bool(line.outcomes.get("unfinished")),
            "new": any(pack.tasks for pack in self.packs),
        }
        return True if rules.get(action, True) else None

    def _current(self) -> RunLine | None:
        row = self.query_one(Table).cursor_row if self.is_mounted else -1
        return self.runs[row] if 0 <= row < len(self.runs) else None

    def on_data_table_row_highlighted(self) -> None:
        """Other keys may make sense."""
        self.query_one(KeyBar).refresh()

    def on_data_table_row_selected(self) -> None:
        """Enter or a click."""
        self.action_open()

    def action_open(self) -> None:
        """The episodes of the run, or the episode when there is one only."""
        line = self._current()
        if line is None or line.error:
            return
        if line.n == 1:
            self.desk.open_episode(line.path, "")
        else:
            self.app.push_screen(RunScreen(line))

    def action_new(self) -> None:
        """A new run."""
        packs = [pack for pack in self.packs if pack.tasks and not pack.error]
        self.app.push_screen(NewRunScreen(packs), self._start)

    def _start(self, wanted: tuple[RunSpec, bool] | None) -> None:
        if wanted is not None:
            spec, everything = wanted
            if everything:
                self.progress = (0, 0)
                self._show_progress()
            self.run_worker(self.desk.start(spec, everything=everything), name="start", exit_on_error=False)

    def action_resume(self) -> None:
        """Go on with an unfinished run."""
        line = self._current()
        if line is not None and line.outcomes.get("unfinished"):
            self.run_worker(self.desk.resume(line.path), name="resume", exit_on_error=False)

    def action_build(self) -> None:
        """Build the sample pack."""
        self.desk.build_sample()

    def action_demo(self) -> None:
        """The ready episode."""
        self.run_worker(self.desk.start_demo(), name="demo", exit_on_error=False)

    def action_refresh(self) -> None:
        """Read again what is on disk."""
        self.reload()


COLUMNS = ("created", "benchmark", "agent", "pack", "n", "outcomes", "compat", "strict")


def run_cells(line: RunLine) -> dict[str, Text]:
    """The cells of a run in the list."""
    if line.error:
        blank = {name: Text("") for name in COLUMNS}
        return {**blank, "created": Text("✘"), "agent": Text(one(line.error)), "pack": Text(one(line.id))}
    name = f"benchmark.{line.benchmark}"
    outcomes = " · ".join(f"{t(f'outcome.{outcome}')} {n}" for outcome, n in line.outcomes.items() if n)
    agent = policy_name(line.agent, line.model)
    return {
        "created": Text(line.created[5:16].replace("T", " ")),
        "benchmark": Text(t(name) if known(name) else one(line.benchmark)),
        "agent": Text(one(agent), no_wrap=True, overflow="ellipsis"),
        "pack": Text(one(line.pack) + (" ●" if line.fictional else "")),
        "n": Text(f"{line.finished}/{line.n}", justify="right"),
        "outcomes": Text(outcomes),
        "compat": Text("—" if line.compat is None else f"{line.compat:.3f}", justify="right"),
        "strict": Text("—" if line.strict is None else f"{line.strict:.3f}", justify="right"),
    }
