"""The `echo` floor of the courts: a fixed formula in every turn, whatever was said. Whatever scores above it has done
something."""

from __future__ import annotations

from tasks.courts.casefile.case import Env
from tasks.courts.environment import environment
from tasks.courts.play.views import CourtView
from tasks.courts.scores.drafted import Kind
from tasks.courts.scores.drafts import FLOOR_REPLY, floor_document, with_end_mark
from tasks.courts.scores.judgment import FORMULA
from tasks.courts.scores.topics import FLOOR_REPLY as ADVICE
from tasks.episode.actions import Move, Say

_DRAFTS: dict[Env, Kind] = {"CD": "CD", "DD": "DD"}


class EchoSeat:
    """Says the formula of its environment; a lawyer asks once and hands in the empty form, a judge judges at once."""

    def move(self, view: CourtView) -> Move:
        """One utterance."""
        yield from ()
        if kind := _DRAFTS.get(view.env):
            return Say(FLOOR_REPLY if view.turn == 1 else with_end_mark(floor_document(kind)), view.there)
        if environment(view.env).trial:
            return Say(f"{FORMULA[view.env]}\n现在闭庭。")
        return Say(ADVICE, view.there)
