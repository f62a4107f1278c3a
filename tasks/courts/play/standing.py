"""The standing file of an episode: what must never be forgotten of what was said, with the turn in which it was said.

The controller keeps it from the record and from what the procedure made of it: which words pleaded, answered, offered
or contested something, and where every exhibit stands. Nothing of the case file is in it that was not said. Places
are those of utterances in the record, from 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal

from tasks.courts.procedure.turns import Turn
from tasks.episode.events import ActDone, ExhibitMoved, Record, Said, StageEntered

Weight = Literal["core", "talk", "rest"]
"""core: pleadings, issues, exhibits, answers of the investigation; outside a trial whatever the others told. talk:
other duties that were answered. rest: everything else."""
HEARD = "investigation"
"""The stage in which both sides say what the case is about and show what proves it."""


@dataclass(frozen=True, slots=True)
class Noted:
    """An utterance in the file. heading: the duty that it did, '' for none."""

    turn: Turn
    weight: Weight
    heading: str = ""


@dataclass(slots=True)
class ExhibitNote:
    """An exhibit that was offered. side: of whom; shown, heard: turns; state: as the procedure has it."""

    title: str
    side: str = ""
    shown: int | None = None
    heard: list[int] = field(default_factory=list)
    state: str = ""


@dataclass(frozen=True, slots=True)
class Standing:
    """The file after so many utterances; notes in the order of the record."""

    notes: tuple[Noted, ...]
    exhibits: tuple[ExhibitNote, ...]


def standing(history: Iterable[Record], turns: Sequence[Turn], role: str, *, trial: bool) -> Standing:
    """The standing file of the first utterances of an episode.

    Args:
        history: the records of the episode; those after the last of `turns` are not read.
        turns: the utterances, from the first on.
        role: whose file it is: outside a trial the words of the other are what counts.
        trial: whether the procedure of a court is kept in it.
    """
    acts, exhibits = _followed(history, len(turns))
    core: dict[int, str] = {}
    talk: dict[int, str] = {}
    question = -1
    for place, turn in enumerate(turns):
        if turn.speaker == "judge":
            question = place
        done = acts.get(place, ())
        heard = next((act for act, stage in done if stage == HEARD), None)
        if heard is not None:
            core[place] = heard.name
            if question >= 0 and heard.side and len(turns[question].text) > 2 * len(turn.text):
                core.setdefault(question, heard.name)  # a short answer means nothing without what it answers
        elif done:
            talk[place] = done[0][0].name
        elif not trial and turn.speaker != role:
            core[place] = ""
    notes = tuple(
        Noted(turn, "core", core[place]) if place in core
        else Noted(turn, "talk", talk[place]) if place in talk
        else Noted(turn, "rest")
        for place, turn in enumerate(turns)
    )  # fmt: skip
    return Standing(notes, tuple(exhibits.values()))


def _followed(
    history: Iterable[Record], count: int
) -> tuple[Mapping[int, list[tuple[ActDone, str]]], Mapping[str, ExhibitNote]]:
    """What the procedure made of the first `count` utterances: acts with their stage by place, and the exhibits."""
    acts: dict[int, list[tuple[ActDone, str]]] = {}
    exhibits: dict[str, ExhibitNote] = {}
    place, stage = -1, ""
    for record in history:
        match record.event:
            case Said():
                place += 1
                if place == count:
                    break
            case StageEntered() as event:
                stage = event.stage
            case ActDone() as event:
                acts.setdefault(place, []).append((event, stage))
                if event.exhibit:
                    _exhibit(exhibits.setdefault(event.exhibit, ExhibitNote("")), event)
            case ExhibitMoved() as event:
                note = exhibits.setdefault(event.exhibit, ExhibitNote(""))
                note.title, note.state = event.title, event.state
            case _:
                pass
    return acts, {identity: note for identity, note in exhibits.items() if note.title}


def _exhibit(note: ExhibitNote, event: ActDone) -> None:
    if event.key.startswith("exhibit/"):
        note.side, note.shown = event.side, event.turn
    else:
        note.heard.append(event.turn)
