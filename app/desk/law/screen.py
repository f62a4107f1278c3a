"""Law: search in the statutes of a pack, one article through time, two wordings side by side.

Opening, searching, reading, comparing and checking run in named workers; what comes late, after something else was
asked, is dropped.
"""

from __future__ import annotations

from datetime import date
from functools import partial
from typing import ClassVar, cast

from textual import on
from textual.app import ComposeResult
from textual.binding import BindingType
from textual.containers import Horizontal, Vertical
from textual.widgets import ContentSwitcher, Label, Select

from app import law_reading
from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.law.form import LawForm
from app.desk.law.hits import hit_rows
from app.desk.law.views import article_rows, comparable, diff_rows, first_sides, first_step, steps_of, timeline_rows
from app.desk.scaffold import PanesScreen
from app.desk.widgets.choice import Choice, EmptyState
from app.desk.widgets.key_bar import KeyBar, ViewTabs
from app.desk.widgets.lines import LinesPane, LineView, Make, row_text, rows_for
from app.law_reading import ArticleView, LawAnswer, LawDesk, StatutePack, VersionComparison
from app.law_words import note_words, query_words
from app.strings import counted, t
from app.terminal import clean, truncate
from store.statutes.book import Gap
from store.statutes.model import ArticleNumber

TABS = ("text", "timeline", "diff")
TEXT, TIMELINE, DIFF = range(3)
NOTE_ROWS = 2
"""Rows that the notes of an answer may take."""


