"""What both tabs of the Review screen have in common, and what the keys of the screen do there."""

from __future__ import annotations

from pathlib import Path
from typing import ClassVar

from textual.containers import Vertical
from textual.message import Message
from textual.widget import Widget
from textual.widgets import ContentSwitcher

from app.desk.episode.renderers import Line, many, one, policy_name
from app.desk.jobs import OnDesk
from app.desk.live import LiveRun
from app.desk.review.runs import ended
from app.desk.widgets.choice import ChoiceItem, fixed
from app.library import RunLine
from app.strings import known, t
from tasks.errors import UsageError

PATIENCE = 30.0
"""Seconds to wait until a run that is over is stored."""


class ReviewPane(OnDesk, Vertical):
    """One tab, which shows one of its steps at a time."""

    BEGINNING: ClassVar[str]
    """The step that is shown first."""

    @property
    def step(self) -> str:
        return self.query_one("#steps", ContentSwitcher).current or self.BEGINNING

    def go(self, step: str) -> None:
        self.query_one("#steps", ContentSwitcher).current = step
        if self.display:
            self.first.focus()
        self.post_message(self.ViewChanged())

    # what a tab has to say

    def enter(self) -> None:
        raise NotImplementedError

    def retranslate(self) -> None:
        raise NotImplementedError

    def title(self) -> list[str]:
        """What the title of the screen says of this tab."""
        raise NotImplementedError

    @property
    def on_court(self) -> bool:
        return False

    @property
    def first(self) -> Widget:
        """Where the cursor goes when the tab is shown."""
        raise NotImplementedError

    def can(self, action: str) -> bool | None:
        """Whether an action has a meaning now: None is dim, False is absent."""
        return False

    class ViewChanged(Message):
        """The tab shows something else: title and keys may have changed."""

    def back(self) -> bool:
        """One step back inside the tab; False where there is none."""
        return False


def words(title: str, hint: str = "") -> list[Line]:
    """What an empty list says: what is so, and what to do."""
    return [((title, "question"),), *([(), *many(hint, "dim")] if hint else [])]


def run_thing(run: RunLine) -> ChoiceItem:
    """A run in two lines."""
    name = f"benchmark.{run.benchmark}"
    words = [t(name) if known(name) else one(run.benchmark), policy_name(run.agent, run.model)]
    fictional = ((f"  ● {t('mark.fictional')}", "mark"),) if run.fictional else ()
    when = run.created[:16].replace("T", " ")
    return ChoiceItem(
        fixed(
            ((" · ".join(words), "question"), *fictional),
            (
                (f"{one(when)}  {t('review_screen.ended', done=run.finished, of=run.n)}  ", "dim"),
                (one(run.id), "dim"),
            ),
        )
    )


def admit(live: LiveRun | None, path: Path) -> None:
    """Make sure that a run is not in motion; one that is over but still open is stored first. Slow; called from
    workers.

    Raises:
        UsageError: it is in motion.
    """
    if live is None or live.path != path or live.closed.is_set():
        return
    if not ended(path):
        raise UsageError(t("review_screen.in_motion"), t("review_screen.in_motion.hint"))
    live.close()
    live.closed.wait(PATIENCE)
