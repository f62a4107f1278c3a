"""A draft of CD or DD as it stands: the document as last written, its labels, and what each part has to say.

What a part has to say comes from the material of the client, by the readers that score it: said means the client has
told it in the interview, written means it stands in its part of the document.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date

from app.desk.court.scene import EpisodeSnapshot
from app.desk.episode.renderers import Line, one
from app.strings import t
from app.terminal import clean
from store.text.dates import plain_date
from store.text.normalise import fold_width
from tasks.courts.casefile.case import CivilCase
from tasks.courts.play.record import shown
from tasks.courts.scores.documents import PARTS, PartSpec, identity, slots, stated
from tasks.courts.scores.drafted import LABELS, TITLE, DraftDocument, Kind, kind_of_case, side, strict_document


@dataclass(frozen=True, slots=True)
class RequiredPoint:
    """One thing that a part has to say."""

    text: str
    said: bool
    written: bool


@dataclass(frozen=True, slots=True)
class DraftPart:
    """A part of the document under its label. `ticks` is empty where they are hidden or there is nothing to say."""

    key: str
    label: str
    found: bool
    ticks: tuple[RequiredPoint, ...]

    @property
    def said(self) -> int:
        return sum(tick.said for tick in self.ticks)

    @property
    def written(self) -> int:
        return sum(tick.written for tick in self.ticks)


@dataclass(frozen=True, slots=True)
class DraftView:
    """The document as last written, if any, and its parts. `turn`: of the lawyer's message; `text`: as it was
    written."""

    kind: Kind
    parts: tuple[DraftPart, ...]
    document: DraftDocument | None = None
    turn: int = 0
    text: str = ""


def draft_of(scene: EpisodeSnapshot) -> DraftView | None:
    """The draft of a scene; None where no document is asked for, or without the case."""
    case = scene.case
    kind = kind_of_case(case) if isinstance(case, CivilCase) else None
    if not isinstance(case, CivilCase) or kind is None:
        return None
    own = [turn for turn in scene.turns if turn.speaker == scene.tested and turn.number > 0]
    document = strict_document(case, [turn.text for turn in own])
    heard = "\n".join(turn.text for turn in scene.turns if turn.speaker != scene.tested)
    order = [label.key for label in LABELS[kind]]
    specs = sorted(PARTS[kind], key=lambda spec: order.index(spec.section))
    parts = tuple(_part(scene, case, kind, spec, document, heard) for spec in specs)
    if document is None:
        return DraftView(kind, parts)
    return DraftView(kind, parts, document, own[document.message].number, own[document.message].text)


def _part(
    scene: EpisodeSnapshot, case: CivilCase, kind: Kind, spec: PartSpec, document: DraftDocument | None, heard: str
) -> DraftPart:
    label = next(label.published for label in LABELS[kind] if label.key == spec.section).strip("：")
    found = document is not None and spec.section in document.found
    section = document.sections.get(spec.section, "") if document is not None else ""
    ticks = () if scene.tested_held else tuple(_ticks(case, spec, section, heard))
    return DraftPart(spec.section, label, found, ticks)


def _ticks(case: CivilCase, spec: PartSpec, section: str, heard: str) -> Iterator[RequiredPoint]:
    """What scorers look for in a part, in their order."""
    if spec.slots is not None:
        for slot in slots(case, spec.slots):
            yield RequiredPoint(slot.text, bool(heard) and slot.filled(heard), bool(section) and slot.filled(section))
        return
    for name, value in identity(side(case, spec.side)):
        text = plain_date(value) if isinstance(value, date) else value
        yield RequiredPoint(
            f"{t(f'court.file.{name}')} {text}", stated(name, value, heard), stated(name, value, section)
        )


def draft_lines(draft: DraftView | None) -> list[Line]:
    """The document as last written, its labels in colour, then what its parts say and leave out."""
    if draft is None:
        return [((t("court.draft.none"), "dim"),)]
    title = TITLE[draft.kind]
    if draft.document is None:
        return [((title, "question"),), ((t("court.draft.empty"), "dim"),)]
    head = t("court.draft.of", turn=draft.turn, found=len(draft.document.found), of=len(LABELS[draft.kind]))
    order = ("court.draft.ordered", "good") if draft.document.ordered else ("court.draft.unordered", "warn")
    lines: list[Line] = [((head, "dim"), (" · ", "dim"), (t(order[0]), order[1])), (("", "dim"),)]
    lines += [_coloured(draft.kind, text) for text in clean(shown(draft.text)).split("\n")]
    return [*lines, (("", "dim"),), *_part_lines(draft)]


def is_title(kind: Kind, text: str) -> bool:
    """Whether a line is the title of the document."""
    return text.strip("#*【】《》 　") == TITLE[kind]


def label_in(kind: Kind, text: str) -> re.Match[str] | None:
    """The label with which a line begins; a place in the match is one in the line."""
    # The same length in half-width forms: places found there are places here.
    return next((match for label in LABELS[kind] if (match := label.strict.match(fold_width(text)))), None)


def _coloured(kind: Kind, text: str) -> Line:
    """A line of the document, its title or label in colour."""
    if is_title(kind, text):
        return ((text, "question"),)
    found = label_in(kind, text)
    return ((text[: found.end()], "label"), (text[found.end() :], "text")) if found else ((text, "text"),)


def _part_lines(draft: DraftView) -> Iterator[Line]:
    for part in draft.parts:
        sign, tone = ("✔", "good") if part.found else ("☐", "dim")
        count = f"  {part.written}/{len(part.ticks)}" if part.ticks else ""
        yield ((f"{sign} ", tone), (part.label, "label" if part.found else "dim"), (count, "dim"))
        if draft.document is not None:
            yield from (
                ((f"  ☐ {one(tick.text)}", "warn" if tick.said else "dim"),)
                for tick in part.ticks
                if not tick.written
            )
