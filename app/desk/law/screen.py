"""Law: search in the statutes of a pack, one article through time, two wordings side by side, faults of the version
list.

Opening, searching, reading, comparing and checking run in named workers; what comes late, after something else was
asked, is dropped.
"""

from __future__ import annotations

from collections.abc import Callable
from datetime import date
from functools import partial
from typing import ClassVar

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import ContentSwitcher, Label
from textual.worker import Worker

from app.cli.law_words import Kin
from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.law import shelf as law_shelf
from app.desk.law.actions import DIFF, FAMILY, FAULTS, TABS, TEXT, TIMELINE
from app.desk.law.article import ArticleView
from app.desk.law.diff import DiffView, comparable, first_sides
from app.desk.law.family import FamilyView
from app.desk.law.faults import FaultsView
from app.desk.law.form import LawForm
from app.desk.law.hits import HitsView
from app.desk.law.panes import LawPanes, say
from app.desk.law.shelf import Asked, Comparison, Family, Faults, LawDesk, Reading, Shelf
from app.desk.law.timeline import TimelineView
from app.desk.widgets.choice import Choice
from app.desk.widgets.empty import Empty
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.view_tabs import ViewTabs
from app.strings import t
from store.statutes.book import Gap
from store.statutes.model import ArticleNumber

NO_DIFF = partial(say, "law_screen.no_diff", "law_screen.no_diff.hint")


