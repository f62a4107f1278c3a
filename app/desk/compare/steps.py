"""Two ways through one task side by side, step by step; the first step that differs is where it opens."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Label
from textual.worker import Worker

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, one, render
from app.desk.widgets.beside import aligned, beside
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import LineView, Row
from app.ports import OnDesk
from app.strings import t
from store.text.difference import difference
from tasks.episode.events import Record, ToolReturned
from tasks.run.comparing import Both, Comparison, Step, TaskLine, parting, steps_of


class StepsView(LineView):
    """Both records in two columns."""

    BINDINGS: ClassVar[list[BindingType]] = bindings("pane")
    help_id = "compared_steps"

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.steps: Sequence[Step] = ()
        self.parts = -1
        """The row at which both part, -1 where they do not."""

    def show(self, steps: Sequence[Step]) -> None:
        """Show steps, from where they part."""
        self.steps = steps
        self.rebuild()
        self.scroll_to(y=max(0, self.parts - 1), animate=False, immediate=True)

    def build(self, width: int) -> Iterable[Row]:
        """Step by step."""
        apart, column = parting(self.steps), (width - 3) // 2
        self.parts = -1
        rows: list[Row] = []
        for step in self.steps:
            if step.number == apart:
                self.parts = len(rows)
            mark = ((f" ≠ {t('compare.here')}", "warn"),) if step.number == apart else ()
            rows.append(Row(((f"── {t('event.step', step=step.number)}", "label" if step.same else "mark"), *mark)))
            for beside_each_other, members in groupby(
                step.pairs, key=lambda pair: None not in (pair.first, pair.second)
            ):
                pairs = list(members)
                rows += _rows(pairs, column) if beside_each_other else _alone(pairs, column)
        return rows


def _rows(pairs: Sequence[Both], column: int) -> Iterator[Row]:
    """What both did beside each other, the words marked that differ."""
    for pair in pairs:
        (label, first), (_, second) = _said(pair.first), _said(pair.second)
        if not label:
            continue
        yield from beside([((label, "dim"),)], [((label, "dim"),)], column)
        for left, right in aligned(difference(first, first if pair.same else second)):
            yield from beside(left, right, column)


def _alone(pairs: Sequence[Both], column: int) -> Iterator[Row]:
    """What either side did that the other has nothing for."""
    sides: tuple[list[Line], list[Line]] = ([], [])
    for pair in pairs:
        for side, record in zip(sides, (pair.first, pair.second), strict=True):
            label, said = _said(record)
            if label:
                side += [((label, "dim"),), *(((text, "text"),) for text in said.split("\n"))]
    return beside(*sides, column)


def _said(record: Record | None) -> tuple[str, str]:
    """The label and text of a record, as the transcript shows it unfolded, without the time that it took."""
    if record is None:
        return "", ""
    if isinstance(record.event, ToolReturned):
        record = replace(record, event=record.event.model_copy(update={"milliseconds": 0.0}))
    block = render(record)
    if block is None:
        return "", ""
    return block.label, "\n".join("".join(text for text, _ in line) for line in block.whole)


class StepsScreen(OnDesk, Screen[None]):
    """A task of two runs."""

    CSS_PATH = "compare.tcss"
    area = "compare_steps"
    help_id = "compared_steps"
    BINDINGS: ClassVar[list[BindingType]] = bindings("compare_steps")

    def __init__(self, comparison: Comparison, line: TaskLine) -> None:
        super().__init__()
        self.comparison, self.line = comparison, line
        self.steps: list[Step] | None = None

    def compose(self) -> ComposeResult:
        yield Label("", id="title", markup=False)
        yield StepsView(id="steps")
        yield KeyBar(("compare_steps", "app"), id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        self.query_one(StepsView).focus()
        job = partial(steps_of, self.comparison, self.line)
        self.run_worker(job, name="steps", group="steps", thread=True, exclusive=True, exit_on_error=False)

    def on_worker_state_changed(self, event: Worker.StateChanged) -> None:
        if not self.desk.worker_failed(event) and event.worker.name == "steps":
            self.steps = event.worker.result
            self.retranslate()

    def retranslate(self) -> None:
        words = [t("compare.title"), one(self.line.task)]
        if self.steps is not None:
            at = parting(self.steps)
            words.append(t("compare.alike") if at is None else t("compare.parting", step=at))
        self.query_one("#title", Label).update(" · ".join(words))
        view = self.query_one(StepsView)
        view.border_title = t("compare.sides")
        self.query_one(KeyBar).refresh()
        view.show(self.steps or ())

    def action_side(self, number: int) -> None:
        """The episode of one of the runs, as the desk shows episodes."""
        side = (self.comparison.first, self.comparison.second)[number]
        self.desk.open_episode(side.path, self.line.episodes[number])

    def action_close(self) -> None:
        self.dismiss()
