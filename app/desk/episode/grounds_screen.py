"""The way from a score to its evidence: own words beside the reference, then all that each score rests on. Enter goes
to the place in the record."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import groupby
from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import BindingType
from textual.screen import Screen
from textual.widgets import Label

from app.desk.bindings import bindings
from app.desk.episode.renderers import Line, Piece, one
from app.desk.episode.scores import ClaimOutcome, EpisodeEvidence, ReferencePair, ScoreEvidence, StepScores, Texts
from app.desk.jobs import OnDesk
from app.desk.widgets.choice import Choice
from app.desk.widgets.key_bar import KeyBar
from app.desk.widgets.lines import DisplayRow, beside, rows_of
from app.strings import t
from app.terminal import pad, width
from app.words import score_figure, score_name
from tasks.courts.scores.columns import LOWER
from tasks.scoring.names import DISTANCES

SIGNS = {True: ("✔", "good"), False: ("✘", "bad"), None: ("·", "dim")}
TONES = {"granted": "good", "partly": "warn", "rejected": "bad", "omitted": "mark"}
QUOTED = 160
"""Characters of the record that are quoted with what rests on them."""
BAR = 20


class EvidenceView(Choice):
    """Pairs, then scores with what they rest on; what has a place in the record can be chosen."""

    help_id = "grounds"

    def __init__(self, scores: StepScores, *, id: str | None = None) -> None:
        super().__init__(id=id)
        self.scores = scores
        self.things: list[ReferencePair | ScoreEvidence] = [*scores.grounds.beside, *_grouped(scores.grounds)]

    def build(self, width: int) -> Iterable[DisplayRow]:
        column, pairs = (width - 5) // 2, self.scores.grounds.beside
        if pairs:
            heads = [((t(f"grounds.{side}"), "label"),) for side in ("own", "gold")]
            yield from _moved(beside(heads[:1], heads[1:], column), -1)
        for index, pair in enumerate(pairs):
            sign, tone = SIGNS[pair.holds]
            head = ((f"  {sign} ", tone), (one(pair.title) or t(f"grounds.{pair.part}"), "question"))
            yield from rows_of(head, width, 4, index)
            yield from _moved(beside(list(_side(pair.own)), list(_side(pair.gold)), column), index)
            yield DisplayRow(())
        rows = self.things[len(pairs) :]
        for name, members in groupby(enumerate(rows, len(pairs)), key=lambda pair: _listed_under(pair[1])):
            yield from self._score(name, width)
            said: tuple[str, ...] = ()
            for index, ground in members:
                assert isinstance(ground, ScoreEvidence)
                yield from _ground(ground, index, width, said != ground.metrics)
                said = ground.metrics

    def _score(self, name: str, room: int) -> Iterator[DisplayRow]:
        value = self.scores.strict.get(name)
        said = t("scores.unscored") if value is None else score_figure(name, value)
        head: list[Piece] = [(f"── {score_name(name)}  ", "label"), (said, "value")]
        if value is not None and name not in DISTANCES:
            full = round(BAR * min(max(value, 0.0), 1.0))
            head.append((f"  {'▮' * full}{'▯' * (BAR - full)}", "bar"))
            head += [(f"  {t('grounds.lower')}", "dim")] if name in LOWER else []
        used = sum(width(text) for text, _ in head)
        yield DisplayRow((*head, (" " + "─" * max(0, room - used - 1), "rule")))


def _grouped(found: EpisodeEvidence) -> list[ScoreEvidence]:
    """The rows by what they are listed under, in the order in which that comes first."""
    names = list(dict.fromkeys(row.metrics[0] for row in found.rows))
    return sorted(found.rows, key=lambda row: names.index(row.metrics[0]))


def _listed_under(thing: ReferencePair | ScoreEvidence) -> str:
    return thing.metrics[0] if isinstance(thing, ScoreEvidence) else ""


def _side(side: ClaimOutcome | Texts) -> Iterator[Line]:
    if not isinstance(side, ClaimOutcome):
        yield from (((one(text), "text"),) for text in side or (t("grounds.nothing"),))
        return
    amount = "" if not side.amount else t("grounds.sum", amount=f"{side.amount:,.2f}".removesuffix(".00"))
    yield (
        (t(f"grounds.outcome.{side.outcome}"), TONES.get(side.outcome, "text")),
        (f"　{amount}" if amount else "", "value"),
    )
    if side.words:
        yield ((one(side.words), "dim"),)


def _moved(rows: Iterable[DisplayRow], owner: int) -> Iterator[DisplayRow]:
    return (replace(row, pieces=(("  ", "text"), *row.pieces), owner=owner) for row in rows)


def _ground(ground: ScoreEvidence, index: int, room: int, fresh: bool) -> Iterator[DisplayRow]:
    """A row; the other scores that rest on it are named where they are not those of the row above."""
    sign, tone = SIGNS[ground.found]
    also = t("show.listed").join(map(score_name, ground.metrics[1:])) if fresh else ""
    also = t("grounds.also", names=also) if also else ""
    line: Line = ((f"  {pad(sign, 2)}", tone), (one(ground.what), "text"), (f"  {also}" if also else "", "dim"))
    yield from rows_of(line, room, 4, index)
    if ground.quote:
        quote = ground.quote if len(ground.quote) <= QUOTED else f"{ground.quote[:QUOTED]}…"
        line = (("    ", "text"), (f"“{one(quote)}”", "dim"))
        yield from rows_of(line, room, 4, index)


class EvidenceScreen(OnDesk, Screen[int | None]):
    """The grounds of an episode's scores; gives the record to go to, or None."""

    CSS_PATH = "grounds.tcss"
    area = "grounds"
    help_id = "grounds"
    BINDINGS: ClassVar[list[BindingType]] = bindings("grounds")

    def __init__(self, scores: StepScores, title: str) -> None:
        super().__init__()
        self.scores, self.about = scores, title

    def compose(self) -> ComposeResult:
        yield Label("", id="title", markup=False)
        yield EvidenceView(self.scores, id="grounds")
        yield KeyBar(("grounds", "app"), id="keys")

    def on_mount(self) -> None:
        self.retranslate()
        view = self.query_one(EvidenceView)
        view.focus()
        view.move_to(0)

    def retranslate(self) -> None:
        self.query_one("#title", Label).update(f"{t('grounds.title')} · {one(self.about)}")
        view = self.query_one(EvidenceView)
        view.border_title = t("grounds.legend")
        view.rebuild()
        self.query_one(KeyBar).refresh()

    def on_choice_selected(self, event: Choice.Selected) -> None:
        seq = self.query_one(EvidenceView).things[event.index].seq
        if seq is None:
            self.desk.say(t("grounds.no_place"))
        else:
            self.dismiss(seq)

    def action_open(self) -> None:
        self.query_one(EvidenceView).action_choose()

    def action_close(self) -> None:
        self.dismiss(None)
