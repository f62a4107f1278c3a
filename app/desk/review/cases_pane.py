"""Case review: tasks of a pack, a file of cases, or the draft of a judgment; one case field by field with its
findings and its law.

A person marks what was reviewed; that goes into a log of its own, never into pack or file.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from textual import on
from textual.app import ComposeResult
from textual.containers import Horizontal, Vertical
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from app.desk.episode.renderers import Line, one
from app.desk.review.beside import beside_lines, cited_line
from app.desk.review.cases import CaseReview, fields_in, look, statuses
from app.desk.review.fields import Field, packed
from app.desk.review.form import ReviewForm
from app.desk.review.laws import Cited
from app.desk.review.log import Status, mark
from app.desk.review.pane import ReviewPane, words
from app.desk.review.runs import held_tasks
from app.desk.review.sources import CaseEntry, PackOfCases, Source, open_pack, open_path, packs
from app.desk.widgets.choice import Choice
from app.desk.widgets.things import LinesPane, Thing, Things, fixed
from app.strings import counted, t
from tasks.courts.casefile.case import Fields
from tasks.errors import UsageError

MARKS: dict[Status, tuple[str, str]] = {"reviewed": ("✔", "good"), "changed": ("●", "warn"), "open": ("○", "dim")}
"""Status -> sign and role."""
LEVELS = {"error": ("✘", "bad"), "warning": ("●", "warn"), "": ("", "text")}
"""Worst finding of a field -> sign and role."""
RECENT = 8
"""Paths that the list remembers while the desk is open."""


class CasesPane(ReviewPane):
    """Where cases come from (step `sources`), then one case beside the list of all (step `reading`)."""

    BEGINNING = "sources"

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.packs: list[PackOfCases] = []
        self.source: Source | None = None
        self.review: CaseReview | None = None
        self.fields: list[Field] = []
        self._statuses: dict[str, Status] = {}
        self._recent: list[str] = []
        self._listed = False

    def compose(self) -> ComposeResult:
        """Sources; cases, fields, what is beside a field, the form."""
        with ContentSwitcher(initial=self.BEGINNING, id="steps"):
            yield Things("review", id="sources")
            with Horizontal(id="reading"):
                yield Things("review_case", id="case-list")
                with Horizontal(id="case"):
                    yield Things("review_case", id="fields")
                    with Vertical(id="side"):
                        yield LinesPane("review_case", id="beside")
                        yield ReviewForm("review_screen.mark", scored=False, id="form")

    # what is on disk

    def enter(self) -> None:
        """Packs may have come or gone."""
        self.work("packs", packs)

    def open_path(self, typed: str) -> None:
        """Open a file or folder that was named; drafting a judgment may take a second."""
        self._open(partial(open_path, typed))
        self.desk.say(t("review_screen.opening"))

    def _open(self, opener: Callable[[], Source]) -> None:
        def job() -> tuple[Source, dict[str, Status]]:
            source = opener()
            return source, statuses(source)

        self.work("source", job)

    def _look(self, entry: CaseEntry) -> None:
        source, live = self.source, self.desk.live
        if source is None:
            return

        def job() -> CaseReview:
            if (
                live is not None
                and live.path is not None
                and not live.closed.is_set()
                and entry.id in held_tasks(live.path)
            ):
                raise UsageError(t("review_screen.held_case", case=entry.id), t("review_screen.held_case.hint"))
            return look(source, entry)

        self.work("case", job)

    def done(self, name: str, result: Any) -> None:
        """A job has found something."""
        match name:
            case "packs":
                self.packs, self._listed = result, True
                self._show_sources()
            case "source":
                self._have(*result)
            case "case":
                self._have_case(result)
            case "mark":
                self._marked(result)

    def failed(self, name: str) -> None:
        """A case that may not be shown leaves nothing behind."""
        if name == "case":
            self.review, self.fields = None, []
            self._show_case(at=0)

    def _have(self, source: Source, known: dict[str, Status]) -> None:
        self.source, self._statuses = source, known
        self.review, self.fields = None, []
        if not source.pack:
            typed = str(source.path)
            self._recent = [typed, *(path for path in self._recent if path != typed)][:RECENT]
            self._show_sources()
        self._show_cases(at=0)
        self._show_case(at=0)
        self.go("reading")
        self._look(source.cases[0])

    def _have_case(self, review: CaseReview) -> None:
        again = self.review is not None and self.review.entry.id == review.entry.id
        self.review, self.fields = review, fields_in(review)
        self._statuses[review.entry.id] = review.status
        self._show_cases()
        self._show_case(at=None if again else 0)
        self.post_message(self.Turned())

    def _marked(self, review: CaseReview) -> None:
        form = self.query_one(ReviewForm)
        form.clear()
        self._have_case(review)
        form.say(t("review_screen.marked"))
        self.query_one("#fields").focus()

    # what is shown

    def retranslate(self) -> None:
        """All words in the current language."""
        for name in ("sources", "case-list", "fields", "beside"):
            self.query_one(f"#{name}").border_title = t(f"review_screen.pane.{name}")
        form = self.query_one(ReviewForm)
        form.border_title = t("review_screen.pane.mark")
        form.retranslate()
        if self.review is not None:
            self.fields = fields_in(self.review)
        self._show_sources()
        self._show_cases()
        self._show_case()

    def _show_sources(self) -> None:
        things = [_pack_thing(pack) for pack in self.packs]
        things += [
            Thing(
                fixed(((one(Path(path).name), "question"),), ((f"  {one(path)}", "dim"),)),
                t("review_screen.recent") if not number else "",
            )
            for number, path in enumerate(self._recent)
        ]
        said = (
            words(t("review_screen.no_sources"), t("review_screen.no_sources.hint"))
            if self._listed
            else words(t("home.loading"))
        )
        self.query_one("#sources", Things).show(things, said)

    def _show_cases(self, at: int | None = None) -> None:
        if self.source is not None:
            self.query_one("#case-list", Things).show([self._case_thing(entry) for entry in self.source.cases], at=at)

    def _case_thing(self, entry: CaseEntry) -> Thing:
        sign, role = MARKS[self._statuses.get(entry.id, "open")]
        broken = (("✘ ", "bad"),) if entry.case is None else ()
        return Thing(
            fixed(
                ((f"{sign} ", role), *broken, (one(entry.id), "question")),
                ((f"  {one(str(entry.fields.get('cause', '')))}", "dim"),),
            )
        )

    def _field_thing(self, number: int) -> Thing:
        """A field, below the heading of its section where that begins."""
        field = self.fields[number]
        new = number == 0 or self.fields[number - 1].section != field.section
        cited = (
            self.review.laws.get(field.refs[0])
            if self.review is not None and field.path.startswith("gold.laws") and field.refs
            else None
        )
        return Thing(partial(_field_lines, field, cited), field.section if new else "")

    def _show_case(self, at: int | None = None) -> None:
        said = words(t("home.loading"))
        self.query_one("#fields", Things).show(
            [self._field_thing(number) for number in range(len(self.fields))], said, at=at
        )
        review, form = self.review, self.query_one(ReviewForm)
        form.set_class(review is None or review.entry.case is None, "-none")
        if review is not None:
            form.open(review.entry.digest)
        self._show_beside()

    @property
    def field(self) -> Field | None:
        """The field at the cursor."""
        place = self.query_one("#fields", Things).cursor
        return self.fields[place] if 0 <= place < len(self.fields) else None

    def _show_beside(self) -> None:
        field, pane = self.field, self.query_one("#beside", LinesPane)
        if field is None or self.review is None:
            pane.show([])
        else:
            pane.show(list(beside_lines(self.review, field, pane.room)))

    def title(self) -> list[str]:
        """The source, the case, what was found, whether it is reviewed."""
        source, review = self.source, self.review
        if self.step == "sources" or source is None:
            return [t("review_screen.choose_source")]
        if review is None:
            return [one(source.name)]
        case = review.entry.case
        fictional = source.fictional or (case is not None and case.provenance.source == "authored")
        found = [
            counted(f"review_screen.found.{level}", n)
            for level, n in (("error", review.errors), ("warning", review.warnings))
            if n
        ]
        parts = [
            one(review.entry.id),
            f"● {t('mark.fictional')}" if fictional else "",
            *(found or [t("review_screen.sound")]),
        ]
        parts += [
            t(f"review_screen.status.{review.status}"),
            t("case.value.derived") if source.draft is not None else "",
        ]
        return [part for part in (*parts, one(str(review.entry.fields.get("cause", ""))), one(source.name)) if part]

    @property
    def on_court(self) -> bool:
        """Every case is of a court."""
        return self.step == "reading"

    @property
    def first(self) -> Widget:
        """The sources, or the fields."""
        if self.step == "sources":
            return self.query_one("#sources")
        return self.query_one(
            "#case-list" if self.has_class("-writes") and self.screen.has_class("-narrow") else "#fields"
        )

    # wishes

    def can(self, action: str) -> bool | None:
        """Whether an action has a meaning now."""
        reading = self.step == "reading"
        complete = self.review is not None and self.review.entry.case is not None
        rules: dict[str, bool | None] = {
            "open": True, "path": True, "form": (complete or None) if reading else False, "near": reading,
            "wide": reading,
            "view": reading and self.screen.has_class("-narrow"), "runs": reading,
            "fault": (self.review is not None and bool(self.review.findings) or None) if reading else False,
            "save": reading and self.source is not None and self.source.draft is not None,
        }  # fmt: skip
        return rules.get(action, False)

    def on_choice_looked(self, event: Choice.Looked) -> None:
        """Another field, or another case."""
        event.stop()
        if event.view.id == "fields":
            self._show_beside()

    def on_choice_chosen(self, event: Choice.Chosen) -> None:
        """A source or a case was taken; Enter on a field goes to what is beside it."""
        event.stop()
        match event.view.id:
            case "sources" if event.index < len(self.packs):
                self._open(partial(open_pack, self.packs[event.index].name))
            case "sources":
                self.open_path(self._recent[event.index - len(self.packs)])
            case "case-list" if self.source is not None:
                self._look(self.source.cases[event.index])
                self.remove_class("-writes")
                self.query_one("#fields").focus()
            case "fields":
                self.query_one("#beside").focus()

    def near(self, by: int) -> None:
        """The next case of the list, or the one before."""
        cases = self.query_one("#case-list", Things)
        if self.source is not None and 0 <= cases.cursor + by < len(self.source.cases):
            cases.move_to(cases.cursor + by)
            self._look(self.source.cases[cases.cursor])

    def fault(self) -> None:
        """The next field with a finding, from the top again after the last."""
        view, count = self.query_one("#fields", Things), len(self.fields)
        around = [(view.cursor + step) % count for step in range(1, count + 1)] if count else []
        place = next((place for place in around if self.fields[place].findings), None)
        if place is not None:
            view.move_to(place)
            view.focus()

    def form(self) -> None:
        """Into the form."""
        if self.review is not None and self.review.entry.case is not None:
            self.add_class("-writes")
            self.query_one(ReviewForm).focus_first()

    def view(self) -> None:
        """On a narrow screen: fields and findings, or cases and form."""
        self.toggle_class("-writes")
        self.query_one("#case-list" if self.has_class("-writes") else "#fields").focus()

    def back(self) -> bool:
        """To the sources."""
        if self.step == "reading":
            self.go("sources")
            return True
        return False

    @property
    def draft(self) -> Fields | None:
        """The fields of the draft that is shown; None where a file is."""
        return self.source.draft.case_fields if self.source is not None and self.source.draft is not None else None

    @on(ReviewForm.Left)
    def _left(self) -> None:
        self.remove_class("-writes")
        self.query_one("#fields").focus()

    @on(ReviewForm.Submitted)
    def _submitted(self, event: ReviewForm.Submitted) -> None:
        review, source = self.review, self.source
        if review is None or source is None:
            return
        entry, origin = review.entry, f"pack {source.pack}" if source.pack else str(source.path)

        def job() -> CaseReview:
            mark(entry.id, entry.digest, origin, event.author, event.reason)
            return look(source, entry)

        self.work("mark", job)


def _pack_thing(pack: PackOfCases) -> Thing:
    fictional = ((f"  ● {t('mark.fictional')}", "mark"),) if pack.fictional else ()
    return Thing(
        fixed(((one(pack.name), "question"), *fictional), ((f"  {t('review_screen.cases', n=pack.tasks)}", "dim"),))
    )


def _field_lines(field: Field, cited: Cited | None, width: int) -> Iterator[Line]:
    """The sign of the worst finding, the name of an item, what it says; of an article its mark and days."""
    sign, role = LEVELS[field.level]
    found = ((f"{sign} ", role),) if sign else ()
    if cited is not None:
        yield (*found, *cited_line(cited)[1 if found else 0 :])
        return
    lines = [part for line in field.lines for part in packed(line, width)]
    if field.name != field.section:
        lines = [((field.name, "question"),), *lines]
    first, *rest = lines or [()]
    yield (*found, *first)
    yield from rest
