"""Review: scores that people give, tasks that people verify."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Vertical
from textual.widgets import ContentSwitcher, Input, Label, Static

from app.court_words import DISCLAIMER
from app.desk.bindings import bindings
from app.desk.dialogs import SHEET, Dialog, buttons
from app.desk.review.form import ReviewForm
from app.desk.review.pane import ReviewPane
from app.desk.review.scores import ScoresPane
from app.desk.review.tasks_pane import TasksPane
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import Choice
from app.desk.widgets.field import Field, PathCompletion, line
from app.desk.widgets.key_bar import KeyBar, ViewTabs
from app.strings import t

LONGEST_PATH = 1000


class PathScreen(Dialog[str | None]):
    """Gives the path of the tasks to verify; the Review screen reads them."""

    CSS_PATH = [SHEET, "path.tcss"]
    help_id = "review_path"

    def compose(self) -> ComposeResult:
        box_of_path = line("path", placeholder=t("models.add.path.empty"))
        box_of_path.max_length = LONGEST_PATH
        box_of_path.suggester = PathCompletion("")
        with Vertical(classes="dialog") as box:
            box.border_title = t("review_screen.ask.title")
            yield Static(t("review_screen.ask.text"), classes="dialog--text", markup=False)
            yield Field(t("models.add.path"), box_of_path, id="path-field")
            yield buttons(t("review_screen.ask.yes"))

    def on_mount(self) -> None:
        self.query_one("#path").focus()

    def on_input_submitted(self) -> None:
        self.action_confirm()

    def action_confirm(self) -> None:
        if path := self.query_one("#path", Input).value.strip():
            self.dismiss(path)
        else:
            self.query_one("#path-field", Field).fault(t("review_screen.no_path"))


TABS = ("scores", "tasks")


class ReviewScreen(PanesScreen):
    """A title, tabs, the tab that is shown, keys; court material stands below its disclaimer."""

    CSS_PATH = "review.tcss"
    area = "review"
    help_id = "review"
    BINDINGS: ClassVar[list[BindingType]] = bindings("review")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    FIRST = "#runs"

    def __init__(self) -> None:
        super().__init__()
        self.tab = 0

    @property
    def pane(self) -> ScoresPane | TasksPane:
        return cast("ScoresPane | TasksPane", self.query_one(f"#{TABS[self.tab]}"))

    def panes(self) -> ComposeResult:
        yield ViewTabs(TABS, "review_screen.tab", id="review-tabs")
        yield Label(DISCLAIMER, id="disclaimer", markup=False)
        with ContentSwitcher(initial="scores", id="views"):
            yield ScoresPane(id="scores")
            yield TasksPane(id="tasks")

    def reload(self) -> None:
        self.pane.enter()

    def on_descendant_focus(self) -> None:
        around = self.focused.ancestors_with_self if self.focused else []
        form = any(isinstance(node, ReviewForm) for node in around)
        self.query_one(KeyBar).areas("review_form" if form else "review", "app")

    def retranslate(self) -> None:
        for pane in self.query(ReviewPane):
            pane.retranslate()
        self.query_one(ViewTabs).refresh(layout=True)
        super().retranslate()

    @on(ReviewPane.ViewChanged)
    def show(self) -> None:
        self.show_title(t("review_screen.title"), *self.pane.title())
        self.query_one("#disclaimer").display = self.pane.on_court
        self.query_one(ViewTabs).show(self.tab)

    # where to go

    def take(self, path: Path, episode: str = "") -> None:
        self.go_to(0)
        self.query_one(ScoresPane).take(path, episode)
        self.show()

    def go_to(self, tab: int) -> None:
        if self.maximized is not None:
            self.minimize()
        self.tab = tab
        self.query_one("#views", ContentSwitcher).current = TABS[tab]
        self.pane.enter()
        self.pane.first.focus()
        self.show()

    # wishes

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        return self.pane.can(action) if action in ACTIONS and self.is_mounted else True

    def action_tab(self, tab: int = 0) -> None:
        self.go_to(tab)

    @on(ViewTabs.TabActivated)
    def _tab_chosen(self, event: ViewTabs.TabActivated) -> None:
        self.go_to(event.index)

    def action_open(self) -> None:
        target = self.focused if isinstance(self.focused, Choice) else self.pane.first
        if isinstance(target, Choice):
            target.action_choose()

    def action_form(self) -> None:
        self.pane.form()

    def action_view(self) -> None:
        self.pane.view()

    def action_near(self, by: int = 1) -> None:
        self.pane.near(by)

    def action_runs(self) -> None:
        if isinstance(self.pane, ScoresPane):
            self.pane.take(None)
        else:
            self.pane.go("sources")

    def action_path(self) -> None:
        self.app.push_screen(PathScreen(), self._opened)

    def _opened(self, typed: str | None) -> None:
        if typed:
            self.query_one(TasksPane).open_path(typed)

    def action_accept(self) -> None:
        self.query_one(TasksPane).accept()

    async def action_back(self) -> None:
        if self.maximized is not None:
            self.minimize()
        elif not self.pane.back():
            await self.desk.action_mode("home")


ACTIONS = ("open", "accept", "form", "view", "near", "runs", "path", "wide")
"""Actions whose meaning hangs on the tab."""
