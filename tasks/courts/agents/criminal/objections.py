"""Which exhibits a party is asked about, and which of the objections that it holds belongs to which of them.

Counsel and prosecutor know the exhibits of the other side by title: the title tells, in whatever order they are
offered. The accused has no list: his objections come in the order of the case, so the number of an id (E4) tells the
place; where ids tell nothing, the words that objection and exhibit share do.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from tasks.courts.agents.criminal.asking import NO_OBJECTION, Floor, Offer, kinds_of, offers_of
from tasks.courts.environment import Role
from tasks.courts.procedure.replies import numbers_named
from tasks.courts.procedure.turns import Turn
from tasks.courts.scores.bigrams import bigrams, recall

LIKE = 0.15
"""Share of an objection's character pairs that an exhibit must hold where ids tell nothing."""
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
        if item := titled[0] if len(titled) == 1 else _untitled(titled or known, offer, shift):
            found.append((offer, grounds(item.get("objections", ()))))
    return [(offer, held) for offer, held in found if held]


def _by_title(known: Sequence[Mapping[str, Any]], offer: Offer) -> list[Mapping[str, Any]]:
    """The exhibits that an offer names: by their whole title, else by a title that it begins with or that begins with
    it."""
    said = plain_title(offer.title)
    titles = [(plain_title(item["title"]), item) for item in known if item.get("title")]
    same = [item for title, item in titles if title == said]
    return same or [item for title, item in titles if said and (title.startswith(said) or said.startswith(title))]


def _untitled(known: Sequence[Mapping[str, Any]], offer: Offer, shift: int) -> Mapping[str, Any] | None:
    """Where titles do not tell: by the place in the case, else by the words that objection and exhibit share."""
    held = [item for item in known if item.get("objections")]
    numbered = all(_PLACE.search(item["id"]) for item in held)
    return _by_place(held, offer.number + shift) if numbered else _by_words(held, offer)


def plain_title(title: str) -> str:
    """A title without blanks and quotation marks, its commas as they are read out."""
    return re.sub(r"[\s“”\"《》]", "", title.replace("，", "、"))


def _by_place(held: Sequence[Mapping[str, Any]], number: int) -> Mapping[str, Any] | None:
    for item in held:
        match = _PLACE.search(item["id"])
        if match and int(match[1]) == number:
            return item
    return None


def _by_words(held: Sequence[Mapping[str, Any]], offer: Offer) -> Mapping[str, Any] | None:
    said = bigrams(offer.body)
    likeness = [
        (recall(bigrams(NO_OBJECTION.sub("", "。".join(grounds(item["objections"]).values()))), said), item)
        for item in held
    ]
    best = max(likeness, key=lambda pair: pair[0], default=(0.0, None))
    return best[1] if best[0] >= LIKE else None


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
