"""The system message of a seat of a court: who you are, what you hold, what you never do, how you speak, what a reply looks like.

It is the same in every turn of an episode, so an engine reads it once.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from models.engine import Tool
from tasks.agents.prompts import fill, fill_text, table
from tasks.courts.agents.model.held import held_lines, shown, side_name
from tasks.courts.agents.model.phrases import NAME, phrase
from tasks.courts.casefile.material import presiding_title
from tasks.courts.casefile.people import Persona
from tasks.courts.casefile.persona import style
from tasks.courts.environment import PLAIN_CARD, Role, codes, environment
from tasks.courts.play.tools import ARGUMENTS
from tasks.courts.play.views import CourtView
from tasks.courts.procedure.tables import profile

Form = Literal["lean", "native", "free"]
"""lean: an object under a schema; free: plain text, in `j1` with the published markers; native: the same, but tools are
called in the form that the model was trained with."""
NATIVE = "court-native/1"
ALL = "全体"
"""Whom a judge names who wants no answer."""


def prompts(mode: str = "lean") -> tuple[str, ...]:
    """Every prompt file that a model in some seat may read."""
    seats = (seat for code in codes() for seat in environment(code).seats.values())
    more = (NATIVE,) if mode == "native" else ()
    return (*dict.fromkeys(seat.card or PLAIN_CARD for seat in seats), NAME, *more)


def definitions(tools: Sequence[str]) -> tuple[Tool, ...]:
    """Tools as a model that calls them in its own form is told of them."""
    words = table(NATIVE)
    return tuple(
        Tool(
            tool,
            words["tool"][tool],
            {
                "type": "object",
                "properties": {
                    name: {"type": "string", "description": words["given"][name]} for name in ARGUMENTS[tool]
                },
                "required": list(ARGUMENTS[tool]),
            },
        )
        for tool in tools
    )


def card_of(view: CourtView) -> str:
    """The prompt file of a seat."""
    return environment(view.env).seats[view.role].card or PLAIN_CARD


def form_of(view: CourtView, mode: str) -> Form:
    """What a reply looks like: free text wherever the published profile plays, native calls where there are tools."""
    if mode == "native":
        return "native" if view.offered else "free"
    return "lean" if mode == "lean" and view.profile == "law" else "free"


def addressees(view: CourtView) -> dict[str, Role]:
    """Name -> role of everybody that the seat may speak to by name; {} where there is no choice."""
    here = environment(view.env)
    if not here.trial or (view.role != "judge" and not here.seats[view.role].asks):
        return {}
    return {view.called(role): role for role in view.there}


def stages(view: CourtView) -> tuple[str, ...]:
    """The stages that a judge may declare."""
    if not environment(view.env).trial or view.role != "judge":
        return ()
    table = profile(view.profile, "CI" if view.env == "CI" else "CR")
    return tuple(stage.name for stage in table.stages)


def card(view: CourtView, form: Form) -> str:
    """The card of a seat."""
    side = view.role.removesuffix("_lawyer")
    named = side_name(side, view.env)
    court = view.held.get("court", {})
    seat = environment(view.env).seats[view.role]
    return fill(
        card_of(view),
        duty=seat.duty,
        title=_title(view, court),
        side=named,
        who=phrase("who", "counsel" if _counsel(view) else "person", side=named),
        document=phrase("document", view.env),
        template=phrase("template", view.env),
        agenda=phrase("agenda", f"{view.env}-{view.profile}"),
        held="\n".join(held_lines(view)) or phrase("card", "nothing"),
        style=_style(view),
        never="\n".join(phrase("card", "rule", rule=rule) for rule in view.never) or phrase("card", "honest"),
        record=phrase("card", "record"),
        form=_form(view, form),
    )


def _title(view: CourtView, court: Mapping[str, Any]) -> str:
    if view.role == "judge":
        where, presiding = court.get("name", ""), court.get("presiding", {})
        return shown(f"{where}{presiding_title(court)}{presiding.get('name', '')}")
    return shown(str(view.held.get("agent_title") or view.called(view.role)))


def _counsel(view: CourtView) -> bool:
    """Whether a party of a civil trial has a lawyer, as far as the seat can tell."""
    side = view.role.removesuffix("_lawyer")
    return any(party.get("counsel") for party in view.held.get("parties", ()) if party.get("side") == side)


def _style(view: CourtView) -> str:
    """How somebody who is no professional speaks; '' for professionals."""
    if not view.traits:
        return ""
    parties = view.held.get("parties", ())
    own = next((party["persona"] for party in parties if "persona" in party), None)
    persona = Persona.model_validate(own or view.held.get("client", {}).get("persona", {}))
    return f"{shown(style(view.traits, persona))}{phrase('card', persona.legal_literacy)}"


def _form(view: CourtView, form: Form) -> str:
    names = "、".join(addressees(view))
    if form == "lean":
        kind = "judge" if view.role == "judge" else "party" if names else "seat"
        names = f"{names}、{ALL}" if kind == "judge" else names
    elif view.role == "judge":
        kind = view.env if view.profile == "j1" else "judge"
    else:
        kind = "seat"
    words = phrase("free" if form == "native" else form, kind, names=names, stages="、".join(stages(view)))
    if not view.offered:
        return words
    if form == "native":
        return fill_text(table(NATIVE)["card"]["tools"].strip("\n"), form=words)
    return phrase(form, "tools", form=words, calls="\n".join(phrase(form, tool) for tool in view.offered))
