"""Agreement of people and graders on a run: a row each pair and metric; of the row at the cursor all figures and the
plot."""

from __future__ import annotations

from functools import partial
from typing import Any

from textual.app import ComposeResult
from textual.containers import Vertical
from textual.events import Resize
from textual.widget import Widget

from app.desk.episode.renderers import one
from app.desk.review.agreeing import detail_lines, head_line, read, row_line, short_names
from app.desk.review.pane import RunPane, words
from app.desk.widgets.choice import Choice
from app.desk.widgets.things import LinesPane, Thing, Things, fixed
from app.strings import t
from tasks.scoring.agreement import Agreement


class AgreementPane(RunPane):
    """Runs, then the table of one."""

    def __init__(self, *, id: str) -> None:
        super().__init__(id=id)
        self.rows: tuple[Agreement, ...] | None = None
        self._of = ""

    def parts(self) -> ComposeResult:
        """The table, and one row of it in full."""
        with Vertical(id="table"):
            yield Things("review_agreement", id="rows")
            yield LinesPane("review_agreement", id="detail")

    def read(self) -> None:
        """Compute the agreement of the chosen run."""
        if self.path is not None:
            if self._of != str(self.path):
                self.rows, self._of = None, str(self.path)
                self._show()
            if self.step != "table":
                self.go("table")
            self.work("agreement", partial(read, self.path))

    def done(self, name: str, result: Any) -> None:
        """A job has found something."""
        if name == "runs":
            self.have_runs(result)
        elif name == "agreement":
            self.rows = result
            self._show()
            self.post_message(self.Turned())

    def failed(self, name: str) -> None:
        """Without a run there is the list of runs."""
        if name == "agreement":
            self._of = ""
            self.give_up()

    def on_resize(self, event: Resize) -> None:
        """A plot fits its pane."""
        self.call_after_refresh(self._detail)

    def retranslate(self) -> None:
        """All words in the current language."""
        self.query_one("#rows").border_title = t("review_screen.pane.rows")
        self.query_one("#detail").border_title = t("review_screen.pane.detail")
        self.show_runs()
        self._show()

    def _show(self) -> None:
        rows = self.rows or ()
        short = short_names(rows)
        said = (
            words(t("review_screen.computing"))
            if self.rows is None
            else words(t("agreement.nobody"), t("review_screen.nobody.hint"))
        )
        self.query_one("#rows", Things).show(
            [Thing(fixed(row_line(row, short))) for row in rows], said, above=[head_line()] if rows else []
        )
        self._detail()

    def _detail(self) -> None:
        rows, pane = self.rows or (), self.query_one("#detail", LinesPane)
        place = self.query_one("#rows", Things).cursor
        if not 0 <= place < len(rows):
            return pane.show([])
        height = pane.scrollable_content_region.height
        return pane.show(list(detail_lines(rows[place], short_names(rows), pane.room, height)))

    def on_choice_looked(self, event: Choice.Looked) -> None:
        """Another row."""
        event.stop()
        self._detail()

    def title(self) -> list[str]:
        """The run."""
        return [t("review_screen.choose_run")] if self.step == "runs" or self.path is None else [one(self.path.stem)]

    @property
    def first(self) -> Widget:
        """The list, or the table."""
        return self.query_one("#runs" if self.step == "runs" else "#rows")

    def can(self, action: str) -> bool | None:
        """Whether an action has a meaning now."""
        table = self.step == "table"
        return {"open": not table, "wide": table, "runs": table}.get(action, False)

    def back(self) -> bool:
        """To the list of runs."""
        if self.step == "table":
            self.post_message(self.Chosen(None))
            return True
        return False
