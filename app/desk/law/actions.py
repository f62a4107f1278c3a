"""What a person can do on the Law screen; `LawScreen` is this plus panes and workers."""

from __future__ import annotations

from datetime import date
from typing import cast

from textual import on
from textual.screen import Screen

from app.desk.law.diff import comparable
from app.desk.law.form import LawForm
from app.desk.law.hits import HitsView
from app.desk.law.shelf import Asked, Reading
from app.desk.law.timeline import TimelineView
from app.desk.widgets.choice import Choice
from app.desk.widgets.lines import LineView, row_text
from app.desk.widgets.view_tabs import ViewTabs
from app.ports import OnDesk
from app.strings import counted, t
from app.terminal import clean
from store.statutes.model import ArticleNumber

TABS = ("text", "timeline", "diff", "faults", "family")
TEXT, TIMELINE, DIFF, FAULTS, FAMILY = range(5)


class LawActions(OnDesk, Screen[None]):
    """The actions, over what was asked and what is being read."""

    def __init__(self) -> None:
        super().__init__()
        self.asked: Asked | None = None
        self.reading: Reading | None = None
        self.tab = TEXT
        self._sides: tuple[int, int] | None = None

    @property
    def _view(self) -> LineView:
        return cast(LineView, self.query_one(f"#{TABS[self.tab]}"))

    def go_to(self, tab: int) -> None:
        """Show a tab and put the cursor in it."""
        raise NotImplementedError

    def read(self, law: str, number: ArticleNumber, day: date | None, label: str | None = None) -> None:
        """Show an article on a day, or as it stands in a version."""
        raise NotImplementedError

    def compare(self) -> None:
        """Compare the two chosen sides."""
        raise NotImplementedError

    def check_action(self, action: str, parameters: tuple[object, ...]) -> bool | None:
        """What makes no sense at the moment is dim or absent."""
        if action == "side":
            many = self.reading is not None and len(comparable(self.reading.entries)) > 1
            return many if self.tab in (TIMELINE, DIFF) else False
        if action == "near":
            return self.reading is not None and any(self.reading.near) if self.tab == TEXT else False
        if action == "counterpart":
            return self.reading is not None and self.reading.counterpart is not None
        if action in ("tab", "copy"):
            return True if self.reading is not None else None
        if action == "open":
            return True if self.asked is not None and self.asked.hits else None
        return True

    def action_open(self) -> None:
        """The hit, or the step of the timeline, at the cursor."""
        focused = self.focused
        (focused if isinstance(focused, Choice) else self.query_one(HitsView)).action_choose()

    def action_box(self, name: str = "words") -> None:
        """Into the box for words, for the day, or to the packs."""
        self.query_one(LawForm).focus_on(name)

    def action_tab(self, tab: int = 0) -> None:
        """Another view of the article."""
        if self.reading is not None:
            self.go_to(tab)

    @on(ViewTabs.Chosen)
    def _tab_chosen(self, event: ViewTabs.Chosen) -> None:
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
            step = self.query_one(TimelineView).chosen
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
        """The article before or after, in the same version."""
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
        """The text of the article, or what the shown tab says."""
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

    def action_wide(self) -> None:
        """The shown view fills the screen, or goes back."""
        if self.maximized is not None:
            self.minimize()
        elif isinstance(self.focused, LineView):
            self.maximize(self.focused)

    async def action_back(self) -> None:
        """From the article to the results, from there to the words, from there home."""
        if self.maximized is not None:
            self.minimize()
        elif self.has_class("-reading") and self.asked is not None and self.asked.hits:
            self.query_one(HitsView).focus()
        else:
            self.action_box()