class LawScreen(LawPanes):
    """A line to ask in; results left, the article right; under each other on a narrow screen."""

    CSS_PATH = "law.tcss"
    area = "law"
    help_id = "law"
    BINDINGS: ClassVar[list[BindingType]] = bindings("law")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]

    def __init__(self) -> None:
        super().__init__()
        self._waiting: tuple[str, date | None] | None = None
        self._tickets: dict[str, int] = {}

    @property
    def busy(self) -> bool:
        """Whether a worker of this screen is at work."""
        return any(
            worker.name.startswith("law_") and not worker.is_finished
            for worker in self.workers
            if worker.node is self
        )

    def compose(self) -> ComposeResult:
        """Title, form, what was understood, panes, keys."""
        yield Label("", id="title", markup=False)
        yield LawForm(id="form")
        yield Label("", id="understood", markup=False)
        yield Label("", id="notes", markup=False)
        with Horizontal(id="panes"):
            yield HitsView(id="hits")
            with Vertical(id="right"):
                yield ViewTabs(TABS, "law_screen.tab", id="law-tabs")
                with ContentSwitcher(initial="text", id="views"):
                    yield ArticleView(id="text")
                    yield TimelineView(id="timeline")
                    yield DiffView(id="diff")
                    yield FaultsView(id="faults")
                    yield FamilyView(id="family")
        yield Empty(id="nothing")
        yield KeyBar(("law", "app"), id="keys")

    def on_mount(self) -> None:
        """Words; what is on disk comes when the screen is shown."""
        self.retranslate()
        self.query_one(LawForm).focus_on("words")

    def on_unmount(self) -> None:
        """Let the pack go."""
        if self.book is not None:
            self.book.close()

    def on_screen_resume(self) -> None:
        """Packs may have come or gone."""
        self._work("law_shelves", law_shelf.shelves)

    def on_resize(self) -> None:
        """Other widths fit."""
        self.call_after_refresh(self._show_lines)

    # workers

    def _work(self, name: str, job: Callable[[], object]) -> None:
        """Do something in a thread; only the newest of a name counts."""
        ticket = self._tickets[name] = self._tickets.get(name, 0) + 1
        self.run_worker(
            lambda: (ticket, job()), name=name, group=name, thread=True, exclusive=True, exit_on_error=False
        )

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        """Results by name; a failure becomes a dialog."""
        name = event.worker.name
        if self.desk.worker_failed(event):
            if name == "law_search" and event.worker.is_finished and not event.worker.is_cancelled:
                self._searching = False
                self._show_all()
            return
        if name not in self._tickets or event.worker.result is None:
            return
        ticket, result = event.worker.result
        if ticket != self._tickets[name]:
            if name == "law_open":
                result.close()
            return
        match name, result:
            case "law_shelves", list():
                self._have(result)
            case "law_open", LawDesk():
                self._opened(result)
            case "law_search", Asked():
                self._found(result)
            case "law_read", Reading():
                self._read_done(result)
            case "law_diff", Comparison():
                both = result.found.old and result.found.new
                self.query_one(DiffView).show(result if both else None, NO_DIFF())
                self.query_one(TimelineView).mark_sides(*result.sides)
            case "law_check", Faults():
                self.query_one(FaultsView).show(result)
            case "law_family", Family():
                self.query_one(FamilyView).show(result)

    # packs

    def _have(self, shelves: list[Shelf]) -> None:
        """The packs on disk; the open one stays open unless it changed."""
        self.shelves, self._loaded = shelves, True
        mine = next((shelf for shelf in shelves if self.book and shelf.name == self.book.name), None)
        if self.book is not None and mine is not None and mine.hash == self.book.hash:
            self.query_one(LawForm).offer(shelves, mine.name)
            return
        name = mine.name if mine else law_shelf.first_choice(shelves)
        self.query_one(LawForm).offer(shelves, name)
        if name is not None:
            self._work("law_open", partial(LawDesk, name))
        else:
            self._let_go()
        self._show_all()

    @on(LawForm.Picked)
    def _picked(self, event: LawForm.Picked) -> None:
        if self.book is None or event.name != self.book.name:
            self._let_go()
            self._work("law_open", partial(LawDesk, event.name))
            self._show_all()

    def _let_go(self) -> None:
        """Close the open pack, in a thread: a search may be under way in it."""
        if self.book is not None:
            self.run_worker(self.book.close, name="law_close", thread=True, exit_on_error=False)
        self.book = self.asked = self.reading = self._sides = None
        for name in ("law_search", "law_read", "law_diff", "law_check", "law_family"):
            self._tickets[name] = self._tickets.get(name, 0) + 1
        self._searching = False

    def _opened(self, book: LawDesk) -> None:
        """A pack is open; what was asked before it was is asked now."""
        if self.book is not None and self.book is not book:
            self._let_go()
        self.book = book
        if book.fault is not None:
            self.desk.problem(book.fault.title, book.fault.hint)
        waiting, self._waiting = self._waiting, None
        self._show_all()
        if waiting is not None:
            self.ask(*waiting)

    # asking

    @on(LawForm.Asked)
    def _asked(self, event: LawForm.Asked) -> None:
        self._wrong = ""
        self.ask(event.words, event.day)

    def ask(self, words: str, day: date | None) -> None:
        """Search, or say what is missing."""
        if not words:
            self._wrong = t("law_screen.no_words")
            self._show_lines()
        elif self.book is None:
            self._waiting = (words, day)
        else:
            self._searching = True
            self._work("law_search", partial(self.book.ask, words, day))
            self._show_all()

    @on(LawForm.Wrong)
    def _wrong_day(self, event: LawForm.Wrong) -> None:
        self._wrong = event.sentence
        self._show_lines()

    @on(LawForm.Left)
    def _left_form(self) -> None:
        if self.asked is not None and self.asked.hits:
            self.query_one(HitsView).focus()
        elif self.reading is not None:
            self._view.focus()
        else:
            self.query_one(HitsView).focus()

    def _found(self, asked: Asked) -> None:
        """The results; the article that the question names is opened, else the first hit is shown."""
        self.asked, self._searching = asked, False
        self.reading = self._sides = None
        self._show_hits()
        self._show_all()
        if asked.direct is not None:
            self.read(*asked.direct, asked.day)
        elif asked.hits:
            self._read_hit(0)
        if asked.hits and not (asked.direct and self._differs(asked)):
            self.query_one(HitsView).focus()
        elif asked.direct or asked.hits:
            self.go_to(TEXT)

    def _differs(self, asked: Asked) -> bool:
        """Whether the first hit is another article than the one that the question names."""
        hit = asked.hits[0].hit
        return (hit.article.law, hit.article.number) != asked.direct

    # reading

    @on(Choice.Looked)
    def _looked(self, event: Choice.Looked) -> None:
        if isinstance(event.view, HitsView) and not isinstance(event, Choice.Chosen):
            self._read_hit(event.index)

    @on(Choice.Chosen)
    def _chosen(self, event: Choice.Chosen) -> None:
        if isinstance(event.view, HitsView):
            self._read_hit(event.index)
            self.go_to(TEXT)
            return
        if isinstance(event.view, FamilyView):
            self._read_kin(event.view.chosen)
            return
        step = self.query_one(TimelineView).chosen
        if step is None or self.reading is None:
            return
        entry = step.entry
        if entry is not None and entry.article is not None:
            self.read(self.reading.law.name, entry.article.number, self.reading.day, entry.version.label)
        elif step.first is not None:
            self.read(self.reading.law.name, self.reading.number, step.first)
        self.go_to(TEXT)

    def _read_kin(self, kin: Kin | None) -> None:
        """The law at the cursor of the family, from its first article; one that the pack lacks only says so."""
        number = self.book.first_article(kin.name) if self.book and kin else None
        if kin is None:
            return
        if number is None:
            self.desk.say(t("law_screen.kin_not_held", law=one(kin.name)), "warning")
            return
        self.read(kin.name, number, None)
        self.go_to(TEXT)

    def _read_hit(self, index: int) -> None:
        if self.asked is not None and 0 <= index < len(self.asked.hits):
            hit = self.asked.hits[index].hit
            self.read(hit.version.law, hit.article.number, self.asked.day, hit.version.label)

    def read(self, law: str, number: ArticleNumber, day: date | None, label: str | None = None) -> None:
        """Show an article on a day, or as it stands in a version."""
        if self.book is not None:
            self._work("law_read", partial(self.book.read, law, number, day, label))

    def _read_done(self, reading: Reading) -> None:
        self.reading, self._sides = reading, None
        self._show_reading()

    # views of the article

    def go_to(self, tab: int) -> None:
        """Show a tab and put the cursor in it."""
        self._turn(tab)
        self._view.focus()

    def _turn(self, tab: int) -> None:
        self.tab = tab
        self.query_one(ContentSwitcher).current = TABS[tab]
        self.query_one(ViewTabs).show(tab)
        self._need()
        self.query_one(KeyBar).refresh()

    def _need(self) -> None:
        """Compute what the shown tab needs."""
        reading = self.reading
        if reading is None or self.book is None:
            return
        if self.tab in (TIMELINE, DIFF):
            if self._sides is None:
                self._sides = _sides_of(reading)
            self.compare()
        if self.tab == FAULTS:
            view = self.query_one(FaultsView)
            if view.faults is None or view.faults.law.name != reading.law.name:
                view.show(None, say("law_screen.checking"))
                self._work("law_check", partial(self.book.faults, reading.law.name))
        if self.tab == FAMILY:
            kin = self.query_one(FamilyView)
            if kin.family is None or kin.family.law != reading.law.name:
                kin.show(None, say("law_screen.checking"))
                self._work("law_family", partial(self.book.family, reading.law.name))

    def compare(self) -> None:
        """Compare the two chosen sides."""
        reading = self.reading
        if reading is None:
            return
        if self._sides is None or self.book is None:
            self.query_one(DiffView).show(None, NO_DIFF())
            self.query_one(TimelineView).mark_sides(-1, -1)
            return
        self._work("law_diff", partial(self.book.compare, reading.entries, self._sides))


def _sides_of(reading: Reading) -> tuple[int, int] | None:
    """What is compared first: both sides of a hole, else the wording that is read against the one before it."""
    known = comparable(reading.entries)
    if isinstance(reading.answer, Gap):
        labels = [version.label for version in (reading.answer.before, reading.answer.after) if version]
        around = [place for place in known if reading.entries[place].version.label in labels]
        if len(around) > 1:
            return around[0], around[-1]
    return first_sides(reading.entries, reading.place if reading.place >= 0 else len(reading.entries) - 1)
