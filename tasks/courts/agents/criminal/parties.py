"""The parties of a criminal trial by rules: 公诉人, 被告人, 辩护人. Each answers what is asked, from what it holds alone.

Several questions are answered in their order, what nothing is held about is 不清楚, nobody speaks before being asked.
Only a procurator or a lawyer who is given the word to examine puts questions to somebody else, and only where the
profile lets them.
"""

from __future__ import annotations

from typing import ClassVar

from store.search.law_search import LawSearch
from tasks.courts.agents.criminal.accused import AccusedSpeaks
from tasks.courts.agents.criminal.asking import Floor, joined
from tasks.courts.agents.criminal.defender import DefenderSpeaks
from tasks.courts.agents.criminal.prosecutor import ProsecutorSpeaks
from tasks.courts.agents.criminal.speaking import Speaks
from tasks.courts.play.views import CourtView
from tasks.episode.actions import Move, Say


class _Party:
    """Says what its speaker makes of the question."""

    speaks: ClassVar[type[Speaks]]

    def __init__(self, search: LawSearch | None = None) -> None:
        del search  # a party pleads with the law that it holds

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        floor = Floor(view)
        speaker = self.speaks(floor)
        text = joined([speaker.answer(kind) for kind in floor.kinds]) or speaker.otherwise()
        return Say(text, speaker.to)


class Procurator(_Party):
    """公诉人."""

    speaks = ProsecutorSpeaks


class Accused(_Party):
    """被告人."""

    speaks = AccusedSpeaks


class DefenceLawyer(_Party):
    """辩护人."""

    speaks = DefenderSpeaks
