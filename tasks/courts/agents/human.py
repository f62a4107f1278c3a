"""A person in a seat of a court. What is typed is said aloud; whom it reaches is read from its words.

@原告 @被告 @公诉人 @被告人 @辩护人 at the beginning name the addressee outright; the marker is not said.
/法条 词语 searches the statutes where the seat has tools.
"""

from __future__ import annotations

import re

from models.engine import Ask, Message
from tasks.courts.casefile.case import Env
from tasks.courts.environment import Role, environment
from tasks.courts.play.record import by_words, shown
from tasks.courts.play.view import CourtView
from tasks.episode.actions import CallTool, Move, Say, ask

PROMPT = "court-human/1"
LAST = 6
"""Utterances that are shown again with the question."""
_AT = re.compile(r"\s*@(?P<name>[^\s@：:，,]{2,4})[\s：:，,]*")
_SEARCH = re.compile(r"\s*/(?:法条|law)\s+(?P<query>\S[^\n]*)")


def names_at(env: Env) -> dict[str, tuple[Role, ...]]:
    """Who may be named behind an @, the tested seat last."""
    here = environment(env)
    found = {name: (role,) for role in here.others for name in here.seats[role].at}
    return {
        **found,
        **dict.fromkeys(here.all_at, here.both),
        **dict.fromkeys(here.seats[here.tested].at, (here.tested,)),
    }


class HumanSeat:
    """Puts what was said last to the person in the seat."""

    name = PROMPT

    def move(self, view: CourtView) -> Move:
        """One utterance, or a search, as typed."""
        heard = [Message("user", f"{view.called(turn.speaker)}：{shown(turn.text)}") for turn in view.record[-LAST:]]
        reply = yield from ask(Ask(view.seat, tuple(heard) or (Message("user", "请发言。"),), prompt=PROMPT))
        if (search := _SEARCH.fullmatch(reply.text.rstrip())) and "search_law" in view.tools:
            return CallTool("search_law", {"query": search["query"].strip()})
        return spoken(reply.text, view)


def spoken(text: str, view: CourtView) -> Say:
    """What was typed as an utterance; of a judge the words tell whom it reaches, others speak to the court."""
    to: list[Role] = []
    rest = text
    while (match := _AT.match(rest)) and (named := names_at(view.env).get(match["name"])):
        to += named
        rest = rest[match.end() :]
    if to:
        return Say(rest.strip(), tuple(to), routed="marker")
    if view.here.trial and view.role == "judge":
        found = by_words(text, view.here)
        return Say(text.strip(), found, routed="words" if found else "")
    return Say(text.strip(), routed="")