class LawScreen(PanesScreen):
    """A line to ask in; results left, the article right; under each other on a narrow screen."""

    CSS_PATH = "law.tcss"
    area = "law"
    help_id = "law"
    BINDINGS: ClassVar[list[BindingType]] = bindings("law")
    HORIZONTAL_BREAKPOINTS = [(0, "-narrow"), (110, "-wide")]
    FIRST = "#words"
    TITLES = {"#hits": "law_screen.hits"}
    ABSENT = frozenset({"side", "near", "counterpart"})

    def __init__(self) -> None:
        super().__init__()
        self.asked: LawAnswer | None = None
        self.reading: ArticleView | None = None
        self.tab = TEXT
        self.packs: list[StatutePack] = []
        self.book: LawDesk | None = None
        self._sides: tuple[int, int] | None = None
        self._loaded = False
        self._wrong = ""
        self._searching = False
        self._waiting: tuple[str, date | None] | None = None

    def panes(self) -> ComposeResult:
        yield LawForm(id="form")
        yield Label("", id="understood", markup=False)
        yield Label("", id="notes", markup=False)
        with Horizontal(id="panes"):
            yield Choice("law_hits", id="hits")
            with Vertical(id="right"):
                yield ViewTabs(TABS, "law_screen.tab", id="law-tabs")
                with ContentSwitcher(initial="text", id="views"):
                    yield LinesPane("law_article", id="text")
                    yield Choice("law_timeline", id="timeline")
                    yield LinesPane("law_diff", id="diff")
        yield EmptyState(id="nothing")

    def on_unmount(self) -> None:
        if self.book is not None:
            self.book.close()

    def reload(self) -> None:
        self.job("law_packs", law_reading.statute_packs, self._have)

    # workers

    def _search_failed(self, error: BaseException) -> None:
        self._searching = False
        self._show_all()

    def _compared(self, found: VersionComparison) -> None:
        both = found.found.old and found.found.new
        self._show_diff(partial(diff_rows, found) if both else None)

    # packs

    def _have(self, packs: list[StatutePack]) -> None:
        self.packs, self._loaded = packs, True
        mine = next((pack for pack in packs if self.book and pack.name == self.book.name), None)
        if self.book is not None and mine is not None and mine.hash == self.book.hash:
            self.query_one(LawForm).offer(packs, mine.name)
            return
        name = mine.name if mine else law_reading.first_choice(packs)
        self.query_one(LawForm).offer(packs, name)
        if name is not None:
            self.job("law_open", partial(LawDesk, name), self._opened)
        else:
            self._let_go()
        self._show_all()

    @on(Select.Changed)
    def _picked(self, event: Select.Changed) -> None:
        if isinstance(event.value, str) and (self.book is None or event.value != self.book.name):
            self._let_go()
            self.job("law_open", partial(LawDesk, event.value), self._opened)
            self._show_all()

    def _let_go(self) -> None:
        """Close the open pack, in a thread: a search may be under way in it."""
        if self.book is not None:
            self.run_worker(self.book.close, name="law_close", thread=True, exit_on_error=False)
        self.book = self.asked = self.reading = self._sides = None
        self.drop("law_search", "law_read", "law_diff")
        self._searching = False

    def _opened(self, book: LawDesk) -> None:
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

    @on(LawForm.SearchRequested)
    def _asked(self, event: LawForm.SearchRequested) -> None:
        self._wrong = ""
        self.ask(event.words, event.day)

    def ask(self, words: str, day: date | None) -> None:
        if not words:
            self._wrong = t("law_screen.no_words")
            self.show()
        elif self.book is None:
            self._waiting = (words, day)
        else:
            self._searching = True
            self.job("law_search", partial(self.book.ask, words, day), self._found, self._search_failed)
            self._show_all()

    @on(LawForm.DayInvalid)
    def _wrong_day(self, event: LawForm.DayInvalid) -> None:
        self._wrong = event.sentence
        self.show()

    def action_results(self) -> None:
        opened = self.reading is not None and not (self.asked is not None and self.asked.hits)
        (self._view if opened else self.query_one("#hits")).focus()

    def _found(self, asked: LawAnswer) -> None:
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
            self.query_one("#hits").focus()
        elif asked.direct or asked.hits:
            self.go_to(TEXT)

    def _differs(self, asked: LawAnswer) -> bool:
        """Whether the first hit is another article than the one that the question names."""
        hit = asked.hits[0].hit
        return (hit.article.law, hit.article.number) != asked.direct

    # reading

    @on(Choice.Highlighted)
    def _looked(self, event: Choice.Highlighted) -> None:
        if event.view.id == "hits" and not isinstance(event, Choice.Selected):
            self._read_hit(event.index)

    @on(Choice.Selected)
    def _chosen(self, event: Choice.Selected) -> None:
        if event.view.id == "hits":
            self._read_hit(event.index)
            self.go_to(TEXT)
            return
        step = event.view.chosen
        if step is None or self.reading is None:
            return
        entry = step.entry
        if entry is not None and entry.article is not None:
            self.read(self.reading.law.name, entry.article.number, self.reading.day, entry.version.label)
        elif step.first is not None:
            self.read(self.reading.law.name, self.reading.number, step.first)
        self.go_to(TEXT)

    def _read_hit(self, index: int) -> None:
        if self.asked is not None and 0 <= index < len(self.asked.hits):
            hit = self.asked.hits[index].hit
            self.read(hit.version.law, hit.article.number, self.asked.day, hit.version.label)

    def read(self, law: str, number: ArticleNumber, day: date | None, label: str | None = None) -> None:
        if self.book is not None:
            self.job("law_read", partial(self.book.read, law, number, day, label), self._read_done)

    def _read_done(self, reading: ArticleView) -> None:
        self.reading, self._sides = reading, None
        self._show_reading()

    # views of the article

    def go_to(self, tab: int) -> None:
        self._turn(tab)
        self._view.focus()

    def _turn(self, tab: int) -> None:
        self.tab = tab
        self.query_one(ContentSwitcher).current = TABS[tab]
        self.query_one(ViewTabs).show(tab)
        self._need()
        self.query_one(KeyBar).refresh()

    def _need(self) -> None:
        reading = self.reading
        if reading is None or self.book is None:
            return
        if self.tab in (TIMELINE, DIFF):
            if self._sides is None:
                self._sides = _sides_of(reading)
            self.compare()

    def compare(self) -> None:
        reading = self.reading
        if reading is None:
            return
        if self._sides is None or self.book is None:
            self._show_diff(None)
            return
        self.job("law_diff", partial(self.book.compare, reading.entries, self._sides), self._compared)

    # what is shown

    def on_descendant_focus(self) -> None:
        around = self.focused.ancestors_with_self if self.focused else []
        typing = any(isinstance(node, LawForm) for node in around)
        areas = () if self.has_class("-empty") else ("law_box",) if typing else ("law",)
        self.query_one(KeyBar).areas(*areas, "app")
        self.set_class(any(node.id == "right" for node in around), "-reading")

    def retranslate(self) -> None:
        super().retranslate()
        self.query_one(ViewTabs).refresh(layout=True)
        self._show_all()

    def _show_all(self) -> None:
        empty = self._loaded and all(pack.error for pack in self.packs)
        if empty != self.has_class("-empty"):
            self.set_class(empty, "-empty")
            if empty:
                self.set_focus(None)
            else:
                self.query_one(LawForm).focus_on("words")
            self.on_descendant_focus()
        broken = [pack for pack in self.packs if pack.error]
        hint = "\n".join(f"✘ {one(pack.name)}：{one(pack.error)}" for pack in broken)
        self.query_one(EmptyState).say(
            t("law_screen.empty"), "\n\n".join(part for part in (t("law_screen.empty.hint"), hint) if part)
        )
        self.query_one(LawForm).relabel(self.book.example if self.book else "")
        self.show()
        if self.asked is None or self._searching:
            self._show_hits()
        self._show_reading()
        self.query_one(KeyBar).refresh()

    def show(self) -> None:
        room = max(20, self.size.width - 2)
        self.show_title(*self._title())
        line, notes = self.query_one("#understood", Label), self.query_one("#notes", Label)
        line.set_class(bool(self._wrong), "-bad")
        asked = self.asked
        query = asked.answer.query if asked else None
        line.update(truncate(self._wrong or (query_words(query) if query else t("law_screen.how")), room))
        said = (
            "；".join([*([one(asked.fault)] if asked.fault else []), *map(note_words, asked.answer.notes)])
            if asked
            else ""
        )
        notes.display = bool(said)
        notes.update(truncate(said, NOTE_ROWS * room - 1))

    def _title(self) -> list[str]:
        parts = [t("law_screen.title")]
        if self.book is not None:
            counts = self.book.counts
            several = sum(not pack.error for pack in self.packs)
            parts.append(
                t("law_screen.pack", pack=one(self.book.name), n=several) if several > 1 else one(self.book.name)
            )
            parts.append(
                t(
                    "law_screen.counts",
                    laws=counts["laws"],
                    versions=counts["versions"],
                    articles=f"{counts['articles']:,}",
                )
            )
            if self.book.fictional:
                parts.append(f"● {t('mark.fictional')}")
        elif self.packs and not self.has_class("-empty"):
            parts.append(t("law_screen.opening"))
        return parts

    def _show_hits(self) -> None:
        view, asked = self.query_one("#hits", Choice), self.asked
        if self._searching or asked is None:
            said = ("law_screen.searching",) if self._searching else ("law_screen.ask", "law_screen.ask.hint")
            view.offer((), say(*said), top=True)
            view.border_subtitle = ""
            return
        if asked.hits:
            make: Make = partial(hit_rows, asked.hits, asked.day, asked.answer.query.keywords)
        else:
            hint = "direct" if asked.direct else "day" if asked.day else "hint"
            make = say("law_screen.none", f"law_screen.none.{hint}")
        view.offer(asked.hits, make, at=0, top=True)
        answer = asked.answer
        view.border_subtitle = t(
            "law_screen.of",
            n=len(asked.hits),
            allowed=f"{answer.allowed:,}",
            of=f"{answer.of:,}",
            ms=f"{answer.milliseconds:.0f}",
        )

    def _show_reading(self) -> None:
        reading, said = self.reading, say("law_screen.nothing_open")
        self.query_one("#text", LinesPane).draw(partial(article_rows, reading) if reading else said, top=True)
        self._show_timeline(start=True)
        diff = self.query_one("#diff", LinesPane)
        if reading is None:
            diff.draw(said, top=True)
        else:
            diff.rebuild()
        self._need()
        self.query_one(KeyBar).refresh()

    def _show_timeline(self, *, start: bool = False) -> None:
        view, reading = self.query_one("#timeline", Choice), self.reading
        if reading is None:
            view.offer((), say("law_screen.nothing_open"))
            return
        steps = steps_of(reading)
        rows = partial(timeline_rows, reading, steps, self._sides)
        view.offer(steps, rows, at=first_step(reading, steps) if start else None)

    def _show_diff(self, make: Make | None) -> None:
        diff = self.query_one("#diff", LinesPane)
        diff.draw(make or say("law_screen.no_diff", "law_screen.no_diff.hint"), top=True)
        self._show_timeline()

    # what a person can do

    @property
    def _view(self) -> LineView:
        return cast(LineView, self.query_one(f"#{TABS[self.tab]}"))

    def possible(self) -> dict[str, object]:
        reading = self.reading
        several = reading is not None and len(comparable(reading.entries)) > 1
        return {
            "side": several and self.tab in (TIMELINE, DIFF),
            "near": reading is not None and any(reading.near) and self.tab == TEXT,
            "counterpart": reading is not None and reading.counterpart,
            "tab": reading,
            "copy": reading,
            "open": self.asked is not None and self.asked.hits,
        }

    def action_open(self) -> None:
        focused = self.focused
        (focused if isinstance(focused, Choice) else self.query_one("#hits", Choice)).action_choose()

    def action_box(self, name: str = "words") -> None:
        self.query_one(LawForm).focus_on(name)

    def action_tab(self, tab: int = 0) -> None:
        if self.reading is not None:
            self.go_to(tab)

    @on(ViewTabs.TabActivated)
    def _tab_chosen(self, event: ViewTabs.TabActivated) -> None:
        self.action_tab(event.index)

    def action_side(self, side: int = 0) -> None:
        """The version at the cursor of the timeline becomes a side of the comparison; beside it, the next one
        does."""
        if self.reading is None:
            return
        known = comparable(self.reading.entries)
        if len(known) < 2 or self._sides is None:
            return
        sides = list(self._sides)
        if self.tab == TIMELINE:
            step = self.query_one("#timeline", Choice).chosen
            if step is None or step.index not in known:
                self.desk.say(t("law_screen.no_side"), "warning")
                return
            sides[side] = step.index
        else:
            free = [place for place in known if place != sides[1 - side]]
            at = free.index(sides[side]) if sides[side] in free else 0
            sides[side] = free[(at + (-1 if side == 0 else 1)) % len(free)]
        if sides[0] == sides[1]:
            self.desk.say(t("law_screen.same_side"), "warning")
            return
        self._sides = (min(sides), max(sides))
        self.compare()

    def action_near(self, by: int = 1) -> None:
        reading = self.reading
        other = reading.near[by > 0] if reading is not None else None
        if reading is not None and other is not None:
            self.read(other.law, other.number, reading.day, other.label)

    def action_counterpart(self) -> None:
        """The article in which the rule of one of an ended law stands now."""
        found = self.reading.counterpart if self.reading else None
        if found is not None:
            self.read(found.law, found.number, None)
            self.go_to(TEXT)

    def action_copy(self) -> None:
        reading = self.reading
        if reading is None:
            return
        article = reading.article
        if self.tab == TEXT and article is not None and article.text is not None:
            version = reading.version
            text = (
                f"《{reading.law.name}》{article.number.chinese}（{version.label if version else ''}）\n"
                f"{article.text}"
            )
        else:
            text = "\n".join(row_text(row).rstrip() for row in self._view.rows)
        self.desk.copy_to_clipboard(clean(text))
        self.desk.say(counted("law_screen.copied", len(text)))

    async def action_back(self) -> None:
        """From the article to the results, from there to the words, from there home."""
        if self.maximized is not None:
            self.minimize()
        elif self.has_class("-reading") and self.asked is not None and self.asked.hits:
            self.query_one("#hits").focus()
        else:
            self.action_box()


def say(*keys: str) -> Make:
    """Sentences, the first one stronger."""
    return rows_for([((t(key), "text" if number == 0 else "dim"),) for number, key in enumerate(keys)])


def _sides_of(reading: ArticleView) -> tuple[int, int] | None:
    """What is compared first: both sides of a hole, else the wording that is read against the one before it."""
    known = comparable(reading.entries)
    if isinstance(reading.answer, Gap):
        labels = [version.label for version in (reading.answer.before, reading.answer.after) if version]
        around = [place for place in known if reading.entries[place].version.label in labels]
        if len(around) > 1:
            return around[0], around[-1]
    return first_sides(reading.entries, reading.place if reading.place >= 0 else len(reading.entries) - 1)
