"""What the Law screen shows of what is open, asked and read: title, lines, results, the views of the article.

Kept apart from the workers that find it: `LawScreen` is this plus opening, asking and reading.
"""

from __future__ import annotations

from textual.widgets import Label

from app.desk.episode.renderers import Line, one
from app.desk.law.actions import LawActions
from app.desk.law.article import ArticleView
from app.desk.law.diff import DiffView
from app.desk.law.family import FamilyView
from app.desk.law.faults import FaultsView
from app.desk.law.form import LawForm
from app.desk.law.hits import HitsView
from app.desk.law.query import note_words, query_words
from app.desk.law.shelf import LawDesk, Shelf
from app.desk.law.timeline import TimelineView
from app.desk.widgets.empty import Empty
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.view_tabs import ViewTabs
from app.strings import t
from app.terminal import truncate

NOTE_ROWS = 2
"""Rows that the notes of an answer may take."""


class LawPanes(LawActions):
    """The panes, over the open pack, what was asked and what is being read."""

    def __init__(self) -> None:
        super().__init__()
        self.shelves: list[Shelf] = []
        self.book: LawDesk | None = None
        self._loaded = False
        self._wrong = ""
        self._searching = False

    def _need(self) -> None:
        """Compute what the shown tab needs."""
        raise NotImplementedError

    def on_descendant_focus(self) -> None:
        """While one types, the key bar speaks of the form; on a narrow screen the pane one reads has the room."""
        around = self.focused.ancestors_with_self if self.focused else []
        typing = any(isinstance(node, LawForm) for node in around)
        areas = () if self.has_class("-empty") else ("law_box",) if typing else ("law",)
        self.query_one(KeyBar).areas(*areas, "app")
        self.set_class(any(node.id == "right" for node in around), "-reading")

    def retranslate(self) -> None:
        """All words in the current language."""
        self.query_one("#hits").border_title = t("law_screen.hits")
        self.query_one(LawForm).relabel("")
        self.query_one(ViewTabs).refresh(layout=True)
        self._show_all()

    def _show_all(self) -> None:
        empty = self._loaded and all(shelf.error for shelf in self.shelves)
        if empty != self.has_class("-empty"):
            self.set_class(empty, "-empty")
            if empty:
                self.set_focus(None)
            else:
                self.query_one(LawForm).focus_on("words")
            self.on_descendant_focus()
        broken = [shelf for shelf in self.shelves if shelf.error]
        hint = "\n".join(f"✘ {one(shelf.name)}：{one(shelf.error)}" for shelf in broken)
        self.query_one(Empty).say(
            t("law_screen.empty"), "\n\n".join(part for part in (t("law_screen.empty.hint"), hint) if part)
        )
        self.query_one(LawForm).relabel(self.book.example if self.book else "")
        self._show_lines()
        if self.asked is None or self._searching:
            self._show_hits()
        self._show_reading()
        self.query_one(KeyBar).refresh()

    def _show_lines(self) -> None:
        room = max(20, self.size.width - 2)
        self.query_one("#title", Label).update(truncate(self._title(), room))
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

    def _title(self) -> str:
        parts = [t("law_screen.title")]
        if self.book is not None:
            counts = self.book.counts
            several = sum(not shelf.error for shelf in self.shelves)
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
        elif self.shelves and not self.has_class("-empty"):
            parts.append(t("law_screen.opening"))
        return " · ".join(parts)

    def _show_hits(self) -> None:
        view, asked = self.query_one(HitsView), self.asked
        if self._searching or asked is None:
            view.show(
                (),
                None,
                said=say("law_screen.searching") if self._searching else say("law_screen.ask", "law_screen.ask.hint"),
            )
            view.border_subtitle = ""
            return
        words = [*asked.answer.query.keywords]
        hint = "direct" if asked.direct else "day" if asked.day else "hint"
        said = say("law_screen.none", f"law_screen.none.{hint}")
        view.show(asked.hits, asked.day, words, said)
        answer = asked.answer
        view.border_subtitle = t(
            "law_screen.of",
            n=len(asked.hits),
            allowed=f"{answer.allowed:,}",
            of=f"{answer.of:,}",
            ms=f"{answer.milliseconds:.0f}",
        )

    def _show_reading(self) -> None:
        reading = self.reading
        said = say("law_screen.nothing_open")
        self.query_one(ArticleView).show(reading, said)
        self.query_one(TimelineView).show(reading, said)
        if reading is None:
            self.query_one(DiffView).show(None, said)
            self.query_one(FaultsView).show(None, said)
            self.query_one(FamilyView).show(None, said)
        else:
            self.query_one(DiffView).rebuild()
            self.query_one(FaultsView).rebuild()
            self.query_one(FamilyView).rebuild()
        self._need()
        self.query_one(KeyBar).refresh()


def say(*keys: str) -> tuple[Line, ...]:
    """Sentences, the first one stronger."""
    return tuple(((t(key), "text" if number == 0 else "dim"),) for number, key in enumerate(keys))
