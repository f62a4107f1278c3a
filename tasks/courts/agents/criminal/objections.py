"""Which exhibits a party is asked about, and which of the objections that it holds belongs to which of them.

Counsel and prosecutor know the exhibits of the other side by title: the title tells, in whatever order they are
offered. The accused has no list: his objections come in the order of the case, so the number of an id (E4) tells the
place.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.courts.agents.criminal.asking import Floor, Offer, kinds_of, offers_of
from tasks.courts.environment import Role
from tasks.courts.procedure.replies import numbers_named
from tasks.courts.procedure.turns import Turn

GROUNDS = ("truth", "legality", "relevance", "weight", "text")
_AGREED = re.compile(r"^对[^。；]{0,24}(?:没有|无)异议")
_PLACE = re.compile(r"(\d{1,3})$")


def showings(record: Sequence[Turn], role: Role) -> list[tuple[int, list[Offer]]]:
    """What a role offered when it was called to: place in the record and exhibits, numbered through where none was
    said."""
    found: list[tuple[int, list[Offer]]] = []
    called = False
    count = 0
    for place, turn in enumerate(record):
        if turn.speaker == "judge":
            called = role in turn.to and "evidence" in kinds_of(turn.text, role)
        elif turn.speaker == role and called and (offers := offers_of(turn.text)):
            numbered = [
                offer if offer.number else replace(offer, number=count + at) for at, offer in enumerate(offers, 1)
            ]
            count = max(count, *(offer.number for offer in numbered))
            found.append((place, numbered))
    return found


def asked_about(floor: Floor, owner: Role) -> list[Offer]:
    """The exhibits of another role that the question is about: those it names, else those since this role was last
    heard."""
    shown = showings(floor.view.record, owner)
    offers = [offer for _, listed in shown for offer in listed]
    numbers = numbers_named(floor.text)
    if named := [offer for offer in offers if offer.number in numbers]:
        return named
    titled = [offer for offer in offers if offer.title[:30] in floor.text]
    if titled:
        return titled
    heard = _last_heard(floor)
    fresh = [offer for place, listed in shown if place > heard for offer in listed]
    return fresh or (shown[-1][1] if shown else [])


def _last_heard(floor: Floor) -> int:
    """Where this role last gave its view on exhibits; -1 for never."""
    last = -1
    asked: tuple[str, ...] = ()
    for place, turn in enumerate(floor.view.record):
        if turn.speaker == "judge":
            asked = kinds_of(turn.text, floor.view.role) if floor.view.role in turn.to else ()
        elif turn.speaker == floor.view.role and "views" in asked:
            last = place
    return last


def objections(floor: Floor, offers: Sequence[Offer], shift: int = 0) -> list[tuple[Offer, Mapping[str, str]]]:
    """The objections held against these exhibits. shift: exhibits of the case that stand before the first of that
    side."""
    known = floor.others_exhibits
    found = []
    for offer in offers:
        titled = _by_title(known, offer)
        if item := titled[0] if len(titled) == 1 else _by_place(titled or known, offer.number + shift):
            found.append((offer, grounds(item.get("objections", ()))))
    return [(offer, held) for offer, held in found if held]


def _by_title(known: Sequence[Mapping[str, Any]], offer: Offer) -> list[Mapping[str, Any]]:
    """The exhibits that an offer names: by their whole title, else by a title that it begins with or that begins with
    it."""
    said = plain_title(offer.title)
    titles = [(plain_title(item["title"]), item) for item in known if item.get("title")]
    same = [item for title, item in titles if title == said]
    return same or [item for title, item in titles if said and (title.startswith(said) or said.startswith(title))]


def plain_title(title: str) -> str:
    """A title without blanks and quotation marks, its commas as they are read out."""
    return re.sub(r"[\s“”\"《》]", "", title.replace("，", "、"))


def _by_place(known: Sequence[Mapping[str, Any]], number: int) -> Mapping[str, Any] | None:
    """Where titles do not tell: the exhibit at that place in the case."""
    places = ((item, _PLACE.search(item["id"])) for item in known if item.get("objections"))
    return next((item for item, place in places if place and int(place[1]) == number), None)


def grounds(listed: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Objections by the point that each concerns."""
    return {ground: one[ground] for one in listed for ground in GROUNDS if one.get(ground)}


def grounds_text(floor: Floor, grounds: Mapping[str, str]) -> str:
    """Objections with the point that each concerns: 真实性, 合法性, 关联性, 证明目的."""
    said = []
    for ground in GROUNDS:
        if text := grounds.get(ground, "").rstrip("。"):
            plain = ground == "text" or ground == "weight" and _AGREED.match(text)
            said.append(floor.say("objection_plain" if plain else f"objection_{ground}", text=text))
    return "；".join(said)
