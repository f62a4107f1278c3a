"""Verification of tasks: a task file, its tasks one by one, what reviewers decide. The log lies beside the file.

What others decided of a task stays hidden until one has decided oneself.
"""

from __future__ import annotations

from functools import partial
from pathlib import Path
from typing import Any, cast

from textual.app import ComposeResult
from textual.containers import Horizontal
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from app.desk.episode.renderers import one
from app.desk.review.decide import DecideScreen, Word
from app.desk.review.pane import ReviewPane, words
from app.desk.review.runs import held_tasks
from app.desk.review.task_lines import (
    SIGNS,
    SetReview,
    TaskReview,
    begun,
    look,
    open_set,
    said_lines,
    task_lines,
    with_log,
)
from app.desk.widgets.choice import Choice
from app.desk.widgets.things import LinesPane, Thing, Things, fixed
from app.strings import t
from tasks.errors import UsageError
from tasks.verifying.decisions import Decision, Verdict, decide
from tasks.verifying.standing import Standing
from tasks.verifying.taskset import Task


class TasksPane(ReviewPane):
    """Task files (step `sources`), then the tasks of one (step `reading`)."""

    BEGINNING = "sources"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.found: SetReview | None = None
        self.review: TaskReview | None = None
        self.author = ""
        self._files: list[str] = []
        self._listed = False
        self._draft: tuple[str, Word] | None = None

    def compose(self) -> ComposeResult:
        with ContentSwitcher(initial=self.BEGINNING, id="steps"):
            yield Things("review_task", id="sources")
            with Horizontal(id="reading"):
                yield Things("review_task", id="task-list")
                with Horizontal(id="task"):
                    yield LinesPane("review_task", id="task-text")
                    yield LinesPane("review_task", id="task-said")

    # what is on disk

    def enter(self) -> None:
        """Files may have come or gone."""
        self.work("files", begun)

    def open_path(self, typed: str) -> None:
        """Open a task file that was named."""
        self.work("set", partial(open_set, Path(typed.strip().strip("\"'")).expanduser()))

    def _look(self, task: Task) -> None:
        found, live = self.found, self.desk.live
        if found is None:
            return

        def job() -> TaskReview:
            path = live.path if live is not None and not live.closed.is_set() else None
            if path is not None and task.id in held_tasks(path):
                raise UsageError(t("review_screen.held_case", case=task.id), t("review_screen.held_case.hint"))
            return look(found.tasks, task)

        self.work("task", job)

    def done(self, name: str, result: Any) -> None:
        """A job has found something."""
        match name:
            case "files":
                self._files, self._listed = list(dict.fromkeys([*self._files, *result])), True
                self._show_sources()
            case "set":
                self._have(result)
            case "task":
                self.review = result
                self._show_task()
                self.post_message(self.Turned())
            case "decision":
                self._decided(*result)

    def failed(self, name: str) -> None:
        """A task that may not be shown leaves nothing behind."""
        if name == "task":
            self.review = None
            self._show_task()

    def _have(self, found: SetReview) -> None:
        self.found, self.review = found, None
        typed = str(found.tasks.path)
        self._files = [typed, *(path for path in self._files if path != typed)]
        self._show_sources()
        self._show_tasks(at=0)
        self.go("reading")
        self._look(found.tasks.tasks[0])

    # what is shown

    def retranslate(self) -> None:
        for name in ("sources", "task-list", "task-text", "task-said"):
            self.query_one(f"#{name}").border_title = t(f"review_screen.pane.{name.replace('-', '_')}")
        self.query_one("#sources").border_title = t("review_screen.pane.task_files")
        self._show_sources()
        self._show_tasks()
        self._show_task()

    def _show_sources(self) -> None:
        things = [
            Thing(fixed(((one(Path(path).name), "question"),), ((f"  {one(path)}", "dim"),))) for path in self._files
        ]
        empty = words(t("review_screen.no_task_files"), t("review_screen.no_task_files.hint"))
        self.query_one("#sources", Things).show(things, empty if self._listed else words(t("home.loading")))

    def _show_tasks(self, at: int | None = None) -> None:
        if self.found is not None:
            self.query_one("#task-list", Things).show([self._thing(task) for task in self.found.tasks.tasks], at=at)

    def _thing(self, task: Task) -> Thing:
        standing = self._standing(task)
        mine = self.author in standing.reviewers
        sign, role = SIGNS[standing.status if mine else "open"]
        return Thing(fixed(((f"{sign} ", role), (one(task.id), "question"), (f"  {one(task.group)}", "dim"))))

    def _standing(self, task: Task) -> Standing:
        assert self.found is not None
        return self.found.standings[task.id]

    def _show_task(self) -> None:
        text, beside = self.query_one("#task-text", LinesPane), self.query_one("#task-said", LinesPane)
        if self.found is None or self.review is None:
            text.show([])
            beside.show([])
            return
        text.show(list(task_lines(self.review)))
        beside.show(list(said_lines(self.found, self._standing(self.review.task), self.author)))

    def title(self) -> list[str]:
        """The file, the task, how the set stands."""
        if self.found is None or self.step == "sources":
            return [t("review_screen.choose_task_file")]
        task = [one(self.review.task.id)] if self.review is not None else []
        return [*task, one(self.found.tasks.name), self.found.counts]

    @property
    def first(self) -> Widget:
        """The files, or the tasks."""
        if self.step == "sources":
            return self.query_one("#sources")
        narrow = self.screen.has_class("-narrow") and not self.has_class("-writes")
        return self.query_one("#task-text" if narrow else "#task-list")

    # wishes

    def can(self, action: str) -> bool | None:
        """Whether an action has a meaning now."""
        reading = self.step == "reading"
        rules: dict[str, bool | None] = {
            "open": True, "path": True, "form": (self.review is not None or None) if reading else False,
            "accept": (self.review is not None or None) if reading else False, "near": reading, "wide": reading,
            "view": reading and self.screen.has_class("-narrow"), "runs": reading,
        }  # fmt: skip
        return rules.get(action, False)

    def on_choice_chosen(self, event: Choice.Chosen) -> None:
        event.stop()
        if event.view.id == "sources":
            self.open_path(self._files[event.index])
        elif self.found is not None:
            self._look(self.found.tasks.tasks[event.index])
            self.remove_class("-writes")
            self.query_one("#task-text").focus()

    def near(self, by: int) -> None:
        """The next task, or the one before."""
        listed = self.query_one("#task-list", Things)
        if self.found is not None and 0 <= listed.cursor + by < len(self.found.tasks.tasks):
            listed.move_to(listed.cursor + by)
            self._look(self.found.tasks.tasks[listed.cursor])

    def view(self) -> None:
        """On a narrow screen: the task, or the list."""
        self.toggle_class("-writes")
        self.query_one("#task-list" if self.has_class("-writes") else "#task-text").focus()

    def back(self) -> bool:
        """To the files."""
        if self.step == "reading":
            self.go("sources")
            return True
        return False

    def accept(self) -> None:
        """Accept the task at once; who decides is asked the first time."""
        if self.author:
            self._take(Word("accept", self.author, (), "", {}, False))
        else:
            self.form()

    def form(self) -> None:
        """Ask what is decided; what was typed before and could not be taken stands there again."""
        if self.review is None:
            return
        task = self.review.task
        word = self._draft[1] if self._draft is not None and self._draft[0] == task.id else None
        standing = self._standing(task)
        disputed = standing.status == "disputed" and self.author in standing.reviewers
        self.app.push_screen(DecideScreen(task.id, task.texts, self.author, disputed=disputed, word=word), self._take)

    def _take(self, word: Word | None) -> None:
        found, review = self.found, self.review
        if word is None or found is None or review is None:
            return

        self._draft = (review.task.id, word)

        def job() -> tuple[Decision, SetReview]:
            made = decide(
                found.tasks, review.task.id, cast(Verdict, word.verdict), word.author, why=word.why, note=word.note,
                fields=word.fields, consensus=word.consensus,
            )  # fmt: skip
            return made, with_log(found.tasks)

        self.work("decision", job)

    def _decided(self, made: Decision, found: SetReview) -> None:
        self.author, self.found, self._draft = made.author, found, None
        self._show_tasks()
        self._show_task()
        self.desk.say(t("review_screen.decided", task=one(made.task), verdict=t(f"verify.verdict.{made.verdict}")))
        self.post_message(self.Turned())
