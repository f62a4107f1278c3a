"""The system message of a seat of a court: who you are, what you hold, what you never do, how you speak, what a reply
looks like.

It is the same in every turn of an episode, so an engine reads it once. How much context a seat needs before anything
is said: where the record is folded, a card and a little talk; where it is not (`j1`), the whole trial has to fit: all
that somebody holds is said once, and every turn has words of its own. Played by rules, none of the 24 trials of the
sample takes more than this; a model may talk more. Characters, and tokens of context.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

from models.engine import Tool
from tasks.agents.budgets import least_context
from tasks.agents.modes import split
from tasks.agents.prompts import fill, fill_text, table
from tasks.courts.agents.model.held import NAME, held_lines, phrase, shown, side_name, worded
from tasks.courts.agents.model.standing import counsel, plain_chat
from tasks.courts.casefile.case import Case
from tasks.courts.casefile.material import collegial, presiding_title
from tasks.courts.casefile.people import Persona
from tasks.courts.casefile.persona import style
from tasks.courts.casefile.roles import role_of
from tasks.courts.casefile.visibility import grant, visible
from tasks.courts.environment import PLAIN_CARD, Role, codes, environment
from tasks.courts.play.standing import CourtView
from tasks.courts.play.tools import ARGUMENTS
from tasks.courts.procedure.acts import texts_in
from tasks.courts.procedure.model import ProfileName, profile
from tasks.episode.events import Seated

Form = Literal["lean", "native", "free"]
"""lean: an object under a schema; free: plain text, in `j1` with the published markers; native: the same, but tools
are called in the form that the model was trained with."""
NATIVE = "court-native/1"
ALL = "全体"
"""Whom a judge names who wants no answer."""
TALK = 3000
"""Characters beside a card without which a seat cannot follow: a standing file that holds every exhibit, and a few
turns."""
_GAPS = re.compile(r"\n{3,}")
TURN = 120
"""Characters of a turn beside what is said of the case."""


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
    """What a reply looks like: free text wherever the published profile plays, for counsel and for who drafts, native
    calls where there are tools.

    With weights of 1.5B a lawyer in an object acknowledges or puts back what the judge asks (4 of 5 questions) and in
    plain words answers all 5; one who drafts hands in no document (0 of 6 cases; in plain words 2 of 3). A trainee
    repeats himself more in plain words (41 % of five cases, in an object 16 %).
    """
    if mode == "native":
        return "native" if view.offered else "free"
    here = environment(view.env)
    drafts = here.kind == "draft" and view.role == here.tested
    return "lean" if mode == "lean" and view.profile == "law" and not counsel(view) and not drafts else "free"


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
    seat = environment(view.env).seats[view.role]
    text = fill(
        card_of(view),
        duty=seat.duty,
        title=_title(view),
        side=side_name(side, view.env),
        who=_who(view, side),
        today=_days(view),
        pleading=phrase("pleading", side),
        document=phrase("document", view.env),
        template=phrase("template", view.env),
        agenda=_agenda(view),
        appeal=_of_bench("appeal", view),
        proof=_of_bench("proof", view),
        held="\n".join(held_lines(view)) or phrase("card", "nothing"),
        style=_style(view) or phrase("card", "plain"),
        never="\n".join(phrase("card", "rule", rule=rule) for rule in view.never) or phrase("card", "honest"),
        record=_record(view),
        form=_form(view, form),
    )
    return _GAPS.sub("\n\n", text)


def _record(view: CourtView) -> str:
    """How the words of the others read."""
    if plain_chat(view):
        return ""
    if counsel(view):
        return phrase("card", "record-counsel", judge=view.called("judge"))
    return phrase("card", f"record-{view.role}") or phrase("card", "record")


def _title(view: CourtView) -> str:
    if view.role == "judge":
        court: Mapping[str, Any] = view.held.get("court", {})
        presiding = court.get("presiding", {})
        return shown(f"{court.get('name', '')}{presiding_title(court)}{presiding.get('name', '')}")
    return shown(str(view.held.get("agent_title") or view.called(view.role)))


def _who(view: CourtView, side: str) -> str:
    """Whom the seat plays, by name as far as it knows."""
    parties: Sequence[Mapping[str, Any]] = view.held.get("parties", ())
    stands_for = "defendant" if view.role == "defence_lawyer" else side
    party = next((one for one in parties if one.get("side") == stands_for), {})
    office: Mapping[str, Any] = view.held.get("criminal", {}).get("prosecution", {})
    kind = view.role
    if view.role.endswith("_lawyer") and view.env != "CR":
        kind = "counsel" if party.get("counsel") else "person"
    elif view.role in ("plaintiff", "defendant"):
        kind = "accused" if view.env == "CR" else "party"
    return phrase(
        "who", kind, side=side_name(side, view.env),
        client=shown(party.get("name", "")),
        name=shown(office.get("prosecutor", "") or party.get("counsel", {}).get("name", "")),
        office=shown(office.get("name", "")), post=office.get("title", "检察员"),
    )  # fmt: skip


def _days(view: CourtView) -> str:
    """Today, and the other days of the case that the seat holds."""
    days: Mapping[str, str] = view.held.get("dates", {})
    return "".join(
        phrase("date", f"{view.env}-{name}", day=worded(day)) or phrase("date", name, day=worded(day))
        for name, day in sorted(days.items(), key=lambda pair: pair[0] == "filed")
    )


def _agenda(view: CourtView) -> str:
    """The stages of a hearing with what each takes, in the words of this bench and procedure; '' for no judge."""
    court: Mapping[str, Any] = view.held.get("court", {})
    procedure = str(court.get("procedure", ""))
    several = collegial(court)
    values = {
        "public": phrase("bench", "public" if court.get("public", True) else "closed"),
        "bench": phrase("bench", "panel" if several else "alone"),
        "deliberate": phrase("bench", "deliberate") if several else "",
        "procedure": procedure or "的程序",
        "consent": phrase("bench", f"consent-{procedure}"),
    }
    name = f"{view.env}-{view.profile}"
    return phrase("agenda", f"{name}-{procedure}", **values) or phrase("agenda", name, **values)


def _of_bench(name: str, view: CourtView) -> str:
    procedure = view.held.get("court", {}).get("procedure", "")
    return phrase("bench", f"{name}-{procedure}") or phrase("bench", name)


def _style(view: CourtView) -> str:
    """How somebody who is no professional speaks; '' for professionals."""
    if not view.traits:
        return ""
    parties = view.held.get("parties", ())
    own = next((party["persona"] for party in parties if "persona" in party), None)
    persona = Persona.model_validate(own or view.held.get("client", {}).get("persona", {}))
    return f"{shown(style(view.traits, persona))}{phrase('card', persona.legal_literacy)}"


def _form(view: CourtView, form: Form) -> str:
    """What a reply looks like, and the calls that may come before it."""
    named, told = list(addressees(view)), "free" if form == "native" else form
    kind = "judge" if view.role == "judge" else "seat"
    if kind == "judge" and view.profile == "j1":
        kind = view.env
    values = {
        "names": "、".join([*named, ALL] if form == "lean" and kind == "judge" else named),
        "stages": "、".join(stages(view)),
        "action": phrase(told, "action") if view.offered else "",
    }
    words = phrase(told, kind, **values)
    if not view.offered:
        return words
    if form == "native":
        return fill_text(table(NATIVE)["card"]["tools"].strip("\n"), form=words)
    return phrase(form, "tools", form=words, calls="\n".join(phrase(form, tool) for tool in view.offered))


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
    return sum(map(len, {text for role in roles for text in texts_in(visible(case, case.env, role))}))
