"""How much context a seat of a court needs, before anything is said: its card, and what will be said of the case.

Where the record is folded, a card and a little talk suffice. Where it is not (`j1`), the whole trial has to fit: all
that somebody holds is said once, and every turn has words of its own. Played by rules, none of the 24 trials of the
sample takes more than this; a model may talk more. Characters, and tokens of context.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from tasks.agents.budgets import least_context
from tasks.agents.modes import split
from tasks.courts.agents.model.cards import card, form_of
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.roles import role_of
from tasks.courts.casefile.visibility import grant, visible
from tasks.courts.environment import environment
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.tables import ProfileName
from tasks.episode.events import Seated

TALK = 3000
"""Characters beside a card without which a seat cannot follow: a standing file that holds every exhibit, and a few
turns."""
TURN = 120
"""Characters of a turn beside what is said of the case."""


def need(case: Case, sits: Seated, profile: ProfileName, limit: int, *, folds: bool) -> int:
    """Tokens of context that a model needs in a seat of a case.

    Args:
        case: the case.
        sits: who sits there; his SPEC and the density of his engine count.
        profile: by which procedure it is played.
        limit: turns that it may have.
        folds: whether what no longer fits is folded.
    """
    role = role_of(case.env, sits.seat)
    view = CourtView(
        seat=sits.seat, card={}, history=(), step=1, role=role, env=case.env, profile=profile, case_id=case.id,
        held=visible(case, case.env, role), never=grant(case.env, role).never, limit=limit,
        there=tuple(one for one in environment(case.env).seats if one != role),
    )  # fmt: skip
    size = len(card(view, form_of(view, split(sits.policy)[1])))
    return least_context(size + (TALK if folds else _material(case) + limit * TURN), sits)


def _material(case: Case) -> int:
    """Characters of all that anybody holds, each text once."""
    roles = environment(case.env).seats
    return sum(map(len, {text for role in roles for text in _texts(visible(case, case.env, role))}))


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _texts(item)
    elif isinstance(value, list | tuple):
        for item in value:
            yield from _texts(item)
