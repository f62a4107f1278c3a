"""Verification of tasks: a task file, its tasks one by one, what reviewers decide. The log lies beside the file.

What others decided of a task stays hidden until one has decided oneself.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from datetime import date
from pathlib import Path
from typing import cast

from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical, VerticalScroll
from textual.content import Content
from textual.widget import Widget
from textual.widgets import ContentSwitcher, Input, Label, Select, Static

from app.desk.dialogs import SHEET, Dialog, buttons
from app.desk.episode.renderers import Line, many, one
from app.desk.models.dialogs import Tick
from app.desk.review.pane import ReviewPane, words
from app.desk.review.runs import tasks_in_play
from app.desk.widgets.answer_box import AnswerText
from app.desk.widgets.choice import Choice, ChoiceItem, ChoiceList, fixed
from app.desk.widgets.field import LineInput, choice
from app.desk.widgets.lines import LinesPane
from app.figures import bounds, number, percent
from app.strings import t
from app.terminal import clean
from app.words import call_words, cause_words, law_words, verdict_words
from store.errors import StoreError
from tasks.errors import UsageError
from tasks.scoring.human import LONGEST_NAME
from tasks.verifying.decisions import SUFFIX, VERDICTS, Decision, Verdict, causes, decide, decisions_of
from tasks.verifying.standing import STATUSES, PairAgreement, Status, TaskStatus, agreement, standings, visible_to
from tasks.verifying.taskset import Task, TaskCitation, TaskSet, Text, cited, day_of, laws_of, pack_of, read_set

SIGNS: dict[Status, tuple[str, str]] = {
    "open": ("○", "dim"), "once": ("✔", "good"), "agreed": ("✔", "good"), "disputed": ("≠", "warn"),
    "settled": ("✔", "good"),
}  # fmt: skip
"""How a task that one has decided stands -> sign and role."""


@dataclass(frozen=True, slots=True)
class SetReview:
    """A task set with all that was said of it."""

    tasks: TaskSet
    standings: dict[str, TaskStatus]
    agreement: tuple[PairAgreement, ...]

    @property
    def counts(self) -> str:
        found = Counter(one.status for one in self.standings.values())
        return t("show.comma").join(f"{t(f'verify.status.{name}')} {found[name]}" for name in STATUSES if found[name])


@dataclass(frozen=True, slots=True)
class TaskReview:
    """One task with the law that it cites. day: on which the law is looked at, None where it is not known."""

    task: Task
    day: date | None
    laws: tuple[TaskCitation, ...]


def begun() -> list[str]:
    """The task files of this folder that somebody has begun to verify."""
    logs = sorted(Path.cwd().glob(f"*{SUFFIX}"))
    return [str(found) for log in logs if (found := log.with_name(log.name.removesuffix(SUFFIX))).is_file()]


def with_log(tasks: TaskSet) -> SetReview:
    """A task set with its log as it is now."""
    found = standings(tasks, decisions_of(tasks))
    return SetReview(tasks, found, tuple(agreement(list(found.values()))))


def look(tasks: TaskSet, task: Task) -> TaskReview:
    """The law that a task cites. Slow; called from workers."""
    with ExitStack() as stack:
        try:
            pack = stack.enter_context(pack_of(tasks))
        except StoreError:
            pack = None
        day = day_of(task, pack)
        return TaskReview(task, day, cited(task, day, laws_of(pack)))


def task_lines(review: TaskReview) -> Iterator[Line]:
    """Question, answer, keys, path, law."""
    task = review.task
    for name, value in task.texts.items():
        if not value:
            continue
        yield ((t(f"verify.field.{name}"), "label"),)
        if isinstance(value, str):
            yield from many(value)
        else:
            yield from ((("· ", "dim"), (one(text), "value")) for text in value)
        yield ()
    if review.laws:
        yield ((t("verify.laws", day=review.day or t("verify.no_day")), "label"),)
        for law in review.laws:
            sign, role = ("✔", "good") if law.good else ("✘", "bad")
            yield ((f"{sign} ", role), (one(law_words(law)), "text"))
        yield ()
    calls = task.record.get("path")
    if isinstance(calls, list) and calls:
        yield ((t("verify.path"), "label"),)
        yield from (((f"{n}. ", "dim"), (one(call_words(call)), "text")) for n, call in enumerate(calls, 1))


def decision_lines(found: SetReview, standing: TaskStatus, author: str) -> Iterator[Line]:
    """The decisions that somebody may see, newest first, then how far reviewers agree."""
    seen, hidden = visible_to(standing, author)
    if not standing.decisions:
        yield ((t("verify.status.open"), "dim"),)
    for decision in reversed(seen):
        yield from _decision(decision)
    if hidden:
        yield ((t("verify.blind", n=hidden), "dim"),)
    if standing.status == "disputed" and seen:
        yield ((t("review_screen.to_settle"), "warn"),)
    for pair in found.agreement:
        yield ()
        yield ((f"{one(pair.first)} – {one(pair.second)}", "label"), (f"  {pair.n}", "dim"))
        equal, kappa = pair.equal, pair.kappa
        share = (100 * equal.interval.low, 100 * equal.interval.high) if equal.interval else None
        yield ((f"{t('verify.equal')} {percent(equal.value)} {bounds(share)}", "text"),)
        span = (kappa.interval.low, kappa.interval.high) if kappa.interval else None
        yield ((f"{t('verify.kappa')} {number(kappa.value)} {bounds(span, 2)}", "text"),)


def _decision(one_: Decision) -> Iterator[Line]:
    role = {"accept": "good", "correct": "warn", "reject": "bad"}[one_.verdict]
    who = t("review_screen.consensus") if one_.consensus else ""
    yield ((f"{one(one_.author)} ", "label"), (who, "mark"), (one(verdict_words(one_)), role))
    yield ((f"  {one_.at[:16].replace('T', ' ')} UTC", "dim"),)
    for name, value in one_.fields.items():
        text = value if isinstance(value, str) else " · ".join(value)
        yield ((f"  {t(f'verify.field.{name}')}：", "dim"), (one(text), "text"))
    if one_.note:
        yield from ((("  ", "text"), *line) for line in many(one_.note))


@dataclass(frozen=True, slots=True)
class DecisionInput:
    """What was typed: as `tasks.verifying.decisions.decide` takes it."""

    verdict: str
    author: str
    why: tuple[str, ...]
    note: str
    fields: Mapping[str, Text]
    consensus: bool


class DecideScreen(Dialog[DecisionInput | None]):
    """Gives what a reviewer decides; the pane checks it and writes it down."""

    CSS_PATH = [SHEET, "decide.tcss"]
    help_id = "review_task"

    def __init__(
        self, task_id: str, texts: Mapping[str, Text], author: str, *, disputed: bool, word: DecisionInput | None
    ) -> None:
        """Ask about a task.

        Args:
            task_id: of the task.
            texts: what it says now.
            author: who decided last at this desk.
            disputed: whether a consensus can be given.
            word: what was typed before and could not be taken.
        """
        super().__init__()
        self._about, self._disputed = task_id, disputed
        self._texts = {**texts, **(word.fields if word else {})}
        self._word = word or DecisionInput("accept", author, (), "", {}, False)
        self._lists = {name for name, value in texts.items() if not isinstance(value, str)}

    def compose(self) -> ComposeResult:
        word = self._word
        with Vertical(classes="dialog") as box:
            box.border_title = clean(t("review_screen.decide", task=self._about), multiline=False)
            with VerticalScroll(id="asked"):
                yield Label(t("review_screen.verdict"), markup=False)
                yield choice([(t(f"verify.verdict.{name}"), name) for name in VERDICTS], "verdict", word.verdict)
                yield Label(t("review_screen.why"), markup=False, classes="why")
                with Vertical(id="why", classes="why"):
                    for code in causes():
                        yield Tick(Content(cause_words(code)), code in word.why, id=f"why-{code}", compact=True)
                for name, value in self._texts.items():
                    yield Label(t(f"verify.field.{name}"), markup=False, classes="text")
                    text = value if isinstance(value, str) else "\n".join(value)
                    yield AnswerText(clean(text), id=f"text-{name}", classes="text", compact=True)
                yield Label(t("review_screen.note"), markup=False)
                yield AnswerText(word.note, id="note", compact=True)
                yield Label(t("verify.first"), markup=False)
                yield LineInput(word.author, id="author", max_length=LONGEST_NAME)
                if self._disputed:
                    yield Tick(t("review_screen.as_consensus"), word.consensus, id="consensus", compact=True)
            yield Static("", id="said", markup=False)
            yield buttons(t("review_screen.decide.yes"))

    def on_mount(self) -> None:
        self._fit()
        self.query_one("#verdict" if self._word.author else "#author").focus()

    def on_select_changed(self) -> None:
        self._fit()

    def _fit(self) -> None:
        verdict = self._verdict
        for node in self.query(".why"):
            node.display = verdict != "accept"
        for node in self.query(".text"):
            node.display = verdict == "correct"

    @property
    def _verdict(self) -> str:
        return str(self.query_one("#verdict", Select).value)

    def action_confirm(self) -> None:
        author, verdict = " ".join(self.query_one("#author", Input).value.split()), self._verdict
        if not author:
            self.query_one("#said", Static).update(t("review_screen.bad.author", n=LONGEST_NAME))
            self.query_one("#author").focus()
            return
        consensus = self._disputed and self.query_one("#consensus", Tick).value
        ticked = [code for code in causes() if self.query_one(f"#why-{code}", Tick).value]
        why = tuple(ticked) if verdict != "accept" else ()
        fields = {name: self._typed(name) for name in self._texts} if verdict == "correct" else {}
        self.dismiss(DecisionInput(verdict, author, why, self.query_one("#note", AnswerText).text, fields, consensus))

    def _typed(self, name: str) -> Text:
        text = self.query_one(f"#text-{name}", AnswerText).text
        return tuple(line for line in text.splitlines() if line.strip()) if name in self._lists else text


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
        self._draft: tuple[str, DecisionInput] | None = None

    def compose(self) -> ComposeResult:
        with ContentSwitcher(initial=self.BEGINNING, id="steps"):
            yield ChoiceList("review_task", id="sources")
            with Horizontal(id="reading"):
                yield ChoiceList("review_task", id="task-list")
                with Horizontal(id="task"):
                    yield LinesPane("review_task", id="task-text")
                    yield LinesPane("review_task", id="task-said")

    # what is on disk

    def enter(self) -> None:
        self.job("files", begun, self._have_files)

    def open_path(self, typed: str) -> None:
        path = Path(typed.strip().strip("\"'")).expanduser()
        self.job("set", lambda: with_log(read_set(path)), self._have)

    def _look(self, task: Task) -> None:
        found, live = self.found, self.desk.live
        if found is None:
            return

        def job() -> TaskReview:
            path = live.path if live is not None and not live.closed.is_set() else None
            if path is not None and task.id in tasks_in_play(path):
                raise UsageError(t("review_screen.held_case", case=task.id), t("review_screen.held_case.hint"))
            return look(found.tasks, task)

        self.job("task", job, self._have_task, self._no_task)

    def _have_files(self, files: list[str]) -> None:
        self._files, self._listed = list(dict.fromkeys([*self._files, *files])), True
        self._show_sources()

    def _have_task(self, review: TaskReview) -> None:
        self.review = review
        self._show_task()
        self.post_message(self.ViewChanged())

    def _no_task(self, error: BaseException) -> None:
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
            ChoiceItem(fixed(((one(Path(path).name), "question"),), ((f"  {one(path)}", "dim"),)))
            for path in self._files
        ]
        empty = words(t("review_screen.no_task_files"), t("review_screen.no_task_files.hint"))
        self.query_one("#sources", ChoiceList).show(things, empty if self._listed else words(t("home.loading")))

    def _show_tasks(self, at: int | None = None) -> None:
        if self.found is not None:
            self.query_one("#task-list", ChoiceList).show(
                [self._thing(task) for task in self.found.tasks.tasks], at=at
            )

    def _thing(self, task: Task) -> ChoiceItem:
        standing = self._standing(task)
        mine = self.author in standing.reviewers
        sign, role = SIGNS[standing.status if mine else "open"]
        return ChoiceItem(fixed(((f"{sign} ", role), (one(task.id), "question"), (f"  {one(task.group)}", "dim"))))

    def _standing(self, task: Task) -> TaskStatus:
        assert self.found is not None
        return self.found.standings[task.id]

    def _show_task(self) -> None:
        text, beside = self.query_one("#task-text", LinesPane), self.query_one("#task-said", LinesPane)
        if self.found is None or self.review is None:
            text.show([])
            beside.show([])
            return
        text.show(list(task_lines(self.review)))
        beside.show(list(decision_lines(self.found, self._standing(self.review.task), self.author)))

    def title(self) -> list[str]:
        if self.found is None or self.step == "sources":
            return [t("review_screen.choose_task_file")]
        task = [one(self.review.task.id)] if self.review is not None else []
        return [*task, one(self.found.tasks.name), self.found.counts]

    @property
    def first(self) -> Widget:
        if self.step == "sources":
            return self.query_one("#sources")
        narrow = self.screen.has_class("-narrow") and not self.has_class("-writes")
        return self.query_one("#task-text" if narrow else "#task-list")

    # wishes

    def can(self, action: str) -> bool | None:
        reading = self.step == "reading"
        rules: dict[str, bool | None] = {
            "open": True, "path": True, "form": (self.review is not None or None) if reading else False,
            "accept": (self.review is not None or None) if reading else False, "near": reading, "wide": reading,
            "view": reading and self.screen.has_class("-narrow"), "runs": reading,
        }  # fmt: skip
        return rules.get(action, False)

    def on_choice_selected(self, event: Choice.Selected) -> None:
        event.stop()
        if event.view.id == "sources":
            self.open_path(self._files[event.index])
        elif self.found is not None:
            self._look(self.found.tasks.tasks[event.index])
            self.remove_class("-writes")
            self.query_one("#task-text").focus()

    def near(self, by: int) -> None:
        listed = self.query_one("#task-list", ChoiceList)
        if self.found is not None and 0 <= listed.cursor + by < len(self.found.tasks.tasks):
            listed.move_to(listed.cursor + by)
            self._look(self.found.tasks.tasks[listed.cursor])

    def view(self) -> None:
        self.toggle_class("-writes")
        self.query_one("#task-list" if self.has_class("-writes") else "#task-text").focus()

    def back(self) -> bool:
        if self.step == "reading":
            self.go("sources")
            return True
        return False

    def accept(self) -> None:
        if self.author:
            self._take(DecisionInput("accept", self.author, (), "", {}, False))
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

    def _take(self, word: DecisionInput | None) -> None:
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

        self.job("decision", job, self._decided)

    def _decided(self, result: tuple[Decision, SetReview]) -> None:
        made, self.found = result
        self.author, self._draft = made.author, None
        self._show_tasks()
        self._show_task()
        self.desk.say(t("review_screen.decided", task=one(made.task), verdict=t(f"verify.verdict.{made.verdict}")))
        self.post_message(self.ViewChanged())
