"""Live scores: of this task at the shown step, and of the run so far. 论文口径 and 严格口径 always side by side.

Rates are shares from 0 to 1. While a person holds the tested seat nothing that comes from gold is shown.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import ClassVar, Literal

from textual.binding import BindingType

from app.desk.bindings import bindings
from app.desk.episode.renderers import one
from app.desk.episode.scores import OVERALL, GroupScores, RunScores, StepScores
from app.desk.widgets.lines import DisplayRow, LineView, rows_of
from app.figures import bar, interval, rate
from app.strings import counted, t
from app.terminal import pad, truncate, width
from app.words import score_figure, score_name
from tasks.courts.scores.columns import LOWER

LEAST = 8
"""Cells that a column of figures has at least, its gap included."""
GRADED = frozenset({"score", "NBIN", "NBIN_all", "DOC", "CLA", "F&R", "JUD", "REA"})
"""Values that only a grader can give; without one they are unscored, not 0."""


def _figure(name: str, value: float | None) -> str:
    return "—" if value is None else score_figure(name, value)


class ScoreStrip(LineView):
    """Shows the scores; `hide` says why there are none."""

    help_id = "scores"
    BINDINGS: ClassVar[list[BindingType]] = bindings("scores")

    def __init__(self, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self._step: StepScores | None = None
        self._run: RunScores | None = None
        self._hidden = ""
        self._nothing = "empty"

    def forget(self) -> None:
        self._step = self._run = None
        self._nothing = "empty"
        self.rebuild()

    def expect(self, over: bool) -> None:
        """What to say until there are scores: an episode that is `over` needs no further step."""
        if self._nothing not in ("none", "changed"):
            self._nothing = "scoring" if over else "empty"
            self.rebuild()

    def give_up(self, changed: bool) -> None:
        """There will be no scores: the task file is `changed`, or cannot be read."""
        self._nothing = "changed" if changed else "none"
        self.rebuild()

    def show_step(self, scores: StepScores | None) -> None:
        self._step = scores
        self.rebuild()

    def show_run(self, scores: RunScores | None) -> None:
        self._run = scores
        self.rebuild()

    def hide(self, reason: str) -> None:
        self._hidden = reason
        if reason:
            self._step = self._run = None
        self.rebuild()

    @property
    def step(self) -> StepScores | None:
        return self._step

    def _offer(self) -> None:
        """Below the frame, how to come to the evidence, once there is some."""
        there = self._step is not None and bool(self._step.grounds.beside or self._step.grounds.rows)
        self.border_subtitle = t("grounds.offer") if there else ""

    def build(self, width_: int) -> Iterable[DisplayRow]:
        self._offer()
        if self._hidden:
            yield from rows_of(((self._hidden, "warn"),), width_)
            return
        if self._step is None and self._run is None:
            yield from rows_of(((t(f"scores.{self._nothing}"), "dim"),), width_)
            return
        columns = _columns(width_, self._labels())
        yield DisplayRow(
            tuple(_cells(("", t("scores.compat"), t("scores.strict")), columns, ("dim", "label", "label")))
        )
        if self._step is not None:
            yield from self._of_step(self._step, columns, width_)
        if self._run is not None:
            yield from self._of_run(self._run, columns, width_)

    def _labels(self) -> list[str]:
        """What stands in the first column beside the words that are always there."""
        parts = self._run.parts if self._run else ()
        return [*(score_name(rate_) for rate_ in (self._step.rates if self._step else ())), *map(_part, parts)]

    def _of_step(self, step: StepScores, columns: tuple[int, int, int], width_: int) -> Iterator[DisplayRow]:
        for name in step.rates:
            pair = (step.compat.get(name), step.strict.get(name)) if step.answered else (None, None)
            said = (
                t("scores.unscored") if v is None and step.answered and name in GRADED else _figure(name, v)
                for v in pair
            )
            cells = (score_name(name), *said)
            tones = (_tone(None if v is None else 1 - v if name in LOWER else v) for v in pair)
            yield DisplayRow(tuple(_cells(cells, columns, ("text", *tones))))
        if step.evidence is not None:
            seen = sum(bool(key.get("seen")) for key in step.keys)
            label = pad(t("scores.evidence"), columns[0])
            yield DisplayRow(((label, "text"), (bar(step.evidence), "good"), (f" {seen}/{len(step.keys)}", "text")))
        elif step.imported:
            yield DisplayRow(((pad(t("scores.evidence"), columns[0]), "text"), (t("failures.imported"), "dim")))
        for key in step.keys:
            hit = bool(key.get("strict_hit"))
            sign, tone = (
                ("✔", "good") if hit and step.answered else ("●", "label") if key.get("seen") else ("○", "dim")
            )
            kind = t("scores.middle") if key.get("kind") == "middle" else ""
            room = width_ - 2 - (width(kind) + 1 if kind else 0)
            text = truncate(one(str(key.get("key", ""))), room)
            yield DisplayRow(((f"{sign} ", tone), (pad(text, room), "text"), (f" {kind}" if kind else "", "dim")))

    def _of_run(self, run: RunScores, columns: tuple[int, int, int], width_: int) -> Iterator[DisplayRow]:
        title = f"── {counted('scores.run', run.n)} "
        yield DisplayRow(((title, "rule"), ("─" * max(0, width_ - width(title)), "rule")))
        for part in run.parts:
            label = _part(part)
            if run.n:
                there = part.group != "all" or part.n
                pair = [t("scores.unscored") if v is None and there else rate(v) for v in (part.compat, part.strict)]
                yield DisplayRow(tuple(_cells((label, *pair), columns, ("text", "text", "text"))))
                intervals = (t("scores.interval"), interval(part.compat_interval), interval(part.strict_interval))
                yield DisplayRow(tuple(_cells(intervals, columns, ("dim", "dim", "dim"))))
            elif part.group != "all":
                yield DisplayRow(((label, "text"),))
            for name, (compat, strict) in (("floor", part.floor), ("ceiling", part.ceiling)):
                if compat is not None or strict is not None or part.group == "all":
                    pair = [rate(compat), "" if strict == compat else rate(strict)]  # once where both rules agree
                    yield DisplayRow(tuple(_cells((t(f"scores.{name}"), *pair), columns, ("dim", "dim", "dim"))))


def _part(part: GroupScores) -> str:
    if part.group == "all":
        return t("scores.success")
    name = t("measure.overall") if part.group == OVERALL else part.group.upper()
    return f"{name} {part.n or ''}".strip()


def _columns(room: int, labels: Iterable[str] = ()) -> tuple[int, int, int]:
    always = (
        t(f"scores.{name}") for name in ("success", "process", "score", "evidence", "interval", "floor", "ceiling")
    )
    first = min(max(map(width, (*always, *labels))) + 1, room - 2 * LEAST)
    rest = min(12, max(LEAST, (room - first) // 2))
    return first, rest, rest


def _cells(texts: Sequence[str], columns: Sequence[int], roles: Sequence[str]) -> Iterator[tuple[str, str]]:
    aligned: tuple[Literal["left", "right"], ...] = ("left", "right", "right")
    for text, size, role, align in zip(texts, columns, roles, aligned, strict=True):
        yield pad(truncate(text, size), size, align), role


def _tone(value: float | None) -> str:
    return "dim" if value is None else "good" if value >= 0.999 else "warn" if value > 0 else "bad"
